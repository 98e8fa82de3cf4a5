//! Looks for results of memory that the kernels of a file use before they are there.

use super::opened_objects::each_object;
use crate::codeobject::{self, demangle};
use crate::error::Unread;
use crate::input::device_file::DeviceFile;
use crate::inventory::missing_waits::{KernelWaits, MissingKernelWait, ResultMisuse, WhenMissing};
use crate::kernel::waits::{MissingWait, Misuse, Undecided, Waits};
use crate::kernel::{Code, Graph, KernelObject};
use crate::target::TargetId;
use rayon::prelude::*;
use std::collections::HashMap;

/// Missing waits that are kept of a kernel, and of a file.
const KEPT_OF_KERNEL: usize = 4;
const KEPT: usize = 4096;

/// Problems that are kept.
const PROBLEMS: usize = 16;

/// Looks at the kernels of all code objects that load on one of `targets`; at all where none is named.
pub fn check(open: &DeviceFile, targets: &[TargetId]) -> KernelWaits {
    let mut found = KernelWaits::default();
    each_object(open, &|_| true, &mut |at, bytes| {
        if let Err(what) = object(bytes, targets, &mut found)
            && found.problems.len() < PROBLEMS
        {
            found.problems.push(format!("{at}: {what}"));
        }
    });
    keep_first(&mut found.missing);
    found
}

/// Bounds what is kept of a file.
fn keep_first(missing: &mut Vec<MissingKernelWait>) {
    missing.sort();
    missing.truncate(KEPT);
}

/// Kernels of the same code: the first, and how many there are.
struct Alike<'d> {
    code: Code<'d>,
    symbol: String,
    count: u64,
}

fn object(bytes: &[u8], targets: &[TargetId], found: &mut KernelWaits) -> Result<(), Unread> {
    let target = codeobject::target_of(bytes).ok_or("not a code object of a known target")?;
    if !target.is_wanted_by(targets) {
        return Ok(());
    }
    let object = KernelObject::read(bytes, &target.processor).map_err(|error| error.to_string())?;
    let mut different: Vec<Alike<'_>> = Vec::new();
    #[expect(
        clippy::mutable_key_type,
        reason = "tables that a decoder makes when they are asked for are in no hash"
    )]
    let mut numbers: HashMap<Code<'_>, usize> = HashMap::new();
    for kernel in object.kernels() {
        let Some(code) = object.code(kernel) else { continue };
        found.kernels += 1;
        let number = *numbers.entry(code.clone()).or_insert(different.len());
        match different.get_mut(number) {
            Some(own) => own.count += 1,
            None => different.push(Alike { code, symbol: kernel.symbol().to_string(), count: 1 }),
        }
    }
    let looked_at: Vec<Waits> =
        different.par_iter().map(|own| Waits::from_graph(&own.code, &Graph::from_code(&own.code))).collect();
    for (own, waits) in different.iter().zip(&looked_at) {
        add(own, waits, &target, found);
    }
    // What is kept is bounded while more code objects follow.
    if found.missing.len() > 2 * KEPT {
        keep_first(&mut found.missing);
    }
    Ok(())
}

fn add(own: &Alike<'_>, waits: &Waits, target: &TargetId, found: &mut KernelWaits) {
    found.different += 1;
    found.results += u64::from(waits.results());
    found.waits += u64::from(waits.waits());
    if let Some(why) = waits.undecided() {
        *found.undecided.entry(reason(why)).or_default() += own.count;
    }
    if waits.missing().is_empty() {
        return;
    }
    found.kernels_with_missing += own.count;
    let each_time = waits.missing().iter().filter(|one| one.is_each_time()).count();
    found.missing_each_time += each_time as u64;
    found.missing_along_a_way += (waits.missing().len() - each_time) as u64;
    let symbol = own.symbol.trim_end_matches(".kd");
    let mut kept: Vec<&MissingWait> = waits.missing().iter().collect();
    kept.sort_by_key(|one| (!one.is_each_time(), one.misuse() == Misuse::Overwritten));
    let text = |offset| own.code.instruction(offset).map_or_else(String::new, |one| one.to_string());
    found.missing.extend(kept.into_iter().take(KEPT_OF_KERNEL).map(|one| MissingKernelWait {
        when: if one.is_each_time() { WhenMissing::EachTime } else { WhenMissing::AlongAWay },
        target_id: target.to_string(),
        kernel: demangle(symbol).unwrap_or_else(|| symbol.to_owned()),
        symbol: symbol.to_owned(),
        user: one.user(),
        user_text: text(one.user()),
        source: one.source(),
        source_text: text(one.source()),
        misuse: match one.misuse() {
            Misuse::Read => ResultMisuse::Read,
            Misuse::Overwritten => ResultMisuse::Overwritten,
        },
        register: one.register().to_owned(),
        counter: one.counter().name(own.code.major()),
        alike: own.count - 1,
    }));
}

fn reason(why: Undecided) -> &'static str {
    match why {
        Undecided::UnknownWords => "words that are no instruction of the target",
        Undecided::IndexedRegisters => "registers that are named by the value of others",
        Undecided::IndirectJump => "a jump to where a register says; what follows it was not looked at",
        Undecided::TooLarge => "too entangled",
        _ => "not decided",
    }
}
