//! The matrix: what each library has for each processor.

use super::library_part::{LibraryPart, LibraryParts, is_binary};
use super::tensile_chain::{BrokenLink, ChainState, CheckedFolder};
use crate::codeobject::SectionBytes;
use crate::container::bundle_reader::Payload;
use crate::container::kpack::Reference;
use crate::engines::tensile::name::Role;
use crate::format::Format;
use crate::inventory::{Artifact, ArtifactKind, DeviceCode, TargetCode};
use crate::locator::Locator;
use crate::scan::library_names;
use crate::target::{Processor, TargetId};
use rocm_audit_files::key_map::KeyMap;
use rocm_audit_files::sorted_rows::SortedRows as _;
use std::collections::BTreeSet;

/// What a library has for a processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Coverage {
    /// Kernels for it in every file and bundle, or tuned ones.
    Native,
    /// Kernels for it in some of the library's files, not in all.
    SomeFiles,
    /// Kernels for it in some of a file's bundles, not in all.
    Partial,
    /// In a Tensile library folder: only fallback and helper kernels.
    FallbackOnly,
    /// Nothing for it, but kernels for a generic target that it runs.
    Generic,
    /// SPIR-V, or source text of the library, which is compiled for whatever device runs it.
    RunTime,
    /// Nothing for it, but kernels for another revision of the same GPU, which HotSwap of the HSA runtime
    /// translates at load.
    Translated,
    /// In a Tensile library folder: catalogs lead to code objects or kernels that are not here, so that calls
    /// fail.
    Broken,
    /// Code whose use is not known: a part of a library folder, without catalogs.
    NotKnown,
    /// Code objects for it that name no kernel, or only kernels that trap.
    NoKernels,
    /// Nothing.
    Absent,
}

impl Coverage {
    /// All, best first.
    pub const ALL: [Coverage; 11] = [
        Coverage::Native,
        Coverage::SomeFiles,
        Coverage::Partial,
        Coverage::FallbackOnly,
        Coverage::Generic,
        Coverage::RunTime,
        Coverage::Translated,
        Coverage::Broken,
        Coverage::NotKnown,
        Coverage::NoKernels,
        Coverage::Absent,
    ];

    /// The place among all, best first.
    pub fn rank(self) -> usize {
        Coverage::ALL.iter().position(|own| *own == self).unwrap_or(usize::MAX)
    }

    /// The one of a word in documents; none for a word of a later release.
    pub fn of_name(word: &str) -> Option<Coverage> {
        Coverage::ALL.into_iter().find(|own| own.name() == word)
    }

    /// Its word in documents.
    pub fn name(self) -> &'static str {
        match self {
            Coverage::Native => "native",
            Coverage::SomeFiles => "some-files",
            Coverage::Partial => "partial",
            Coverage::FallbackOnly => "fallback-only",
            Coverage::Generic => "generic",
            Coverage::RunTime => "run-time",
            Coverage::Translated => "translated",
            Coverage::Broken => "broken",
            Coverage::NotKnown => "not-known",
            Coverage::NoKernels => "no-kernels",
            Coverage::Absent => "absent",
        }
    }

    /// Whether there is code that runs as it is, as far as that is known.
    pub fn runs(self) -> bool {
        !matches!(
            self,
            Coverage::Translated
                | Coverage::Broken
                | Coverage::NotKnown
                | Coverage::NoKernels
                | Coverage::Absent
        )
    }
}

/// One row of the matrix.
#[derive(Debug)]
pub struct LibraryRow<'a> {
    /// Whose row it is.
    pub part: LibraryPart<'a>,
    /// Files that carry its device code.
    pub files: u64,
    /// `DT_SONAME`s of its shared libraries.
    pub sonames: BTreeSet<&'a str>,
    /// Whether all of it lies in kpack archives, and the library that loads them is not here.
    pub archives_alone: bool,
    /// Whether several of these are versions of one library, which are counted together.
    pub several_versions: bool,
    /// One for each processor of the report, in that order.
    pub cells: Vec<CoverageCell<'a>>,
}

/// What a library has for one processor.
#[derive(Debug)]
pub struct CoverageCell<'a> {
    /// What is there.
    pub coverage: Coverage,
    /// Number of code objects.
    pub code_objects: u64,
    /// Number of kernels.
    pub kernels: u64,
    /// Number of those that can only trap, of the code objects whose machine code was looked at.
    pub trap_stubs: u64,
    /// Number of code objects whose machine code was not looked at.
    pub bodies_unread: u64,
    /// Bytes of code objects, inflated.
    pub bytes: u64,
    /// The same by class, of the code objects whose sections were read.
    pub sections: SectionBytes,
    /// The files that have it and those that lack it, where the coverage is of some files.
    pub files: Option<FileShare<'a>>,
    /// Number of bundles that hold it, and of those with device code, where the coverage is partial.
    pub bundles: Option<[u64; 2]>,
    /// The generic target, where it is reached through one.
    pub generic: Option<&'static str>,
    /// The other revision of the GPU whose kernels would be translated, and how many there are.
    pub translated: Option<(&'static str, u64)>,
    /// The first code object.
    pub first: Option<&'a Locator>,
    /// Why the library does not reach its code, where that is known.
    pub out_of_reach: Option<OutOfReach<'a>>,
    /// Of a Tensile library folder, the link of the chain to its kernels that is broken, and whether some
    /// calls still run.
    pub broken: Option<(BrokenLink, bool)>,
}

/// Why a library does not reach code that is there, or has none.
#[derive(Debug, Clone, Copy)]
pub enum OutOfReach<'a> {
    /// The kernels lie in this kpack archive, and the library looks elsewhere.
    StrayArchive(&'a Locator),
    /// The library looks for its code in kpack archives, and there is none for the processor.
    NoArchive {
        /// Where it looks.
        reference: &'a Reference,
        /// The library that has the marker, as reports show it.
        library: &'a str,
    },
}

/// The files of a library with device code, by whether they have kernels for a processor.
#[derive(Debug, Clone, Default)]
pub struct FileShare<'a> {
    /// Those that have, as reports show them.
    pub with: Vec<&'a str>,
    /// Those that have none.
    pub without: Vec<&'a str>,
}

/// Which libraries cover a processor that was asked for, by coverage, best first.
#[derive(Debug)]
pub struct TargetCoverage<'a> {
    /// The processor.
    pub processor: String,
    /// The coverages that occur, with their libraries; empty where nothing carries device code.
    pub libraries: Vec<(Coverage, Vec<CoveredPart<'a>>)>,
}

/// The code of a library and how many of its kernels run.
#[derive(Debug, Clone)]
pub struct CoveredPart<'a> {
    /// Whose code it is.
    pub part: LibraryPart<'a>,
    /// Number of kernels.
    pub kernels: u64,
    /// Number of those that can only trap.
    pub trap_stubs: u64,
    /// The files that have it and those that lack it, where the coverage is of some files.
    pub files: Option<FileShare<'a>>,
}

/// All code of a library for one processor.
#[derive(Default)]
struct Code<'a> {
    objects: u64,
    kernels: u64,
    trap_stubs: u64,
    bodies_unread: u64,
    bytes: u64,
    sections: SectionBytes,
    first: Option<&'a Locator>,
    /// Bundles with device code in files that hold the processor in some bundles and not in others.
    partial_of: u64,
    partial: u64,
    /// Whether there is a tuned Tensile code object.
    tuned: bool,
    /// Number of SPIR-V entries.
    spirv: u64,
    /// Whether any of it lies in a Tensile library folder.
    tensile: bool,
    /// Number of kernels in kpack archives that the library does not open, and the first of these.
    unreached: u64,
    stray: Option<&'a Locator>,
}

impl<'a> Code<'a> {
    fn add(&mut self, found: &'a TargetCode) {
        self.objects += found.objects;
        self.kernels += found.kernels.count();
        self.trap_stubs += found.trap_stubs;
        self.bodies_unread += found.bodies_unread;
        self.bytes += found.bytes;
        self.sections.merge(&found.sections);
        self.first = self.first.or(found.first.as_ref());
    }
}

/// The processor that SPIR-V entries are for.
pub(super) const SPIRV_PROCESSOR: &str = "amdgcnspirv";

/// One row for each library that carries device code, sorted by name. The kernels in a Tensile library folder
/// are a row of their own: a library can have its own kernels for a target and no matrix product, and the
/// other way round.
pub(super) fn matrix<'a>(
    artifacts: impl IntoIterator<Item = &'a Artifact>,
    parts: &LibraryParts<'a>,
    folders: &[CheckedFolder<'a>],
    processors: &[String],
    asked: &[TargetId],
) -> Vec<LibraryRow<'a>> {
    let mut libraries: KeyMap<LibraryPart<'a>, Vec<&'a Artifact>> = KeyMap::new();
    for artifact in artifacts {
        // A folder of catalogs alone has a row, too: its code is missing.
        if matches!(&artifact.kind, ArtifactKind::Tensile(role, _) if !role.is_code() && *role != Role::Extension)
        {
            libraries.entry(parts.part(artifact)).or_default();
        }
        let carries = |d: &DeviceCode| {
            !d.targets.is_empty() || d.other_payloads.contains_key(Payload::SpirV.name()) || d.kpack.is_some()
        };
        if artifact.device.as_ref().is_some_and(carries) {
            libraries.entry(parts.part(artifact)).or_default().push(artifact);
        }
    }
    let mut rows: Vec<LibraryRow<'a>> =
        libraries.into_iter().map(|(part, files)| row(part, parts, &files, processors, asked)).collect();
    for row in rows.iter_mut().filter(|row| row.part.tensile) {
        for (cell, processor) in row.cells.iter_mut().zip(processors) {
            let own = folders.iter().filter(|folder| folder.part == row.part);
            // Of several folders of one library the first with files for the processor is asked, as
            // selections ask it.
            if let Some(first) = own.filter_map(|folder| folder.state(processor, asked)).next() {
                cell.follow(first);
            }
        }
    }
    rows.sort_rows_by(|a, b| a.part.order().cmp(&b.part.order()));
    rows
}

impl CoverageCell<'_> {
    /// Takes what the chain from the library to the kernels says, whatever files there are.
    fn follow(&mut self, state: ChainState) {
        self.coverage = match &state {
            ChainState::Tuned => Coverage::Native,
            ChainState::Fallback => Coverage::FallbackOnly,
            ChainState::Whole => self.coverage,
            ChainState::Broken(..) => Coverage::Broken,
            ChainState::NoCatalogs => Coverage::NotKnown,
            ChainState::Nothing | ChainState::NoMaster(_) => Coverage::Absent,
        };
        self.broken = match state {
            ChainState::NoMaster(link) => {
                // The link says why; an archive would be another reason, with another consequence.
                self.out_of_reach = None;
                Some((link, false))
            }
            ChainState::Broken(link, runs) => Some((link, runs)),
            _ => None,
        };
    }
}

fn row<'a>(
    part: LibraryPart<'a>,
    parts: &LibraryParts<'a>,
    files: &[&'a Artifact],
    processors: &[String],
    asked: &[TargetId],
) -> LibraryRow<'a> {
    let mut by_processor: KeyMap<&str, Code<'a>> = KeyMap::new();
    for artifact in files {
        let Some(device) = &artifact.device else { continue };
        let role = match &artifact.kind {
            ArtifactKind::Tensile(role, _) => Some(*role),
            _ => None,
        };
        if let Some(tally) = device.other_payloads.get(Payload::SpirV.name()) {
            by_processor.entry(SPIRV_PROCESSOR).or_default().spirv += tally.count;
        }
        for (target, code) in
            device.targets.iter().filter(|(t, _)| t.is_wanted_by(asked) || is_translated(t, asked))
        {
            let entry = by_processor.entry(&target.processor).or_default();
            entry.add(code);
            if parts.is_unreached(artifact, &target.processor) {
                entry.unreached += code.kernels.count();
                entry.stray = entry.stray.or(Some(&artifact.locator));
            }
            entry.tensile |= role.is_some();
            entry.tuned |= role == Some(Role::CodeObject);
            if device.bundles > 0
                && code.bundles < device.bundles
                && same_processor_bundles(device, target) < device.bundles
            {
                entry.partial += code.bundles;
                entry.partial_of += device.bundles;
            }
        }
    }
    let sonames: BTreeSet<&str> = files.iter().filter_map(|a| a.device.as_ref()?.soname.as_deref()).collect();
    let stems: BTreeSet<&str> = sonames.iter().map(|s| s.split(".so").next().unwrap_or(s)).collect();
    // Programs and shared libraries are built for a list of targets each; other files are for one target by
    // design.
    let binaries: Vec<&Artifact> = files.iter().copied().filter(|a| is_binary(a)).collect();
    let compiles = library_names::compiles_at_run_time(part.library);
    let marked = files.iter().find_map(|file| Some((*file, file.device.as_ref()?.kpack.as_ref()?)));
    let reference = marked.map(|(_, reference)| reference);
    let with_code = |file: &&&Artifact| {
        file.device.as_ref().is_some_and(|device| !device.targets.is_empty() || device.kpack.is_none())
    };
    let of_processor = |processor: &String| {
        let mut cell = cell(processor, &by_processor, &binaries, asked);
        if cell.coverage == Coverage::Absent && cell.out_of_reach.is_none() {
            cell.out_of_reach =
                marked.map(|(file, reference)| OutOfReach::NoArchive { reference, library: &file.shown });
        }
        let is_compiled = compiles && matches!(cell.coverage, Coverage::NoKernels | Coverage::Absent);
        CoverageCell { coverage: if is_compiled { Coverage::RunTime } else { cell.coverage }, ..cell }
    };
    LibraryRow {
        part,
        files: files.iter().filter(with_code).count() as u64,
        archives_alone: reference.is_none()
            && files
                .iter()
                .all(|file| file.device.as_ref().is_some_and(|device| device.format == Some(Format::Kpack))),
        several_versions: stems.len() < sonames.len(),
        sonames,
        cells: processors.iter().map(of_processor).collect(),
    }
}

/// The processor whose code HotSwap translates for this one.
pub(super) fn translated_from(processor: &str) -> Option<&'static str> {
    Processor::by_name(processor)?.translated_from()
}

/// Whether code of a target is of the other revision of a processor that was asked for.
fn is_translated(code: &TargetId, asked: &[TargetId]) -> bool {
    asked.iter().any(|agent| translated_from(&agent.processor) == Some(code.processor.as_str()))
}

/// Whether a file has kernels for a processor, or SPIR-V.
pub fn serves(artifact: &Artifact, processor: &str, asked: &[TargetId]) -> bool {
    let generic = Processor::by_name(processor).and_then(|known| known.generic());
    let serves = |(target, code): (&TargetId, &TargetCode)| {
        let fits = target.processor == processor && target.is_wanted_by(asked);
        (fits || generic == Some(target.processor.as_str())) && code.runnable() > 0
    };
    let mut devices = artifact.device.iter();
    devices.any(|device| {
        device.targets.iter().any(serves) || device.other_payloads.contains_key(Payload::SpirV.name())
    })
}

/// The binaries of a library by whether they have kernels for a processor; `None` where all have.
fn file_share<'a>(processor: &str, binaries: &[&'a Artifact], asked: &[TargetId]) -> Option<FileShare<'a>> {
    let mut share = FileShare::default();
    for artifact in binaries {
        let side = if serves(artifact, processor, asked) { &mut share.with } else { &mut share.without };
        side.push(artifact.shown.as_str());
    }
    (!share.with.is_empty() && !share.without.is_empty()).then_some(share)
}

/// Bundles that hold any target ID of the same processor: `xnack+` and `xnack-` often lie in the same ones.
fn same_processor_bundles(device: &DeviceCode, target: &TargetId) -> u64 {
    let same = device.targets.iter().filter(|(t, _)| t.processor == target.processor);
    same.map(|(_, c)| c.bundles).max().unwrap_or(0)
}

fn cell<'a>(
    processor: &str,
    by_processor: &KeyMap<&str, Code<'a>>,
    binaries: &[&'a Artifact],
    asked: &[TargetId],
) -> CoverageCell<'a> {
    let empty = Code::default();
    let code = by_processor.get(processor).unwrap_or(&empty);
    let generic = Processor::by_name(processor)
        .and_then(|p| p.generic())
        .filter(|generic| by_processor.get(generic).is_some_and(|c| c.kernels > c.trap_stubs));
    // HIP takes SPIR-V where a file has nothing nearer (`hip_fatbin.cpp`).
    let has_spirv = by_processor.get(SPIRV_PROCESSOR).is_some_and(|code| code.spirv > 0);
    let revision = translated_from(processor).and_then(|from| {
        let code = by_processor.get(from).filter(|code| code.kernels > code.trap_stubs && !code.tensile)?;
        Some((from, code.kernels))
    });
    let files = file_share(processor, binaries, asked);
    let coverage = match code {
        Code { spirv: 1.., .. } => Coverage::RunTime,
        Code { objects: 0, .. } if generic.is_some() => Coverage::Generic,
        Code { objects: 0, .. } if has_spirv => Coverage::RunTime,
        Code { objects: 0, .. } if revision.is_some() => Coverage::Translated,
        Code { objects: 0, .. } => Coverage::Absent,
        Code { kernels, unreached: 1.., .. } if *kernels == code.unreached => Coverage::Absent,
        Code { kernels, trap_stubs, .. } if kernels <= trap_stubs => Coverage::NoKernels,
        Code { tensile: true, tuned: false, .. } => Coverage::FallbackOnly,
        _ if files.is_some() => Coverage::SomeFiles,
        Code { partial_of: 1.., .. } => Coverage::Partial,
        _ => Coverage::Native,
    };
    CoverageCell {
        coverage,
        code_objects: code.objects,
        kernels: code.kernels,
        trap_stubs: code.trap_stubs,
        bodies_unread: code.bodies_unread,
        bytes: code.bytes,
        sections: code.sections,
        files: files.filter(|_| coverage == Coverage::SomeFiles),
        bundles: (coverage == Coverage::Partial).then_some([code.partial, code.partial_of]),
        generic: generic.filter(|_| coverage == Coverage::Generic),
        translated: revision.filter(|_| coverage == Coverage::Translated),
        first: code.first,
        out_of_reach: code.stray.filter(|_| coverage == Coverage::Absent).map(OutOfReach::StrayArchive),
        broken: None,
    }
}

/// For each processor, which libraries cover it how. Nothing where none was asked for.
pub(super) fn answers<'a>(
    asked: &[TargetId],
    processors: &[String],
    matrix: &[LibraryRow<'a>],
) -> Vec<TargetCoverage<'a>> {
    let answer = |(place, processor): (usize, &String)| {
        let with = |coverage: Coverage| -> Vec<CoveredPart<'a>> {
            let covered = |row: &LibraryRow<'a>| {
                let cell = row.cells.get(place).filter(|cell| cell.coverage == coverage)?;
                let CoverageCell { kernels, trap_stubs, .. } = *cell;
                Some(CoveredPart { part: row.part, kernels, trap_stubs, files: cell.files.clone() })
            };
            matrix.iter().filter_map(covered).collect()
        };
        let libraries = Coverage::ALL.into_iter().map(|coverage| (coverage, with(coverage)));
        TargetCoverage {
            processor: processor.clone(),
            libraries: libraries.filter(|(_, parts)| !parts.is_empty()).collect(),
        }
    };
    let wanted = if asked.is_empty() { &[] } else { processors };
    wanted.iter().enumerate().map(answer).collect()
}
