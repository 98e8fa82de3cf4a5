//! Packs `src/tables/rules.tsv`, so that no line of it is read at run time: sixteen bytes a rule, which
//! numbers in lists what many rules share. `src/table.rs` takes a packed rule apart. A line that is not
//! understood fails the build.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

extern crate alloc;

#[path = "src/class_table.rs"]
#[allow(dead_code, reason = "the crate has more use for it")]
mod class_table;
#[path = "build/forms.rs"]
mod forms;
#[path = "build/slots.rs"]
mod slots;
#[path = "build/tables.rs"]
mod tables;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let (rules, shapes) = ("src/tables/rules.tsv", "src/tables/shapes.tsv");
    for file in ["build.rs", "build/forms.rs", "build/tables.rs", "src/class_table.rs", rules] {
        println!("cargo::rerun-if-changed={file}");
    }
    for file in forms::FILES.into_iter().chain(tables::FILES) {
        println!("cargo::rerun-if-changed=src/tables/{file}");
    }
    let (rules_text, shapes_text) = (std::fs::read_to_string(rules)?, std::fs::read_to_string(shapes)?);
    let mut packed = Packed { shapes: lines(&shapes_text).count(), ..Packed::default() };
    for line in lines(&rules_text) {
        packed.add(line).map_err(|error| format!("{rules}: `{line}`: {error}"))?;
    }
    let out = std::env::var_os("OUT_DIR").ok_or("cargo names no OUT_DIR")?;
    std::fs::write(Path::new(&out).join("rules.rs"), packed.source()?)?;
    std::fs::write(Path::new(&out).join("classes.rs"), classes(&packed.mnemonics))?;
    let mnemonics = packed.mnemonics.iter().cloned().zip(0..).collect();
    let folder = Path::new("src/tables");
    std::fs::write(Path::new(&out).join("forms.rs"), forms::source(folder, &mnemonics)?)?;
    let [fields, processors, tuples] = tables::sources(folder, &mnemonics)?;
    std::fs::write(Path::new(&out).join("tables.rs"), fields)?;
    std::fs::write(Path::new(&out).join("processors.rs"), processors)?;
    std::fs::write(Path::new(&out).join("tuples.rs"), tuples)?;
    Ok(())
}

/// The source of the classes of all mnemonics. Matching them with the patterns takes some milliseconds, as
/// long as all else that is asked of one kernel.
fn classes(mnemonics: &[String]) -> String {
    let sets: Vec<String> =
        mnemonics.iter().map(|name| format!("{:#x}", class_table::classes_of(name))).collect();
    format!(
        "pub(super) static CLASSES_OF_MNEMONICS: [super::ClassSet; {}] = [{}];\n",
        sets.len(),
        sets.join(", ")
    )
}

/// The lines that hold data.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter(|line| !line.starts_with('#') && !line.is_empty())
}

/// What many rules share, each once, numbered in the order in which it came.
#[derive(Default)]
struct SharedRules(BTreeMap<String, usize>);

impl SharedRules {
    fn number(&mut self, item: String, most: usize) -> Result<usize> {
        let next = self.0.len();
        let number = *self.0.entry(item).or_insert(next);
        if number > most { Err("more than its number has room for".into()) } else { Ok(number) }
    }

    /// In the order of their numbers.
    fn sorted(&self) -> Vec<&str> {
        let mut items: Vec<_> = self.0.iter().collect();
        items.sort_by_key(|(_, number)| **number);
        items.into_iter().map(|(item, _)| item.as_str()).collect()
    }

    fn list(&self, name: &str, kind: &str) -> String {
        let items = self.sorted();
        format!("pub(super) static {name}: [{kind}; {}] = [{}];\n", items.len(), items.join(", "))
    }
}

#[derive(Default)]
struct Packed {
    /// Number of lines of `shapes.tsv`.
    shapes: usize,
    masks: SharedRules,
    flags: SharedRules,
    families: SharedRules,
    mnemonics: Vec<String>,
    rules: Vec<String>,
}

impl Packed {
    /// `bits mask value mnemonic shape flags families`, separated by tabs; sorted by mnemonic.
    fn add(&mut self, line: &str) -> Result<()> {
        let columns: Vec<&str> = line.split('\t').collect();
        let [bits, mask, value, mnemonic, shape, flags, families] = columns[..] else {
            return Err("not seven columns".into());
        };
        let bytes = bits.parse::<u8>()? / 8;
        let (mask, value) = (u128::from_str_radix(mask, 16)?, u128::from_str_radix(value, 16)?);
        if self.mnemonics.last().is_none_or(|last| last != mnemonic) {
            if self.mnemonics.last().is_some_and(|last| last.as_str() > mnemonic) {
                return Err("the lines are not sorted by mnemonic".into());
            }
            self.mnemonics.push(mnemonic.to_owned());
        }
        let name = u16::try_from(self.mnemonics.len() - 1)?;
        let shape: u8 = shape.parse()?;
        if usize::from(shape) >= self.shapes {
            return Err("shapes.tsv has no such shape".into());
        }
        let mask = self.masks.number(format!("({mask:#x}, {:#x})", value >> 64), 0xffff)?;
        let flags = self.flags.number(flags_of(flags)?, 0xff)?;
        let families = self.families.number(format!("{:#x}", u32::from_str_radix(families, 16)?), 0xff)?;
        let value = value as u64;
        self.rules.push(format!("({value:#x}, {mask}, {name}, {bytes}, {shape}, {flags}, {families})"));
        Ok(())
    }

    fn source(&self) -> Result<String> {
        let mut source = "// Generated from src/tables/rules.tsv by build.rs; do not edit.\n".to_owned();
        source += &self.masks.list("MASKS", "(u128, u64)");
        source += &self.flags.list("FLAGS", "Flags");
        source += &self.families.list("FAMILIES", "Families");
        // Where each begins in the text of all, and where the last ends: an array of texts is three times as
        // large.
        let ends = self.mnemonics.iter().scan(0, |end, name| {
            *end += name.len();
            Some(end.to_string())
        });
        let starts: Vec<String> = std::iter::once("0".to_owned()).chain(ends).collect();
        source += &forms::array("MNEMONIC_STARTS", "u32", &starts);
        writeln!(source, "pub(super) static MNEMONICS: &str = {:?};", self.mnemonics.concat())?;
        writeln!(source, "pub(super) static RULES: [PackedRule; {}] = [", self.rules.len())?;
        for rule in &self.rules {
            writeln!(source, "{rule},")?;
        }
        source += "];\n";
        Ok(source)
    }
}

/// The flags of a rule as Rust has them: letters, some with a number behind them, or `-`.
fn flags_of(mut text: &str) -> Result<String> {
    let (mut nsa, mut has_constant, mut clear, mut fixed_254, mut when) = (0, false, None, false, "Always");
    while let Some(flag) = text.chars().next() {
        let rest = &text[flag.len_utf8()..];
        let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let number = &rest[..rest.len() - after.len()];
        match flag {
            '-' => {}
            'n' => nsa = 4 * number.parse::<u8>()?,
            'k' => has_constant = true,
            'h' => clear = Some(number.parse::<u8>()?),
            'f' => fixed_254 = true,
            'L' => when = "LikeLlvm",
            'C' => when = "Correct",
            _ => return Err(format!("no flag {flag:?} is known").into()),
        }
        text = after;
    }
    Ok(format!(
        "Flags {{ nsa: {nsa}, has_constant: {has_constant}, clear: {clear:?}, fixed_254: {fixed_254}, when: When::{when} }}"
    ))
}
