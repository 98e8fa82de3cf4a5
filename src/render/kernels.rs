//! The kernel inventory: one JSON object a line, written while scanning so that its length does not matter.

use super::Format;
use super::style::{Style, printable};
use crate::codeobject::{Kernel, demangle};
use crate::report::v1::KernelLine;
use crate::scan::code_objects::Place;
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
    };
    if serde_json::to_writer(&mut *out, &line).is_ok() {
        out.push(b'\n');
    }
}

/// The columns of the kernel table: title, width, value.
type Number = fn(&Kernel<'_>) -> Option<u64>;
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

/// What stands before the first kernel.
pub fn header(format: Format, style: &Style) -> String {
    match format {
        Format::Json | Format::Jsonl => String::new(),
        Format::Md => {
            let titles: Vec<_> = NUMBERS.iter().map(|(title, ..)| *title).collect();
            format!(
                "| target | {} | kernel |\n| --- |{} --- |\n",
                titles.join(" | "),
                " ---: |".repeat(NUMBERS.len())
            )
        }
        Format::Table => {
            let mut line = format!(" {:<TARGET_WIDTH$}", "target");
            for (title, width, _) in NUMBERS {
                line.push_str(&format!(" {title:>width$}"));
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
    style: &Style,
) {
    let Some(name) = shown_name(kernel, pattern) else { return };
    let mut line = format!(" {:<TARGET_WIDTH$}", place.target.to_string());
    for (_, width, value) in NUMBERS {
        let text = value(kernel)
            .map_or_else(|| "?".to_owned(), |n| if n == 0 { style.none().into() } else { n.to_string() });
        line.push_str(&format!(" {text:>width$}"));
    }
    line.push_str("  ");
    line.push_str(&name);
    line.push('\n');
    out.extend_from_slice(line.as_bytes());
}

/// Appends the row of one kernel as Markdown.
pub fn markdown_row(out: &mut Vec<u8>, place: &Place<'_>, kernel: &Kernel<'_>, pattern: Option<&Regex>) {
    let Some(name) = shown_name(kernel, pattern) else { return };
    let numbers: Vec<_> =
        NUMBERS.iter().map(|(_, _, value)| value(kernel).map_or(String::new(), |n| n.to_string())).collect();
    let name = name.replace('`', "'").replace('|', "\\|");
    out.extend_from_slice(format!("| {} | {} | `{name}` |\n", place.target, numbers.join(" | ")).as_bytes());
}

/// The demangled name, if the kernel is wanted.
fn shown_name(kernel: &Kernel<'_>, pattern: Option<&Regex>) -> Option<String> {
    let demangled = demangle(&kernel.name);
    let wanted =
        pattern.is_none_or(|p| p.is_match(&kernel.name) || demangled.as_ref().is_some_and(|d| p.is_match(d)));
    wanted.then(|| printable(demangled.as_deref().unwrap_or(&kernel.name)).into_owned())
}
