//! Compares source lines and inline chains with those that llvm-symbolizer finds, instruction by instruction.

use super::HeldPart;
use anyhow::{Context as _, Result, bail};
use rocm_audit::bytes::elf::Elf;
use rocm_audit::codeobject::symbol;
use rocm_audit::kernel::lines::{Depth, Frame, SourceLines};
use std::collections::BTreeMap;
use std::path::Path;

const SHOWN: usize = 12;

/// `SHT_SYMTAB`, `SHT_DYNSYM`.
const SYMBOL_TABLES: [u32; 2] = [2, 11];

/// Compares the chains of a list whose code objects are in a folder.
pub fn run(chains: &str, objects: &str, part: HeldPart) -> Result<()> {
    let text = super::text(chains)?;
    // Rows by code object: kernel, offset and chain.
    let mut rows: BTreeMap<&str, Vec<(&str, u64, &str)>> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [object, kernel, _, offset, chain] = columns.as_slice() else {
            bail!("a row without five columns: {line}")
        };
        if part.has(kernel) {
            rows.entry(object).or_default().push((kernel, offset.parse()?, chain));
        }
    }
    let (mut equal, mut different, mut absent) = (0, 0, 0);
    for (object, rows) in rows {
        let Ok(bytes) = std::fs::read(Path::new(objects).join(format!("{object}.co"))) else {
            absent += rows.len();
            continue;
        };
        let lines = SourceLines::read(&bytes, Depth::Chains)?.context("a code object without lines")?;
        let entries = entries(&bytes)?;
        for (kernel, offset, expected) in rows {
            let entry = entries.get(kernel).with_context(|| format!("no kernel {kernel}"))?;
            let found = lines.chain(entry + offset).iter().map(frame).collect::<Vec<_>>().join("|");
            if found == expected {
                equal += 1;
                continue;
            }
            different += 1;
            if different <= SHOWN {
                println!("{object} {kernel}+{offset:#x}: expected {expected}, found {found}");
            }
        }
    }
    println!("{equal} chains equal, {different} different, {absent} whose code objects are not there");
    if different > 0 || equal == 0 { bail!("{different} chains differ") } else { Ok(()) }
}

fn frame(frame: &Frame<'_>) -> String {
    let function = frame.function.map_or("??".into(), String::from_utf8_lossy);
    format!("{function}@{}:{}:{}", frame.file.as_deref().unwrap_or("??"), frame.line, frame.column)
}

/// Addresses of functions by name.
fn entries(bytes: &[u8]) -> Result<BTreeMap<String, u64>> {
    let elf = Elf::open(bytes, 0)?;
    let sections = elf.sections()?;
    let names = symbol::NameBudget::for_sections(&sections);
    let functions = symbol::table(&elf, &sections, SYMBOL_TABLES)?.filter(|one| one.kind == symbol::FUNC);
    let named = functions
        .filter_map(|one| Some((String::from_utf8_lossy(names.name(&one)?).into_owned(), one.value)));
    Ok(named.collect())
}
