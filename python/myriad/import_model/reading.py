"""A URDF or MJCF file as a mechanism: sections put together, checked by the engine, and written."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

from ..errors import InputError, unknown_name
from ..files import write_text
from ..mechanism import Mechanism
from .actuators import Actuators
from .equalities import Equalities, relations
from .findings import Findings
from .forces import JointForces, weight_taken_off
from .limits import stops
from .floor import Floor
from .loading import Options, load, mujoco_module
from .merging import merge_hinges, share_angles
from .places import Places
from .remaining import tell_remaining, tell_switched_off
from .starts import Start
from .tendons import Tendons
from .tree import Names, Pose, Tree, plain
from .urdf import tell_ignored_limits, tell_mimics_of_nothing
from .welding import MOST_BODIES, MOST_ROWS, points, require_room

# What `without` may name; MuJoCo's flags in <option> that switch the same off.
PARTS = {"springs": ("SPRING", "PASSIVE"), "damping": ("DAMPER", "PASSIVE"), "friction": ("FRICTIONLOSS", "CONSTRAINT"),
         "limits": ("LIMIT", "CONSTRAINT"), "actuators": ("ACTUATION",), "equalities": ("EQUALITY", "CONSTRAINT"),
         "contacts": ("CONTACT", "CONSTRAINT")}


@dataclass(frozen=True)
class ImportedModel:
    """A mechanism from elsewhere.

    mechanism   the dictionary of a mechanism file, for Mechanism and Study
    left_out    what the file has and the mechanism does not, though motions depend on it, and why
    differs     what the mechanism does by another law than MuJoCo
    notes       what else is worth knowing: what moves nothing and is not imported, where the start is not as the file says
    bodies      for each body of MuJoCo, by its number: the mechanism's name of the one that it belongs to, "ground" of
                what stands still
    frames      for each body of MuJoCo: its frame in that body, with position and quaternion (w, x, y, z)
    joints      for each joint of MuJoCo likewise, None of a free one
    overlaps    at the start, a body is inside the floor or a joint beyond its limits: methods with contact then need
                "initial_penetration": "project"
    """

    mechanism: dict[str, Any]
    left_out: list[str]
    differs: list[str]
    notes: list[str]
    bodies: list[str]
    frames: list[Pose]
    joints: list[Optional[str]]
    overlaps: bool

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Write it as a file that the program reads. Raises OutputError, also where a result has that name."""
        write_text(path, _text_of(self.mechanism))


def read(path: Union[str, os.PathLike], *, without: Iterable[str] = (), keyframe: Optional[str] = None,
         start: Optional[Mapping[str, float]] = None, strict: bool = False, free_base: bool = False,
         packages: Optional[Mapping[str, str]] = None, balance_inertia: bool = False,
         moving: Optional[tuple[Sequence[float], Sequence[float]]] = None) -> ImportedModel:
    """The mechanism of a URDF or MJCF file, as MuJoCo's loader reads it.

    without           parts to leave out: "springs", "damping", "friction", "limits", "actuators", "equalities", "contacts";
                      without limits and contacts a mechanism takes every method, with them only those that know contact
    keyframe          the name of the file's <keyframe> to start in; default: MuJoCo's initial coordinates, at rest
    start             coordinates of joints at the start by their names, rad or m
    strict            refuse the model where anything that motions depend on would be left out; `without` is not meant
    free_base         let the body that the file fixes to the world move freely, as the trunk of a walking robot
    packages          folders of ROS packages by name, for meshes of `package://name/...`
    moving            rates and controls at the start, as MuJoCo's qvel and ctrl; default: those of the keyframe
    balance_inertia   replace moments of inertia that no rigid body has by their mean

    Raises InputError where MuJoCo is not installed or refuses the file, or where the engine does not take the mechanism.
    """
    path, without = os.fspath(path), set(without)
    for part in sorted(without - set(PARTS)):
        raise unknown_name("without", "parts", part, PARTS, "help(myriad.import_model.read)")
    findings, mujoco = Findings(), mujoco_module()
    model, places = load(path, Options(free_base, packages or {}, balance_inertia), findings)
    wanted = {part: part not in without and not _switched_off(model, *flags) for part, flags in PARTS.items()}
    tell_switched_off(model, without, _switched_off, places, findings)
    if wanted["equalities"]:
        tell_mimics_of_nothing(places, findings)
    if wanted["limits"]:
        tell_ignored_limits(places, findings)
    linear = relations(mujoco, model, places, findings) if wanted["equalities"] else []
    begin = Start(mujoco, model, keyframe, start or {}, linear, places, findings)
    if moving:
        begin.rates, begin.controls = list(moving[0]), list(moving[1])
    overlaps = wanted["limits"] and begin.tell_beyond_limits(findings)
    tree = Tree(model, begin.coordinates, begin.rates, begin.following, places, findings)
    require_room(tree, path, may_merge=True)
    gravity = [0.0, 0.0, 0.0] if _switched_off(model, "GRAVITY") else plain(model.opt.gravity)
    passive = JointForces(tree, begin.coordinates, wanted, places, findings)
    contacts, count = stops(tree, begin.coordinates, begin.held, findings) if wanted["limits"] else ({}, 0)
    tendons = Tendons(tree, wanted, passive.names, places, findings)
    # Without springs and dampers, MuJoCo has no other passive force either.
    all_passive = not (_switched_off(model, "SPRING", "PASSIVE") and _switched_off(model, "DAMPER", "PASSIVE"))
    forces = {**passive.forces, **tendons.forces, **weight_taken_off(tree, gravity, all_passive, passive.names)}
    parameters, drivers, couplings = dict(passive.parameters), {}, {}
    origins = {**tree.origins, **passive.origins, **tendons.origins}
    if wanted["actuators"]:
        actuators = Actuators(tree, begin.controls, not _switched_off(model, "CLAMPCTRL"), passive.names, places, findings)
        forces.update(actuators.forces)
        parameters.update(actuators.parameters)
        origins.update(actuators.origins)
    if wanted["equalities"]:
        equalities = Equalities(tree, linear, places, findings)
        drivers, couplings = equalities.drivers, equalities.couplings
        origins.update(equalities.origins)
    loops = [joint["type"] for name, joint in tree.joints.items() if name not in tree.joint_names]
    if passive.rows + sum(6 if kind == "fixed" else 3 for kind in loops) + len(couplings) > MOST_ROWS:
        passive.damp_with_fewer(forces)
        origins.update(passive.origins)
    if wanted["contacts"]:
        floor = Floor(tree, count, Names(*contacts), places, findings)
        contacts.update(floor.entries)
        overlaps |= floor.is_inside
        origins.update(floor.origins)
    tell_remaining(tree, all_passive, wanted["contacts"], places, findings)

    if any("coulomb" in key for force in passive.forces.values() for key in force):
        findings.differ("dry friction turns round over a rate (parameters friction_turns_over_...) in methods without contact, "
                        "and sticks in those with contact; in MuJoCo it yields by solref and solimp")
    if count:
        findings.differ("stops are rigid, with restitution 0 (normal_restitution); in MuJoCo they yield by solref and solimp")
    if model.neq and wanted["equalities"]:
        findings.differ("equalities are rigid; in MuJoCo they yield by solref and solimp")
    if strict:
        findings.refuse_what_is_left_out(path)
    sensors = _sensors(tree)
    sections: dict[str, Any] = {
        "title": model.names.split(b"\0", 1)[0].decode() or Path(path).stem,
        "source": f"{os.path.basename(path)}, read by MuJoCo {mujoco.__version__}",
        "assumed": findings.differs, "parameters": parameters, "gravity_m_s2": gravity, "bodies": tree.bodies,
        "joints": tree.joints, "drivers": drivers, "couplings": couplings, "forces": forces, "contacts": contacts,
        "sensors": {**sensors, **points(tree, Names(*sensors), places, findings)},
    }
    merged = merge_hinges(tree, sections) if len(tree.bodies) > MOST_BODIES else []
    require_room(tree, path)
    share_angles(tree, sections)
    if merged:
        at_zero = begin.coordinates.copy()
        at_zero[model.jnt_qposadr[merged]] = 0.0
        tree.take_poses(Tree(model, at_zero, begin.rates, begin.following, places, Findings()))
    else:
        tree.leave_poses_to_joints()
    mechanism = {key: value for key, value in sections.items() if value or key == "gravity_m_s2"}
    try:
        _check(mechanism, origins, places)
    except InputError:
        if not passive.damp_with_fewer(mechanism.get("forces", {})):
            raise
        _check(mechanism, {**origins, **passive.origins}, places)
    return ImportedModel(mechanism, findings.left_out, findings.differs, findings.notes, [name for name, _ in tree.carriers],
                         [frame for _, frame in tree.carriers], tree.joint_names, overlaps)


def _check(mechanism: Mapping[str, Any], origins: Mapping[tuple[str, str], str], places: Places) -> None:
    """InputError where the engine does not take it; at the element of the model's file that an entry is from."""
    try:
        Mechanism(mechanism)
    except InputError as error:
        entry = re.search(r"/(\w+)/(\w+)", error.where)
        where = origins.get((entry[1], entry[2])) if entry else None
        what = error.what if where or not entry else f"{entry[1]}, {entry[2]}: {error.what}"
        raise InputError(where or places.path, what, error.remedy) from None


def _switched_off(model: Any, *flags: str) -> bool:
    bits = mujoco_module().mjtDisableBit
    return any(model.opt.disableflags & int(getattr(bits, f"mjDSBL_{flag}", 0)) for flag in flags)


def _sensors(tree: Tree) -> dict[str, dict[str, str]]:
    """Coordinates and rates of the joints, as channels to observe."""
    sensors = {}
    for joint, name in enumerate(tree.joint_names):
        if name is None:
            continue
        if tree.is_hinge(joint):
            kinds = ("angle", "rate")
        elif tree.is_slide(joint):
            kinds = ("displacement", "displacement_rate")
        else:
            kinds = ("orientation", "angular_velocity")
        sensors.update({f"{name}_{kind}": {"type": kind, "joint": name} for kind in kinds})
    return sensors


def _text_of(mechanism: dict[str, Any]) -> str:
    """JSON with an entry a line."""
    lines = []
    for key, section in mechanism.items():
        if isinstance(section, dict):
            entries = ",\n".join(f"        {json.dumps(name)}: {json.dumps(entry)}" for name, entry in section.items())
            lines.append(f"    {json.dumps(key)}: {{\n{entries}\n    }}")
        else:
            lines.append(f"    {json.dumps(key)}: {json.dumps(section)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"
