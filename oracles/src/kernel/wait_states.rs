//! Wait states of all kernels of files: each pair that is too close; and with `s_nop`s taken out or shortened
//! one by one, how many of these are found, and why the others are not.

use super::different::{Counted, DifferentKernel, Sums};
use anyhow::Result;
use rocm_audit::isa::{Decoder, Flow, Mode};
use rocm_audit::kernel::hazards::{TooClose, WaitStates};
use rocm_audit::kernel::{Code, Graph};
use std::collections::BTreeMap;
use std::time::Instant;

#[derive(Default)]
struct PairCounts {
    judged: u64,
    /// Pairs by target, hazard and whether it is so each time, and kernels with any.
    kinds: BTreeMap<(String, &'static str, bool), u64>,
    kernels_with: [u64; 2],
}

impl Counted for PairCounts {
    fn add(&mut self, other: Self) {
        self.judged += other.judged;
        other.kinds.into_iter().for_each(|(kind, count)| *self.kinds.entry(kind).or_default() += count);
        self.kernels_with = [0, 1].map(|at| self.kernels_with[at] + other.kernels_with[at]);
    }
}

/// Looks at the wait states of all kernels of files and folders; with `--change N` at one in N of the different
/// ones with each `s_nop` changed.
pub fn run(words: &[&str]) -> Result<()> {
    let begun = Instant::now();
    let sums = Sums::of_kernels(words, &look)?;
    sums.print_alarms();
    println!(
        "{} kernels, {} different, {} judged instructions, {} alarms in {} kernels each time and {} along a way, undecided {:?}; {:.2} s",
        sums.kernels,
        sums.different,
        sums.counted.judged,
        sums.alarms.len(),
        sums.counted.kernels_with[1],
        sums.counted.kernels_with[0],
        sums.undecided,
        begun.elapsed().as_secs_f64()
    );
    for ((target, hazard, each_time), count) in &sums.counted.kinds {
        println!("{target} {hazard} {}: {count}", if *each_time { "each time" } else { "along a way" });
    }
    sums.print_changed()
}

fn look(kernel: &DifferentKernel<'_>, sums: &mut Sums<PairCounts>) {
    let found = WaitStates::from_graph(kernel.code, &Graph::from_code(kernel.code));
    sums.add_undecided(found.undecided());
    let any = |each_time: bool| found.too_close().iter().any(|one| one.is_each_time() == each_time);
    let counted = &mut sums.counted;
    counted.judged += u64::from(found.judged());
    counted.kernels_with[1] += u64::from(any(true));
    counted.kernels_with[0] += u64::from(!any(true) && any(false));
    for one in found.too_close() {
        let kind = (kernel.target.to_owned(), one.hazard(), one.is_each_time());
        *sums.counted.kinds.entry(kind).or_default() += 1;
        sums.alarms.push(line(kernel, one));
    }
    if kernel.is_changed && found.undecided().is_none() {
        change(kernel, found.too_close().len(), sums);
    }
}

fn line(kernel: &DifferentKernel<'_>, one: &TooClose) -> String {
    format!(
        "{} {} {:#x} {} | {:#x} {} | {} {} {} of {:?} {}",
        kernel.target,
        kernel.symbol,
        one.source(),
        kernel.text(one.source()),
        one.user(),
        kernel.text(one.user()),
        one.hazard(),
        one.register(),
        one.states(),
        one.needed(),
        if one.is_each_time() { "each time" } else { "along a way" }
    )
}

/// Shortens each `s_nop` of a kernel by one wait state, to one, and takes it out.
fn change(kernel: &DifferentKernel<'_>, before: usize, sums: &mut Sums<PairCounts>) {
    let (code, processor) = (kernel.code, kernel.processor());
    let Some(decoder) = Decoder::for_processor(processor, Mode::Correct) else { return };
    let bytes = code.bytes(0, code.size()).to_vec();
    let nops = code.steps().filter_map(|(at, _, found)| {
        let found = found.filter(|one| one.mnemonic() == "s_nop")?;
        Some((at, u32::from_le_bytes(code.bytes(at, 4).try_into().ok()?), found.to_string()))
    });
    for (at, word, _) in nops.collect::<Vec<_>>() {
        let states = word & 15;
        let mut changes = vec![("taken out", without(code, at))];
        let put = |states: u32| {
            let mut changed = bytes.clone();
            let new = word & !15 | states;
            changed.get_mut(at as usize..at as usize + 4)?.copy_from_slice(&new.to_le_bytes());
            Some(changed)
        };
        if states > 0 {
            changes.push(("shortened by one", put(states - 1)));
        }
        for (how, changed) in changes {
            let Some(changed) = changed else { continue };
            let changed = Code::new(decoder, &changed, 0..changed.len(), code.lanes());
            let is_found =
                WaitStates::from_graph(&changed, &Graph::from_code(&changed)).too_close().len() > before;
            sums.add_changed(processor, how, is_found);
            if !is_found {
                let why = (processor.to_owned(), format!("{how}: {}", reason(code, at)));
                let example = format!("{} {at:#x} {}", kernel.symbol, around(code, at));
                sums.add_missed(why, 1, example);
            }
        }
    }
}

/// What a `s_nop` is for that nothing is found without: by what stands before and behind it.
fn reason(code: &Code<'_>, at: u32) -> String {
    let mut before: Vec<String> = Vec::new();
    let mut behind = String::new();
    for (offset, _, found) in code.steps() {
        let name = found.map(|one| one.mnemonic().to_owned()).unwrap_or_default();
        if offset < at {
            before.push(name);
        } else if offset > at && behind.is_empty() && name != "s_nop" {
            behind = name;
        }
    }
    let is_fill = |name: &String| {
        ["s_branch", "s_inst_prefetch", "s_endpgm", "s_setpc_b64", "s_code_end"].contains(&name.as_str())
    };
    let is_memory = |name: &str| {
        ["s_load", "s_buffer", "global_", "flat_", "buffer_", "scratch_", "image_", "ds_"]
            .iter()
            .any(|head| name.starts_with(head))
    };
    let last = before.iter().rev().find(|name| *name != "s_nop");
    let near = before.iter().rev().take(24);
    let products =
        near.clone().filter(|name| name.starts_with("v_mfma") || name.starts_with("v_smfmac")).count();
    let why = match () {
        () if last.is_some_and(is_fill) || code.major() >= 10 => {
            "fills up to where a loop or function begins"
        }
        () if last.is_some_and(|name| name.starts_with("v_fma_mix")) => {
            "LLVM takes op_sel_hi of v_fma_mix for a result that is shifted"
        }
        () if is_memory(&behind) && last.is_some_and(|name| is_memory(name)) => {
            "ends a clause of memory (XNACK)"
        }
        () if products > 1 => {
            "products: another lies between, which the unit takes later anyway, or another s_nop is long enough"
        }
        () if products == 1 && is_memory(&behind) => "a load writes over a product",
        () if behind.ends_with("_dpp") => "the old value or second source of DPP",
        () if near.clone().any(|name| name.starts_with("v_cmpx")) && is_memory(&behind) => {
            "EXEC before memory"
        }
        () if products == 1 => "a product: s_nops are longer than they have to be",
        () if near.clone().any(|name| name.starts_with("v_dot")) => {
            "a dot product: s_nops are longer than they have to be"
        }
        () => return format!("before {behind}"),
    };
    why.to_owned()
}

/// The instructions around an offset.
fn around(code: &Code<'_>, at: u32) -> String {
    let texts: Vec<(u32, String)> = code
        .steps()
        .skip_while(|(offset, _, _)| *offset + 64 < at)
        .take_while(|(offset, _, _)| *offset < at + 16)
        .map(|(offset, _, found)| (offset, found.map(|one| one.to_string()).unwrap_or_default()))
        .collect();
    texts.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join("; ")
}

/// The code without the four bytes at an offset; nothing where a jump could not be set right.
fn without(code: &Code<'_>, at: u32) -> Option<Vec<u8>> {
    let mut bytes = code.bytes(0, code.size()).to_vec();
    for (offset, length, found) in code.steps() {
        let Some(found) = found else { continue };
        let distance = match found.flow() {
            Flow::Away | Flow::Call => return None,
            _ => found.target(),
        };
        let Some(distance) = distance else { continue };
        let to = i64::from(offset) + distance;
        let (low, high) = (to.min(i64::from(offset)), to.max(i64::from(offset)));
        if !(low <= i64::from(at) && i64::from(at) < high) || length != 4 {
            continue;
        }
        let word = bytes.get_mut(offset as usize..offset as usize + 2)?;
        let old = i16::from_le_bytes([word[0], word[1]]);
        let new = if to > i64::from(offset) { old - 1 } else { old + 1 };
        word.copy_from_slice(&new.to_le_bytes());
    }
    bytes.drain(at as usize..at as usize + 4);
    Some(bytes)
}
