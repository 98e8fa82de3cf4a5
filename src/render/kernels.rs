//! The kernel inventory: one row for each kernel, written as rows come, so that its length does not matter.

use super::block::{Bar, Bars};
use super::documents::{Document, Judged};
use super::json_document::JsonDocument;
use super::style::{Style, Tone, printable, thousands};
use super::{Format, Lists, csv, html, markdown};
use crate::codeobject::Kernel;
use crate::inventory::kernel_row::KernelRow;
use crate::isa::class;
use crate::report::kernel_line::{PlaceText, kernel_line};
use crate::report::v1::{Found, Header, KernelsReport, document};
use crate::scan::kernel_field::{KERNEL_FIELDS, KernelField};
use crate::scan::kernel_sink::KernelSink;
use rayon::prelude::*;
use rocm_audit_files::key_map::KeyMap;
use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::Arc;

impl Document for KernelsReport<'_> {
    fn judged(&self) -> Judged<'_> {
        Judged::from_found(&self.found)
    }
}

/// A list of kernels in the process of being written: JSON Lines, one JSON document, a table for a terminal,
/// or one in Markdown.
pub struct KernelList<'a> {
    out: &'a mut dyn Write,
    form: KernelRowForm<'a>,
    document: Option<JsonDocument>,
    written: u64,
    /// Number of kernels by vector registers, for the figure on a page.
    registers: KeyMap<u64, u64>,
}

/// How rows are drawn.
#[derive(Clone, Copy)]
struct KernelRowForm<'a> {
    lists: Lists,
    /// Whether machine code was decoded.
    decoded: bool,
    style: &'a Style,
}

impl<'a> KernelList<'a> {
    /// Begins a list. `decoded` says whether machine code was decoded.
    ///
    /// # Errors
    ///
    /// If writing fails.
    pub fn begin(
        out: &'a mut dyn Write,
        format: Format,
        decoded: bool,
        style: &'a Style,
    ) -> io::Result<Self> {
        let lists = format.lists();
        let form = KernelRowForm { lists, decoded, style };
        // The head of a table on a screen waits for its first row: without one, a sentence says so.
        if lists != Lists::Text {
            out.write_all(form.header().as_bytes())?;
        }
        let document = match lists {
            Lists::Json => {
                Some(JsonDocument::begin(out, &Header::from_document(document::KERNELS), "kernels")?)
            }
            Lists::Text | Lists::Markdown | Lists::Html | Lists::Csv | Lists::JsonLines | Lists::Nothing => {
                None
            }
        };
        Ok(KernelList { out, form, document, written: 0, registers: KeyMap::new() })
    }

    /// Ends the list with the findings, and returns the number of kernels.
    ///
    /// # Errors
    ///
    /// As [`KernelList::begin`].
    pub fn end(self, found: &Found) -> io::Result<u64> {
        self.document.map_or(Ok(()), |document| document.end(self.out, found))?;
        if self.form.lists == Lists::Html {
            let end = page_end(&self.registers, self.written);
            self.out.write_all(end.as_bytes())?;
        }
        self.out.flush()?;
        Ok(self.written)
    }
}

/// Rows that one core draws at once, and rows drawn before they are written.
const ROWS_AT_ONCE: usize = 256;
const ROWS_HELD: usize = 64 * ROWS_AT_ONCE;

impl KernelSink for KernelList<'_> {
    fn rows(&mut self, mut rows: Vec<KernelRow>) -> io::Result<()> {
        if self.form.lists == Lists::Text && self.written == 0 && !rows.is_empty() {
            self.out.write_all(self.form.header().as_bytes())?;
        }
        let before = usize::try_from(self.written).unwrap_or(usize::MAX);
        self.written += rows.len() as u64;
        let form = self.form;
        if form.lists == Lists::Html {
            for registers in rows.iter().filter_map(|row| row.kernel.vgprs()) {
                *self.registers.entry(registers.div_ceil(REGISTERS_OF_A_BAR)).or_default() += 1;
            }
            rows.truncate(ROWS_OF_A_PAGE.saturating_sub(before));
        }
        let draw = |rows: &[KernelRow]| {
            let mut lines = Vec::new();
            for of_one in rows.chunk_by(|a, b| Arc::ptr_eq(&a.place, &b.place)) {
                let Some(first) = of_one.first() else { continue };
                let place = PlaceText::from_place(&first.place);
                of_one.iter().for_each(|row| form.draw(&mut lines, row, &place));
            }
            lines
        };
        for held in rows.chunks(ROWS_HELD) {
            let drawn: Vec<Vec<u8>> = held.par_chunks(ROWS_AT_ONCE).map(draw).collect();
            for lines in drawn {
                match &mut self.document {
                    Some(document) => document.lines(self.out, &lines)?,
                    None => self.out.write_all(&lines)?,
                }
            }
        }
        Ok(())
    }
}

/// Passes rows to several sinks.
pub struct Several<'s>(pub Vec<&'s mut dyn KernelSink>);

impl KernelSink for Several<'_> {
    fn rows(&mut self, rows: Vec<KernelRow>) -> io::Result<()> {
        if let Some((last, others)) = self.0.split_last_mut() {
            others.iter_mut().try_for_each(|sink| sink.rows(rows.clone()))?;
            last.rows(rows)?;
        }
        Ok(())
    }
}

/// Text columns of CSV before the numbers, and those after them if code was decoded.
const CSV_TEXTS: [&str; 8] = ["path", "uri", "bundle", "id", "target_id", "name", "demangled", "symbol"];
const CSV_OF_CODE: [&str; 2] = ["body", "classes"];

/// Most rows on a page: a longer page is slow to open.
const ROWS_OF_A_PAGE: usize = 8_000;

/// Number of vector register counts in one bar of the figure.
const REGISTERS_OF_A_BAR: u64 = 16;

/// Ends the table, and draws how many kernels use how many registers.
fn page_end(registers: &KeyMap<u64, u64>, written: u64) -> String {
    let mut page = String::from("</tbody></table></div>\n");
    let most = ROWS_OF_A_PAGE as u64;
    if written > most {
        page.push_str(&format!(
            "<p>The first {} of {} kernels; -f csv and -f jsonl have all of them.</p>\n",
            thousands(most),
            thousands(written)
        ));
    }
    let name = |bar: u64| match bar {
        0 => "none".to_owned(),
        bar => format!("{} to {}", (bar - 1) * REGISTERS_OF_A_BAR + 1, bar * REGISTERS_OF_A_BAR),
    };
    let last = registers.keys().next_back().copied().unwrap_or(0).min(LAST_BAR);
    let beyond: u64 = registers.iter().filter(|(bar, _)| **bar > LAST_BAR).map(|(_, count)| count).sum();
    let mut rows: Vec<Bar> = (0..=last)
        .map(|bar| Bar { name: name(bar), value: registers.get(&bar).copied().unwrap_or(0), chosen: false })
        .collect();
    if beyond > 0 {
        rows.push(Bar { name: "more".to_owned(), value: beyond, chosen: false });
    }
    if !registers.is_empty() {
        let title = "Kernels by their vector registers".to_owned();
        page.push_str(&html::bars(&Bars { title, rows }));
    }
    page.push_str(&html::foot());
    page
}

/// The bar for 512 registers, the largest possible number.
const LAST_BAR: u64 = 512 / REGISTERS_OF_A_BAR;

/// Reads one numeric column from a row.
type Number = fn(&KernelRow) -> Option<u64>;

/// The column of accumulation registers.
const ACCUMULATION: &str = "AGPR";

/// The numeric columns of the kernel table: title, width in characters, value.
const NUMBERS: [(&str, usize, Number); 11] = [
    ("SGPR", 4, |row| row.kernel.sgprs()),
    ("VGPR", 4, |row| row.kernel.vgprs()),
    (ACCUMULATION, 4, |row| row.kernel.agprs()),
    ("Sspill", 6, |row| row.kernel.sgpr_spills()),
    ("Vspill", 6, |row| row.kernel.vgpr_spills()),
    ("LDS", 6, |row| row.kernel.lds()),
    ("scratch", 7, |row| row.kernel.scratch()),
    ("kernarg", 7, |row| row.kernel.kernarg()),
    ("wave", 4, |row| row.kernel.wavefront()),
    ("group", 5, |row| row.kernel.max_workgroup()),
    ("occ", 3, occupancy),
];

/// Columns shown if machine code was decoded: its bytes, the number of instructions, and the kind of body.
const OF_CODE: [(&str, usize, Number); 2] = [
    ("bytes", 7, |row| row.kernel.code().map(|code| code.bytes())),
    ("instr", 7, |row| row.kernel.code().map(|code| code.instructions())),
];
const BODY: (&str, usize) = ("body", 9);

fn occupancy(row: &KernelRow) -> Option<u64> {
    let held = crate::inventory::kernel_row::occupancy(&row.kernel, &row.place.target)?;
    Some(u64::from(held.waves()))
}

const TARGET_WIDTH: usize = 14;

impl KernelRowForm<'_> {
    fn numbers(self) -> impl Iterator<Item = (&'static str, usize, Number)> {
        NUMBERS.into_iter().chain(self.decoded.then_some(OF_CODE).into_iter().flatten())
    }

    /// The text before the first kernel.
    fn header(self) -> String {
        match self.lists {
            Lists::Json | Lists::JsonLines | Lists::Nothing => String::new(),
            Lists::Csv => {
                let code = CSV_OF_CODE.iter().filter(|_| self.decoded);
                let mut line = Vec::new();
                let columns = CSV_TEXTS.iter().chain(self.csv_numbers().map(|f| &f.name)).chain(code);
                csv::line(&mut line, columns.map(|column| Cow::Borrowed(*column)));
                String::from_utf8_lossy(&line).into_owned()
            }
            Lists::Html => {
                let mut page = html::head("Kernels");
                page.push_str("<header><h1>Kernels</h1></header>\n<div class=\"wide\"><table class=\"kernels\">\n<thead><tr><th scope=\"col\">target</th>");
                for (title, ..) in self.numbers() {
                    page.push_str(&format!("<th scope=\"col\" class=\"r\">{title}</th>"));
                }
                page.push_str(if self.decoded { "<th scope=\"col\">body</th>" } else { "" });
                page.push_str("<th scope=\"col\">kernel</th></tr></thead>\n<tbody>\n");
                page
            }
            Lists::Markdown => {
                let titles: Vec<_> = self.numbers().map(|(title, ..)| title).collect();
                let (body, rule) = if self.decoded { (" body |", " --- |") } else { ("", "") };
                format!(
                    "| target | {} |{body} kernel |\n| --- |{}{rule} --- |\n",
                    titles.join(" | "),
                    " ---: |".repeat(titles.len())
                )
            }
            Lists::Text => {
                let mut line = format!(" {:<TARGET_WIDTH$}", "target");
                for (title, width, _) in self.numbers() {
                    line.push_str(&format!(" {title:>width$}"));
                }
                if self.decoded {
                    line.push_str(&format!("  {:<width$}", BODY.0, width = BODY.1));
                }
                let rule = self.style.pick("─", "-").repeat(usize::from(self.style.width).min(100));
                format!("{line}  kernel\n{rule}\n")
            }
        }
    }

    fn draw(self, out: &mut Vec<u8>, row: &KernelRow, place: &PlaceText) {
        match self.lists {
            Lists::Json | Lists::JsonLines => {
                if let Ok(line) = super::json::compact(&kernel_line(row, place)) {
                    out.extend_from_slice(line.as_bytes());
                    out.push(b'\n');
                }
            }
            Lists::Nothing => {}
            Lists::Csv => self.csv_row(out, row, place),
            Lists::Html => out.extend_from_slice(self.page_row(row, place).as_bytes()),
            Lists::Markdown => out.extend_from_slice(self.markdown_row(row, place).as_bytes()),
            Lists::Text => out.extend_from_slice(self.table_row(row, place).as_bytes()),
        }
    }

    /// A row for a terminal. The name comes last and is never cut.
    fn table_row(self, row: &KernelRow, place: &PlaceText) -> String {
        let mut line = format!(" {:<TARGET_WIDTH$}", place.target_id);
        for (title, width, value) in self.numbers() {
            // Zero is printed as 0, because these lines are also made for awk.
            let none = if title == ACCUMULATION && !place.has_agprs { "0" } else { "?" };
            let text = value(row).map_or_else(|| none.to_owned(), |n| n.to_string());
            line.push_str(&format!(" {text:>width$}"));
        }
        if self.decoded {
            line.push_str(&format!("  {:<width$}", body(&row.kernel), width = BODY.1));
        }
        line.push_str("  ");
        let name = shown_name(row);
        line.push_str(if self.style.full { &name } else { short_name(&name) });
        line.push('\n');
        line
    }

    /// The numbers stated for all kernels, plus those of decoded ones.
    fn csv_numbers(self) -> impl Iterator<Item = &'static KernelField> {
        // The sum of two columns needs no column of its own.
        KERNEL_FIELDS.iter().filter(move |field| field.name != "spills" && (self.decoded || !field.of_code))
    }

    fn csv_row(self, out: &mut Vec<u8>, row: &KernelRow, place: &PlaceText) {
        let KernelRow { place: at, kernel, demangled } = row;
        let bundle = at.bundle.to_string();
        let texts: [&str; CSV_TEXTS.len()] = [
            &at.shown,
            &place.uri,
            &bundle,
            at.id.as_deref().unwrap_or_default(),
            &place.target_id,
            kernel.name(),
            demangled.as_deref().unwrap_or_default(),
            kernel.symbol(),
        ];
        let number = |field: &KernelField| {
            Cow::Owned(
                (field.value)(kernel, &at.target).map_or_else(String::new, |number| number.to_string()),
            )
        };
        let code = match kernel.code() {
            Some(code) => {
                let classes: Vec<&str> = class::ids(code.classes()).collect();
                [Cow::Borrowed(code.body().name()), Cow::Owned(classes.join(" "))]
            }
            None => [Cow::Borrowed(""), Cow::Borrowed("")],
        };
        let code = code.into_iter().filter(|_| self.decoded);
        let cells = texts.into_iter().map(Cow::Borrowed).chain(self.csv_numbers().map(number));
        csv::line(out, cells.chain(code));
    }

    fn page_row(self, row: &KernelRow, place: &PlaceText) -> String {
        let mut line = format!("<tr><td>{}</td>", html::escape(&printable(&place.target_id)));
        for (_, _, value) in self.numbers() {
            let text = value(row).map_or_else(String::new, |number| number.to_string());
            line.push_str(&html::data(&text, Tone::Plain, false));
        }
        if self.decoded {
            line.push_str(&html::data(body(&row.kernel), Tone::Plain, false));
        }
        line.push_str(&html::data(&html::escape(short_name(&shown_name(row))), Tone::Plain, false));
        line.push_str("</tr>\n");
        line
    }

    fn markdown_row(self, row: &KernelRow, place: &PlaceText) -> String {
        let mut cells: Vec<_> =
            self.numbers().map(|(_, _, value)| value(row).map_or(String::new(), |n| n.to_string())).collect();
        cells.extend(self.decoded.then(|| body(&row.kernel).to_owned()));
        let name = markdown::code(&shown_name(row));
        format!("| {} | {} | {name} |\n", markdown::escape(&place.target_id), cells.join(" | "))
    }
}

fn body(kernel: &Kernel<'_>) -> &'static str {
    kernel.code().map_or("?", |code| code.body().name())
}

fn shown_name(row: &KernelRow) -> String {
    printable(row.demangled.as_deref().unwrap_or(row.kernel.name())).into_owned()
}

/// A name without parameters and return type (kernels return nothing), so that a kernel fits on one line.
/// Overloads of kernels differ in their template arguments.
fn short_name(name: &str) -> &str {
    let name = name.strip_prefix("void ").unwrap_or(name);
    let Some(inner) = name.strip_suffix(')') else { return name };
    let mut depth = 1usize;
    for (at, c) in inner.char_indices().rev() {
        match c {
            ')' => depth += 1,
            '(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return if at == 0 { name } else { name.get(..at).unwrap_or(name) };
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shown_without_parameters() {
        for (name, short) in [
            ("void f<(ggml_type)2, 4>(int, float (*)(int))", "f<(ggml_type)2, 4>"),
            ("(anonymous namespace)::g(int)", "(anonymous namespace)::g"),
            ("Cijk_Ailk", "Cijk_Ailk"),
            ("void x)(y)", "x)"),
            ("(a)", "(a)"),
        ] {
            assert_eq!(short_name(name), short);
        }
    }
}
