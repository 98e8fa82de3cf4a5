//! What code objects need and have that a device or a reader cannot give or take: registers, private memory,
//! foreign instructions, magics by chance.

use crate::codeobject::KernelTotals;
use crate::finding::Finding;
use crate::finding::location::Location;
use crate::finding::rules::code;
use crate::inventory::missing_waits::KernelWaits;
use crate::inventory::when_missing::WhenMissing;
use crate::inventory::{DeviceCode, TargetCode};
use crate::kernel::occupancy::{Hardware, LARGEST_WORKGROUP, Spread};
use crate::target::TargetId;

/// What is found in the device code of the file at `path`.
pub(super) fn code_limit_findings(path: &str, device: &DeviceCode) -> Vec<Finding> {
    let mut all: Vec<Finding> =
        device.targets.iter().flat_map(|(target, code)| of_target(path, target, code)).collect();
    if let Some(first) = device.magics_inside.first() {
        let what = format!("compressed bytes that read CCOB, {} in the file", device.magics_inside.len());
        let place = Location { offset: Some(*first), ..Location::file(path, what) };
        let count = device.magics_inside.len() as u64;
        all.push(Finding { count, ..Finding::at(&code::MAGIC_IN_COMPRESSED_BYTES, place) });
    }
    all
}

fn of_target(path: &str, target: &TargetId, code: &TargetCode) -> Vec<Finding> {
    let kernels = &code.kernels;
    let unknown = code.instructions.as_ref().map_or(0, |instructions| instructions.unknown());
    let beyond = beyond_target(target, kernels);
    let rows = [
        (
            &code::RESOURCES_BEYOND_TARGET,
            beyond.len() as u64,
            format!("kernels with up to {}", beyond.join(" and ")),
        ),
        (
            &code::REGISTERS_BEYOND_WORK_GROUP,
            kernels.beyond_registers(),
            format!("{} of {} kernels", kernels.beyond_registers(), kernels.count()),
        ),
        (
            &code::MUCH_PRIVATE_MEMORY,
            kernels.much_scratch(),
            format!(
                "{} of {} kernels, up to {} bytes for each work-item",
                kernels.much_scratch(),
                kernels.count(),
                kernels.max_scratch()
            ),
        ),
        (&code::WORDS_OF_NO_INSTRUCTION, unknown, format!("{unknown} words among the machine code")),
    ];
    let some = rows.into_iter().filter(|(_, count, _)| *count > 0);
    some.map(|(rule, count, what)| Finding {
        target: Some(target.to_string()),
        count,
        ..Finding::of_file(rule, path, what)
    })
    .collect()
}

/// Results of memory that kernels use before they are there, and instructions that are too close to each other,
/// in the file at `path`.
pub(super) fn wait_findings(path: &str, waits: Option<&KernelWaits>) -> Vec<Finding> {
    let Some(waits) = waits else { return Vec::new() };
    let rows = [
        (&code::RESULT_USED_EARLY, WhenMissing::EachTime, waits.missing_each_time),
        (&code::WAIT_MISSING_ON_A_WAY, WhenMissing::AlongAWay, waits.missing_along_a_way),
    ];
    let some = rows.into_iter().filter(|(.., count)| *count > 0);
    let named =
        |target_id: &str, kernel: &str, sentence: String| format!("{target_id}, {kernel}: {sentence}");
    let missing = some.map(|(rule, when, count)| {
        let first = waits.missing.iter().find(|one| one.when == when);
        let what = first.map_or_else(String::new, |one| named(&one.target_id, &one.kernel, one.sentence("")));
        Finding { count, ..Finding::of_file(rule, path, what) }
    });
    let close = &waits.close;
    let count = close.each_time + close.along_a_way;
    let first = close.pairs.first().filter(|_| count > 0);
    let too_close = first.map(|one| {
        let what = named(&one.target_id, &one.kernel, one.sentence(""));
        Finding { count, ..Finding::of_file(&code::WAIT_STATES_MISSING, path, what) }
    });
    missing.chain(too_close).collect()
}

/// Scalar registers that a wave can be given, VCC and what traps and scratch need among them: 102 to 106 and
/// six others, rounded up; from gfx10 on every wave has all of them.
fn scalar_registers(gives_all: bool) -> u32 {
    if gives_all { 128 } else { 112 }
}

/// What the most demanding kernels state that no work-group or wave of the target can have; nothing where the
/// target is not known.
fn beyond_target(target: &TargetId, kernels: &KernelTotals) -> Vec<String> {
    let of = |lanes| Hardware::for_processor(&target.processor, lanes, Spread::WorkgroupProcessor);
    // Waves of 32 can name more registers than those of 64 if there are both.
    let narrow = of(32);
    let Some(most) = narrow.or_else(|| of(64)) else { return Vec::new() };
    let rows = [
        (kernels.max_lds(), most.addressable_lds(), "bytes of LDS", "a work-group"),
        (kernels.max_vgprs(), most.addressable_vgprs(), "vector registers", "a wave"),
        (kernels.max_sgprs(), scalar_registers(narrow.is_some()), "scalar registers", "a wave"),
        (kernels.max_workgroup(), LARGEST_WORKGROUP, "work-items in a work-group", "a work-group"),
    ];
    let beyond = rows.into_iter().filter(|(stated, most, ..)| *stated > u64::from(*most));
    beyond.map(|(stated, most, what, whose)| format!("{stated} {what}, where {whose} has {most}")).collect()
}
