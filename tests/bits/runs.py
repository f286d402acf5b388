"""The runs whose bits are recorded: bundled studies by all methods, built-in systems on all charts, random mechanisms, and
instances that fail. Each is a study, as short as what happens in it allows.

Distributions are made uniform, because the others are drawn with the C library, whose last bits differ between machines.
"""

import copy
import hashlib
import json
import re
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

import failing
from random_mechanisms import random_mechanism

SOURCE = Path(__file__).resolve().parents[2]
STUDIES = SOURCE / "ensembles" / "studies"
RANDOM_MECHANISMS = 200
SIZES = (1, 31, 33)  # one, and one less and one more than a tile of 32 instances; LARGE has many of both
LARGE = 1000
EXPLICIT = ("rk4", "rk67", "ode23", "dopri5")
ADAPTIVE = ("ode23", "dopri5")
IMPLICIT = ("generalized_alpha", "implicit_euler")
CONSERVING = ("energy_momentum", "livens_midpoint", "energy_momentum_convective")
CONTACT = ("nonsmooth_generalized_alpha", "nonsmooth_bathe", "moreau_midpoint", "half_explicit", "nonsmooth_ed_alpha")
# Statistics over instances take their intervals from Boost; the scales of the root repeat others.
NOT_RECORDED = re.compile(r"[^/]*|statistics/(.*_(low|high|remark|probability)|probability|first_order.*|rank_correlation.*)")


@dataclass
class Run:
    case: str
    study: dict
    precision: str = "fp64"

    @property
    def key(self):
        coordinates = self.study.get("coordinates", self.study.get("chart", "rotation"))
        # A grid has as many instances as levels.
        return (f"{self.case} {self.study['integrator']['name']} {self.precision} {coordinates} "
                f"{self.study.get('instances', 'grid')}")


def read_with_comments(path):
    """JSON with // comments and commas before closing brackets, as the program reads it."""
    string = r'("(?:[^"\\]|\\.)*")'
    text = re.sub(string + r"|//[^\n]*", lambda found: found[1] or "", path.read_text(encoding="utf-8"))
    return json.loads(re.sub(string + r"|,(?=\s*[}\]])", lambda found: found[1] or "", text))


def made_uniform(value):
    if isinstance(value, list):
        return [made_uniform(one) for one in value]
    if not isinstance(value, dict):
        return value
    if "normal" in value:
        mean, deviation = value["normal"]["mean"], value["normal"]["standard_deviation"]
        return {"uniform": {"low": mean - deviation, "high": mean + deviation}}
    return {key: made_uniform(one) for key, one in value.items()}


def uniform(low, high):
    return {"uniform": {"low": low, "high": high}}


def by_method(study, method, step_s, steps):
    """The same study by another method, of so many steps."""
    study = copy.deepcopy(study)
    own = study.get("integrator", {})
    integrator = own if own.get("name") == method else {"name": method}
    integrator["end_s"] = step_s * steps
    if method in ADAPTIVE:
        integrator.update(relative_tolerance=1e-6, absolute_tolerance=1e-8)
    else:
        integrator["step_s"] = step_s
    study["integrator"] = integrator
    if "observe" in study:
        every = {"every_s": step_s * steps / 4} if method in ADAPTIVE else {"every_steps": max(1, steps // 4)}
        study["observe"] = {"channels": study["observe"]["channels"], **every}
    return study


def of_size(study, instances):
    return {**study, "instances": instances}


def bundled_study(name):
    """(study, step, steps, the file of its mechanism)"""
    study = made_uniform(read_with_comments(STUDIES / f"{name}.json"))
    file = study.get("mechanism")
    if file:
        study["mechanism"] = read_with_comments(STUDIES / file)
    study.pop("statistics", None)
    integrator = study["integrator"]
    step = integrator.get("step_s", integrator["end_s"] / 1000)
    steps = min(400 if integrator["name"] in CONTACT else 60, round(integrator["end_s"] / step))
    if any("eigenfrequency_Hz" in quantity for quantity in study.get("quantities", {}).values()):
        # Eigenvalues come from a library. The start at equilibrium is the program's own.
        del study["quantities"], study["results"]
    return study, step, steps, file


def of_bundled_studies():
    seen = set()
    for path in sorted(STUDIES.glob("*.json")):
        study, step, steps, file = bundled_study(path.stem)
        case, method = f"study/{path.stem}", study["integrator"]["name"]
        shortened = by_method(study, method, step, steps)
        if "instances" not in study:
            yield Run(case, shortened)
        else:
            for size in (*SIZES, LARGE):
                yield Run(case, of_size(shortened, size))
        if file is None or file in seen or study.get("start") == "equilibrium":
            continue
        seen.add(file)
        yield from of_bundled_mechanism(path.stem, study, step, steps)
    for path in sorted((SOURCE / "ensembles" / "mechanisms").glob("*.json")):
        if f"../mechanisms/{path.name}" not in seen:
            mechanism = read_with_comments(path)
            down = mechanism["gravity_m_s2"][2]
            study = {"mechanism": mechanism, "instances": 31,
                     "parameters": {"gravity_m_s2[2]": uniform(down - 1.0, down + 1.0)}}
            yield from of_bundled_mechanism(path.stem, study, 1e-3, 400 if "contacts" in mechanism else 60)


def of_bundled_mechanism(name, study, step, steps):
    """By every method that it takes, with all channels."""
    mechanism = study["mechanism"]
    study = {**study, "observe": {"channels": [*all_channels(mechanism), *mechanism.get("sensors", {})]}}
    for coordinates in ("joint", "body"):
        if "contacts" in mechanism:
            methods = CONTACT
        else:
            methods = [*IMPLICIT, *(CONSERVING if coordinates == "body" else EXPLICIT), "moreau_midpoint"]
            if "drivers" in mechanism:
                methods.append("kinematics")
        for method in methods:
            run = by_method({**study, "coordinates": coordinates}, method, step, steps)
            yield Run(f"mechanism/{name}", of_size(run, 31) if "instances" in run else run)


def all_channels(mechanism):
    channels = ["position", "orientation", "velocity", "angular_velocity", "acceleration", "angular_acceleration", "energy",
                "kinetic_energy", "potential_energy", "work", "constraint_residual", "velocity_residual", "assembly_correction"]
    if mechanism.get("joints") or mechanism.get("drivers"):
        channels.append("multiplier")
    if "contacts" in mechanism:
        channels += ["contact_velocity", "contact_force", "contact_impulse", "gap", "impacts", "friction_loss", "impact_loss",
                     "largest_force", "penetration", "energy_balance_error", "wear_work"]
    return channels


def of_options():
    """Options of methods that no study takes, and the charts of mechanisms."""
    def run(option, name, method, coordinates, chart="rotation", **more):
        study, step, steps, _ = bundled_study(name)
        study.update(coordinates=coordinates, chart=chart, observe={"channels": ["position", "energy", "multiplier"]})
        study = by_method(study, method, step, steps)
        study["integrator"].update(more)
        return Run(f"option/{option}/{name}", of_size(study, 33) if "instances" in study else study)

    for name in ("double_pendulum", "slider_crank_iftomm"):
        yield run("modified", name, "generalized_alpha", "body", "rotation_vector", newton="modified")
        yield run("tangent_operator", name, "generalized_alpha", "body", "rotation_vector", tangent_operator=True)
        for method in IMPLICIT:
            yield run("exact", name, method, "joint", iteration_matrix="exact")
            yield run("published", name, method, "joint", start="published")
            for chart in ("euler_parameters", "cardan_xyz", "euler_zxz"):
                yield run(chart, name, method, "body", chart)
    for method in CONTACT:
        study = by_method({"mechanism": failing.OVERLAPPING, "coordinates": "joint", "parameters": {
            "bodies.ball.position_m[2]": uniform(0.19, 0.22)}, "observe": {"channels": ["position", "gap"]}}, method, 1e-3, 60)
        study["integrator"]["initial_penetration"] = "project"
        yield Run("option/projected", of_size(study, 33))


# Ranges of numbers that are 0 by default. The others are within 3 % of their defaults.
AROUND_ZERO = {"inertia_kg_m2": (-0.002, 0.002), "friction": (0.0, 0.3), "tangential_restitution": (0.0, 0.3),
               "rod.damping_time_s": (0.0, 1e-5), "rod.bending_turns_sections": (0.0, 1.0), "crank.torque_N_m": (-1.0, 1.0),
               "initial_deformation_rate": (-0.01, 0.01), "initial_deformation": (-1e-5, 1e-5), "load": (-1.0, 1.0),
               "initial_angle_rad": (-0.0003, 0.0003), "": (-0.3, 0.3)}


def generic_range(address, default):
    if default == 0.0:
        return uniform(*next(bounds for beginning, bounds in AROUND_ZERO.items() if address.startswith(beginning)))
    return uniform(default - 0.03 * abs(default), default + 0.03 * abs(default))


def of_built_in_systems(listed):
    """All members, each with everything varied and each reduction taken; `listed` is what `myriad list` says."""
    for system in listed["systems"]:
        has_contact = "added_by_contact" in system
        channels = sorted({channel["address"].split(".")[0] for channel in system["channels"]})
        scalars = [channel["address"] for channel in system["channels"] if "energy" not in channel["address"]]
        study = {"system": system["name"],
                 "parameters": {one["address"]: generic_range(one["address"], one["default"]) for one in system["parameters"]},
                 "observe": {"channels": channels},
                 "quantities": each_reduction([scalars[0], scalars[-1], "energy"])}
        step, steps = (1e-5, 200) if has_contact else (1e-3, 60)
        for method, charts in system["integrators"].items():
            for chart in charts:
                run = of_size(by_method({**study, "chart": chart}, method, step, steps - 0.3), 33)
                run["observe"] = {"channels": channels, **({"every_s": 0.02} if method in ADAPTIVE else {"every_steps": 7})}
                yield Run(f"system/{system['name']}", run)
                if system["name"] in ("heavy_top", "free_rigid_body") and method in ("rk4", "ode23") and chart == "rotation":
                    run = copy.deepcopy(run)
                    run["integrator"]["dexp_inverse"] = "full"
                    yield Run(f"system/{system['name']}/full_dexp_inverse", run)


def each_reduction(channels):
    a, b, c = channels
    return {"final": {"final": a}, "largest": {"max": b}, "smallest": {"min": b, "between": "steps"}, "mean": {"mean": c},
            "when_largest": {"time_of_max": a}, "when_smallest": {"time_of_min": c},
            "above": {"first_time_above": {"channel": b, "threshold": 0.01}},
            "below": {"first_time_below": {"channel": b, "threshold": -0.01}},
            "largest_late": {"max": a, "from_s": 0.0005}, "mean_early": {"mean": b, "to_s": 0.0005}}


def of_random_mechanisms():
    """Each by three of the methods that its parts allow, by turns in joint and in body coordinates."""
    count = {}
    for number in range(RANDOM_MECHANISMS):
        mechanism, kind = random_mechanism(number)
        gravity = mechanism["gravity_m_s2"][2]
        study = {"mechanism": mechanism,
                 "parameters": {"parameters.size": uniform(0.9, 1.2), "parameters.load": uniform(0.5, 1.5),
                                "gravity_m_s2[2]": uniform(gravity - 0.5, gravity + 0.5)},
                 "observe": {"channels": [*all_channels(mechanism), *mechanism["sensors"]]},
                 "quantities": each_reduction(["tip.x", "velocity.b0.norm", "energy"])}
        both = ("joint", "body")
        if kind == "contacts":
            limits = any(contact["type"] == "joint_limits" for contact in mechanism.get("contacts", {}).values())
            forms = [(method, coordinates) for method in CONTACT for coordinates in (("joint",) if limits else both)]
        elif kind == "coordinates":
            forms = [(method, "joint") for method in (*EXPLICIT, *IMPLICIT, *CONTACT)]
        elif kind == "driven":
            forms = [(method, coordinates) for method in ("kinematics", *IMPLICIT, "moreau_midpoint") for coordinates in both]
            forms += [(method, "joint") for method in EXPLICIT]
        else:
            forms = [(method, "joint") for method in (*EXPLICIT, *IMPLICIT)]
            forms += [(method, "body") for method in (*IMPLICIT, *CONSERVING)]
        turn = count.setdefault(kind, 0)
        count[kind] += 1
        for k in range(3):
            method, coordinates = forms[(3 * turn + k) % len(forms)]
            run = by_method({**study, "coordinates": coordinates}, method, 1e-3 if kind == "contacts" else 2e-3,
                            80 if kind == "contacts" else 40)
            yield Run(f"random/{number:03}", of_size(run, LARGE if number % 20 == k else SIZES[(number + k) % len(SIZES)]))


def of_failing_instances():
    for name, study in failing.studies(read_with_comments, SOURCE):
        yield Run(f"failing/{name}", study)


def all_runs(program):
    said = subprocess.run([program, "list", "--format", "json"], check=True, capture_output=True, text=True).stdout
    listed = json.loads(said)
    runs = [*of_bundled_studies(), *of_built_in_systems(listed), *of_options(), *of_random_mechanisms(),
            *of_failing_instances()]
    runs = [with_strikes(run, "published") if takes_strikes(run) else run for run in runs]
    runs += [with_strikes(replace(run, case=f"strikes/{run.case}"), "within_step") for run in runs
             if takes_strikes(run) and "contacts" in run.study["mechanism"] and run.study["coordinates"] == "joint"]
    runs += [replace(run, precision="fp32") for run in in_single_precision(runs, listed)]
    keys = [run.key for run in runs]
    twice = {key for key in keys if keys.count(key) > 1}
    assert not twice, f"two runs of one name: {sorted(twice)}"
    return runs


def takes_strikes(run):
    """Bundled studies have their own rule."""
    is_own = run.case.startswith("study/")
    return "mechanism" in run.study and run.study["integrator"]["name"] in CONTACT and not is_own


def with_strikes(run, rule):
    return replace(run, study={**run.study, "integrator": {**run.study["integrator"], "strikes": rule}})


def in_single_precision(runs, listed):
    """All of built-in systems that are compiled so, and a third of mechanisms, by their names. Without the largest runs."""
    compiled = {(system["name"], method, chart) for system in listed["systems"]
                for method, charts in system.get("fp32", {}).items() for chart in charts}
    def is_chosen(run):
        return hashlib.blake2b(run.key.encode(), digest_size=1).digest()[0] % 3 == 0

    mechanisms = [run for run in runs if is_chosen(run) and "mechanism" in run.study
                  and run.study.get("chart", "rotation") == "rotation"
                  and run.study.get("instances") != LARGE and "solved_in" not in run.case]
    systems = [run for run in runs if "system" in run.study and run.study.get("instances") != LARGE and
               (run.study["system"], run.study["integrator"]["name"], run.study.get("chart", "rotation")) in compiled]
    return mechanisms + systems
