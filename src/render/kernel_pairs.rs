//! The same kernels of two targets in blocks: the numbers that differ, and their instructions side by side,
//! or one below the other if the screen is too narrow.

use super::block::{Block, Column, ListLine, Table, TableCell};
use super::instructions::{body, tone_of_mnemonic};
use super::listing::{listing, words};
use super::style::{Style, Tone, thousands};
use crate::finding::evidence::Evidence;
use crate::report::v1::{Fatbin, KernelPair, KernelPairs, ListedInstruction};
use std::collections::HashMap;

/// Smallest widths for instructions side by side, without and with their bytes.
const BESIDE: u16 = 120;
const WITH_BYTES: u16 = 170;

/// Most pairs to show.
const SHOWN: usize = 20;

/// Draws all pairs.
pub(super) fn blocks(found: &KernelPairs, files: &[Fatbin], style: &Style) -> Vec<Block> {
    let kernels = files.iter().flat_map(|file| &file.kernel_instructions);
    let listed = kernels
        .filter_map(|kernel| Some((differing_ends(&kernel.uri, &kernel.name), kernel.listing.as_deref()?)));
    let listings: Listings<'_> = listed.collect();
    let mut blocks = vec![Block::Title(format!("{} and {}", found.here, found.there), count(found))];
    for pair in found.pairs.iter().take(SHOWN) {
        blocks.extend(of_pair(pair, &listings, style));
    }
    let more = found.pairs.len().saturating_sub(SHOWN);
    if more > 0 {
        let text = format!("{more} more pairs are not shown: -f json has them.");
        blocks.extend([Block::Space, Block::Text(Tone::Partial, text)]);
    }
    let mut items = Vec::new();
    for (target, names) in [(&found.here, &found.only_here), (&found.there, &found.only_there)] {
        if let Some(first) = names.first() {
            let rest = if names.len() > 1 { format!(" and {} more", names.len() - 1) } else { String::new() };
            let text = format!("{first}{rest}");
            items.push(ListLine { tone: Tone::Partial, label: format!("only {target}"), text });
        }
    }
    if !items.is_empty() {
        blocks.extend([Block::Space, Block::Items(items)]);
    }
    blocks
}

fn count(found: &KernelPairs) -> String {
    match found.pairs.len() {
        0 => "no kernel of both matches".to_owned(),
        1 => "1 kernel of both".to_owned(),
        n => format!("{} kernels of both", thousands(n as u64)),
    }
}

/// Listings by code object and name.
type Listings<'l> = HashMap<(&'l str, &'l str), &'l [ListedInstruction]>;

fn differing_ends<'l>(uri: &'l str, name: &'l str) -> (&'l str, &'l str) {
    (uri, name)
}

fn of_pair(pair: &KernelPair, listings: &Listings<'_>, style: &Style) -> Vec<Block> {
    let name = pair.demangled.as_ref().unwrap_or(&pair.name);
    let mut blocks = vec![Block::known(name, Evidence::Observed), Block::Table(table(pair, style))];
    let [own, other] =
        [&pair.here, &pair.there].map(|side| listings.get(&differing_ends(&side.uri, &side.name)).copied());
    let (Some(own), Some(other)) = (own, other) else { return blocks };
    match &pair.alignment {
        Some(alignment) if style.width >= BESIDE => {
            blocks.extend([Block::Space, Block::Lines(beside(pair, alignment, own, other, style))]);
        }
        _ => {
            for (target, lines) in [(&pair.here.target_id, own), (&pair.there.target_id, other)] {
                blocks.push(Block::Heading(format!("{name} of {target}")));
                blocks.push(Block::Listing(listing(lines, None, tone_of_mnemonic, style)));
            }
        }
    }
    blocks
}

/// Numbers from the metadata, and counts of the classes.
fn table(pair: &KernelPair, style: &Style) -> Table {
    let mut table = Table::new([
        Column::left("what"),
        Column::right(&pair.here.target_id),
        Column::right(&pair.there.target_id),
        Column::right("difference"),
    ]);
    let bodies = [pair.here.body, pair.there.body].map(body);
    if bodies[0] != bodies[1] {
        let cells = bodies.map(|(text, tone)| TableCell::toned(text, tone));
        table.row([TableCell::new("body")].into_iter().chain(cells).chain([TableCell::default()]));
    }
    let shown = |number: Option<u64>| number.map_or_else(|| "?".to_owned(), thousands);
    let difference = |here: Option<u64>, there: Option<u64>| match here.zip(there) {
        Some((here, there)) if there > here => format!("+{}", thousands(there - here)),
        Some((here, there)) if here > there => {
            format!("{}{}", style.pick("−", "-"), thousands(here - there))
        }
        _ => String::new(),
    };
    let numbers = pair.numbers.iter().filter(|row| row.here.or(row.there).is_some());
    for row in numbers {
        table.row([
            TableCell::new(row.what.replace('_', " ")),
            TableCell::new(shown(row.here)),
            TableCell::new(shown(row.there)),
            TableCell::new(difference(row.here, row.there)),
        ]);
    }
    // Classes with equal counts on both sides are shown only with -v.
    let differ = pair.classes.iter().filter(|row| row.here != row.there || style.verbose > 0);
    for row in differ {
        table.row([
            TableCell::toned(&row.class, Tone::Dim),
            TableCell::new(style.number(row.here)),
            TableCell::new(style.number(row.there)),
            TableCell::new(difference(Some(row.here), Some(row.there))),
        ]);
    }
    table
}

/// Instructions side by side. The column between them marks equal lines, different lines, and lines on one
/// side only.
fn beside(
    pair: &KernelPair,
    alignment: &[(Option<usize>, Option<usize>)],
    own: &[ListedInstruction],
    other: &[ListedInstruction],
    style: &Style,
) -> Vec<String> {
    // On a page both columns take the width they need.
    let half = usize::from((style.width.min(240) - 5) / 2);
    let bytes = style.width >= WITH_BYTES;
    let longest = own.iter().chain(other).map(|line| words(&line.bytes).len()).max().unwrap_or(0);
    let side = |lines: &[ListedInstruction], at: Option<usize>| {
        let first = lines.first().map_or(0, |line| line.address);
        let Some(line) = at.and_then(|at| lines.get(at)) else { return String::new() };
        let leads = line.target.map_or_else(String::new, |target| {
            let arrow = style.pick("→", "->");
            match target.checked_sub(first) {
                Some(distance) => format!(" {arrow} +{distance:#x}"),
                None => format!(" {arrow} -{:#x}", first - target),
            }
        });
        let stored = if bytes { format!("{:<longest$}  ", words(&line.bytes)) } else { String::new() };
        let mnemonic = line.mnemonic.unwrap_or("no instruction");
        let text = format!("{:>6}  {stored}{mnemonic}{leads}", format!("+{:x}", line.address - first));
        cut(text, half, style)
    };
    let heads = [&pair.here.target_id, &pair.there.target_id].map(|target| format!("{:>6}  {target}", ""));
    let mut lines = vec![format!("{:<half$}     {}", heads[0], heads[1])];
    for (left, right) in alignment {
        let mnemonic = |lines: &[ListedInstruction], at: &Option<usize>| {
            at.and_then(|at| lines.get(at)).map(|line| line.mnemonic)
        };
        let sign = match (left, right) {
            (Some(_), Some(_)) if mnemonic(own, left) == mnemonic(other, right) => " ",
            (Some(_), Some(_)) => style.pick("≠", "~"),
            (Some(_), None) => "<",
            _ => ">",
        };
        let line = format!("{:<half$}  {sign}  {}", side(own, *left), side(other, *right));
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// Shortens a text to a number of characters and marks the cut.
fn cut(text: String, most: usize, style: &Style) -> String {
    if text.chars().count() <= most {
        return text;
    }
    let mark = style.pick("…", "~");
    text.chars().take(most.saturating_sub(1)).collect::<String>() + mark
}
