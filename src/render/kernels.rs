//! The kernel inventory: a row for each kernel, written as rows come, so that its length does not matter.

use super::document::Document;
use super::style::{Style, printable};
use super::{Format, Lists, markdown};
use crate::codeobject::Kernel;
use crate::inventory::kernel_row::{KernelPlace, KernelRow};
use crate::isa::class;
use crate::isa::processor::Isa;
use crate::report::body_state;
use crate::report::v1::document::{self, Header};
use crate::report::v1::{KernelLine, KernelsReport};
use crate::scan::kernel_sink::KernelSink;
use rayon::prelude::*;
use std::io::{self, Write};
use std::sync::Arc;

/// A list of kernels that is written: JSON Lines, one JSON document, a table for a terminal, or one in Markdown.
pub struct KernelList<'a> {
    out: &'a mut dyn Write,
    form: Form<'a>,
    document: Option<Document>,
    written: u64,
}

/// How rows are drawn.
#[derive(Clone, Copy)]
struct Form<'a> {
    lists: Lists,
    /// Whether machine code was decoded.
    decoded: bool,
    style: &'a Style,
}

impl<'a> KernelList<'a> {
    /// Begins a list. `decoded` says whether machine code was decoded.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn begin(
        out: &'a mut dyn Write,
        format: Format,
        decoded: bool,
        style: &'a Style,
    ) -> io::Result<Self> {
        let lists = format.lists();
        let form = Form { lists, decoded, style };
        out.write_all(form.header().as_bytes())?;
        let empty = || KernelsReport { header: Header::of(document::KERNELS), kernels: Vec::new() };
        let document = match lists {
            Lists::Json => Some(Document::begin(out, &empty())?),
            Lists::Text | Lists::Markdown | Lists::JsonLines | Lists::Nothing => None,
        };
        Ok(KernelList { out, form, document, written: 0 })
    }

    /// Ends the list, and says how many kernels were written.
    ///
    /// # Errors
    /// As [`KernelList::begin`].
    pub fn end(self) -> io::Result<u64> {
        self.document.map_or(Ok(()), |document| document.end(self.out))?;
        self.out.flush()?;
        Ok(self.written)
    }
}

/// Rows that one core draws at once, and rows that are drawn before they are written.
const ROWS_AT_ONCE: usize = 256;
const ROWS_HELD: usize = 64 * ROWS_AT_ONCE;

impl KernelSink for KernelList<'_> {
    fn rows(&mut self, rows: Vec<KernelRow>) -> io::Result<()> {
        self.written += rows.len() as u64;
        let form = self.form;
        let draw = |rows: &[KernelRow]| {
            let mut lines = Vec::new();
            for of_one in rows.chunk_by(|a, b| Arc::ptr_eq(&a.place, &b.place)) {
                let Some(first) = of_one.first() else { continue };
                let place = PlaceText::of(&first.place);
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

/// Hands rows to several sinks.
pub struct Several<'a>(pub Vec<KernelList<'a>>);

impl KernelSink for Several<'_> {
    fn rows(&mut self, rows: Vec<KernelRow>) -> io::Result<()> {
        if let Some((last, others)) = self.0.split_last_mut() {
            others.iter_mut().try_for_each(|sink| sink.rows(rows.clone()))?;
            last.rows(rows)?;
        }
        Ok(())
    }
}

/// What all kernels of one code object show of it.
struct PlaceText {
    uri: String,
    target_id: String,
    /// Whether the processor has accumulation registers: those that have none say nothing of them.
    has_agprs: bool,
}

impl PlaceText {
    fn of(place: &KernelPlace) -> Self {
        let isa = Isa::by_name(&place.target.processor);
        PlaceText {
            uri: place.locator.to_string(),
            target_id: place.target.to_string(),
            has_agprs: isa.is_none_or(|isa| isa.features.contains(&"mai-insts")),
        }
    }
}

fn json_line<'a>(row: &'a KernelRow, text: &'a PlaceText) -> KernelLine<'a> {
    let KernelRow { place, kernel, demangled } = row;
    KernelLine {
        kind: "kernel",
        path: &place.shown,
        uri: &text.uri,
        bundle: place.bundle,
        id: place.id.as_deref(),
        target_id: &text.target_id,
        name: &kernel.name,
        demangled: demangled.as_deref(),
        symbol: &kernel.symbol,
        sgprs: kernel.sgprs,
        vgprs: kernel.vgprs,
        agprs: kernel.agprs,
        sgpr_spills: kernel.sgpr_spills,
        vgpr_spills: kernel.vgpr_spills,
        lds: kernel.lds,
        scratch: kernel.scratch,
        kernarg: kernel.kernarg,
        wavefront: kernel.wavefront,
        max_workgroup: kernel.max_workgroup,
        instructions: kernel.code.map(|code| code.instructions),
        code_bytes: kernel.code.map(|code| code.bytes),
        body: kernel.code.map(|code| body_state(code.body)),
        classes: kernel.code.map(|code| class::ids(code.classes).collect()),
    }
}

/// Reads one numeric column from a kernel.
type Number = fn(&Kernel<'_>) -> Option<u64>;

/// The column of accumulation registers.
const ACCUMULATION: &str = "AGPR";

/// The numeric columns of the kernel table: title, width in characters, value.
const NUMBERS: [(&str, usize, Number); 10] = [
    ("SGPR", 4, |k| k.sgprs),
    ("VGPR", 4, |k| k.vgprs),
    (ACCUMULATION, 4, |k| k.agprs),
    ("Sspill", 6, |k| k.sgpr_spills),
    ("Vspill", 6, |k| k.vgpr_spills),
    ("LDS", 6, |k| k.lds),
    ("scratch", 7, |k| k.scratch),
    ("kernarg", 7, |k| k.kernarg),
    ("wave", 4, |k| k.wavefront),
    ("group", 5, |k| k.max_workgroup),
];

/// Columns that there are where machine code was decoded: its instructions, and what its body is.
const INSTRUCTIONS: (&str, usize, Number) = ("instr", 7, |k| k.code.map(|code| code.instructions));
const BODY: (&str, usize) = ("body", 9);

const TARGET_WIDTH: usize = 14;

impl Form<'_> {
    fn numbers(self) -> impl Iterator<Item = (&'static str, usize, Number)> {
        NUMBERS.into_iter().chain(self.decoded.then_some(INSTRUCTIONS))
    }

    /// What stands before the first kernel.
    fn header(self) -> String {
        match self.lists {
            Lists::Json | Lists::JsonLines | Lists::Nothing => String::new(),
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
                if let Ok(line) = super::json::compact(&json_line(row, place)) {
                    out.extend_from_slice(line.as_bytes());
                    out.push(b'\n');
                }
            }
            Lists::Nothing => {}
            Lists::Markdown => out.extend_from_slice(self.markdown_row(row, place).as_bytes()),
            Lists::Text => out.extend_from_slice(self.table_row(row, place).as_bytes()),
        }
    }

    /// A row as a terminal shows it. The name comes last and is never cut.
    fn table_row(self, row: &KernelRow, place: &PlaceText) -> String {
        let mut line = format!(" {:<TARGET_WIDTH$}", place.target_id);
        for (title, width, value) in self.numbers() {
            // Zero is printed as that: these lines are made for awk, too.
            let none = if title == ACCUMULATION && !place.has_agprs { "0" } else { "?" };
            let text = value(&row.kernel).map_or_else(|| none.to_owned(), |n| n.to_string());
            line.push_str(&format!(" {text:>width$}"));
        }
        if self.decoded {
            line.push_str(&format!("  {:<width$}", body(&row.kernel), width = BODY.1));
        }
        line.push_str("  ");
        line.push_str(&shown_name(row));
        line.push('\n');
        line
    }

    fn markdown_row(self, row: &KernelRow, place: &PlaceText) -> String {
        let mut cells: Vec<_> = self
            .numbers()
            .map(|(_, _, value)| value(&row.kernel).map_or(String::new(), |n| n.to_string()))
            .collect();
        cells.extend(self.decoded.then(|| body(&row.kernel).to_owned()));
        let name = markdown::code(&shown_name(row));
        format!("| {} | {} | {name} |\n", markdown::escape(&place.target_id), cells.join(" | "))
    }
}

fn body(kernel: &Kernel<'_>) -> &'static str {
    kernel.code.map_or("?", |code| code.body.name())
}

fn shown_name(row: &KernelRow) -> String {
    printable(row.demangled.as_deref().unwrap_or(&row.kernel.name)).into_owned()
}
