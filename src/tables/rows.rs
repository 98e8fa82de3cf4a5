//! Defines each table's columns and how they are filled from a row's source, both in one list.

use super::artifact::Origin;
use super::batch::Batch;
use super::column::{Column, ColumnType, Table};
use super::place::{Lies, within};
use crate::codeobject::SectionByteClass;
use crate::inventory::copies::Fingerprint;
use crate::inventory::kernel_row::KernelPlace;
use crate::inventory::{Artifact, TargetCode};
use crate::report::v1::{Finding, KernelLine, LibraryVerdict, Report};
use crate::target::TargetId;
use serde::Serialize;

/// Declares a table: its columns, and their values for the row `$row`.
macro_rules! table {
    ($(#[$doc:meta])* $table:ident, $put:ident, $name:literal, $about:literal, $row:ident: $type:ty;
        $($column:literal $kind:ident $what:literal $value:expr;)*) => {
        $(#[$doc])*
        pub static $table: Table = Table {
            name: $name,
            about: $about,
            own: &[$(Column { name: $column, kind: ColumnType::$kind, about: $what }),*],
        };

        /// Adds a row.
        pub(super) fn $put(batch: &mut Batch, origin: &Origin, $row: &$type) {
            let mut row = batch.row(origin);
            $(row.put($value);)*
        }
    };
}

#[cfg(any(feature = "engines", feature = "parquet"))]
pub(super) use table;

/// Facts that all kernels of a code object share.
#[derive(Debug)]
pub(super) struct KernelAt {
    path: String,
    place: String,
    processor: String,
}

impl KernelAt {
    pub fn at_place(place: &KernelPlace, lies: Lies<'_>) -> Self {
        KernelAt {
            path: lies.path(&place.locator),
            place: within(&place.locator),
            processor: place.target.processor.clone(),
        }
    }
}

table! {
    /// Kernels.
    KERNELS, kernel, "kernels", "a kernel of a code object", row: (&KernelAt, &KernelLine<'_>);
    "path" Text "the file below the artifact" row.0.path.as_str();
    "place" Text "the code object in it, as its URI ends; empty for all of a file and in databases" row.0.place.as_str();
    "bundle" Number "index of the bundle in the file" row.1.bundle as u64;
    "id" Text "the entry's id in the bundle" row.1.id;
    "target_id" Text "the target ID of the code object" row.1.target_id;
    "processor" Text "its processor" row.0.processor.as_str();
    "name" Text "name, mangled as it stands" row.1.name;
    "demangled" Text "demangled, where it is a C++ name" row.1.demangled;
    "symbol" Text "symbol of its descriptor" row.1.symbol;
    "sgprs" Number "scalar registers" row.1.sgprs;
    "vgprs" Number "vector registers" row.1.vgprs;
    "agprs" Number "accumulation registers" row.1.agprs;
    "sgpr_spills" Number "spilled scalar registers" row.1.sgpr_spills;
    "vgpr_spills" Number "spilled vector registers" row.1.vgpr_spills;
    "lds" Number "static LDS in bytes" row.1.lds;
    "scratch" Number "scratch of a work-item in bytes" row.1.scratch;
    "kernarg" Number "kernel arguments in bytes" row.1.kernarg;
    "wavefront" Number "work-items of a wavefront" row.1.wavefront;
    "max_workgroup" Number "most work-items of a work-group" row.1.max_workgroup;
    "instructions" Number "instructions, where code was decoded (--isa)" row.1.instructions;
    "code_bytes" Number "machine code in bytes, likewise" row.1.code_bytes;
    "body" Text "what its body is, likewise: real, empty, trap-stub, unclear" row.1.body.as_ref().map(word);
    "classes" Text "the classes of its instructions, likewise, with spaces" row.1.classes.as_ref().map(|all| all.join(" "));
    "occupancy" Number "waves that a SIMD unit holds, as LLVM counts them" row.1.occupancy.map(u64::from);
    "occupancy_limited_by" Text "what limits them, with spaces" row.1.occupancy_limited_by.as_ref().map(|all| all.join(" "));
}

/// A code object of a file.
pub(super) struct ObjectAt<'a> {
    pub lies: Lies<'a>,
    pub file: &'a Artifact,
    pub object: &'a Fingerprint,
}

table! {
    /// Code objects.
    CODE_OBJECTS, code_object, "code_objects", "a code object", row: ObjectAt<'_>;
    "path" Text "the file below the artifact" row.lies.path(&row.file.locator);
    "place" Text "the code object in it, as its URI ends; empty for all of a file and in databases" within(&row.object.locator(&row.file.locator));
    "library" Text "the library that the file belongs to" row.file.library.as_str();
    "target_id" Text "its target ID" row.object.target().to_string();
    "processor" Text "its processor" row.object.target().processor.as_str();
    "bytes" Number "its bytes, inflated" row.object.bytes();
    "text_bytes" Number "bytes of its section of machine code" row.object.text_bytes();
}

/// The code of a target in a file.
pub(super) struct TargetAt<'a> {
    pub lies: Lies<'a>,
    pub file: &'a Artifact,
    pub target: &'a TargetId,
    pub code: &'a TargetCode,
}

impl TargetAt<'_> {
    /// The number of stubs is unknown if some bodies were not examined.
    fn trap_stubs(&self) -> Option<u64> {
        (self.code.bodies_unread == 0).then_some(self.code.trap_stubs)
    }
}

table! {
    /// Code of one target in one file.
    TARGETS, target, "targets", "the code of a target in a file", row: TargetAt<'_>;
    "path" Text "the file below the artifact" row.lies.path(&row.file.locator);
    "library" Text "the library that it belongs to" row.file.library.as_str();
    "owner" Text "who has put it there: a layer of an image, or an installed package" row.file.owner.as_deref();
    "target_id" Text "the target ID" row.target.to_string();
    "processor" Text "its processor" row.target.processor.as_str();
    "code_objects" Number "code objects" row.code.objects;
    "kernels" Number "kernels that metadata names" row.code.kernels.count();
    "trap_stubs" Number "kernels that can only trap; null where code was not looked at" row.trap_stubs();
    "spilling" Number "kernels that spill registers" row.code.kernels.spilling();
    "max_sgprs" Number "most scalar registers of a kernel" row.code.kernels.max_sgprs();
    "max_vgprs" Number "most vector registers of a kernel" row.code.kernels.max_vgprs();
    "max_agprs" Number "most accumulation registers of a kernel" row.code.kernels.max_agprs();
    "max_lds" Number "most static LDS of a kernel in bytes" row.code.kernels.max_lds();
    "max_scratch" Number "most scratch of a work-item in bytes" row.code.kernels.max_scratch();
    "bytes" Number "bytes of the code objects, inflated" row.code.bytes;
    "code_bytes" Number "of these, machine code" row.code.sections.get(SectionByteClass::Code);
    "metadata_bytes" Number "kernel metadata" row.code.sections.get(SectionByteClass::Metadata);
    "data_bytes" Number "constants and descriptors" row.code.sections.get(SectionByteClass::Data);
    "debug_bytes" Number "debug information" row.code.sections.get(SectionByteClass::Debug);
    "symbol_bytes" Number "symbols" row.code.sections.get(SectionByteClass::Symbols);
}

table! {
    /// Verdicts: whether a library runs on a processor.
    VERDICTS, verdict, "verdicts", "whether a library runs on a processor", row: (&str, &LibraryVerdict);
    "processor" Text "the processor" row.0;
    "library" Text "the library" row.1.library.as_str();
    "answer" Text "runs, compiles, limits, unknown or not" word(&row.1.answer);
    "coverage" Text "what it has for the processor, as in reports" word(&row.1.coverage);
    "reason" Text "why, in a clause" row.1.reason.as_str();
    "evidence" Text "how that is known" word(&row.1.evidence);
}

table! {
    /// Findings.
    FINDINGS, finding, "findings", "something that was found", row: (Lies<'_>, &Finding);
    "rule" Text "its rule (`rocm-audit list rules`)" row.1.id.as_str();
    "severity" Text "how much it matters" word(&row.1.severity);
    "confidence" Text "how sure it is" word(&row.1.confidence);
    "target" Text "the target that it is about; null where it is about all" row.1.target.as_deref();
    "count" Number "how many there are" row.1.count;
    "what" Text "what is so" row.1.what.as_str();
    "detail" Text "the numbers behind it" row.1.detail.as_str();
    "effect" Text "what follows" row.1.effect.as_str();
    "advice" Text "what to do" row.1.advice.as_str();
    "path" Text "the file of the first" row.1.locations.first().map(|at| row.0.shown(&at.path));
    "offset" Number "where in it, in bytes" row.1.locations.first().and_then(|at| at.offset);
    "at" Text "what is there" row.1.locations.first().map(|at| at.what.as_str());
}

table! {
    /// Artifacts: one row, written after all others.
    ARTIFACTS, artifact, "artifacts", "an artifact that was read", row: (Option<u64>, &Report);
    "bytes" Number "its size, where it is a file" row.0;
    "files" Number "files in it" row.1.summary.files;
    "file_bytes" Number "their bytes, unpacked" row.1.summary.bytes;
    "code_objects" Number "code objects" row.1.summary.code_objects;
    "kernels" Number "kernels that metadata names" row.1.summary.kernels;
    "code_object_bytes" Number "bytes of code objects, inflated" row.1.summary.code_object_bytes;
    "code_bytes" Number "of these, machine code" row.1.summary.code_bytes;
    "processors" Text "processors that there is something for, with spaces" processors(row.1);
    "stated" Text "versions that files in it state, with spaces" stated(row.1);
    "complete" Truth "false where something could not be read" row.1.complete;
    "errors" Number "findings that are errors" row.1.counts.errors;
    "warnings" Number "findings that are warnings" row.1.counts.warnings;
    "notes" Number "findings that are notes" row.1.counts.notes;
}

fn processors(report: &Report) -> String {
    let all: Vec<&str> = report.targets.iter().map(|target| target.processor.as_str()).collect();
    all.join(" ")
}

fn stated(report: &Report) -> String {
    let mut all: Vec<String> =
        report.versions.iter().map(|v| format!("{}={}", v.component, v.version)).collect();
    all.sort();
    all.dedup();
    all.join(" ")
}

/// The word that JSON uses for a value.
pub(super) fn word(value: &impl Serialize) -> Option<String> {
    serde_json::to_value(value).ok()?.as_str().map(str::to_owned)
}
