"""What the tests of the package share: small studies, the program, and a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import h5py
import pytest

import myriad

SOURCE = Path(os.environ["MYRIAD_SOURCE_DIR"])
STUDIES = SOURCE / "ensembles" / "studies"
PROGRAM = os.environ["MYRIAD_PROGRAM"]

# Generic tops; takes well under a second.
TOPS = {
    "system": "heavy_top",
    "integrator": {"name": "rk4", "step_s": 1e-3, "end_s": 0.05},
    "instances": 100,
    "design": {"kind": "monte_carlo", "seed": 3},
    "parameters": {
        "mass_kg": {"normal": {"mean": 15, "standard_deviation": 0.5}},
        "initial_rotation_vector_rad[0]": {"uniform": {"low": 0.1, "high": 1.0}},
    },
    "observe": {"every_steps": 10, "channels": ["position", "energy"]},
    "quantities": {"largest_tilt_rad": {"max": "tilt"}, "final_height_m": {"final": "position.top.z"}},
}

# Beyond a quarter turn in a step the rotation's series ends: a third of these fail.
SOME_FAIL = {**TOPS, "integrator": {"name": "rk4", "step_s": 5e-3, "end_s": 0.05}, "allowed_failed_share": 1.0,
             "parameters": {**TOPS["parameters"], "initial_angular_velocity_rad_s[2]": {"uniform": {"low": 0, "high": 400}}}}
SOME_FAIL.pop("observe")

# Many seconds on one core, in chunks that are soon done.
LONG = {**TOPS, "integrator": {"name": "rk4", "step_s": 1e-5, "end_s": 2.0}, "instances": 2000,
        "observe": {"every_steps": 100000, "channels": ["position"]}}

INERTIA_KG_M2 = 0.5
# A disc on a hinge, turned by a torque alone: inertia times angular acceleration is the torque.
DISC = {
    "parameters": {"torque_N_m": 0.0},
    "bodies": {"disc": {"mass_kg": 2.0, "inertia_kg_m2": [0.3, 0.3, INERTIA_KG_M2], "position_m": [0, 0, 0]}},
    "joints": {"hinge": {"type": "revolute", "bodies": ["ground", "disc"], "points_m": [[0, 0, 0], [0, 0, 0]],
                         "axes": [[0, 0, 1], [0, 0, 1]]}},
    "forces": {"motor": {"type": "torque", "body": "disc", "torque_N_m": [0, 0, "torque_N_m"]}},
    "sensors": {"angle": {"type": "angle", "joint": "hinge"}, "rate": {"type": "rate", "joint": "hinge"}},
}


def discs(torques, integrator="implicit_euler", end_s=2.0, step_s=1e-2):
    """A study of discs with these torques, one for each."""
    return myriad.Study(mechanism=DISC, integrator={"name": integrator, "step_s": step_s, "end_s": end_s},
                        quantities={"final_rad": {"final": "angle"}}, samples={"parameters.torque_N_m": torques})


# The angle of a disc after a second is linear in a torque and an initial rate; these are its slopes.
ANGLE_OF_TORQUE, ANGLE_OF_RATE = 1.0 / (2 * INERTIA_KG_M2), 1.0


def linear(torque, rate, **more):
    """Discs with these distributions of torque and rate; rk4 gives their angle to round-off."""
    turned = {**DISC, "parameters": {"torque_N_m": 0.0, "rate_rad_s": 0.0},
              "bodies": {"disc": {**DISC["bodies"]["disc"], "angular_velocity_rad_s": [0, 0, "rate_rad_s"]}}}
    return myriad.Study({"mechanism": turned, "integrator": {"name": "rk4", "step_s": 0.1, "end_s": 1.0}, "instances": 32,
                         "parameters": {"parameters.torque_N_m": torque, "parameters.rate_rad_s": rate},
                         "quantities": {"angle_rad": {"final": "angle"}}, **more})


@pytest.fixture
def tops():
    return myriad.Study(TOPS)


# Of a file, not of its values.
ATTRIBUTES_OF_A_RUN = {"wall_time_s", "study_file", "study_description", "device"}


def datasets_of(path):
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.__setitem__(name, item[()].tobytes())
                        if isinstance(item, h5py.Dataset) and item.dtype != object else None)
        attributes = {name: str(value) for name, value in file.attrs.items() if name not in ATTRIBUTES_OF_A_RUN}
    return found, attributes


def run_python(code, *arguments, stdin=None):
    """Runs code in a process of its own: (exit code, standard output, standard error)."""
    done = subprocess.run([sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, input=stdin,
                          check=False)
    return done.returncode, done.stdout, done.stderr


def run_program(*arguments):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False)


def written(folder, text, name="robot.xml"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path
