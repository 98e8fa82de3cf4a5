//! Packs the tables of families, processors, operand fields, and registers in a row: `families.tsv`,
//! `kinds.tsv`, `shapes.tsv`, `processors.tsv`, `features.tsv`, `tuples.tsv`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::forms::{array, column};
use super::{Result, lines};

/// The files that are read.
pub const FILES: [&str; 6] =
    ["families.tsv", "kinds.tsv", "shapes.tsv", "processors.tsv", "features.tsv", "tuples.tsv"];

/// A table by its file's name: rows of columns.
type Rows<'t> = &'t dyn Fn(&str) -> Result<Vec<Vec<String>>>;

/// The source of what rules name, of processors, and of registers in a row. `mnemonics` are the numbers of
/// mnemonics.
pub fn sources(tables: &Path, mnemonics: &BTreeMap<String, usize>) -> Result<[String; 3]> {
    let rows = |name: &str| -> Result<Vec<Vec<String>>> {
        let text = std::fs::read_to_string(tables.join(name))?;
        Ok(lines(&text).map(|line| line.split('\t').map(str::to_owned).collect()).collect())
    };
    let fields = families(&rows)? + &kinds_and_shapes(&rows)?;
    Ok([fields, processors(&rows)?, tuples(&rows, mnemonics)?])
}

fn hex(text: &str) -> Result<u128> {
    Ok(u128::from_str_radix(text, 16)?)
}

/// `family max_length processors`: the number is the line's place.
fn families(rows: Rows<'_>) -> Result<String> {
    let mut all = Vec::new();
    for row in rows("families.tsv")? {
        let max_length: usize = column(&row, 1)?.parse()?;
        let processors: Vec<&str> = column(&row, 2)?.split(' ').collect();
        all.push(format!("Family {{ max_length: {max_length}, processors: &{processors:?} }}"));
    }
    Ok(array("FAMILIES", "Family", &all))
}

/// Kinds: `kind families refused literal literal64`, values as ranges `a-b,c`, or `-`; sorted by name.
/// Shapes: `bit:width[+bit:width]=kind` separated by spaces.
fn kinds_and_shapes(rows: Rows<'_>) -> Result<String> {
    let mut kinds = Vec::new();
    for row in rows("kinds.tsv")? {
        let families = u32::try_from(hex(column(&row, 1)?)?)?;
        let mut ranges = Vec::new();
        for (place, operand) in [(2, "Refused"), (3, "Literal"), (4, "Literal64")] {
            for range in column(&row, place)?.split(',').filter(|range| *range != "-") {
                let (from, to) = range.split_once('-').unwrap_or((range, range));
                let (from, to): (u16, u16) = (from.parse()?, to.parse()?);
                ranges.push(format!("({from}, {to}, Operand::{operand})"));
            }
        }
        kinds.push((column(&row, 0)?.to_owned(), families, ranges.join(", ")));
    }
    // Lines of one kind stay in their order.
    kinds.sort_by(|(a, ..), (b, ..)| a.cmp(b));
    let mut shapes = Vec::new();
    for row in rows("shapes.tsv")? {
        let mut fields = Vec::new();
        for field in column(&row, 1)?.split(' ').filter(|part| !part.is_empty()) {
            let (slices, kind) = field.split_once('=').ok_or("a field without a kind")?;
            let (low, high) = slices.split_once('+').unwrap_or((slices, "0:0"));
            let ((low, low_width), (high, high_width)) = (slice(low)?, slice(high)?);
            let first = kinds.iter().position(|(name, ..)| name == kind);
            let first = first.ok_or_else(|| format!("a kind that is not there: {kind}"))?;
            if low_width + high_width > 12 {
                return Err(format!("a field of more than 12 bits: {field}").into());
            }
            fields.push(format!("Field {{ low: {low}, high: {high}, kind: {first} }}"));
        }
        shapes.push(format!("&[{}]", fields.join(", ")));
    }
    let kinds: Vec<String> = kinds
        .iter()
        .map(|(name, families, ranges)| {
            format!("Kind {{ name: {name:?}, families: {families:#x}, ranges: &[{ranges}] }}")
        })
        .collect();
    Ok(array("KINDS", "Kind", &kinds) + &array("SHAPES", "&[Field]", &shapes))
}

/// `bit:width`, and the width.
fn slice(text: &str) -> Result<(String, u8)> {
    let (bit, width) = text.split_once(':').ok_or_else(|| format!("not a slice: {text}"))?;
    let (bit, width): (u8, u8) = (bit.parse()?, width.parse()?);
    Ok((format!("Slice {{ bit: {bit}, width: {width} }}"), width))
}

/// Processors: `processor family mach features`. Features: `feature description`.
fn processors(rows: Rows<'_>) -> Result<String> {
    let mut features = BTreeMap::new();
    for row in rows("features.tsv")? {
        features.insert(column(&row, 0)?.to_owned(), column(&row, 1)?.to_owned());
    }
    let numbers: BTreeMap<&str, usize> = features.keys().map(String::as_str).zip(0..).collect();
    let mut all = Vec::new();
    for row in rows("processors.tsv")? {
        let (name, family) = (column(&row, 0)?, column(&row, 1)?.parse::<usize>()?);
        let mach = u8::try_from(hex(column(&row, 2)?)?)?;
        let mut own = BTreeSet::new();
        for feature in column(&row, 3)?.split(' ').filter(|feature| !feature.is_empty()) {
            own.insert(numbers.get(feature).ok_or_else(|| format!("features.tsv has no {feature}"))?);
        }
        let own: Vec<_> = own.into_iter().collect();
        all.push(format!("Isa {{ name: {name:?}, family: {family}, mach: {mach}, features: &{own:?} }}"));
    }
    let features: Vec<String> = features.iter().map(|feature| format!("{feature:?}")).collect();
    Ok(array("PROCESSORS", "Isa", &all) + &array("FEATURES", "(&str, &str)", &features))
}

/// Most fields of one encoding that name registers in a row.
const FIELDS_OF_TUPLES: usize = 4;

/// `bits mask value mnemonic registers families`; sorted by mnemonic.
fn tuples(rows: Rows<'_>, mnemonics: &BTreeMap<String, usize>) -> Result<String> {
    let mut all = Vec::new();
    for row in rows("tuples.tsv")? {
        let (mask, value) = (hex(column(&row, 1)?)?, hex(column(&row, 2)?)?);
        let mnemonic = mnemonics.get(column(&row, 3)?).ok_or_else(|| format!("no such mnemonic: {row:?}"))?;
        let fields = column(&row, 4)?.split(' ').map(field).collect::<Result<Vec<String>>>()?;
        let families = u32::try_from(hex(column(&row, 5)?)?)?;
        if fields.len() > FIELDS_OF_TUPLES {
            return Err(format!("too many fields: {row:?}").into());
        }
        let fields = [fields, vec!["None".to_owned(); FIELDS_OF_TUPLES]].concat();
        let fields = fields.get(..FIELDS_OF_TUPLES).unwrap_or_default().join(", ");
        let (mnemonic, parts) =
            (*mnemonic, format!("mask: {mask:#x}, value: {value:#x}, fields: [{fields}]"));
        all.push((mnemonic, format!("Rule {{ mnemonic: {mnemonic}, families: {families:#x}, {parts} }}")));
    }
    all.sort_by_key(|(mnemonic, _)| *mnemonic);
    let all: Vec<String> = all.into_iter().map(|(_, rule)| rule).collect();
    Ok(format!("pub(super) const FIELDS: usize = {FIELDS_OF_TUPLES};\n") + &array("RULES", "Rule", &all))
}

/// `v32`, or `s32` of a source: the lowest bit of a field.
fn field(text: &str) -> Result<String> {
    let first = text.strip_prefix(['s', 'v']).ok_or_else(|| format!("not a field: {text}"))?;
    let first: u8 = first.parse()?;
    if first >= 112 {
        return Err(format!("a field beyond the word: {text}").into());
    }
    Ok(format!("Some(Field {{ first: {first}, source: {} }})", text.starts_with('s')))
}
