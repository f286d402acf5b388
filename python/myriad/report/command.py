"""`report --html` and `show` of the command line."""

from __future__ import annotations

import argparse
import sys
from typing import Sequence

from ..errors import DeviceError, MyriadError, OutputError
from ..result import Result
from .page import write
from .show import show

# As the program's.
_INPUT, _DEVICE, _OUTPUT = 1, 3, 4
_OVERWRITE = "replace the file even if it is not a page of Myriad"


class _Parser(argparse.ArgumentParser):
    def error(self, message: str):  # type: ignore[no-untyped-def]
        self.print_usage(sys.stderr)
        self.exit(_INPUT, f"{self.prog}: {message}\n")


def is_ours(arguments: Sequence[str]) -> bool:
    """Whether the package does it: `show`, and `report` with --html. Everything else is the program's."""
    if arguments[:1] == ["show"]:
        return True
    return arguments[:1] == ["report"] and any(one == "--html" or one.startswith("--html=") for one in arguments)


def run(arguments: Sequence[str]) -> int:
    """Does it and returns the exit code: 0, 1 of what is wrong with the arguments, 4 where the page cannot be written."""
    try:
        print(_page(arguments))
        return 0
    except OutputError as error:
        print(f"myriad: {error}", file=sys.stderr)
        return _OUTPUT
    except MyriadError as error:
        print(f"myriad: {error}", file=sys.stderr)
        return _DEVICE if isinstance(error, DeviceError) else _INPUT


def _page(arguments: Sequence[str]) -> str:
    if arguments[0] == "show":
        parser = _Parser(prog="myriad show", description="Draws a mechanism on a page for your browser.")
        parser.add_argument("mechanism", help="a mechanism file")
        parser.add_argument("--html", help="the page to write (default: <mechanism>.html in this folder)")
        parser.add_argument("--overwrite", action="store_true", help=_OVERWRITE)
        given = parser.parse_args(arguments[1:])
        return show(given.mechanism, given.html, overwrite=given.overwrite)
    parser = _Parser(prog="myriad report", description="Writes a page with plots of a result for your browser.")
    parser.add_argument("result", help="a result file")
    parser.add_argument("--html", required=True, help="the page to write")
    parser.add_argument("--animation", action="store_true", help="fail if the result has no animation to show")
    parser.add_argument("--overwrite", action="store_true", help=_OVERWRITE)
    given = parser.parse_args(arguments[1:])
    with Result(given.result) as result:
        return write(result, given.html, animation=True if given.animation else None, overwrite=given.overwrite)
