//! The layers of a container image as a table: the command that made each, its size, and how much of it is
//! missing from the running image.

use super::block::{Block, Column, Table, TableCell};
use super::style::{Style, Tone};
use crate::finding::evidence::Evidence;
use crate::report::v1::{ImageLayer, Report};
use std::collections::BTreeSet;

/// Longest command in the table, in characters.
const COMMAND_CHARS: usize = 48;

pub(super) fn blocks(report: &Report, style: &Style) -> Vec<Block> {
    let layers: Vec<&ImageLayer> = report.packages.iter().flat_map(|package| &package.layers).collect();
    if layers.is_empty() {
        return Vec::new();
    }
    let mut table = Table::new([
        Column::left("layer"),
        Column::left("made by"),
        Column::right("files"),
        Column::right("unpacked"),
        Column::right("deleted later"),
        Column::right("replaced later"),
    ]);
    let mut lost = 0;
    for layer in &layers {
        let digest: String = layer.digest.trim_start_matches("sha256:").chars().take(12).collect();
        let image = layer.image.as_deref().map(|image| format!("{image} ")).unwrap_or_default();
        let command = layer.command.as_deref().unwrap_or("not said");
        let short: String = command.chars().take(COMMAND_CHARS).collect();
        let more = if short.len() < command.len() { "…" } else { "" };
        let bytes =
            |count: u64| if count == 0 { TableCell::new("") } else { TableCell::new(style.size(count)) };
        table.row([
            TableCell::new(format!("{image}{} {digest}", layer.number)),
            TableCell::new(format!("{short}{more}")),
            TableCell::new(style.number(layer.files.count)),
            TableCell::new(style.size(layer.files.bytes)),
            bytes(layer.deleted.bytes),
            bytes(layer.replaced.bytes),
        ]);
        lost += layer.deleted.bytes + layer.replaced.bytes;
    }
    // Layers name their image if there are several.
    let images: BTreeSet<&str> = layers.iter().filter_map(|layer| layer.image.as_deref()).collect();
    let (heading, all) = match images.len() {
        0 | 1 => (
            "Layers of the image, the lowest first",
            "What is said above is of the image that runs: all layers laid over each other.".to_owned(),
        ),
        count => (
            "Layers of the images, the lowest of each first",
            format!(
                "What is said above is of {count} images together, each with its layers laid over each other. --exclude '{}/**' leaves one out.",
                images.first().unwrap_or(&"NAME")
            ),
        ),
    };
    let mut blocks = vec![Block::known(heading, Evidence::Observed), Block::Table(table)];
    let text = match lost {
        0 => all,
        _ => format!(
            "{all} Of the layers' files, {} as they are unpacked are not in it; the layers have them all the same when they are \
             stored and pulled. A build in fewer steps leaves them out.",
            style.size(lost)
        ),
    };
    blocks.extend([Block::Space, Block::Text(Tone::Dim, text)]);
    blocks
}
