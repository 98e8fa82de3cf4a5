"""Reads AMD ROCm wheels, packages, libraries and installs from their bytes alone.

`audit` gives the report of one as a dictionary, `verdict`, `check`, `diff`, `needs`, `explain`, `survey`, `select_gemm` and its like
and `model` answer questions as the commands of these names do, `scan` gives a table as a stream of Arrow, and `write_tables` the
files of all tables in a folder that many machines write to. Nothing that is read is executed or loaded, and no GPU is needed.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any, BinaryIO, Callable, Iterable, Mapping, Optional, Sequence, Union, cast

from . import _native
from ._native import TABLES_VERSION, TOOL

if TYPE_CHECKING:
    from .report import (
        CheckReport,
        ChooseReport,
        ConvReport,
        DiffReport,
        ExplainReport,
        ExplainWordReport,
        Finding,
        GemmReport,
        Manifest,
        MatmulReport,
        ModelGraphReport,
        ModelReport,
        NeedsReport,
        Report,
        RouteReport,
        SurveyReport,
        VerdictReport,
    )

__all__ = [
    "DamageError",
    "Scan",
    "TABLES",
    "TABLES_VERSION",
    "TOOL",
    "audit",
    "check",
    "choose",
    "columns",
    "diff",
    "digest",
    "explain",
    "explain_word",
    "has_tables",
    "manifest",
    "model",
    "needs",
    "scan",
    "select_conv",
    "select_gemm",
    "select_ggml",
    "select_matmul",
    "survey",
    "verdict",
    "write_tables",
]

Path = Union[str, "os.PathLike[str]"]
Source = Union[str, "os.PathLike[str]", BinaryIO]
#: One source, or several treated as installed together.
Sources = Union[Source, Iterable[Source]]
Progress = Callable[[int, int], object]
Words = Union[str, Iterable[str]]

_COLUMNS = dict(_native.table_columns())

#: The names of all tables.
TABLES = tuple(_COLUMNS)


class DamageError(ValueError):
    """Something of the source could not be read: `report` has the rest, and all that was found."""

    #: The rule of the first finding of damage, as in `rocm-audit list rules`.
    rule: str
    #: Path of the file with the damage.
    path: str
    #: The offset in that file in bytes, if known.
    offset: Optional[int]
    #: Everything that could be read.
    report: Report

    def __init__(self, what: str, rule: str, path: str, offset: Optional[int], report: Report) -> None:
        super().__init__(what)
        self.rule, self.path, self.offset, self.report = rule, path, offset, report

    def __reduce__(self) -> Any:
        return (DamageError, (str(self), self.rule, self.path, self.offset, self.report))


class Scan:
    """A table of a source, for whatever takes Arrow: `pyarrow.table(scan)`, `polars.DataFrame(scan)`,
    `duckdb.sql("from scan")`, `pandas.DataFrame.from_arrow(scan)`. Each use reads the source anew."""

    __slots__ = ("_native",)

    def __init__(self, native: _native.Scan) -> None:
        self._native = native

    @property
    def table(self) -> str:
        """The name of the table."""
        return self._native.table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._native.__arrow_c_schema__()

    def __repr__(self) -> str:
        return repr(self._native)


def audit(
    source: Source,
    *,
    name: Optional[str] = None,
    arch: Words = (),
    isa: bool = False,
    verify: bool = False,
    exclude: Words = (),
    only: Words = (),
    skip: Words = (),
    timeout_per_file: Optional[float] = None,
    on_damage: str = "report",
    progress: Optional[Progress] = None,
) -> Report:
    """The report of a source, which is what `rocm-audit -f json` writes.

    `source` is a path, or a binary file object with `seek` and `read`; only what is looked at is read from it. `arch` are
    targets or cards ("gfx1030", "RX 6600"). `on_damage="raise"` raises `DamageError` where something could not be read.
    `progress` is called with the bytes that were looked at and those there are.
    """
    if on_damage not in ("report", "raise"):
        raise ValueError(f'on_damage: "report" or "raise" is expected, not {on_damage!r}')
    wanted = _wanted(arch, exclude, only=only, skip=skip, isa=isa, verify=verify, timeout_per_file=timeout_per_file)
    report: Report = json.loads(_native.audit(source, name, wanted, progress))
    if on_damage == "raise" and not report["complete"]:
        raise _damage(report)
    return report


def scan(
    source: Source,
    table: str = "kernels",
    *,
    name: Optional[str] = None,
    digest: Optional[str] = None,
    arch: Words = (),
    isa: bool = False,
    exclude: Words = (),
    timeout_per_file: Optional[float] = None,
    progress: Optional[Progress] = None,
) -> Scan:
    """A table of a source, one of `TABLES`, as a stream of Arrow.

    `name` is what rows call the source: where it came from, such as its URL. `digest` is its SHA-256, where it is known;
    `rocm_audit.digest` reads it.
    """
    wanted = _wanted(arch, exclude, isa=isa, timeout_per_file=timeout_per_file)
    return Scan(_native.Scan(source, name, digest, table, wanted, progress))


def verdict(
    source: Sources,
    gpu: str,
    *,
    override: Optional[str] = None,
    exclude: Words = (),
    timeout_per_file: Optional[float] = None,
    progress: Optional[Progress] = None,
) -> VerdictReport:
    """Whether a card runs what is here, and why not: the verdicts of `audit`, a few KB.

    `gpu` is a card ("RX 6600"), a PCI id or a processor; `override` answers as if HSA_OVERRIDE_GFX_VERSION were set.
    """
    return cast("VerdictReport", _ask(source, {"ask": "verdict", "card": _card(gpu, override)}, exclude, timeout_per_file, progress))


def check(
    source: Sources,
    require: Words = (),
    *,
    library: Words = (),
    per_file: bool = False,
    baseline: Optional[Path] = None,
    exclude: Words = (),
    timeout_per_file: Optional[float] = None,
    progress: Optional[Progress] = None,
) -> CheckReport:
    """Whether every library has kernels for the targets that are required: `passed` says it.

    `baseline` is a report that `rocm-audit -o FILE.json` or `audit` gave, as a file: nothing may be less than there.
    """
    asked = {
        "ask": "check",
        "require": _list(require),
        "library": _list(library),
        "per_file": per_file,
        "baseline": _path(baseline),
    }
    return cast("CheckReport", _ask(source, asked, exclude, timeout_per_file, progress))


def diff(
    old: Source,
    new: Optional[Source] = None,
    *,
    targets: Words = (),
    gpu: Words = (),
    problems: Optional[Path] = None,
    bigger: Optional[float] = None,
    kernels: bool = False,
    isa: bool = False,
    exclude: Words = (),
    timeout_per_file: Optional[float] = None,
    progress: Optional[Progress] = None,
) -> DiffReport:
    """What changed from `old` to `new`, and what of it is worse; or between two `targets` of one tree.

    `gpu` restricts it to cards, and compares what libraries choose on them for common problems, or for those of the file
    `problems`. `bigger` is how many percent more bytes are worse. `kernels` compares the machine code of kernels as well,
    `isa` instead the numbers of instructions.
    """
    sources = [old] if new is None else [old, new]
    asked = {
        "ask": "diff",
        "targets": _list(targets),
        "gpu": _list(gpu),
        "problems": _path(problems),
        "bigger": bigger,
        "kernels": kernels,
        "isa": isa,
    }
    return cast("DiffReport", _ask(sources, asked, exclude, timeout_per_file, progress))


def needs(
    source: Sources,
    *,
    exclude: Words = (),
    timeout_per_file: Optional[float] = None,
    progress: Optional[Progress] = None,
) -> NeedsReport:
    """Which libraries the files need, and which of them are here, taken as installed together."""
    return cast("NeedsReport", _ask(source, {"ask": "needs"}, exclude, timeout_per_file, progress))


def manifest(
    source: Source, *, timeout_per_file: Optional[float] = None, progress: Optional[Progress] = None
) -> Manifest:
    """What one artifact can do on each processor: a small document, to be published beside it."""
    return cast("Manifest", _ask(source, {"ask": "manifest"}, (), timeout_per_file, progress))


def choose(
    candidates: Sources,
    gpu: str,
    *,
    os: Optional[str] = None,
    timeout_per_file: Optional[float] = None,
    progress: Optional[Progress] = None,
) -> ChooseReport:
    """Which of several artifacts runs on a card, best first. Candidates are wheels, packages, libraries, folders of
    them, manifests, and lists that name artifacts; `os` is `"linux"` or `"windows"`."""
    asked = {"ask": "choose", "gpu": gpu, "system": os}
    return cast("ChooseReport", _ask(candidates, asked, (), timeout_per_file, progress))


def explain(
    text: str,
    source: Sources = (),
    *,
    arch: Words = (),
    progress: Optional[Progress] = None,
) -> ExplainReport:
    """What a message or a whole log means, what can be behind it, and what to do; with sources, by what they hold."""
    return cast("ExplainReport", _ask(source, {"ask": "explain", "text": text, "arch": _list(arch)}, (), None, progress))


def explain_word(word: str) -> ExplainWordReport:
    """What the id of a rule, cause or message, a target or a solver of MIOpen means."""
    found = _native.explain_word(word)
    if found is None:
        raise ValueError(f"{word}: no rule, cause, message, target or solver of this name")
    report: ExplainWordReport = json.loads(found)
    return report


def survey(
    source: Sources,
    gpu: str,
    *,
    vs: Optional[str] = None,
    multiprocessors: Optional[int] = None,
    override: Optional[str] = None,
    exclude: Words = (),
    timeout_per_file: Optional[float] = None,
    progress: Optional[Progress] = None,
) -> SurveyReport:
    """Everything about one card: layer by layer, what libraries choose on it, its history; beside it `vs`."""
    asked = {"ask": "survey", "card": _card(gpu, override), "vs": vs, "multiprocessors": multiprocessors}
    return cast("SurveyReport", _ask(source, asked, exclude, timeout_per_file, progress))


def select_gemm(
    source: Sources,
    gpu: str,
    m: int,
    n: int,
    k: int,
    *,
    type: str = "SS",
    trans: str = "NN",
    batch: int = 1,
    ld: Optional[Sequence[int]] = None,
    beta: float = 0.0,
    workspace: Optional[int] = None,
    multiprocessors: Optional[int] = None,
    override: Optional[str] = None,
) -> GemmReport:
    """The solution that rocBLAS takes for a product, its code object and its launches.

    `type` is as in `rocm-audit select gemm --type`, `ld` the leading dimensions of A, B, C and D.
    """
    call = _product(m, n, k, type, trans, batch, ld, beta, workspace)
    asked = {"ask": "gemm", "card": _card(gpu, override), "multiprocessors": multiprocessors, "call": call}
    return cast("GemmReport", _ask(source, asked))


def select_matmul(
    source: Sources,
    gpu: str,
    m: int,
    n: int,
    k: int,
    *,
    type: str = "f16",
    trans: str = "NN",
    batch: int = 1,
    ld: Optional[Sequence[int]] = None,
    beta: float = 0.0,
    epilogue: str = "default",
    algorithms: int = 1,
    workspace: Optional[int] = None,
    multiprocessors: Optional[int] = None,
    override: Optional[str] = None,
) -> MatmulReport:
    """The algorithms that hipBLASLt gives for a product, the code object and the launches."""
    asked = {
        "ask": "matmul",
        "card": _card(gpu, override),
        "multiprocessors": multiprocessors,
        "call": _product(m, n, k, type, trans, batch, ld, beta, workspace),
        "epilogue": epilogue,
        "algorithms": algorithms,
    }
    return cast("MatmulReport", _ask(source, asked))


def select_conv(
    source: Sources,
    gpu: str,
    problem: str,
    *,
    env: Optional[Mapping[str, str]] = None,
    multiprocessors: Optional[int] = None,
    override: Optional[str] = None,
) -> ConvReport:
    """The solver that MIOpen takes for a convolution: "fwd:fp16:n32:c256:h56:w56:k64:y3x3:p1", or the key of a find-db.

    `env` are MIOPEN_ variables. Without sources the rules answer alone.
    """
    asked = {
        "ask": "conv",
        "card": _card(gpu, override),
        "multiprocessors": multiprocessors,
        "problem": problem,
        "env": dict(env or {}),
    }
    return cast("ConvReport", _ask(source, asked))


def select_ggml(
    source: Sources,
    gpu: str,
    query: str,
    *,
    version: Optional[str] = None,
    multiprocessors: Optional[int] = None,
    override: Optional[str] = None,
) -> RouteReport:
    """The way that llama.cpp's library goes for a product or attention, and whether it has the kernel.

    `query` is as in problems: "mm q4_0 K4096 N4096 ne11=1 prec=0", "fa f16 D128 DV128 nq=1 nh=32 nkv=8 kv=1024 mask=1".
    """
    asked = {
        "ask": "ggml",
        "card": _card(gpu, override),
        "multiprocessors": multiprocessors,
        "query": query,
        "version": version,
    }
    return cast("RouteReport", _ask(source, asked))


def model(
    files: Union[Path, Iterable[Path]],
    gpu: str,
    source: Sources = (),
    *,
    vs: Words = (),
    vs_library: Optional[Path] = None,
    quantizations: Words = (),
    prompt: int = 512,
    ubatch: int = 512,
    sequences: int = 4,
    context: int = 4096,
    flash_attention: Optional[bool] = None,
    cache_type: str = "f16",
    memory: Optional[float] = None,
    batch: Optional[int] = None,
    dimensions: Optional[Mapping[str, int]] = None,
    multiprocessors: Optional[int] = None,
    override: Optional[str] = None,
    progress: Optional[Progress] = None,
) -> Union[ModelReport, ModelGraphReport]:
    """Which kernels a model takes on a card: GGUF or safetensors files of one model, or one ONNX file.

    `memory` is that of the card in GiB. `batch` and `dimensions` are of ONNX.
    """
    asked = {
        "ask": "model",
        "files": [os.fspath(files)] if isinstance(files, (str, os.PathLike)) else [os.fspath(file) for file in files],
        "card": _card(gpu, override),
        "vs": _list(vs),
        "vs_library": _path(vs_library),
        "quantizations": _list(quantizations),
        "prompt": prompt,
        "ubatch": ubatch,
        "sequences": sequences,
        "context": context,
        "flash_attention": flash_attention,
        "cache_type": cache_type,
        "memory": None if memory is None else int(memory * (1 << 30)),
        "multiprocessors": multiprocessors,
        "batch": batch,
        "dimensions": dict(dimensions or {}),
    }
    return cast("Union[ModelReport, ModelGraphReport]", _ask(source, asked, (), None, progress))


def write_tables(
    source: Source,
    into: Union[str, "os.PathLike[str]"],
    *,
    name: Optional[str] = None,
    digest: Optional[str] = None,
    again: bool = False,
    isa: bool = False,
    exclude: Words = (),
    timeout_per_file: Optional[float] = None,
    progress: Optional[Progress] = None,
) -> bool:
    """Writes all tables of a source to `into/TABLE/DIGEST.parquet`, as `rocm-audit tables` does; false where they are there
    as these options and this release make them.

    Files have their names when they are whole, so that any number of workers may write to one folder. `digest` is the SHA-256
    of the source where it is known; otherwise the source is read whole for it.
    """
    wanted = _wanted((), exclude, isa=isa, timeout_per_file=timeout_per_file)
    own = digest or globals()["digest"](source)
    return _native.write_tables(source, name, into, own, again, wanted, progress)


def has_tables(
    into: Union[str, "os.PathLike[str]"],
    digest: str,
    *,
    isa: bool = False,
    exclude: Words = (),
    timeout_per_file: Optional[float] = None,
) -> bool:
    """Whether all tables of a folder have the artifact with this SHA-256, so that `write_tables` with these options reads nothing."""
    return _native.has_tables(into, digest, _wanted((), exclude, isa=isa, timeout_per_file=timeout_per_file))


def digest(source: Source) -> str:
    """The SHA-256 of a file or file object, in hexadecimal."""
    if isinstance(source, (str, os.PathLike)):
        with open(source, "rb") as file:
            return digest(file)
    before, hasher = source.tell(), hashlib.sha256()
    source.seek(0)
    while piece := source.read(1 << 20):
        hasher.update(piece)
    source.seek(before)
    return hasher.hexdigest()


def columns(table: str) -> list[tuple[str, str, str]]:
    """The columns of a table: name, SQL type, what it says."""
    if table not in _COLUMNS:
        raise ValueError(f"{table}: no such table; there are {', '.join(TABLES)}")
    return list(_COLUMNS[table])


def _wanted(arch: Words, exclude: Words, **more: Any) -> dict[str, Any]:
    wanted: dict[str, Any] = {"arch": _list(arch), "exclude": _list(exclude)}
    for word, value in more.items():
        wanted[word] = _list(value) if word in ("only", "skip") else value
    return wanted


def _ask(
    source: Sources,
    asked: dict[str, Any],
    exclude: Words = (),
    timeout_per_file: Optional[float] = None,
    progress: Optional[Progress] = None,
) -> Any:
    one = isinstance(source, (str, os.PathLike)) or hasattr(source, "read")
    sources: list[Any] = [source] if one else list(source)  # type: ignore[arg-type]
    wanted = _wanted((), exclude, timeout_per_file=timeout_per_file)
    return json.loads(_native.ask(sources, json.dumps(asked), wanted, progress))


def _card(gpu: str, override: Optional[str]) -> dict[str, Optional[str]]:
    return {"gpu": gpu, "override": override}


def _product(
    m: int,
    n: int,
    k: int,
    ty: str,
    trans: str,
    batch: int,
    ld: Optional[Sequence[int]],
    beta: float,
    workspace: Optional[int],
) -> dict[str, Any]:
    own = None if ld is None else list(ld)
    return {
        "m": m,
        "n": n,
        "k": k,
        "ty": ty,
        "trans": trans,
        "batch": batch,
        "ld": own,
        "beta": beta,
        "workspace": workspace,
    }


def _path(path: Optional[Path]) -> Optional[str]:
    return None if path is None else os.fspath(path)


def _list(words: Words) -> list[str]:
    return [words] if isinstance(words, str) else list(words)


def _damage(report: Report) -> DamageError:
    found: list[Finding] = [f for f in report["findings"] if f["severity"] == "error"] or report["findings"]
    if not found:
        return DamageError("something could not be read", "", "", None, report)
    first = found[0]
    at = first["locations"][0] if first["locations"] else None
    path, offset = (at["path"], at["offset"]) if at else ("", None)
    where = path if offset is None else f"{path} at offset {offset}"
    what = (at["what"] if at else "") or first["what"]
    return DamageError(f"{where}: {what}" if where else what, first["id"], path, offset, report)
