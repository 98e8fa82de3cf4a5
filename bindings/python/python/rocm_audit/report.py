# Written by `cargo xtask schema` from the schemas of documents; do not edit.
"""What the functions of `rocm_audit` give, for type checkers: dictionaries, as `docs/schema` has them."""

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
        "bytes": 'int',
        "class": 'str',
        "title": 'str',
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

#: What a file has to do with a compiler.
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

    #: Their size in bytes.
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
DatabaseKind = Literal["find-db", "kernel-db", "model", "perf-db"]


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
        "with": 'list[str]',
        "without": 'list[str]',
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
    #: Tensile fallback files.
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


class VerdictReport(TypedDict):
    """Whether what is here runs on a card, without the tables behind it: a few kilobytes of a report that can have megabytes."""

    #: Target IDs that were asked for; empty where none was.
    asked: list[str]
    #: False where something could not be read: what it holds is not known, and may be what the document calls missing.
    complete: bool
    #: What made the run end with 1, as in the report.
    failed_because: list[str]
    #: What could not be read, and what else should make a reader careful, the worst first.
    findings: list[Finding]
    #: What follows where GPUs of all processors that were asked for are in one host; empty for one.
    mixed_host: list[Consequence]
    #: The roots as given.
    roots: list[str]
    #: What the document is: `rocm-audit/report`.
    schema: Literal["rocm-audit/verdict"]
    #: Version of its schema.
    schema_version: Literal["1.0.0"]
    #: Who wrote it.
    tool: Tool
    #: Whether what is here runs on each processor that was asked for; where none was, on each that libraries other than the
    #: HSA runtime have kernels for.
    verdicts: list[Verdict]


class Requirement(TypedDict):
    """Whether a library has a target."""

    #: What the baseline had, where that is why it is required.
    before: Optional[Coverage]
    #: What is there; nothing where the library is not.
    coverage: Optional[Coverage]
    #: The reason for which it does not count, where it is not met and ignored.
    ignored: Optional[str]
    #: Whether the requirement is met.
    is_met: bool
    #: Files that have no kernel for it, where others have.
    lacking: list[str]
    #: The library.
    library: str
    #: The root or the package that it lies in, where the library lies in several.
    place: Optional[str]
    #: The packages, or else the roots, that are judged: those that the library lies in, and all roots where it lies in none.
    places: list[str]
    #: The processor.
    processor: str
    #: Whether it is of the library's Tensile folder.
    tensile: bool
    #: Why it is not met although code is there.
    why: Optional[str]


class UnusedIgnore(TypedDict):
    """Something that is ignored by request and did not occur."""

    #: The reason that was given.
    reason: str
    #: Its rule, target and library.
    what: str


class CheckReport(TypedDict):
    """Whether libraries have the targets that are required of them."""

    #: The report that nothing may be worse than.
    baseline: Optional[str]
    #: False where something could not be read: see `findings`.
    complete: bool
    #: What made it fail: `requirement-not-met`, and ids of rules, those of damage among them.
    failed_because: list[str]
    #: What could not be read, and what else is worth saying, the worst first.
    findings: list[Finding]
    #: What the roots that are files hold; empty unless `--digest` asked for it.
    inputs: list[Input]
    #: The ids of rules whose findings do not count: the baseline had them, or they are ignored by request.
    not_counted: list[str]
    #: Whether all requirements are met, all could be read, and nothing was found that `--fail-on` names.
    passed: bool
    #: Target IDs that are required.
    required: list[str]
    #: One row for each target and library; empty where no library carries device code.
    requirements: list[Requirement]
    #: The roots as given.
    roots: list[str]
    #: Roots in which no library carries device code, where others have some: nothing is required of them.
    roots_without_code: list[str]
    #: What the document is: `rocm-audit/report`.
    schema: Literal["rocm-audit/check"]
    #: Version of its schema.
    schema_version: Literal["2.3.0"]
    #: Who wrote it.
    tool: Tool
    #: What is ignored by request and did not occur.
    unused_ignores: list[UnusedIgnore]


class BytesChange(TypedDict):
    """Bytes of something, where they changed."""

    #: Now.
    after: int
    #: Before.
    before: int
    #: Of what: a path, or a class of device code.
    of: str


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
    """What a library has for a processor, where that changed."""

    #: What it has.
    after: Coverage
    #: What it had.
    before: Coverage
    #: Whether that is less.
    is_worse: bool
    #: The library.
    library: str
    #: The processor.
    processor: str
    #: Whether it is the library's Tensile folder.
    tensile: bool


class DiffSide(TypedDict):
    """One side of a comparison."""

    #: Bytes of files with something to report.
    artifact_bytes: int
    #: Code objects.
    code_objects: int
    #: False where something could not be read: then what is missing here may be there.
    complete: bool
    #: Kernels.
    kernels: int
    #: As the call names it.
    path: str
    #: The roots that were audited.
    roots: list[str]
    #: Whether it is a report that was saved before.
    saved: bool
    #: The version of the program that audited it.
    tool_version: str


class FileChanges(TypedDict):
    """Files with something to report, by their paths below the roots."""

    #: Only now.
    added: list[FileSize]
    #: Only before.
    lost: list[FileSize]
    #: The same but for numbers in its path: a version.
    renamed: list[FileRename]
    #: Of another size.
    resized: list[BytesChange]


class FileRename(TypedDict):
    """A file with another name."""

    #: Its path now.
    after: str
    #: Its path before.
    before: str
    #: Its size in bytes now.
    bytes_after: int
    #: Its size in bytes before.
    bytes_before: int


class FileSize(TypedDict):
    """A file."""

    #: Its size in bytes.
    bytes: int
    #: Its library.
    library: str
    #: Its path below its root.
    path: str


class FindingChanges(TypedDict):
    """Findings that only one side has: of another rule, target, or name of the first file."""

    #: Those that are gone.
    gone: list[FindingName]
    #: New ones.
    new: list[FindingName]


class FindingName(TypedDict):
    """A finding."""

    #: The name of the first file that only this side has it in.
    file: str
    #: Its rule.
    id: str
    #: Its severity.
    severity: str
    #: Its target.
    target: Optional[str]
    #: What is wrong.
    what: str


class KernelChange(TypedDict):
    """A kernel with other numbers. Of several kernels of one name the largest numbers are compared."""

    #: The name as programmers write it, where it is a C++ name.
    demangled: Optional[str]
    #: Whether it spills more registers or needs more scratch than before.
    is_worse: bool
    #: Name, mangled as it stands.
    name: str
    #: The numbers that changed.
    numbers: list[NumberChange]
    #: The target ID.
    target: str


class KernelChanges(TypedDict):
    """Kernels by name and target, wherever they lie: one that moved to another file is not lost."""

    #: Kernels that are new, of targets that both sides have.
    added: list[KernelName]
    #: Kernels with other numbers than before; those that spill more first.
    changed: list[KernelChange]
    #: Kernels that are gone, of targets that both sides have.
    lost: list[KernelName]
    #: Kernels that have another name now, since their arguments changed, or since another release writes more parameters into names.
    renamed: list[KernelRename]
    #: One row for each target of either side.
    targets: list[KernelTargetChange]


class KernelName(TypedDict):
    """A kernel of a target."""

    #: The name as programmers write it, where it is a C++ name.
    demangled: Optional[str]
    #: Name, mangled as it stands.
    name: str
    #: The target ID.
    target: str


class KernelRename(TypedDict):
    """A kernel under another name."""

    #: Its mangled name now.
    after: str
    #: Its mangled name before.
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
    #: Names whose numbers changed.
    changed: int
    #: Names that are gone.
    lost: int
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
    #: Whether it is gone; else it is new.
    lost: bool
    #: The processors that it has code for there.
    processors: list[str]
    #: Whether it is the library's Tensile folder.
    tensile: bool


class NumberChange(TypedDict):
    """A number of a kernel that changed."""

    #: Now.
    after: int
    #: Before.
    before: int
    #: Which: `vgprs`, `agprs`, `sgprs`, `spills`, `scratch`, `lds`.
    what: str


class Regression(TypedDict):
    """Something that got worse."""

    #: How many.
    count: int
    #: What kind of thing it is.
    kind: RegressionKind
    #: In a sentence.
    what: str

#: A kind of thing that gets worse, the worst first; the words of `--fail-on`.
RegressionKind = Literal["lost-target", "less-coverage", "lost-kernel", "more-spills", "worse-selection", "fewer-records", "lost-file", "new-finding", "bigger"]


class SelectionAnswer(TypedDict):
    """An answer of a library."""

    #: How far the size is from the one that was tuned, where a table says so.
    distance: Optional[float]
    #: How it is known.
    evidence: Evidence
    #: Its kind, as in the report of `workload`: `tuned`, `fallback`, `nothing`.
    kind: str
    #: Kernels or solvers that are taken.
    taken: list[str]
    #: The same in words.
    way: str


class SelectionChange(TypedDict):
    """A problem that is answered otherwise than before."""

    #: What answers it.
    after: SelectionAnswer
    #: What answered it.
    before: SelectionAnswer
    #: How often it is made.
    calls: int
    #: Its share of the floating-point operations of all problems of the file.
    flops_share: float
    #: The library.
    library: str
    #: The first line of the file that states it.
    line: int
    #: The problem, in words.
    problem: str
    #: As in the row of the target.
    target: str
    #: Whether that is worse.
    verdict: SelectionVerdict


class SelectionChanges(TypedDict):
    """What libraries choose for a list of problems before and now."""

    #: Problems that are answered otherwise than before, what got worse first.
    changed: list[SelectionChange]
    #: The file of the problems, as the call names it; `reference` for the list that the program has.
    problems: str
    #: One row for each target that was asked about.
    targets: list[SelectionTarget]
    #: Lines of it that are wrong.
    wrong_lines: int


class SelectionGap(TypedDict):
    """Problems of a library that were not compared."""

    #: The library.
    library: str
    #: How many problems.
    problems: int
    #: Why, in a sentence.
    why: str


class SelectionTarget(TypedDict):
    """What became of the problems on a target."""

    #: Those that are answered better.
    better: int
    #: Problems whose answers are known on both sides.
    compared: int
    #: Multiprocessors as HIP counts them.
    multiprocessors: int
    #: Whether their number is assumed.
    multiprocessors_assumed: bool
    #: What was not compared.
    not_compared: list[SelectionGap]
    #: Those that another kernel or solver of the same kind answers.
    other: int
    #: Those whose kernels have other names that state the same.
    renamed: int
    #: Those that are answered as before.
    same: int
    #: The target ID; of two targets of one tree both, with an arrow between them.
    target: str
    #: Those that are answered worse.
    worse: int

#: How an answer stands to the one before.
SelectionVerdict = Literal["worse", "other", "better", "renamed"]


class VersionChange(TypedDict):
    """A version that changed."""

    #: Now.
    after: Optional[str]
    #: Before; nothing where none was stated.
    before: Optional[str]
    #: Of what.
    component: str


class _DiffReport(TypedDict):
    """What is always there."""

    #: False where something could not be read: what it holds is not known, and may be what the document calls missing.
    complete: bool
    #: Numbers that changed.
    counts: list[CountChange]
    #: Libraries of both sides whose coverage of a processor changed, what got worse first.
    coverage: list[CoverageChange]
    #: Bytes of device code by class, where they changed.
    device_bytes: list[BytesChange]
    #: What made the run end with 1: ids of rules, and the words of `--fail-on` for what got worse; empty where it did not.
    failed_because: list[str]
    #: Files that changed.
    files: FileChanges
    #: Findings that only one side has.
    finding_changes: FindingChanges
    #: What could not be read, and what else should make a reader careful, the worst first.
    findings: list[Finding]
    #: Kernels; nothing where a side is a saved report, which does not name them.
    kernels: Optional[KernelChanges]
    #: Libraries that only one side has.
    libraries: list[LibraryChange]
    #: What is there now.
    new: DiffSide
    #: What was there before.
    old: DiffSide
    #: What got worse, the worst first; empty where nothing did.
    regressions: list[Regression]
    #: What the document is: `rocm-audit/report`.
    schema: Literal["rocm-audit/diff"]
    #: Version of its schema.
    schema_version: Literal["2.0.0"]
    #: Who wrote it.
    tool: Tool
    #: Statements of versions that changed.
    versions: list[VersionChange]


class DiffReport(_DiffReport, total=False):
    """What changed between two trees, packages, files or saved reports."""

    #: What libraries choose for a list of problems; nothing where that was not asked for.
    selections: Optional[SelectionChanges]


class FileNeeds(TypedDict):
    """What one file needs."""

    #: Those that lead to fixed places which are neither the system's nor here.
    absolute_paths: list[str]
    #: Whether these are of `DT_RPATH`.
    is_rpath: bool
    #: The least release of the HIP runtime that has what it asks of it; `null` where it says none.
    least_runtime: Optional[LeastRuntime]
    #: The libraries, in the order of the file.
    needed: list[NeededLibrary]
    #: The file.
    path: str
    #: `DT_RUNPATH`, or `DT_RPATH` where there is no other.
    search_paths: list[str]
    #: `DT_SONAME`; `null` where it has none.
    soname: Optional[str]
    #: Number of symbols of the HIP runtime that it asks for without naming its library, so that the process has to have loaded that
    #: before; zero where it names it, or needs none.
    unnamed_runtime_symbols: int


class LeastRuntime(TypedDict):
    """The least release of the HIP runtime that will do."""

    #: The release: `6.3`.
    release: str
    #: What says so, in a sentence.
    why: str


class MissingLibrary(TypedDict):
    """A library that is needed and not here."""

    #: Its name.
    name: str
    #: The files that need it.
    needed_by: list[str]
    #: Whose it is.
    place: NeededPlace


class NeededLibrary(TypedDict):
    """A library that a file needs."""

    #: Its name.
    name: str
    #: Its path below its root, or in its package, where it is here.
    path: Optional[str]
    #: Where it is.
    place: NeededPlace

#: Where a needed library is.
NeededPlace = Literal["here", "unreachable", "system", "rocm", "other"]


class NeededVersion(TypedDict):
    """The highest version that is asked of a library."""

    #: The files that ask for it.
    asked_by: list[str]
    #: The library.
    library: str
    #: The version of its symbols.
    version: str


class NeedsReport(TypedDict):
    """What libraries need from others."""

    #: False where something could not be read: see `findings`.
    complete: bool
    #: What made the run end with 1: ids of the rules that `--fail-on` names, those of damage among them; empty where it did not.
    failed_because: list[str]
    #: The libraries and programs that are ROCm's, need one of its libraries or have device code, in walking order.
    files: list[FileNeeds]
    #: What is wrong with it, and what could not be read.
    findings: list[Finding]
    #: The least release of the HIP runtime that has what all files ask of it; `null` where nothing says so.
    least_runtime: Optional[LeastRuntime]
    #: Each library that is needed and not here, with the files that need it: ROCm's first.
    missing: list[MissingLibrary]
    #: The roots as given.
    roots: list[str]
    #: What the document is: `rocm-audit/report`.
    schema: Literal["rocm-audit/needs"]
    #: Version of its schema.
    schema_version: Literal["1.1.0"]
    #: Who wrote it.
    tool: Tool
    #: For each library and kind of version the highest that is asked of it: `hip_6.0`, `GLIBC_2.38`.
    versions: list[NeededVersion]


class ExplainCause(TypedDict):
    """What can be behind a message."""

    #: What to do.
    advice: str
    #: Its name.
    id: str
    #: Whether bytes of files show it.
    shown_by_bytes: ShownByBytes
    #: What distinguishes it from other causes.
    tell: str
    #: What is wrong.
    what: str


class ExplainDevice(TypedDict):
    """A GPU of the machine, as a log states it."""

    #: Whether it is the one in use when the message was printed.
    in_use: bool
    #: Its number; none where the log states none.
    number: Optional[int]
    #: Its processor.
    processor: str


class ExplainLibrary(TypedDict):
    """A library of the tree."""

    #: Its name.
    library: str
    #: The first of its files.
    path: Optional[str]
    #: Whether it is the Tensile folder of the library.
    tensile: bool


#: A message that was recognised.
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
    #: How it is known.
    known: Evidence
    #: Libraries without code or files for the target.
    lacking: list[ExplainLibrary]
    #: The roots.
    roots: list[str]
    #: Libraries that have them.
    serving: list[ExplainLibrary]
    #: What it comes to.
    verdict: TreeVerdict

#: What kind of thing a message is about.
MessageClass = Literal["file", "application", "harmless", "environment", "runtime", "build", "not-rocm", "ambiguous", "unknown"]

#: Whether bytes of files show a cause.
ShownByBytes = Literal["yes", "partly", "no"]

#: What the files of a tree say about a cause.
TreeVerdict = Literal["confirmed", "not-the-files", "not-decided"]


#: What the messages of a log mean, and, where a tree was named, whether its files are the cause.
ExplainReport = TypedDict(
    "ExplainReport",
    {
        "advice": 'str',
        "bytes": 'Optional[str]',
        "causes": 'list[ExplainCause]',
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
        "processors": 'list[str]',
        "rules": 'list[str]',
        "schema": 'Literal["rocm-audit/explain"]',
        "schema_version": 'Literal["2.3.0"]',
        "target": 'Optional[str]',
        "target_id": 'Optional[str]',
        "tool": 'Tool',
        "tree": 'Optional[ExplainTree]',
    },
)


class ExplainCondition(TypedDict):
    """A condition of a solver."""

    #: Its name within the rule.
    id: str
    #: Why a problem is refused by it.
    refuses: str
    #: Where it was read.
    source: str


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


class ExplainRule(TypedDict):
    """A rule of findings."""

    #: What to do.
    advice: str
    #: What follows.
    effect: str
    #: Its id.
    id: str
    #: How it is known.
    known: Evidence
    #: Its page, paragraph by paragraph.
    page: list[str]
    #: How much such a finding matters.
    severity: Severity
    #: What is so.
    what: str


class ExplainSolver(TypedDict):
    """A solver of MIOpen."""

    #: Its family, where it has a rule.
    algorithm: Optional[str]
    #: Its conditions.
    conditions: list[ExplainCondition]
    #: Whether the default find mode considers it on a miss.
    dynamic: Optional[bool]
    #: Its number in the registry.
    id: int
    #: Its name as databases write it.
    name: str
    #: What is not certain about it, or why there is no rule.
    note: Optional[str]
    #: Where its check was read.
    source: Optional[str]


class ExplainTarget(TypedDict):
    """A processor."""

    #: Processors of the same generation all of whose instructions it has too, with the same bits and names. Their code
    #: decodes on it; an override would have to load it.
    decodes: list[str]
    #: A few devices.
    devices: Optional[str]
    #: The instruction set family by its public name.
    family: str
    #: The targets whose code a device of it loads.
    loads: list[str]
    #: Its number in `e_flags`.
    mach: int
    #: For a generic target, its members.
    members: list[str]
    #: Its name.
    processor: str
    #: Processors with the same instructions, in every bit.
    same_instructions: list[str]
    #: The first LLVM that names it, where it is not an old one.
    since_llvm: int
    #: What the last two were read in.
    source: str


class ExplainWordReport(TypedDict):
    """What a word of this program means."""

    #: The cause of this id.
    cause: Optional[ExplainCause]
    #: False where something could not be read: what it holds is not known, and may be what the document calls missing.
    complete: bool
    #: What could not be read, and what else should make a reader careful, the worst first.
    findings: list[Finding]
    #: The rules of findings that show the cause, by their ids.
    found_by: list[str]
    #: The messages that can have the cause, or the message of this id.
    messages: list[ExplainKnownMessage]
    #: The rule of findings of this id.
    rule: Optional[ExplainRule]
    #: What the document is: `rocm-audit/report`.
    schema: Literal["rocm-audit/explain-word"]
    #: Version of its schema.
    schema_version: Literal["2.0.1"]
    #: The solver of this name.
    solver: Optional[ExplainSolver]
    #: The processor of this name.
    target: Optional[ExplainTarget]
    #: Who wrote it.
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
    #: What a find would measure without a record.
    measured: list[str]
    #: The solver that the find-db decides for.
    picked: Optional[str]
    #: It as `select conv` takes it.
    problem: str


class SurveyEvent(TypedDict):
    """A commit in which a library's files came to name the processor, or named it for the last time."""

    #: `ROCm/Tensile 41236e39cf93`.
    commit: str
    #: The day.
    date: str
    #: Whether it is the first such commit, else the last.
    is_first: bool
    #: The library.
    library: str
    #: The first line of its message.
    subject: str


class SurveyFamily(TypedDict):
    """A family of solvers."""

    #: Solvers that the processor admits.
    admitted: list[str]
    #: Its name.
    name: str
    #: Those that it, the build or a default refuses for every shape.
    refused: list[SurveyRefusal]


class SurveyGemm(TypedDict):
    """What rocBLAS does for a type."""

    #: The code object that supplies it.
    code_object: Optional[str]
    #: The kernel.
    kernel: Optional[str]
    #: It in words.
    means: str
    #: How it is served.
    served: GemmServed
    #: The type: `HHS`.
    type: str
    #: Why there is no answer.
    why: Optional[str]


class SurveyGgml(TypedDict):
    """Whose rules answer for llama.cpp."""

    #: Whether the library is here.
    is_here: bool
    #: The version; nothing where those of the latest known one answer.
    version: Optional[str]


class SurveyLayer(TypedDict):
    """What a layer comes to."""

    #: Whether it carries the processor.
    answer: Answer
    #: A sentence.
    conclusion: str
    #: How it is known.
    evidence: Evidence
    #: Which.
    layer: Layer
    #: The numbers behind it.
    numbers: list[SurveyNumber]


class SurveyNumber(TypedDict):
    """A number of a layer."""

    #: How many.
    number: int
    #: What is counted.
    what: str


class SurveyRefusal(TypedDict):
    """A solver that is refused for every shape."""

    #: Why, in a sentence.
    because: str
    #: The solver.
    solver: str
    #: Where that was read.
    source: str


class SurveyRoute(TypedDict):
    """How llama.cpp makes products of a weight type."""

    #: For one.
    decode: SurveyRouteHere
    #: For 512 tokens.
    prefill: SurveyRouteHere
    #: The weight type, or `attention`.
    type: str


class SurveyRouteHere(TypedDict):
    """A route and its kernel."""

    #: Whether the library has its kernel: `real`, `trap stub`, `absent`, `no code object`; nothing where it has none of
    #: ggml's.
    presence: Optional[str]
    #: The route: `MMQ`, `BLAS`.
    route: str


class SurveySide(TypedDict):
    """One processor."""

    #: Whether what is here runs on it.
    answer: Answer
    #: What stands in the way.
    blocked: list[Consequence]
    #: What MIOpen does with the reference convolutions; empty where MIOpen is not here.
    convolutions: list[SurveyConvolution]
    #: Families of MIOpen's solvers, and which of them the processor admits, whatever the shape; empty where MIOpen is not
    #: here.
    families: list[SurveyFamily]
    #: What rocBLAS chooses for the reference product of each type; empty where its catalogs are not here.
    gemms: list[SurveyGemm]
    #: The version of ggml whose rules answer, and whether its library is here.
    ggml: SurveyGgml
    #: When libraries that are here first and last named the processor.
    history: list[SurveyEvent]
    #: The four layers: build, selection, fallback, ship.
    layers: list[SurveyLayer]
    #: Multiprocessors that selections were asked with.
    multiprocessors: int
    #: Whether their number is assumed, since the card has not been named or its number is not known.
    multiprocessors_assumed: bool
    #: The processor.
    processor: str
    #: Products with it, a few.
    products: list[str]
    #: How llama.cpp makes products of each weight type, and attention; empty where ggml's library is not here.
    routes: list[SurveyRoute]
    #: Since when it is refused: commits of public histories that say that they take it out; nothing where none is known.
    since: Optional[str]


class SurveyReport(TypedDict):
    """A tree asked about one processor or two."""

    #: The override that the answer takes as set: `--override`.
    claim: Optional[Claim]
    #: False where something could not be read: see `findings`.
    complete: bool
    #: What could not be read, and what else is worth saying.
    findings: list[Finding]
    #: What bytes alone cannot show, in sentences.
    not_shown: list[str]
    #: The roots as given.
    roots: list[str]
    #: What the document is: `rocm-audit/report`.
    schema: Literal["rocm-audit/survey"]
    #: Version of its schema.
    schema_version: Literal["2.1.0"]
    #: One for each processor.
    sides: list[SurveySide]
    #: Who wrote it.
    tool: Tool


class KernelLaunch(TypedDict):
    """A launch."""

    #: Whether HIP's launch, which takes 32 bits for each dimension, starts fewer work items than that.
    cut: bool
    #: The file that supplies the kernel.
    file: Optional[str]
    #: Work groups.
    grid: list[int]
    #: The kernel.
    kernel: str
    #: What the kernel does.
    role: LaunchRole
    #: Work items of a work group.
    work_group: list[int]


class KernelParameter(TypedDict):
    """A parameter of a kernel."""

    #: As in the kernel's name: `GSU`.
    name: str
    #: What it is.
    title: str
    #: Its value.
    value: str

#: What a kernel does in a GEMM.
LaunchRole = Literal["beta-only", "main", "post-gsu", "reduction"]


class Statement(TypedDict):
    """A statement about an answer."""

    #: What it is about: `assumed`, `hipBLASLt`, `history`, …
    about: str
    #: How it is known.
    evidence: Evidence
    #: The sentence.
    text: str


class GemmReport(TypedDict):
    """What rocBLAS does for a matrix product."""

    #: The library that answers: `rocBLAS`, or `hipBLASLt` where rocBLAS was built with it, asks it first and gets an algorithm;
    #: the fields below are then what rocBLAS does without it.
    answered_by: str
    #: The call in words: `rocblas_sgemm SS NN 1024 × 512 × 2048`.
    call: str
    #: The code object by rule.
    code_object: Optional[str]
    #: False where something could not be read: what it holds is not known, and may be what the document calls missing.
    complete: bool
    #: Distance from the tuned size, where a table was asked.
    distance: Optional[float]
    #: Whether it is a fallback for every target.
    fallback: bool
    #: What could not be read, and what else should make a reader careful, the worst first.
    findings: list[Finding]
    #: The catalog that the choice begins with.
    first_catalog: str
    #: The folder with the catalogs.
    folder: str
    #: Whether rocBLAS takes the call for a product of a matrix and a vector, and launches a kernel of its own.
    gemv: bool
    #: The kernel.
    kernel: Optional[str]
    #: The launches in their order.
    launches: list[KernelLaunch]
    #: The file that supplies the kernel.
    loaded_from: Optional[str]
    #: What HIP calls multiprocessors.
    multiprocessors: int
    #: What its name says.
    parameters: list[KernelParameter]
    #: The number by which rocBLAS's own functions know the solution.
    public_solution: Optional[int]
    #: Whether rocBLAS returns before it asks Tensile.
    quick_return: bool
    #: What the document is: `rocm-audit/report`.
    schema: Literal["rocm-audit/select-gemm"]
    #: Version of its schema.
    schema_version: Literal["2.1.0"]
    #: Tensile's index of the solution. None where there is none.
    solution: Optional[int]
    #: Further statements, each with how it is known.
    statements: list[Statement]
    #: `rocblas_status`.
    status: int
    #: The target.
    target: str
    #: Who wrote it.
    tool: Tool
    #: The steps of the choice.
    walk: list[str]
    #: Candidates beyond those in the walk.
    walk_dropped: int
    #: Bytes of workspace that the solution needs.
    workspace_bytes: int


class MatmulAlgorithm(TypedDict):
    """An algorithm."""

    #: The catalog that it stands in.
    catalog: Optional[str]
    #: Whether the tables decide its place.
    fixed: bool
    #: Its kernel.
    kernel: str
    #: Its name, which says more than the kernel's: several solutions launch one kernel.
    name: str
    #: The index of the solution.
    solution: int
    #: Work groups that share one part of D.
    split: int
    #: Rows and columns of D that a work group computes, and steps of K at once.
    tile: list[int]
    #: M, N, batch and K that it was tuned for, where a table gave it.
    tuned: Optional[list[int]]
    #: Bytes of workspace that it needs.
    workspace_bytes: int

#: How the first algorithm is decided.
MatmulDecided = Literal["tables", "ranked", "one-candidate", "undetermined", "none", "not-known", "run-time-compiler"]


class MatmulReport(TypedDict):
    """The algorithms that hipBLASLt gives for a call, and what the first of them launches."""

    #: The algorithms in the order of a fresh process, at most 64.
    algorithms: list[MatmulAlgorithm]
    #: The answer in a sentence.
    answer: str
    #: The call in words: `TN 4096 × 512 × 4096, f16 × f16 → f16 in f32, GELU_BIAS`.
    call: str
    #: The code object of the first algorithm by rule.
    code_object: Optional[str]
    #: False where something could not be read: what it holds is not known, and may be what the document calls missing.
    complete: bool
    #: How the first algorithm is decided.
    decided: MatmulDecided
    #: The solutions that the list is filled up with, by index; which of them come first is no property of the files.
    fill: list[int]
    #: What could not be read, and what else should make a reader careful, the worst first.
    findings: list[Finding]
    #: The catalog that the choice begins with.
    first_catalog: str
    #: How many of them stand at their place by the tables; the order of the others is that of heap addresses.
    fixed: int
    #: The folder with the catalogs.
    folder: str
    #: Its launches in their order; none behind one that fails.
    launches: list[KernelLaunch]
    #: A kernel that nothing supplies.
    missing_kernel: Optional[str]
    #: What HIP calls multiprocessors; none where the catalogs do not ask for their number.
    multiprocessors: Optional[int]
    #: Algorithms that are asked for.
    requested: int
    #: Algorithms that are given.
    returned: int
    #: What `hipblasLtMatmul` returns for the first algorithm, as hipblasStatus_t; none where there is none.
    run_status: Optional[int]
    #: What the document is: `rocm-audit/report`.
    schema: Literal["rocm-audit/select-matmul"]
    #: Version of its schema.
    schema_version: Literal["1.0.1"]
    #: Further statements, each with how it is known.
    statements: list[Statement]
    #: The target.
    target: str
    #: Who wrote it.
    tool: Tool
    #: The steps of the choice.
    walk: list[str]
    #: Candidates beyond those in the walk.
    walk_dropped: int


class ConvAssumption(TypedDict):
    """An assumption."""

    #: How it is known.
    evidence: Evidence
    #: Of what.
    name: str
    #: What.
    value: str


class ConvCandidate(TypedDict):
    """A solver that takes the problem."""

    #: Its algorithm.
    algorithm: str
    #: Whether it needs no compilation per problem.
    dynamic: bool
    #: Its place in the registry.
    id: int
    #: Whether it is measured on a miss, in the mode of the find.
    measured: bool
    #: Its name.
    solver: str
    #: What the rule leaves out, where it may accept too much.
    superset: Optional[str]
    #: Bytes of workspace that it asks for; none where that is not known.
    workspace: Optional[int]
    #: Where that was read.
    workspace_source: Optional[str]


class ConvDatabase(TypedDict):
    """A database."""

    #: The file.
    file: Optional[str]
    #: What it holds, and in which form.
    kind: ConvDatabaseKind
    #: Whether MIOpen finds it.
    state: DatabaseChoice
    #: The name that is looked for.
    wanted: str

#: A kind of database.
ConvDatabaseKind = Literal["find-db", "perf-db-text", "perf-db-sqlite", "kernel-db", "user-find-db"]


class ConvEstimate(TypedDict):
    """An estimate."""

    #: The solver.
    solver: str
    #: MIOpen's weighted throughput index: 1 would be the peak of a direct convolution.
    wti: float


class ConvFind(TypedDict):
    """The way of a find."""

    #: Whether a miss is answered without a measurement, as the immediate mode does.
    at_once: bool
    #: Whether the mode is `NORMAL` because of `MIOPEN_FIND_ENFORCE`.
    enforced: bool
    #: `DYNAMIC_HYBRID` by default, `HYBRID`, `FAST` or `NORMAL`.
    mode: str
    #: Numbers of the only solvers that are searched; none where all are.
    only: Optional[list[int]]
    #: Whether the record of the installed find-db is taken; a normal find asks the user's alone.
    reads_installed: bool
    #: Why a find refuses the problem in every mode; the immediate mode answers it.
    refuses: Optional[str]


class ConvImmediate(TypedDict):
    """What FAST and immediate mode go by on a miss."""

    #: Whether the first of `estimates` is their answer. False where a model is asked that takes the problem, or where they fail.
    estimates_decide: bool
    #: How all but `files_are_here`, which is observed, is known.
    evidence: Evidence
    #: Why they fail.
    fails: Optional[str]
    #: Whether the folder of databases has the model's files; none where there is no folder.
    files_are_here: Optional[bool]
    #: The solver that they take; none where it is not known, or where they fail.
    first: Optional[str]
    #: The processor of the model (TunaNet) that is asked; none where a variable turns it off.
    model: Optional[str]
    #: The solvers that the model names and that can be taken, the likeliest first.
    named: list[str]
    #: Why the model does not take the problem.
    refuses: Optional[str]

#: Whether a record of the find-db decides.
ConvOutcome = Literal["hit", "miss"]


class ConvPick(TypedDict):
    """The solver that is taken."""

    #: `Direct`, `Winograd`, …
    algorithm: str
    #: The find-db.
    file: str
    #: Its place in the registry.
    id: Optional[int]
    #: The line of it.
    line: int
    #: Its tuned parameters, from the perf-db that MIOpen would open.
    parameters: Optional[str]
    #: The perf-db that they are from.
    parameters_from: Optional[str]
    #: Whether only a build that reads perf-dbs in SQLite has them; the default build reads text.
    parameters_in_sqlite_builds_only: bool
    #: Its name.
    solver: str
    #: Recorded time in milliseconds.
    time_ms: float
    #: Bytes of workspace.
    workspace: int


class ConvRecorded(TypedDict):
    """A solver of a record."""

    #: Its algorithm.
    algorithm: str
    #: Why it is skipped.
    because: Optional[str]
    #: Its name.
    solver: str
    #: Recorded time in milliseconds.
    time_ms: float
    #: What MIOpen does with it.
    verdict: RecordVerdict
    #: Bytes of workspace.
    workspace: int


class ConvRejected(TypedDict):
    """A solver that does not take the problem."""

    #: Its algorithm.
    algorithm: str
    #: Why.
    because: str
    #: The clause that refuses.
    clause: str
    #: Its place in the registry.
    id: int
    #: Its name.
    solver: str
    #: Where that was read.
    source: str


class ConvRules(TypedDict):
    """Of which release of MIOpen the rules are that answer."""

    #: Whether these are the same, so that every rule was read in the release that is asked.
    exact: bool
    #: The changes of later releases that the rules have, up to the one that is asked.
    later: list[ConvRulesChange]
    #: The release that is asked: the one that was named, that the tree states, or that is assumed.
    miopen: str
    #: The release whose rules answer.
    rules_of: str


class ConvRulesChange(TypedDict):
    """A change of a later release that the rules have."""

    #: The first release that has it.
    since: str
    #: What changed.
    what: str

#: Which database of a kind MIOpen opens for a device.
DatabaseChoice = Literal["exact", "nearest", "processor", "unreachable", "pointer", "none"]

#: What MIOpen does with a recorded solver.
RecordVerdict = Literal["taken", "slower", "skipped"]


class ConvReport(TypedDict):
    """What MIOpen does with a convolution."""

    #: Assumptions about device, build and environment.
    assumptions: list[ConvAssumption]
    #: Solvers that take the problem, in the order of the registry.
    candidates: list[ConvCandidate]
    #: False where something could not be read: what it holds is not known, and may be what the document calls missing.
    complete: bool
    #: Compute units; from gfx10 on, workgroup processors.
    compute_units: int
    #: The databases that MIOpen would open for the device.
    databases: list[ConvDatabase]
    #: The order of FAST and immediate mode on a miss, by MIOpen's own estimates: an estimate, not a measurement. Where a model
    #: takes the problem (`immediate`), these modes ask it first.
    estimates: list[ConvEstimate]
    #: The way of a find in the environment that was given.
    find: ConvFind
    #: What could not be read, and what else should make a reader careful, the worst first.
    findings: list[Finding]
    #: What rocBLAS chooses for the product that a GEMM solver asks for, where one is taken.
    gemm: Optional[GemmReport]
    #: What FAST and immediate mode go by on a miss.
    immediate: ConvImmediate
    #: The key of the problem, as find-dbs have it.
    key: str
    #: The four layers: what is built, what selects, what it falls back to, what is shipped.
    layers: list[Statement]
    #: What bytes cannot show here.
    not_shown: list[str]
    #: Whether a find searches Winograd alone.
    only_winograd: bool
    #: Whether a record of the find-db decides.
    outcome: ConvOutcome
    #: The solver that is taken on a hit. On a miss MIOpen measures, and nothing is named here.
    pick: Optional[ConvPick]
    #: The problem in words, as the forward convolution has it.
    problem: str
    #: The solvers of the record, the fastest first.
    recorded: list[ConvRecorded]
    #: Solvers that do not, in the order of the registry.
    rejected: list[ConvRejected]
    #: Of which release of MIOpen the rules are that answer.
    rules: ConvRules
    #: What the document is: `rocm-audit/report`.
    schema: Literal["rocm-audit/select-conv"]
    #: Version of its schema.
    schema_version: Literal["2.1.0"]
    #: What the answer rests on.
    statements: list[Statement]
    #: The target.
    target: str
    #: Who wrote it.
    tool: Tool


class BlasAnswer(TypedDict):
    """What rocBLAS does for a product that ggml leaves to it."""

    #: What rocBLAS chooses, where it was found.
    answer: Optional[GemmReport]
    #: The function that ggml calls: `hipblasGemmEx`.
    function: str
    #: Why there is no answer.
    missing: Optional[str]
    #: Multiprocessors.
    multiprocessors: int
    #: Whether that number is assumed.
    multiprocessors_assumed: bool
    #: The rule that says so.
    rule: Optional[RouteRule]
    #: Types of A and B, C and D, and of the computation: `HH`, `HSS`, `SS`.
    type: str

#: Whether a library has a kernel for a target.
KernelPresence = Literal["no-code-object", "absent", "not-known", "trap-stub", "real"]

#: What a kernel of a route does.
KernelRole = Literal["product", "operands"]


class RouteKernel(TypedDict):
    """A kernel in a library, for a target."""

    #: Accumulation registers.
    agprs: Optional[int]
    #: Size of its body in bytes.
    bytes: Optional[int]
    #: Instructions by class, those that occur.
    classes: dict[str, int]
    #: Offset of the first of them in the file, or in what it was inflated to.
    code_object_offset: Optional[int]
    #: Code objects of the target that have it.
    code_objects: int
    #: Its name with its signature.
    demangled: Optional[str]
    #: Instructions of its body.
    instructions: Optional[int]
    #: Static LDS in bytes.
    lds: Optional[int]
    #: The template with its arguments.
    name: str
    #: Whether the library has it.
    presence: KernelPresence
    #: What it does.
    role: KernelRole
    #: Scratch per work-item in bytes.
    scratch: Optional[int]
    #: Scalar registers that are spilled.
    sgpr_spills: Optional[int]
    #: Scalar registers.
    sgprs: Optional[int]
    #: Its mangled name, where the library has it for any target.
    symbol: Optional[str]
    #: Vector registers that are spilled.
    vgpr_spills: Optional[int]
    #: Vector registers.
    vgprs: Optional[int]


class RouteLibrary(TypedDict):
    """A library with ggml's kernels."""

    #: The same in one word.
    evidence: Evidence
    #: How that is known, in words.
    known_by: str
    #: Storage that was seen and not looked into.
    not_examined: list[str]
    #: The file.
    path: str
    #: The version whose rules were asked.
    rules: str
    #: Targets it has code for.
    targets: list[str]
    #: The version of ggml, or the versions that it may be.
    version: str


class RouteRule(TypedDict):
    """A rule."""

    #: Those of them in which it was read or observed.
    documented: str
    #: Its name.
    id: str
    #: Whether it was read or observed for the version that was asked about, not carried over from another.
    is_documented: bool
    #: A remark.
    note: Optional[str]
    #: Where it is read.
    source: str
    #: The stage of the selector it belongs to.
    stage: str
    #: The versions in which it is applied.
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
    """A change with what it comes to."""

    #: What to change: `-ub 128`, `-fa off`, `weights as q4_0`.
    change: str
    #: Whether the loop over experts on the host goes away.
    ends_loop: bool
    #: Launches of the phase now.
    launches: int
    #: The same with the change.
    launches_then: int
    #: Share of floating-point operations that ggml's own kernels make now, 0 to 1.
    own_share: float
    #: The same with the change.
    own_share_then: float
    #: The phase that it is about.
    phase: str
    #: The same asked with other sizes of batches.
    tried: list[ModelTried]
    #: Ubatches of the phase now.
    ubatches: int
    #: The same with the change.
    ubatches_then: int
    #: The weights that it is about, without block and `.weight`; none where it is about all.
    weights: list[str]

#: What sets the bound of a phase.
ModelBound = Literal["arithmetic", "memory", "host", "nothing-runs"]


class ModelCall(TypedDict):
    """A call of hipBLAS."""

    #: Distance from the tuned size, where a table was asked.
    distance: Optional[float]
    #: Whether that is one for every target.
    fallback: Optional[bool]
    #: The function.
    function: str
    #: What is summed over.
    k: int
    #: The kernel that rocBLAS chooses, where its catalogs were found.
    kernel: Optional[str]
    #: Rows of the result.
    m: int
    #: Columns of the result.
    n: int
    #: Products of one call.
    products: int
    #: Types of operands, result and computation in rocBLAS's letters.
    type: str


#: What a card makes of a model.
ModelCard = TypedDict(
    "ModelCard",
    {
        "advice": 'list[ModelAdvice]',
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
    #: Whether the rules were compared with runs of models of this architecture; others take the generic rules.
    architecture_observed: bool
    #: Blocks that are computed.
    blocks: int
    #: What the converter makes of the files; nothing for GGUF files. All else here is said of what it would write.
    conversion: Optional[ModelConversion]
    #: Experts of a block; 0 where it has none.
    experts: int
    #: Experts that a token uses.
    experts_used: int
    #: The files.
    files: list[str]
    #: `gguf` or `safetensors`.
    format: str
    #: Its name, where it has one.
    name: Optional[str]
    #: Bytes of weights by type.
    types: dict[str, int]
    #: Weights.
    weights: int


class ModelKernel(TypedDict):
    """A kernel of an operation."""

    #: Offset of the code object in the file, or in what it was inflated to.
    code_object_offset: Optional[int]
    #: The template with its arguments.
    name: str
    #: Whether the library has it; nothing without a library.
    presence: Optional[KernelPresence]
    #: Scratch per work-item in bytes.
    scratch: Optional[int]
    #: Its mangled name, where the library has it.
    symbol: Optional[str]
    #: Vector registers that are spilled.
    vgpr_spills: Optional[int]
    #: Vector registers.
    vgprs: Optional[int]


class ModelLayer(TypedDict):
    """A block of a model in a phase. What is the same in several blocks is shared evenly."""

    #: The block; nothing for what stands in none, such as the output.
    block: Optional[int]
    #: The ways.
    ways: list[ModelLayerWay]


class ModelLayerWay(TypedDict):
    """A way in a block."""

    #: Share of the phase's floating-point operations, 0 to 1; of decode and several sequences of its bytes.
    share: float
    #: Its place among the ways of the phase.
    way: int


class ModelMemory(TypedDict):
    """What is taken of memory, in bytes; buffers of computation are not known."""

    #: Keys and values of one sequence.
    cache: int
    #: What is left of that beside weights and the cache of one sequence; negative where they do not fit.
    left: Optional[int]
    #: Memory of the card as the call named it; nothing where it did not, since no list of products has it.
    of_card: Optional[int]
    #: Weights on the card.
    weights: int
    #: Weights that stay with the CPU: the embedding of tokens.
    weights_on_cpu: int


class ModelOperation(TypedDict):
    """Operations of the same weight, shape and way."""

    #: The blocks that have them.
    blocks: list[int]
    #: Share of the phase's bytes, 0 to 1.
    bytes_share: float
    #: The calls of BLAS.
    calls: list[ModelCall]
    #: How many there are.
    count: int
    #: How the route is known.
    evidence: Evidence
    #: Share of the phase's floating-point operations, 0 to 1.
    flops_share: float
    #: What fusion makes of it: `part of up`, `with gate`, `with sum`; nothing where it stands alone.
    fusion: Optional[str]
    #: The kernels.
    kernels: list[ModelKernel]
    #: Main launches of one of them.
    launches: int
    #: `MUL_MAT`, `MUL_MAT_ID`, `FLASH_ATTN_EXT` or `FWHT`.
    operation: str
    #: The rule that makes the operation, and its source.
    operation_rule: Optional[str]
    #: The problem as `select mul-mat --problems` reads it.
    query: Optional[str]
    #: The weight, without block and `.weight`; `attention`, `cache_k`, `cache_v` for attention.
    role: str
    #: The route.
    route: str
    #: The rule of ggml's selector that decided.
    route_rule: Optional[str]
    #: The shape: of a product values of a row, rows, columns; in words.
    shape: str
    #: Type of the weights, or of keys and values.
    type: str
    #: The way.
    way: str


class ModelPhase(TypedDict):
    """A phase of a model's use."""

    #: Launches that stand between products, by templates: norms, rotations, sums, gated units, the cache.
    between: dict[str, int]
    #: What sets the bound.
    bound: ModelBound
    #: Bytes of weights, keys and values that are read.
    bytes: int
    #: Floating-point operations of products and attention.
    flops: int
    #: Launches, calls of BLAS as one each: of products and attention with what prepares them, and of what stands between.
    launches: int
    #: Launches of the ubatch with the fewest.
    launches_least: int
    #: Launches of the ubatch with the most.
    launches_most: int
    #: The blocks, and behind them what stands in none, each with what goes which way.
    layers: list[ModelLayer]
    #: Equal operations as one, in the model's order.
    operations: list[ModelOperation]
    #: `prefill`, `decode` or `batch`.
    phase: str
    #: Sequences.
    sequences: int
    #: Tokens of all sequences.
    tokens: int
    #: How many times something is computed.
    ubatches: int
    #: The ways, the largest share of what sets the bound first.
    ways: list[ModelWay]


class ModelTried(TypedDict):
    """A size of batches that was tried."""

    #: Launches of the phase.
    launches: int
    #: Whether the host loops over experts.
    loops: bool
    #: Share of floating-point operations that ggml's own kernels make, 0 to 1.
    own_share: float
    #: Most tokens that are computed at once.
    ubatch: int


class ModelUsage(TypedDict):
    """How a model is used."""

    #: Type of keys and values in the cache.
    cache_type: str
    #: Tokens that the cache holds for each sequence.
    context: int
    #: Tokens of the prompt.
    prompt: int
    #: Sequences of the phase with several.
    sequences: int
    #: Most tokens that are computed at once.
    ubatch: int


class ModelVerdict(TypedDict):
    """What becomes of a model on a card."""

    #: The kind of ways that decides, as of the ways of phases.
    kind: Optional[str]
    #: `own-kernels`, `partly-rocblas`, `mostly-rocblas`, `slow`, `not-known`, `does-not-run`, or `nothing` where there is nothing to compute.
    outcome: str
    #: The phase of which the share is.
    phase: Optional[str]
    #: Share of its floating-point operations that goes such ways, 0 to 1.
    share: float
    #: In words.
    text: str


class ModelWay(TypedDict):
    """A way that operations go."""

    #: Share of bytes, 0 to 1.
    bytes_share: float
    #: Whether quantized weights become halves or floats first.
    dequantizes: bool
    #: Share of floating-point operations, 0 to 1.
    flops_share: float
    #: `own-kernel`, `rocblas-tuned`, `rocblas`, `rocblas-fallback`, `rocblas-nothing`, `expert-loop`, `cpu`, `trap-stub`,
    #: `absent`, `no-code-object`, or `not-known` where the library could not be read in full.
    kind: str
    #: Launches.
    launches: int
    #: Operations.
    operations: int
    #: ggml's route.
    route: str
    #: In words.
    way: str


class ModelReport(TypedDict):
    """Which kernels a model takes on a card."""

    #: What the card that was asked for makes of it, and behind it the cards beside it.
    cards: list[ModelCard]
    #: The override that the answer takes as set: `--override`.
    claim: Optional[Claim]
    #: False where something could not be read: what it holds is not known, and may be what the document calls missing.
    complete: bool
    #: What could not be read, and what else should make a reader careful, the worst first.
    findings: list[Finding]
    #: What is taken of memory by the model as it is; each card has what its own quantization takes.
    memory: ModelMemory
    #: The model.
    model: ModelFacts
    #: What the document is: `rocm-audit/report`.
    schema: Literal["rocm-audit/model"]
    #: Version of its schema.
    schema_version: Literal["1.2.0"]
    #: Further statements, each with how it is known.
    statements: list[Statement]
    #: Who wrote it.
    tool: Tool
    #: How it is used.
    usage: ModelUsage


class GraphConvolutions(TypedDict):
    """Convolutions of a graph."""

    #: Whether a find-db for the device was found.
    asked: bool
    #: How many there are.
    count: int
    #: Floating-point operations.
    flops: int
    #: Those whose record decides: a solver of it is taken.
    hits: int
    #: Share of floating-point operations of the hits, 0 to 1.
    hits_flops_share: float
    #: Those with a record in the find-db.
    records: int
    #: Solvers that are taken, by floating-point operations.
    solvers: list[GraphSolver]


class GraphNode(TypedDict):
    """A convolution or a product."""

    #: Products.
    batch: Optional[int]
    #: Whether a convolution adds a bias.
    bias: Optional[bool]
    #: Floating-point operations.
    flops: Optional[int]
    #: What a product sums over.
    k: Optional[int]
    #: The key of the find-db, of a convolution.
    key: Optional[str]
    #: The line of the find-db.
    line: Optional[int]
    #: Rows of the result of a product.
    m: Optional[int]
    #: Solvers that MIOpen measures on a miss.
    measured: Optional[int]
    #: Columns of the result of a product.
    n: Optional[int]
    #: Its name, else that of its first output.
    name: str
    #: The node's place in the graph.
    node: int
    #: What is else to be said: why the problem is not known, what the record names, what is taken without measuring.
    note: Optional[str]
    #: Its operator.
    operator: str
    #: `hit`, `refused` (a record, of which no solver is taken), `miss`, `tuned`, `fallback`, `no-kernel`, `not-asked` or
    #: `unknown`.
    outcome: str
    #: The solver that is taken, or the kernel.
    taken: Optional[str]
    #: How operands of a product enter: `TN`.
    transposes: Optional[str]


class GraphProducts(TypedDict):
    """Matrix products of a graph."""

    #: Whether catalogs for the device were found.
    asked: bool
    #: How many there are.
    count: int
    #: Those with a kernel for every target.
    fallback: int
    #: Floating-point operations.
    flops: int
    #: Those with a kernel that was tuned for the target.
    tuned: int


class GraphSolver(TypedDict):
    """A solver that is taken."""

    #: Convolutions.
    count: int
    #: Share of the floating-point operations of all convolutions, 0 to 1.
    flops_share: float
    #: Its name.
    solver: str


class ModelGraphReport(TypedDict):
    """Which convolutions of a model MIOpen's find-db knows, and what rocBLAS has for its products."""

    #: The batch that stands in for open first dimensions; nothing where the file's are taken.
    batch: Optional[int]
    #: The override that the answer takes as set: `--override`.
    claim: Optional[Claim]
    #: False where something could not be read: what it holds is not known, and may be what the document calls missing.
    complete: bool
    #: Convolutions.
    convolutions: GraphConvolutions
    #: The type of data: `FP32`, `FP16`, `BF16`.
    data: str
    #: The file.
    file: str
    #: What could not be read, and what else should make a reader careful, the worst first.
    findings: list[Finding]
    #: The graph's name.
    graph: str
    #: Multiprocessors: compute units, or work group processors on RDNA.
    multiprocessors: int
    #: Whether that number is assumed.
    multiprocessors_assumed: bool
    #: Nodes of the graph.
    nodes: int
    #: Version of the standard operators.
    opset: int
    #: Who wrote the file.
    producer: str
    #: Matrix products.
    products: GraphProducts
    #: The nodes, in the order of the graph.
    rows: list[GraphNode]
    #: What the document is: `rocm-audit/report`.
    schema: Literal["rocm-audit/model-graph"]
    #: Version of its schema.
    schema_version: Literal["1.1.1"]
    #: Further statements, each with how it is known.
    statements: list[Statement]
    #: The target.
    target: str
    #: Who wrote it.
    tool: Tool
    #: Nodes that compute products or attention of which nothing is asked, by operator: `com.microsoft.GroupQueryAttention`.
    unasked: dict[str, int]
    #: Nodes whose problem is not known.
    unknown: int
    #: What it comes to, in words.
    verdict: str
