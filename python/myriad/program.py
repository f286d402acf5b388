"""The program `myriad` that comes with the package: `python3 -m myriad run study.json`, or the command `myriad`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from . import _engine
from .errors import InputError


def program_path() -> str:
    """The path of the program: that of the package, or of the build that the package lies in."""
    package = Path(__file__).parent
    for candidate in (package / "bin" / "myriad", Path(_engine.__file__).parents[2] / "myriad"):
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return str(candidate)
    raise InputError(str(package), "the program myriad is not beside the package", "install the wheel, or run `./dev build`")


def main() -> None:
    """Becomes the program, with this process's arguments; the package's own are `report --html`, `show` and `import`."""
    from .import_model import command as of_models
    from .report import command as of_pages

    for command in (of_pages, of_models):
        if command.is_ours(sys.argv[1:]):
            sys.exit(command.run(sys.argv[1:]))
    path = program_path()
    os.execv(path, [path, *sys.argv[1:]])
