//! Makes the parts of reports that concern instructions.

use super::instruction_parts::parts;
use super::v1::{self, Evidence};
use crate::capability::instructions::{ClassAnswer, ClassUse, LibraryCode, class_uses};
use crate::capability::library_part::LibraryPart;
use crate::codeobject::demangle;
use crate::codeobject::disassembly::Histogram;
use crate::codeobject::instruction_tally::InstructionTally;
use crate::codeobject::listing::Line;
use crate::inventory::file_code::KernelHistogram;
use crate::isa::body::Body;
use crate::isa::class::{self, CLASSES};
use crate::isa::legality::{Absent, KernelNeed, NeedOccurrence, Occurrence, Reason};
use crate::isa::mnemonic;
use crate::isa::processor::Isa;
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::collections::BTreeMap;

/// The rows of an audit, one for each library and processor.
pub(super) fn of_libraries(code: &[LibraryCode<'_>]) -> Vec<v1::LibraryInstructions> {
    let row = |row: &LibraryCode<'_>| v1::LibraryInstructions {
        part: part(row.part),
        processor: row.processor.clone(),
        instructions: of_target(&row.processor, row.objects, &row.tally, false, None),
    };
    code.iter().map(row).collect()
}

/// The code of a library.
pub(super) fn part(part: LibraryPart<'_>) -> v1::LibraryPart {
    v1::LibraryPart {
        library: part.library.to_owned(),
        tensile: part.tensile,
        place: part.place.map(str::to_owned),
    }
}

/// Which libraries use the most telling classes.
pub(super) fn answers(answers: &[ClassAnswer<'_>]) -> Vec<v1::ClassAnswer> {
    let user = |(library, code_objects, of): &(LibraryPart<'_>, u64, u64)| v1::ClassUser {
        part: part(*library),
        code_objects: *code_objects,
        of_code_objects: *of,
    };
    let row = |answer: &ClassAnswer<'_>| v1::ClassAnswer {
        processor: answer.processor.to_owned(),
        class: answer.class.id.to_owned(),
        observed: answer.observed,
        libraries: answer.libraries.iter().map(user).collect(),
    };
    answers.iter().map(row).collect()
}

/// The row of a target with `objects` code objects, some of them decoded.
pub(super) fn of_target(
    processor: &str,
    objects: u64,
    tally: &InstructionTally,
    mnemonics: bool,
    other: Option<&str>,
) -> v1::Instructions {
    let class = |row: ClassUse| v1::ClassRow {
        class: row.class.id.to_owned(),
        expected: row.expected,
        expected_evidence: Evidence::Code,
        observed: row.observed,
        code_objects: row.code_objects,
    };
    v1::Instructions {
        code_objects: tally.objects(),
        not_decoded: not_decoded(objects, tally),
        instructions: tally.instructions(),
        unknown_words: tally.unknown(),
        zero_bytes: tally.zero_bytes(),
        data_bytes: tally.data_bytes(),
        bodies: v1::Bodies {
            real: tally.bodies_that_are(Body::Real),
            empty: tally.bodies_that_are(Body::Empty),
            trap_stub: tally.bodies_that_are(Body::TrapStub),
            unclear: tally.bodies_that_are(Body::Unclear),
        },
        classes: class_uses(processor, tally).into_iter().map(class).collect(),
        mnemonics: if mnemonics { mnemonic_rows(tally.histogram()) } else { Vec::new() },
        absent: other.map(|other| absent(other, tally.absent())),
    }
}

/// How many code objects have no decoded machine code.
pub(super) fn not_decoded(objects: u64, tally: &InstructionTally) -> u64 {
    objects.saturating_sub(tally.objects())
}

/// A histogram, most frequent first.
fn mnemonic_rows(histogram: &Histogram) -> Vec<v1::MnemonicRow> {
    let mut rows: Vec<v1::MnemonicRow> = histogram
        .iter()
        .map(|(number, count)| v1::MnemonicRow { mnemonic: mnemonic(*number).to_owned(), count: *count })
        .collect();
    rows.sort_rows_by(|a, b| b.count.cmp(&a.count).then_with(|| a.mnemonic.cmp(&b.mnemonic)));
    rows
}

fn absent(processor: &str, absent: &Absent) -> v1::Absent {
    let row = |(number, reason, occurrence): (u16, Reason, &Occurrence)| v1::AbsentRow {
        mnemonic: mnemonic(number).to_owned(),
        there: match reason {
            Reason::Missing | Reason::OddRegisters | Reason::UnknownBits => None,
            Reason::Other(other) => Some(mnemonic(other).to_owned()),
            Reason::OtherOperands => occurrence.texts.as_ref().map(|[_, there]| there.clone()),
        },
        here: occurrence.texts.as_ref().map(|[here, _]| here.clone()),
        odd_registers: reason == Reason::OddRegisters,
        other_operands: reason == Reason::OtherOperands,
        unknown_bits: reason == Reason::UnknownBits,
        count: occurrence.count,
        kernels: occurrence.kernels,
        first_kernel: Some(occurrence.first_kernel.clone()).filter(|name| !name.is_empty()),
        first_kernel_demangled: demangle(&occurrence.first_kernel),
    };
    let isa = Isa::by_name(processor);
    let need = |(need, found): (KernelNeed, &NeedOccurrence)| {
        let (need, there) = match need {
            KernelNeed::Lds => ("lds", isa.and_then(Isa::addressable_lds)),
            KernelNeed::Lanes => ("lanes", Some(if found.most == 64 { 32 } else { 64 })),
        };
        v1::AbsentNeed {
            need,
            asked: found.most,
            there: there.unwrap_or(0),
            kernels: found.kernels,
            first_kernel: found.first_kernel.clone(),
        }
    };
    let mut mnemonics: Vec<v1::AbsentRow> = absent.rows().map(row).collect();
    mnemonics.sort_rows_by_key(|row| std::cmp::Reverse((row.kernels, row.count)));
    let instructions = mnemonics.iter().map(|row| row.count).sum();
    v1::Absent {
        processor: processor.to_owned(),
        instructions,
        kernels: absent.kernels(),
        outside: absent.outside(),
        first_kernels: absent.first_kernels().to_vec(),
        mnemonics,
        needs: absent.needs().map(need).collect(),
    }
}

/// The row of one kernel; `None` if its histogram was not kept.
pub(super) fn of_kernel(found: &KernelHistogram) -> Option<v1::KernelInstructions> {
    let KernelHistogram { target, at, code: kernel, source } = found;
    let histogram = kernel.histogram()?;
    let mut by_class: BTreeMap<String, u64> = BTreeMap::new();
    for (number, count) in histogram {
        let set = class::classes_of_number(*number);
        for class in CLASSES.iter().enumerate().filter(|(n, _)| set >> n & 1 == 1).map(|(_, class)| class) {
            *by_class.entry(class.id.to_owned()).or_default() += count;
        }
    }
    Some(v1::KernelInstructions {
        target_id: target.to_string(),
        uri: at.to_string(),
        demangled: demangle(kernel.name()),
        name: kernel.name().to_owned(),
        body: body_state(kernel.body()),
        bytes: kernel.bytes(),
        instructions: kernel.instructions(),
        classes: by_class,
        mnemonics: mnemonic_rows(histogram),
        listing: kernel.lines().map(|lines| lines.iter().map(listed).collect()),
        inside: kernel.kept().and_then(|kept| {
            super::inside::analyse_kernel(&target.processor, kept, kernel.body() == Body::TrapStub)
        }),
        source: source.clone(),
    })
}

fn listed(line: &Line) -> v1::ListedInstruction {
    v1::ListedInstruction {
        address: line.address(),
        bytes: line.bytes().iter().map(|byte| format!("{byte:02x}")).collect(),
        mnemonic: line.mnemonic().map(crate::isa::mnemonic),
        text: line.text().map(str::to_owned),
        target: line.target(),
        parts: line.instruction().as_ref().map(parts),
    }
}

/// Converts the kind of a kernel's body.
pub fn body_state(body: Body) -> v1::Body {
    match body {
        Body::Real => v1::Body::Real,
        Body::Empty => v1::Body::Empty,
        Body::TrapStub => v1::Body::TrapStub,
        Body::Unclear => v1::Body::Unclear,
    }
}
