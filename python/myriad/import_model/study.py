"""The study that an import writes beside its mechanism: one to run and to change."""

from __future__ import annotations

import json
from typing import Any, Mapping

# Stable for stiff servos and dampers, where an explicit method needs steps that are a small part of their time constants.
_METHOD, _METHOD_WITH_CONTACT = "generalized_alpha", "nonsmooth_generalized_alpha"
_SPREAD = 0.05
# Of a study, at most.
_MOST_QUANTITIES = 16


def study_of(mechanism: Mapping[str, Any], file: str, projects: bool = False) -> dict[str, Any]:
    """A study of the mechanism in `file`: the heaviest body's mass is varied; the coordinates of joints are observed, and the poses
    that a report draws. `projects`: it starts inside the floor or beyond a limit, and is moved to where it is not."""
    heaviest = max(mechanism["bodies"], key=lambda name: mechanism["bodies"][name]["mass_kg"])
    mass = mechanism["bodies"][heaviest]["mass_kg"]
    coordinates = [name for name, sensor in mechanism.get("sensors", {}).items() if sensor["type"] in ("angle", "displacement")]
    channels = coordinates or [f"position.{heaviest}"]
    study: dict[str, Any] = {
        "title": mechanism["title"], "mechanism": file,
        "integrator": {"name": _METHOD_WITH_CONTACT if mechanism.get("contacts") else _METHOD, "step_s": 1e-3, "end_s": 1.0,
                       **({"initial_penetration": "project"} if projects else {})},
        "instances": 100, "design": {"kind": "sobol", "seed": 1}}
    if mass:
        study["parameters"] = {f"bodies.{heaviest}.mass_kg": {"uniform": {"low": _short((1 - _SPREAD) * mass),
                                                                                    "high": _short((1 + _SPREAD) * mass)}}}
    study["observe"] = {"every_s": 0.01, "channels": [*coordinates, "position", "orientation"]}
    study["quantities"] = {f"final_{name}": {"final": name} for name in channels[:_MOST_QUANTITIES]}
    if not coordinates:
        study["quantities"] = {"final_height_m": {"final": f"position.{heaviest}.z"}}
    return study


def _short(value: float) -> float:
    return float(f"{value:.6g}")


def text_of(study: Mapping[str, Any]) -> str:
    """JSON with comments that say what to change."""
    lines = [f"    {json.dumps(key)}: {json.dumps(value)}" for key, value in study.items()]
    return ("// A study of an imported model: change what it varies, and how long it moves.\n"
            "// All keys, with their meaning: myriad schema study\n{\n" + ",\n".join(lines) + "\n}\n")
