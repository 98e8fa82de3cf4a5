//! Source lines: the line and file that an instruction was made from, and the inlined functions on the way.
//!
//! Read from the DWARF sections of a code object (versions 2 to 5), as `llvm-symbolizer` reads them. Code
//! objects are linked and loaded as they are, so that addresses in these sections are those of the code.

mod chained;
mod functions;
mod rows;
mod sections;
mod spent;
#[cfg(test)]
mod tests;

pub use chained::Chained;
pub use rows::Stretch;

use amdgpu_object::bytes::elf::Elf;
use amdgpu_object::error::{ParseError, Parsed};
use functions::Functions;
use gimli::{EndianSlice, LittleEndian, Section as _, UnitRef};
use rows::Rows;
use sections::Sections;
use spent::Spent;
use std::ops::Range;

/// How the sections are read.
type Bytes<'d> = EndianSlice<'d, LittleEndian>;

/// Bytes of a path that are kept; the rest of a longer one is cut off.
const PATH_BYTES: usize = 4096;

/// Functions in one chain: compilers inline a few dozen deep.
const CHAIN: usize = 256;

/// The line tables of a code object.
#[derive(Debug)]
pub struct SourceLines<'d> {
    dwarf: gimli::Dwarf<Bytes<'d>>,
    units: Vec<gimli::Unit<Bytes<'d>>>,
    rows: Rows,
    functions: Functions<'d>,
    problems: Vec<ParseError>,
}

/// A function that code is of, and where in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame<'d> {
    /// Its mangled name; `None` if the debug information does not name it.
    pub function: Option<&'d [u8]>,
    /// Path of the source file; `None` if it is not known.
    pub file: Option<String>,
    /// Line, from 1; 0 for code of the compiler's own, and where it is not known.
    pub line: u32,
    /// Column, from 1; 0 if it is not known.
    pub column: u32,
}

/// A source file of [`SourceLines`]: see [`SourceLines::path`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileNumber {
    unit: u32,
    file: u32,
}

/// What is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Line tables: file, line and column of the innermost function.
    Rows,
    /// Inlined functions, too.
    Chains,
}

impl<'d> SourceLines<'d> {
    /// Reads the line tables of a code object; `None` if it has none.
    ///
    /// Damaged tables are read as far as they go: see [`SourceLines::problems`]. The work is in proportion to
    /// the size of the sections, whatever they say.
    ///
    /// # Errors
    ///
    /// If the bytes are no ELF file with readable section headers.
    pub fn read(bytes: &'d [u8], depth: Depth) -> Parsed<Option<Self>> {
        let elf = Elf::open(bytes, 0)?;
        let sections = Sections::find(&elf)?;
        if sections.line.is_empty() {
            return Ok(None);
        }
        let mut spent = Spent::allow(&sections);
        let mut dwarf = sections.dwarf();
        dwarf.populate_abbreviations_cache(gimli::AbbreviationsCacheStrategy::Duplicates);
        let mut problems = sections.problems.clone();
        let mut units = Vec::new();
        let mut headers = dwarf.units();
        loop {
            let header = match headers.next() {
                Ok(Some(header)) => header,
                Ok(None) => break,
                Err(error) => {
                    problems.push(sections.problem(".debug_info", error));
                    break;
                }
            };
            match dwarf.unit(header) {
                Ok(unit) => {
                    let table = unit.line_program.as_ref().map_or(0, |one| one.header().header_length());
                    units.push(unit);
                    if !spent.header(table) {
                        problems.push(sections.too_much());
                        break;
                    }
                }
                Err(error) => problems.push(sections.problem(".debug_info", error)),
            }
        }
        let mut read =
            SourceLines { dwarf, units, rows: Rows::default(), functions: Functions::default(), problems };
        read.rows = Rows::read(&read.units, &sections, &mut spent, &mut read.problems);
        if depth == Depth::Chains {
            read.functions =
                Functions::read(&read.dwarf, &read.units, &sections, &mut spent, &mut read.problems);
        }
        Ok(Some(read))
    }

    /// What was malformed, or read in part only.
    pub fn problems(&self) -> &[ParseError] {
        &self.problems
    }

    /// The functions that the code at an address is of, the innermost first: each but the last is inlined
    /// into the next. Empty if no line table is about the address.
    pub fn chain(&self, address: u64) -> Vec<Frame<'d>> {
        self.frames(self.rows.at(address), self.functions.at(address))
    }

    fn frames(&self, mut location: Option<rows::Location>, scope: Option<u32>) -> Vec<Frame<'d>> {
        let mut frames = Vec::new();
        let mut scope = scope.and_then(|scope| self.functions.get(scope));
        if scope.is_none() && location.is_none() {
            return frames;
        }
        while let Some(own) = scope.take().filter(|_| frames.len() < CHAIN) {
            frames.push(self.frame(own.name, location));
            if let Some((parent, call)) = own.inlined_into {
                location = Some(call);
                scope = self.functions.get(parent);
            }
        }
        if frames.is_empty() {
            frames.push(self.frame(None, location));
        }
        frames
    }

    fn frame(&self, function: Option<&'d [u8]>, location: Option<rows::Location>) -> Frame<'d> {
        let (file, line, column) = location.map_or((None, 0, 0), |at| (at.file, at.line, at.column));
        Frame { function, file: file.and_then(|file| self.path(file)), line, column }
    }

    /// The stretches of code in a range of addresses that are each of one line of a file, in their order.
    /// Inlined code is of the line that it was written in.
    pub fn stretches(&self, range: Range<u64>) -> impl Iterator<Item = Stretch> + '_ {
        self.rows.within(range)
    }

    /// The path of a source file, as the compiler was given it: relative ones are joined with the folder of
    /// the compilation.
    pub fn path(&self, number: FileNumber) -> Option<String> {
        let unit = self.units.get(number.unit as usize)?;
        let unit_ref = UnitRef::new(&self.dwarf, unit);
        let header = unit.line_program.as_ref()?.header();
        let file = header.file(u64::from(number.file))?;
        let text =
            |bytes: &[u8]| String::from_utf8_lossy(bytes.get(..PATH_BYTES).unwrap_or(bytes)).into_owned();
        let mut path = unit.comp_dir.map(|dir| text(dir.slice())).unwrap_or_default();
        // Folder 0 is that of the compilation.
        if file.directory_index() != 0
            && let Some(folder) = file.directory(header)
        {
            push(&mut path, &text(string(unit_ref, folder, PATH_BYTES)?));
        }
        push(&mut path, &text(string(unit_ref, file.path_name(), PATH_BYTES)?));
        Some(path)
    }
}

/// The text of an attribute, at most so many bytes of it: many entries may share a very long one.
fn string<'d>(
    unit: UnitRef<'_, Bytes<'d>>,
    value: gimli::AttributeValue<Bytes<'d>>,
    most: usize,
) -> Option<&'d [u8]> {
    use gimli::AttributeValue as Value;
    let (section, offset) = match value {
        Value::String(text) => return Some(text.slice()),
        Value::DebugStrRef(offset) => (unit.dwarf.debug_str.reader(), offset.0),
        Value::DebugLineStrRef(offset) => (unit.dwarf.debug_line_str.reader(), offset.0),
        Value::DebugStrOffsetsIndex(index) => {
            (unit.dwarf.debug_str.reader(), unit.string_offset(index).ok()?.0)
        }
        _ => return None,
    };
    let rest = section.slice().get(offset..)?;
    let near = rest.get(..most).unwrap_or(rest);
    near.split(|byte| *byte == 0).next()
}

/// Whether a path begins at a root, of Unix or of Windows.
fn is_absolute(path: &str) -> bool {
    let bytes = path.as_bytes();
    matches!(bytes, [b'/' | b'\\', ..] | [_, b':', b'/' | b'\\', ..])
}

fn push(path: &mut String, more: &str) {
    if is_absolute(more) {
        more.clone_into(path);
        return;
    }
    let is_windows = path.as_bytes().get(1) == Some(&b':') || path.starts_with('\\');
    if !path.is_empty() && !path.ends_with(['/', '\\']) {
        path.push(if is_windows { '\\' } else { '/' });
    }
    path.push_str(more);
}
