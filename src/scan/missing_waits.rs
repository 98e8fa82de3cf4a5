//! Looks for results of memory that the kernels of a file use before they are there.

use super::opened_objects::each_object;
use super::pair_lines::PairLines;
use crate::codeobject::known_code::KnownCode;
use crate::codeobject::{self, demangle};
use crate::error::Unread;
use crate::input::device_file::DeviceFile;
use crate::inventory::close_instructions::{CloseInstructions, ClosePair};
use crate::inventory::missing_waits::{KernelWaits, MissingKernelWait, ResultMisuse};
use crate::inventory::when_missing::WhenMissing;
use crate::isa::processor::Isa;
use crate::kernel::hazards::{HazardFamily, NOT_JUDGED, TooClose, WaitStates};
use crate::kernel::waits::{MissingWait, Misuse, Undecided, Waits};
use crate::kernel::{Code, Graph, KernelObject};
use crate::target::TargetId;
use rayon::prelude::*;
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Missing waits that are kept of a kernel, and of a file.
const KEPT_OF_KERNEL: usize = 4;
const KEPT: usize = 4096;

/// Problems that are kept.
const PROBLEMS: usize = 16;

/// The kernels in which waits are looked for.
#[derive(Debug, Clone, Copy)]
pub struct WantedWaits<'a> {
    /// The targets whose kernels are looked at: all where none is named.
    pub targets: &'a [TargetId],
    /// What was found in the kernels of this run.
    pub judged: &'a JudgedKernels,
}

/// What was found in kernels, by their code: files of one release have many kernels in common. Of rocBLAS 6.4's
/// code for gfx90a a third is in two files.
#[derive(Debug, Default)]
pub struct JudgedKernels(KnownCode<Arc<Judged>>);

/// What is found in the code of a kernel.
#[derive(Debug)]
struct Judged {
    waits: Waits,
    states: WaitStates,
}

impl JudgedKernels {
    fn judge(&self, own: &Alike<'_>) -> Arc<Judged> {
        self.0.get_or_make(own.digest, || {
            let graph = Graph::from_code(&own.code);
            let waits = Waits::from_graph(&own.code, &graph);
            Arc::new(Judged { waits, states: WaitStates::from_graph(&own.code, &graph) })
        })
    }
}

/// Looks at the wanted kernels of all code objects.
pub fn check(open: &DeviceFile, wanted: WantedWaits<'_>) -> KernelWaits {
    let mut found = KernelWaits::default();
    each_object(open, &|_| true, &mut |at, bytes| {
        if let Err(what) = object(bytes, wanted, &mut found)
            && found.problems.len() < PROBLEMS
        {
            found.problems.push(format!("{at}: {what}"));
        }
    });
    keep_first(&mut found.missing);
    keep_first(&mut found.close.pairs);
    found
}

/// Bounds what is kept of a file.
fn keep_first<T: Ord>(rows: &mut Vec<T>) {
    rows.sort_rows();
    rows.truncate(KEPT);
}

/// Kernels of the same code: the first, where it begins, and how many there are.
struct Alike<'d> {
    code: Code<'d>,
    digest: u128,
    symbol: String,
    entry: u64,
    count: u64,
}

impl Alike<'_> {
    /// The symbol of the kernel without what marks its descriptor.
    fn name(&self) -> &str {
        self.symbol.trim_end_matches(".kd")
    }

    /// The instruction at an offset; empty where none begins.
    fn text(&self, offset: u32) -> String {
        self.code.instruction(offset).map_or_else(String::new, |one| one.to_string())
    }
}

/// The kernels of a code object that are reported.
struct Told<'o, 'd> {
    own: &'o Alike<'d>,
    target: &'o TargetId,
    lines: &'o PairLines<'d>,
}

impl Told<'_, '_> {
    /// The name of the kernel, demangled.
    fn kernel(&self) -> String {
        let symbol = self.own.name();
        demangle(symbol).unwrap_or_else(|| symbol.to_owned())
    }

    /// File and line of the instruction at an offset, where the code object says them.
    fn line(&self, offset: u32) -> Option<String> {
        self.lines.at(self.own.entry.saturating_add(u64::from(offset)))
    }
}

/// When something is missing, by whether that is each time.
fn when(is_each_time: bool) -> WhenMissing {
    if is_each_time { WhenMissing::EachTime } else { WhenMissing::AlongAWay }
}

fn object(bytes: &[u8], wanted: WantedWaits<'_>, found: &mut KernelWaits) -> Result<(), Unread> {
    let target = codeobject::target_of(bytes).ok_or("not a code object of a known target")?;
    if !target.is_wanted_by(wanted.targets) {
        return Ok(());
    }
    let lines = PairLines::new(bytes);
    let object = KernelObject::read(bytes, &target.processor).map_err(|error| error.to_string())?;
    let mut different: Vec<Alike<'_>> = Vec::new();
    let mut numbers: HashMap<u128, usize> = HashMap::new();
    let entries: BTreeSet<u64> = object.kernels().iter().map(|kernel| kernel.entry()).collect();
    for (_, addresses) in object.functions().filter(|(_, addresses)| !entries.contains(&addresses.start)) {
        found.functions += 1;
        found.function_bytes += addresses.end - addresses.start;
    }
    for kernel in object.kernels() {
        let Some(code) = object.code(kernel) else { continue };
        found.kernels += 1;
        let digest = code.digest();
        let number = *numbers.entry(digest).or_insert(different.len());
        match different.get_mut(number) {
            Some(own) => own.count += 1,
            None => different.push(Alike {
                code,
                digest,
                symbol: kernel.symbol().to_string(),
                entry: kernel.entry(),
                count: 1,
            }),
        }
    }
    let looked_at: Vec<Arc<Judged>> = different.par_iter().map(|own| wanted.judged.judge(own)).collect();
    for (own, judged) in different.iter().zip(&looked_at) {
        let told = Told { own, target: &target, lines: &lines };
        add(&told, &judged.waits, found);
        add_close(&told, &judged.states, &mut found.close);
    }
    if let Some(isa) = Isa::by_name(&target.processor)
        && let Some(family) = HazardFamily::from_isa(isa)
    {
        let own = NOT_JUDGED.iter().filter(|one| one.families.has(family));
        found.close.not_judged.extend(own.map(|one| format!("{}: {}", one.title, one.why)));
    }
    // What is kept is bounded while more code objects follow.
    if found.missing.len() > 2 * KEPT {
        keep_first(&mut found.missing);
    }
    if found.close.pairs.len() > 2 * KEPT {
        keep_first(&mut found.close.pairs);
    }
    Ok(())
}

fn add_close(told: &Told<'_, '_>, states: &WaitStates, close: &mut CloseInstructions) {
    let own = told.own;
    close.judged += u64::from(states.judged());
    if states.too_close().is_empty() {
        return;
    }
    close.kernels += own.count;
    for one in states.too_close() {
        *close.hazards.entry(one.hazard()).or_default() += 1;
        let sum = if one.is_each_time() { &mut close.each_time } else { &mut close.along_a_way };
        *sum += 1;
    }
    let kernel = told.kernel();
    let mut kept: Vec<&TooClose> = states.too_close().iter().collect();
    kept.sort_rows_by_key(|one| !one.is_each_time());
    close.pairs.extend(kept.into_iter().take(KEPT_OF_KERNEL).map(|one| ClosePair {
        when: when(one.is_each_time()),
        hazard: one.hazard(),
        title: one.title(),
        target_id: told.target.to_string(),
        kernel: kernel.clone(),
        symbol: own.name().to_owned(),
        user: one.user(),
        user_text: own.text(one.user()),
        user_line: told.line(one.user()),
        source: one.source(),
        source_text: own.text(one.source()),
        source_line: told.line(one.source()),
        register: one.register().to_owned(),
        states: one.states(),
        needed: one.needed(),
        alike: own.count - 1,
    }));
}

fn add(told: &Told<'_, '_>, waits: &Waits, found: &mut KernelWaits) {
    let own = told.own;
    found.different += 1;
    found.results += u64::from(waits.results());
    found.waits += u64::from(waits.waits());
    if let Some(why) = waits.undecided() {
        *found.undecided.entry(reason(why)).or_default() += own.count;
    }
    if !waits.empty_sums().is_empty() {
        found.empty_sums += waits.empty_sums().len() as u64;
        found.kernels_with_empty_sums += own.count;
    }
    if waits.missing().is_empty() {
        return;
    }
    found.kernels_with_missing += own.count;
    let each_time = waits.missing().iter().filter(|one| one.is_each_time()).count();
    found.missing_each_time += each_time as u64;
    found.missing_along_a_way += (waits.missing().len() - each_time) as u64;
    let kernel = told.kernel();
    let mut kept: Vec<&MissingWait> = waits.missing().iter().collect();
    kept.sort_rows_by_key(|one| (!one.is_each_time(), one.misuse() == Misuse::Overwritten));
    found.missing.extend(kept.into_iter().take(KEPT_OF_KERNEL).map(|one| MissingKernelWait {
        when: when(one.is_each_time()),
        target_id: told.target.to_string(),
        kernel: kernel.clone(),
        symbol: own.name().to_owned(),
        user: one.user(),
        user_text: own.text(one.user()),
        user_line: told.line(one.user()),
        source: one.source(),
        source_text: own.text(one.source()),
        source_line: told.line(one.source()),
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
        Undecided::ManyWays => "more ways to some results than are followed; all others were judged",
        _ => "not decided",
    }
}
