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

from program_case import PROGRAM, SMALL, ProgramTest


class BadInput(ProgramTest):
    def test_studies(self):
        self.refused('{ "system": "heavy_top", ', "study.json:1:")
        self.refused({**SMALL, "instnces": 3}, "study.json:1:", "/instnces: ", 'did you mean "instances"?')

    def test_contacts_that_some_instances_draw_give_a_status(self):
        crank = {"system": "slider_crank_clearance", "instances": 2,
                 "integrator": {"name": "nonsmooth_bathe", "step_s": 1e-5, "end_s": 1e-4}}
        # A value that only some instances draw, or that follows from several numbers, gives a status.
        for parameters, status, why in [
            ({"clearance_m": -0.001}, "invalid_parameter", "clearance is negative"),
            ({"friction": {"uniform": {"low": -0.2, "high": -0.1}}}, "invalid_parameter", "friction is negative"),
            ({"initial_angle_rad[2]": 0.1}, "assembly_failed", "initial_penetration"),
        ]:
            summary = self.run_study({**crank, "parameters": parameters}, "--overwrite", expect=2)
            self.assertEqual(summary["by_status"], {status: 2})
            self.assertIn(why, str(summary["by_reason"]))

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
            ("cpu", {"--kernels": "interpreted"}, "for mechanisms, and this study is of the system"),
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

    def test_interpreted_steps_are_refused_on_other_backends(self):
        study = self.study({**SMALL, "instances": 2})
        for arguments, part in [(["run", study, "--backend", "reference"], "--backend cpu"),
                                (["run", study, "--backend", "cuda"], "--backend cpu")]:
            with self.subTest(arguments=arguments):
                done = self.myriad(*arguments, "--kernels", "interpreted")
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("--kernels", done.stderr)
                self.assertIn(part, done.stderr)
        self.assertIn("changes nothing", self.myriad("run", study, "--kernels", "interpreted").stderr)

    def test_compiled_steps_without_a_compiler_are_refused_once(self):
        study = Path(os.environ["MYRIAD_SOURCE_DIR"]) / "ensembles/studies/double_pendulum.json"
        has_gpu = "cuda       not available" not in self.myriad("version").stdout
        for backend in (["--backend", "cpu"],) if has_gpu else (["--backend", "cpu"], []):
            with self.subTest(backend=backend):
                done = self.myriad("run", study, *backend, "--instances", 2, "--kernels", "compiled", "--out", "x.h5",
                                   env={**os.environ, "MYRIAD_COMPILER": "/nonexistent", "XDG_CACHE_HOME": str(self.path)})
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertEqual(done.stderr.count("no C compiler where MYRIAD_COMPILER says"), 1, done.stderr)
                self.assertIn("leave --kernels compiled out", done.stderr)

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
