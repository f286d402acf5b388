"""A URDF or MJCF file as a mechanism: sections put together, checked by the engine, and written."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterable, Optional, Union

import numpy

from ..errors import unknown_name
from ..files import write_text
from ..mechanism import Mechanism
from .actuators import Actuators
from .equalities import Equalities
from .forces import JointForces
from .limits import stops
from .loading import load, mujoco_module, start_of
from .tree import Names, Pose, Tree, plain
from .welding import points, require_room

# What `without` may name; MuJoCo's flags in <option> that switch the same off.
PARTS = {"springs": ("SPRING", "PASSIVE"), "damping": ("DAMPER", "PASSIVE"), "friction": ("FRICTIONLOSS",), "limits": ("LIMIT",),
         "actuators": ("ACTUATION",), "equalities": ("EQUALITY",)}


@dataclass(frozen=True)
class ImportedModel:
    """A mechanism from elsewhere.

    mechanism   the dictionary of a mechanism file, for Mechanism and Study
    left_out    what the file has and the mechanism does not, and why
    differs     what the mechanism does otherwise than MuJoCo
    bodies      for each body of MuJoCo, by its number: the mechanism's name of the one that it belongs to, "ground" of
                what stands still
    frames      for each body of MuJoCo: its frame in that body, with position and quaternion (w, x, y, z)
    joints      for each joint of MuJoCo likewise, None of a free one
    """

    mechanism: dict[str, Any]
    left_out: list[str]
    differs: list[str]
    bodies: list[str]
    frames: list[Pose]
    joints: list[Optional[str]]

    def save(self, path: Union[str, os.PathLike]) -> None:
        """Write it as a file that the program reads. Raises OutputError, also where a result has that name."""
        write_text(path, _text_of(self.mechanism))


def read(path: Union[str, os.PathLike], *, without: Iterable[str] = (), keyframe: Optional[str] = None) -> ImportedModel:
    """The mechanism of a URDF or MJCF file, as MuJoCo's loader reads it.

    without    parts to leave out: "springs", "damping", "friction", "limits", "actuators", "equalities"; without
               limits a mechanism takes every method, with them only those that know contact
    keyframe   the name of the file's <keyframe> to start in; default: MuJoCo's initial coordinates, at rest

    Raises InputError where MuJoCo is not installed or refuses the file, or where the engine does not take the mechanism.
    """
    path, without = os.fspath(path), set(without)
    for part in sorted(without - set(PARTS)):
        raise unknown_name("without", "parts", part, PARTS, "help(myriad.import_model.read)")
    model, left_out = load(path)
    coordinates, rates, controls = start_of(model, path, keyframe)
    tree = Tree(model, coordinates, rates)
    require_room(tree, path)
    wanted = {part: part not in without and not _switched_off(model, *flags) for part, flags in PARTS.items()}
    passive = JointForces(tree, coordinates, wanted)
    contacts, _, beyond = stops(tree) if wanted["limits"] else ({}, 0, [])
    left_out += tree.left_out + passive.left_out + beyond + _whole_kinds(model)
    forces, parameters, drivers, couplings = dict(passive.forces), dict(passive.parameters), {}, {}
    if wanted["actuators"]:
        actuators = Actuators(tree, path, controls, passive.names)
        forces.update(actuators.forces)
        parameters.update(actuators.parameters)
        left_out += actuators.left_out
    if wanted["equalities"]:
        equalities = Equalities(tree)
        drivers, couplings = equalities.drivers, equalities.couplings
        left_out += equalities.left_out

    differs = passive.differs
    if any("coulomb" in key for force in passive.forces.values() for key in force):
        differs.append("dry friction turns round over a rate (parameters friction_turns_over_...) in methods without contact, "
                       "and sticks in those with contact; in MuJoCo it yields by solref and solimp")
    if contacts:
        differs.append("stops are rigid, with restitution 0 (normal_restitution); in MuJoCo they yield by solref and solimp")
    if model.neq and wanted["equalities"]:
        differs.append("equalities are rigid; in MuJoCo they yield by solref and solimp")
    sensors = _sensors(tree)
    joined, beyond = points(tree, Names(*sensors))
    if beyond:
        left_out.append(f"points of {', '.join(beyond)}, which are welded to others: write point sensors by hand")
    gravity = [0.0, 0.0, 0.0] if _switched_off(model, "GRAVITY") else plain(model.opt.gravity)
    sections = {
        "title": model.names.split(b"\0", 1)[0].decode() or Path(path).stem,
        "source": f"{os.path.basename(path)}, read by MuJoCo {mujoco_module().__version__}",
        "assumed": differs, "parameters": parameters, "gravity_m_s2": gravity, "bodies": tree.bodies,
        "joints": tree.joints, "drivers": drivers, "couplings": couplings, "forces": forces, "contacts": contacts, "sensors": {**sensors, **joined},
    }
    mechanism = {key: value for key, value in sections.items() if value or key == "gravity_m_s2"}
    Mechanism(mechanism)  # says what the engine does not take
    return ImportedModel(mechanism, left_out, differs, [name for name, _ in tree.carriers],
                         [frame for _, frame in tree.carriers], tree.joint_names)


def _switched_off(model: Any, *flags: str) -> bool:
    bits = mujoco_module().mjtDisableBit
    return any(model.opt.disableflags & getattr(bits, f"mjDSBL_{flag}", 0) for flag in flags)


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


def _whole_kinds(model: Any) -> list[str]:
    """What a mechanism has nothing for, each kind in a line."""
    left_out = []
    shapes = int(((model.geom_contype != 0) | (model.geom_conaffinity != 0)).sum())
    for count, what, why in ((shapes, "shape", "contact between shapes is not imported; write contacts by hand"),
                             (model.ntendon, "tendon", "forces and lengths along paths over bodies are not modelled"),
                             (model.nflex, "flexible body", "bodies are rigid here"),
                             (model.nsensor, "sensor", "coordinates and rates of all joints are channels; write others by hand")):
        if count:
            left_out.append(f"{count} {what if count == 1 else what.replace('body', 'bodie') + 's'}: {why}")
    if model.opt.density or model.opt.viscosity:
        left_out.append("forces of the medium (density, viscosity): there is no air or water here")
    carried = [model.body(body).name for body in range(model.nbody) if model.body_gravcomp[body]]
    if carried:
        left_out.append(f"gravcomp of {', '.join(carried)}: gravity acts on all bodies alike")
    moved = [model.body(body).name for body in range(model.nbody) if model.body_mocapid[body] >= 0]
    if moved:
        left_out.append(f"mocap of {', '.join(moved)}: what is moved from outside stands still here")
    if numpy.any(getattr(model, "actuator_armature", 0)) or numpy.any(getattr(model, "actuator_damping", 0)):
        left_out.append("armature and damping of actuators: give them to their joints")
    return left_out


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
