//! The same kernels of two targets, or of two files, in blocks: the numbers that differ, and their instructions side by side,
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
        blocks.extend(of_pair(found, pair, &listings, style));
    }
    let more = found.pairs.len().saturating_sub(SHOWN);
    if more > 0 {
        let text = format!("{more} more pairs are not shown: -f json has them.");
        blocks.extend([Block::Space, Block::Text(Tone::Partial, text)]);
    }
    let mut items = Vec::new();
    for (side, names) in [(&found.here, &found.only_here), (&found.there, &found.only_there)] {
        if let Some(first) = names.first() {
            let rest = if names.len() > 1 { format!(" and {} more", names.len() - 1) } else { String::new() };
            let text = format!("{first}{rest}");
            items.push(ListLine { tone: Tone::Partial, label: format!("only {side}"), text });
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

/// What the two sides of a pair are called: by their targets, or by their files where the target is the same.
fn sides<'s>(found: &'s KernelPairs, pair: &'s KernelPair) -> [&'s str; 2] {
    match pair.here.target_id == pair.there.target_id {
        true => [&found.here, &found.there],
        false => [&pair.here.target_id, &pair.there.target_id],
    }
}

fn of_pair(found: &KernelPairs, pair: &KernelPair, listings: &Listings<'_>, style: &Style) -> Vec<Block> {
    let name = pair.demangled.as_ref().unwrap_or(&pair.name);
    let sides = sides(found, pair);
    let mut title = match pair.here.target_id == pair.there.target_id {
        true => format!("{name} of {}", pair.here.target_id),
        false => name.clone(),
    };
    if let Some(file) = &pair.file {
        title += &format!(" in {file}");
    }
    if pair.here.name != pair.there.name && sides[0] == found.here {
        title += &format!(", in {} {}", found.there, pair.there.name);
    }
    let mut blocks = vec![Block::known(&title, Evidence::Observed), Block::Table(table(sides, pair, style))];
    let [own, other] =
        [&pair.here, &pair.there].map(|side| listings.get(&differing_ends(&side.uri, &side.name)).copied());
    let (Some(own), Some(other)) = (own, other) else { return blocks };
    match &pair.alignment {
        Some(alignment) if style.width >= BESIDE => {
            let lines = beside(sides, alignment, own, other, style);
            blocks.extend([Block::Space, Block::Lines(lines)]);
        }
        _ => {
            for (side, lines) in sides.into_iter().zip([own, other]) {
                blocks.push(Block::Heading(format!("{name} of {side}")));
                blocks.push(Block::Listing(listing(lines, None, tone_of_mnemonic, style)));
            }
        }
    }
    blocks
}

/// Numbers from the metadata, and counts of the classes.
fn table([here, there]: [&str; 2], pair: &KernelPair, style: &Style) -> Table {
    let mut table = Table::new([
        Column::left("what"),
        Column::right(here),
        Column::right(there),
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

/// Instructions side by side. The column between them marks equal lines, other operands, other instructions,
/// and lines on one side only.
fn beside(
    sides: [&str; 2],
    alignment: &[(Option<usize>, Option<usize>)],
    own: &[ListedInstruction],
    other: &[ListedInstruction],
    style: &Style,
) -> Vec<String> {
    // Behind the indent stand both, and between them a sign and its blanks. On a page they take the width they
    // need.
    let half = usize::from((style.width.min(240) - 7) / 2);
    let bytes = style.width >= WITH_BYTES;
    let longest = own.iter().chain(other).map(|line| words(&line.bytes).len()).max().unwrap_or(0);
    let side = |lines: &[ListedInstruction], at: Option<usize>| {
        let first = lines.first().map_or(0, |line| line.address);
        let Some(line) = at.and_then(|at| lines.get(at)) else { return String::new() };
        let leads = leads_to(line, first)
            .map_or_else(String::new, |place| format!(" {} {place}", style.pick("→", "->")));
        let stored = if bytes { format!("{:<longest$}  ", words(&line.bytes)) } else { String::new() };
        let text = format!("{:>6}  {stored}{}{leads}", format!("+{:x}", line.address - first), shown(line));
        cut(text, half, style)
    };
    let heads = sides.map(|side| cut(format!("{:>6}  {side}", ""), half, style));
    let mut lines = vec![format!("{:<half$}     {}", heads[0], heads[1])];
    for (left, right) in alignment {
        let pair = left.and_then(|at| own.get(at)).zip(right.and_then(|at| other.get(at)));
        let sign = match pair {
            Some((one, two)) if one.mnemonic != two.mnemonic => style.pick("≠", "!"),
            Some((one, two)) if !is_alike(one, two) => style.pick("≈", "~"),
            Some(_) => " ",
            None if left.is_some() => "<",
            None => ">",
        };
        let line = format!("{:<half$}  {sign}  {}", side(own, *left), side(other, *right));
        lines.push(line.trim_end().to_owned());
    }
    lines
}

/// An instruction as a line shows it: a branch without its distance, since the line says where it leads.
fn shown(line: &ListedInstruction) -> &str {
    match (line.target, line.mnemonic) {
        (Some(_), Some(mnemonic)) => mnemonic,
        _ => line.text.as_deref().or(line.mnemonic).unwrap_or("no instruction"),
    }
}

/// Where a branch leads, from the begin of the kernel.
fn leads_to(line: &ListedInstruction, first: u64) -> Option<String> {
    let target = line.target?;
    Some(match target.checked_sub(first) {
        Some(distance) => format!("+{distance:#x}"),
        None => format!("-{:#x}", first - target),
    })
}

/// Whether two instructions are shown as the same text. Distances of branches follow from what lies between.
fn is_alike(one: &ListedInstruction, two: &ListedInstruction) -> bool {
    shown(one) == shown(two)
}

/// Shortens a text to a number of characters and marks the cut.
fn cut(text: String, most: usize, style: &Style) -> String {
    if text.chars().count() <= most {
        return text;
    }
    let mark = style.pick("…", "~");
    text.chars().take(most.saturating_sub(1)).collect::<String>() + mark
}
