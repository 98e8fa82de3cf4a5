//! Our decoder compared with `llvm-objdump -d` on code objects of real packages.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, anyhow};
use rayon::prelude::*;
use rocm_audit::isa::{self, Step};

use super::check::SHOWN;
use super::corrections::DROPPED;
use super::llvm::Llvm;
use super::objdump::{self, Line};
use super::objects::PackageCodeObject;
use super::tally::{AddressContent, Code, histogram};
use super::truth::Compared;
use crate::digest::hex;

/// llvm-objdump takes a second for two million bytes: larger code objects are taken only if no smaller one is
/// there.
const LARGEST: u64 = 2 << 20;

/// How many of them run at once.
const AT_ONCE: usize = 2;

/// Library and processor.
type Stratum<'f> = (&'f str, &'f str);

/// What was found for one library and processor.
#[derive(Debug, Default)]
struct LibraryTally {
    objects: usize,
    bytes: u64,
    instructions: u64,
    unknown: u64,
    zero_blocks: u64,
    differences: Vec<String>,
}

/// Compares about `sample` of the code objects with llvm-objdump. Gives the number of code objects, and of
/// differences.
///
/// # Errors
/// Where llvm-objdump cannot be run.
pub fn compare(llvm: &Llvm, found: &[PackageCodeObject], sample: usize) -> Result<Compared> {
    let chosen = choose(found, sample);
    let bytes: u64 = chosen.iter().map(|one| one.text).sum();
    eprintln!("{} code objects, {} MB of machine code, for llvm-objdump", chosen.len(), bytes / 1_000_000);
    let empty = found.iter().filter(|one| one.text == 0).count();
    let old = found.iter().filter(|one| one.text > 0 && !is_disassembled(one)).count();
    println!(
        "never asked about: {empty} without machine code, {old} for gfx6 and gfx7, which LLVM does not disassemble"
    );
    let scratch = Scratch::new()?;
    let (rows, done) = (Mutex::new(BTreeMap::<Stratum<'_>, LibraryTally>::new()), AtomicUsize::new(0));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(AT_ONCE).build()?;
    pool.install(|| {
        chosen.iter().par_bridge().try_for_each(|one| {
            let row = compare_one(llvm, one, &scratch.0).with_context(|| one.place.shown())?;
            let number = done.fetch_add(1, Ordering::Relaxed) + 1;
            if number.is_multiple_of(50) {
                eprintln!("{number} of {} code objects", chosen.len());
            }
            row.differences.iter().take(SHOWN).for_each(|difference| {
                eprintln!("{} {} {}: {difference}", one.library, one.processor, one.place.shown());
            });
            let mut rows = rows.lock().map_err(|_| anyhow!("a thread panicked"))?;
            rows.entry((&one.library, &one.processor)).or_default().add(row);
            anyhow::Ok(())
        })
    })?;
    let rows = rows.into_inner().map_err(|_| anyhow!("a thread panicked"))?;
    let total = print(&rows);
    Ok((total.objects, total.differences.len()))
}

impl LibraryTally {
    fn add(&mut self, other: LibraryTally) {
        self.objects += other.objects;
        self.bytes += other.bytes;
        self.instructions += other.instructions;
        self.unknown += other.unknown;
        self.zero_blocks += other.zero_blocks;
        self.differences.extend(other.differences);
    }
}

/// The table, and its last line.
fn print(rows: &BTreeMap<Stratum<'_>, LibraryTally>) -> LibraryTally {
    let mut total = LibraryTally::default();
    let width = rows.keys().map(|(library, _)| library.len()).max().unwrap_or(0);
    let line = |library: &str, processor: &str, row: &LibraryTally| {
        println!(
            "{library:<width$} {processor:<16} {:>7} {:>8.1} {:>12} {:>7} {:>7} {:>11}",
            row.objects,
            row.bytes as f64 / 1e6,
            row.instructions,
            row.unknown,
            row.zero_blocks,
            row.differences.len()
        );
    };
    println!(
        "{:<width$} {:<16} {:>7} {:>8} {:>12} {:>7} {:>7} {:>11}",
        "library", "processor", "objects", "MB", "instructions", "unknown", "zeros", "differences"
    );
    for ((library, processor), row) in rows {
        line(library, processor, row);
        let LibraryTally { objects, bytes, instructions, unknown, zero_blocks, .. } = *row;
        let differences = row.differences.clone();
        total.add(LibraryTally { objects, bytes, instructions, unknown, zero_blocks, differences });
    }
    line("all", &format!("{} rows", rows.len()), &total);
    total
}

/// Whether LLVM 22 has a disassembler for the processor.
fn is_disassembled(one: &PackageCodeObject) -> bool {
    !["gfx6", "gfx7"].iter().any(|generation| one.processor.starts_with(generation))
}

/// Distinct code objects with machine code: as many of each library and processor as of the others, where
/// there are as many, spread evenly over their sizes; small ones first.
fn choose(found: &[PackageCodeObject], sample: usize) -> Vec<&PackageCodeObject> {
    let mut strata: BTreeMap<Stratum<'_>, Vec<&PackageCodeObject>> = BTreeMap::new();
    let mut seen = HashSet::new();
    let asked = |one: &&PackageCodeObject| one.text > 0 && is_disassembled(one);
    for one in found.iter().filter(asked).filter(|one| seen.insert(one.sha)) {
        strata.entry((&one.library, &one.processor)).or_default().push(one);
    }
    let mut strata: Vec<Vec<&PackageCodeObject>> = strata.into_values().collect();
    for stratum in &mut strata {
        stratum.sort_by_key(|one| (one.text, one.sha));
        let small = stratum.partition_point(|one| one.text <= LARGEST);
        stratum.truncate(small.max(1));
    }
    strata.sort_by_key(Vec::len);
    let (mut left, mut chosen) = (sample, Vec::<&PackageCodeObject>::new());
    let count = strata.len();
    for (index, stratum) in strata.iter().enumerate() {
        let share = left.div_ceil(count - index).clamp(1, stratum.len());
        left = left.saturating_sub(share);
        let last = stratum.len() - 1;
        chosen.extend((0..share).filter_map(|n| stratum.get(n * last / (share - 1).max(1)).copied()));
    }
    chosen.sort_by_key(|one| (one.text, one.sha));
    chosen
}

/// Disassembles one code object with both, step by step, and compares the histograms of both.
fn compare_one(llvm: &Llvm, one: &PackageCodeObject, scratch: &Path) -> Result<LibraryTally> {
    let bytes = one.place.read()?;
    let file = scratch.join(format!("{}.co", hex(&one.sha)));
    std::fs::write(&file, &bytes)?;
    let code = Code::from_bytes(&bytes)?;
    let counts = code.count()?;
    let mut differences = code.problems.clone();
    let mut walk = code.walk().context("no tables")?;
    let mut apart = false;
    let (mut theirs, mut unknown, mut zero_blocks) = (HashMap::<String, u64>::new(), 0, 0);
    let dropped = DROPPED.iter().find(|(dropped, ..)| *dropped == code.processor).map(|(_, same, _)| *same);
    let processor = dropped.or((!code.in_header).then_some(code.processor.as_str()));
    let result = objdump::disassemble(llvm, &file, processor, &mut |line| {
        match line {
            Line::Other => return,
            Line::Instruction(_, mnemonic) => *theirs.entry(mnemonic.name()).or_default() += 1,
            Line::Unknown(_) => unknown += 1,
            Line::Zeros => zero_blocks += 1,
        }
        // Once apart, all that follows would differ.
        if !apart {
            let stop = walk.next();
            apart = !agree(stop.as_ref(), &line);
            if apart {
                differences.push(format!("llvm-objdump {line:x?}, ours {}", shown(stop.as_ref())));
            }
        }
    });
    std::fs::remove_file(&file)?;
    std::fs::remove_file(file.with_extension("stderr"))?;
    if let Err(error) = result {
        differences.push(error.to_string());
    }
    if let (false, Some(stop)) = (apart, walk.next()) {
        differences.push(format!("llvm-objdump ends, ours {}", shown(Some(&stop))));
    }
    let mut compare = |what: &str, ours: u64, theirs: u64| {
        if ours != theirs {
            differences.push(format!("{what}: ours {ours}, llvm-objdump {theirs}"));
        }
    };
    for (name, count) in histogram(&counts) {
        compare(name, count, theirs.remove(name).unwrap_or(0));
    }
    theirs.iter().for_each(|(name, count)| compare(name, 0, *count));
    compare("unknown words", counts.unknown, unknown);
    compare("zero blocks", counts.zero_blocks, zero_blocks);
    Ok(LibraryTally {
        objects: 1,
        bytes: code.text_bytes(),
        instructions: counts.instructions(),
        unknown,
        zero_blocks,
        differences,
    })
}

/// Whether one of our steps is what a line says.
fn agree(stop: Option<&AddressContent<'_>>, line: &Line<'_>) -> bool {
    match (stop, line) {
        (
            Some(AddressContent { address, step: Step::Instruction(one), .. }),
            Line::Instruction(at, mnemonic),
        ) => address == at && mnemonic.is(isa::mnemonic(one.mnemonic)),
        (Some(AddressContent { address, step: Step::Unknown(_), .. }), Line::Unknown(at)) => address == at,
        (Some(AddressContent { step: Step::Zeros(_), .. }), Line::Zeros) => true,
        _ => false,
    }
}

fn shown(stop: Option<&AddressContent<'_>>) -> String {
    let Some(stop) = stop else { return "end".to_owned() };
    let what = match stop.step {
        Step::Instruction(one) => format!("{} {}", isa::mnemonic(one.mnemonic), one.length),
        Step::Zeros(bytes) => format!("{bytes} zeros"),
        Step::Unknown(_) => "unknown".to_owned(),
    };
    let bytes = stop.bytes.get(..20.min(stop.bytes.len())).unwrap_or_default();
    format!("{what} at {:x}: {}", stop.address, hex(bytes))
}

/// A folder for code objects, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("isa-oracle-{}", std::process::id()));
        std::fs::create_dir(&folder).with_context(|| folder.display().to_string())?;
        Ok(Scratch(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::objects::CodeObjectPlace;

    fn one(library: &str, number: u8, text: u64) -> PackageCodeObject {
        let place = CodeObjectPlace { path: PathBuf::new(), bundle: 0, entry: 0 };
        PackageCodeObject {
            library: library.to_owned(),
            processor: "gfx906".to_owned(),
            text,
            sha: [number; 32],
            place,
        }
    }

    #[test]
    fn every_library_has_its_share() {
        let mut found: Vec<PackageCodeObject> =
            (0..100).map(|n| one("large", n, u64::from(n) * 100)).collect();
        found.extend([one("small", 200, 8), one("huge", 201, LARGEST * 9), one("huge", 202, LARGEST * 8)]);
        let chosen = choose(&found, 12);
        let of = |library| chosen.iter().filter(|one| one.library == library).collect::<Vec<_>>();
        assert_eq!((of("small").len(), of("large").len()), (1, 10));
        assert_eq!(of("huge").iter().map(|one| one.text).collect::<Vec<_>>(), [LARGEST * 8]);
        let sizes: Vec<u64> = of("large").iter().map(|one| one.text).collect();
        assert_eq!((sizes.first(), sizes.last()), (Some(&100), Some(&9900)));
        assert!(chosen.is_sorted_by_key(|one| one.text));
    }
}
