"""`import` of the command line: a URDF or MJCF file becomes a mechanism file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Sequence

from ..errors import MyriadError, OutputError
from ..mechanism import Mechanism
from ..texts import counted, freedoms_text
from .reading import PARTS, read

# As the program's.
_INPUT, _OUTPUT = 1, 4


class _Parser(argparse.ArgumentParser):
    def error(self, message: str):  # type: ignore[no-untyped-def]
        self.print_usage(sys.stderr)
        self.exit(_INPUT, f"{self.prog}: {message}\n")


def is_ours(arguments: Sequence[str]) -> bool:
    """Whether the arguments are those of `import`."""
    return arguments[:1] == ["import"]


def run(arguments: Sequence[str]) -> int:
    """Does it and returns the exit code: 0, 1 of what is wrong with the arguments or the model, 4 where the mechanism cannot
    be written."""
    parser = _Parser(prog="myriad import", description="Converts a URDF or MJCF file to a mechanism file.")
    parser.add_argument("model", help="a URDF or MJCF file. MuJoCo reads it (pip install mujoco)")
    parser.add_argument("--output", help="the mechanism file to write (default: <model>.json in this folder)")
    parser.add_argument("--keyframe", help="the <keyframe> to start from (default: the initial coordinates of MuJoCo, at rest)")
    parser.add_argument("--without", nargs="+", default=[], metavar="PART", help=f"parts to leave out: {', '.join(PARTS)}")
    given = parser.parse_args(list(arguments[1:]))
    output = given.output or f"{Path(given.model).stem}.json"
    try:
        model = read(given.model, without=given.without, keyframe=given.keyframe)
        model.save(output)
    except MyriadError as error:
        print(f"myriad: {error}", file=sys.stderr)
        return _OUTPUT if isinstance(error, OutputError) else _INPUT
    made = Mechanism(model.mechanism)
    print(f"{output}: {counted(len(made.bodies), 'body', 'bodies')}, {counted(len(made.joints), 'joint')}, "
          f"{freedoms_text(made.freedoms)}")
    for title, lines in (("left out", model.left_out), ("other than in MuJoCo", model.differs)):
        if lines:
            print(f"{title}:\n" + "\n".join(f"  {line}" for line in lines))
    return 0
