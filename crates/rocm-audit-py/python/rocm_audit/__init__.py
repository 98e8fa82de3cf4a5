"""Reads AMD ROCm wheels, packages, libraries and installs from their bytes alone.

`audit` gives the report of one as a dictionary, `scan` a table of it as a stream of Arrow, and `write_tables` the files of all
tables in a folder that many machines write to. Nothing that is read is executed or loaded, and no GPU is needed.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any, BinaryIO, Callable, Iterable, Optional, Union

from . import _native
from ._native import TABLES_VERSION, TOOL

if TYPE_CHECKING:
    from .report import Finding, Report

__all__ = [
    "DamageError",
    "Scan",
    "TABLES",
    "TABLES_VERSION",
    "TOOL",
    "audit",
    "columns",
    "digest",
    "has_tables",
    "scan",
    "write_tables",
]

Source = Union[str, "os.PathLike[str]", BinaryIO]
Progress = Callable[[int, int], object]
Words = Union[str, Iterable[str]]

_COLUMNS = dict(_native.table_columns())

#: The names of all tables.
TABLES = tuple(_COLUMNS)


class DamageError(ValueError):
    """Something of the source could not be read: `report` has the rest, and all that was found."""

    #: The rule of the first finding of damage, as in `rocm-audit list rules`.
    rule: str
    #: The file that it is in.
    path: str
    #: The offset in that file, in bytes, where it is known.
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

    `source` is a path, or a binary file object with `seek` and `read`, of which only what is looked at is read. `arch` are
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
