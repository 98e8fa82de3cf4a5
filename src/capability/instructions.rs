//! Instructions: what the decoded code of each library uses of its targets' ISAs.

use super::library_part::{LibraryPart, LibraryParts};
use crate::codeobject::instruction_tally::InstructionTally;
use crate::inventory::Inventory;
use crate::isa::class::{CLASSES, Class};
use crate::isa::processor::Isa;
use crate::target::TargetId;
use rocm_audit_files::key_map::KeyMap;
use std::collections::HashMap;

/// Classes of instructions that hardware is chosen for: shown even where nothing uses them, if a target has
/// them.
pub const TELLING: [&str; 8] = ["dot2", "dot4", "dot8", "mfma", "wmma", "fma-mix", "packed", "convert-fp8"];

/// The decoded machine code of one library for one processor.
#[derive(Debug)]
pub struct LibraryCode<'a> {
    /// Whose code it is.
    pub part: LibraryPart<'a>,
    /// The processor.
    pub processor: String,
    /// Number of its code objects, decoded or not.
    pub objects: u64,
    /// What those that were decoded are made of.
    pub tally: InstructionTally,
}

/// One row for each library and processor of whose code anything was decoded.
pub(super) fn of_libraries<'a>(
    inventory: &'a Inventory,
    parts: &LibraryParts<'a>,
    processors: &[String],
    asked: &[TargetId],
) -> Vec<LibraryCode<'a>> {
    type Rows = KeyMap<usize, (u64, Option<InstructionTally>)>;
    let places: HashMap<&str, usize> =
        processors.iter().enumerate().map(|(place, p)| (p.as_str(), place)).collect();
    let mut all: KeyMap<_, (LibraryPart<'a>, Rows)> = KeyMap::new();
    for artifact in &inventory.artifacts {
        let Some(device) = &artifact.device else { continue };
        let part = parts.part(artifact);
        for (target, code) in device.targets.iter().filter(|(target, _)| target.is_wanted_by(asked)) {
            let Some(place) = places.get(target.processor.as_str()) else { continue };
            let (_, rows) = all.entry(part.order()).or_insert_with(|| (part, Rows::new()));
            let (objects, tally) = rows.entry(*place).or_default();
            *objects += code.objects;
            if let Some(found) = &code.instructions {
                tally.get_or_insert_default().merge(found);
            }
        }
    }
    let mut libraries = Vec::new();
    for (part, rows) in all.into_values() {
        for (place, (objects, tally)) in rows {
            let (Some(processor), Some(tally)) = (processors.get(place), tally) else { continue };
            libraries.push(LibraryCode { part, processor: processor.clone(), objects, tally });
        }
    }
    libraries
}

/// The instructions of one class in the code of a target.
#[derive(Debug, Clone, Copy)]
pub struct ClassUse {
    /// The class.
    pub class: &'static Class,
    /// Whether the target has such an instruction, by LLVM's description.
    pub expected: bool,
    /// Instructions in the code.
    pub observed: u64,
    /// Code objects that have one.
    pub code_objects: u64,
}

/// All classes, in their order.
pub fn class_uses(processor: &str, tally: &InstructionTally) -> Vec<ClassUse> {
    let has = Isa::by_name(processor).map_or(0, Isa::classes);
    let class_use = |(place, (class, (observed, code_objects))): (usize, (&'static Class, (u64, u64)))| {
        ClassUse { class, expected: has >> place & 1 == 1, observed, code_objects }
    };
    CLASSES.iter().zip(tally.by_class()).enumerate().map(class_use).collect()
}

/// Which libraries use a class of instructions that a target has.
#[derive(Debug)]
pub struct ClassAnswer<'a> {
    /// The processor.
    pub processor: &'a str,
    /// The class.
    pub class: &'static Class,
    /// For each library with decoded code: who, how many of its code objects have such an instruction, of how
    /// many.
    pub libraries: Vec<(LibraryPart<'a>, u64, u64)>,
    /// Instructions of the class in all of them.
    pub observed: u64,
}

/// For each processor that was asked for, the classes that tell most and that it has.
pub fn answers<'c>(code: &'c [LibraryCode<'_>], asked: &'c [TargetId]) -> Vec<ClassAnswer<'c>> {
    let mut processors: Vec<&str> = asked.iter().map(|target| target.processor.as_str()).collect();
    processors.dedup();
    let mut answers = Vec::new();
    for processor in processors {
        let rows = code.iter().filter(|row| row.processor == processor);
        let rows: Vec<(&LibraryCode<'_>, Vec<ClassUse>)> =
            rows.map(|row| (row, class_uses(processor, &row.tally))).collect();
        for id in TELLING {
            let Some((place, class)) = Class::by_id(id) else { continue };
            let found = rows.iter().filter_map(|(row, uses)| Some((*row, *uses.get(place)?)));
            let found: Vec<(&LibraryCode<'_>, ClassUse)> = found.collect();
            if found.iter().any(|(_, class)| class.expected) {
                let library = |(row, class): &(&'c LibraryCode<'_>, ClassUse)| {
                    (row.part, class.code_objects, row.tally.objects())
                };
                answers.push(ClassAnswer {
                    processor,
                    class,
                    libraries: found.iter().map(library).collect(),
                    observed: found.iter().map(|(_, class)| class.observed).sum(),
                });
            }
        }
    }
    answers
}
