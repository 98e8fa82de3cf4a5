import os
from typing import Any, BinaryIO, Callable, Optional, Union

TABLES_VERSION: str
TOOL: str

_Source = Union[str, os.PathLike[str], BinaryIO]
_Progress = Optional[Callable[[int, int], object]]

class Scan:
    def __init__(
        self,
        source: _Source,
        name: Optional[str],
        digest: Optional[str],
        table: str,
        wanted: dict[str, Any],
        progress: _Progress,
    ) -> None: ...
    @property
    def table(self) -> str: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...

def ask(sources: list[_Source], question: str, wanted: dict[str, Any], progress: _Progress) -> str: ...
def explain_word(word: str) -> Optional[str]: ...
def audit(source: _Source, name: Optional[str], wanted: dict[str, Any], progress: _Progress) -> str: ...
def write_tables(
    source: _Source,
    name: Optional[str],
    into: Union[str, os.PathLike[str]],
    digest: str,
    again: bool,
    wanted: dict[str, Any],
    progress: _Progress,
) -> bool: ...
def has_tables(into: Union[str, os.PathLike[str]], digest: str, wanted: dict[str, Any]) -> bool: ...
def table_columns() -> list[tuple[str, list[tuple[str, str, str]]]]: ...
