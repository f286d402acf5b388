"""Bodies and joints of a compiled MuJoCo model as those of a mechanism.

MuJoCo moves a body against its parent by its joints, one after the other, each about a point and an axis in the body's
frame; between two of them stands a body without mass here. Joints count from MuJoCo's zero: coordinate = qpos, the initial
value "ref" included. Poses are those at the start: the world's axes, m.
"""

from __future__ import annotations

import re
from typing import Any, Iterable, NamedTuple, Optional

import numpy

from .findings import Findings
from .loading import mujoco_module
from .places import Places
from .welding import inertia_of

GROUND = "ground"
# Of joints with one coordinate.
_STARTS = ("angle_rad", "rate_rad_s", "displacement_m", "displacement_rate_m_s")


class Pose(NamedTuple):
    """Where a frame is in another: its origin, and the quaternion (w, x, y, z) that turns its components into the other's."""

    position: numpy.ndarray
    quaternion: numpy.ndarray

    def of(self, point: Any) -> numpy.ndarray:
        return self.position + self.turned(point)

    def turned(self, direction: Any) -> numpy.ndarray:
        turned = numpy.empty(3)
        mujoco_module().mju_rotVecQuat(turned, numpy.asarray(direction, dtype=float), self.quaternion)
        return turned

    def then(self, inner: "Pose") -> "Pose":
        return Pose(self.of(inner.position), product(self.quaternion, inner.quaternion))


IDENTITY = Pose(numpy.zeros(3), numpy.array([1.0, 0.0, 0.0, 0.0]))


def product(first: Any, second: Any) -> numpy.ndarray:
    """Of two quaternions."""
    both = numpy.empty(4)
    mujoco_module().mju_mulQuat(both, numpy.asarray(first, dtype=float), numpy.asarray(second, dtype=float))
    return both


def about(axis: Any, angle: float) -> numpy.ndarray:
    """The quaternion of a turn about a unit axis."""
    quaternion = numpy.empty(4)
    mujoco_module().mju_axisAngle2Quat(quaternion, numpy.asarray(axis, dtype=float), float(angle))
    return quaternion


def plain(values: Iterable[float]) -> list[float]:
    """Numbers for JSON, without negative zeros."""
    return [float(value) + 0.0 for value in values]


class Names:
    """Names as mechanism files take them: letters, digits and _, a letter first, each once."""

    def __init__(self, *taken: str) -> None:
        self._taken = set(taken)

    def give(self, name: str, otherwise: str) -> str:
        chosen = re.sub(r"[^A-Za-z0-9_]", "_", name) or otherwise
        if not chosen[0].isalpha():
            chosen = f"{otherwise.split('_')[0]}_{chosen}"
        unique, count = chosen, 1
        while unique in self._taken:
            count += 1
            unique = f"{chosen}_{count}"
        self._taken.add(unique)
        return unique


class Tree:
    """Bodies and joints of a model at its start, and which of MuJoCo's became which.

    bodies, joints     sections of the mechanism
    carriers           for each body of MuJoCo: the body that it belongs to, and the pose of its frame in that one's
    joint_names        for each joint of MuJoCo: the mechanism's, None of a free one
    origins            for each entry of a section: its element's place in the model's file
    """

    def __init__(self, model: Any, coordinates: Any, rates: Any, following: set[int], places: Places, findings: Findings) -> None:
        self.mujoco, self.model, self._places, self._findings = mujoco_module(), model, places, findings
        self.bodies: dict[str, dict[str, Any]] = {}
        self.joints: dict[str, dict[str, Any]] = {}
        self.carriers: list[tuple[str, Pose]] = [(GROUND, IDENTITY)]
        self.joint_names: list[Optional[str]] = [None] * model.njnt
        self.origins: dict[tuple[str, str], str] = {}
        self.body_names, self.names_of_joints = Names(GROUND), Names()
        self.parents: dict[str, str] = {}  # of each body: the one that carries it
        self.between: list[str] = []  # bodies without mass between the joints of one
        self._open: set[str] = set()  # bodies that loops with a gap at the start join
        self._measured: set[str] = set()  # bodies between whose orientations at the start a force element is at rest
        self._starts: dict[str, Pose] = {GROUND: IDENTITY}
        # Joints that follow others start where their couplings put them.
        self._coordinates, self._rates, self._following = coordinates, rates, following
        for body in range(1, model.nbody):
            self._add(body)

    def start_of(self, body: int) -> Pose:
        """Where MuJoCo's body is at the start, in the world."""
        name, inner = self.carriers[body]
        return self._starts[name].then(inner)

    def coordinate(self, joint: int) -> str:
        """As mechanism files name the coordinate of a hinge or slide."""
        return "angle" if self.is_hinge(joint) else "displacement"

    def is_hinge(self, joint: int) -> bool:
        return self.model.jnt_type[joint] == self.mujoco.mjtJoint.mjJNT_HINGE

    def is_slide(self, joint: int) -> bool:
        return self.model.jnt_type[joint] == self.mujoco.mjtJoint.mjJNT_SLIDE

    def place_of_body(self, body: int) -> str:
        return self._places.numbered("body", body - 1, self.model.body(body).name, self.model.nbody - 1)

    def place_of_joint(self, joint: int) -> str:
        return self._places.numbered("joint", joint, self.model.joint(joint).name, self.model.njnt)

    def of_rotor(self, joint: int, what: str) -> float:
        """Armature or damping of a joint, with the share of the actuator that MuJoCo adds to it."""
        value = float(getattr(self.model, f"dof_{what}")[self.model.jnt_dofadr[joint]])
        actuator = int(self.model.jnt_actuatorid[joint]) if hasattr(self.model, "jnt_actuatorid") else -1
        if actuator >= 0:
            gear = float(self.model.actuator_gear[self.model.actuator_outadr[actuator], 0])
            value += gear**2 * float(getattr(self.model, f"actuator_{what}")[actuator])
        return value

    def armature_of_free(self, body: int) -> float:
        """Of a body with a free joint: kg, and kg m^2 about all axes."""
        joint = int(self.model.body_jntadr[body])
        is_free = joint >= 0 and self.model.jnt_type[joint] == self.mujoco.mjtJoint.mjJNT_FREE
        return float(self.model.dof_armature[self.model.jnt_dofadr[joint]]) if is_free else 0.0

    def leave_poses_to_joints(self) -> None:
        """Takes away the poses that follow from start values of joints, which a study may then vary. Those of free bodies stay, those
        that fixed joints hold or force elements measure from, and those from which couplings and drivers move the joints that
        they determine, with what carries them."""
        kept = self._measured | {body for joint in self.joints.values() if joint["type"] == "fixed" for body in joint["bodies"]}
        for body in self._open | {self.joints[self.joint_names[joint]]["bodies"][1] for joint in self._following}:
            kept.update(self._line(body))
        for name, body in self.bodies.items():
            if name not in kept and "velocity_m_s" not in body:
                del body["position_m"], body["orientation"]

    def open_loop(self, first: str, second: str) -> None:
        """Takes away start values of the joints of a loop that these two bodies close with a gap: none of them would hold."""
        lines = [self._line(first), self._line(second)]
        self._open |= {first, second}
        for joint in self.joints.values():
            if (joint["bodies"][1] in lines[0]) != (joint["bodies"][1] in lines[1]):
                for key in _STARTS:
                    joint.pop(key, None)

    def measure_from_start(self, bodies: Iterable[str]) -> None:
        """Keeps the poses of bodies, also of those that have lost theirs."""
        self._measured |= {body for body in bodies if body in self.bodies}
        for body in self._measured:
            if "orientation" not in self.bodies[body]:
                self.bodies[body].update(_pose(self._starts[body]))

    def _line(self, body: str) -> list[str]:
        """The body and those that carry it, up to the ground."""
        line = []
        while body in self.bodies:
            line.append(body)
            body = self.parents.get(body, GROUND)
        return line

    def take_poses(self, other: "Tree") -> None:
        for name, body in self.bodies.items():
            body.update({key: other.bodies[name][key] for key in ("position_m", "orientation")})

    def _add(self, body: int) -> None:
        model = self.model
        parent, in_parent = self.carriers[model.body_parentid[body]]
        own = in_parent.then(Pose(model.body_pos[body], model.body_quat[body]))
        if model.body_weldid[body] == 0:
            self.carriers.append((GROUND, own))
            return
        first, count = int(model.body_jntadr[body]), int(model.body_jntnum[body])
        if count == 0:
            self.carriers.append((parent, own))
            return
        name = self.body_names.give(model.body(body).name, f"body_{body}")
        # Where A's frame of a joint lies against the body's own frame before that joint moves it.
        before = own
        for joint in range(first, first + count):
            last = joint == first + count - 1
            after = name if last else self.body_names.give(f"{name}_before_{model.joint(joint + 1).name or joint + 1}", "")
            start = self._moved(self._starts[parent].then(before), joint)
            self._write(after, body if last else None, start)
            self.parents[after] = parent
            self._join(joint, parent, after, before)
            parent, before = after, IDENTITY
        self.carriers.append((name, IDENTITY))

    def _write(self, name: str, body: Optional[int], start: Pose) -> None:
        model, self._starts[name] = self.model, start
        if body is not None:
            self.origins["bodies", name] = self.place_of_body(body)
        if body is None:
            entry: dict[str, Any] = {"mass_kg": 0.0, "inertia_kg_m2": [0.0, 0.0, 0.0]}
            self.between.append(name)
        else:
            entry = inertia_of(model, body, self.armature_of_free(body))
        self.bodies[name] = {**entry, **_pose(start)}

    def _moved(self, before: Pose, joint: int) -> Pose:
        """Where the body's frame is at the start once this joint has moved it."""
        model, kinds = self.model, self.mujoco.mjtJoint
        kind, at, point = model.jnt_type[joint], int(model.jnt_qposadr[joint]), model.jnt_pos[joint]
        if kind == kinds.mjJNT_FREE:
            return Pose(numpy.array(self._coordinates[at:at + 3], dtype=float), self._quaternion(at + 3))
        if kind == kinds.mjJNT_SLIDE:
            way = self._coordinates[at] - model.qpos0[at]
            return Pose(before.of(way * model.jnt_axis[joint]), before.quaternion)
        if kind == kinds.mjJNT_HINGE:
            turn = about(model.jnt_axis[joint], self._coordinates[at] - model.qpos0[at])
        else:
            turn = self._quaternion(at)
        turned = Pose(before.position, product(before.quaternion, turn))
        return Pose(before.of(point) - turned.turned(point), turned.quaternion)

    def _quaternion(self, at: int) -> numpy.ndarray:
        quaternion = numpy.array(self._coordinates[at:at + 4], dtype=float)
        return quaternion / numpy.linalg.norm(quaternion)

    def _join(self, joint: int, parent: str, after: str, before: Pose) -> None:
        model, kinds = self.model, self.mujoco.mjtJoint
        kind, at, rate_at = model.jnt_type[joint], int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
        if kind == kinds.mjJNT_FREE:
            velocity, spin = self._rates[rate_at:rate_at + 3], self._rates[rate_at + 3:rate_at + 6]
            self.bodies[after].update(velocity_m_s=plain(velocity), angular_velocity_rad_s=plain(spin))
            armature = float(model.dof_armature[rate_at])
            if armature:
                self._findings.note(f"{self.place_of_joint(joint)}: its armature is {armature:g} kg of the mass here, with a force that "
                                    "carries its weight")
            return
        name = self.joint_names[joint] = self.names_of_joints.give(model.joint(joint).name, f"joint_{joint}")
        point, axis = model.jnt_pos[joint], model.jnt_axis[joint]
        entry: dict[str, Any] = {"bodies": [parent, after]}
        self.joints[name], self.origins["joints", name] = entry, self.place_of_joint(joint)
        armature = self.of_rotor(joint, "armature")
        if kind == kinds.mjJNT_BALL:
            entry.update(type="spherical", points_m=[plain(before.of(point)), plain(point)],
                         orientation={"quaternion": plain(product(before.quaternion, self._quaternion(at)))},
                         angular_velocity_rad_s=plain(self._rates[rate_at:rate_at + 3]))
            if armature:
                self._findings.leave_out(self.place_of_joint(joint), f"its armature, {armature:g} kg m^2: no rotor turns with a ball joint")
            return
        across = _across(axis)
        initial, value, rate = float(model.qpos0[at]), float(self._coordinates[at]), float(self._rates[rate_at])
        entry.update(type="revolute", axes=[plain(before.turned(axis)), plain(axis)])
        if kind == kinds.mjJNT_HINGE:
            turned_back = Pose(numpy.zeros(3), about(axis, -initial)).turned(across)
            entry.update(points_m=[plain(before.of(point)), plain(point)],
                         references=[plain(before.turned(turned_back)), plain(across)], angle_rad=value, rate_rad_s=rate)
            rotor = "rotor_inertia_kg_m2"
        else:
            entry.update(type="prismatic", points_m=[plain(before.of(point - initial * axis)), plain(point)],
                         references=[plain(before.turned(across)), plain(across)],
                         displacement_m=value, displacement_rate_m_s=rate)
            rotor = "rotor_inertia_kg"
        if joint in self._following:
            for key in _STARTS:
                entry.pop(key, None)
        if armature:
            entry[rotor] = armature


def _pose(pose: Pose) -> dict[str, Any]:
    return {"position_m": plain(pose.position), "orientation": {"quaternion": plain(pose.quaternion)}}


def _across(axis: numpy.ndarray) -> numpy.ndarray:
    """A unit direction across an axis: from the frame's axis that is farthest from it."""
    farthest = numpy.eye(3)[int(numpy.argmin(numpy.abs(axis)))]
    across = farthest - (farthest @ axis) * axis
    return across / numpy.linalg.norm(across)
