//! Rows of line tables: stretches of addresses, each of a line.

use super::sections::Sections;
use super::spent::Spent;
use super::{Bytes, FileNumber};
use amdgpu_object::error::ParseError;
use std::collections::HashSet;
use std::ops::Range;

/// Code from a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stretch {
    /// Its addresses.
    pub addresses: Range<u64>,
    /// The file.
    pub file: FileNumber,
    /// Line, from 1; 0 for code of the compiler's own.
    pub line: u32,
}

/// A line of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Location {
    pub(super) file: Option<FileNumber>,
    pub(super) line: u32,
    pub(super) column: u32,
}

#[derive(Debug, Clone, Copy)]
struct Row {
    begin: u64,
    end: u64,
    unit: u32,
    file: u32,
    line: u32,
    column: u32,
}

/// All rows with code, by address.
#[derive(Debug, Default)]
pub(super) struct Rows(Vec<Row>);

impl Rows {
    pub(super) fn read(
        units: &[gimli::Unit<Bytes<'_>>],
        sections: &Sections<'_>,
        spent: &mut Spent,
        problems: &mut Vec<ParseError>,
    ) -> Self {
        let (mut all, mut seen) = (Vec::new(), HashSet::new());
        for (number, unit) in units.iter().enumerate() {
            let Some(program) = unit.line_program.clone() else { continue };
            if !seen.insert(program.header().offset().0) {
                continue;
            }
            if !spent.program(program.header().raw_program_buf().len()) {
                problems.push(sections.too_much());
                break;
            }
            if let Err(error) = add(&mut all, number as u32, program, sections) {
                problems.push(sections.problem(".debug_line", error));
            }
        }
        // A table that goes back within a sequence, or has two sequences of the same code, is damaged: the
        // later row ends there.
        all.sort_by_key(|row: &Row| row.begin);
        for at in 1..all.len() {
            let next = all[at].begin;
            let row = &mut all[at - 1];
            row.end = row.end.min(next);
        }
        all.retain(|row| row.begin < row.end);
        Rows(all)
    }

    /// Where the code at an address is from.
    pub(super) fn at(&self, address: u64) -> Option<Location> {
        let row = self.0.get(self.behind(address).checked_sub(1)?).filter(|row| address < row.end)?;
        let file = Some(FileNumber { unit: row.unit, file: row.file });
        Some(Location { file, line: row.line, column: row.column })
    }

    pub(super) fn within(&self, range: Range<u64>) -> impl Iterator<Item = Stretch> + '_ {
        let first = self.0.partition_point(|row| row.end <= range.start);
        let rows = self.0.get(first..).unwrap_or_default();
        rows.iter().take_while(move |row| row.begin < range.end).map(move |row| Stretch {
            addresses: row.begin.max(range.start)..row.end.min(range.end),
            file: FileNumber { unit: row.unit, file: row.file },
            line: row.line,
        })
    }

    fn behind(&self, address: u64) -> usize {
        self.0.partition_point(|row| row.begin <= address)
    }
}

fn add(
    all: &mut Vec<Row>,
    unit: u32,
    program: gimli::IncompleteLineProgram<Bytes<'_>>,
    sections: &Sections<'_>,
) -> gimli::Result<()> {
    let mut rows = program.rows();
    let (mut last, mut is_code, mut is_first): (Option<Row>, bool, bool) = (None, false, true);
    while let Some((_, row)) = rows.next_row()? {
        let address = row.address();
        if std::mem::take(&mut is_first) {
            is_code = sections.has_code_at(address);
        }
        if let Some(mut open) = last.take().filter(|open| is_code && address > open.begin) {
            open.end = address;
            all.push(open);
        }
        if row.end_sequence() {
            is_first = true;
            continue;
        }
        let column = match row.column() {
            gimli::ColumnType::LeftEdge => 0,
            gimli::ColumnType::Column(column) => clipped(column.get()),
        };
        last = Some(Row {
            begin: address,
            end: address,
            unit,
            file: clipped(row.file_index()),
            line: row.line().map_or(0, |line| clipped(line.get())),
            column,
        });
    }
    Ok(())
}

/// A number as line tables of compilers have it; larger ones are the largest.
pub(super) fn clipped(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
