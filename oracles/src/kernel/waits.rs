//! Waits of all kernels of files: each alarm; and with waits taken out or weakened one by one, how many of
//! these are found.

use super::all::each_object;
use anyhow::{Result, bail};
use rocm_audit::isa::{Decoder, Mode};
use rocm_audit::kernel::waits::{Undecided, Waits};
use rocm_audit::kernel::{Code, Graph, KernelObject};
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Mutex;
use std::time::Instant;

#[derive(Default)]
struct Sums {
    kernels: u64,
    different: u64,
    waits: u64,
    results: u64,
    undecided: BTreeMap<Undecided, u64>,
    alarms: Vec<String>,
    /// Changed waits and how many were found, by the processor and how they were changed.
    changed: BTreeMap<(String, &'static str), (u64, u64)>,
    /// Those that were not, by how they were changed and the reason, with the first of each.
    missed: BTreeMap<(&'static str, String), (u64, String)>,
}

/// Looks at the waits of all kernels of files and folders; with `--change N` at one in N of the different
/// ones with each wait changed.
pub fn run(words: &[&str]) -> Result<()> {
    let (paths, one_in) = match words {
        [paths @ .., "--change", one_in] => (paths, Some(one_in.parse::<u64>()?)),
        paths => (paths, None),
    };
    let begun = Instant::now();
    let (sums, seen) = (Mutex::new(Sums::default()), Mutex::new(BTreeSet::new()));
    each_object(paths, &|opened, target| object(opened, target, one_in, &sums, &seen))?;
    let mut sums = sums.into_inner().unwrap_or_default();
    sums.alarms.sort();
    sums.alarms.iter().for_each(|alarm| println!("{alarm}"));
    println!(
        "{} kernels, {} different, {} waits, {} results, {} alarms, undecided {:?}; {:.2} s",
        sums.kernels,
        sums.different,
        sums.waits,
        sums.results,
        sums.alarms.len(),
        sums.undecided,
        begun.elapsed().as_secs_f64()
    );
    for ((target, how), (all, found)) in &sums.changed {
        println!("{target} {how}: {found} of {all} found");
    }
    for ((how, why), (count, first)) in &sums.missed {
        println!("not found, {how}: {count} {why}; {first}");
    }
    if sums.kernels == 0 { bail!("no kernels") } else { Ok(()) }
}

fn object(
    opened: &KernelObject<'_>,
    target: &str,
    one_in: Option<u64>,
    sums: &Mutex<Sums>,
    seen: &Mutex<BTreeSet<u64>>,
) {
    let mut own = Sums::default();
    for kernel in opened.kernels() {
        let Some(code) = opened.code(kernel) else { continue };
        own.kernels += 1;
        let mut hasher = DefaultHasher::new();
        code.hash(&mut hasher);
        let hash = hasher.finish();
        if seen.lock().is_ok_and(|mut seen| !seen.insert(hash)) {
            continue;
        }
        let graph = Graph::from_code(&code);
        let waits = Waits::from_graph(&code, &graph);
        own.different += 1;
        own.waits += u64::from(waits.waits());
        own.results += u64::from(waits.results());
        if let Some(why) = waits.undecided() {
            *own.undecided.entry(why).or_default() += 1;
        }
        let text = |offset: u32| code.instruction(offset).map(|one| one.to_string()).unwrap_or_default();
        for one in waits.missing() {
            own.alarms.push(format!(
                "{target} {} {:#x} {} | {:#x} {} | {} {:?} {:?} {}",
                kernel.symbol(),
                one.source(),
                text(one.source()),
                one.user(),
                text(one.user()),
                one.register(),
                one.counter(),
                one.misuse(),
                if one.is_each_time() { "each time" } else { "along a way" }
            ));
        }
        if one_in.is_some_and(|one_in| hash.is_multiple_of(one_in)) && waits.missing().is_empty() {
            let processor = target.split(':').next().unwrap_or(target);
            change(&code, processor, kernel.symbol().to_string(), &mut own);
        }
    }
    let Ok(mut all) = sums.lock() else { return };
    all.kernels += own.kernels;
    all.different += own.different;
    all.waits += own.waits;
    all.results += own.results;
    own.undecided.into_iter().for_each(|(why, count)| *all.undecided.entry(why).or_default() += count);
    all.alarms.extend(own.alarms);
    for (key, (count, first)) in own.missed {
        all.missed.entry(key).or_insert((0, first)).0 += count;
    }
    for (key, (every, found)) in own.changed {
        let sum = all.changed.entry(key).or_default();
        *sum = (sum.0 + every, sum.1 + found);
    }
}

/// Takes each wait of a kernel out, and weakens each, one by one.
fn change(code: &Code<'_>, processor: &str, name: String, own: &mut Sums) {
    const NOTHING: u32 = 0xbf80_0000;
    let Some(decoder) = Decoder::for_processor(processor, Mode::Correct) else { return };
    let mut bytes = code.bytes(0, code.size()).to_vec();
    let places: Vec<(u32, u32, String)> = code
        .steps()
        .filter_map(|(at, _, found)| {
            let found = found.filter(|one| one.is_wait() && one.length() == 4)?;
            let word = u32::from_le_bytes(code.bytes(at, 4).try_into().ok()?);
            Some((at, word, found.to_string()))
        })
        .filter(|(_, _, text)| {
            ![
                "depctr",
                "s_wait_alu",
                "expcnt",
                "vscnt",
                "storecnt ",
                "xcnt",
                "event",
                "idle",
                "asynccnt",
                "tensorcnt",
            ]
            .iter()
            .any(|other| text.contains(other))
        })
        .collect();
    let pairs = pairs_without_waits(code, decoder, &places);
    for (at, word, text) in &places {
        let mut changes = vec![("deleted", NOTHING)];
        changes.extend(weakened(*word, text, processor).map(|word| ("weakened", word)));
        let mut is_deleted_found = false;
        for (how, new) in changes {
            bytes[*at as usize..*at as usize + 4].copy_from_slice(&new.to_le_bytes());
            let changed = Code::new(decoder, &bytes, 0..bytes.len(), code.lanes());
            let graph = Graph::from_code(&changed);
            let found = !Waits::from_graph(&changed, &graph).missing().is_empty();
            let sum = own.changed.entry((processor.to_owned(), how)).or_default();
            *sum = (sum.0 + 1, sum.1 + u64::from(found));
            if !found {
                let why = match () {
                    () if is_deleted_found => {
                        "one more may be left: the last on its way has no result or is used later".to_owned()
                    }
                    () => reason(code, *at, &pairs),
                };
                let first = format!("{processor} {text} {at:#x} {name}");
                own.missed.entry((how, why)).or_insert((0, first)).0 += 1;
            }
            is_deleted_found |= found && how == "deleted";
        }
        bytes[*at as usize..*at as usize + 4].copy_from_slice(&word.to_le_bytes());
    }
}

/// Each result with its first user, as offsets, if a kernel had no waits at all.
fn pairs_without_waits(code: &Code<'_>, decoder: &Decoder, places: &[(u32, u32, String)]) -> Vec<(u32, u32)> {
    let mut bytes = code.bytes(0, code.size()).to_vec();
    for (at, ..) in places {
        bytes[*at as usize..*at as usize + 4].copy_from_slice(&0xbf80_0000u32.to_le_bytes());
    }
    let bare = Code::new(decoder, &bytes, 0..bytes.len(), code.lanes());
    let waits = Waits::from_graph(&bare, &Graph::from_code(&bare));
    waits.missing().iter().map(|one| (one.source(), one.user())).collect()
}

/// Why a kernel without a wait uses no result too early: another wait covers all that are used behind it, or none
/// is used there, and the wait keeps an order.
fn reason(code: &Code<'_>, at: u32, pairs: &[(u32, u32)]) -> String {
    if pairs.iter().any(|(source, user)| *source < at && at < *user) {
        return "another wait covers the results that are used behind it".to_owned();
    }
    if pairs.iter().any(|(source, user)| user <= source && (at < *user || *source < at)) {
        return "another wait covers the results that are used around a loop".to_owned();
    }
    let behind = code.steps().filter(|(offset, ..)| *offset > at).find_map(|(.., found)| {
        let found = found.filter(|one| !one.is_wait())?;
        Some(found.mnemonic())
    });
    let kind = match behind.unwrap_or_default() {
        name if name.starts_with("s_barrier") => "a barrier",
        name if name.starts_with("s_endpgm") => "the end",
        name if name.starts_with("s_setpc") || name.starts_with("s_swappc") => "a call or return",
        name if name.contains("inv") || name.contains("wb") => "a cache is written back or emptied",
        name if name.contains("atomic") => "an atomic operation",
        name if name.contains("store") || name.contains("write") => "a store",
        name if name.contains("load") || name.contains("read") => "a load",
        _ => "other instructions",
    };
    format!("no result that was on its way is used behind it; it keeps the order before {kind}")
}

/// The same wait with one more of the counter that it names first.
fn weakened(word: u32, text: &str, processor: &str) -> Option<u32> {
    let number = word & 0xffff;
    let step = |low: u32, width: u32| {
        let most = (1 << width) - 1;
        (number >> low & most < most).then(|| word + (1 << low))
    };
    let is_new = processor.starts_with("gfx12");
    if is_new {
        let low = if text.contains("_dscnt") && text.contains("loadcnt_") { 8 } else { 0 };
        return step(low, 6);
    }
    let is_gfx11 = processor.starts_with("gfx11");
    match () {
        () if text.contains("vmcnt") => step(if is_gfx11 { 10 } else { 0 }, if is_gfx11 { 6 } else { 4 }),
        () if text.contains("lgkmcnt") => step(if is_gfx11 { 4 } else { 8 }, if is_gfx11 { 6 } else { 4 }),
        () => None,
    }
}
