# Written by `cargo xtask schema` from the schemas of documents; do not edit.
"""What the functions of `rocm_audit` give, for type checkers: dictionaries, as `docs/schema` has them."""

from __future__ import annotations

from typing import Literal, Optional, TypedDict, Union


class Absent(TypedDict):
    """Instructions that another processor lacks."""

    #: Mangled names of the first such kernels.
    first_kernels: list[str]
    #: Number of such instructions.
    instructions: int
    #: Number of kernels with such instructions, or that ask for what it does not have: the others run there.
    kernels: int
    #: The instructions by mnemonic and reason, those of most kernels first.
    mnemonics: list[AbsentRow]
    #: What descriptors of kernels ask for and it does not have, whatever their instructions are.
    needs: list[AbsentNeed]
    #: Such instructions outside of kernels, in functions that kernels may call.
    outside: int
    #: The other processor.
    processor: str


class AbsentNeed(TypedDict):
    """Kernels whose descriptors ask for what another processor does not have."""

    #: The most that a kernel asks for.
    asked: int
    #: Mangled name of the first.
    first_kernel: str
    #: Kernels that ask for more.
    kernels: int
    #: `lds`: more bytes of LDS than a work-group can have there; `lanes`: waves of so many lanes.
    need: str
    #: What there is.
    there: int


class AbsentRow(TypedDict):
    """A mnemonic that another processor lacks."""

    #: How often it occurs.
    count: int
    #: Mangled name of the first kernel that contains it; `null` if it is outside of kernels.
    first_kernel: Optional[str]
    #: Demangled name, if it is a C++ name.
    first_kernel_demangled: Optional[str]
    #: The instruction with its operands, if only these differ: the first one.
    here: Optional[str]
    #: Kernels that contain it.
    kernels: int
    #: The mnemonic.
    mnemonic: str
    #: Whether it exists there, but with register ranges that begin at an odd register, which the other
    #: processor refuses.
    odd_registers: bool
    #: Whether it exists there, but the same bits name other operands: a register, a cache bit, a constant.
    other_operands: bool
    #: The mnemonic of the same bits there, or the whole instruction if only its operands differ; `null` if they are
    #: not an instruction.
    there: Optional[str]
    #: Whether it has bits that mean nothing in the other processor's encoding: what it does with them is unknown.
    unknown_bits: bool

#: Whether something runs.
Answer = Literal["runs", "limits", "compiles", "unknown", "not"]


class _Artifact(TypedDict):
    """What is always there."""

    #: Number of bundles in it.
    bundles: int
    #: Size in bytes.
    bytes: int
    #: Number of compressed bundles in it.
    compressed_bundles: int
    #: Bundle entries by id: number and bytes.
    entries: dict[str, Count]
    #: Kind of the file.
    kind: ArtifactKind
    #: The library it belongs to.
    library: str
    #: The target in the file's name.
    named_target: Optional[str]
    #: Path below that root.
    path: str
    #: Number of lines, records or solutions, if it has any.
    records: Optional[int]
    #: Index of the file's root in `roots`.
    root: int
    #: The scanner that claimed it.
    scanner: str
    #: Code objects by target ID: number, kernels, bytes.
    targets: list[TargetIdRow]


class Artifact(_Artifact, total=False):
    """A file with something the report counts."""

    #: The file that this is another name of: the target of a link or hard link, where its bytes and code are
    #: counted.
    link_to: Optional[str]
    #: Who put it there, if known: a layer of an image with its command.
    owner: Optional[str]
    #: The package it belongs to, with its version, if known: the one that contains it, or an installed one.
    package: Optional[str]

#: What a file is.
ArtifactKind = Literal["device-code", "lazy-catalog", "catalog", "fallback-catalog", "merged-catalog", "code-object", "fallback-code-object", "helper-kernels", "extension", "find-db", "perf-db", "kernel-db", "model", "firmware", "firmware-link", "version"]


#: Kernels by what their bodies do.
Bodies = TypedDict(
    "Bodies",
    {
        "empty": 'int',
        "real": 'int',
        "trap-stub": 'int',
        "unclear": 'int',
    },
)


class BrokenEntry(TypedDict):
    """An entry that cannot be taken."""

    #: Its metadata.
    path: str
    #: The kernel, and what it is said to be for.
    what: str


class BuildLayer(TypedDict):
    """Layer 1: code objects for exactly this processor."""

    #: Code objects whose machine code was not examined because it is compressed.
    bodies_unread: int
    #: Bytes of code objects, inflated.
    bytes: int
    #: Bytes of machine code.
    code_bytes: int
    #: Code objects.
    code_objects: int
    #: How it is known.
    evidence: Evidence
    #: The first code object, as evidence.
    first: Optional[str]
    #: Kernels.
    kernels: int
    #: Libraries with at least one kernel for it.
    libraries: int
    #: Largest static LDS in bytes.
    max_lds: int
    #: Most vector registers of a kernel.
    max_vgprs: int
    #: Kernels that spill.
    spilling_kernels: int
    #: Kernels that only trap, in the code objects whose machine code was examined.
    trap_stubs: int


#: Bytes of one class.
ByteClass = TypedDict(
    "ByteClass",
    {
        "bytes": 'int',
        "class": 'str',
        "title": 'str',
    },
)


class Cache(TypedDict):
    """A cache of what was compiled or measured at run time."""

    #: Entries with no code object next to them, or with one for another target.
    broken: list[BrokenEntry]
    #: Bytes of its code objects and databases.
    bytes: int
    #: Number of entries: kernels, code objects or databases.
    entries: int
    #: Folders of the cache, the first 16.
    folders: list[str]
    #: Software that owns the cache: `Triton`, `comgr`, `MIOpen, kernels`, `rocFFT`.
    of: str
    #: The installed version, if it differs and so does not use these entries; `null` if it uses them or a
    #: version is unknown.
    stale_for: Optional[str]
    #: Entries by target; entries of unknown target are not counted here.
    targets: dict[str, int]
    #: The version that wrote it; `null` if unknown.
    version: Optional[str]


class _Cell(TypedDict):
    """What is always there."""

    #: Code objects whose machine code was not examined because it is compressed.
    bodies_unread: int
    #: Number of bundles that cover it, and of all bundles with device code, if the coverage is partial.
    bundles: Optional[list[int]]
    #: Bytes of code objects.
    bytes: int
    #: Code objects.
    code_objects: int
    #: How the library covers the processor.
    coverage: Coverage
    #: Files with and without kernels for it, if only some files cover it.
    files: Optional[FileShare]
    #: Location of the first code object, as evidence.
    first: Optional[str]
    #: The generic target through which it is covered, if any.
    generic: Optional[str]
    #: Kernels.
    kernels: int
    #: The processor.
    processor: str
    #: Kernels that only trap, in the code objects whose machine code was examined.
    trap_stubs: int


class Cell(_Cell, total=False):
    """One cell of the matrix."""

    #: Bytes by class (`code`, `kernel-metadata`, `data`, `debug`, `symbols`, `elf-headers`, `padding`), as
    #: far as known: only the beginnings of compressed code objects are read.
    bytes_by_class: dict[str, int]


class Claim(TypedDict):
    """The processor that `HSA_OVERRIDE_GFX_VERSION` makes the runtime claim, if the user asks for an answer as
if it were set: the answer is that of the claimed processor, for the card with its own name and compute
units."""

    #: Whether the value is safe.
    answer: OverrideAnswer
    #: The reason, as a clause.
    because: str
    #: The processor of the card.
    card: str
    #: The processor that is claimed.
    claimed: str
    #: How the answer is known: by LLVM's tables or from the decoded code; it was never tried.
    evidence: Evidence
    #: The value of the variable.
    value: str


#: How libraries use a class of instructions that a target has.
ClassAnswer = TypedDict(
    "ClassAnswer",
    {
        "class": 'str',
        "libraries": 'list[ClassUser]',
        "observed": 'int',
        "processor": 'str',
    },
)


#: Instructions of one class.
ClassRow = TypedDict(
    "ClassRow",
    {
        "class": 'str',
        "code_objects": 'int',
        "expected": 'bool',
        "expected_evidence": 'Evidence',
        "observed": 'int',
    },
)


class ClassUser(TypedDict):
    """How much of a library's code uses a class of instructions."""

    #: Number of code objects that contain such an instruction.
    code_objects: int
    #: The library.
    library: str
    #: Number of decoded code objects.
    of_code_objects: int
    #: The root or package that contains it, if the library lies in several.
    place: Optional[str]
    #: True for the Tensile library folder.
    tensile: bool

#: How a file is related to a compiler.
CompilerSign = Literal["is-of-it", "is-linked", "names-function", "calls-it"]

#: How sure a finding is. Severity is another question: a note can be certain, and an error likely.
Confidence = Literal["certain", "likely"]


class Consequence(TypedDict):
    """A consequence of several processors in one host."""

    #: How it is known.
    evidence: Evidence
    #: It in a sentence.
    text: str


class Copies(TypedDict):
    """Duplicates of one kind."""

    #: Inflated size of these copies in bytes.
    bytes: int
    #: Number of copies beyond the first of each group.
    extra: int
    #: Number of groups of duplicates.
    groups: int
    #: The groups with the most bytes.
    largest: list[CopyGroup]


class CopyGroup(TypedDict):
    """A group of duplicates."""

    #: Size of each copy in bytes.
    bytes: int
    #: Number of copies.
    count: int
    #: Location of the first copy.
    first: str
    #: Location of another copy.
    second: str
    #: Target IDs of the code objects.
    target_ids: list[str]


class Count(TypedDict):
    """A number of items and their bytes."""

    #: Size of the items in bytes.
    bytes: int
    #: Number of items.
    count: int

#: What a library has for a processor.
Coverage = Literal["native", "some-files", "partial", "fallback-only", "generic", "run-time", "translated", "broken", "not-known", "no-kernels", "absent"]


class CoveredLibraries(TypedDict):
    """Libraries with the same coverage of a processor."""

    #: The coverage they share.
    coverage: Coverage
    #: The libraries' parts.
    parts: list[CoveredPart]


class CoveredPart(TypedDict):
    """A library's code, and how many of its kernels run."""

    #: Files with and without kernels for it, if only some files cover it.
    files: Optional[FileShare]
    #: Number of kernels in its cell of the matrix.
    kernels: int
    #: The library.
    library: str
    #: The root or package that contains it, if the library lies in several.
    place: Optional[str]
    #: True for the Tensile library folder.
    tensile: bool
    #: Kernels that only trap.
    trap_stubs: int


class DamagedFile(TypedDict):
    """A file that could not be read in full."""

    #: The file.
    path: str
    #: The first problem with it.
    what: str

#: How a database is stored.
DatabaseForm = Literal["text", "sqlite", "git-lfs-pointer", "solver-model", "parameter-model"]

#: What a database of MIOpen is for.
DatabaseKind = Literal["find-db", "kernel-db", "model", "perf-db"]


class DatabaseLines(TypedDict):
    """The find-dbs and perf-dbs of one processor."""

    #: Number of databases.
    databases: int
    #: Number of lines in them.
    lines: int
    #: The processor.
    processor: str

#: How a statement is known.
Evidence = Literal["observed", "code", "runtime", "stand-in", "inferred"]


class FallbackLayer(TypedDict):
    """Layer 3: fallbacks."""

    #: Tensile fallback code objects for it.
    code_objects: int
    #: How the generic part is known: the membership is LLVM's.
    evidence: Evidence
    #: Generic targets that it can run and that have kernels here.
    generic_targets: list[str]
    #: Libraries that reach it only through these.
    libraries_by_generic: int


#: The files of a library with device code, split by whether they have kernels for a processor.
FileShare = TypedDict(
    "FileShare",
    {
        "with": 'list[str]',
        "without": 'list[str]',
    },
)


class Finding(TypedDict):
    """A problem or noteworthy fact."""

    #: What to do about it, as a clause.
    advice: str
    #: How certain the finding is.
    confidence: Confidence
    #: Number of occurrences; `locations` lists the first ones.
    count: int
    #: The numbers behind it, in a sentence; empty if the rest says everything.
    detail: str
    #: The consequence, as a clause.
    effect: str
    #: How the effect is known.
    effect_known: Evidence
    #: Id of the rule: `catalog-missing`. `rocm-audit list rules` shows all.
    id: str
    #: How the finding is known.
    known: Evidence
    #: Where it occurs.
    locations: list[Location]
    #: How much it matters.
    severity: Severity
    #: The target it is about; `null` if it is about all.
    target: Optional[str]
    #: What was found, as a clause.
    what: str


class FirmwareCount(TypedDict):
    """A number of firmware files."""

    #: Bytes of both.
    bytes: int
    #: Files.
    files: int
    #: Links to such files.
    links: int


class FirmwareRow(TypedDict):
    """Firmware of one codename."""

    #: Bytes.
    bytes: int
    #: `vega10`.
    codename: str
    #: Files.
    files: int
    #: One of the files, as evidence.
    first: str
    #: Links to such files.
    links: int
    #: Files for the micro engine scheduler (MES), each with its release.
    mes: list[MesFirmware]
    #: The processor, if the name leads to one.
    processor: Optional[str]


class GemmRow(TypedDict):
    """One processor in one library folder."""

    #: The folder, as reports show paths.
    folder: str
    #: The library.
    library: str
    #: The processor.
    processor: str
    #: The matrix types, as in the names of catalogs.
    types: list[GemmType]
    #: Catalogs that are used only with a flag (`CUEfficiency`, `Fp16Alt`, `ExperimentalGrid`), and their
    #: number.
    variants: dict[str, int]


class GemmType(TypedDict):
    """One type."""

    #: How all combinations are served; `null` if only some are tuned.
    all: Optional[Served]
    #: For each combination of transpositions (`NN`, `NT`, …), how it is served.
    served: dict[str, Served]
    #: Number of tuned combinations.
    tuned: int
    #: `SS`, `HH_HPA`, …: Tensile's abbreviations of input and output; `HPA` means that sums use more bits.
    type: str


class _ImageLayer(TypedDict):
    """What is always there."""

    #: The command that made it, from the image's history.
    command: Optional[str]
    #: Files that a later layer deletes.
    deleted: Count
    #: Digest of the layer, or its path if the image states no digest.
    digest: str
    #: Files in the layer, unpacked.
    files: Count
    #: Number of the layer, from 1 for the lowest.
    number: int
    #: Files that a later layer replaces.
    replaced: Count


class ImageLayer(_ImageLayer, total=False):
    """A layer of a container image."""

    #: The image it belongs to, if there are several.
    image: Optional[str]


class Input(TypedDict):
    """A file that was read whole for its digest."""

    #: Size of the file in bytes.
    bytes: int
    #: Path of the root.
    path: str
    #: SHA-256 of the file in hexadecimal.
    sha256: str


class LibraryInstructions(TypedDict):
    """Instructions of one library for one processor."""

    #: Instructions that another processor lacks, if one was named.
    absent: Optional[Absent]
    #: Kernels by what their bodies do.
    bodies: Bodies
    #: Instructions by class, for all classes, in the order of `rocm-audit list classes`.
    classes: list[ClassRow]
    #: Code objects whose machine code was decoded.
    code_objects: int
    #: Bytes in the code that symbols mark as data.
    data_bytes: int
    #: All instructions.
    instructions: int
    #: The library.
    library: str
    #: Instructions by mnemonic, most frequent first; empty in the report of an audit.
    mnemonics: list[MnemonicRow]
    #: Code objects that were not decoded: their processor is unknown, or they are compressed and too large
    #: to keep.
    not_decoded: int
    #: The root or package that contains it, if the library lies in several.
    place: Optional[str]
    #: The processor.
    processor: str
    #: True for the Tensile library folder.
    tensile: bool
    #: Words that are not instructions of the target.
    unknown_words: int
    #: Zero bytes skipped, in runs of eight or more.
    zero_bytes: int

#: The role of a library for programs that use it.
LibraryRole = Literal["needed", "optional", "compiler", "wrapper", "runtime", "tool", "firmware", "loose"]


class LibraryRow(TypedDict):
    """One library's row of the matrix."""

    #: One cell for each processor in `targets`, in that order.
    cells: list[Cell]
    #: Number of files with its device code.
    files: int
    #: The library.
    library: str
    #: The root or package that contains it, if the library lies in several; each copy has its own row.
    place: Optional[str]
    #: Whether several of these are versions of one library, which are counted together.
    several_versions: bool
    #: `DT_SONAME`s of its shared libraries.
    sonames: list[str]
    #: True if the row is about the Tensile library folder, false if it is about the shared libraries.
    tensile: bool


class LibraryVerdict(TypedDict):
    """What a library does on a processor."""

    #: Whether it runs.
    answer: Answer
    #: Coverage of the processor by its own kernels or by its Tensile folder, whichever is worse.
    coverage: Coverage
    #: How the reason is known.
    evidence: Evidence
    #: The library.
    library: str
    #: Libraries with GPU code that it is linked with.
    needs: list[Need]
    #: The root or package that contains it, if it lies in several.
    place: Optional[str]
    #: The reason, as a clause.
    reason: str
    #: The role of the library.
    role: LibraryRole
    #: What happens at run time if it does not run, according to the libraries' sources.
    then: Optional[str]


class LibraryWithoutCode(TypedDict):
    """A ROCm library that is here without device code."""

    #: The library.
    library: str
    #: Paths of its files.
    paths: list[str]


class LinkedRelease(TypedDict):
    """A release of a library of ROCm that files are linked with."""

    #: Number of files that are linked with it.
    files: int
    #: The first of them.
    first: str
    #: The library, as its file is called on Linux without a version: `libamdhip64`.
    library: str
    #: The version in the name that is asked for: `7` of `libamdhip64.so.7` and of `amdhip64_7.dll`; empty if
    #: the name has none.
    release: str


class Location(TypedDict):
    """A place where a finding shows."""

    #: Line of a text, counted from 1.
    line: Optional[int]
    #: Offset in bytes, where it is known.
    offset: Optional[int]
    #: The file as reports show it; empty where the place is no file.
    path: str
    #: Row of a table in SQLite.
    row: Optional[int]
    #: True where the offset counts inflated bytes.
    unpacked: bool
    #: What is there: a sentence, a kernel, a key. Empty where the place says all.
    what: str


class MesFirmware(TypedDict):
    """A firmware file for the micro engine scheduler."""

    #: How the release is known: published numbers suggest that this field is the release.
    evidence: Evidence
    #: The file.
    file: str
    #: Release of the firmware, as the driver reports it.
    release: int


class MiopenRow(TypedDict):
    """MIOpen databases of one processor and number of compute units."""

    #: `HIP` or `OpenCL`, if the name says so.
    backend: Optional[str]
    #: Compute units in the names.
    compute_units: Optional[int]
    #: Storage form.
    form: DatabaseForm
    #: Purpose of the database.
    kind: DatabaseKind
    #: The file.
    path: str
    #: The processor.
    processor: str
    #: Number of lines or records; `null` if they could not be counted.
    records: Optional[int]


class MnemonicRow(TypedDict):
    """One mnemonic."""

    #: How often it occurs.
    count: int
    #: The mnemonic as LLVM prints it; for a dual-issue pair both, `v_dual_a :: v_dual_b`.
    mnemonic: str


class Need(TypedDict):
    """A library that another one is linked with."""

    #: Verdict on the library, if it is here.
    answer: Optional[Answer]
    #: `DT_SONAME` of the library.
    soname: str


class NotExamined(TypedDict):
    """Something that was seen but not examined."""

    #: Size of the files in bytes.
    bytes: int
    #: Path of one of the files.
    example: str
    #: Number of files.
    files: int
    #: Whether `remainder` has this format and counts these files.
    in_remainder: bool
    #: Description in words.
    what: str


class OverriddenLibrary(TypedDict):
    """The code of a library for the claimed processor."""

    #: Instructions that the card lacks or reads differently.
    absent: Optional[Absent]
    #: Code objects.
    code_objects: int
    #: Number of decoded instructions; `null` if decoding was not needed.
    instructions: Optional[int]
    #: Kernels.
    kernels: int
    #: The library.
    library: str
    #: Programs and shared libraries with code for the card but not for the claimed processor: the override
    #: stops them.
    lost_by: list[str]
    #: Whether it needs the override: it, or one of its files, has no code for the card.
    needed: bool
    #: Programs and shared libraries with code for the claimed processor but not for the card.
    needed_by: list[str]
    #: Programs and shared libraries with code for both; they do not need it.
    not_needed_by: list[str]
    #: The root or package that contains it, if the library lies in several.
    place: Optional[str]
    #: True for the Tensile library folder.
    tensile: bool
    #: Kernels that only trap and so cannot run.
    trap_stubs: int


class Override(TypedDict):
    """What `HSA_OVERRIDE_GFX_VERSION` could achieve with code for another processor."""

    #: Whether the value is safe.
    answer: OverrideAnswer
    #: The reason, as a clause.
    because: str
    #: Result of decoding the code that would be loaded, by library; only for the best override, and if the
    #: tables do not decide.
    code: list[OverriddenLibrary]
    #: How it is known: from LLVM's tables and the decoded code; it was not tried.
    evidence: Evidence
    #: Features that only one of both has and that decoding cannot judge.
    features: list[str]
    #: Whether the evidence supports it: `answer` is `legal` or `legal-with-differences`.
    is_legal: bool
    #: Kernels of the libraries that run only, or only wholly, with it.
    kernels: int
    #: Number of that processor's instructions that the card lacks or encodes differently.
    lacking: int
    #: Programs and shared libraries with code for the card but not for that processor; the override stops
    #: them.
    lost_by: list[str]
    #: Programs and shared libraries with code for that processor but not for the card; they need the
    #: override.
    needed_by: list[str]
    #: The processor whose code would be loaded.
    processor: str
    #: Settings in that processor's kernel descriptors that the card reads differently.
    starts: list[str]
    #: Types of matrix products that these kernels are tuned for.
    tuned_types: int
    #: The value of the variable.
    value: str

#: The judgement on an override.
OverrideAnswer = Literal["legal", "legal-with-differences", "not-decoded", "illegal", "unneeded", "useless", "cross-major", "no-code", "windows"]


class _Package(TypedDict):
    """What is always there."""

    #: Size of the package in bytes.
    bytes: int
    #: Format of the package: `zip or wheel`, `Debian package`, `tar`, `gzip`.
    format: str
    #: Unpacked size of these files in bytes.
    member_bytes: int
    #: Number of files in it, including those in packages inside it.
    members: int
    #: Path of the package.
    path: str


class Package(_Package, total=False):
    """A package whose members were read."""

    #: Name and version of what it installs, if stated.
    identity: Optional[str]
    #: The layers of the container images in it, each with what later layers remove. The members are those of
    #: the running image: all layers on top of each other.
    layers: list[ImageLayer]


class Remainder(TypedDict):
    """Files with nothing counted."""

    #: Size of the files in bytes.
    bytes: int
    #: Number of files.
    files: int
    #: Format of the files, or why it is unknown.
    format: str
    #: Why the report has nothing on them.
    state: UnreportedReason


class RunTimeCompiler(TypedDict):
    """Software that compiles kernels for the GPU at run time."""

    #: What it compiles, and for which purpose.
    compiles: str
    #: How its presence is known.
    evidence: Evidence
    #: Number of files that indicate it.
    files: int
    #: Path of the first such file.
    first: str
    #: Whether it produces kernels without the user's doing.
    makes_kernels: bool
    #: Name of the software.
    name: str
    #: How the files are related to it.
    sign: CompilerSign


class SelectionLayer(TypedDict):
    """Layer 2: catalogs and databases."""

    #: Tensile catalogs that name it (lazy ones included).
    catalogs: int
    #: Sum of both.
    db_lines: int
    #: How it is known.
    evidence: Evidence
    #: MIOpen find-db lines.
    find_db_lines: int
    #: Kernels in MIOpen kernel databases.
    kernel_db_kernels: int
    #: MIOpen models.
    models: int
    #: MIOpen perf-db lines (SQLite counted as its text form).
    perf_db_lines: int
    #: Number of solutions in these catalogs.
    solutions: int

#: How a target is served for a type and a combination of transpositions.
Served = Literal["tuned", "fallback", "tuned-for-arrays", "some-fail", "fails", "none", "catalog-missing"]

#: How much a defect matters.
Severity = Literal["error", "warning", "note"]


class SeverityCounts(TypedDict):
    """How many findings there are of each severity."""

    #: Errors.
    errors: int
    #: Notes.
    notes: int
    #: Warnings.
    warnings: int


class ShipLayer(TypedDict):
    """Layer 4: shipped files."""

    #: Size of these files in bytes.
    bytes: int
    #: How it is known.
    evidence: Evidence
    #: Files that name it or carry code for it, except firmware.
    files: int
    #: Firmware files for it, without links.
    firmware_files: int
    #: Files whose name contains it.
    named_files: int


class _Summary(TypedDict):
    """What is always there."""

    #: Code objects by ABI version.
    abi_versions: dict[str, int]
    #: Size of these items in bytes.
    artifact_bytes: int
    #: Number of distinct files among these items.
    artifact_files: int
    #: Number of items with something counted: files, links to firmware, and each library's part of a kpack
    #: archive.
    artifacts: int
    #: Number of bundles.
    bundles: int
    #: Size of these files in bytes.
    bytes: int
    #: Bytes of machine code.
    code_bytes: int
    #: Bytes of code objects, inflated.
    code_object_bytes: int
    #: Number of code objects.
    code_objects: int
    #: Number of compressed bundles.
    compressed_bundles: int
    #: Files, folders and members of packages that `--exclude` left out.
    excluded: int
    #: Number of regular files.
    files: int
    #: Number of kernels in their metadata.
    kernels: int
    #: Symbolic links that were not followed.
    links: int
    #: Files in a format that may hold device code, in which it was not looked for.
    not_examined_files: int
    #: Packages that are not inside other packages.
    outer_packages: Count
    #: Inflated size of the compressed bundles in bytes.
    unpacked_bytes: int
    #: Compressed bundles that were not read to their end, so that their hash was not verified.
    unverified_bundles: int


class Summary(_Summary, total=False):
    """Sums over a report."""

    #: Further names of files that were read (hard links, and links that were followed), if any.
    other_names: Optional[int]


class Target(TypedDict):
    """One processor."""

    #: For a generic target with kernels: processors that run its code, according to LLVM's AMDGPUUsage.
    also_runs_on: list[str]
    #: How this is known.
    also_runs_on_evidence: Evidence
    #: Layer 1: code built for it.
    build: BuildLayer
    #: A few devices.
    devices: Optional[str]
    #: Layer 3: what it can fall back to.
    fallback: FallbackLayer
    #: The instruction set family; `null` for an unknown processor.
    family: Optional[str]
    #: `gfx900`.
    processor: str
    #: Whether the only code for it is the copy and fill kernels that the HSA runtime carries for every GPU.
    runtime_kernels_only: bool
    #: Layer 2: data that selects among that code.
    selection: SelectionLayer
    #: Layer 4: files shipped under its name.
    ship: ShipLayer
    #: Code objects by target ID, if some of them fix features.
    target_ids: list[TargetIdRow]


class TargetAnswer(TypedDict):
    """How libraries cover an asked processor."""

    #: Libraries by coverage, best first; empty if nothing carries device code.
    libraries: list[CoveredLibraries]
    #: The processor.
    processor: str


class TargetIdRow(TypedDict):
    """Code objects of one target ID."""

    #: Bytes.
    bytes: int
    #: Code objects.
    code_objects: int
    #: Kernels.
    kernels: int
    #: `gfx90a:xnack+`.
    target_id: str


class TargetTotals(TypedDict):
    """Sums over targets. Files are not summed: one that carries several targets counts for each."""

    #: Tensile catalogs.
    catalogs: int
    #: Bytes of machine code.
    code_bytes: int
    #: Code objects.
    code_objects: int
    #: Lines of find-dbs and perf-dbs.
    db_lines: int
    #: Tensile fallback files.
    fallback_code_objects: int
    #: Kernels.
    kernels: int
    #: Kernels that can only trap, of the code objects whose machine code was looked at.
    trap_stubs: int


class TensileRow(TypedDict):
    """Files of one processor in a Tensile library folder. A file counts for the processor in its name."""

    #: Size of these files in bytes.
    bytes: int
    #: Catalogs among them, including the lazy one.
    catalogs: int
    #: Code files among them (`.co`, `.hsaco`), including fallbacks.
    code_files: int
    #: Fallback files among them.
    fallback_files: int
    #: Number of files that name it.
    files: int
    #: One of the files, as evidence.
    first: str
    #: rocBLAS or hipBLASLt.
    library: str
    #: The processor; `null` for files that name none.
    processor: Optional[str]
    #: Solutions in its catalogs.
    solutions: int
    #: Files by type code.
    types: dict[str, int]


class Tool(TypedDict):
    """The program that wrote a document."""

    #: `rocm-audit`.
    name: str
    #: Version of the program.
    version: str


class Totals(TypedDict):
    """Sums over the parts of a report."""

    #: Lines of all find-dbs and perf-dbs.
    database_lines: int
    #: Lines of find-dbs and perf-dbs, by processor.
    database_lines_by_processor: list[DatabaseLines]
    #: Bytes of `device_bytes`.
    device_bytes: int
    #: All firmware.
    firmware: FirmwareCount
    #: Firmware that names no processor.
    firmware_of_no_processor: FirmwareCount
    #: Code objects that were not decoded, over `instructions`.
    not_decoded: int
    #: Over `targets`.
    targets: TargetTotals


class Uncompressed(TypedDict):
    """Uncompressed bundles."""

    #: Size of the bundles in bytes.
    bytes: int
    #: Number of bundles.
    count: int
    #: Estimated size after `clang --offload-compress`, from compressed samples; `null` if the bundles are
    #: too small for an estimate.
    estimated_packed_bytes: Optional[int]

#: Why nothing is reported of files.
UnreportedReason = Literal["nothing", "source", "not-examined", "skipped", "unreadable"]


class UserPlace(TypedDict):
    """A place where a program keeps a cache of the user: `--caches`."""

    #: Whether it exists; then it was read.
    is_there: bool
    #: Software that owns the place.
    of: str
    #: The folder or file.
    path: str
    #: The variable that names it; `null` for the default place.
    variable: Optional[str]


class Verdict(TypedDict):
    """The verdict for one processor."""

    #: The conclusion from all libraries by their roles: the worst of those that programs need decides;
    #: optional libraries and run-time compilers can at most limit the answer, and the runtime decides
    #: nothing.
    answer: Answer
    #: Files that could not be read in full; their contents are unknown.
    damaged: list[DamagedFile]
    #: How the answer is known, unless each library states it.
    evidence: Optional[Evidence]
    #: The answer in words, with the reason if no library decides.
    headline: str
    #: Processors with code here.
    here: list[str]
    #: Each library with device code, worst first.
    libraries: list[LibraryVerdict]
    #: Whether there is no override only because the similar processors' code is in Windows files; Windows
    #: has no such variable.
    only_on_windows: bool
    #: Code of similar processors that `HSA_OVERRIDE_GFX_VERSION` would make the runtime load, most similar
    #: first; only if the user asked about the processor and a library, or one of its files, does not run.
    overrides: list[Override]
    #: The processor.
    processor: str
    #: Some products with it.
    products: list[str]
    #: What builds for the processor are called where they are published, as a sentence.
    published: Optional[str]
    #: Libraries that would run better with the first of `overrides`.
    with_override: list[LibraryVerdict]
    #: Libraries that have no code for the card and none with the first of `overrides` either.
    without_override: list[str]


class Version(TypedDict):
    """A statement of a version."""

    #: The component whose version it is.
    component: str
    #: How the version is known.
    evidence: Evidence
    #: The file that states it.
    path: str
    #: The version as the file writes it.
    version: str


class Waste(TypedDict):
    """Bytes that could be saved."""

    #: Debug information of code objects, inflated.
    debug_bytes: int
    #: Code objects that are identical byte for byte.
    identical_code_objects: Copies
    #: Code objects that were not compared byte by byte because their compressed bundle was not inflated to
    #: its end; those of bundles with the same hash count as identical. `--verify` and `fatbin` compare all.
    not_compared: int
    #: Zero bytes between bundles, between their entries, and between the sections of code objects.
    padding_bytes: int
    #: Machine code (`.text`) shared by code objects of different targets that are otherwise different.
    shared_machine_code: Copies
    #: Uncompressed bundles.
    uncompressed_bundles: Uncompressed


class _Report(TypedDict):
    """What is always there."""

    #: For each asked processor, how libraries cover it; empty if all are reported.
    answers: list[TargetAnswer]
    #: Every file with something counted above.
    artifacts: list[Artifact]
    #: Target IDs that the user asked about; empty if all found ones are reported.
    asked: list[str]
    #: The override that the answer takes as set (`--override`).
    claim: Optional[Claim]
    #: False if something could not be read: see `findings`. Compressed code counts as read when its
    #: beginning was: `summary.unverified_bundles` says how many bundles were not read to their end.
    complete: bool
    #: Findings by severity.
    counts: SeverityCounts
    #: Bytes of the code objects by class, summed over all whose sections were read.
    device_bytes: list[ByteClass]
    #: Why the run ended with 1: ids of the rules that `--fail-on` names, including those of damage; empty if
    #: it did not.
    failed_because: list[str]
    #: What could not be read, and other findings, worst first.
    findings: list[Finding]
    #: Firmware per codename.
    firmware: list[FirmwareRow]
    #: Matrix products for each library and processor: which are tuned, fall back, or are missing.
    gemm: list[GemmRow]
    #: Digests of the roots that are files; empty unless `--digest` asked for them.
    inputs: list[Input]
    #: For each asked processor, which libraries use the most telling classes of instructions.
    instruction_answers: list[ClassAnswer]
    #: The instruction mix of each library for each processor; empty unless requested.
    instructions: list[LibraryInstructions]
    #: ROCm's shared libraries here that contain no device code.
    libraries_without_code: list[LibraryWithoutCode]
    #: The releases of ROCm's libraries that files in the tree are linked with, by the names that they ask
    #: the loader for.
    linked_with: list[LinkedRelease]
    #: The matrix of libraries and processors.
    matrix: list[LibraryRow]
    #: MIOpen databases per processor and number of compute units.
    miopen: list[MiopenRow]
    #: Consequences of having GPUs of all asked processors in one host; empty for one processor.
    mixed_host: list[Consequence]
    #: What was seen but not examined.
    not_examined: list[NotExamined]
    #: What bytes alone cannot show, in sentences.
    not_shown: list[str]
    #: Packages whose members were read, each as one file. All sums count the members, not the packages.
    packages: list[Package]
    #: Files with nothing counted above, by format.
    remainder: list[Remainder]
    #: The roots as given.
    roots: list[str]
    #: Software here that compiles kernels for the GPU at run time, recognised by its file names.
    run_time_compilers: list[RunTimeCompiler]
    #: Type of the document: `rocm-audit/report`.
    schema: Literal["rocm-audit/report"]
    #: Version of its schema.
    schema_version: Literal["2.7.0"]
    #: Sums over everything.
    summary: Summary
    #: One row for each processor found.
    targets: list[Target]
    #: Tensile library folders for each processor.
    tensile: list[TensileRow]
    #: The program that wrote it.
    tool: Tool
    #: Sums over the parts of the report.
    totals: Totals
    #: Whether the stack here runs on each processor the user asked about, or, without any, on each that
    #: libraries other than the HSA runtime have kernels for.
    verdicts: list[Verdict]
    #: The versions that files in the tree state.
    versions: list[Version]
    #: Bytes that could be saved.
    waste: Waste


class Report(_Report, total=False):
    """The capability report of one or more roots."""

    #: Caches of what was compiled or measured at run time.
    caches: list[Cache]
    #: Places of the user's caches, searched because of `--caches`.
    user_places: list[UserPlace]


class VerdictReport(TypedDict):
    """Whether the stack here runs on a card, without the tables behind the verdicts: a few kilobytes of a report
that can have megabytes."""

    #: Target IDs that the user asked about; empty without any.
    asked: list[str]
    #: False if something could not be read: its contents are unknown and may include what the document calls
    #: missing.
    complete: bool
    #: Why the run ended with 1, as in the report.
    failed_because: list[str]
    #: What could not be read, and what else readers should be careful about, worst first.
    findings: list[Finding]
    #: Consequences of having GPUs of all asked processors in one host; empty for one processor.
    mixed_host: list[Consequence]
    #: The roots as given.
    roots: list[str]
    #: Type of the document: `rocm-audit/report`.
    schema: Literal["rocm-audit/verdict"]
    #: Version of its schema.
    schema_version: Literal["1.1.0"]
    #: The program that wrote it.
    tool: Tool
    #: Whether the stack here runs on each processor the user asked about, or, without any, on each that
    #: libraries other than the HSA runtime have kernels for.
    verdicts: list[Verdict]


class RequiredCode(TypedDict):
    """The code that a requirement found."""

    #: Number of code objects.
    code_objects: int
    #: Where the first code object is.
    first: Optional[str]
    #: Number of kernels.
    kernels: int


class Requirement(TypedDict):
    """Whether a library has a target."""

    #: The baseline's coverage, if this is why it is required.
    before: Optional[Coverage]
    #: The code for it; `null` if there is none, or a manifest was read.
    code: Optional[RequiredCode]
    #: The library's coverage; `null` if the library is missing.
    coverage: Optional[Coverage]
    #: The reason why it does not count, if it is unmet and ignored.
    ignored: Optional[str]
    #: Whether the requirement is met.
    is_met: bool
    #: Files without a kernel for the target, if other files have some.
    lacking: list[str]
    #: The library.
    library: str
    #: The root or package that contains it, if the library lies in several.
    place: Optional[str]
    #: The judged packages, or else roots: those that contain the library, or all roots if none does.
    places: list[str]
    #: The processor.
    processor: str
    #: Whether it is about the library's Tensile folder.
    tensile: bool
    #: Why the requirement is not met although code exists.
    why: Optional[str]


class UnusedIgnore(TypedDict):
    """An entry to ignore that did not occur."""

    #: The user's reason.
    reason: str
    #: Rule, target and library of the entry.
    what: str


class CheckReport(TypedDict):
    """Whether libraries have the required targets."""

    #: Path of the baseline report.
    baseline: Optional[str]
    #: False if something could not be read: see `findings`.
    complete: bool
    #: Why it failed: `requirement-not-met`, and ids of rules, including those of damage.
    failed_because: list[str]
    #: What could not be read, and other findings, worst first.
    findings: list[Finding]
    #: Digests of the roots that are files; empty unless `--digest` asked for them.
    inputs: list[Input]
    #: Ids of rules whose findings do not count, since the baseline had them or the user ignores them.
    not_counted: list[str]
    #: Whether all requirements are met, everything could be read, and nothing in `--fail-on` was found.
    passed: bool
    #: Required target IDs.
    required: list[str]
    #: One row for each target and library; empty if no library carries device code.
    requirements: list[Requirement]
    #: The roots as given.
    roots: list[str]
    #: Roots in which no library carries device code, if others have some; requirements do not apply to them.
    roots_without_code: list[str]
    #: Type of the document: `rocm-audit/report`.
    schema: Literal["rocm-audit/check"]
    #: Version of its schema.
    schema_version: Literal["2.5.0"]
    #: The sizes that are allowed, as they were asked for: `500MiB`, `gfx906=120MB`.
    size_budgets: list[str]
    #: The program that wrote it.
    tool: Tool
    #: Entries to ignore that did not occur.
    unused_ignores: list[UnusedIgnore]


class Candidate(TypedDict):
    """An artifact."""

    #: Whether it runs on the card.
    answer: Answer
    #: Its size in bytes, if known.
    bytes: Optional[int]
    #: How many of them came from its address, if its parts were read from there.
    fetched: Optional[int]
    #: The answer in words.
    headline: str
    #: A command that installs it, if it runs and its name says how.
    install: Optional[str]
    #: What the answer was taken from.
    known_by: CandidateSource
    #: What each library of it does on the card, worst first.
    libraries: list[ManifestCoverage]
    #: File name.
    name: str
    #: A value of `HSA_OVERRIDE_GFX_VERSION` with which it would run, or could.
    override: Optional[ManifestOverride]
    #: The file, if it is here.
    path: Optional[str]
    #: What does not fit together: a manifest or a list that says other than the file, and other remarks.
    remarks: list[str]
    #: The system that its name says it is for.
    system: Optional[CandidateSystem]
    #: The target IDs of its code objects.
    targets: list[str]
    #: The address that the call or a list gives for it.
    url: Optional[str]

#: What an answer was taken from.
CandidateSource = Literal["file", "address", "manifest", "nothing"]

#: Operating systems by which wheels and packages differ.
CandidateSystem = Literal["linux", "windows", "macos"]


class _ManifestCoverage(TypedDict):
    """What is always there."""

    #: Whether it runs.
    answer: Answer
    #: The library.
    library: str
    #: The reason, as a clause.
    reason: str


class ManifestCoverage(_ManifestCoverage, total=False):
    """What a library does on the processors of a row."""

    #: What its folder of catalogs has (rocBLAS, hipBLASLt).
    catalogs: Optional[Coverage]
    #: Types of matrix products that are served by fallback kernels only.
    fallback: list[str]
    #: What its own shared libraries have.
    kernels: Optional[Coverage]
    #: The folder or package in the artifact that contains it, if it lies in several.
    place: Optional[str]
    #: Types of matrix products that its catalogs are tuned for.
    tuned: list[str]


class _ManifestOverride(TypedDict):
    """What is always there."""

    #: Whether it is safe; `not-decoded` where only the code itself can tell (`rocm-audit explain --override`).
    answer: OverrideAnswer
    #: The processor whose code is loaded then.
    processor: str
    #: The value: `10.3.0`.
    value: str


class ManifestOverride(_ManifestOverride, total=False):
    """A value of `HSA_OVERRIDE_GFX_VERSION`, judged by the tables of instructions alone."""

    #: Libraries that have no code for the card with it either.
    without: list[str]


class ChooseReport(TypedDict):
    """Which of several artifacts run on a card, best first."""

    #: The artifacts, best first: what runs, runs with limits, compiles its kernels, runs with an override, is
    #: not known, does not run. Of equal ones, those for Linux or without a system in their name, then that with more
    #: tuned types of matrix products, then the smaller.
    candidates: list[Candidate]
    #: False if a candidate could not be read whole: see `findings`.
    complete: bool
    #: Why the run ended with 1.
    failed_because: list[str]
    #: What could not be read.
    findings: list[Finding]
    #: The processor of the card.
    processor: str
    #: Products that the user's word means; empty if it named a processor.
    products: list[str]
    #: Type of the document: `rocm-audit/report`.
    schema: Literal["rocm-audit/choose"]
    #: Version of its schema.
    schema_version: Literal["1.1.0"]
    #: The program that wrote it.
    tool: Tool


class BytesChange(TypedDict):
    """A changed number of bytes."""

    #: Now.
    after: int
    #: Before.
    before: int
    #: A path, or a class of device code.
    of: str

#: What changed in the machine code of a kernel.
CodeChange = Literal["addresses", "registers", "waits", "order", "instructions"]


class CountChange(TypedDict):
    """A number that changed."""

    #: Now.
    after: int
    #: Before.
    before: int
    #: The library, or the database's file.
    of: str
    #: The processor.
    processor: str
    #: What is counted: `kernels`, `code objects`, `solutions`, `records`.
    what: str


class CoverageChange(TypedDict):
    """A changed coverage of a processor by a library."""

    #: What it has.
    after: Coverage
    #: What it had.
    before: Coverage
    #: Whether it is less than before.
    is_worse: bool
    #: The library.
    library: str
    #: The processor.
    processor: str
    #: Whether it is the library's Tensile folder.
    tensile: bool


class DiffSide(TypedDict):
    """One side of a comparison."""

    #: Bytes of the files with something to report.
    artifact_bytes: int
    #: Code objects.
    code_objects: int
    #: False if something could not be read: then items missing here may exist.
    complete: bool
    #: Kernels.
    kernels: int
    #: The path as the call names it.
    path: str
    #: The audited roots.
    roots: list[str]
    #: Whether it is a saved report.
    saved: bool
    #: Version of the program that audited it.
    tool_version: str


class FileChanges(TypedDict):
    """Files with something to report, by their paths below the roots."""

    #: Files of the new side only.
    added: list[FileSize]
    #: Files of the old side only.
    lost: list[FileSize]
    #: Files whose paths differ only in numbers (versions).
    renamed: list[FileRename]
    #: Files whose size changed.
    resized: list[BytesChange]


class FileRename(TypedDict):
    """A file with another name."""

    #: Path below the root now.
    after: str
    #: Path below the root before.
    before: str
    #: Size in bytes now.
    bytes_after: int
    #: Size in bytes before.
    bytes_before: int


class FileSize(TypedDict):
    """A file on one side only."""

    #: Size of the file in bytes.
    bytes: int
    #: The library it belongs to.
    library: str
    #: Path below the root.
    path: str


class FindingChanges(TypedDict):
    """Findings on one side only: no finding of the other side has the same rule, target and name of the first
file."""

    #: Findings that are gone.
    gone: list[FindingName]
    #: New ones.
    new: list[FindingName]


class FindingName(TypedDict):
    """A finding."""

    #: Name of the first file for which only this side has the finding.
    file: str
    #: Id of the rule.
    id: str
    #: Severity of the finding.
    severity: str
    #: Target of the finding.
    target: Optional[str]
    #: What is wrong.
    what: str


class InstructionMixChange(TypedDict):
    """What instructions the code for a processor is made of. Code of all files is counted, copies too."""

    #: Now; `null` if no code for it was decoded.
    after: Optional[InstructionMixSide]
    #: Before; `null` if no code for it was decoded.
    before: Optional[InstructionMixSide]
    #: Classes whose numbers differ, the largest difference first; empty if a side is `null`. An instruction
    #: can be of several classes.
    classes: list[MixChange]
    #: The same for mnemonics.
    mnemonics: list[MixChange]
    #: The processor.
    processor: str


class InstructionMixSide(TypedDict):
    """The code of one side for a processor."""

    #: Code objects, decoded or not.
    code_objects: int
    #: Instructions of the others.
    instructions: int
    #: Those that were not decoded; their instructions are not counted.
    not_decoded: int
    #: Words that are no instructions.
    unknown_words: int


class _KernelChange(TypedDict):
    """What is always there."""

    #: What changed in its machine code; `null` if nothing did, or unless requested.
    code: Optional[CodeChange]
    #: Demangled name, if it is a C++ name.
    demangled: Optional[str]
    #: Whether it spills more registers, needs more scratch, or leaves room for fewer waves than before.
    is_worse: bool
    #: Mangled name.
    name: str
    #: The numbers that changed.
    numbers: list[NumberChange]
    #: The target ID.
    target: str


class KernelChange(_KernelChange, total=False):
    """A kernel whose numbers or code changed. Those of files that both sides have are compared file by file;
of several others of a name the largest numbers."""

    #: The file, where kernels of its name are compared in several files that both sides have.
    file: Optional[str]


class KernelChanges(TypedDict):
    """Kernels by name and target in any file: a kernel that moved to another file is not lost."""

    #: Kernels that are new, on targets of both sides.
    added: list[KernelName]
    #: Kernels whose numbers or code changed; those that spill more come first.
    changed: list[KernelChange]
    #: Kernels that are gone, on targets of both sides.
    lost: list[KernelName]
    #: Kernels with changed names, because their arguments changed or another release writes more parameters
    #: into names.
    renamed: list[KernelRename]
    #: One row for each target of either side.
    targets: list[KernelTargetChange]


class KernelCodeChanges(TypedDict):
    """Kernels of both sides by what changed in their machine code."""

    #: The same instructions; only distances to what lies outside of the kernel differ.
    addresses: int
    #: Kernels that wait less often for memory than before, with at least as many memory instructions.
    fewer_waits: int
    #: Other instructions.
    instructions: int
    #: The same instructions in another order, or in the same one with registers that did not each become one
    #: other.
    order: int
    #: The same instructions in the same order; each register became one other throughout.
    registers: int
    #: The same bytes.
    same: int
    #: The same but for waits for memory, messages and exports: how many, where, and for how much; with the same
    #: or renamed registers.
    waits: int


class KernelName(TypedDict):
    """A kernel of a target."""

    #: Demangled name, if it is a C++ name.
    demangled: Optional[str]
    #: Mangled name.
    name: str
    #: The target ID.
    target: str


class KernelRename(TypedDict):
    """A kernel under another name."""

    #: The new mangled name.
    after: str
    #: The old mangled name.
    before: str
    #: The target ID.
    target: str


class KernelTargetChange(TypedDict):
    """Kernels of a target."""

    #: Names that are new.
    added: int
    #: Names now.
    after: int
    #: Names before.
    before: int
    #: Names whose numbers or code changed.
    changed: int
    #: What changed in the machine code of kernels of both sides; `null` unless requested.
    code: Optional[KernelCodeChanges]
    #: Names that are gone.
    lost: int
    #: Names with lower occupancy: a SIMD unit holds fewer of their waves than before.
    lower_occupancy: int
    #: Kernels that have another name now.
    renamed: int
    #: Names that spill more than before.
    spill_more: int
    #: The target ID.
    target: str


class LibraryChange(TypedDict):
    """A library that only one side has."""

    #: The library.
    library: str
    #: Whether it is gone; otherwise it is new.
    lost: bool
    #: The processors that it has code for on that side.
    processors: list[str]
    #: Whether it is the library's Tensile folder.
    tensile: bool


class MixChange(TypedDict):
    """How often a class or a mnemonic occurs."""

    #: Instructions now.
    after: int
    #: Instructions before.
    before: int
    #: The class, as `rocm-audit list classes` has it, or the mnemonic.
    name: str


class NumberChange(TypedDict):
    """A number of a kernel that changed."""

    #: Now.
    after: int
    #: Before.
    before: int
    #: Name of the number: `vgprs`, `agprs`, `sgprs`, `spills`, `scratch`, `lds`,
    #: `occupancy` (waves of it that a SIMD unit holds); of machine code `instructions`, `code-bytes`, `waits`,
    #: `matrix`, `vector-memory`, `lds-instructions`, `scratch-instructions`, `branches`.
    what: str


class Regression(TypedDict):
    """A regression."""

    #: Number of items.
    count: int
    #: Kind of the regression.
    kind: RegressionKind
    #: The regression in a sentence.
    what: str

#: Kinds of regressions, worst first; also the words of `--fail-on`.
RegressionKind = Literal["lost-target", "less-coverage", "lost-kernel", "more-spills", "lower-occupancy", "fewer-waits", "worse-selection", "fewer-records", "lost-file", "new-finding", "bigger"]


class SelectionAnswer(TypedDict):
    """An answer of a library."""

    #: Distance from the tuned size, if the answer came from a table.
    distance: Optional[float]
    #: How the answer is known.
    evidence: Evidence
    #: Kind of the answer, as in the report of `workload`: `tuned`, `fallback`, `nothing`.
    kind: str
    #: Kernels or solvers that the library takes.
    taken: list[str]
    #: The kind in words.
    way: str


class SelectionChange(TypedDict):
    """A problem with a changed answer."""

    #: The new answer.
    after: SelectionAnswer
    #: The old answer.
    before: SelectionAnswer
    #: Number of calls.
    calls: int
    #: Share of the floating-point operations of all problems in the file.
    flops_share: float
    #: The library.
    library: str
    #: Number of the first line that states it.
    line: int
    #: The problem, in words.
    problem: str
    #: The target, as in its row.
    target: str
    #: How the answers compare.
    verdict: SelectionVerdict


class SelectionChanges(TypedDict):
    """What libraries choose for a list of problems, before and after."""

    #: Problems with changed answers; regressions come first.
    changed: list[SelectionChange]
    #: The file of problems as the call names it; `reference` for the built-in list.
    problems: str
    #: One row for each target.
    targets: list[SelectionTarget]
    #: Number of malformed lines in the file.
    wrong_lines: int


class SelectionGap(TypedDict):
    """Problems of a library that were not compared."""

    #: The library.
    library: str
    #: Number of problems.
    problems: int
    #: The reason, in a sentence.
    why: str


class SelectionTarget(TypedDict):
    """Counts of a target's answers."""

    #: Number of better answers.
    better: int
    #: Number of problems with known answers on both sides.
    compared: int
    #: Multiprocessors as HIP counts them.
    multiprocessors: int
    #: Whether their number is assumed.
    multiprocessors_assumed: bool
    #: Problems that were not compared.
    not_compared: list[SelectionGap]
    #: Number of answers with another kernel or solver of the same kind.
    other: int
    #: Number of answers whose kernels changed only their names.
    renamed: int
    #: Number of unchanged answers.
    same: int
    #: The target ID; for two targets of one tree, both with an arrow between them.
    target: str
    #: Number of worse answers.
    worse: int

#: How a new answer compares with the old one.
SelectionVerdict = Literal["worse", "other", "better", "renamed"]


class SideVerdict(TypedDict):
    """A verdict of one side; the audit of that side says what decides it."""

    #: The answer.
    answer: Answer
    #: The answer in words.
    headline: str


class VerdictChange(TypedDict):
    """The verdicts of both sides on a card."""

    #: Of the new side.
    after: SideVerdict
    #: Of the old side.
    before: SideVerdict
    #: The processor.
    processor: str
    #: Some products with it.
    products: list[str]


class VersionChange(TypedDict):
    """A version that changed."""

    #: The new version; `null` if none is stated.
    after: Optional[str]
    #: The old version; `null` if none was stated.
    before: Optional[str]
    #: The component whose version changed.
    component: str


class _DiffReport(TypedDict):
    """What is always there."""

    #: False if something could not be read: its contents are unknown and may include what the document calls
    #: missing.
    complete: bool
    #: Numbers that changed.
    counts: list[CountChange]
    #: Libraries on both sides with changed coverage of a processor; those with less come first.
    coverage: list[CoverageChange]
    #: Changed bytes of device code by class.
    device_bytes: list[BytesChange]
    #: Why the run ended with 1: ids of rules, and `--fail-on` words for regressions; empty if it did not.
    failed_because: list[str]
    #: Files that changed.
    files: FileChanges
    #: Findings that only one side has.
    finding_changes: FindingChanges
    #: What could not be read, and what else readers should be careful about, worst first.
    findings: list[Finding]
    #: Changed kernels; `null` if a side is a saved report, which does not list them.
    kernels: Optional[KernelChanges]
    #: Libraries that only one side has.
    libraries: list[LibraryChange]
    #: The new side.
    new: DiffSide
    #: The old side.
    old: DiffSide
    #: The regressions, worst first; empty if there are none.
    regressions: list[Regression]
    #: Type of the document: `rocm-audit/report`.
    schema: Literal["rocm-audit/diff"]
    #: Version of its schema.
    schema_version: Literal["2.3.0"]
    #: The program that wrote it.
    tool: Tool
    #: Statements of versions that changed.
    versions: list[VersionChange]


class DiffReport(_DiffReport, total=False):
    """What changed between two trees, packages, files or saved reports."""

    #: What instructions the code is made of, one row for each processor of either side; `null` unless requested.
    instructions: Optional[list[InstructionMixChange]]
    #: What libraries choose for a list of problems; `null` unless requested.
    selections: Optional[SelectionChanges]
    #: The verdicts on the cards that the call names, by processor; left out if it names none.
    verdicts: list[VerdictChange]


class ManifestArtifact(TypedDict):
    """The artifact that a manifest is about."""

    #: Size of the file in bytes; of a folder, of all files in it.
    bytes: int
    #: Name and version of the package, if it states them.
    identity: Optional[str]
    #: File name, without folders.
    name: str
    #: Bytes of the files in it that an audit reports, unpacked.
    reported_bytes: int
    #: SHA-256 of the file in hexadecimal; `null` for a folder.
    sha256: Optional[str]


class _ManifestCards(TypedDict):
    """What is always there."""

    #: The conclusion from all libraries by their roles, as an audit gives it.
    answer: Answer
    #: The answer in words.
    headline: str
    #: What each library does there, worst first.
    libraries: list[ManifestCoverage]
    #: The processors.
    processors: list[str]


class ManifestCards(_ManifestCards, total=False):
    """Processors with the same answers."""

    #: The best value of `HSA_OVERRIDE_GFX_VERSION`, if the libraries do not run and code for a similar
    #: processor is here.
    override: Optional[ManifestOverride]


class ManifestFile(TypedDict):
    """A shared library or program with code for GPUs."""

    #: Its size in bytes, unpacked.
    bytes: int
    #: The library that it is of.
    library: str
    #: Its path in the artifact.
    path: str


class _ManifestFinding(TypedDict):
    """What is always there."""

    #: How often it was found.
    count: int
    #: The rule.
    id: str


class ManifestFinding(_ManifestFinding, total=False):
    """A finding, counted."""

    #: The targets that it is about, if it is about targets.
    targets: list[str]


class ManifestLibrary(TypedDict):
    """A library with code for GPUs."""

    #: The library.
    library: str
    #: Libraries with kernels that it is linked with, by their `DT_SONAME`.
    needs: list[str]
    #: The role of the library for programs that use it.
    role: LibraryRole


class ManifestRelease(TypedDict):
    """A version."""

    #: The library that the artifact is linked with (`libamdhip64`), or the component that states its version.
    component: str
    #: True if the artifact needs it from elsewhere or from itself by its linkage; false if a file states it.
    linked: bool
    #: The version: `7`, `7.2.4`.
    version: str


class ManifestTarget(TypedDict):
    """Code objects of one target ID."""

    #: Code objects.
    code_objects: int
    #: Kernels.
    kernels: int
    #: `gfx90a:xnack+`.
    target_id: str


class Manifest(TypedDict):
    """What an artifact can do on every processor that the program knows. Processors with equal answers share a
row."""

    #: The artifact.
    artifact: ManifestArtifact
    #: What runs on each processor: one row for all processors with the same answers, in the order of their
    #: first.
    cards: list[ManifestCards]
    #: False if something of the artifact could not be read: what is not here may be in it then.
    complete: bool
    #: Its shared libraries and programs with code for GPUs.
    files: list[ManifestFile]
    #: What was found in it: rules and how often.
    findings: list[ManifestFinding]
    #: Its libraries with code for GPUs.
    libraries: list[ManifestLibrary]
    #: Releases of ROCm's libraries that it is linked with, and versions that its files state.
    releases: list[ManifestRelease]
    #: Type of the document: `rocm-audit/report`.
    schema: Literal["rocm-audit/manifest"]
    #: Version of its schema.
    schema_version: Literal["1.0.0"]
    #: The target IDs of its code objects, in the order of the processors.
    targets: list[ManifestTarget]
    #: The program that wrote it.
    tool: Tool


class FileNeeds(TypedDict):
    """What one file needs."""

    #: Search paths to fixed places that are neither the system's nor here.
    absolute_paths: list[str]
    #: Whether the paths are from `DT_RPATH`.
    is_rpath: bool
    #: The oldest release of the HIP runtime that satisfies it; `null` if it does not show one.
    least_runtime: Optional[LeastRuntime]
    #: The needed libraries, in the order of the file.
    needed: list[NeededLibrary]
    #: Libraries of ROCm that it may open by name at run time (`dlopen`): their names are among its constants,
    #: and it is not linked with them.
    opens: list[NeededLibrary]
    #: Path of the file.
    path: str
    #: `DT_RUNPATH`, or `DT_RPATH` without one.
    search_paths: list[str]
    #: `DT_SONAME`; `null` if the file has none.
    soname: Optional[str]
    #: Number of HIP runtime symbols it uses without naming the runtime as needed, so that the process must
    #: have loaded the runtime before; 0 if it names the runtime or uses no symbols.
    unnamed_runtime_symbols: int


class LeastRuntime(TypedDict):
    """The oldest release of the HIP runtime that suffices."""

    #: The release: `6.3`.
    release: str
    #: The evidence, in a sentence.
    why: str


class MissingLibrary(TypedDict):
    """A library that is needed but missing here."""

    #: Name of the library.
    name: str
    #: The files that need it.
    needed_by: list[str]
    #: Origin of the library.
    place: NeededPlace


class NeededLibrary(TypedDict):
    """A library that a file needs."""

    #: Name of the library.
    name: str
    #: Path below its root or in its package, if it is here.
    path: Optional[str]
    #: Where the library is.
    place: NeededPlace

#: Where a needed library is.
NeededPlace = Literal["here", "unreachable", "system", "rocm", "other"]


class NeededVersion(TypedDict):
    """The highest version required of a library."""

    #: The files that require it.
    asked_by: list[str]
    #: The library.
    library: str
    #: The symbol version.
    version: str


class NeedsReport(TypedDict):
    """What libraries need from others."""

    #: False if something could not be read: see `findings`.
    complete: bool
    #: Why the run ended with 1: ids of the rules that `--fail-on` names, including those of damage; empty if
    #: it did not.
    failed_because: list[str]
    #: ROCm's libraries and programs, those that need one of its libraries, and those with device code, in
    #: walking order.
    files: list[FileNeeds]
    #: Problems with linking, and what could not be read.
    findings: list[Finding]
    #: The oldest release of the HIP runtime that satisfies all files; `null` if no file shows it.
    least_runtime: Optional[LeastRuntime]
    #: Each library that is needed but missing here, with the files that need it; ROCm's come first.
    missing: list[MissingLibrary]
    #: The roots as given.
    roots: list[str]
    #: Type of the document: `rocm-audit/report`.
    schema: Literal["rocm-audit/needs"]
    #: Version of its schema.
    schema_version: Literal["1.2.0"]
    #: The program that wrote it.
    tool: Tool
    #: For each library and kind of version, the highest version required: `hip_6.0`, `GLIBC_2.38`.
    versions: list[NeededVersion]


class CodePlace(TypedDict):
    """What lies at a place that was asked for."""

    #: Virtual address in the code object.
    address: Optional[int]
    #: The place as it was asked for.
    asked: str
    #: Its demangled name, if it is a C++ name.
    demangled: Optional[str]
    #: The file that was looked into.
    file: str
    #: Mangled name of the kernel or function; `null` if it is in none.
    function: Optional[str]
    #: The instruction and those around it.
    instructions: list[PlaceInstruction]
    #: Offset from the begin of the kernel or function in bytes.
    offset: Optional[int]
    #: The functions that the instruction is from: the innermost first, the kernel last. Empty without debug
    #: information.
    source: list[SourceFrame]
    #: The target ID of the code object; `null` if the place is in none.
    target_id: Optional[str]
    #: Where the code object is.
    uri: Optional[str]
    #: What is there, in words.
    what: str


class ExplainCause(TypedDict):
    """A possible cause of a message."""

    #: What to do.
    advice: str
    #: Id of the cause.
    id: str
    #: Whether bytes of files show it.
    shown_by_bytes: ShownByBytes
    #: What tells it apart from other causes.
    tell: str
    #: What is wrong.
    what: str


class ExplainDevice(TypedDict):
    """A GPU of the machine, as a log states it."""

    #: Whether it was in use when the message was printed.
    in_use: bool
    #: Number of the GPU; `null` if the log states none.
    number: Optional[int]
    #: Processor of the GPU.
    processor: str


class ExplainLibrary(TypedDict):
    """A library of the tree."""

    #: Name of the library.
    library: str
    #: Path of its first file.
    path: Optional[str]
    #: Whether it is the library's Tensile folder.
    tensile: bool


#: A message recognised in the log.
ExplainMessage = TypedDict(
    "ExplainMessage",
    {
        "class": 'MessageClass',
        "count": 'int',
        "id": 'str',
        "line": 'int',
        "meaning": 'str',
        "quote": 'str',
        "target": 'Optional[str]',
    },
)


class ExplainTree(TypedDict):
    """What the files of a tree say about a message."""

    #: Why, in a sentence or two.
    because: str
    #: How the verdict is known.
    known: Evidence
    #: Libraries without code or files for the target.
    lacking: list[ExplainLibrary]
    #: The roots.
    roots: list[str]
    #: Libraries with code and files for the target.
    serving: list[ExplainLibrary]
    #: The verdict on the cause.
    verdict: TreeVerdict

#: What a message is about.
MessageClass = Literal["file", "application", "harmless", "environment", "runtime", "build", "not-rocm", "ambiguous", "unknown"]


class PlaceInstruction(TypedDict):
    """An instruction near a place."""

    #: Its bytes in hexadecimal, in the order of the file.
    bytes: str
    #: Whether it is the one at the place.
    is_here: bool
    #: File and line of the innermost function; `null` without debug information.
    line: Optional[str]
    #: Offset from the begin of the kernel or function in bytes.
    offset: int
    #: The instruction with its operands, as LLVM writes it; `null` if the bytes are none.
    text: Optional[str]

#: Whether bytes of files show a cause.
ShownByBytes = Literal["yes", "partly", "no"]


class SourceFrame(TypedDict):
    """A place in a function."""

    #: Column, from 1; 0 if it is not known.
    column: int
    #: Path of the source file as the compiler was given it; `null` if it is not known.
    file: Optional[str]
    #: Mangled name of the function; `null` if the debug information has none.
    function: Optional[str]
    #: Line, from 1; 0 for code that the compiler made by itself.
    line: int

#: What the files of a tree say about a cause.
TreeVerdict = Literal["confirmed", "not-the-files", "not-decided"]


#: What the messages of a log mean and, if a tree is named, whether its files are the cause.
ExplainReport = TypedDict(
    "ExplainReport",
    {
        "advice": 'str',
        "bytes": 'Optional[str]',
        "causes": 'list[ExplainCause]',
        "claim": 'Optional[Claim]',
        "class": 'MessageClass',
        "complete": 'bool',
        "devices": 'list[ExplainDevice]',
        "findings": 'list[Finding]',
        "library": 'Optional[str]',
        "lines": 'int',
        "listed": 'list[str]',
        "meaning": 'str',
        "message": 'Optional[str]',
        "messages": 'list[ExplainMessage]',
        "of_another": 'Optional[str]',
        "overrides": 'list[str]',
        "path": 'Optional[str]',
        "places": 'list[CodePlace]',
        "processors": 'list[str]',
        "rules": 'list[str]',
        "schema": 'Literal["rocm-audit/explain"]',
        "schema_version": 'Literal["2.4.0"]',
        "target": 'Optional[str]',
        "target_id": 'Optional[str]',
        "tool": 'Tool',
        "tree": 'Optional[ExplainTree]',
    },
)


class ExplainBuild(TypedDict):
    """Releases that follow each other and are built for the same targets of a processor."""

    #: The first of them.
    first: str
    #: The last of them.
    last: str
    #: Where the list of the first stands: `ROCm/rocBLAS 337552f09e39 CMakeLists.txt:193`.
    source: str
    #: The targets, with their features: `gfx90a:xnack+`.
    targets: list[str]


class ExplainBuilds(TypedDict):
    """In which releases a library is built for a processor where its user names no targets. Who builds packages
may have named others."""

    #: The first release whose sources were looked at.
    examined_first: str
    #: The last such release.
    examined_last: str
    #: The library.
    library: str
    #: The releases that are built for the processor; none where no such release is.
    releases: list[ExplainBuild]


class ExplainCommit(TypedDict):
    """A commit."""

    #: `ROCm/Tensile 41236e39cf93`.
    commit: str
    #: Date of the commit.
    date: str
    #: First line of the commit message.
    subject: str


class ExplainCondition(TypedDict):
    """A condition of a solver."""

    #: Name of the condition within the rule.
    id: str
    #: Why it refuses a problem.
    refuses: str
    #: Source of the condition.
    source: str


class ExplainHistory(TypedDict):
    """What the public history of a library says of a processor."""

    #: The first commit in a line that names it.
    first: Optional[ExplainCommit]
    #: Whether the last commit says that it takes the processor out.
    is_taken_out: bool
    #: The last such commit, if it is another one.
    last: Optional[ExplainCommit]
    #: The library.
    library: str
    #: The files that were looked at; others may name the processor earlier or later.
    place: str


#: A message that this program recognises.
ExplainKnownMessage = TypedDict(
    "ExplainKnownMessage",
    {
        "bytes": 'str',
        "class": 'MessageClass',
        "id": 'str',
        "library": 'str',
        "meaning": 'str',
        "rules": 'list[str]',
    },
)


class ExplainNumber(TypedDict):
    """What a number can be: a status of a call, the end of a process, or the id of a solver."""

    #: Whether `explain` takes the name for more.
    explained: bool
    #: What that means, if it is a status that this program knows.
    meaning: Optional[str]
    #: The name that it stands for, or what it says.
    name: str
    #: Whose number it is.
    of: str


class ExplainPackage(TypedDict):
    """What a public package has for a processor."""

    #: Whether it runs on the processor.
    answer: ExplainServed
    #: The first of its files.
    file: str
    #: Name and release of the package.
    package: str
    #: The day on which it was read.
    read: str


class ExplainRule(TypedDict):
    """A rule of findings."""

    #: What to do.
    advice: str
    #: What follows.
    effect: str
    #: Id of the rule.
    id: str
    #: How such a finding is known.
    known: Evidence
    #: The rule's documentation page, by paragraph.
    page: list[str]
    #: How much such a finding matters.
    severity: Severity
    #: What such a finding states.
    what: str

#: Whether a package serves a processor.
ExplainServed = Literal["runs", "limits", "not-shown"]


class ExplainSolver(TypedDict):
    """A solver of MIOpen."""

    #: Algorithm family of the solver, if it has a rule.
    algorithm: Optional[str]
    #: Conditions under which it accepts a problem.
    conditions: list[ExplainCondition]
    #: Whether the default find mode considers it on a miss.
    dynamic: Optional[bool]
    #: Number of the solver in the registry.
    id: int
    #: Name of the solver as in databases.
    name: str
    #: What is uncertain about it, or why it has no rule.
    note: Optional[str]
    #: Source of its applicability check.
    source: Optional[str]


class ExplainTarget(TypedDict):
    """A processor."""

    #: In which releases libraries are built for it by default, as their sources say.
    builds: list[ExplainBuilds]
    #: Processors of the same generation whose instructions are a subset of its own, with the same bits and
    #: names. Their code decodes on it, but only an override would load it.
    decodes: list[str]
    #: A few devices.
    devices: Optional[str]
    #: Public name of its instruction set family.
    family: str
    #: What public histories of libraries say of it: the first and the last commit in a line that names it.
    history: list[ExplainHistory]
    #: The targets whose code such a device loads.
    loads: list[str]
    #: The processor's number in `e_flags`.
    mach: int
    #: For a generic target, its members.
    members: list[str]
    #: Public packages, and what their files have for it.
    packages: list[ExplainPackage]
    #: Name of the processor.
    processor: str
    #: Processors with the same instructions and encodings.
    same_instructions: list[str]
    #: The first LLVM release that names it; 19 also stands for all earlier ones.
    since_llvm: int
    #: Source of the two fields before it.
    source: str


class ExplainWordReport(TypedDict):
    """What a word of this program means."""

    #: The cause with this id.
    cause: Optional[ExplainCause]
    #: False if something could not be read: its contents are unknown and may include what the document calls
    #: missing.
    complete: bool
    #: What could not be read, and what else readers should be careful about, worst first.
    findings: list[Finding]
    #: Ids of the rules whose findings show the cause.
    found_by: list[str]
    #: The messages that can have the cause, or the message with this id.
    messages: list[ExplainKnownMessage]
    #: What the number can be, if the word is one.
    numbers: list[ExplainNumber]
    #: The rule of findings with this id.
    rule: Optional[ExplainRule]
    #: Type of the document: `rocm-audit/report`.
    schema: Literal["rocm-audit/explain-word"]
    #: Version of its schema.
    schema_version: Literal["2.3.0"]
    #: The solver with this name.
    solver: Optional[ExplainSolver]
    #: The processor with this name.
    target: Optional[ExplainTarget]
    #: The program that wrote it.
    tool: Tool
    #: The word.
    word: str

#: How a product is served.
GemmServed = Literal["tuned", "fallback", "none", "fails", "unknown"]

#: A layer of the stack.
Layer = Literal["build", "selection", "fallback", "ship"]


class SurveyConvolution(TypedDict):
    """What MIOpen does with a convolution."""

    #: The convolution in words.
    means: str
    #: Solvers that a find would measure without a record.
    measured: list[str]
    #: The solver that the find-db decides on.
    picked: Optional[str]
    #: The convolution as `select conv` accepts it.
    problem: str


class SurveyEvent(TypedDict):
    """A commit in which a library's files named the processor for the first or last time."""

    #: `ROCm/Tensile 41236e39cf93`.
    commit: str
    #: Date of the commit.
    date: str
    #: Whether it is the first such commit; otherwise it is the last.
    is_first: bool
    #: The library.
    library: str
    #: The files of the library that were looked at; others may name the processor earlier or later.
    place: str
    #: First line of the commit message.
    subject: str


class SurveyFamily(TypedDict):
    """A family of solvers."""

    #: Solvers that the processor allows.
    admitted: list[str]
    #: Name of the family.
    name: str
    #: Solvers that the processor, the build or a default refuses for every shape.
    refused: list[SurveyRefusal]


class SurveyGemm(TypedDict):
    """What rocBLAS does for one type."""

    #: The code object that supplies it.
    code_object: Optional[str]
    #: The kernel.
    kernel: Optional[str]
    #: The type in words.
    means: str
    #: How it is served.
    served: GemmServed
    #: The type: `HHS`.
    type: str
    #: Why there is no answer.
    why: Optional[str]


class SurveyGgml(TypedDict):
    """The version of ggml whose rules answer."""

    #: Whether the library is here.
    is_here: bool
    #: The version; `null` if the rules of the latest known one answer.
    version: Optional[str]


class SurveyLayer(TypedDict):
    """The conclusion on a layer."""

    #: Whether it supports the processor.
    answer: Answer
    #: The conclusion as a sentence.
    conclusion: str
    #: How the conclusion is known.
    evidence: Evidence
    #: The layer.
    layer: Layer
    #: The numbers behind it.
    numbers: list[SurveyNumber]


class SurveyNumber(TypedDict):
    """A number of a layer."""

    #: The number.
    number: int
    #: What the number counts.
    what: str


class SurveyRefusal(TypedDict):
    """A solver that is refused for every shape."""

    #: The reason, in a sentence.
    because: str
    #: The solver.
    solver: str
    #: Source of the reason.
    source: str


class SurveyRoute(TypedDict):
    """How llama.cpp computes products of a weight type."""

    #: For one token.
    decode: SurveyRouteHere
    #: For 512 tokens.
    prefill: SurveyRouteHere
    #: The weight type, or `attention`.
    type: str


class SurveyRouteHere(TypedDict):
    """A route and its kernel."""

    #: Whether the library has its kernel: `real`, `trap stub`, `absent`, `no code object`; `null` if the
    #: route uses no kernel of ggml.
    presence: Optional[str]
    #: The route: `MMQ`, `BLAS`.
    route: str


class SurveySide(TypedDict):
    """One processor."""

    #: Whether the stack here runs on it.
    answer: Answer
    #: Libraries that do not run and so block the use.
    blocked: list[Consequence]
    #: What MIOpen does with the reference convolutions; empty without MIOpen.
    convolutions: list[SurveyConvolution]
    #: Families of MIOpen's solvers, and which of them the processor allows for any shape; empty without
    #: MIOpen.
    families: list[SurveyFamily]
    #: What rocBLAS chooses for the reference product of each type; empty without its catalogs.
    gemms: list[SurveyGemm]
    #: The version of ggml whose rules answer, and whether its library is here.
    ggml: SurveyGgml
    #: The answer in words, as an audit says it.
    headline: str
    #: When libraries found here first and last named the processor.
    history: list[SurveyEvent]
    #: The four layers: build, selection, fallback, ship.
    layers: list[SurveyLayer]
    #: Multiprocessors used for the selections.
    multiprocessors: int
    #: Whether each of these is a work group processor of two compute units, as from gfx10 on.
    multiprocessors_are_pairs: bool
    #: Whether their number is assumed, because no card was named or its number is unknown.
    multiprocessors_assumed: bool
    #: The processor.
    processor: str
    #: Some products with it.
    products: list[str]
    #: How llama.cpp computes products of each weight type, and attention; empty without ggml's library.
    routes: list[SurveyRoute]
    #: Since when it is refused, from commits in public histories that say they remove it; `null` if none is
    #: known.
    since: Optional[str]


class SurveyReport(TypedDict):
    """Answers on a tree for one or two processors."""

    #: The override that the answer takes as set (`--override`).
    claim: Optional[Claim]
    #: False if something could not be read: see `findings`.
    complete: bool
    #: What could not be read, and other findings.
    findings: list[Finding]
    #: What bytes alone cannot show, in sentences.
    not_shown: list[str]
    #: The roots as given.
    roots: list[str]
    #: Type of the document: `rocm-audit/report`.
    schema: Literal["rocm-audit/survey"]
    #: Version of its schema.
    schema_version: Literal["2.3.0"]
    #: One for each processor.
    sides: list[SurveySide]
    #: The program that wrote it.
    tool: Tool


class KernelLaunch(TypedDict):
    """A launch."""

    #: Whether the launch starts fewer work items than the grid has, since HIP uses 32 bits for each
    #: dimension.
    cut: bool
    #: The file that supplies the kernel.
    file: Optional[str]
    #: Work groups.
    grid: list[int]
    #: The kernel.
    kernel: str
    #: Purpose of the kernel.
    role: LaunchRole
    #: Work items of a work group.
    work_group: list[int]


class KernelParameter(TypedDict):
    """A parameter of a kernel."""

    #: The parameter in the kernel's name: `GSU`.
    name: str
    #: Meaning of the parameter.
    title: str
    #: Value of the parameter.
    value: str

#: What a kernel does in a GEMM.
LaunchRole = Literal["beta-only", "main", "post-gsu", "reduction"]


class Statement(TypedDict):
    """A statement about an answer."""

    #: Topic: `assumed`, `hipBLASLt`, `history`, …
    about: str
    #: How the statement is known.
    evidence: Evidence
    #: The sentence.
    text: str


class GemmReport(TypedDict):
    """What rocBLAS does for a matrix product."""

    #: The library that answers: `rocBLAS`; or `hipBLASLt`, if rocBLAS was built with it, asks it first and
    #: gets an algorithm. In that case the fields below say what rocBLAS would do without it.
    answered_by: str
    #: The call in words: `rocblas_sgemm SS NN 1024 × 512 × 2048`.
    call: str
    #: The code object that holds the kernel by Tensile's naming rule.
    code_object: Optional[str]
    #: False if something could not be read: its contents are unknown and may include what the document calls
    #: missing.
    complete: bool
    #: Distance from the tuned size, if the choice came from a table.
    distance: Optional[float]
    #: Whether the solution is a fallback for every target.
    fallback: bool
    #: What could not be read, and what else readers should be careful about, worst first.
    findings: list[Finding]
    #: The first catalog of the choice.
    first_catalog: str
    #: The folder with the catalogs.
    folder: str
    #: Whether rocBLAS treats the call as a product of a matrix and a vector and launches its own kernel.
    gemv: bool
    #: The kernel that rocBLAS chooses.
    kernel: Optional[str]
    #: The launches in their order.
    launches: list[KernelLaunch]
    #: The file that supplies the kernel.
    loaded_from: Optional[str]
    #: Number of multiprocessors as HIP counts them.
    multiprocessors: int
    #: The parameters in the kernel's name.
    parameters: list[KernelParameter]
    #: The solution's number in rocBLAS's public functions.
    public_solution: Optional[int]
    #: Whether rocBLAS returns before using Tensile.
    quick_return: bool
    #: Type of the document: `rocm-audit/report`.
    schema: Literal["rocm-audit/select-gemm"]
    #: Version of its schema.
    schema_version: Literal["2.1.0"]
    #: Tensile's index of the solution; `null` without a solution.
    solution: Optional[int]
    #: Further statements, each with its evidence.
    statements: list[Statement]
    #: `rocblas_status`.
    status: int
    #: The target.
    target: str
    #: The program that wrote it.
    tool: Tool
    #: The steps of the choice.
    walk: list[str]
    #: Number of candidates left out of the walk.
    walk_dropped: int
    #: Bytes of workspace that the solution needs.
    workspace_bytes: int


class MatmulAlgorithm(TypedDict):
    """An algorithm."""

    #: The catalog that contains it.
    catalog: Optional[str]
    #: Whether the tables decide its place.
    fixed: bool
    #: Kernel of the solution.
    kernel: str
    #: Name of the solution, more specific than the kernel's: several solutions launch one kernel.
    name: str
    #: The index of the solution.
    solution: int
    #: Work groups that share one part of D.
    split: int
    #: Rows and columns of D that a work group computes, and the depth of K for each step.
    tile: list[int]
    #: M, N, batch and K it was tuned for, if it came from a table.
    tuned: Optional[list[int]]
    #: Bytes of workspace it needs.
    workspace_bytes: int

#: What decides the first algorithm.
MatmulDecided = Literal["tables", "ranked", "one-candidate", "undetermined", "none", "not-known", "run-time-compiler"]


class MatmulReport(TypedDict):
    """The algorithms that hipBLASLt gives for a call, and what the first of them launches."""

    #: The algorithms in the order of a fresh process, 64 at most.
    algorithms: list[MatmulAlgorithm]
    #: The answer in a sentence.
    answer: str
    #: The call in words: `TN 4096 × 512 × 4096, f16 × f16 → f16 in f32, GELU_BIAS`.
    call: str
    #: The code object that holds the first algorithm by Tensile's naming rule.
    code_object: Optional[str]
    #: False if something could not be read: its contents are unknown and may include what the document calls
    #: missing.
    complete: bool
    #: What decides the first algorithm.
    decided: MatmulDecided
    #: Indices of the solutions that fill up the list; the files do not determine which come first.
    fill: list[int]
    #: What could not be read, and what else readers should be careful about, worst first.
    findings: list[Finding]
    #: The first catalog of the choice.
    first_catalog: str
    #: How many of them have a place decided by the tables; the others are ordered by heap addresses.
    fixed: int
    #: The folder with the catalogs.
    folder: str
    #: Its launches in order, up to the first that fails.
    launches: list[KernelLaunch]
    #: A kernel that no file contains.
    missing_kernel: Optional[str]
    #: Number of multiprocessors as HIP counts them; `null` if the catalogs do not use it.
    multiprocessors: Optional[int]
    #: Number of algorithms that the caller requests.
    requested: int
    #: Number of algorithms that hipBLASLt returns.
    returned: int
    #: The status (hipblasStatus_t) of `hipblasLtMatmul` for the first algorithm; `null` without an
    #: algorithm.
    run_status: Optional[int]
    #: Type of the document: `rocm-audit/report`.
    schema: Literal["rocm-audit/select-matmul"]
    #: Version of its schema.
    schema_version: Literal["1.1.0"]
    #: Further statements, each with its evidence.
    statements: list[Statement]
    #: The target.
    target: str
    #: The program that wrote it.
    tool: Tool
    #: The steps of the choice.
    walk: list[str]
    #: Number of candidates left out of the walk.
    walk_dropped: int


class ConvAssumption(TypedDict):
    """An assumption."""

    #: How the value is known.
    evidence: Evidence
    #: What the assumption is about.
    name: str
    #: The assumed value.
    value: str


class ConvCandidate(TypedDict):
    """A solver that accepts the problem."""

    #: Algorithm family of the solver.
    algorithm: str
    #: Whether it needs no compilation for each problem.
    dynamic: bool
    #: Number of the solver in the registry.
    id: int
    #: Its kernel.
    kernel: ConvKernel
    #: Whether the find measures it on a miss.
    measured: bool
    #: Name of the solver.
    solver: str
    #: What the rule leaves out, if it may accept too much.
    superset: Optional[str]
    #: Bytes of workspace it needs; `null` if unknown.
    workspace: Optional[int]
    #: Source of the workspace rule.
    workspace_source: Optional[str]


class ConvDatabase(TypedDict):
    """A database."""

    #: The file.
    file: Optional[str]
    #: Contents and form of the database.
    kind: ConvDatabaseKind
    #: Whether MIOpen finds it.
    state: DatabaseChoice
    #: The file name that MIOpen looks for.
    wanted: str

#: A kind of database.
ConvDatabaseKind = Literal["find-db", "perf-db-text", "perf-db-sqlite", "kernel-db", "user-find-db"]


class ConvEstimate(TypedDict):
    """MIOpen's estimate for a solver."""

    #: The solver.
    solver: str
    #: MIOpen's weighted throughput index: 1 would be the peak of a direct convolution.
    wti: float


class ConvFind(TypedDict):
    """How a find works."""

    #: Whether MIOpen answers a miss without measuring, as immediate mode does.
    at_once: bool
    #: Whether the mode is `NORMAL` because of `MIOPEN_FIND_ENFORCE`.
    enforced: bool
    #: `DYNAMIC_HYBRID` by default, `HYBRID`, `FAST` or `NORMAL`.
    mode: str
    #: Numbers of the only solvers that are searched; `null` for all.
    only: Optional[list[int]]
    #: Whether the find uses the installed find-db's record; a normal find uses only the user's.
    reads_installed: bool
    #: Why a find refuses the problem in every mode; immediate mode answers it.
    refuses: Optional[str]


class ConvImmediate(TypedDict):
    """What FAST and immediate mode use on a miss."""

    #: Whether they answer with the first of `estimates`. False if they ask a model that accepts the problem,
    #: or if they fail.
    estimates_decide: bool
    #: How everything except `files_are_here` (which is observed) is known.
    evidence: Evidence
    #: Why they fail.
    fails: Optional[str]
    #: Whether the folder of databases has the model's files; `null` without a folder.
    files_are_here: Optional[bool]
    #: The solver that they take; `null` if unknown or if they fail.
    first: Optional[str]
    #: The processor of the model (TunaNet) that they ask; `null` if a variable turns it off.
    model: Optional[str]
    #: The applicable solvers that the model names, likeliest first.
    named: list[str]
    #: Why the model refuses the problem.
    refuses: Optional[str]


class ConvKernel(TypedDict):
    """What is known of a solver's kernel before it is compiled."""

    #: Kernels of that file in the kernel database that MIOpen opens. With 0 the kernel is compiled; else the
    #: options of its compilation decide. `null` without such a database, or where it cannot be read.
    built: Optional[int]
    #: Those of them with the parameters, and for assembly the batch, among the options of their compilation;
    #: with 0 the kernel is compiled. `null` as before, and for solvers whose options do not tell them.
    built_alike: Optional[int]
    #: How the main kernel is launched; `null` where it is not written down here, or depends on parameters
    #: that are not known.
    launch: Optional[ConvLaunch]
    #: The same by their names in MIOpen's source, in the same order; empty where the names are not written
    #: down here.
    named: list[ConvParameter]
    #: Its parameters as a perf-db writes them; `null` where it has none, or they are not written down here.
    parameters: Optional[str]
    #: Where the parameters are from.
    parameters_by: Optional[ConvParametersBy]
    #: The perf-db with these parameters.
    parameters_from: Optional[str]
    #: Whether only a build that reads SQLite perf-dbs has them; the default build reads text.
    parameters_in_sqlite_builds_only: bool
    #: The file of MIOpen's sources with the main kernel; `null` where it is not written down here.
    source: Optional[str]


class ConvLaunch(TypedDict):
    """A launch of a kernel."""

    #: Name of the kernel in its file.
    kernel: str
    #: Work items of a work group in each dimension.
    work_group: list[int]
    #: Work items in each dimension.
    work_items: list[int]

#: Whether a record of the find-db decides.
ConvOutcome = Literal["hit", "miss"]


class ConvParameter(TypedDict):
    """A parameter of a kernel."""

    #: Name in MIOpen's source.
    name: str
    #: Value as a perf-db writes it.
    value: str

#: Where parameters are from.
ConvParametersBy = Literal["perf-db", "heuristic", "model"]


class ConvPick(TypedDict):
    """The solver that MIOpen takes."""

    #: `Direct`, `Winograd`, …
    algorithm: str
    #: Path of the find-db.
    file: str
    #: Number of the solver in the registry.
    id: Optional[int]
    #: Its kernel.
    kernel: ConvKernel
    #: Line of the record in the find-db.
    line: int
    #: Name of the solver.
    solver: str
    #: Recorded time in milliseconds.
    time_ms: float
    #: Bytes of workspace.
    workspace: int


class ConvRecorded(TypedDict):
    """A solver of a record."""

    #: Algorithm family of the solver.
    algorithm: str
    #: Why MIOpen ignores it.
    because: Optional[str]
    #: Name of the solver.
    solver: str
    #: Recorded time in milliseconds.
    time_ms: float
    #: What MIOpen does with the solver.
    verdict: RecordVerdict
    #: Bytes of workspace.
    workspace: int


class ConvRejected(TypedDict):
    """A solver that refuses the problem."""

    #: Algorithm family of the solver.
    algorithm: str
    #: The reason, in words.
    because: str
    #: Name of the clause that refuses.
    clause: str
    #: Number of the solver in the registry.
    id: int
    #: Name of the solver.
    solver: str
    #: Source of the clause.
    source: str


class ConvRules(TypedDict):
    """The release of MIOpen whose rules give the answer."""

    #: Whether both are equal, so that every rule was read in this release.
    exact: bool
    #: Changes from later releases that the rules include, up to the release in question.
    later: list[ConvRulesChange]
    #: The release the question is about: named by the user, stated by the tree, or assumed.
    miopen: str
    #: The release whose rules answer.
    rules_of: str
    #: Known changes up to the release in question that the rules do not have.
    undecided: list[ConvRulesChange]


class ConvRulesChange(TypedDict):
    """A change in a later release."""

    #: The first release with the change.
    since: str
    #: What changed.
    what: str

#: How MIOpen chooses a database of one kind for a device.
DatabaseChoice = Literal["exact", "nearest", "processor", "unreachable", "pointer", "none"]

#: What MIOpen does with a recorded solver.
RecordVerdict = Literal["taken", "slower", "skipped"]


class ConvReport(TypedDict):
    """What MIOpen does with a convolution."""

    #: Assumptions about device, build and environment.
    assumptions: list[ConvAssumption]
    #: Solvers that accept the problem, in the order of the registry.
    candidates: list[ConvCandidate]
    #: False if something could not be read: its contents are unknown and may include what the document calls
    #: missing.
    complete: bool
    #: Compute units; from gfx10 on, workgroup processors.
    compute_units: int
    #: The databases that MIOpen would open for the device.
    databases: list[ConvDatabase]
    #: Solvers in the order of FAST and immediate mode on a miss, by MIOpen's own estimates; these are no
    #: measurements. If a model accepts the problem (`immediate`), these modes ask it first.
    estimates: list[ConvEstimate]
    #: How the find works in the given environment.
    find: ConvFind
    #: What could not be read, and what else readers should be careful about, worst first.
    findings: list[Finding]
    #: What rocBLAS chooses for the product of a GEMM solver, if MIOpen takes one.
    gemm: Optional[GemmReport]
    #: What FAST and immediate mode use on a miss.
    immediate: ConvImmediate
    #: The problem's key as in find-dbs.
    key: str
    #: The four layers: what is built, what selects, what it falls back to, what is shipped.
    layers: list[Statement]
    #: What bytes cannot show here.
    not_shown: list[str]
    #: Whether a find searches only Winograd solvers.
    only_winograd: bool
    #: Whether a record of the find-db decides.
    outcome: ConvOutcome
    #: The solver that MIOpen takes on a hit; `null` on a miss, since MIOpen then measures.
    pick: Optional[ConvPick]
    #: The problem in words, as its forward convolution.
    problem: str
    #: The solvers in the record, fastest first.
    recorded: list[ConvRecorded]
    #: Solvers that refuse it, in the order of the registry.
    rejected: list[ConvRejected]
    #: The release of MIOpen whose rules give the answer.
    rules: ConvRules
    #: Type of the document: `rocm-audit/report`.
    schema: Literal["rocm-audit/select-conv"]
    #: Version of its schema.
    schema_version: Literal["2.3.0"]
    #: What the answer is based on.
    statements: list[Statement]
    #: The target.
    target: str
    #: The program that wrote it.
    tool: Tool


class BlasAnswer(TypedDict):
    """What rocBLAS does with a product that ggml hands to it."""

    #: What rocBLAS chooses, if it was found.
    answer: Optional[GemmReport]
    #: The function that ggml calls: `hipblasGemmEx`.
    function: str
    #: Why there is no answer.
    missing: Optional[str]
    #: Multiprocessors.
    multiprocessors: int
    #: Whether that number is assumed.
    multiprocessors_assumed: bool
    #: The rule behind the choice of function.
    rule: Optional[RouteRule]
    #: Types of A and B, C and D, and of the computation: `HH`, `HSS`, `SS`.
    type: str

#: Whether a library has a kernel for a target.
KernelPresence = Literal["no-code-object", "absent", "not-known", "trap-stub", "real"]

#: Purpose of a kernel in a route.
KernelRole = Literal["product", "operands"]


class RouteKernel(TypedDict):
    """A kernel in a library, for a target."""

    #: Accumulation registers.
    agprs: Optional[int]
    #: Size of its body in bytes.
    bytes: Optional[int]
    #: Instructions by class, those that occur.
    classes: dict[str, int]
    #: Offset of the first of them in the file, or in the inflated bundle.
    code_object_offset: Optional[int]
    #: Number of the target's code objects that contain it.
    code_objects: int
    #: Its name with its signature.
    demangled: Optional[str]
    #: Instructions of its body.
    instructions: Optional[int]
    #: Static LDS in bytes.
    lds: Optional[int]
    #: The template with its arguments.
    name: str
    #: Whether the library has it for the target.
    presence: KernelPresence
    #: Purpose of the kernel.
    role: KernelRole
    #: Scratch per work-item in bytes.
    scratch: Optional[int]
    #: Spilled scalar registers.
    sgpr_spills: Optional[int]
    #: Scalar registers.
    sgprs: Optional[int]
    #: The kernel's mangled name, if the library has it for any target.
    symbol: Optional[str]
    #: Spilled vector registers.
    vgpr_spills: Optional[int]
    #: Vector registers.
    vgprs: Optional[int]


class RouteLibrary(TypedDict):
    """A library with ggml's kernels."""

    #: How the version is known, in one word.
    evidence: Evidence
    #: How the version is known, in words.
    known_by: str
    #: Storage forms that were seen but not examined.
    not_examined: list[str]
    #: The file.
    path: str
    #: The version whose rules answer.
    rules: str
    #: Targets it contains code for.
    targets: list[str]
    #: The version of ggml, or all that it may be.
    version: str


class RouteRule(TypedDict):
    """A rule."""

    #: The versions in which it was read or observed.
    documented: str
    #: Id of the rule.
    id: str
    #: Whether it was read or observed for the version in question, not carried over from another.
    is_documented: bool
    #: A remark.
    note: Optional[str]
    #: Source of the rule.
    source: str
    #: The selector stage it belongs to.
    stage: str
    #: The versions to which it is applied.
    versions: str


#: The route of one product.
RouteReport = TypedDict(
    "RouteReport",
    {
        "blas": 'Optional[BlasAnswer]',
        "class": 'str',
        "complete": 'bool',
        "findings": 'list[Finding]',
        "kernel": 'Optional[RouteKernel]',
        "library": 'RouteLibrary',
        "operation": 'str',
        "query": 'str',
        "route": 'str',
        "rule": 'Optional[RouteRule]',
        "schema": 'Literal["rocm-audit/select-route"]',
        "schema_version": 'Literal["2.1.0"]',
        "statements": 'list[Statement]',
        "target": 'str',
        "tool": 'Tool',
    },
)


class ModelAdvice(TypedDict):
    """A change and its effect."""

    #: What to change: `-ub 128`, `-fa off`, `weights as q4_0`.
    change: str
    #: Whether it removes the host's loop over experts.
    ends_loop: bool
    #: Launches of the phase now.
    launches: int
    #: Launches with the change.
    launches_then: int
    #: Launches that the change costs; 0 if it saves some.
    more_launches: int
    #: Share of floating-point operations in ggml's own kernels now, 0 to 1.
    own_share: float
    #: That share with the change.
    own_share_then: float
    #: The phase it improves.
    phase: str
    #: Results for other batch sizes.
    tried: list[ModelTried]
    #: Ubatches of the phase now.
    ubatches: int
    #: Ubatches with the change.
    ubatches_then: int
    #: The weights it affects, without block and `.weight`; empty if it affects all.
    weights: list[str]


class ModelBatchCost(TypedDict):
    """What a prompt costs in batches of the size that was asked for, and by default."""

    #: Bytes read for weights, keys and values.
    bytes: int
    #: The same by default.
    bytes_default: int
    #: Floating-point operations.
    flops: int
    #: The same by default.
    flops_default: int
    #: Launches; a call of BLAS counts as one.
    launches: int
    #: The same by default.
    launches_default: int
    #: Most tokens computed at once.
    ubatch: int
    #: The same by default.
    ubatch_default: int

#: What limits a phase.
ModelBound = Literal["arithmetic", "memory", "host", "nothing-runs"]


class ModelCall(TypedDict):
    """A call of hipBLAS."""

    #: Distance from the tuned size, if the choice came from a table.
    distance: Optional[float]
    #: Whether the kernel is one for every target.
    fallback: Optional[bool]
    #: The function.
    function: str
    #: Length of the sums.
    k: int
    #: The kernel that rocBLAS chooses, if its catalogs were found.
    kernel: Optional[str]
    #: Rows of the result.
    m: int
    #: Columns of the result.
    n: int
    #: Number of products in one call.
    products: int
    #: Types of operands, result and computation in rocBLAS's letters.
    type: str


#: How a card runs a model.
ModelCard = TypedDict(
    "ModelCard",
    {
        "advice": 'list[ModelAdvice]',
        "against_default": 'Optional[ModelBatchCost]',
        "beside": 'Optional[str]',
        "class": 'str',
        "flash_attention": 'bool',
        "library": 'Optional[RouteLibrary]',
        "memory": 'ModelMemory',
        "multiprocessors": 'int',
        "multiprocessors_assumed": 'bool',
        "phases": 'list[ModelPhase]',
        "quantization": 'Optional[str]',
        "rocblas": 'Optional[str]',
        "rules": 'str',
        "speed": 'Optional[ModelSpeed]',
        "target": 'str',
        "types": 'dict[str, int]',
        "verdict": 'ModelVerdict',
    },
)


#: What `convert_hf_to_gguf.py` of llama.cpp would make of safetensors files.
ModelConversion = TypedDict(
    "ModelConversion",
    {
        "becomes": 'Optional[str]',
        "class": 'Optional[str]',
        "known": 'bool',
        "of_other_parts": 'int',
        "quantized": 'Optional[str]',
        "stored": 'dict[str, int]',
        "type": 'Optional[str]',
        "unplaced": 'list[str]',
    },
)


class ModelFacts(TypedDict):
    """A model as its files describe it."""

    #: `general.architecture`.
    architecture: str
    #: Whether the rules were compared with runs of this architecture; other architectures use the generic
    #: rules.
    architecture_observed: bool
    #: Number of computed blocks.
    blocks: int
    #: What the converter makes of the files; `null` for GGUF files. Everything else in this object describes
    #: the converted model.
    conversion: Optional[ModelConversion]
    #: Experts in a block; 0 without experts.
    experts: int
    #: Experts used for each token.
    experts_used: int
    #: The files.
    files: list[str]
    #: `gguf` or `safetensors`.
    format: str
    #: Name of the model, if it has one.
    name: Optional[str]
    #: Bytes of weights by type.
    types: dict[str, int]
    #: Number of weights.
    weights: int


class ModelKernel(TypedDict):
    """A kernel of an operation."""

    #: Offset of the code object in the file, or in the inflated bundle.
    code_object_offset: Optional[int]
    #: The template with its arguments.
    name: str
    #: Whether the library has it; `null` without a library.
    presence: Optional[KernelPresence]
    #: Scratch per work-item in bytes.
    scratch: Optional[int]
    #: Mangled name, if the library has it.
    symbol: Optional[str]
    #: Spilled vector registers.
    vgpr_spills: Optional[int]
    #: Vector registers.
    vgprs: Optional[int]


class ModelLayer(TypedDict):
    """A block of a model in a phase. An operation that occurs in several blocks is shared evenly among them."""

    #: Number of the block; `null` for operations outside of blocks, such as the output.
    block: Optional[int]
    #: The ways.
    ways: list[ModelLayerWay]


class ModelLayerWay(TypedDict):
    """A way in a block."""

    #: Share of the phase's floating-point operations, 0 to 1; for decode and several sequences, of its
    #: bytes.
    share: float
    #: Index in the ways of the phase.
    way: int


class ModelLeast(TypedDict):
    """The least time of a phase: bytes by the bandwidth of the card's memory, operations by the peaks of its compute
units. No run is faster; how near runs are is in `docs/model.md`."""

    #: Seconds to compute products and attention at the peak clock; `null` if clock or compute units are unknown.
    arithmetic_seconds: Optional[float]
    #: Seconds to read weights, keys and values that fit in no cache.
    memory_seconds: float
    #: The part of the bound that published runs reach; `null` if there are too few, and for models of experts.
    reached: Optional[ModelReached]
    #: The longer of both times in seconds.
    seconds: float
    #: The most tokens a second, of all sequences.
    tokens_per_second: float


class ModelMemory(TypedDict):
    """Memory needs in bytes, without buffers for computation, which are unknown."""

    #: Keys and values for one sequence.
    cache: int
    #: Memory left after weights and the cache of one sequence; negative if they do not fit.
    left: Optional[int]
    #: Memory of the card as given, else by ROCm's hardware table; `null` if neither has it.
    of_card: Optional[int]
    #: Weights on the card.
    weights: int
    #: Weights that stay on the CPU: the token embedding.
    weights_on_cpu: int


class ModelOperation(TypedDict):
    """Operations with the same weight, shape and way."""

    #: The blocks that contain them.
    blocks: list[int]
    #: Share of the phase's bytes, 0 to 1.
    bytes_share: float
    #: The calls of BLAS.
    calls: list[ModelCall]
    #: Number of such operations.
    count: int
    #: How the route is known.
    evidence: Evidence
    #: Share of the phase's floating-point operations, 0 to 1.
    flops_share: float
    #: Effect of fusion: `part of up`, `with gate`, `with sum`; `null` if it is not fused.
    fusion: Optional[str]
    #: The kernels.
    kernels: list[ModelKernel]
    #: Main launches for one operation.
    launches: int
    #: `MUL_MAT`, `MUL_MAT_ID`, `FLASH_ATTN_EXT` or `FWHT`.
    operation: str
    #: The rule behind the operation, with its source.
    operation_rule: Optional[str]
    #: The problem as `select mul-mat --problems` reads it.
    query: Optional[str]
    #: Name of the weight, without block and `.weight`; `attention`, `cache_k`, `cache_v` for attention.
    role: str
    #: ggml's route.
    route: str
    #: The rule of ggml's selector that decided.
    route_rule: Optional[str]
    #: The shape in words: for a product, values in a row, rows and columns.
    shape: str
    #: Type of the weights, or of keys and values.
    type: str
    #: The way in words.
    way: str


class ModelPhase(TypedDict):
    """A phase of using a model."""

    #: Launches between products, by templates: norms, rotations, sums, gated units, the cache.
    between: dict[str, int]
    #: What limits the phase.
    bound: ModelBound
    #: Bytes read for weights, keys and values.
    bytes: int
    #: Floating-point operations of products and attention.
    flops: int
    #: Launches for products, attention, their preparation, and everything between them; a call of BLAS
    #: counts as one.
    launches: int
    #: Launches of the ubatch with the fewest.
    launches_least: int
    #: Launches of the ubatch with the most.
    launches_most: int
    #: The blocks, then everything outside of blocks, each with the share of each way.
    layers: list[ModelLayer]
    #: The least time that the card needs for the phase, if its bandwidth is known: a bound and no prediction.
    least: Optional[ModelLeast]
    #: The operations in the model's order, equal ones merged.
    operations: list[ModelOperation]
    #: `prefill`, `decode` or `batch`.
    phase: str
    #: Sequences.
    sequences: int
    #: Tokens of all sequences.
    tokens: int
    #: Number of ubatches.
    ubatches: int
    #: The ways, ordered by their share of what limits the phase, largest first.
    ways: list[ModelWay]


class ModelRank(TypedDict):
    """What a file type of a model costs on a card, as predicted."""

    #: Bytes read for the next token.
    bytes_of_token: int
    #: Whether weights and the cache of one sequence fit; `null` if the card's memory is unknown.
    fits: Optional[bool]
    #: Floating-point operations of the prompt.
    flops_of_prefill: int
    #: Launches for the prompt.
    launches_of_prefill: int
    #: Launches for the next token.
    launches_of_token: int
    #: Share of them in ggml's own kernels, 0 to 1.
    own_share_of_prefill: float
    #: The file type; `null` for the model as it is.
    quantization: Optional[str]
    #: Whether every part of it can run.
    runs: bool
    #: The target.
    target: str
    #: The most tokens a second when the next token is computed; `null` if the card's bandwidth is unknown.
    tokens_per_second: Optional[float]
    #: Bytes of weights on the card.
    weights: int


class ModelReached(TypedDict):
    """What published runs of llama.cpp reach of a bound, where most of the phase takes the same route."""

    #: Upper quartile, 0 to 1.
    high: float
    #: Lower quartile of the runs, 0 to 1.
    low: float
    #: Whether they are on cards of the same class; otherwise on cards of all classes.
    of_class: bool
    #: Number of runs.
    runs: int


class ModelSpeed(TypedDict):
    """How fast a card is at best."""

    #: Peak bandwidth of its memory in bytes a second.
    bandwidth: int
    #: Bytes in caches that its compute units share.
    cache: Optional[int]
    #: Peak clock of its compute units in MHz.
    clock_mhz: Optional[int]
    #: Compute units.
    compute_units: Optional[int]


class ModelTried(TypedDict):
    """A batch size that was tried."""

    #: Launches of the phase.
    launches: int
    #: Whether the host loops over experts.
    loops: bool
    #: Share of floating-point operations in ggml's own kernels, 0 to 1.
    own_share: float
    #: Most tokens computed at once.
    ubatch: int


class ModelUsage(TypedDict):
    """How a model is used."""

    #: Type of the cached keys and values.
    cache_type: str
    #: Tokens in the cache for each sequence.
    context: int
    #: Tokens of the prompt.
    prompt: int
    #: Number of sequences in the phase that decodes several.
    sequences: int
    #: Most tokens computed at once.
    ubatch: int


class ModelVerdict(TypedDict):
    """How well a model runs on a card."""

    #: The deciding kind of way, as in the ways of phases.
    kind: Optional[str]
    #: `own-kernels`, `partly-rocblas`, `mostly-rocblas`, `slow`, `not-known`, `does-not-run`, or `nothing`
    #: if there is nothing to compute.
    outcome: str
    #: The phase that `share` refers to.
    phase: Optional[str]
    #: Share of that phase's floating-point operations computed in such ways, 0 to 1.
    share: float
    #: The judgement in words.
    text: str


class ModelWay(TypedDict):
    """A way in which operations are computed."""

    #: Share of bytes, 0 to 1.
    bytes_share: float
    #: Whether quantized weights are first converted to halves or floats.
    dequantizes: bool
    #: Share of floating-point operations, 0 to 1.
    flops_share: float
    #: `own-kernel`, `rocblas-tuned`, `rocblas`, `rocblas-fallback`, `rocblas-nothing`, `expert-loop`, `cpu`,
    #: `trap-stub`, `absent`, `no-code-object`, or `not-known` if the library could not be read in full.
    kind: str
    #: Launches.
    launches: int
    #: Operations.
    operations: int
    #: ggml's route.
    route: str
    #: The way in words.
    way: str


class ModelReport(TypedDict):
    """The kernels that a model uses on cards."""

    #: The card the user asked about, then the cards to compare with.
    cards: list[ModelCard]
    #: The override that the answer takes as set (`--override`).
    claim: Optional[Claim]
    #: False if something could not be read: its contents are unknown and may include what the document calls
    #: missing.
    complete: bool
    #: What could not be read, and what else readers should be careful about, worst first.
    findings: list[Finding]
    #: Memory needs of the model as it is; each card has those of its own quantization.
    memory: ModelMemory
    #: The model.
    model: ModelFacts
    #: The file types of each card beside each other, the cheapest first: what runs and fits, then by bytes
    #: and launches of a token. Empty if the user asks about no other file type.
    ranking: list[ModelRank]
    #: Type of the document: `rocm-audit/report`.
    schema: Literal["rocm-audit/model"]
    #: Version of its schema.
    schema_version: Literal["1.5.0"]
    #: Further statements, each with its evidence.
    statements: list[Statement]
    #: The program that wrote it.
    tool: Tool
    #: How it is used.
    usage: ModelUsage


class GraphConvolutions(TypedDict):
    """Convolutions of a graph."""

    #: Whether a find-db for the device was found.
    asked: bool
    #: Number of convolutions.
    count: int
    #: Floating-point operations.
    flops: int
    #: Number of convolutions whose record decides: MIOpen takes one of its solvers.
    hits: int
    #: Share of floating-point operations in hits, 0 to 1.
    hits_flops_share: float
    #: Number of convolutions with a record in the find-db.
    records: int
    #: Solvers that MIOpen takes, ordered by floating-point operations.
    solvers: list[GraphSolver]


class GraphNode(TypedDict):
    """A convolution or a product."""

    #: Number of products.
    batch: Optional[int]
    #: Whether a convolution adds a bias.
    bias: Optional[bool]
    #: Floating-point operations.
    flops: Optional[int]
    #: Length of the sums of a product.
    k: Optional[int]
    #: The find-db key, for a convolution.
    key: Optional[str]
    #: Line of the find-db.
    line: Optional[int]
    #: Rows of the result of a product.
    m: Optional[int]
    #: Number of solvers that MIOpen measures on a miss.
    measured: Optional[int]
    #: Columns of the result of a product.
    n: Optional[int]
    #: Name of the node, else of its first output.
    name: str
    #: Index of the node in the graph.
    node: int
    #: A remark: why the problem is unknown, what the record names, or what is taken without measuring.
    note: Optional[str]
    #: Operator of the node.
    operator: str
    #: `hit`, `refused` (MIOpen takes no solver of the record), `miss`, `tuned`, `fallback`, `no-kernel`,
    #: `not-asked` or `unknown`.
    outcome: str
    #: The solver that MIOpen takes, or the kernel.
    taken: Optional[str]
    #: Transpositions of a product: `TN`.
    transposes: Optional[str]


class GraphProducts(TypedDict):
    """Matrix products of a graph."""

    #: Whether catalogs for the device were found.
    asked: bool
    #: Number of products.
    count: int
    #: Number of products with a kernel for every target.
    fallback: int
    #: Floating-point operations.
    flops: int
    #: Number of products with a kernel tuned for the target.
    tuned: int


class GraphSolver(TypedDict):
    """A solver that MIOpen takes."""

    #: Number of convolutions.
    count: int
    #: Share of the floating-point operations of all convolutions, 0 to 1.
    flops_share: float
    #: Name of the solver.
    solver: str


class ModelGraphReport(TypedDict):
    """Which convolutions of a model are in MIOpen's find-db, and what rocBLAS has for its products."""

    #: The batch that replaces open first dimensions; `null` to keep the file's.
    batch: Optional[int]
    #: The override that the answer takes as set (`--override`).
    claim: Optional[Claim]
    #: False if something could not be read: its contents are unknown and may include what the document calls
    #: missing.
    complete: bool
    #: Convolutions.
    convolutions: GraphConvolutions
    #: The type of data: `FP32`, `FP16`, `BF16`.
    data: str
    #: Variables that MIOpen is taken to see.
    environment: dict[str, str]
    #: The file.
    file: str
    #: What could not be read, and what else readers should be careful about, worst first.
    findings: list[Finding]
    #: Name of the graph.
    graph: str
    #: Multiprocessors: compute units, or work group processors on RDNA.
    multiprocessors: int
    #: Whether that number is assumed.
    multiprocessors_assumed: bool
    #: Number of nodes in the graph.
    nodes: int
    #: Version of the standard operators.
    opset: int
    #: Software that wrote the file.
    producer: str
    #: Matrix products.
    products: GraphProducts
    #: The nodes, in the order of the graph.
    rows: list[GraphNode]
    #: Type of the document: `rocm-audit/report`.
    schema: Literal["rocm-audit/model-graph"]
    #: Version of its schema.
    schema_version: Literal["1.2.0"]
    #: Further statements, each with its evidence.
    statements: list[Statement]
    #: The target.
    target: str
    #: The program that wrote it.
    tool: Tool
    #: Nodes with products or attention that this program does not examine, by operator:
    #: `com.microsoft.GroupQueryAttention`.
    unasked: dict[str, int]
    #: Number of nodes with an unknown problem.
    unknown: int
    #: The judgement in words.
    verdict: str
