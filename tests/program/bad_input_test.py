"""Bad input from outside: what is wrong, where and what to do; nothing is written.

Run by ctest with MYRIAD_PROGRAM (the program) and MYRIAD_SOURCE_DIR (the project) in the environment.
"""

import json
import os
import signal
import subprocess
import unittest
from pathlib import Path

import h5py

from program_case import PROGRAM, SMALL, ProgramTest, without


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

    def test_contacts_of_a_mechanism(self):
        floor = {"type": "sphere_plane", "bodies": ["ground", "ball"], "plane_point_m": [0, 0, 0],
                 "plane_normal": [0, 0, 1], "point_m": [0, 0, 0], "radius_m": 0.1, "friction": 0.2}
        def study(contact=floor, name="floor", method="nonsmooth_generalized_alpha", parameters=None, **more):
            return {"integrator": {"name": method, "step_s": 1e-3, "end_s": 0.01, **more}, "instances": 2,
                    "parameters": parameters or {}, "mechanism": {
                        "bodies": {"ball": {"mass_kg": 1, "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": [0, 0, 0.2]}},
                        "contacts": {name: contact}}}
        in_floor = "/mechanism/contacts/floor"
        cases = [
            (study({**floor, "friction": -0.1}), [in_floor + "/friction: ", "-0.1", "negative", "give 0"]),
            (study({**floor, "normal_restitution": 1.5}), [in_floor + "/normal_restitution: ", "1.5", "from 0 to 1"]),
            (study({**floor, "tangential_restitution": -1}), [in_floor + "/tangential_restitution: ", "from 0 to 1"]),
            (study({**floor, "radius_m": -0.1}), [in_floor + "/radius_m: ", "-0.1", "negative"]),
            (study({**floor, "plane_normal": [0, 0, 0]}), [in_floor + "/plane_normal: ", "length zero"]),
            (study({**floor, "bodies": ["ground", "bal"]}), [in_floor + "/bodies/1: ", "bal", "did you mean \"ball\"?"]),
            (study({**floor, "bodies": ["ball", "ball"]}), [in_floor + "/bodies: ", "ball", "two different bodies"]),
            (study({**floor, "fricton": 0.1}), [in_floor + "/fricton: ", "did you mean \"friction\"?"]),
            (study({**floor, "type": "sphere_plain"}), [in_floor + "/type: ", "did you mean \"sphere_plane\"?"]),
            (study(without(floor, "radius_m")), [in_floor + ": ", "\"radius_m\" is missing"]),
            (study(name="a floor"), ["/mechanism/contacts/a floor: ", "letters"]),
            (json.dumps(study()).replace("{\"floor\"", "{\"floor\": 1, \"floor\""), [in_floor, "stands twice"]),
            (study({**floor, "radius_m": 0.3}), ["/mechanism: ", "floor", "0.1 m", "initial_penetration"]),
            (study(parameters={"contacts.floor.friction": -0.3}), ["/parameters: ", "contact floor", "-0.3"]),
            (study(parameters={"contacts.floor.plane_normal": [0, 0, 0]}), ["/mechanism: ", "floor", "no gap"]),
            (study(parameters={"contacts.floor.frictoin": 0.3}), ["did you mean \"contacts.floor.friction\"?"]),
            (study(parameters={"contacts.wall.friction": 0.3}), ["/parameters/contacts.wall.friction: ", "no parameter"]),
            (study(method="generalized_alpha"), ["/integrator/name: ", "knows no contact", "moreau_midpoint"]),
            (study(method="energy_momentum_full"), ["/integrator/name: ", "knows no contact", "moreau_midpoint"]),
            (study(initial_penetration="projekt"), ["/integrator/initial_penetration: ", "did you mean \"project\"?"]),
            (study(impact_threshold_N_s=-1), ["/integrator/impact_threshold_N_s: ", "negative"]),
        ]
        for given, parts in cases:
            with self.subTest(study=str(given)[:200], parts=parts):
                message = self.refused(given, "study.json:", *parts)
                self.assertLess(len(message), 1200, "a message of a page helps nobody")

    def test_contacts_of_a_system(self):
        crank = {"system": "slider_crank_clearance", "instances": 2,
                 "integrator": {"name": "nonsmooth_bathe", "step_s": 1e-5, "end_s": 1e-4}}
        self.refused({**crank, "parameters": {"friction": -0.1}}, "/parameters: ", "the friction is -0.1", "negative")
        self.refused({**crank, "parameters": {"normal_restitution": 1.1}}, "/parameters: ", "normal restitution is 1.1")
        self.refused({**crank, "parameters": {"contacts.lower_left.friction": 0.1}}, "no parameter", "friction")
        # A value that only some instances draw, or that follows from several numbers, gives a status.
        for parameters, status, why in [
            ({"clearance_m": -0.001}, "invalid_parameter", "clearance is negative"),
            ({"friction": {"uniform": {"low": -0.2, "high": -0.1}}}, "invalid_parameter", "friction is negative"),
            ({"initial_angle_rad[2]": 0.1}, "assembly_failed", "initial_penetration"),
        ]:
            summary = self.run_study({**crank, "parameters": parameters}, "--overwrite", expect=2)
            self.assertEqual(summary["by_status"], {status: 2})
            self.assertIn(why, str(summary["by_reason"]))

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
            (["run", study, "--threads", "-1"], 1, "--threads"),
            (["run", study, "--out", "result.csv"], 1, "HDF5"),
            ([study], 1, "did you mean `myriad run "),
            (["result.h5"], 1, "did you mean `myriad report result.h5`?"),
            (["rnu", study], 1, 'myriad: "rnu": this is no command\n  did you mean `myriad run '),
            (["show", "crank.json"], 1, "`python3 -m myriad show crank.json`"),
            (["import"], 1, "a command of the Python package"),
            (["bench", "import", "models"], 1, "a command of the Python package"),
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

    def test_an_option_of_another_backend_is_named(self):
        study = self.study({**SMALL, "instances": 2})
        cases = [
            ("cpu", {"--kernels": "table"}, "mechanisms in joint coordinates"),
            ("reference", {"--kernels": "compiled", "--width": "4"}, "--backend reference"),
        ]
        for backend, idle, why in cases:
            with self.subTest(backend=backend, idle=idle):
                options = [part for pair in idle.items() for part in pair]
                done = self.myriad("run", study, "--backend", backend, "--overwrite", *options)
                self.assertEqual(done.returncode, 0, done.stderr)
                for option, value in idle.items():
                    self.assertIn(f"warning: {option} {value} changes nothing", done.stderr)
                self.assertIn(why, done.stderr)
        self.assertNotIn("warning", self.myriad("run", study, "--backend", "cpu", "--overwrite", "--width", "1").stderr)

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
        (self.path / "notes.h5").write_text("not a result")
        (self.path / "notes").write_text("not a result")
        for out in ("notes.h5", "notes"):
            done = self.myriad("run", study, "--backend", "cpu", "--overwrite", "--out", out)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("not a result", done.stderr)
            self.assertEqual((self.path / out).read_text(), "not a result")
        self.refused(SMALL, ".json names another kind", arguments=("--overwrite", "--out", study))
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
        writer = os.open(self.path / "pipe.json", os.O_WRONLY)  # comes back when the program has opened it, too
        process.terminate()
        self.assertEqual(process.wait(), -signal.SIGTERM)
        os.close(writer)

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
