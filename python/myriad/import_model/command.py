"""`import` of the command line: a URDF or MJCF file becomes a mechanism file, and a study of it."""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
from pathlib import Path
from typing import Sequence

from .. import _engine
from ..errors import InputError, MyriadError, OutputError
from ..files import write_text
from ..mechanism import Mechanism
from ..texts import counted, freedoms_text
from .reading import PARTS, read
from .study import study_of, text_of

# As the program's.
_INPUT, _OUTPUT = 1, 4


class _Parser(argparse.ArgumentParser):
    def error(self, message: str):  # type: ignore[no-untyped-def]
        unknown = re.match(r"unrecognized arguments: (--[^ =]+)", message)
        if unknown:
            options = [option for option in self._option_string_actions if option.startswith("--")]
            message += "\n  " + _engine.suggestion(unknown[1], options, "options", "myriad import --help")
        self.print_usage(sys.stderr)
        self.exit(_INPUT, f"{self.prog}: {message}\n")


def is_ours(arguments: Sequence[str]) -> bool:
    """Whether the arguments are those of `import`."""
    return arguments[:1] == ["import"]


def run(arguments: Sequence[str]) -> int:
    """Does it and returns the exit code: 0, 1 of what is wrong with the arguments or the model, 4 where the mechanism cannot
    be written."""
    parser = _Parser(prog="myriad import", description="Converts a URDF or MJCF file to a mechanism file, and writes a study of it.")
    parser.add_argument("model", help="a URDF or MJCF file. MuJoCo reads it (pip install mujoco)")
    parser.add_argument("--output", help="the mechanism file to write (default: <model>.json in this folder); the study is "
                        "<output>_study.json, which is never replaced")
    parser.add_argument("--keyframe", help="the <keyframe> to start from (default: the initial coordinates of MuJoCo, at rest)")
    parser.add_argument("--start", action="append", default=[], metavar="JOINT=VALUE", help="the coordinate of a joint at the start, rad "
                        "or m; may be repeated")
    parser.add_argument("--without", nargs="+", default=[], metavar="PART", help=f"parts to leave out: {', '.join(PARTS)}")
    parser.add_argument("--strict", action="store_true", help="refuse a model of which anything else that motions depend on would be "
                        "left out")
    parser.add_argument("--free-base", action="store_true", help="let the body that the file fixes to the world move freely")
    parser.add_argument("--package", action="append", default=[], metavar="NAME=PATH", help="the folder of a ROS package, for meshes of "
                        "package://NAME/...; may be repeated. ROS_PACKAGE_PATH is looked through after these")
    parser.add_argument("--balance-inertia", action="store_true", help="replace moments of inertia that no rigid body has by their mean")
    given = parser.parse_args(list(arguments[1:]))
    output = given.output or f"{Path(given.model).stem}.json"
    try:
        if not output.endswith(".json"):
            raise InputError(f"--output {output}", "a mechanism is a file of JSON, and this names another kind",
                             f"write {os.path.splitext(output)[0]}.json")
        start = {name: _number(name, text) for name, text in _pairs("--start JOINT=VALUE", given.start)}
        packages = {name: os.path.expanduser(folder) for name, folder in _pairs("--package NAME=PATH", given.package)}
        model = read(given.model, without=given.without, keyframe=given.keyframe, strict=given.strict, free_base=given.free_base,
                     start=start, packages=packages, balance_inertia=given.balance_inertia)
        model.save(output)
        study = f"{output.removesuffix('.json')}_study.json"
        kept = os.path.exists(study)
        if not kept:
            write_text(study, text_of(study_of(model.mechanism, os.path.basename(output), model.overlaps)))
    except MyriadError as error:
        print(f"myriad: {error}", file=sys.stderr)
        return _OUTPUT if isinstance(error, OutputError) else _INPUT
    made = Mechanism(model.mechanism)
    print(f"{output}: {counted(len(made.bodies), 'body', 'bodies')}, {counted(len(made.joints), 'joint')}, "
          f"{freedoms_text(made.freedoms)}")
    for title, lines in (("left out", model.left_out), ("other than in MuJoCo", model.differs), ("notes", model.notes)):
        if lines:
            print(f"{title}:\n" + "\n".join(f"  {line}" for line in lines))
    moved = ' (its "initial_penetration": "project" first moves the model out of the floor, and joints within their limits)'
    print(f"{study}: " + ("it was there, and is kept" if kept else "a study to start from" + (moved if model.overlaps else "")
                          + f"; run it with: myriad run {study}"))
    return 0


def _pairs(option: str, texts: Sequence[str]) -> list[tuple[str, str]]:
    pairs = []
    for text in texts:
        name, sign, value = text.partition("=")
        if not (name and sign and value):
            raise InputError(option, f'"{text}" is no name, = and value', f"write it as {option}")
        if name in dict(pairs):
            raise InputError(option, f'"{name}" is given twice', "give it once")
        pairs.append((name, value))
    return pairs


def _number(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"--start {name}", f'"{text}" is no number', "give a coordinate of the joint, rad or m")
    return value
