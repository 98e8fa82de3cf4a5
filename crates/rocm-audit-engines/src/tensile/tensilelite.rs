//! hipBLASLt's catalogs, read for what they ship and where they lead.
//!
//! TensileLite's catalogs look like Tensile's and change faster: predicates and nodes come and go with each
//! release, and none of it decides what a file must hold. So predicates are skipped, and a node that is not
//! known is counted and not followed. What is read must still be whole. Source: hipBLASLt 7.1.1 as Debian
//! ships it, and the older `tensilelite/Tensile/Source/lib/include/Tensile/Serialization`.
#![deny(clippy::indexing_slicing)]

use super::catalog_summary::{CatalogSummary, DeviceRow, Shipped};
use super::indexed::{self, Apart, Indexed};
use super::node::{Placeholders, listed};
use super::solution::index;
use super::values;
use super::values::{Tagged, Text, key, required};
use amdgpu_object::bytes::msgpack::{Reader, Value};
use rocm_audit_files::error::{ParseError, Parsed};
use rocm_audit_files::limits::{TENSILE_CATALOG_BYTES, TENSILE_DEPTH};
use std::collections::{HashMap, HashSet};

impl CatalogSummary {
    /// Reads a catalog of hipBLASLt.
    ///
    /// # Errors
    /// Where it is not MessagePack, not a catalog, or leads to a solution that it has not.
    pub fn read_lite(bytes: &[u8]) -> Parsed<CatalogSummary> {
        if bytes.len() as u64 > TENSILE_CATALOG_BYTES {
            return Err(ParseError::new(0, format!("a catalog of {} bytes", bytes.len())));
        }
        let mut reader = Reader::new(bytes, 0);
        let mut nodes = Nodes::default();
        let (mut solutions, mut library_at) = (None, None);
        let mut indexed = Indexed::default();
        for _ in 0..reader.map("a TensileLite catalog")? {
            match key(&mut reader)? {
                own if indexed.read(own, &mut reader)? => {}
                b"solutions" => solutions = Some(read_solutions(&mut reader)?),
                b"library" => {
                    library_at = Some(reader.offset());
                    nodes.read(&mut reader, 0, None)?;
                }
                _ => reader.skip()?,
            }
        }
        let all = indexed.solutions()?;
        let is_indexed = all.is_some();
        let mut broken = HashSet::new();
        if let Some(all) = all {
            let (whole, unreadable) = read_indexed(all)?;
            nodes.outline.unreadable =
                unreadable.first().map(|(_, error)| (unreadable.len() as u64, error.clone()));
            broken.extend(unreadable.into_iter().map(|(index, _)| index));
            solutions = Some(whole);
        }
        let what = "a TensileLite catalog";
        let mut solutions = required(solutions, 0, what, "solutions")?;
        let library_at = required(library_at, 0, what, "library")?;
        let places: HashMap<u32, usize> = solutions.iter().enumerate().map(|(at, s)| (s.index, at)).collect();
        if places.len() != solutions.len() {
            return Err(ParseError::new(0, "two solutions have the same index"));
        }
        for reached in nodes.reached.into_iter().filter(|index| !broken.contains(index)) {
            let place = places.get(&reached).and_then(|at| solutions.get_mut(*at));
            let Some(solution) = place else {
                let what = format!("the library leads to solution {reached}, which is not in the catalog");
                return Err(ParseError::new(library_at, what));
            };
            solution.reached = true;
        }
        let placeholders = nodes.placeholders.into_all();
        Ok(CatalogSummary { solutions, placeholders, indexed: is_indexed, ..nodes.outline })
    }
}

/// Whether a catalog of either library leads to any solution. Reads no farther than to the first row.
///
/// # Errors
/// Where what was read is not MessagePack.
pub fn leads_to_a_solution(bytes: &[u8]) -> Parsed<bool> {
    // Before the first row stand all solutions. Their key can be searched for: nothing in them is called so.
    const KEY: &[u8] = b"\xa7library";
    if let Some(at) = memchr::memmem::find(bytes, KEY).map(|at| at + KEY.len())
        && let Some(behind) = bytes.get(at..)
        && let Ok(found) = leads(&mut Reader::new(behind, at as u64), 0)
    {
        return Ok(found);
    }
    let mut reader = Reader::new(bytes, 0);
    for _ in 0..reader.map("a Tensile catalog")? {
        if key(&mut reader)? == b"library" {
            return leads(&mut reader, 0);
        }
        reader.skip()?;
    }
    Err(ParseError::new(0, "the catalog has no key library, which the real library requires"))
}

/// Looks for a row that names a solution in everything that a node is made of.
fn leads(reader: &mut Reader<'_>, depth: usize) -> Parsed<bool> {
    let at = reader.offset();
    if depth >= TENSILE_DEPTH {
        return Err(ParseError::new(at, format!("nodes are nested deeper than {TENSILE_DEPTH} levels")));
    }
    match reader.value()? {
        Value::Array(count) => {
            for _ in 0..count {
                if leads(reader, depth + 1)? {
                    return Ok(true);
                }
            }
        }
        Value::Map(pairs) => {
            let mut found = false;
            for _ in 0..pairs {
                match key(reader)? {
                    // A predicate has an index too.
                    b"predicate" | b"properties" | b"features" => reader.skip()?,
                    // A Prediction node lists its solutions alone.
                    b"table" => found |= first_is_a_number(reader) || leads(reader, depth + 1)?,
                    b"index" => found |= !matches!(reader.value()?, Value::Signed(_)),
                    _ => found |= leads(reader, depth + 1)?,
                }
                if found {
                    return Ok(true);
                }
            }
        }
        _ => {}
    }
    Ok(false)
}

/// Whether the array that is next begins with a number.
fn first_is_a_number(reader: &Reader<'_>) -> bool {
    let mut ahead = reader.clone();
    matches!(ahead.value(), Ok(Value::Array(1..))) && matches!(ahead.value(), Ok(Value::Unsigned(_)))
}

fn read_solutions(reader: &mut Reader<'_>) -> Parsed<Vec<Shipped>> {
    let count = reader.array("the solutions of a TensileLite catalog")?;
    (0..count).map(|_| read_solution(reader)).collect()
}

/// The index of a solution that the library cannot read, and why.
type Unreadable = (u32, ParseError);

/// The solutions of a catalog of format 2, and those that the library cannot read.
fn read_indexed(all: Vec<Apart<'_>>) -> Parsed<(Vec<Shipped>, Vec<Unreadable>)> {
    let (mut whole, mut unreadable) = (Vec::new(), Vec::new());
    for apart in all {
        match indexed::fault_of(apart.index, apart.reader()) {
            None => whole.push(read_solution(&mut apart.reader())?),
            Some(error) => unreadable.push((apart.index, error)),
        }
    }
    Ok((whole, unreadable))
}

fn read_solution(reader: &mut Reader<'_>) -> Parsed<Shipped> {
    let at = reader.offset();
    let (mut name, mut kernel, mut number) = (None, None, None);
    for _ in 0..reader.map("a solution")? {
        match key(reader)? {
            b"index" => number = Some(index(reader)?),
            b"name" => name = Some(Text::read(reader, "a solution's name")?),
            b"kernelName" => kernel = Some(Text::read(reader, "a kernel's name")?),
            _ => reader.skip()?,
        }
    }
    // Older catalogs have one name for both.
    Ok(Shipped {
        index: required(number, at, "a solution", "index")?,
        kernel: required(kernel.or(name), at, "a solution", "kernelName")?,
        source_kernel: false,
        reached: false,
        outside_cache_key: false,
        plain: true,
        arrays: true,
        helpers: 0,
    })
}

/// What the nodes lead to.
#[derive(Default)]
struct Nodes {
    outline: CatalogSummary,
    placeholders: Placeholders,
    /// Which row of the first catalog leads to which placeholder.
    led_to: HashSet<(usize, usize)>,
    /// Indices of solutions that tables name, each run once.
    reached: Vec<u32>,
}

impl Nodes {
    /// Reads a node below row `row` of the master catalog.
    fn read(&mut self, reader: &mut Reader<'_>, depth: usize, row: Option<usize>) -> Parsed<()> {
        let at = reader.offset();
        if depth >= TENSILE_DEPTH {
            return Err(ParseError::new(at, format!("nodes are nested deeper than {TENSILE_DEPTH} levels")));
        }
        let pairs = reader.map("a node")?;
        let (kind, _) = values::type_of(reader, pairs, "a node")?;
        let mut found = false;
        for _ in 0..pairs {
            match (kind, key(reader)?) {
                (b"Hardware" | b"Problem", b"rows") => {
                    found = true;
                    for _ in 0..reader.array("rows")? {
                        self.read_row(reader, depth, row, kind == b"Hardware" && depth == 0)?;
                    }
                }
                (b"ProblemMap", b"map") => {
                    found = true;
                    for _ in 0..reader.map("map")? {
                        values::text(reader, "an operation")?;
                        self.read(reader, depth + 1, row)?;
                    }
                }
                (b"Placeholder", b"value") => {
                    found = true;
                    self.read_placeholder(reader, row)?;
                }
                (b"Matching", b"table") => {
                    found = true;
                    self.read_table(reader)?;
                }
                (b"Prediction", b"table") => {
                    found = true;
                    for _ in 0..reader.array("table")? {
                        self.reach(index(reader)?);
                    }
                }
                (b"FreeSize", b"table") => {
                    found = true;
                    for _ in 0..reader.array("table")? {
                        self.reach(listed(reader)?);
                    }
                }
                (b"Single", b"index") => {
                    found = true;
                    self.reach(index(reader)?);
                }
                _ => reader.skip()?,
            }
        }
        match kind {
            b"Hardware" | b"Problem" => required(found.then_some(()), at, "a node", "rows"),
            b"ProblemMap" => required(found.then_some(()), at, "a ProblemMap node", "map"),
            b"Placeholder" => required(found.then_some(()), at, "a Placeholder node", "value"),
            b"Matching" => required(found.then_some(()), at, "a Matching node", "table"),
            b"Prediction" => required(found.then_some(()), at, "a Prediction node", "table"),
            b"FreeSize" => required(found.then_some(()), at, "a FreeSize node", "table"),
            b"Single" => required(found.then_some(()), at, "a Single node", "index"),
            _ => {
                self.outline.unknown_nodes += 1;
                Ok(())
            }
        }
    }

    fn read_row(
        &mut self,
        reader: &mut Reader<'_>,
        depth: usize,
        row: Option<usize>,
        device: bool,
    ) -> Parsed<()> {
        let at = reader.offset();
        let row = if device {
            self.outline.rows.push(DeviceRow::default());
            Some(self.outline.rows.len() - 1)
        } else {
            row
        };
        let mut library = None;
        for _ in 0..reader.map("a row")? {
            match key(reader)? {
                b"predicate" if device => {
                    self.narrow(&Tagged::read(reader, "hardware predicate")?, depth, row)?
                }
                b"library" => library = Some(self.read(reader, depth + 1, row)?),
                _ => reader.skip()?,
            }
        }
        required(library, at, "a row", "library")
    }

    fn narrow(&mut self, t: &Tagged<'_>, depth: usize, row: Option<usize>) -> Parsed<()> {
        t.deeper(depth)?;
        match t.kind {
            b"AMDGPU" => {
                let inner = Tagged::read(&mut t.value()?, "hardware predicate")?;
                self.narrow(&inner, depth + 1, row)?;
            }
            b"And" => {
                let mut parts = t.value()?;
                for _ in 0..parts.array("the parts of a hardware predicate")? {
                    let part = Tagged::read(&mut parts, "hardware predicate")?;
                    self.narrow(&part, depth + 1, row)?;
                }
            }
            b"Processor" => {
                let name = values::text(&mut t.value()?, "a processor")?;
                if let Some(row) = row.and_then(|row| self.outline.rows.get_mut(row)) {
                    row.processor = Some(String::from_utf8_lossy(name).into_owned());
                }
            }
            b"CUCount" => {
                let count = t.number()?;
                if let Some(row) = row.and_then(|row| self.outline.rows.get_mut(row)) {
                    row.compute_units = Some(count);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn read_placeholder(&mut self, reader: &mut Reader<'_>, row: Option<usize>) -> Parsed<()> {
        let at = reader.offset();
        let name = String::from_utf8_lossy(values::text(reader, "a placeholder")?).into_owned();
        if name.is_empty() || name.contains(['/', '\\', '\0']) {
            return Err(ParseError::new(at, format!("a placeholder must be the name of a file: {name:.80}")));
        }
        let number = self.placeholders.number(&name, at);
        if let Some(at) = row
            && let Some(row) = self.outline.rows.get_mut(at)
            && self.led_to.insert((at, number))
        {
            row.leads_to.push(number);
        }
        Ok(())
    }

    fn read_table(&mut self, reader: &mut Reader<'_>) -> Parsed<()> {
        let rows = reader.array("a table")?;
        self.outline.tables += 1;
        self.outline.empty_tables += u64::from(rows == 0);
        self.outline.tuned += u64::from(rows);
        for _ in 0..rows {
            self.reach(listed(reader)?);
        }
        Ok(())
    }

    /// Rows that follow one another often name the same solution.
    fn reach(&mut self, solution: u32) {
        if self.reached.last() != Some(&solution) {
            self.reached.push(solution);
        }
    }
}

/// The mapping of hipBLASLt: the first solution index of each catalog, and the catalog's name.
///
/// # Errors
/// Where it is not a map of numbers to names.
pub fn read_mapping(bytes: &[u8]) -> Parsed<Vec<(u32, String)>> {
    let mut reader = Reader::new(bytes, 0);
    let mut mapping = Vec::new();
    for _ in 0..reader.map("hipBLASLt's mapping")? {
        let at = reader.offset();
        let number = match reader.value()? {
            Value::Unsigned(number) => u32::try_from(number).ok(),
            Value::Str(digits) => str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()),
            _ => None,
        };
        let number = number.ok_or_else(|| ParseError::new(at, "expected the index of a solution"))?;
        let name = values::text(&mut reader, "the name of a catalog")?;
        mapping.push((number, String::from_utf8_lossy(name).into_owned()));
    }
    Ok(mapping)
}

#[cfg(test)]
#[allow(clippy::indexing_slicing)]
mod tests {
    use super::*;
    use crate::tensile::catalog::Catalog;
    use crate::tensile::ext_ops::read_ext_ops;
    use std::path::Path;

    #[test]
    fn catalogs_lead_where_the_strict_reader_says() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/tensile/library");
        let mut seen = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "dat") {
                let (folder, name) = (path.parent().unwrap(), path.file_name().unwrap().to_string_lossy());
                let catalog = Catalog::open(&folder.into(), &name).unwrap();
                let (strict, lite) = (
                    CatalogSummary::from_catalog(&catalog),
                    CatalogSummary::read_lite(catalog.bytes()).unwrap(),
                );
                if path.to_string_lossy().contains("_lazy_") {
                    assert_eq!((strict.rows, strict.placeholders), (lite.rows, lite.placeholders));
                }
                let trees = lite.unknown_nodes > 0;
                assert!(
                    trees || (strict.tables, strict.tuned) == (lite.tables, lite.tuned),
                    "{}",
                    path.display()
                );
                assert_eq!(leads_to_a_solution(catalog.bytes()), Ok(strict.tuned > 0), "{}", path.display());
                seen += 1;
            }
        }
        assert!(seen > 10);
        // Without any row, wherever the key stands.
        let empty = b"\x82\xa7library\x82\xa4type\xa8Matching\xa5table\x90\xa9solutions\x90";
        assert_eq!(leads_to_a_solution(empty), Ok(false));
        assert!(leads_to_a_solution(b"\x81\xa7library\x82\xa4type").is_err());
        // Zeros are keys and values as well as any other number.
        assert!(leads_to_a_solution(b"\x82\xa9solutions\x92\x81\xa5index\0\0\0\0").is_err());
    }

    #[test]
    fn cut_and_changed_catalogs_end_in_an_error_or_an_outline() {
        let file = "../../fixtures/tensile/library/TensileLibrary_lazy_gfx900.dat";
        let bytes = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
        for end in 0..bytes.len() {
            assert!(CatalogSummary::read_lite(&bytes[..end]).is_err());
            let _ = (
                leads_to_a_solution(&bytes[..end]),
                read_mapping(&bytes[..end]),
                read_ext_ops(&bytes[..end]),
            );
        }
        for at in 0..bytes.len() {
            // A fixed text of another kind, an array of four billion, a map of as many.
            for other in [0xa5, 0xdd, 0xdf] {
                let mut changed = bytes.clone();
                changed[at] = other;
                let _ = (CatalogSummary::read_lite(&changed), leads_to_a_solution(&changed));
                let _ = (read_mapping(&changed), read_ext_ops(&changed));
            }
        }
        let deep = [b"\x81\xa7library".to_vec(), vec![0x91; 4096]].concat();
        assert!(leads_to_a_solution(&deep).is_err());
    }
}
