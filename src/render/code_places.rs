//! What lies at places of device code, in blocks.

use super::block::{Block, ListLine};
use super::documents::{Document, Draw, Judged};
use super::style::{Style, Tone};
use super::{Drawn, Format, drawn, findings};
use crate::report::v1::{CodePlace, CodePlacesReport, SourceFrame};

impl Document for CodePlacesReport {
    fn judged(&self) -> Judged<'_> {
        Judged::from_found(&self.found).naming(self.places.iter().map(|place| &place.file))
    }
}

impl Draw for CodePlacesReport {
    fn draw(&self, format: Format, style: &Style) -> Drawn<'_> {
        let draw = |style: &Style| -> Vec<Block> {
            let places = self.places.iter().flat_map(|place| blocks(place, style));
            places.chain(findings::section(&self.found.findings, "", style)).collect()
        };
        drawn(self, format, style, &draw)
    }
}

/// One place: its kernel, its instruction with those around it, its line.
pub(super) fn blocks(place: &CodePlace, style: &Style) -> Vec<Block> {
    let item = |label: &str, text: String| ListLine { tone: Tone::Plain, label: label.to_owned(), text };
    let title = if place.file.is_empty() {
        place.asked.clone()
    } else {
        format!("{} at {}", place.file, place.asked)
    };
    let mut blocks = vec![Block::Title(title, place.what.clone())];
    let mut items = Vec::new();
    if let Some(name) = place.demangled.as_ref().or(place.function.as_ref()) {
        let offset = place.offset.map_or_else(String::new, |offset| format!(" +{offset:#x}"));
        items.push(item("kernel", format!("{name}{offset}")));
    }
    items.extend(place.target_id.iter().map(|target| item("target", target.clone())));
    if let Some(address) = place.address {
        items.push(item("address", format!("{address:#x} in the code object")));
    }
    items.extend(place.uri.iter().map(|uri| item("object", uri.clone())));
    items.extend(
        place
            .source
            .iter()
            .enumerate()
            .map(|(number, frame)| item(if number == 0 { "source" } else { "inlined at" }, source(frame))),
    );
    if place.source.is_empty() && !place.instructions.is_empty() {
        items.push(ListLine {
            tone: Tone::Dim,
            ..item("source", "no line is known: the code object has no debug information about it".to_owned())
        });
    }
    if !items.is_empty() {
        blocks.extend([Block::Space, Block::Items(items)]);
    }
    if !place.instructions.is_empty() {
        let lines = place.instructions.iter().map(|one| {
            let mark = if one.is_here { style.pick("→", ">") } else { " " };
            let text = one.text.as_deref().unwrap_or("no instruction");
            let line = one.line.as_ref().map_or_else(String::new, |line| format!("  ; {line}"));
            let offset = format!("+{:#x}", one.offset);
            format!("{mark} {offset:>8}  {text:<44}{line}").trim_end().to_owned()
        });
        blocks.extend([Block::Space, Block::Lines(lines.collect())]);
    }
    blocks
}

/// `fastdiv at /src/common.cuh:943:25`.
fn source(frame: &SourceFrame) -> String {
    let file = frame.file.as_deref().unwrap_or("a file that is not known");
    let line = match (frame.line, frame.column) {
        (0, _) => " (code of the compiler's own)".to_owned(),
        (line, 0) => format!(":{line}"),
        (line, column) => format!(":{line}:{column}"),
    };
    match frame.readable() {
        Some(name) => format!("{file}{line}  {name}"),
        None => format!("{file}{line}"),
    }
}
