"""Writing files of text without harm to results."""

from __future__ import annotations

import os
from typing import Any, Callable, Union

from .errors import OutputError

PathLike = Union[str, os.PathLike]
_HDF5_SIGNATURE = b"\x89HDF\r\n\x1a\n"


def beginning_of(path: PathLike, count: int) -> bytes:
    """At most `count` bytes from the beginning of a file; none where there is no file that can be read."""
    try:
        if not os.path.isfile(path):  # a pipe would wait for its writer
            return b""
        with open(path, "rb") as file:
            return file.read(count)
    except OSError:
        return b""


def write_file(path: PathLike, write: Callable[[Any], None]) -> None:
    """Open a file of text for `write`, which is called with it. OutputError where that fails, and where the path is
    that of an HDF5 file: results take long to compute, and a wrong argument must not end one."""
    where = os.fspath(path)
    if beginning_of(path, len(_HDF5_SIGNATURE)) == _HDF5_SIGNATURE:
        raise OutputError(where, "an HDF5 file, as results are, has this name, and text would replace it",
                          "give another name, or remove that file first")
    try:
        with open(path, "w", encoding="utf-8", newline="") as file:
            write(file)
    except OSError as error:
        raise OutputError(where, f"it cannot be written: {error.strerror or error}",
                          "give a file in a folder that can be written") from None


def write_text(path: PathLike, text: str) -> None:
    """Write a file of text; OutputError as write_file()."""
    write_file(path, lambda file: file.write(text))
