"""The whole program from outside: studies run from the command line, bad input, interruption, the result in h5py.

Run by ctest with MYRIAD_PROGRAM (the program) and MYRIAD_SOURCE_DIR (the project) in the environment.
"""

import json
import math
import os
import random
import resource
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import h5py
import numpy

PROGRAM = os.environ["MYRIAD_PROGRAM"]
# Of each system the first of these that it has.
MASSES = ("mass_kg", "link_2.mass_kg", "mass_kg[0]", "mass_1.mass_kg", "ball_1.mass_kg", "crank.mass_kg")
STUDIES = Path(os.environ["MYRIAD_SOURCE_DIR"]) / "ensembles" / "studies"

# A small study of generic tops that takes well under a second.
SMALL = {
    "system": "heavy_top",
    "integrator": {"name": "rk4", "step_s": 1e-3, "end_s": 0.05},
    "instances": 200,
    "design": {"kind": "monte_carlo", "seed": 3},
    "parameters": {
        "mass_kg": {"normal": {"mean": 15, "standard_deviation": 0.5}},
        "initial_rotation_vector_rad[0]": {"uniform": {"low": 0.1, "high": 1.0}},
    },
    "observe": {"every_steps": 10, "channels": ["position", "energy"]},
    "quantities": {"largest_tilt_rad": {"max": "tilt"}, "final_height_m": {"final": "position.top.z"}},
}

# A rod on a hinge; its mass and inertia follow from its length.
PENDULUM = {
    "parameters": {"length_m": 2.0, "mass_kg": "3 * length_m"},
    "gravity_m_s2": [0, 0, -9.81],
    "bodies": {"rod": {
        "mass_kg": "mass_kg",
        "inertia_kg_m2": [0.1, "mass_kg * length_m^2 / 12", "mass_kg * length_m^2 / 12"],
        "position_m": ["length_m / 2", 0, 0],
    }},
    "joints": {"hinge": {
        "type": "revolute", "bodies": ["ground", "rod"], "points_m": [[0, 0, 0], ["-length_m / 2", 0, 0]],
        "axes": [[0, 1, 0], [0, 1, 0]],
    }},
    "sensors": {"tip": {"type": "point", "body": "rod", "point_m": ["length_m / 2", 0, 0]}},
}
SWINGS = {
    "mechanism": "pendulum.json",
    "integrator": {"name": "generalized_alpha", "step_s": 1e-3, "end_s": 0.2},
    "instances": 100,
    "parameters": {"parameters.length_m": {"uniform": {"low": 1.5, "high": 2.5}}},
    "observe": {"every_steps": 20, "channels": ["tip", "acceleration", "multiplier.hinge", "energy"]},
    "quantities": {"lowest_m": {"min": "tip.z"}},
}

# Long enough to be interrupted: some ten seconds on one core.
LONG = {**SMALL, "integrator": {"name": "rk4", "step_s": 1e-5, "end_s": 0.5}, "instances": 8000, "observe": {
    "every_steps": 5000, "channels": ["position"]}}


def without(study, *keys):
    return {key: value for key, value in study.items() if key not in keys}


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def study(self, study, name="study.json"):
        path = self.path / name
        path.write_text(study if isinstance(study, str) else json.dumps(study))
        return str(path)

    def myriad(self, *arguments, **options):
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.path, capture_output=True, text=True,
                              timeout=300, **options)

    def run_study(self, study, *arguments, expect=0):
        done = self.myriad("run", self.study(study), "--backend", "cpu", "--format", "json", *arguments)
        self.assertEqual(done.returncode, expect, done.stderr)
        return json.loads(done.stdout)

    def refused(self, study, *parts, arguments=(), code=1):
        done = self.myriad("run", self.study(study), "--backend", "cpu", *arguments)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        for part in parts:
            self.assertIn(part, done.stderr)
        self.assertNotIn("internal error", done.stderr)
        self.assertFalse((self.path / "study.h5").exists())
        return done.stderr


def datasets(path):
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, item: found.__setitem__(name, item[()]) if isinstance(item, h5py.Dataset) else None)
    return found


def same_bits(one, other):
    return one.keys() == other.keys() and all(
        one[name].tobytes() == other[name].tobytes() if one[name].dtype != object else list(one[name]) == list(other[name])
        for name in one)


class Results(ProgramTest):
    def test_h5py_reads_every_part_of_a_result(self):
        summary = self.run_study(SMALL)
        self.assertEqual(summary["by_status"], {"ok": 200})
        with h5py.File(self.path / "study.h5") as file:
            self.assertEqual(file.attrs["format"], "myriad result")
            self.assertEqual(json.loads(file.attrs["study"])["system"], "heavy_top")
            self.assertEqual(list(file["instance/id"][:]), list(range(200)))
            self.assertEqual(set(file["instance/status"][:]), {0})
            self.assertEqual(file["instance/status"].attrs["names"][0], "ok")
            self.assertEqual(file["trajectory/position"].shape, (200, 6, 1, 3))
            self.assertTrue(numpy.allclose(file["trajectory/time"][:], [0, 0.01, 0.02, 0.03, 0.04, 0.05]))
            self.assertEqual(file["state/final/orientation"].shape, (200, 1, 4))
            norms = numpy.linalg.norm(file["state/final/orientation"][:], axis=-1)
            self.assertLess(abs(norms - 1).max(), 1e-15 * 4)  # renormalised after each step: a few ulp
            self.assertEqual(file["state/final/position"].attrs["unit"], "m")
            self.assertEqual(file["state/final/position"].attrs["frame"], "world")
            tilt = numpy.arctan2(numpy.linalg.norm(file["state/initial/position"][:, 0, :2], axis=1),
                                 file["state/initial/position"][:, 0, 2])
            self.assertTrue((file["quantities/largest_tilt_rad"][:] >= tilt - 1e-15).all())
            mean = file["quantities/largest_tilt_rad"][:].mean()
            names = [name.decode() for name in file["statistics/quantity"][:]]
            row = names.index("largest_tilt_rad")
            self.assertAlmostEqual(file["statistics/mean"][row], mean, delta=1e-13)
            self.assertTrue(file["statistics/mean_low"][row] < mean < file["statistics/mean_high"][row])
            self.assertEqual(file["parameters/mass_kg"].shape, (200,))
            self.assertLess(abs(file["parameters/mass_kg"][:].mean() - 15), 5 * 0.5 / math.sqrt(200))

    def test_a_mechanism_is_run_from_its_file_and_its_result_stands_alone(self):
        self.study(PENDULUM, "pendulum.json")
        summary = self.run_study(SWINGS)
        self.assertEqual(summary["by_status"], {"ok": 100})
        iterations = next(entry for entry in summary["certificate"] if entry["name"] == "newton_iterations")
        self.assertTrue(1 <= iterations["per_step"] <= 5)
        text = self.myriad("run", self.path / "study.json", "--backend", "cpu", "--overwrite").stdout
        self.assertIn("newton iterations", text)
        self.assertIn("largest constraint residual", text)
        (self.path / "pendulum.json").unlink()
        with h5py.File(self.path / "study.h5") as file:
            stored = json.loads(file.attrs["study"])["mechanism"]
            self.assertEqual(stored["parameters"]["mass_kg"], "3 * length_m")
            length = file["parameters/parameters.length_m"][:]
            self.assertTrue((length > 1.5).all() and (length < 2.5).all())
            self.assertEqual(file["trajectory/tip"].shape, (100, 11, 3))
            self.assertEqual(file["trajectory/acceleration"].shape, (100, 11, 1, 3))
            self.assertEqual(file["trajectory/multiplier.hinge"].shape, (100, 11, 5))
            self.assertEqual(file["trajectory/tip"].attrs["unit"], "m")
            # Released flat, a rod's end falls with 3 g / 2: its inertia is that of a rod but for the 0.1 about its axis.
            fall = file["trajectory/acceleration"][:, 0, 0, 2]
            self.assertLess(abs(fall + 0.75 * 9.81).max(), 1e-9)
            self.assertTrue(numpy.allclose(file["trajectory/tip"][:, 0, 0], length, rtol=0, atol=1e-12))
            certificate = file["instance/certificate"]
            self.assertLess(certificate["constraint_residual_largest"][:].max(), 1e-9)
            self.assertTrue((certificate["newton_iterations"][:] >= 200).all())
            self.assertEqual(set(file["instance/detail"][:]), {-1})
            self.assertEqual(file["instance/detail"].attrs["names"][0], "joints.hinge, row 0")
        report = self.myriad("report", "study.h5")
        self.assertEqual(report.returncode, 0, report.stderr)

    def test_threads_widths_and_chunks_do_not_change_a_bit_of_the_file(self):
        reference = None
        for arguments in (["--threads", 1], ["--threads", 2], ["--chunk", 1], ["--chunk", 33], ["--chunk", 1000],
                          ["--width", 1]):
            self.run_study(SMALL, "--overwrite", *arguments)
            found = datasets(self.path / "study.h5")
            reference = reference or found
            self.assertTrue(same_bits(reference, found), arguments)

    def test_a_longer_run_begins_with_the_samples_of_a_shorter_one(self):
        for kind in ("monte_carlo", "sobol"):
            study = {**SMALL, "design": {"kind": kind, "seed": 11}}
            self.run_study(study, "--instances", 100, "--out", "short.h5", "--overwrite")
            self.run_study(study, "--instances", 200, "--out", "long.h5", "--overwrite")
            with h5py.File(self.path / "short.h5") as short, h5py.File(self.path / "long.h5") as long:
                for name in ("parameters/mass_kg", "quantities/largest_tilt_rad", "state/final/position"):
                    self.assertEqual(short[name][:].tobytes(), long[name][:100].tobytes(), (kind, name))

    def test_the_bundled_studies_run(self):
        for study in sorted(STUDIES.glob("*.json")):
            fewer = [] if '"grid"' in study.read_text() else ["--instances", 50]
            done = self.myriad("run", study, *fewer, "--out", study.stem + ".h5")
            self.assertEqual(done.returncode, 0, study.name + done.stderr)

    def test_every_member_of_the_catalog_runs_and_replays(self):
        catalog = json.loads(self.myriad("list", "--format", "json").stdout)
        integrators = {integrator["name"]: integrator for integrator in catalog["integrators"]}
        for system in catalog["systems"]:
            addresses = [parameter["address"] for parameter in system["parameters"]]
            mass = next(name for name in MASSES if name in addresses)
            for name, charts in system["integrators"].items():
                integrator = integrators[name]
                for chart in charts:
                    for precision in ("fp64", "fp32"):
                        tolerance = 1e-8 if precision == "fp64" else 1e-4
                        steps = ({"relative_tolerance": tolerance, "absolute_tolerance": tolerance}
                                 if integrator["adaptive"] else {"step_s": 1e-4})
                        study = {
                            "system": system["name"], "chart": chart, "precision": precision, "instances": 40,
                            "integrator": {"name": integrator["name"], "end_s": 0.005, **steps},
                            "parameters": {mass: {"uniform": {"low": 10, "high": 20}}},
                        }
                        summary = self.run_study(study, "--overwrite")
                        self.assertEqual(summary["by_status"], {"ok": 40}, study)
                        if precision == "fp64":
                            replay = self.myriad("replay", "study.h5", "--instance", 33)
                            self.assertEqual(replay.returncode, 0, (study, replay.stderr))

    def test_replay_agrees_with_the_reference_path(self):
        self.run_study(SMALL)
        done = self.myriad("replay", "study.h5", "--instance", 57, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        replay = json.loads(done.stdout)
        self.assertEqual((replay["status"], replay["reference_status"]), ("ok", "ok"))
        for difference in replay["differences"]:
            # 50 steps of round-off, a few units in the last place each.
            self.assertLessEqual(difference["largest"], 50 * 8 * 2.3e-16 * max(difference["of_size"], 1), difference)
        self.assertIn("largest difference", self.myriad("replay", "study.h5", "--instance", 0).stdout)
        self.assertEqual(self.myriad("replay", "study.h5", "--instance", 200).returncode, 1)

    def test_report_names_what_is_in_the_file(self):
        self.run_study(SMALL)
        page = self.myriad("report", "study.h5").stdout
        for part in ("largest_tilt_rad", "/state/final/position", "heavy_top", "ok"):
            self.assertIn(part, page)


class Failures(ProgramTest):
    def table(self, bad):
        rows = ["mass_kg"] + [("nan" if i == bad else repr(15 + 0.001 * i)) for i in range(1000)]
        (self.path / "masses.csv").write_text("\n".join(rows) + "\n")

    def test_one_bad_instance_among_a_thousand_changes_no_other(self):
        study = {**without(SMALL, "design", "parameters"), "instances": 1000,
                 "parameters": {"mass_kg": {"normal": {"mean": 15, "standard_deviation": 6}}}}
        summary = self.run_study(study, expect=2)
        self.assertGreater(summary["by_status"]["invalid_parameter"], 0)
        self.assertIn("the mass is not positive", " ".join(summary["by_reason"]))
        with h5py.File(self.path / "study.h5") as file:
            mass, status = file["parameters/mass_kg"][:], file["instance/status"][:]
            self.assertTrue(((mass <= 0) == (status != 0)).all())
            final = file["state/final/position"][:]
        rows = ["mass_kg"] + [repr(float(m)) if m > 0 else "15.0" for m in mass]
        (self.path / "masses.csv").write_text("\n".join(rows) + "\n")
        healthy = {**study, "design": {"kind": "table", "file": "masses.csv"}, "parameters": {}}
        self.run_study(healthy, "--out", "healthy.h5")
        with h5py.File(self.path / "healthy.h5") as file:
            good = mass > 0
            self.assertEqual(file["state/final/position"][:][good].tobytes(), final[good].tobytes())

    def test_the_allowed_share_decides_the_exit_code(self):
        study = {**SMALL, "parameters": {"mass_kg": {"normal": {"mean": 15, "standard_deviation": 10}}}}
        self.run_study(study, expect=2)
        self.run_study({**study, "allowed_failed_share": 0.5}, "--overwrite", expect=0)

    def test_stop_ends_a_run_at_the_first_failure_and_resume_goes_on(self):
        study = {**SMALL, "on_failure": "stop",
                 "parameters": {"mass_kg": {"normal": {"mean": 15, "standard_deviation": 10}}}}
        summary = self.run_study(study, "--chunk", 10, expect=2)
        self.assertEqual(summary["ending"], "stopped_on_failure")
        self.assertLess(summary["finished"], 200)
        again = self.run_study(study, "--chunk", 10, "--resume", expect=2)
        self.assertEqual((again["ending"], again["finished"]), ("stopped_on_failure", summary["finished"]))
        whole = self.run_study(study, "--chunk", 10, "--resume", "-o", "on_failure=continue", expect=2)
        self.assertEqual((whole["ending"], whole["finished"]), ("complete", 200))
        self.run_study({**study, "on_failure": "continue"}, "--out", "straight.h5", expect=2)
        self.assertTrue(same_bits(datasets(self.path / "study.h5"), datasets(self.path / "straight.h5")))

    def test_retry_cures_a_step_that_is_too_large(self):
        study = {**SMALL, "integrator": {"name": "rk4", "step_s": 0.02, "end_s": 0.1},
                 "observe": {"every_steps": 1, "channels": ["position"]}}
        summary = self.run_study(study, expect=2)
        self.assertEqual(summary["by_status"], {"step_rotation_too_large": 200})
        summary = self.run_study({**study, "on_failure": "retry"}, "--overwrite")
        self.assertEqual((summary["by_status"], summary["retried"]), ({"ok": 200}, 200))
        with h5py.File(self.path / "study.h5") as file:
            self.assertTrue((file["instance/certificate/runs"][:] == 2).all())
            self.assertEqual(file["trajectory/position"].shape[1], 6)
            self.assertFalse(numpy.isnan(file["trajectory/position"][:]).any())


    def test_a_retried_instance_is_replayed_with_the_steps_that_gave_its_result(self):
        for precision, round_off in (("fp64", 1e-12), ("fp32", 1e-3)):
            study = {**SMALL, "precision": precision, "on_failure": "retry",
                     "integrator": {"name": "rk4", "step_s": 0.02, "end_s": 0.1},
                     "observe": {"every_steps": 1, "channels": ["position"]}}
            self.run_study(study, "--overwrite")
            replay = json.loads(self.myriad("replay", "study.h5", "--instance", 5, "--format", "json").stdout)
            self.assertEqual((replay["run"], replay["status"], replay["reference_status"]), (2, "ok", "ok"))
            for difference in replay["differences"]:
                self.assertLessEqual(difference["largest"], round_off * max(difference["of_size"], 1), difference)

    def test_the_reference_path_finishes_spans_that_rounding_leaves_short(self):
        # 11 steps of 0.03 s add up to a little less than 0.33 s.
        study = {"system": "free_rigid_body", "instances": 1,
                 "integrator": {"name": "rk4", "step_s": 0.03, "end_s": 0.33}}
        for backend in ("cpu", "reference"):
            done = self.myriad("run", self.study(study), "--backend", backend, "--overwrite", "--format", "json")
            self.assertEqual(json.loads(done.stdout)["by_status"], {"ok": 1}, backend)


class Interruption(ProgramTest):
    def start(self, *arguments):
        return subprocess.Popen([PROGRAM, "run", self.study(LONG), "--backend", "cpu", "--chunk", "100", *arguments],
                                cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def test_a_run_killed_again_and_again_finishes_with_the_same_bits(self):
        self.myriad("run", self.study(LONG), "--out", "whole.h5", "--backend", "cpu")
        whole = datasets(self.path / "whole.h5")
        generator = random.Random(5)
        kills = 0
        for number in [signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGKILL]:
            process = self.start(*(["--resume"] if kills else []))
            time.sleep(generator.uniform(0.15, 0.6))
            process.send_signal(number)
            error = process.communicate(timeout=60)[1]
            kills += 1
            if process.returncode == 0:
                self.fail("the study is too short to be interrupted")
            if number != signal.SIGKILL:
                self.assertEqual(process.returncode, 128 + number, error)
                self.assertIn("--resume", error)
            self.assertFalse((self.path / "study.h5").exists())
        done = self.myriad("run", self.study(LONG), "--backend", "cpu", "--chunk", "33", "--resume", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("going on after", done.stderr)
        self.assertTrue(same_bits(whole, datasets(self.path / "study.h5")))
        self.assertFalse((self.path / "study.h5.journal").exists())

    def test_a_full_disk_keeps_what_was_written(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))

        done = self.myriad("run", self.study(SMALL), "--backend", "cpu", "--chunk", 20, preexec_fn=limit)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("--resume", done.stderr)
        done = self.myriad("run", self.study(SMALL), "--backend", "cpu", "--resume")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_resume_refuses_the_journal_of_another_study(self):
        process = self.start()
        time.sleep(0.5)
        process.kill()
        process.communicate()
        other = {**LONG, "design": {"kind": "monte_carlo", "seed": 4}}
        done = self.myriad("run", self.study(other), "--backend", "cpu", "--resume")
        self.assertIn(done.returncode, (1, 4), done.stderr)
        self.assertIn("another", done.stderr)


class BadInput(ProgramTest):
    def test_studies(self):
        with_key = lambda **changes: {**SMALL, **changes}
        rk4 = SMALL["integrator"]
        mass = lambda value: with_key(parameters={"mass_kg": value})
        cases = [
            ("{ \"system\": \"heavy_top\", ", ["study.json"]),
            (with_key(instnces=3), ["instnces", "instances"]),
            (with_key(system="heavy_to"), ["heavy_to", "heavy_top"]),
            (without(SMALL, "system"), ["system"]),
            (with_key(instances="many"), ["/instances"]),
            (with_key(instances=0), ["/instances"]),
            (with_key(integrator={**rk4, "name": "rk5"}), ["/integrator/name", "rk4"]),
            (with_key(integrator={**rk4, "step_s": 1.0}), ["/integrator/step_s", "span"]),
            (with_key(integrator={**rk4, "step_s": -1}), ["/integrator/step_s"]),
            (with_key(integrator={**rk4, "relative_tolerance": 1e-3}), ["relative_tolerance"]),
            (mass({"normal": {"mean": 15, "standard_deviation": -1}}), ["/parameters/mass_kg", "standard_deviation"]),
            (mass({"normal": {"mean": 15, "sd": 1}}), ["sd", "standard_deviation"]),
            (mass({"uniform": {"low": 2, "high": 1}}), ["/parameters/mass_kg"]),
            (mass({"gauss": {"mean": 15}}), ["gauss"]),
            (mass("heavy"), ["/parameters/mass_kg"]),
            (with_key(parameters={"mas_kg": 3}), ["mas_kg", "mass_kg"]),
            (with_key(design={"kind": "table", "file": "nowhere.csv"}, parameters={}), ["nowhere.csv"]),
            (with_key(quantities={"a": {"max": "position.top.w"}}), ["/quantities/a"]),
            (with_key(quantities={"a": {"maximum": "tilt"}}), ["maximum", "max"]),
            (with_key(observe={"every_steps": 10, "channels": ["positon"]}), ["positon", "position"]),
            (json.dumps(SMALL).replace("15", "NaN", 1), ["study.json"]),
        ]
        for study, parts in cases:
            with self.subTest(study=str(study)[:100]):
                self.refused(study, *parts)

    def test_a_nan_among_the_initial_values_of_a_table_is_refused_with_its_line(self):
        (self.path / "start.csv").write_text("initial_rotation_vector_rad[0]\n0.1\nnan\n0.2\n")
        study = {**SMALL, "instances": 3, "design": {"kind": "table", "file": "start.csv"}, "parameters": {}}
        self.refused(study, "start.csv", "3")

    def test_command_line(self):
        study = self.study(SMALL)
        for arguments, code, part in [
            (["run"], 1, "study"),
            (["run", "missing.json"], 1, "missing.json"),
            (["run", study, "--backend", "abacus"], 1, "abacus"),
            (["run", study, "--threads", "1000"], 1, "--threads"),
            (["run", study, "--width", "3", "--backend", "cpu"], 1, "--width"),
            (["run", study, "--precision", "fp16"], 1, "fp16"),
            (["run", study, "-o", "integrator.step=1"], 1, "step_s"),
            (["run", study, "--frobnicate"], 1, "frobnicate"),
            (["run", study, "--seed", "-1"], 1, "--seed"),
            (["run", study, "--seed", "18446744073709551616"], 1, "--seed"),
            (["run", study, "--chunk", "-1"], 1, "--chunk"),
            (["run", study, "--out", "nowhere/result.h5"], 4, "nowhere"),
            (["run", study, "--out", "/proc/result.h5"], 4, "/proc"),
            (["replay", study, "--instance", "0"], 1, "study.json"),
            (["report", "missing.h5"], 1, "missing.h5"),
            (["list", "--system", "heavy_tops"], 1, "heavy_top"),
            (["schema", "poem"], 1, "study"),
            ([], 1, ""),
        ]:
            with self.subTest(arguments=arguments):
                done = self.myriad(*arguments)
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(part, done.stderr)
                self.assertNotIn("internal error", done.stderr)

    def test_a_result_is_not_overwritten_unless_asked(self):
        self.run_study(SMALL)
        before = (self.path / "study.h5").read_bytes()
        done = self.myriad("run", self.study(SMALL), "--backend", "cpu")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn("--overwrite", done.stderr)
        self.assertEqual(before, (self.path / "study.h5").read_bytes())
        self.run_study(SMALL, "--overwrite")

    def test_only_a_result_is_ever_replaced(self):
        study = self.study(SMALL)
        before = Path(study).read_bytes()
        for out in (study, "notes.txt"):
            (self.path / "notes.txt").write_text("not a result")
            done = self.myriad("run", study, "--backend", "cpu", "--overwrite", "--out", out)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("not a result", done.stderr)
        self.assertEqual(before, Path(study).read_bytes())

    def test_output_that_nobody_takes_is_an_error(self):
        with open("/dev/full", "w") as full:
            for arguments in (["list"], ["schema", "study"], ["run", self.study(SMALL), "--backend", "cpu"]):
                done = subprocess.run([PROGRAM, *arguments], cwd=self.path, stdout=full, stderr=subprocess.PIPE,
                                      text=True)
                self.assertEqual(done.returncode, 4, arguments)

    def test_a_study_that_is_a_folder_is_refused(self):
        self.assertEqual(self.myriad("run", ".").returncode, 1)

    def test_a_study_is_read_from_a_pipe_and_waiting_for_one_can_be_ended(self):
        done = self.myriad("run", "/dev/stdin", "--backend", "cpu", "--out", "piped.h5", input=json.dumps(SMALL))
        self.assertEqual(done.returncode, 0, done.stderr)
        os.mkfifo(self.path / "pipe.json")
        process = subprocess.Popen([PROGRAM, "run", "pipe.json"], cwd=self.path, stderr=subprocess.DEVNULL)
        time.sleep(0.3)
        process.terminate()
        self.assertEqual(process.wait(timeout=10), -signal.SIGTERM)

    def test_statistics_without_quantiles_are_a_result_too(self):
        self.run_study({**SMALL, "statistics": {"quantiles": []}})
        with h5py.File(self.path / "study.h5") as file:
            self.assertNotIn("quantile", file["statistics"])

    def test_help_version_list_and_schema_answer(self):
        self.assertEqual(self.myriad("--help").returncode, 0)
        self.assertIn("Exit codes", self.myriad("--help").stdout)
        self.assertIn("myriad", self.myriad("version").stdout)
        self.assertIn("heavy_top", self.myriad("list").stdout)
        self.assertIn("centre_of_mass_m[1]", self.myriad("list", "--system", "heavy_top").stdout)
        schema = json.loads(self.myriad("schema", "study").stdout)
        self.assertIn("integrator", schema["properties"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
