"""The floor: planes that stand still, under spheres and ends of capsules, as contacts with friction.

MuJoCo lets two shapes touch if contype of one and conaffinity of the other have a bit in common, or if a <pair> names them.
They rest at the sum of their margins. The friction is the larger one, or that of the shape with the higher priority.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy

from .findings import Findings
from .limits import MOST_CONTACTS
from .places import Places
from .tree import GROUND, Names, Pose, Tree, plain

# The engine moves shapes apart that are deeper than this in the floor at the start only if it is asked to.
_OVERLAP_M = 1e-9
_CURE = "leave all contact out: --without contacts"


class Touch(NamedTuple):
    """A sphere, or an end of a capsule, above a plane: numbers of the shapes, and the gap at the start."""

    gap: float
    plane: int
    shape: int
    end: int  # 0 of a sphere, 1 or 2 of a capsule
    pair: Optional[int]


class Floor:
    """Entries of `contacts` for a tree at its start. `count`: how many contacts limits of joints take."""

    def __init__(self, tree: Tree, count: int, names: Names, places: Places, findings: Findings) -> None:
        self.tree, self.model, self._places = tree, tree.model, places
        self.entries: dict[str, dict[str, Any]] = {}
        self.origins: dict[tuple[str, str], str] = {}
        self.is_inside = False  # at the start, by more than the engine leaves as it is
        self._kinds = tree.mujoco.mjtGeom
        # Margin and friction of all contacts, in place of the values of shapes and pairs.
        self._overridden = bool(self.model.opt.enableflags & int(tree.mujoco.mjtEnableBit.mjENBL_OVERRIDE))
        self._others: list[tuple[int, int]] = []
        touches, other_shapes = [], []
        for (plane, shape), pair in self._pairs().items():
            ends = self._ends(shape)
            if not ends and shape not in other_shapes:
                other_shapes.append(shape)
            touches += [Touch(self._gap(plane, shape, centre, pair), plane, shape, end, pair) for end, centre in ends.items()]
        touches.sort(key=lambda touch: touch.gap)
        room = max(0, MOST_CONTACTS - count)
        for touch in touches[:room]:
            self._add(touch, names, findings)
        self._tell(touches, room, other_shapes, findings)

    def place_of(self, shape: int) -> str:
        return self._places.numbered("geom", shape, self.model.geom(shape).name, self.model.ngeom)

    def _add(self, touch: Touch, names: Names, findings: Findings) -> None:
        model, shape = self.model, touch.shape
        body = int(model.geom_bodyid[shape])
        friction, across, sizes = self._friction(touch)
        if across != friction:
            findings.leave_out(self.place_of(shape), f"friction of {across:g} in its second direction: contacts here have that of the "
                               f"first, {friction:g}, in all directions")
        if sizes > 3:
            findings.leave_out(self.place_of(shape), f"condim {sizes}: contacts here resist sliding, not turning or rolling")
        own = model.geom(shape).name or f"{model.body(body).name or f'body_{body}'}_{shape - int(model.body_geomadr[body]) + 1}"
        name = names.give(f"{own}_end_{touch.end}" if touch.end else own, f"contact_{shape}")
        carrier, frame = self.tree.carriers[body]
        origin, normal = self._plane(touch.plane)
        self.origins["contacts", name] = self.place_of(shape)
        self.entries[name] = {
            "type": "sphere_plane", "bodies": [GROUND, carrier],
            "plane_point_m": plain(origin + self._margin(touch) * normal), "plane_normal": plain(normal),
            "point_m": plain(frame.of(self._ends(shape)[touch.end])), "radius_m": float(model.geom_size[shape, 0]),
            "friction": friction}

    def _ends(self, shape: int) -> dict[int, numpy.ndarray]:
        """Centres of the spheres that it touches a plane with, in the frame of MuJoCo's body."""
        model, centre = self.model, self.model.geom_pos[shape]
        if shape in self._places.meshes:
            return {}
        if model.geom_type[shape] == self._kinds.mjGEOM_SPHERE:
            return {0: centre}
        if model.geom_type[shape] != self._kinds.mjGEOM_CAPSULE:
            return {}
        along = Pose(centre, model.geom_quat[shape]).turned([0.0, 0.0, float(model.geom_size[shape, 1])])
        return {1: centre - along, 2: centre + along}

    def _plane(self, plane: int) -> tuple[numpy.ndarray, numpy.ndarray]:
        """A point and the normal, in the world."""
        _, frame = self.tree.carriers[int(self.model.geom_bodyid[plane])]
        pose = frame.then(Pose(self.model.geom_pos[plane], self.model.geom_quat[plane]))
        return pose.position, pose.turned([0.0, 0.0, 1.0])

    def _stands(self, shape: int) -> bool:
        return self.tree.carriers[int(self.model.geom_bodyid[shape])][0] == GROUND

    def _gap(self, plane: int, shape: int, centre: Any, pair: Optional[int]) -> float:
        origin, normal = self._plane(plane)
        at = self.tree.start_of(int(self.model.geom_bodyid[shape])).of(centre)
        return float(normal @ (at - origin) - self.model.geom_size[shape, 0]) - self._margin(Touch(0.0, plane, shape, 0, pair))

    def _margin(self, touch: Touch) -> float:
        if self._overridden:
            return float(self.model.opt.o_margin)
        if touch.pair is not None:
            return float(self.model.pair_margin[touch.pair])
        return float(self.model.geom_margin[touch.plane] + self.model.geom_margin[touch.shape])

    def _friction(self, touch: Touch) -> tuple[float, float, int]:
        """Coefficients of sliding in two directions, and how many directions the contact resists."""
        model, both = self.model, [touch.plane, touch.shape]
        if touch.pair is not None:
            friction, sizes = model.pair_friction[touch.pair, :2], int(model.pair_dim[touch.pair])
        else:
            first = int(model.geom_priority[both].max())
            both = [shape for shape in both if model.geom_priority[shape] == first]
            friction, sizes = numpy.full(2, model.geom_friction[both, 0].max()), int(model.geom_condim[both].max())
        if self._overridden:
            friction = model.opt.o_friction[:2]
        along, across = (float(one) if sizes > 1 else 0.0 for one in friction)
        return along, across, sizes

    def _pairs(self) -> dict[tuple[int, int], Optional[int]]:
        """Planes that stand still and shapes that MuJoCo lets touch them, with the number of their <pair>. Collects the other pairs."""
        model, found = self.model, {}
        welded = model.body_weldid[model.geom_bodyid]
        carriers = model.body_weldid[model.body_parentid[welded]]
        stands = numpy.array([self._stands(shape) for shape in range(model.ngeom)])
        excluded = {frozenset((int(one) >> 16, int(one) & 0xFFFF)) for one in model.exclude_signature}
        keeps_parents = not model.opt.disableflags & int(self.tree.mujoco.mjtDisableBit.mjDSBL_FILTERPARENT)
        named = {frozenset((int(model.pair_geom1[pair]), int(model.pair_geom2[pair]))): pair for pair in range(model.npair)}
        for first in range(model.ngeom):
            meets = ((model.geom_contype[first] & model.geom_conaffinity) | (model.geom_contype & model.geom_conaffinity[first])) != 0
            meets &= welded != welded[first]
            if keeps_parents and welded[first]:
                meets &= (welded == 0) | ((carriers != welded[first]) & (carriers[first] != welded))
            for other in excluded:
                if model.geom_bodyid[first] in other:
                    meets &= ~numpy.isin(model.geom_bodyid, list(other))
            for both, pair in named.items():
                if first in both:
                    meets[list(both - {first})] = True
            if self._stands(first):
                meets &= ~stands
            if self._is_floor(first):
                found.update({(first, int(second)): named.get(frozenset((first, int(second)))) for second in numpy.flatnonzero(meets)})
            else:
                self._others += [(first, int(second)) for second in numpy.flatnonzero(meets)
                                 if second > first and not self._is_floor(int(second))]
        return found

    def _is_floor(self, shape: int) -> bool:
        return self.model.geom_type[shape] == self._kinds.mjGEOM_PLANE and self._stands(shape)

    def _tell(self, touches: list[Touch], room: int, other_shapes: list[int], findings: Findings) -> None:
        if touches[:room]:
            findings.differ("contacts with the floor are rigid, with friction of Coulomb's law and restitution 0; in MuJoCo they yield "
                            "by solref and solimp")
        deep = [touch for touch in touches[:room] if touch.gap < -_OVERLAP_M]
        if deep:
            self.is_inside = True
            findings.note(f"{self.place_of(deep[0].shape)}: at the start it is {-deep[0].gap:.3g} m inside the floor; start higher, or give "
                          'the study\'s integrator "initial_penetration": "project", which moves it out')
        for touch in touches[room:]:
            findings.leave_out(self.place_of(touch.shape), "contact" + (f" of end {touch.end}" if touch.end else "") + " with the floor: a "
                               f"mechanism has at most {MOST_CONTACTS} contacts, of which limits of joints take {MOST_CONTACTS - room}; "
                               "those that are lowest at the start are kept")
        for shape in other_shapes:
            findings.leave_out(self.place_of(shape), f"contact of {_with_article(self._kind(shape))} with a plane: only spheres and "
                               f"capsules have it here; {_CURE}")
        if self._others:
            (first, second), count = self._others[0], len(self._others)
            findings.leave_out(self.place_of(first), f"contact between shapes ({count} pair{'s' if count > 1 else ''}; here with "
                               f"{self.place_of(second)}): only planes that stand still have it here; write others by hand, or {_CURE}")

    def _kind(self, shape: int) -> str:
        if shape in self._places.meshes:
            return "mesh"
        return str(self._kinds(int(self.model.geom_type[shape])).name).split("_", 1)[1].lower()


def _with_article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
