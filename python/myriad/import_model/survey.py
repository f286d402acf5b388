"""`bench import FOLDER`: every URDF and MJCF model below a folder is imported; what becomes of them is counted.

Models are those that MuJoCo loads and in which something moves. An imported one is set moving, with rates and controls
drawn for each joint and actuator, and compared with MuJoCo: the accelerations of its bodies without limits, contacts, dry
friction and equalities, relative to the largest one, and to the weight where that is larger.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Iterable, NamedTuple, Optional, Sequence

import numpy

from ..errors import InputError, MyriadError, OutputError
from ..files import write_text
from ..study import Study
from .findings import Findings
from .loading import Options, load, mujoco_module
from .reading import ImportedModel, read

# As the program's.
_INPUT, _OUTPUT = 1, 4
# Below this two accelerations are the same: round-off of some hundred operations, times the condition of the mass matrix.
AGREEMENT = 1e-6
# A model counts as articulated from here on.
ARTICULATED_JOINTS = 3
# rad/s or m/s, and of controls: far from rest, and small beside the strength of a servo.
_SPREAD = 0.3
_WITHOUT = ("limits", "contacts", "friction", "equalities")
_MOVES_NOTHING, _NOT_LOADED, _REFUSED, _IMPORTS, _CRASHED = "nothing moves", "not loaded", "refused", "imports", "crashed"


class Outcome(NamedTuple):
    """What became of a file. `reason`: why it is refused, or why it cannot be compared. `told`: forces or inertias are left out."""

    path: str
    status: str
    reason: str = ""
    joints: int = 0  # hinges and slides
    size: int = 0  # of the file, bytes
    left_out: tuple[str, ...] = ()
    difference: Optional[float] = None
    told: bool = False


def is_ours(arguments: Sequence[str]) -> bool:
    """Whether the arguments are those of `bench import`."""
    return list(arguments[:2]) == ["bench", "import"]


def run(arguments: Sequence[str]) -> int:
    """Does it and returns the exit code: 0, 1 of what is wrong with the arguments, 4 where the list cannot be written."""
    parser = argparse.ArgumentParser(prog="myriad bench import", description="Imports every URDF and MJCF model below a folder, and "
                                     "prints how many import, why others do not, and how far their accelerations are from MuJoCo's.")
    parser.add_argument("folder", help="the folder to look through")
    parser.add_argument("--out", help="also write a line for each file here: path, what became of it, reason or difference")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: as many as cores)")
    given = parser.parse_args(list(arguments[2:]))
    try:
        outcomes = survey(given.folder, jobs=given.jobs)
        if given.out:
            write_text(given.out, "".join("\t".join((one.path, one.status, _cell(one))) + "\n" for one in outcomes))
    except MyriadError as error:
        print(f"myriad: {error}", file=sys.stderr)
        return _OUTPUT if isinstance(error, OutputError) else _INPUT
    print(summary(outcomes))
    return 0


def survey(folder: str, *, jobs: int = 1) -> list[Outcome]:
    """What becomes of each model below the folder, by its path there."""
    mujoco_module()
    if not os.path.isdir(folder):
        raise InputError(folder, "there is no such folder", "give one with URDF or MJCF files below it")
    paths = sorted(str(path.relative_to(folder)) for path in Path(folder).rglob("*")
                   if path.suffix.lower() in (".urdf", ".xml") and path.is_file())
    paths = [path for path in paths if _is_model(os.path.join(folder, path))]
    outcomes, left = {}, paths
    with tempfile.TemporaryDirectory() as place:  # MuJoCo writes a log where it runs
        while left:
            outcomes.update(_together(os.path.abspath(folder), left, jobs, place))
            left = [path for path in left if path not in outcomes]
            if left:  # one of them ended its process: it is found alone
                outcomes.update(_together(os.path.abspath(folder), left[:1], 1, place) or {left[0]: Outcome(left[0], _CRASHED)})
                left = left[1:]
    return [outcomes[path] for path in paths]


def _together(folder: str, paths: Iterable[str], jobs: int, place: str) -> dict[str, Outcome]:
    done = {}
    with ProcessPoolExecutor(max_workers=jobs, mp_context=get_context("spawn"), initializer=os.chdir, initargs=(place,)) as pool:
        for path, future in [(path, pool.submit(outcome_of, folder, path)) for path in paths]:
            try:
                done[path] = future.result()
            except BrokenProcessPool:
                break
    return done


def _is_model(path: str) -> bool:
    """Whether the root element of an XML file is that of a model."""
    with open(path, "rb") as file:
        first = re.search(rb"<([A-Za-z_][\w.:-]*)", re.sub(rb"<!--.*?-->", b"", file.read(65536), flags=re.DOTALL))
    return first is not None and first[1] in (b"mujoco", b"robot")


def outcome_of(folder: str, path: str) -> Outcome:
    """What becomes of one file."""
    warnings.simplefilter("ignore")
    file = os.path.join(folder, path)
    try:
        model, _ = load(file, Options(), Findings())
    except MyriadError as error:
        if error.what.startswith("nothing in it moves"):
            return Outcome(path, _MOVES_NOTHING)
        return Outcome(path, _NOT_LOADED, _kind_of(error.what))
    kinds = mujoco_module().mjtJoint
    joints = int(numpy.isin(model.jnt_type, [int(kinds.mjJNT_HINGE), int(kinds.mjJNT_SLIDE)]).sum())
    about: dict[str, Any] = {"joints": joints, "size": os.path.getsize(file)}
    try:
        left_out = tuple(read(file).left_out)
    except MyriadError as error:
        return Outcome(path, _REFUSED, _kind_of(error.what), **about)
    try:
        difference, told = difference_of(model, file)
    except MyriadError as error:
        return Outcome(path, _IMPORTS, _kind_of(error.what), left_out=left_out, **about)
    return Outcome(path, _IMPORTS, left_out=left_out, difference=difference, told=told, **about)


def difference_of(model: Any, file: str) -> tuple[float, bool]:
    """Of the accelerations of a moving model's bodies and MuJoCo's, relative to the largest; whether anything is left out that may
    make one."""
    mujoco, draws = mujoco_module(), numpy.random.default_rng(1)
    rates, controls = _SPREAD * draws.uniform(-1.0, 1.0, model.nv), _SPREAD * draws.uniform(-1.0, 1.0, model.nu)
    imported = read(file, without=_WITHOUT, moving=(rates.tolist(), controls.tolist()))
    result = Study(mechanism=imported.mechanism, integrator={"name": "rk4", "step_s": 1e-9, "end_s": 1e-9}, instances=1,
                   observe={"every_steps": 1, "channels": ["acceleration", "angular_acceleration"]}).run(progress=False)
    if not result.ok.all():
        raise InputError(file, f"the first step ends with {result.status[0]}")
    ours = [result.trajectories[channel][0, 0] for channel in ("acceleration", "angular_acceleration")]

    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = model.qpos0, rates
    data.ctrl[:] = controls
    mujoco.mj_forward(model, data)
    data.qacc[:] = data.qacc_smooth  # without constraints
    mujoco.mj_rnePostConstraint(model, data)
    theirs = _accelerations(mujoco, model, data, imported)
    scales = [max(float(numpy.linalg.norm(model.opt.gravity)), 1.0), 1.0]
    *theirs, rows = theirs
    difference = max(float(numpy.abs(own[rows] - their[rows]).max()) / max(scale, float(numpy.abs(their[rows]).max()))
                     for own, their, scale in zip(ours, theirs, scales))
    return difference, bool(imported.left_out)


def _accelerations(mujoco: Any, model: Any, data: Any, imported: ImportedModel) -> tuple[Any, Any, list[int]]:
    """Of MuJoCo's bodies at the centres of mass of ours, in the world, and angular ones in the bodies; rows that have them."""
    names = list(imported.mechanism["bodies"])
    linear, angular, rows = numpy.zeros((len(names), 3)), numpy.zeros((len(names), 3)), []
    gravity = numpy.array(imported.mechanism["gravity_m_s2"])
    for body in range(1, model.nbody):
        if imported.bodies[body] not in names or model.body_weldid[body] != body:
            continue
        row, both, speeds = names.index(imported.bodies[body]), numpy.empty(6), numpy.empty(6)
        mujoco.mj_objectAcceleration(model, data, mujoco.mjtObj.mjOBJ_XBODY, body, both, 0)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, body, speeds, 0)
        turn = data.xmat[body].reshape(3, 3)
        arm = turn @ imported.mechanism["bodies"][names[row]].get("centre_of_mass_m", [0.0, 0.0, 0.0])
        spin, growth = speeds[:3], both[:3]
        # MuJoCo counts from a frame that falls.
        linear[row] = both[3:] + gravity + numpy.cross(growth, arm) + numpy.cross(spin, numpy.cross(spin, arm))
        angular[row] = turn.T @ growth
        rows.append(row)
    return linear, angular, rows


def _kind_of(text: str) -> str:
    """A message without what differs from model to model: numbers and names."""
    text = re.sub(r" Element (name )?'.*", "", text.split("\n")[0].removeprefix("MuJoCo's loader refuses it: "))
    text = re.sub(r'"[^"]*"|(?<!\w)\'[^\']*\'|\([^)]*\)', "...", text)
    text = re.sub(r"[^\s:,;]*[/\\][^\s:,;]*", "...", text)
    return re.split(r"[:;] ", re.sub(r"\b\d[\d.e+-]*\b", "N", text))[0]


def _cell(one: Outcome) -> str:
    if one.difference is None:
        return one.reason
    return f"{one.difference:.1e}" + (", something that acts is left out" if one.told else "")


def summary(outcomes: Sequence[Outcome]) -> str:
    """Counts, reasons by their frequency, and models that differ."""
    models = [one for one in outcomes if one.status in (_IMPORTS, _REFUSED, _CRASHED)]
    taken = [one for one in models if one.status == _IMPORTS]
    articulated = {one.size: one for one in reversed(models) if one.joints >= ARTICULATED_JOINTS}.values()
    compared = [one for one in taken if one.difference is not None]
    equal = [one for one in compared if one.difference <= AGREEMENT]
    others = [one for one in compared if not one.difference <= AGREEMENT]
    lines = [f"{len(outcomes)} files; MuJoCo loads {len(outcomes) - _count(outcomes, _NOT_LOADED)}, and in {len(models)} something moves",
             f"import: {_share(taken, models)}",
             f"of articulated ones ({ARTICULATED_JOINTS} joints or more, files of one size once): "
             f"{_share([one for one in articulated if one.status == _IMPORTS], articulated)}",
             f"accelerations agree with MuJoCo to {AGREEMENT:g}: {_share(equal, compared)}",
             "of models of which all that acts is imported: "
             f"{_share([one for one in equal if not one.told], [one for one in compared if not one.told])}"]
    lines += _ranked("not loaded", [one.reason for one in outcomes if one.status == _NOT_LOADED])
    lines += _ranked("refused", [one.reason or one.status for one in models if one.status != _IMPORTS])
    lines += _ranked("left out, files", [reason for one in taken for reason in {_kind_of(_why(line)) for line in one.left_out}])
    lines += _ranked("not compared", [one.reason for one in taken if one.difference is None])
    for title, some in (("differ, and a line says what is left out", [one for one in others if one.told]),
                        ("differ otherwise", [one for one in others if not one.told])):
        if some:
            lines += [f"{title}: {len(some)}"] + [f"  {one.difference:8.1e}  {one.path}" for one in
                                                  sorted(some, key=lambda one: -one.difference)]
    return "\n".join(lines)


def _why(line: str) -> str:
    """What a line of a finding says behind the place."""
    return re.sub(r"^(?:[^:]|:\d)*: ", "", line)


def _count(outcomes: Iterable[Outcome], status: str) -> int:
    return sum(one.status == status for one in outcomes)


def _share(some: Any, of: Any) -> str:
    return f"{len(some)} of {len(of)}" + (f" ({100.0 * len(some) / len(of):.0f} %)" if len(of) else "")


def _ranked(title: str, reasons: Iterable[str]) -> list[str]:
    counts = Counter(reasons)
    return [f"{title}: {sum(counts.values())}"] + [f"  {count:4d}  {reason}" for reason, count in counts.most_common()] if counts else []
