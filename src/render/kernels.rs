//! The kernel inventory: one JSON object a line, written while scanning so that its length does not matter.

use super::Format;
use super::style::{Style, printable};
use crate::codeobject::{Kernel, demangle};
use crate::report::v1::KernelLine;
use crate::scan::device_code::Place;
use regex::Regex;

/// Appends the line of one kernel to `out`, if its name or its demangled name matches.
pub fn line(out: &mut Vec<u8>, place: &Place<'_>, kernel: &Kernel<'_>, pattern: Option<&Regex>) {
    let demangled = demangle(&kernel.name);
    let wanted =
        pattern.is_none_or(|p| p.is_match(&kernel.name) || demangled.as_ref().is_some_and(|d| p.is_match(d)));
    if !wanted {
        return;
    }
    let line = KernelLine {
        kind: "kernel",
        path: place.shown,
        uri: place.locator.to_string(),
        bundle: place.bundle,
        id: place.id,
        target_id: place.target.to_string(),
        name: &kernel.name,
        demangled,
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
        body: kernel.code.map(|code| code.body.name()),
    };
    if serde_json::to_writer(&mut *out, &line).is_ok() {
        out.push(b'\n');
    }
}

/// Reads one numeric column from a kernel.
type Number = fn(&Kernel<'_>) -> Option<u64>;

/// The numeric columns of the kernel table: title, width in characters, value.
const NUMBERS: [(&str, usize, Number); 10] = [
    ("SGPR", 4, |k| k.sgprs),
    ("VGPR", 4, |k| k.vgprs),
    ("AGPR", 4, |k| k.agprs),
    ("Sspill", 6, |k| k.sgpr_spills),
    ("Vspill", 6, |k| k.vgpr_spills),
    ("LDS", 6, |k| k.lds),
    ("scratch", 7, |k| k.scratch),
    ("kernarg", 7, |k| k.kernarg),
    ("wave", 4, |k| k.wavefront),
    ("group", 5, |k| k.max_workgroup),
];

/// Columns that are there where machine code was decoded: its instructions, and what its body is.
const INSTRUCTIONS: (&str, usize, Number) = ("instr", 7, |k| k.code.map(|code| code.instructions));
const BODY: (&str, usize) = ("body", 9);

fn numbers(decoded: bool) -> impl Iterator<Item = (&'static str, usize, Number)> {
    NUMBERS.into_iter().chain(decoded.then_some(INSTRUCTIONS))
}

fn body(kernel: &Kernel<'_>) -> &'static str {
    kernel.code.map_or("?", |code| code.body.name())
}

/// What stands before the first kernel. `decoded` says whether machine code was.
pub fn header(format: Format, decoded: bool, style: &Style) -> String {
    match format {
        Format::Json | Format::Jsonl => String::new(),
        Format::Md => {
            let titles: Vec<_> = numbers(decoded).map(|(title, ..)| title).collect();
            let (body, rule) = if decoded { (" body |", " --- |") } else { ("", "") };
            format!(
                "| target | {} |{body} kernel |\n| --- |{}{rule} --- |\n",
                titles.join(" | "),
                " ---: |".repeat(titles.len())
            )
        }
        Format::Table => {
            let mut line = format!(" {:<TARGET_WIDTH$}", "target");
            for (title, width, _) in numbers(decoded) {
                line.push_str(&format!(" {title:>width$}"));
            }
            if decoded {
                line.push_str(&format!("  {:<width$}", BODY.0, width = BODY.1));
            }
            let rule = style.pick("─", "-").repeat(usize::from(style.width).min(100));
            format!("{line}  kernel\n{rule}\n")
        }
    }
}

const TARGET_WIDTH: usize = 14;

/// Appends the row of one kernel as a terminal shows it. The name comes last and is never cut.
pub fn row(
    out: &mut Vec<u8>,
    place: &Place<'_>,
    kernel: &Kernel<'_>,
    pattern: Option<&Regex>,
    (decoded, style): (bool, &Style),
) {
    let Some(name) = shown_name(kernel, pattern) else { return };
    let mut line = format!(" {:<TARGET_WIDTH$}", place.target.to_string());
    for (_, width, value) in numbers(decoded) {
        let text = value(kernel)
            .map_or_else(|| "?".to_owned(), |n| if n == 0 { style.none().into() } else { n.to_string() });
        line.push_str(&format!(" {text:>width$}"));
    }
    if decoded {
        line.push_str(&format!("  {:<width$}", body(kernel), width = BODY.1));
    }
    line.push_str("  ");
    line.push_str(&name);
    line.push('\n');
    out.extend_from_slice(line.as_bytes());
}

/// Appends the row of one kernel as Markdown.
pub fn markdown_row(
    out: &mut Vec<u8>,
    place: &Place<'_>,
    kernel: &Kernel<'_>,
    pattern: Option<&Regex>,
    decoded: bool,
) {
    let Some(name) = shown_name(kernel, pattern) else { return };
    let mut cells: Vec<_> = numbers(decoded)
        .map(|(_, _, value)| value(kernel).map_or(String::new(), |n| n.to_string()))
        .collect();
    cells.extend(decoded.then(|| body(kernel).to_owned()));
    let name = name.replace('`', "'").replace('|', "\\|");
    out.extend_from_slice(format!("| {} | {} | `{name}` |\n", place.target, cells.join(" | ")).as_bytes());
}

/// The demangled name, if the kernel is wanted.
fn shown_name(kernel: &Kernel<'_>, pattern: Option<&Regex>) -> Option<String> {
    let demangled = demangle(&kernel.name);
    let wanted =
        pattern.is_none_or(|p| p.is_match(&kernel.name) || demangled.as_ref().is_some_and(|d| p.is_match(d)));
    wanted.then(|| printable(demangled.as_deref().unwrap_or(&kernel.name)).into_owned())
}
