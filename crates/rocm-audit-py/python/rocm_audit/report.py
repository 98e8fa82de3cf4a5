# Written by `cargo xtask schema` from the schema of reports; do not edit.
"""What `rocm_audit.audit` gives, for type checkers: the dictionaries of a report, as `docs/schema` has them."""

from __future__ import annotations

from typing import Literal, Optional, TypedDict, Union


class Absent(TypedDict):
    """Instructions that another processor does not have."""

    #: How many they are in all.
    instructions: int
    #: By mnemonic, most frequent first.
    mnemonics: list[AbsentRow]
    #: The other processor.
    processor: str


class AbsentRow(TypedDict):
    """One mnemonic that another processor does not have."""

    #: How often it occurs.
    count: int
    #: The first kernel that has it, mangled; nothing where it stands in none.
    first_kernel: Optional[str]
    #: Demangled, where it is a C++ name.
    first_kernel_demangled: Optional[str]
    #: The mnemonic.
    mnemonic: str
    #: Whether it exists there, and names registers in a row that begin with an odd one, which is refused there.
    odd_registers: bool
    #: The mnemonic that the same bits stand for there; nothing where they are no instruction.
    there: Optional[str]

#: Whether something runs.
Answer = Literal["runs", "limits", "compiles", "unknown", "not"]


class _Artifact(TypedDict):
    """What is always there."""

    #: Bundles in it.
    bundles: int
    #: Size in bytes.
    bytes: int
    #: Compressed ones among them.
    compressed_bundles: int
    #: Bundle entries by id: number and bytes.
    entries: dict[str, Count]
    #: What it is.
    kind: ArtifactKind
    #: The library it belongs to.
    library: str
    #: The target that its name names.
    named_target: Optional[str]
    #: Its path below that root.
    path: str
    #: Lines, records or solutions, where it is something that has them.
    records: Optional[int]
    #: Index of its root in `roots`.
    root: int
    #: The scanner that claimed it.
    scanner: str
    #: Code objects by target ID: number, kernels, bytes.
    targets: list[TargetIdRow]


class Artifact(_Artifact, total=False):
    """A file that carries something counted."""

    #: The file that it is another name of: a link or a hard link to a file whose bytes and code count there.
    link_to: Optional[str]
    #: Who has put it there, where that is known: a layer of an image with its command.
    owner: Optional[str]
    #: The package that it is of, with its version, where one says so: the one that it lies in, or one that is installed.
    package: Optional[str]

#: What a file is.
ArtifactKind = Literal["device-code", "lazy-catalog", "catalog", "fallback-catalog", "merged-catalog", "code-object", "fallback-code-object", "helper-kernels", "extension", "find-db", "perf-db", "kernel-db", "model", "firmware", "firmware-link", "version"]


#: Kernels by what their bodies are.
Bodies = TypedDict(
    "Bodies",
    {
        "empty": "int",
        "real": "int",
        "trap-stub": "int",
        "unclear": "int",
    },
)


class BrokenEntry(TypedDict):
    """An entry of a cache that cannot be taken."""

    #: Its metadata.
    path: str
    #: The kernel, its target, and what is wrong.
    what: str


class BuildLayer(TypedDict):
    """Layer 1: code objects for exactly this processor."""

    #: Code objects whose machine code was not looked at, because it is compressed.
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
    #: Kernels that can only trap, of the code objects whose machine code was looked at.
    trap_stubs: int


#: Bytes of one class.
ByteClass = TypedDict(
    "ByteClass",
    {
        "bytes": "int",
        "class": "str",
        "title": "str",
    },
)


class Cache(TypedDict):
    """What was compiled or measured at run time and kept."""

    #: Entries that no code object stands beside, or one for another target.
    broken: list[BrokenEntry]
    #: Bytes of its code objects and databases.
    bytes: int
    #: Its entries: kernels, code objects or databases.
    entries: int
    #: Its folders, the first 16.
    folders: list[str]
    #: Whose: `Triton`, `comgr`, `MIOpen, kernels`, `rocFFT`.
    of: str
    #: The version that is installed beside it, where that is another one, so that it does not take these entries; `null` where it
    #: does, or where neither is known.
    stale_for: Optional[str]
    #: Entries by target; of some the target is not known.
    targets: dict[str, int]
    #: The version that wrote it; `null` where that is not known.
    version: Optional[str]


class _Cell(TypedDict):
    """What is always there."""

    #: Code objects whose machine code was not looked at, because it is compressed.
    bodies_unread: int
    #: Bundles that hold it, and bundles with device code, where the coverage is partial.
    bundles: Optional[list[int]]
    #: Bytes of code objects.
    bytes: int
    #: Code objects.
    code_objects: int
    #: What is there.
    coverage: Coverage
    #: The files that have kernels for it and those that have none, where the coverage is of some files.
    files: Optional[FileShare]
    #: The first code object, as evidence.
    first: Optional[str]
    #: The generic target, where it is reached through one.
    generic: Optional[str]
    #: Kernels.
    kernels: int
    #: The processor.
    processor: str
    #: Kernels that can only trap, of the code objects whose machine code was looked at.
    trap_stubs: int


class Cell(_Cell, total=False):
    """One cell of the matrix."""

    #: The same by class (`code`, `kernel-metadata`, `data`, `debug`, `symbols`, `elf-headers`, `padding`), as far as that is known: of
    #: compressed code objects only beginnings are read.
    bytes_by_class: dict[str, int]


class Claim(TypedDict):
    """What `HSA_OVERRIDE_GFX_VERSION` has the runtime claim, where an answer is asked for as if it were set: the answer is that of
the claimed processor, for the card with its own name and compute units."""

    #: Whether it is safe.
    answer: OverrideAnswer
    #: Why, as a clause.
    because: str
    #: The processor of the card.
    card: str
    #: The processor that is claimed.
    claimed: str
    #: How that is known: by LLVM's tables or from the decoded code, never tried.
    evidence: Evidence
    #: The value of the variable.
    value: str


#: Which libraries use a class of instructions that a target has.
ClassAnswer = TypedDict(
    "ClassAnswer",
    {
        "class": "str",
        "libraries": "list[ClassUser]",
        "observed": "int",
        "processor": "str",
    },
)


#: Instructions of one class.
ClassRow = TypedDict(
    "ClassRow",
    {
        "class": "str",
        "code_objects": "int",
        "expected": "bool",
        "expected_evidence": "Evidence",
        "observed": "int",
    },
)


class ClassUser(TypedDict):
    """How much of a library's code uses a class of instructions."""

    #: Code objects that have such an instruction.
    code_objects: int
    #: The library.
    library: str
    #: Code objects that were decoded.
    of_code_objects: int
    #: The root or the package that it lies in, where the library lies in several.
    place: Optional[str]
    #: True for its Tensile library folder.
    tensile: bool

#: What a file has to do with a compiler that is used at run time.
CompilerSign = Literal["is-of-it", "is-linked", "names-function"]

#: How sure a finding is. Severity is another question: a note can be certain, and an error likely.
Confidence = Literal["certain", "likely"]


class Consequence(TypedDict):
    """A consequence of several processors in one host."""

    #: How it is known.
    evidence: Evidence
    #: It in a sentence.
    text: str


class Copies(TypedDict):
    """Things that are there more than once."""

    #: Their bytes, inflated.
    bytes: int
    #: Copies beyond the first of each.
    extra: int
    #: How many different things there are several of.
    groups: int
    #: The groups with most bytes.
    largest: list[CopyGroup]


class CopyGroup(TypedDict):
    """Things that are the same."""

    #: Bytes of each.
    bytes: int
    #: How many.
    count: int
    #: The first.
    first: str
    #: Another.
    second: str
    #: Target IDs of the code objects.
    target_ids: list[str]


class Count(TypedDict):
    """A number of things and their bytes."""

    #: Bytes.
    bytes: int
    #: How many.
    count: int

#: What a library has for a processor.
Coverage = Literal["native", "some-files", "partial", "fallback-only", "generic", "run-time", "broken", "not-known", "no-kernels", "absent"]


class CoveredLibraries(TypedDict):
    """Libraries that cover a processor in one way."""

    #: How.
    coverage: Coverage
    #: Which.
    parts: list[CoveredPart]


class CoveredPart(TypedDict):
    """The code of a library and how many of its kernels run."""

    #: The files that have kernels for it and those that have none, where the coverage is of some files.
    files: Optional[FileShare]
    #: Its cell of the matrix.
    kernels: int
    #: The library.
    library: str
    #: The root or the package that it lies in, where the library lies in several.
    place: Optional[str]
    #: True for its Tensile library folder.
    tensile: bool
    #: Kernels that can only trap.
    trap_stubs: int


class DamagedFile(TypedDict):
    """A file that could not be read in full."""

    #: The file.
    path: str
    #: The first thing that is wrong with it.
    what: str

#: How a database is stored.
DatabaseForm = Literal["text", "sqlite", "git-lfs-pointer", "solver-model", "parameter-model"]

#: What a database of MIOpen is for.
DatabaseKind = Literal["find-db", "perf-db", "kernel-db", "model"]


class DatabaseLines(TypedDict):
    """The find-dbs and perf-dbs of one processor."""

    #: How many they are.
    databases: int
    #: Their lines.
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
    #: Libraries that reach it only through those.
    libraries_by_generic: int


#: The files of a library with device code, by whether they have kernels for a processor.
FileShare = TypedDict(
    "FileShare",
    {
        "with": "list[str]",
        "without": "list[str]",
    },
)


class Finding(TypedDict):
    """Something that was found."""

    #: What to do about it, in a clause.
    advice: str
    #: How sure it is.
    confidence: Confidence
    #: How many there are, of which `locations` are the first.
    count: int
    #: The numbers behind it, in a sentence; empty where the rest says all.
    detail: str
    #: What follows from it, in a clause.
    effect: str
    #: How the effect is known.
    effect_known: Evidence
    #: Its rule: `catalog-missing`. `rocm-audit list rules` has them all.
    id: str
    #: How it is known.
    known: Evidence
    #: Where it shows.
    locations: list[Location]
    #: How much it matters.
    severity: Severity
    #: The target that it is about; none where it is about all.
    target: Optional[str]
    #: What is so, in a clause.
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
    #: The processor, where the name leads to one.
    processor: Optional[str]


class GemmRow(TypedDict):
    """One processor in one library folder."""

    #: The folder, as reports show paths.
    folder: str
    #: The library.
    library: str
    #: The processor.
    processor: str
    #: Per type of the matrices, as the names of catalogs have it.
    types: list[GemmType]
    #: Catalogs that are only asked with a flag (`CUEfficiency`, `Fp16Alt`, `ExperimentalGrid`), and their number.
    variants: dict[str, int]


class GemmType(TypedDict):
    """One type."""

    #: How all of them are served; nothing where only some are tuned.
    all: Optional[Served]
    #: Per way the matrices enter: `NN`, `NT`, …
    served: dict[str, Served]
    #: How many of these are tuned.
    tuned: int
    #: `SS`, `HH_HPA`, …: Tensile's abbreviations of input and output, `HPA` where it sums in more bits.
    type: str


class _ImageLayer(TypedDict):
    """What is always there."""

    #: The command that made it, as the image tells its history.
    command: Optional[str]
    #: Those that a later layer deletes.
    deleted: Count
    #: Its digest, or its path where the image does not say that.
    digest: str
    #: Its files, unpacked.
    files: Count
    #: Its number, from 1 for the lowest.
    number: int
    #: Those that a later layer puts again.
    replaced: Count


class ImageLayer(_ImageLayer, total=False):
    """A layer of a container's image."""

    #: The image that it belongs to, where there are several.
    image: Optional[str]


class Input(TypedDict):
    """A file that was read whole for its digest."""

    #: Its size in bytes.
    bytes: int
    #: The root.
    path: str
    #: Its SHA-256 in hexadecimal.
    sha256: str


class LibraryInstructions(TypedDict):
    """Instructions of one library for one processor."""

    #: Instructions that another processor does not have, where one was named.
    absent: Optional[Absent]
    #: Kernels by what their bodies are.
    bodies: Bodies
    #: Instructions by class, for all classes, in the order of `rocm-audit list classes`.
    classes: list[ClassRow]
    #: Code objects whose machine code was decoded.
    code_objects: int
    #: Bytes among the code that symbols say are data.
    data_bytes: int
    #: All instructions.
    instructions: int
    #: The library.
    library: str
    #: Instructions by mnemonic, most frequent first; empty in the report of an audit.
    mnemonics: list[MnemonicRow]
    #: Code objects that were not: their processor is unknown, or they are compressed and too large to be kept.
    not_decoded: int
    #: The root or the package that it lies in, where the library lies in several.
    place: Optional[str]
    #: The processor.
    processor: str
    #: True for its Tensile library folder.
    tensile: bool
    #: Words that are no instruction of the target.
    unknown_words: int
    #: Zero bytes that were skipped, in runs of eight and more.
    zero_bytes: int

#: What a library is for programs that use it.
LibraryRole = Literal["needed", "optional", "compiler", "wrapper", "runtime", "tool", "firmware", "loose"]


class LibraryRow(TypedDict):
    """One library's row of the matrix."""

    #: One cell for each processor in `targets`, in that order.
    cells: list[Cell]
    #: Files that carry its device code.
    files: int
    #: The library.
    library: str
    #: The root or the package that it lies in, where the library lies in several: each copy has a row.
    place: Optional[str]
    #: Whether several of these are versions of one library, which are counted together.
    several_versions: bool
    #: `DT_SONAME`s of its shared libraries.
    sonames: list[str]
    #: True where the row is of its Tensile library folder, false where it is of its shared libraries.
    tensile: bool


class LibraryVerdict(TypedDict):
    """What a library does on a processor."""

    #: Whether it runs.
    answer: Answer
    #: What it has for the processor: of its own kernels or of those of its Tensile folder, whichever are worse.
    coverage: Coverage
    #: How the reason is known.
    evidence: Evidence
    #: The library.
    library: str
    #: Libraries with GPU code that it is linked with.
    needs: list[Need]
    #: The root or the package that it lies in, where it lies in several.
    place: Optional[str]
    #: Why, in a clause.
    reason: str
    #: What it is for programs that use it.
    role: LibraryRole
    #: What happens at run time, where it does not run; read in the libraries' sources.
    then: Optional[str]


class LibraryWithoutCode(TypedDict):
    """A library of the field that is here without device code."""

    #: The library.
    library: str
    #: Its files.
    paths: list[str]


class Location(TypedDict):
    """A place where a finding shows."""

    #: Line of a text, counted from 1.
    line: Optional[int]
    #: Offset in bytes, where it is known.
    offset: Optional[int]
    #: The file; empty where the place is no file.
    path: str
    #: Row of a table in SQLite.
    row: Optional[int]
    #: True where the offset counts inflated bytes.
    unpacked: bool
    #: What is there: a sentence, a kernel, a key. Empty where the place says all.
    what: str


class MesFirmware(TypedDict):
    """A firmware file for the micro engine scheduler."""

    #: How it is known: that this field is the release is concluded from published numbers.
    evidence: Evidence
    #: The file.
    file: str
    #: Its release, as the driver reports it.
    release: int


class MiopenRow(TypedDict):
    """MIOpen databases of one processor and number of compute units."""

    #: `HIP` or `OpenCL`, where the name says.
    backend: Optional[str]
    #: Compute units that the names state.
    compute_units: Optional[int]
    #: How it is stored.
    form: DatabaseForm
    #: What it is for.
    kind: DatabaseKind
    #: The file.
    path: str
    #: The processor.
    processor: str
    #: Lines or records; nothing where they could not be counted.
    records: Optional[int]


class MnemonicRow(TypedDict):
    """One mnemonic."""

    #: How often it occurs.
    count: int
    #: As LLVM prints it; of a dual-issue pair both, `v_dual_a :: v_dual_b`.
    mnemonic: str


class Need(TypedDict):
    """A library that another one is linked with."""

    #: Its verdict, where it is here.
    answer: Optional[Answer]
    #: Its `DT_SONAME`.
    soname: str


class NotExamined(TypedDict):
    """Something seen and not looked into."""

    #: Their bytes.
    bytes: int
    #: One of them.
    example: str
    #: How many files.
    files: int
    #: Whether it is a format of `remainder`, which counts these files.
    in_remainder: bool
    #: What.
    what: str


class OverriddenLibrary(TypedDict):
    """The code of a library for the claimed processor."""

    #: Those that the card lacks or reads otherwise.
    absent: Optional[Absent]
    #: Code objects.
    code_objects: int
    #: Instructions that were decoded; nothing where that was not needed.
    instructions: Optional[int]
    #: Kernels.
    kernels: int
    #: The library.
    library: str
    #: Those that have code for the card and none for the claimed processor: with the override they do not run.
    lost_by: list[str]
    #: Whether the override is needed for it: it, or one of its files, has no code for the card.
    needed: bool
    #: Its programs and shared libraries that have code for the claimed processor and none for the card.
    needed_by: list[str]
    #: Those that have code for both, and do not need it.
    not_needed_by: list[str]
    #: The root or the package that it lies in, where the library lies in several.
    place: Optional[str]
    #: True for its Tensile library folder.
    tensile: bool
    #: Number of those that only trap: nothing of them runs.
    trap_stubs: int


class Override(TypedDict):
    """What `HSA_OVERRIDE_GFX_VERSION` could make of code for another processor."""

    #: Whether it is safe.
    answer: OverrideAnswer
    #: Why, as a clause.
    because: str
    #: What decoding the code that would be loaded says, by library; only for the best override, where the tables do not
    #: decide.
    code: list[OverriddenLibrary]
    #: How it is known: from LLVM's tables and the decoded code, not tried.
    evidence: Evidence
    #: Features that only one of both has, and that decoding cannot judge.
    features: list[str]
    #: Whether what is known speaks for it: `answer` is `legal` or `legal-with-differences`.
    is_legal: bool
    #: Kernels of the libraries that run with it and not, or not wholly, without.
    kernels: int
    #: Instructions of that processor that the card lacks or has under other bits.
    lacking: int
    #: Those that have code for the card and none for it: with it they do not run.
    lost_by: list[str]
    #: Programs and shared libraries that have code for it and none for the card: those that it is needed for.
    needed_by: list[str]
    #: The processor whose code would be loaded.
    processor: str
    #: What kernels of that processor state in ways that the card reads otherwise.
    starts: list[str]
    #: Types of matrix products that those are tuned for.
    tuned_types: int
    #: The value of the variable.
    value: str

#: What an override comes to.
OverrideAnswer = Literal["legal", "legal-with-differences", "not-decoded", "illegal", "unneeded", "useless", "cross-major", "no-code", "windows"]


class _Package(TypedDict):
    """What is always there."""

    #: Its size in bytes.
    bytes: int
    #: What it is: `zip or wheel`, `Debian package`, `tar`, `gzip`.
    format: str
    #: Their bytes, unpacked.
    member_bytes: int
    #: Files in it, those of packages in it included.
    members: int
    #: The package.
    path: str


class Package(_Package, total=False):
    """A package whose members were read."""

    #: Name and version of what it installs, where it says so.
    identity: Optional[str]
    #: The layers of the container images in it, each with what later layers take away. The members are those of the image that
    #: runs: all layers laid over each other.
    layers: list[ImageLayer]

#: Why nothing is reported of files.
Reading = Literal["nothing", "not-examined", "skipped", "unreadable"]


class Remainder(TypedDict):
    """Files that carry nothing counted."""

    #: Bytes.
    bytes: int
    #: How many.
    files: int
    #: Their format, or why that is not known.
    format: str
    #: Why nothing is reported of them.
    state: Reading


class RunTimeCompiler(TypedDict):
    """Software that compiles kernels for the GPU at run time."""

    #: What it compiles, and for what.
    compiles: str
    #: How it is known.
    evidence: Evidence
    #: Number of files that are a sign of it.
    files: int
    #: The first of them.
    first: str
    #: Whether kernels come of it by itself.
    makes_kernels: bool
    #: Its name.
    name: str
    #: What the files have to do with it.
    sign: CompilerSign


class SelectionLayer(TypedDict):
    """Layer 2: catalogs and databases."""

    #: Tensile catalogs that name it (lazy ones included).
    catalogs: int
    #: The sum of both.
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
    #: Solutions that they list.
    solutions: int

#: How a target is served for a type and a way the matrices enter.
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

    #: Bytes of the latter.
    bytes: int
    #: How it is known.
    evidence: Evidence
    #: Files that name it or carry code for it, firmware apart.
    files: int
    #: Firmware files for it, without links.
    firmware_files: int
    #: Those whose name names it.
    named_files: int


class _Summary(TypedDict):
    """What is always there."""

    #: Code objects by ABI version.
    abi_versions: dict[str, int]
    #: Their bytes.
    artifact_bytes: int
    #: The files that these are, each once.
    artifact_files: int
    #: Things that carry something counted: files, links to firmware, and each library's part of a kpack archive.
    artifacts: int
    #: Bundles.
    bundles: int
    #: Their bytes.
    bytes: int
    #: Bytes of machine code.
    code_bytes: int
    #: Bytes of code objects, inflated.
    code_object_bytes: int
    #: Code objects.
    code_objects: int
    #: Compressed ones among them.
    compressed_bundles: int
    #: Files, folders and members of packages that `--exclude` leaves out.
    excluded: int
    #: Regular files.
    files: int
    #: Kernels named by their metadata.
    kernels: int
    #: Symbolic links that were not followed.
    links: int
    #: Files whose format may hold device code that was not looked for.
    not_examined_files: int
    #: Packages that are no members of packages.
    outer_packages: Count
    #: What those inflate to, in bytes.
    unpacked_bytes: int
    #: Compressed bundles that were not read to their end, so that their hash is not verified.
    unverified_bundles: int


class Summary(_Summary, total=False):
    """Sums over a report."""

    #: Further names of files that were read, where there are any: hard links, and links that were followed.
    other_names: Optional[int]


class Target(TypedDict):
    """One processor."""

    #: Of a generic target with kernels: processors that its code runs on, by LLVM's AMDGPUUsage.
    also_runs_on: list[str]
    #: How that is known.
    also_runs_on_evidence: Evidence
    #: Layer 1: code that was built for it.
    build: BuildLayer
    #: A few devices.
    devices: Optional[str]
    #: Layer 3: what it can fall back to.
    fallback: FallbackLayer
    #: The instruction set family; nothing for an unknown processor.
    family: Optional[str]
    #: `gfx900`.
    processor: str
    #: Whether all that is here for it are the copy and fill kernels that the HSA runtime carries for every GPU.
    runtime_kernels_only: bool
    #: Layer 2: data that selects among that code.
    selection: SelectionLayer
    #: Layer 4: what is shipped under its name.
    ship: ShipLayer
    #: Code objects by target ID, where features are fixed in some of them.
    target_ids: list[TargetIdRow]


class TargetAnswer(TypedDict):
    """Which libraries cover a processor that was asked for."""

    #: Libraries by coverage, best first; empty where nothing carries device code.
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
    #: Tensile fallback code objects.
    fallback_code_objects: int
    #: Kernels.
    kernels: int
    #: Kernels that can only trap, of the code objects whose machine code was looked at.
    trap_stubs: int


class TensileRow(TypedDict):
    """Files of one processor in a Tensile library folder. A file counts for the processor in its name."""

    #: Their bytes.
    bytes: int
    #: Catalogs among them, the lazy one included.
    catalogs: int
    #: Code files among them (`.co`, `.hsaco`), fallback ones included.
    code_files: int
    #: Fallback files among them.
    fallback_files: int
    #: Files that name it.
    files: int
    #: One of the files, as evidence.
    first: str
    #: rocBLAS or hipBLASLt.
    library: str
    #: The processor; nothing for files that name none.
    processor: Optional[str]
    #: Solutions that its catalogs list.
    solutions: int
    #: Files by type code.
    types: dict[str, int]


class Tool(TypedDict):
    """The program that wrote a document."""

    #: `rocm-audit`.
    name: str
    #: Its version.
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
    """Bundles that are not compressed."""

    #: Their bytes.
    bytes: int
    #: How many.
    count: int
    #: About how many bytes they would have with `clang --offload-compress`, by pieces of them that were compressed; nothing
    #: where they are too small for that.
    estimated_packed_bytes: Optional[int]


class UserPlace(TypedDict):
    """A place where a program keeps a cache of the user: `--caches`."""

    #: Whether something is there. It was read then.
    is_there: bool
    #: Whose.
    of: str
    #: The folder or file.
    path: str
    #: The variable that names it; `null` where it is the default place.
    variable: Optional[str]


class Verdict(TypedDict):
    """The verdict for one processor."""

    #: What follows from all libraries by their roles: the worst of those that programs need; what callers do without is a limit at
    #: most, compiling beside libraries that run is none, and the runtime decides nothing.
    answer: Answer
    #: Files that could not be read in full: what they have is not known.
    damaged: list[DamagedFile]
    #: How that is known, where it does not stand beside each library.
    evidence: Optional[Evidence]
    #: The same in words, and where no library decides, why.
    headline: str
    #: Processors that there is code for.
    here: list[str]
    #: Each library with device code, the worst first.
    libraries: list[LibraryVerdict]
    #: Whether there is no override only because the code of neighbours is in files of Windows, which has no such variable.
    only_on_windows: bool
    #: Code of neighbours that `HSA_OVERRIDE_GFX_VERSION` would have loaded, the most similar first; only where a library,
    #: or one of its files, does not run, and the processor was asked for.
    overrides: list[Override]
    #: The processor.
    processor: str
    #: Products with it, a few.
    products: list[str]
    #: The libraries of which more would run with the first of `overrides` than without.
    with_override: list[LibraryVerdict]


class Version(TypedDict):
    """A statement of a version."""

    #: Of what.
    component: str
    #: How it is known.
    evidence: Evidence
    #: The file that states it.
    path: str
    #: As it stands.
    version: str


class Waste(TypedDict):
    """Bytes that are there and need not be."""

    #: Debug information of code objects, inflated.
    debug_bytes: int
    #: Code objects that are the same byte for byte.
    identical_code_objects: Copies
    #: Code objects that were not compared byte by byte, since their compressed bundle was not inflated to its end; those
    #: of bundles with the same hash count as the same. `--verify` and `fatbin` compare all.
    not_compared: int
    #: Zero bytes between bundles, between their entries, and between the sections of code objects.
    padding_bytes: int
    #: Machine code (`.text`) that is the same in code objects of different targets, which are not the same as a whole.
    shared_machine_code: Copies
    #: Bundles that are not compressed.
    uncompressed_bundles: Uncompressed


class _Report(TypedDict):
    """What is always there."""

    #: For each processor that was asked for, which libraries cover it how; empty where all are reported.
    answers: list[TargetAnswer]
    #: Every file that carries something counted above.
    artifacts: list[Artifact]
    #: Target IDs that were asked for; empty where all that were found are reported.
    asked: list[str]
    #: The override that the answer takes as set: `--override`.
    claim: Optional[Claim]
    #: False where something could not be read: see `findings`.
    complete: bool
    #: Findings by severity.
    counts: SeverityCounts
    #: Where the bytes of the code objects are, summed over all whose sections were read.
    device_bytes: list[ByteClass]
    #: What made the run end with 1: ids of the rules that `--fail-on` names, those of damage among them; empty where it did not.
    failed_because: list[str]
    #: What could not be read, and what else is worth saying, the worst first.
    findings: list[Finding]
    #: Firmware per codename.
    firmware: list[FirmwareRow]
    #: Matrix products: library × processor, what is tuned, what falls back, what is not there.
    gemm: list[GemmRow]
    #: What the roots that are files hold; empty unless `--digest` asked for it.
    inputs: list[Input]
    #: For each processor that was asked for, which libraries use the classes of instructions that tell most.
    instruction_answers: list[ClassAnswer]
    #: Library × processor: what the machine code is made of; empty where that was not asked for.
    instructions: list[LibraryInstructions]
    #: Shared libraries of the field that are here and carry no device code.
    libraries_without_code: list[LibraryWithoutCode]
    #: Library × processor.
    matrix: list[LibraryRow]
    #: MIOpen databases per processor and number of compute units.
    miopen: list[MiopenRow]
    #: What follows where GPUs of all processors that were asked for are in one host; empty for one.
    mixed_host: list[Consequence]
    #: What was seen and not looked into.
    not_examined: list[NotExamined]
    #: What bytes alone cannot show, in sentences.
    not_shown: list[str]
    #: Packages whose members were read, each as a file of its own. The members count in all sums, the packages do not.
    packages: list[Package]
    #: Files that carry nothing counted above, by format.
    remainder: list[Remainder]
    #: The roots as given.
    roots: list[str]
    #: Software here that compiles kernels for the GPU at run time, by the names of its files.
    run_time_compilers: list[RunTimeCompiler]
    #: What the document is: `rocm-audit/report`.
    schema: Literal["rocm-audit/report"]
    #: Version of its schema.
    schema_version: Literal["2.3.0"]
    #: Sums over everything.
    summary: Summary
    #: One row for each processor found.
    targets: list[Target]
    #: Tensile library folders: library × processor.
    tensile: list[TensileRow]
    #: Who wrote it.
    tool: Tool
    #: Sums over the parts of the report.
    totals: Totals
    #: Whether what is here runs on each processor that was asked for; where none was, on each that libraries other than the
    #: HSA runtime have kernels for.
    verdicts: list[Verdict]
    #: What the tree says of its versions.
    versions: list[Version]
    #: Bytes that are there and need not be.
    waste: Waste


class Report(_Report, total=False):
    """The capability report of one or more roots."""

    #: What was compiled or measured at run time and kept.
    caches: list[Cache]
    #: Places of the user's caches that were asked for with `--caches`.
    user_places: list[UserPlace]
