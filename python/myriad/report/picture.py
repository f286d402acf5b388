"""A mechanism as shapes on bodies, and its poses over time, as the script picture.js draws them.

Shapes are those that the mechanism's file names: frames of bodies, points of joints and of sensors with sticks to the
centres of mass, spheres, boxes, capsules and planes of contacts, springs. Points are in the frame of their body, from its
centre of mass, or in the world where the body is -1, the ground; metres. Poses are "position" of the centre of mass
[frame, body, 3] and "orientation" [frame, body, 4] (w, x, y, z; body to world).
"""

from __future__ import annotations

import json
import re
import warnings
from typing import TYPE_CHECKING, Any, Mapping, Optional

import numpy

from ..errors import InputError, MyriadWarning
from ..mechanism import Mechanism
from ..texts import counted

if TYPE_CHECKING:
    from ..result import Result

# Frames of an animation, and other instances whose bodies it shows as points.
_MOST_FRAMES = 240
_CLOUD = 40
# The points of systems that are code, and hold a body to the ground: [body, point in the world].
_FIXED_POINTS = {"heavy_top": [0, [0.0, 0.0, 0.0]]}


def picture_of_result(result: "Result") -> dict[str, Any]:
    """The animation of the first instance that ended ok, with the bodies of others as points. InputError where the result
    has no trajectories that say where bodies are."""
    name = str(result.attributes.get("system", ""))
    if "position" not in result.trajectories:
        raise InputError(result.path, "there is nothing to animate: it has no trajectory of the channel position",
                         'let the study observe it: "observe": {"every_s": ..., "channels": ["position", "orientation"]}, '
                         'with "trajectories" among what is kept')
    shape = result.trajectories.shape("position")
    if len(shape) != 4 or shape[3] != 3:
        raise InputError(result.path, f"there is no picture of {name}: its channel position is not that of bodies in space",
                         "look at the fan charts")
    ok = numpy.flatnonzero(result.ok)
    if not len(ok):
        raise InputError(result.path, "there is nothing to animate: no instance ended ok", "look at the result's status")
    one, times = int(ok[0]), result.time_s
    assert times is not None
    frames = numpy.unique(numpy.linspace(0, len(times) - 1, _MOST_FRAMES).round().astype(int))
    position = result.trajectories.read("position", one, 1)[0][frames]
    orientation = (result.trajectories.read("orientation", one, 1)[0][frames] if "orientation" in result.trajectories
                   else None)
    bodies = list(result.trajectories.attributes("position").get("bodies", map(str, range(shape[2]))))
    mechanism = mechanism_of_instance(result, one)
    shapes = [] if mechanism is None or orientation is None else _shapes(mechanism, bodies)
    up = numpy.array([0.0, 0.0, 1.0]) if mechanism is None else _up(mechanism)
    if not shapes:
        shapes = [{"kind": "trail", "body": body} for body in range(shape[2])]
        if name in _FIXED_POINTS:
            body, point = _FIXED_POINTS[name]
            shapes += [{"kind": "link", "body": body, "ground": point}]
    picture = _finished(shapes, bodies, position, orientation, times[frames], up)
    others = ok[1:_CLOUD + 1]
    picture["cloud"] = [_rounded(result.trajectories.read("position", int(row), 1)[0][frames]) for row in others]
    drawn = "bodies, joints and contacts of its mechanism's file" if len(shapes) and "trail" not in {
        one["kind"] for one in shapes} else "centres of mass with their trails" + (
        "" if orientation is not None or mechanism is None else ", because the result has no channel orientation")
    picture["caption"] = (
        f"Animation of instance {int(result.id[one])} with {counted(len(bodies), 'body', 'bodies')} "
        f"({', '.join(bodies)}) from "
        f"{times[0]:.4g} to {times[-1]:.4g} s: {drawn}, in {len(frames)} of {len(times):,} stored poses" +
        (f"; grey points are the centres of mass of {len(others)} other instances" if len(others) else "") + ".")
    return picture


def mechanism_of_instance(result: "Result", row: int) -> Optional[Mechanism]:
    """The mechanism with the numbers of one row's parameters; None of a system that is code."""
    entries = json.loads(result.attributes["study"]).get("mechanism")
    if not isinstance(entries, dict):
        return None
    values = {address: float(result.parameters.read(address, row, 1)[0]) for address in result.parameters}
    for address, value in values.items():
        _set(entries, address, value)
    return Mechanism(entries)


def _set(entries: Any, address: str, value: float) -> None:
    """Puts a number where its address says, if the file has that place: others are no part of a shape."""
    steps = [int(step) if step.isdigit() else step for step in re.findall(r"[^.\[\]]+", address)]
    for step in steps[:-1]:
        try:
            entries = entries[step]
        except (KeyError, IndexError, TypeError):
            return
    if isinstance(entries, (dict, list)) and (isinstance(entries, dict) or isinstance(steps[-1], int)):
        entries[steps[-1]] = value


def picture_of_mechanism(mechanism: Mechanism) -> dict[str, Any]:
    """One pose: that which a run begins with, assembled from the poses of the file."""
    from ..study import Study

    contacts = bool(json.loads(mechanism.text).get("contacts"))
    integrator = {"name": "nonsmooth_generalized_alpha" if contacts else "generalized_alpha", "step_s": 1e-6, "end_s": 1e-6}
    apart = ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MyriadWarning)  # what they say is of runs
        try:
            study = Study(mechanism=mechanism, integrator=integrator, instances=1)
        except InputError as error:
            if "initial_penetration" not in error.remedy:
                raise
            study = Study(mechanism=mechanism, integrator={**integrator, "initial_penetration": "project"}, instances=1)
            apart = ' It is drawn as "initial_penetration": "project" begins, because in the file bodies overlap or a joint is beyond a limit.'
        ran = study.run(progress=False, too_many_failed="warn")
    with ran as result:
        position, orientation = result.initial_state["position"], result.initial_state["orientation"]
        status = str(result.status[0])
    if not numpy.isfinite(position).all():
        raise InputError(mechanism.name, f"its bodies could not be put together ({status})",
                         "`myriad list --mechanism` says which joint is open")
    shapes = _shapes(mechanism, mechanism.bodies)
    picture = _finished(shapes, mechanism.bodies, position, orientation, numpy.zeros(1), _up(mechanism))
    kinds = [one["kind"] for one in shapes]
    parts = [counted(kinds.count(kind), kind, "boxes" if kind == "box" else "")
             for kind in ("joint", "spring", "sphere", "capsule", "box", "plane") if kind in kinds]
    picture["caption"] = (f"{mechanism.title or mechanism.name} at its start: "
                          f"{counted(len(mechanism.bodies), 'body', 'bodies')} "
                          f"({', '.join(mechanism.bodies)})" + (", " + ", ".join(parts) if parts else "") + "." + apart)
    return picture


def _up(mechanism: Mechanism) -> numpy.ndarray:
    """Against gravity; z without any."""
    gravity = numpy.array([mechanism.parameters[f"gravity_m_s2[{k}]"]["value"] for k in range(3)])
    size = numpy.linalg.norm(gravity)
    return -gravity / size if size > 0 else numpy.array([0.0, 0.0, 1.0])


def _shapes(mechanism: Mechanism, bodies: list[str]) -> list[dict[str, Any]]:
    values = {address: about["value"] for address, about in mechanism.parameters.items()}
    entries = json.loads(mechanism.text)

    def vector(address: str) -> Optional[list[float]]:
        found = [values.get(f"{address}[{k}]") for k in range(3)]
        return None if None in found else [float(one) for one in found]  # type: ignore[arg-type]

    def point(body: str, address: str) -> list[float]:
        """In the body's frame, from its centre of mass; in the world on the ground."""
        at = vector(address) or [0.0, 0.0, 0.0]
        if body not in bodies:
            return at
        return (numpy.array(at) - (vector(f"bodies.{body}.centre_of_mass_m") or [0.0] * 3)).tolist()

    def number(body: str) -> int:
        return bodies.index(body) if body in bodies else -1

    def stick(body: str, at: list[float]) -> list[dict[str, Any]]:
        return [{"kind": "stick", "body": number(body), "at": at}] if body in bodies and any(at) else []

    shapes: list[dict[str, Any]] = [{"kind": "frame", "body": body, "name": name} for body, name in enumerate(bodies)]
    for name, joint in entries.get("joints", {}).items():
        for side, body in enumerate(joint["bodies"]):
            if f"joints.{name}.points_m[{side}][0]" not in values:
                continue
            at = point(body, f"joints.{name}.points_m[{side}]")
            shapes += stick(body, at)
            if side == 0:
                shapes.append({"kind": "joint", "body": number(body), "at": at, "name": name,
                               "axis": vector(f"joints.{name}.axes[0]")})
    for name, force in entries.get("forces", {}).items():
        if force["type"] in ("spring_damper", "bushing"):
            ends = [[number(body), point(body, f"forces.{name}.points_m[{side}]")]
                    for side, body in enumerate(force["bodies"])]
            shapes.append({"kind": "spring", "name": name, "ends": ends})
    for name, sensor in entries.get("sensors", {}).items():
        if sensor["type"] == "point":
            shapes += stick(sensor["body"], point(sensor["body"], f"sensors.{name}.point_m"))
    for name, contact in entries.get("contacts", {}).items():
        shapes += _contact_shapes(f"contacts.{name}", contact, values, vector, point, number, stick)
    return [one for position, one in enumerate(shapes) if one not in shapes[:position]]


def _contact_shapes(address: str, contact: Mapping[str, Any], values: Mapping[str, float], vector: Any, point: Any,
                    number: Any, stick: Any) -> list[dict[str, Any]]:
    kind = contact["type"]
    if kind == "joint_limits":
        return []
    first, second = contact["bodies"]
    shapes: list[dict[str, Any]] = []
    plane = "slot" if kind == "point_slot" else "plane"
    if kind.endswith("_plane") or kind == "point_slot":
        shapes.append({"kind": "plane", "body": number(first), "at": point(first, f"{address}.{plane}_point_m"),
                       "normal": vector(f"{address}.{plane}_normal")})
    if kind in ("point_plane", "sphere_plane", "point_slot"):
        at = point(second, f"{address}.point_m")
        shapes += stick(second, at)
        shapes.append({"kind": "sphere", "body": number(second), "at": at, "radius": values.get(f"{address}.radius_m", 0.0)})
    elif kind == "sphere_sphere":
        shapes += [{"kind": "sphere", "body": number(body), "at": point(body, f"{address}.points_m[{side}]"),
                    "radius": values[f"{address}.radii_m[{side}]"]} for side, body in enumerate((first, second))]
    elif kind in ("capsule_plane", "sphere_capsule"):
        body = second if kind == "capsule_plane" else first
        radius = values[f"{address}.radius_m" if kind == "capsule_plane" else f"{address}.radii_m[0]"]
        shapes.append({"kind": "capsule", "body": number(body), "radius": radius,
                       "ends": [point(body, f"{address}.ends_m[{end}]") for end in range(2)]})
        if kind == "sphere_capsule":
            shapes.append({"kind": "sphere", "body": number(second), "at": point(second, f"{address}.point_m"),
                           "radius": values[f"{address}.radii_m[1]"]})
    elif kind == "box_plane":
        shapes.append({"kind": "box", "body": number(second), "at": point(second, f"{address}.centre_m"),
                       "size": vector(f"{address}.size_m")})
    return shapes


def _finished(shapes: list[dict[str, Any]], bodies: list[str], position: numpy.ndarray,
              orientation: Optional[numpy.ndarray], times: numpy.ndarray, up: numpy.ndarray) -> dict[str, Any]:
    """With what the script needs to look at it: the middle and radius of all points, and a view across their plane."""
    points = _points(shapes, position, orientation)
    low, high = points.min(axis=0), points.max(axis=0)
    radius = float(numpy.linalg.norm(high - low) / 2) or 1.0
    # Level axes of the world; the view is along that in which least happens.
    level = [axis for axis in numpy.eye(3) if abs(axis @ up) < 0.9]
    extents = [float((high - low) @ axis) for axis in level]
    toward = level[int(numpy.argmin(extents))]
    toward = toward - (toward @ up) * up
    toward /= numpy.linalg.norm(toward)
    if numpy.cross(up, toward).sum() < 0:  # the axis across the view points to the right
        toward = -toward
    return {"bodies": bodies, "shapes": shapes, "time_s": _rounded(times), "position": _rounded(position),
            "orientation": None if orientation is None else _rounded(orientation), "up": up.tolist(),
            "toward": toward.tolist(), "centre": ((low + high) / 2).tolist(), "radius": radius,
            "is_flat": bool(min(extents) < 0.05 * radius)}


def _points(shapes: list[dict[str, Any]], position: numpy.ndarray, orientation: Optional[numpy.ndarray]) -> numpy.ndarray:
    """Points of the world that are to be seen, [point, 3], over all frames."""
    found = [position.reshape(-1, 3)]
    for one in shapes:
        if one["kind"] == "link":
            found.append(numpy.array([one["ground"]]))
        for body, at in one.get("ends", []) if one["kind"] == "spring" else (
                [(one["body"], end) for end in one.get("ends", [one["at"]] if "at" in one else [])]):
            if one["kind"] == "plane":
                continue
            if body < 0:
                world = numpy.array([at])
            else:
                world = position[:, body] + _turned(orientation[:, body], numpy.array(at))  # type: ignore[index]
            reach = one.get("radius", max(one.get("size", [0.0])) / 2)
            found += [world - reach, world + reach]
    points = numpy.concatenate(found)
    return points[numpy.isfinite(points).all(axis=1)]


def _turned(orientation: numpy.ndarray, vector: numpy.ndarray) -> numpy.ndarray:
    """A vector of a body in the world, for quaternions [frame, 4]."""
    scalar, axis = orientation[:, :1], orientation[:, 1:]
    across = 2.0 * numpy.cross(axis, vector)
    return vector + scalar * across + numpy.cross(axis, across)


def _rounded(values: numpy.ndarray) -> list:
    """Nested lists of five digits behind the point at the scale of the values: less than a pixel."""
    largest = float(numpy.nanmax(numpy.abs(values), initial=0.0)) or 1.0
    digits = 5 - int(numpy.floor(numpy.log10(largest)))
    return numpy.round(values.astype(numpy.float64), digits).tolist()
