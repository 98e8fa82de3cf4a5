//! Functions and what is inlined into them, by address.

use super::rows::{Location, clipped};
use super::sections::Sections;
use super::spent::Spent;
use super::{Bytes, FileNumber, string};
use amdgpu_object::error::ParseError;
use gimli::constants as dw;
use gimli::{AttributeValue, DebuggingInformationEntry, UnitOffset, UnitRef};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// How often an entry may refer to another one for its name.
const REFERENCES: usize = 16;

/// Bytes of a name that are kept: mangled names of templates have some thousand.
const NAME_BYTES: usize = 1 << 16;

/// A function, or a copy of it in another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scope<'d> {
    /// Its mangled name, or the plain one where it has no other.
    pub(super) name: Option<&'d [u8]>,
    /// The scope that it is inlined into, and where it is called there.
    pub(super) inlined_into: Option<(u32, Location)>,
}

/// All functions with code.
#[derive(Debug, Default)]
pub(super) struct Functions<'d> {
    scopes: Vec<Scope<'d>>,
    /// By the begin of ranges: their ends, and the innermost scope.
    ranges: BTreeMap<u64, (u64, u32)>,
}

impl<'d> Functions<'d> {
    pub(super) fn read(
        dwarf: &gimli::Dwarf<Bytes<'d>>,
        units: &[gimli::Unit<Bytes<'d>>],
        sections: &Sections<'d>,
        spent: &mut Spent,
        problems: &mut Vec<ParseError>,
    ) -> Self {
        let mut found = Functions::default();
        for (number, unit) in units.iter().enumerate() {
            let unit = UnitRef::new(dwarf, unit);
            let mut names = HashMap::new();
            match found.add_unit(number as u32, unit, sections, spent, &mut names) {
                Ok(true) => {}
                Ok(false) => {
                    problems.push(sections.too_much());
                    break;
                }
                Err(error) => problems.push(sections.problem(".debug_info", error)),
            }
        }
        found
    }

    /// The innermost scope of an address.
    pub(super) fn at(&self, address: u64) -> Option<u32> {
        let (_, (end, scope)) = self.ranges.range(..=address).next_back()?;
        (address < *end).then_some(*scope)
    }

    /// Addresses in a range where another scope begins or one ends.
    pub(super) fn borders(&self, range: Range<u64>) -> impl Iterator<Item = u64> + '_ {
        self.ranges.range(range).flat_map(|(begin, (end, _))| [*begin, *end])
    }

    pub(super) fn get(&self, scope: u32) -> Option<Scope<'d>> {
        self.scopes.get(scope as usize).copied()
    }

    /// Adds the functions of a unit; false if that was more work than is allowed.
    fn add_unit(
        &mut self,
        number: u32,
        unit: UnitRef<'_, Bytes<'d>>,
        sections: &Sections<'d>,
        spent: &mut Spent,
        names: &mut HashMap<usize, Option<&'d [u8]>>,
    ) -> gimli::Result<bool> {
        let mut entries = unit.entries_raw(None)?;
        let mut entry = DebuggingInformationEntry::null();
        // The scopes around the entry, with their depths.
        let mut around: Vec<(isize, u32)> = Vec::new();
        while !entries.is_empty() {
            let depth = entries.next_depth();
            let is_entry = entries.read_entry(&mut entry)?;
            if !spent.attributes(if is_entry { entry.attrs().len() } else { 0 }) {
                return Ok(false);
            }
            // Blocks lie between functions: what is not deeper than one ends it, whatever it is.
            while around.last().is_some_and(|(own, _)| *own >= depth) {
                around.pop();
            }
            let is_inlined = entry.tag() == dw::DW_TAG_inlined_subroutine;
            if !is_entry || !is_inlined && entry.tag() != dw::DW_TAG_subprogram {
                continue;
            }
            let call =
                around.last().filter(|_| is_inlined).map(|(_, parent)| (*parent, call(number, &entry)));
            let scope = self.scopes.len() as u32;
            let Some(has_code) = self.paint(unit, &entry, scope, sections, spent)? else { return Ok(false) };
            if has_code {
                let name = name(unit, &entry, names, spent)?;
                self.scopes.push(Scope { name, inlined_into: call });
                around.push((depth, scope));
            }
        }
        Ok(true)
    }

    /// Gives the addresses of an entry to a scope; whether it has some, or `None` if that was more work than
    /// is allowed.
    fn paint(
        &mut self,
        unit: UnitRef<'_, Bytes<'d>>,
        entry: &DebuggingInformationEntry<Bytes<'d>>,
        scope: u32,
        sections: &Sections<'d>,
        spent: &mut Spent,
    ) -> gimli::Result<Option<bool>> {
        let mut has_code = false;
        let (mut low, mut high, mut size) = (None, None, None);
        for attribute in entry.attrs() {
            match (attribute.name(), attribute.value()) {
                (dw::DW_AT_low_pc, value) => low = unit.attr_address(value)?,
                (dw::DW_AT_high_pc, value) => match value.udata_value() {
                    Some(bytes) => size = Some(bytes),
                    None => high = unit.attr_address(value)?,
                },
                (dw::DW_AT_ranges, value) => {
                    let Some(mut ranges) = unit.attr_ranges(value)? else { continue };
                    while let Some(range) = ranges.next()? {
                        if !spent.range() {
                            return Ok(None);
                        }
                        has_code |= self.paint_range(range.begin, range.end, scope, sections);
                    }
                    return Ok(Some(has_code));
                }
                _ => {}
            }
        }
        if let Some(low) = low
            && let Some(end) = size.map_or(high, |size| low.checked_add(size))
        {
            if !spent.range() {
                return Ok(None);
            }
            has_code = self.paint_range(low, end, scope, sections);
        }
        Ok(Some(has_code))
    }

    /// Gives a range to a scope: what is inside of a function comes behind it, and takes its place.
    fn paint_range(&mut self, begin: u64, end: u64, scope: u32, sections: &Sections<'d>) -> bool {
        if begin >= end || !sections.has_code_at(begin) {
            return false;
        }
        if let Some((_, (old_end, old))) = self.ranges.range_mut(..=begin).next_back()
            && begin < *old_end
        {
            let (behind, old) = (*old_end, *old);
            *old_end = begin;
            if end < behind {
                self.ranges.insert(end, (behind, old));
            }
        }
        self.ranges.insert(begin, (end, scope));
        true
    }
}

/// Where an inlined function is called.
fn call(unit: u32, entry: &DebuggingInformationEntry<Bytes<'_>>) -> Location {
    let mut at = Location { file: None, line: 0, column: 0 };
    for attribute in entry.attrs() {
        let value = match attribute.value() {
            AttributeValue::FileIndex(file) => Some(file),
            value => value.udata_value(),
        };
        let Some(value) = value.map(clipped) else { continue };
        match attribute.name() {
            dw::DW_AT_call_file => at.file = Some(FileNumber { unit, file: value }),
            dw::DW_AT_call_line => at.line = value,
            dw::DW_AT_call_column => at.column = value,
            _ => {}
        }
    }
    at
}

/// The name of a function: its own, or that of the entry it refers to.
fn name<'d>(
    unit: UnitRef<'_, Bytes<'d>>,
    entry: &DebuggingInformationEntry<Bytes<'d>>,
    names: &mut HashMap<usize, Option<&'d [u8]>>,
    spent: &mut Spent,
) -> gimli::Result<Option<&'d [u8]>> {
    let (mut found, mut next) = own_name(unit, entry, spent)?;
    let mut passed = Vec::new();
    while let (None, Some(offset)) = (found, next.take()) {
        if passed.len() >= REFERENCES {
            break;
        }
        if let Some(known) = names.get(&offset.0) {
            found = *known;
            break;
        }
        passed.push(offset.0);
        let other = unit.entry(offset)?;
        if !spent.attributes(other.attrs().len()) {
            break;
        }
        (found, next) = own_name(unit, &other, spent)?;
    }
    names.extend(passed.into_iter().map(|offset| (offset, found)));
    Ok(found)
}

/// The mangled name of an entry, else its plain name, and the entry of this unit that it refers to. A plain
/// name counts without a mangled one to be found: C has none.
fn own_name<'d>(
    unit: UnitRef<'_, Bytes<'d>>,
    entry: &DebuggingInformationEntry<Bytes<'d>>,
    spent: &mut Spent,
) -> gimli::Result<(Option<&'d [u8]>, Option<UnitOffset>)> {
    let (mut mangled, mut plain, mut reference) = (None, None, None);
    for attribute in entry.attrs() {
        match attribute.name() {
            dw::DW_AT_linkage_name | dw::DW_AT_MIPS_linkage_name => mangled = Some(attribute.value()),
            dw::DW_AT_name => plain = Some(attribute.value()),
            dw::DW_AT_abstract_origin | dw::DW_AT_specification => reference = Some(attribute.value()),
            _ => {}
        }
    }
    let reference = match reference {
        Some(AttributeValue::UnitRef(offset)) => Some(offset),
        Some(AttributeValue::DebugInfoRef(offset)) => offset.to_unit_offset(&unit.header),
        _ => None,
    };
    let value = mangled.or(plain.filter(|_| reference.is_none()));
    let name = value.and_then(|value| string(unit, value, NAME_BYTES));
    Ok((name.filter(|name| spent.name(name.len())), reference))
}
