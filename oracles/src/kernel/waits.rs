//! Waits of all kernels of files: each alarm; and with waits taken out or weakened one by one, how many of
//! these are found.

use super::different::{Counted, DifferentKernel, Sums};
use anyhow::Result;
use rocm_audit::isa::{Decoder, Mode};
use rocm_audit::kernel::waits::Waits;
use rocm_audit::kernel::{Code, Graph};
use std::collections::BTreeSet;
use std::time::Instant;

#[derive(Default)]
struct WaitCounts {
    waits: u64,
    results: u64,
    with_empty_sums: BTreeSet<u64>,
}

impl Counted for WaitCounts {
    fn add(&mut self, other: Self) {
        self.waits += other.waits;
        self.results += other.results;
        self.with_empty_sums.extend(other.with_empty_sums);
    }
}

/// Looks at the waits of all kernels of files and folders; with `--change N` at one in N of the different
/// ones with each wait changed.
pub fn run(words: &[&str]) -> Result<()> {
    let begun = Instant::now();
    let sums = Sums::of_kernels(words, &look)?;
    sums.print_alarms();
    println!(
        "{} kernels, {} different, {} waits, {} results, {} alarms in {} kernels, {} kernels with \
         empty sums, undecided {:?}; {:.2} s",
        sums.kernels,
        sums.different,
        sums.counted.waits,
        sums.counted.results,
        sums.alarms.len(),
        sums.kernels_with_alarms(),
        sums.kernels_among(&sums.counted.with_empty_sums),
        sums.undecided,
        begun.elapsed().as_secs_f64()
    );
    sums.print_changed()
}

fn look(kernel: &DifferentKernel<'_>, sums: &mut Sums<WaitCounts>) {
    let graph = Graph::from_code(kernel.code);
    let waits = Waits::from_graph(kernel.code, &graph);
    sums.counted.waits += u64::from(waits.waits());
    sums.counted.results += u64::from(waits.results());
    sums.add_undecided(waits.undecided());
    if !waits.empty_sums().is_empty() {
        sums.counted.with_empty_sums.insert(kernel.hash);
    }
    if !waits.missing().is_empty() {
        sums.alarming.insert(kernel.hash);
    }
    for one in waits.missing() {
        sums.alarms.push(format!(
            "{} {} {:#x} {} | {:#x} {} | {} {:?} {:?} {}",
            kernel.target,
            kernel.symbol,
            one.source(),
            kernel.text(one.source()),
            one.user(),
            kernel.text(one.user()),
            one.register(),
            one.counter(),
            one.misuse(),
            if one.is_each_time() { "each time" } else { "along a way" }
        ));
    }
    if kernel.is_changed && waits.missing().is_empty() {
        change(kernel, sums);
    }
}

/// Takes each wait of a kernel out, and weakens each, one by one.
fn change(kernel: &DifferentKernel<'_>, sums: &mut Sums<WaitCounts>) {
    const NOTHING: u32 = 0xbf80_0000;
    let (code, processor) = (kernel.code, kernel.processor());
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
            sums.add_changed(processor, how, found);
            if !found {
                let why = match () {
                    () if is_deleted_found => {
                        "one more may be left: the last on its way has no result or is used later".to_owned()
                    }
                    () => reason(code, *at, &pairs),
                };
                let example = format!("{processor} {text} {at:#x} {}", kernel.symbol);
                sums.add_missed((how.to_owned(), why), 1, example);
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
