//! Caches of what was compiled or measured at run time, as a table.

use super::block::{Block, Column, ListLine, Table, TableCell};
use super::style::{Style, Tone};
use crate::finding::evidence::Evidence;
use crate::report::v1::Report;

/// The caches, and the user's cache places that were searched; empty without either.
pub(super) fn blocks(report: &Report, style: &Style) -> Vec<Block> {
    if report.caches.is_empty() && report.user_places.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![Block::known("Compiled or measured at run time, and kept", Evidence::Observed)];
    if report.caches.is_empty() {
        blocks.push(Block::Text(Tone::Plain, "Nothing is in the caches.".into()));
    } else {
        let mut table = Table::new([
            Column::left("cache"),
            Column::left("written by"),
            Column::right("entries"),
            Column::right("bytes"),
            Column::left("targets"),
        ]);
        for cache in &report.caches {
            let targets: Vec<String> = cache
                .targets
                .iter()
                .map(|(target, count)| format!("{target} {}", style.number(*count)))
                .collect();
            table.row([
                TableCell::new(cache.of.clone()),
                TableCell::new(cache.version.as_deref().unwrap_or("not said")),
                TableCell::new(style.number(cache.entries)),
                TableCell::new(style.size(cache.bytes)),
                TableCell::new(targets.join(", ")),
            ]);
        }
        blocks.push(Block::Table(table));
    }
    let mut items = Vec::new();
    for cache in &report.caches {
        let name = [Some(cache.of.as_str()), cache.version.as_deref()]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" ");
        if let Some(installed) = &cache.stale_for {
            let text =
                format!("{installed} is installed beside it and does not take these entries [inferred]");
            items.push(ListLine { tone: Tone::Partial, label: name.clone(), text });
        }
        if let Some(first) = cache.broken.first() {
            let text = match cache.broken.len() as u64 - 1 {
                0 => first.what.clone(),
                more => format!("{}, and {} more are broken", first.what, style.number(more)),
            };
            items.push(ListLine { tone: Tone::Partial, label: name, text });
        }
    }
    for place in &report.user_places {
        let by = place.variable.as_ref().map(|variable| format!(", by {variable}")).unwrap_or_default();
        let is = if place.is_there { "read" } else { "not there" };
        items.push(ListLine {
            tone: Tone::Dim,
            label: place.of.clone(),
            text: format!("{} ({is}{by})", place.path),
        });
    }
    if !items.is_empty() {
        blocks.extend([Block::Space, Block::Items(items)]);
    }
    blocks
}
