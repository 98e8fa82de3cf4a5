//! What changed in the instructions that code is made of.

use super::first;
use crate::render::block::{Block, Column, Table, TableCell};
use crate::render::style::{Style, Tone};
use crate::report::v1::{Evidence, InstructionMixChange, InstructionMixSide, MixChange};

pub(super) fn blocks(changes: &[InstructionMixChange], style: &Style) -> Vec<Block> {
    let mut blocks = totals(changes, style);
    for of in changes.iter().filter(|of| !of.mnemonics.is_empty()) {
        for (what, rows) in [("class", &of.classes), ("mnemonic", &of.mnemonics)] {
            blocks.extend(rows_of(&of.processor, what, rows, style));
        }
    }
    let same: Vec<&str> = changes.iter().filter(|of| is_same(of)).map(|of| of.processor.as_str()).collect();
    if !same.is_empty() {
        let text = format!("The instructions and their numbers are the same for {}.", same.join(", "));
        blocks.extend([Block::Space, Block::Text(Tone::Plain, text)]);
    }
    let note = "Counted in all code of all files, copies too; what a class is: `rocm-audit list classes`. An instruction can be of several \
                classes. The numbers are those in the files, not those that run.";
    blocks.extend([Block::Space, Block::Text(Tone::Dim, note.to_owned())]);
    blocks
}

/// Whether both sides have the same instructions equally often.
pub(super) fn is_same(of: &InstructionMixChange) -> bool {
    of.mnemonics.is_empty() && of.before.is_some() == of.after.is_some()
}

fn totals(changes: &[InstructionMixChange], style: &Style) -> Vec<Block> {
    let right = ["code objects", "now", "instructions", "now", "difference"].into_iter().map(Column::right);
    let mut table = Table::new([Column::left("target")].into_iter().chain(right));
    let number = |side: &Option<InstructionMixSide>, of: fn(&InstructionMixSide) -> u64| {
        TableCell::new(side.as_ref().map_or_else(|| style.none().to_owned(), |side| style.number(of(side))))
    };
    for of in changes {
        let all = |side: &Option<InstructionMixSide>| side.as_ref().map_or(0, |side| side.instructions);
        table.row([
            TableCell::new(of.processor.clone()),
            number(&of.before, |side| side.code_objects - side.not_decoded),
            number(&of.after, |side| side.code_objects - side.not_decoded),
            number(&of.before, |side| side.instructions),
            number(&of.after, |side| side.instructions),
            TableCell::new(difference(all(&of.before), all(&of.after), style)),
        ]);
    }
    vec![Block::known("Instructions of the code that was decoded", Evidence::Observed), Block::Table(table)]
}

fn rows_of(processor: &str, what: &str, rows: &[MixChange], style: &Style) -> Vec<Block> {
    if rows.is_empty() {
        return Vec::new();
    }
    let right = ["before", "now", "difference"].into_iter().map(Column::right);
    let mut table = Table::new([Column::left(what)].into_iter().chain(right));
    let (shown, more) = first(rows, style);
    for row in shown {
        table.row([
            TableCell::new(row.name.clone()),
            TableCell::new(style.number(row.before)),
            TableCell::new(style.number(row.after)),
            TableCell::new(difference(row.before, row.after, style)),
        ]);
    }
    let heading = match what {
        "class" => format!("{processor}: classes of instructions, the largest difference first"),
        _ => format!("{processor}: instructions by mnemonic, the largest difference first"),
    };
    let mut blocks = vec![Block::Heading(heading), Block::Table(table)];
    blocks.extend(more);
    blocks
}

fn difference(before: u64, after: u64, style: &Style) -> String {
    let number = style.number(after.abs_diff(before));
    match after.cmp(&before) {
        std::cmp::Ordering::Less => format!("{}{number}", style.pick("−", "-")),
        std::cmp::Ordering::Equal => String::new(),
        std::cmp::Ordering::Greater => format!("+{number}"),
    }
}
