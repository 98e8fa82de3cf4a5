//! Writes the tables of `crates/amdgpu-isa/src/tables/`.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;

use anyhow::{Result, ensure};

use super::corrections;
use super::decoder::Decoder;
use super::family::{Family, order};
use super::forms;
use super::legality::{Legality, Meaning};
use super::merge::{Cubes, merge};
use super::records::Records;
use super::rules::{FieldKind, Follows, Rule, Tuple};

/// File name and contents.
pub type Files = Vec<(&'static str, String)>;

/// All tables. `machines` is the source of LLVM's `BinaryFormat/ELF.h`.
pub fn write(
    version: &str,
    families: &[Family],
    records: &Records,
    decoder: &Decoder,
    machines: &str,
) -> Result<Files> {
    ensure!(families.len() <= 64, "{} families do not fit in a mask", families.len());
    let rows = rows(families);
    let shapes = shapes(&rows);
    let operands = forms::lines(families, records, decoder)?;
    let file = |columns: &str, body: String| {
        format!(
            "# Generated from LLVM {version} (Apache-2.0 WITH LLVM-exception) by `cargo oracle gen-isa`; do not edit: \
             corrections are listed in oracles/src/isa/corrections.rs\n# {columns}\n{body}"
        )
    };
    Ok(vec![
        ("families.tsv", file("family\tmax_length\tprocessors", family_lines(families)?)),
        ("kinds.tsv", file("kind\tfamilies\trefused\tliteral\tliteral64", kind_lines(families)?)),
        ("shapes.tsv", file("shape\tfields", shape_lines(&shapes)?)),
        (
            "rules.tsv",
            file("bits\tmask\tvalue\tmnemonic\tshape\tflags\tfamilies", rule_lines(&rows, &shapes)?),
        ),
        (
            "processors.tsv",
            file("processor\tfamily\tmach\tfeatures", processor_lines(families, records, machines)?),
        ),
        (
            "tuples.tsv",
            file("bits\tmask\tvalue\tmnemonic\tregisters\tfamilies", tuple_lines(families, records)?),
        ),
        (
            "forms.tsv",
            file("mnemonic\tbits\tturn\tmask\tvalue\ttext\tlayout\teffects\tfamilies", operands.forms),
        ),
        ("texts.tsv", file("text\titems", operands.texts)),
        ("layouts.tsv", file("layout\tresults\tslots", operands.layouts)),
        ("slots.tsv", file("slot\tname\ttype\treader\tbits", operands.slots)),
        ("effects.tsv", file("effects\treads\twrites\tflags", operands.effects)),
        ("features.tsv", file("feature\tdescription", feature_lines(records)?)),
    ])
}

/// Rows by all that they share: mnemonic, width, fields, flags.
type Rows = BTreeMap<(String, u32, String, String), Cubes>;

fn rows(families: &[Family]) -> Rows {
    // Where no literal has 64 bits, "254 takes no dwords" says nothing: the flag is set there too when that
    // joins rows.
    let aside: HashSet<(&str, u32, String)> = families
        .iter()
        .flat_map(|family| &family.rules)
        .filter(|(rule, _)| rule.literal_aside)
        .map(|(rule, name)| (name.as_str(), rule.bits, shape(rule)))
        .collect();
    let mut rows = Rows::new();
    for (index, family) in families.iter().enumerate() {
        for (rule, name) in &family.rules {
            let shape = shape(rule);
            let joins =
                !family.legality.literals64() && aside.contains(&(name.as_str(), rule.bits, shape.clone()));
            let flags = flags(rule, rule.literal_aside || joins);
            let key = (name.clone(), rule.bits, shape, flags);
            *rows.entry(key).or_default().entry((rule.mask, rule.value)).or_insert(0) |= 1 << index;
        }
    }
    for ((_, bits, ..), cubes) in &mut rows {
        merge(cubes, *bits);
    }
    rows
}

fn shape(rule: &Rule) -> String {
    let fields = rule.fields.iter().map(|field| {
        let slices = field.slices.iter().map(|(first, width)| format!("{first}:{width}"));
        format!("{}={}", slices.collect::<Vec<_>>().join("+"), field.kind.name())
    });
    fields.collect::<Vec<_>>().join(" ")
}

fn flags(rule: &Rule, literal_aside: bool) -> String {
    let mut flags = String::new();
    if rule.addresses != 0 {
        flags += &format!("n{}", rule.addresses);
    }
    if rule.constant {
        flags.push('k');
    }
    if let Some(bit) = rule.clear {
        flags += &format!("h{bit}");
    }
    if literal_aside {
        flags.push('f');
    }
    match rule.follows {
        Follows::Both => {}
        Follows::Imitation => flags.push('L'),
        Follows::Correct => flags.push('C'),
    }
    if flags.is_empty() { "-".to_owned() } else { flags }
}

/// Shapes, numbered in the order of their text.
fn shapes(rows: &Rows) -> BTreeMap<&str, usize> {
    let shapes: BTreeSet<&str> = rows.keys().map(|(_, _, shape, _)| shape.as_str()).collect();
    shapes.into_iter().zip(0..).collect()
}

fn shape_lines(shapes: &BTreeMap<&str, usize>) -> Result<String> {
    let mut out = String::new();
    for (shape, number) in shapes {
        writeln!(out, "{number}\t{shape}")?;
    }
    Ok(out)
}

fn rule_lines(rows: &Rows, shapes: &BTreeMap<&str, usize>) -> Result<String> {
    let mut lines = Vec::new();
    for ((name, bits, shape, flags), cubes) in rows {
        let shape = shapes.get(shape.as_str()).copied().unwrap_or_default();
        for (&(mask, value), families) in cubes {
            lines.push((name, bits, value, mask, shape, flags, families));
        }
    }
    lines.sort();
    let mut out = String::new();
    for (name, bits, value, mask, shape, flags, families) in lines {
        writeln!(out, "{bits}\t{mask:x}\t{value:x}\t{name}\t{shape}\t{flags}\t{families:x}")?;
    }
    Ok(out)
}

/// LLVM's name of the feature of processors that refuse tuples of registers that begin with an odd one.
const EVEN_TUPLES: &str = "vgpr-align2";

/// Rules with tuples of vector registers: those of families that take odd ones, and have a relative of their
/// generation that does not.
fn tuple_lines(families: &[Family], records: &Records) -> Result<String> {
    let all = records.processors();
    let is_even = |family: &&Family| {
        let features = family.processors.iter().filter_map(|processor| all.get(processor)).flatten();
        features.filter_map(|feature| records.features.get(feature)).any(|one| one.name == EVEN_TUPLES)
    };
    let generation = |family: &Family| family.processors.first().map(|processor| order(processor).0);
    let strict: BTreeSet<Option<u32>> = families.iter().filter(is_even).map(generation).collect();
    let mut rows: BTreeMap<(&str, u32, String), Cubes> = BTreeMap::new();
    for (index, family) in families.iter().enumerate() {
        if is_even(&family) || !strict.contains(&generation(family)) {
            continue;
        }
        for (rule, name) in family.rules.iter().filter(|(rule, _)| !rule.tuples.is_empty()) {
            let registers = rule.tuples.iter().map(Tuple::text).collect::<Vec<_>>().join(" ");
            let row = rows.entry((name, rule.bits, registers)).or_default();
            *row.entry((rule.mask, rule.value)).or_insert(0) |= 1 << index;
        }
    }
    let mut out = String::new();
    for ((name, bits, registers), cubes) in &mut rows {
        merge(cubes, *bits);
        for ((mask, value), families) in cubes {
            writeln!(out, "{bits}\t{mask:x}\t{value:x}\t{name}\t{registers}\t{families:x}")?;
        }
    }
    Ok(out)
}

fn family_lines(families: &[Family]) -> Result<String> {
    let mut out = String::new();
    for (number, family) in families.iter().enumerate() {
        writeln!(out, "{number}\t{}\t{}", family.max_length, family.processors.join(" "))?;
    }
    Ok(out)
}

fn kind_lines(families: &[Family]) -> Result<String> {
    // One domain per kind, so that families differ by what they refuse and not by how wide their fields are.
    let mut domains: BTreeMap<&FieldKind, u32> = BTreeMap::new();
    for (kind, &width) in families.iter().flat_map(|family| &family.kinds) {
        let widest = domains.entry(kind).or_insert(0);
        *widest = width.max(*widest);
    }
    let mut named: BTreeMap<String, &FieldKind> = BTreeMap::new();
    let mut lines: BTreeMap<(String, [String; 3]), u64> = BTreeMap::new();
    for (kind, width) in &domains {
        let name = kind.name();
        ensure!(named.insert(name.clone(), kind).is_none(), "two kinds of the name {name}");
        for (index, family) in families.iter().enumerate().filter(|(_, one)| one.kinds.contains_key(kind)) {
            let columns = [Meaning::Refused, Meaning::Literal, Meaning::Literal64]
                .map(|meaning| ranges(kind, &family.legality, *width, meaning));
            *lines.entry((name.clone(), columns)).or_insert(0) |= 1 << index;
        }
    }
    let mut out = String::new();
    for ((name, [refused, literal, literal64]), families) in lines {
        writeln!(out, "{name}\t{families:x}\t{refused}\t{literal}\t{literal64}")?;
    }
    Ok(out)
}

/// The numbers of a field that mean `meaning`, as `a-b,c`.
fn ranges(kind: &FieldKind, legality: &Legality, width: u32, meaning: Meaning) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for number in (0..1 << width).filter(|&number| kind.meaning(legality, number) == meaning) {
        match ranges.last_mut() {
            Some((_, end)) if *end + 1 == number => *end = number,
            _ => ranges.push((number, number)),
        }
    }
    if ranges.is_empty() {
        return "-".to_owned();
    }
    let texts = ranges
        .into_iter()
        .map(|(start, end)| if start == end { start.to_string() } else { format!("{start}-{end}") });
    texts.collect::<Vec<_>>().join(",")
}

fn processor_lines(families: &[Family], records: &Records, machines: &str) -> Result<String> {
    let machines = machine_values(machines);
    let all = records.processors();
    let mut lines = Vec::new();
    for (number, family) in families.iter().enumerate() {
        for processor in &family.processors {
            let dropped = corrections::DROPPED.iter().find(|(name, ..)| name == processor);
            let described = dropped.map_or(processor.as_str(), |(_, like, _)| like);
            let machine = match dropped {
                Some((_, _, machine)) => (*machine).to_owned(),
                None => machines.get(processor).cloned().unwrap_or_else(|| "-".to_owned()),
            };
            let names: BTreeSet<&str> = all
                .get(described)
                .into_iter()
                .flatten()
                .filter_map(|feature| Some(records.features.get(feature)?.name.as_str()))
                .collect();
            let names = names.into_iter().collect::<Vec<_>>().join(" ");
            lines.push((order(processor), format!("{processor}\t{number}\t{machine}\t{names}")));
        }
    }
    lines.sort();
    let mut out = String::new();
    for (_, line) in lines {
        writeln!(out, "{line}")?;
    }
    Ok(out)
}

/// Processor → EF_AMDGPU_MACH value in hexadecimal, from `EF_AMDGPU_MACH_AMDGCN_GFX9_4_GENERIC = 0x05f,`.
fn machine_values(header: &str) -> HashMap<String, String> {
    let value = |line: &str| {
        let (name, value) = line.trim().strip_prefix("EF_AMDGPU_MACH_AMDGCN_")?.split_once('=')?;
        let value = value.trim().strip_prefix("0x")?.trim_end_matches(',');
        Some((name.trim().to_lowercase().replace('_', "-"), value.to_owned()))
    };
    header.lines().filter_map(value).collect()
}

fn feature_lines(records: &Records) -> Result<String> {
    let lines: BTreeMap<&str, &str> =
        records.features.values().map(|one| (one.name.as_str(), one.description.as_str())).collect();
    let mut out = String::new();
    for (name, description) in lines {
        writeln!(out, "{name}\t{description}")?;
    }
    Ok(out)
}
