//! The parts of a report before drawing.

use super::style::{Tone, printable};
use crate::finding::evidence::Evidence;
use std::borrow::Cow;

/// A part of a report.
#[derive(Debug, Clone)]
pub(super) enum Block {
    /// The first line: the subject and the conclusion.
    Title(String, String),
    /// The beginning of a part.
    Heading(String),
    /// A paragraph.
    Text(Tone, String),
    /// A blank line.
    Space,
    /// A table.
    Table(Table),
    /// Lines that are never broken, so that paths and URIs can be copied.
    Lines(Vec<String>),
    /// The same, each in a tone.
    Listing(Vec<(Tone, String)>),
    /// Verdicts side by side; only in HTML, in addition to the same in words.
    Cards(Vec<Card>),
    /// Numbers as bars; only in HTML, in addition to the same in words.
    Bars(Bars),
    /// Bytes as areas; only in HTML, in addition to the same in words.
    Areas(Areas),
    /// A row of coloured cells; only in HTML, in addition to the same in words.
    Strip(Strip),
    /// A route, step by step; in Markdown and HTML, in addition to the same in words.
    Map(Map),
    /// Ways by a number, one band for each kind; only in HTML, in addition to the same in a table.
    Bands(Bands),
    /// The control flow of a kernel with its instructions; only in HTML, in addition to tables.
    Flow(Box<Flow>),
    /// Labelled lines that belong together.
    Items(Vec<ListLine>),
}

/// Blocks of a kernel.
#[derive(Debug, Clone, Default)]
pub(super) struct Flow {
    pub title: String,
    /// Which kernel of the page it is, to tell their blocks apart.
    pub number: usize,
    /// Vector registers that a wave has.
    pub most: u32,
    pub blocks: Vec<FlowBlock>,
}

/// A block of instructions.
#[derive(Debug, Clone, Default)]
pub(super) struct FlowBlock {
    /// Its offset, such as `+0x40`.
    pub name: String,
    /// Number of loops around it.
    pub depth: u32,
    pub is_header: bool,
    pub is_reachable: bool,
    /// Most vector registers in use.
    pub live: u16,
    /// What is said of it in the drawing, and beside its instructions.
    pub short: String,
    pub about: String,
    /// File and line of the kernel.
    pub line: String,
    /// Indices of blocks that can follow.
    pub successors: Vec<usize>,
    pub lines: Vec<FlowLine>,
}

/// An instruction.
#[derive(Debug, Clone, Default)]
pub(super) struct FlowLine {
    pub offset: String,
    pub text: String,
    pub kind: &'static str,
    pub live: u16,
    pub live_scalars: u16,
    /// File and line.
    pub line: String,
}

/// One line of a list.
#[derive(Debug, Clone)]
pub(super) struct ListLine {
    pub tone: Tone,
    pub label: String,
    pub text: String,
}

/// A verdict as a card.
#[derive(Debug, Clone, Default)]
pub(super) struct Card {
    pub tone: Tone,
    pub title: String,
    pub lines: Vec<String>,
    /// Less prominent text.
    pub note: String,
}

/// Numbers to compare.
#[derive(Debug, Clone, Default)]
pub(super) struct Bars {
    pub title: String,
    pub rows: Vec<Bar>,
}

/// One number among others.
#[derive(Debug, Clone, Default)]
pub(super) struct Bar {
    pub name: String,
    pub value: u64,
    /// Whether it is the one the user asked about.
    pub chosen: bool,
}

/// A tree of steps.
#[derive(Debug, Clone, Default)]
pub(super) struct Map {
    pub title: String,
    pub root: MapNode,
}

/// A step, and its possible next steps.
#[derive(Debug, Clone, Default)]
pub(super) struct MapNode {
    pub label: String,
    /// Further lines, less prominent.
    pub lines: Vec<String>,
    /// Good for the taken step, bad for a blocked one, partial for a replacement.
    pub tone: Tone,
    /// The edge from the step before.
    pub edge: EdgeKind,
    /// The reason for the edge, in a word or two.
    pub by: String,
    pub children: Vec<MapNode>,
}

/// Edges between steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum EdgeKind {
    /// The step is taken.
    #[default]
    Taken,
    /// The step would replace others.
    Instead,
    /// The step is impossible.
    Blocked,
}

impl MapNode {
    pub fn new(label: impl Into<String>, tone: Tone) -> Self {
        MapNode { label: label.into(), tone, ..MapNode::default() }
    }

    fn each_text(&mut self, change: &mut dyn FnMut(&mut String)) {
        [&mut self.label, &mut self.by].into_iter().chain(&mut self.lines).for_each(&mut *change);
        self.children.iter_mut().for_each(|child| child.each_text(change));
    }
}

/// Bands of ways.
#[derive(Debug, Clone, Default)]
pub(super) struct Bands {
    pub title: String,
    /// Names and tones of the ways.
    pub ways: Vec<(String, Tone)>,
    pub rows: Vec<BandRow>,
}

/// A band.
#[derive(Debug, Clone, Default)]
pub(super) struct BandRow {
    pub name: String,
    pub parts: Vec<BandPart>,
}

/// A part of a band: the numbers from `from` to `to`, with the label `name`.
#[derive(Debug, Clone, Default)]
pub(super) struct BandPart {
    pub name: String,
    pub from: u64,
    pub to: u64,
    /// Index of the way.
    pub way: usize,
}

/// Bytes by group and part, both in descending order.
#[derive(Debug, Clone, Default)]
pub(super) struct Areas {
    pub title: String,
    pub groups: Vec<AreaGroup>,
}

/// Parts that belong together, each with its bytes.
#[derive(Debug, Clone, Default)]
pub(super) struct AreaGroup {
    pub name: String,
    pub parts: Vec<AreaPart>,
}

/// A part with its bytes in total and by class; all parts have the same order of classes.
#[derive(Debug, Clone, Default)]
pub(super) struct AreaPart {
    pub name: String,
    pub bytes: u64,
    pub classes: Vec<(&'static str, u64)>,
}

impl AreaGroup {
    /// Total bytes.
    pub fn bytes(&self) -> u64 {
        self.parts.iter().map(|part| part.bytes).sum()
    }
}

/// Cells in order, each divided among ways.
#[derive(Debug, Clone, Default)]
pub(super) struct Strip {
    pub title: String,
    /// Names and tones of the ways.
    pub ways: Vec<(String, Tone)>,
    pub cells: Vec<StripCell>,
}

/// A cell of a strip.
#[derive(Debug, Clone, Default)]
pub(super) struct StripCell {
    pub name: String,
    /// Whether a gap separates it from the cells before.
    pub apart: bool,
    /// Indices of ways, each with its share.
    pub parts: Vec<(usize, f64)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Align {
    Left,
    Right,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Table {
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<TableCell>>,
    /// The last row is a sum.
    pub total: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Column {
    /// A group title above this column and the following ones without a group title.
    pub group: Option<String>,
    pub title: String,
    pub align: Align,
}

#[derive(Debug, Clone, Default)]
pub(super) struct TableCell {
    pub text: String,
    pub tone: Tone,
}

impl Block {
    /// A heading whose part is known in one way: `Bundles [observed]`.
    pub fn known(heading: &str, evidence: Evidence) -> Block {
        Block::Heading(format!("{heading} [{}]", evidence.name()))
    }

    /// The block with all texts from files or paths made safe to print.
    pub fn printable(mut self) -> Self {
        self.each_text(&mut |text| {
            if let Cow::Owned(clean) = printable(text) {
                *text = clean;
            }
        });
        self
    }

    /// The block with our own sentences in ASCII.
    pub fn plain(mut self) -> Self {
        self.each_text(&mut |text| {
            if !text.is_ascii() {
                *text = text.replace('…', "...").replace('×', "x").replace('µ', "u");
            }
        });
        self
    }

    /// Applies a change to every text.
    pub fn each_text(&mut self, change: &mut dyn FnMut(&mut String)) {
        match self {
            Block::Space => {}
            Block::Map(map) => {
                change(&mut map.title);
                map.root.each_text(change);
            }
            Block::Bands(bands) => {
                change(&mut bands.title);
                bands.ways.iter_mut().for_each(|(name, _)| change(name));
                for row in &mut bands.rows {
                    change(&mut row.name);
                    row.parts.iter_mut().for_each(|part| change(&mut part.name));
                }
            }
            Block::Flow(flow) => {
                change(&mut flow.title);
                for block in &mut flow.blocks {
                    change(&mut block.line);
                    block
                        .lines
                        .iter_mut()
                        .flat_map(|line| [&mut line.text, &mut line.line])
                        .for_each(&mut *change);
                }
            }
            Block::Title(left, right) => [left, right].into_iter().for_each(change),
            Block::Heading(text) | Block::Text(_, text) => change(text),
            Block::Lines(lines) => lines.iter_mut().for_each(change),
            Block::Listing(lines) => lines.iter_mut().for_each(|(_, line)| change(line)),
            Block::Cards(cards) => cards.iter_mut().for_each(|card| {
                change(&mut card.title);
                card.lines.iter_mut().chain([&mut card.note]).for_each(&mut *change);
            }),
            Block::Bars(bars) => {
                change(&mut bars.title);
                bars.rows.iter_mut().for_each(|row| change(&mut row.name));
            }
            Block::Areas(areas) => {
                change(&mut areas.title);
                for group in &mut areas.groups {
                    change(&mut group.name);
                    group.parts.iter_mut().for_each(|part| change(&mut part.name));
                }
            }
            Block::Strip(strip) => {
                change(&mut strip.title);
                strip.ways.iter_mut().for_each(|(name, _)| change(name));
                strip.cells.iter_mut().for_each(|cell| change(&mut cell.name));
            }
            Block::Items(items) => {
                items.iter_mut().flat_map(|i| [&mut i.label, &mut i.text]).for_each(change);
            }
            Block::Table(table) => {
                for column in &mut table.columns {
                    change(&mut column.title);
                    column.group.iter_mut().for_each(&mut *change);
                }
                table.rows.iter_mut().flatten().for_each(|cell| change(&mut cell.text));
            }
        }
    }
}

impl Table {
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Table { columns: columns.into_iter().collect(), ..Table::default() }
    }

    pub fn row(&mut self, cells: impl IntoIterator<Item = TableCell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// Splits a table that is too wide into several that repeat the first column. `widths` are the widths of
    /// the drawn columns, `gap` is the space between two.
    pub fn split(&self, width: usize, widths: &[usize], gap: usize) -> Vec<Table> {
        let first = widths.first().copied().unwrap_or(0);
        let mut parts: Vec<Vec<usize>> = Vec::new();
        let mut used = usize::MAX;
        for (index, own) in widths.iter().enumerate().skip(1) {
            if used.saturating_add(own + gap) > width {
                parts.push(vec![0]);
                used = first + 2;
            }
            used += own + gap;
            if let Some(part) = parts.last_mut() {
                part.push(index);
            }
        }
        // Leaves out rows that are empty in this part.
        let cells = |row: &Vec<TableCell>, part: &Vec<usize>| -> Option<Vec<TableCell>> {
            let cells: Vec<TableCell> = part.iter().filter_map(|i| row.get(*i).cloned()).collect();
            cells.iter().skip(1).any(|cell| !cell.text.is_empty()).then_some(cells)
        };
        let pick = |part: &Vec<usize>| Table {
            columns: part.iter().filter_map(|i| self.columns.get(*i).cloned()).collect(),
            rows: self.rows.iter().filter_map(|row| cells(row, part)).collect(),
            total: self.total,
        };
        parts.iter().map(pick).collect()
    }
}

impl Column {
    pub fn left(title: impl Into<String>) -> Self {
        Column { group: None, title: title.into(), align: Align::Left }
    }

    pub fn right(title: impl Into<String>) -> Self {
        Column { group: None, title: title.into(), align: Align::Right }
    }

    pub fn group(mut self, group: impl Into<String>) -> Self {
        self.group = Some(group.into());
        self
    }
}

impl TableCell {
    pub fn new(text: impl Into<String>) -> Self {
        TableCell { text: text.into(), tone: Tone::Plain }
    }

    pub fn toned(text: impl Into<String>, tone: Tone) -> Self {
        TableCell { text: text.into(), tone }
    }
}
