"""The whole program from outside: studies run from the command line, failures, the result in h5py.

Run by ctest with MYRIAD_PROGRAM (the program) and MYRIAD_SOURCE_DIR (the project) in the environment.
"""

import json
import math
import time
import unittest

import h5py
import numpy

from program_case import PENDULUM, SMALL, STUDIES, SWINGS, ProgramTest, datasets, same_bits, without

# The varied mass of each system: the first of these that it has.
MASSES = ("mass_kg", "link_2.mass_kg", "mass_kg[0]", "mass_1.mass_kg", "ball_1.mass_kg", "crank.mass_kg")
SOFT_ROD = {"rod.axial_stiffness_N": 2e4, "rod.bending_stiffness_N_m2": 20}


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

    def test_a_spherical_joint_shows_its_orientation_and_its_angular_velocity_in_both_coordinates(self):
        self.study({
            "gravity_m_s2": [0, 0, -9.81],
            "bodies": {"bob": {"mass_kg": 1.0, "inertia_kg_m2": [0.02, 0.03, 0.01]}},
            "joints": {"ball": {"type": "spherical", "bodies": ["ground", "bob"], "points_m": [[0, 0, 0], [0, 0, 0.5]],
                                "orientation": {"rotation_vector_rad": [0.6, 0, 0]},
                                "angular_velocity_rad_s": [0, 0, 5]}},
            "sensors": {"attitude": {"type": "orientation", "joint": "ball"},
                        "spin": {"type": "angular_velocity", "joint": "ball"}}}, "ball.json")
        study = {"mechanism": "ball.json", "integrator": {"name": "generalized_alpha", "step_s": 1e-3, "end_s": 0.5},
                 "instances": 3, "observe": {"every_steps": 50, "channels": ["attitude", "spin", "orientation"]},
                 "parameters": {"gravity_m_s2[2]": {"uniform": {"low": -10.0, "high": -9.0}}},
                 "quantities": {"fastest_rad_s": {"max": "spin.norm"}, "last_w": {"final": "attitude.w"}}}
        for coordinates in ("joint", "body"):
            self.run_study({**study, "coordinates": coordinates}, "--overwrite")
            with h5py.File(self.path / "study.h5") as file:
                attitude, spin = file["trajectory/attitude"], file["trajectory/spin"]
                self.assertEqual((attitude.shape, spin.shape), ((3, 11, 4), (3, 11, 3)))
                self.assertEqual((attitude.attrs["unit"], attitude.attrs["frame"]), ("1", "bob to ground"))
                self.assertEqual((spin.attrs["unit"], spin.attrs["frame"]), ("rad/s", "bob"))
                self.assertTrue(numpy.allclose(attitude[:, 0], [math.cos(0.3), math.sin(0.3), 0, 0], rtol=0, atol=1e-12))
                self.assertTrue(numpy.allclose(spin[:, 0], [0, 0, 5], rtol=0, atol=1e-12))
                body = file["trajectory/orientation"][:, :, 0]
                body = body * numpy.where(body[..., :1] < 0, -1, 1)
                self.assertLess(abs(attitude[:] - body).max(), 1e-14)
                self.assertTrue((file["quantities/fastest_rad_s"][:] >= numpy.linalg.norm(spin[:], axis=2).max(1)).all())
                self.assertTrue((file["quantities/last_w"][:] == attitude[:, -1, 0]).all())

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
            # A rod soft enough for the explicit schemes, whose step its axial vibration limits.
            soft = {address: value for address, value in SOFT_ROD.items() if address in addresses}
            for name, charts in system["integrators"].items():
                integrator = integrators[name]
                for chart in charts:
                    for precision in ("fp64", "fp32"):
                        if precision == "fp32" and chart not in system.get("fp32", {}).get(name, []):
                            continue
                        tolerance = 1e-8 if precision == "fp64" else 1e-4
                        steps = ({"relative_tolerance": tolerance, "absolute_tolerance": tolerance}
                                 if integrator["adaptive"] else {"step_s": 1e-5 if soft else 1e-4})
                        study = {
                            "system": system["name"], "chart": chart, "precision": precision, "instances": 40,
                            "integrator": {"name": integrator["name"], "end_s": 0.005, **steps},
                            "parameters": {mass: {"uniform": {"low": 10, "high": 20}}, **soft},
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

    def test_replay_on_double_kernels_has_the_bits_of_the_result(self):
        # Plain numbers, one trial step after the other, against packs, threads and launches of many steps; with instances
        # that fail, adaptive steps and single precision.
        mechanism = str(STUDIES.parent / "mechanisms" / "slider_crank_iftomm.json")
        wild = {"mechanism": mechanism, "instances": 40, "allowed_failed_share": 1,
                "integrator": {"name": "rk4", "step_s": 0.5, "end_s": 100.0},
                "parameters": {"bodies.slider.mass_kg": {"uniform": {"low": 1, "high": 3}}},
                "observe": {"every_steps": 3, "channels": ["position", "orientation"]},
                "quantities": {"farthest_m": {"max": "position.slider.x"}}}
        adaptive = {**SMALL, "observe": {"every_s": 0.01, "channels": ["position"]},
                    "integrator": {"name": "dopri5", "end_s": 0.05, "relative_tolerance": 1e-8, "absolute_tolerance": 1e-8}}
        studies = [SMALL, wild, adaptive]
        top = next(system for system in json.loads(self.myriad("list", "--format", "json").stdout)["systems"]
                   if system["name"] == "heavy_top")
        if "rk4" in top.get("fp32", {}):
            studies.append({**SMALL, "precision": "fp32"})
        ends = set()
        for study in studies:
            with self.subTest(study=study):
                self.run_study(study, "--overwrite", "--threads", 2)
                for instance in (0, 17, 39):
                    done = self.myriad("replay", "study.h5", "--instance", instance, "--kernels", "double", "--format", "json")
                    self.assertEqual(done.returncode, 0, done.stderr)
                    replay = json.loads(done.stdout)
                    self.assertEqual(replay["repeated_by"], "double")
                    self.assertEqual([replay[key] for key in ("status", "time_s", "steps")],
                                     [replay["reference_" + key] for key in ("status", "time_s", "steps")])
                    ends.add(replay["status"])
                    self.assertGreater(len(replay["differences"]), 3)
                    for difference in replay["differences"]:
                        self.assertEqual(difference["largest"], 0.0, difference)
        self.assertGreater(len(ends), 1, "no instance failed")
        said = self.myriad("replay", "study.h5", "--instance", 0, "--kernels", "double").stdout
        self.assertRegex(said, r"\ndouble +\w+ ")

    def test_report_says_who_makes_pages_with_plots(self):
        refused = self.myriad("report", "study.h5", "--html", "page.html")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("python3 -m myriad report study.h5 --html page.html", refused.stderr)

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
            self.assertEqual(summary["first_by_reason"], {reason: int((mass <= 0).argmax())
                                                          for reason in summary["by_reason"]})
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

    def test_a_span_that_is_no_multiple_of_the_step_leaves_reactions_alone(self):
        # A last step of 10 us after steps of 1 ms would show 38 N less; the motion itself changes 0.04 N in 10 us.
        mechanism = STUDIES.parent / "mechanisms" / "double_pendulum.json"
        forces = {}
        for end_s, steps in ((1.0, 1000), (1.00001, 1001)):
            study = {"mechanism": str(mechanism), "coordinates": "body", "instances": 1,
                     "integrator": {"name": "generalized_alpha", "step_s": 1e-3, "end_s": end_s},
                     "quantities": {"force_N": {"final": "shoulder_force.y"}}}
            for backend in ("cpu", "reference"):
                done = self.myriad("run", self.study(study), "--backend", backend, "--overwrite")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual("1001 equal steps of" in done.stderr, end_s > 1.0, done.stderr)
                with h5py.File(self.path / "study.h5") as file:
                    forces[backend, end_s] = file["quantities/force_N"][0]
                    self.assertEqual(json.loads(file.attrs["study"])["integrator"]["step_s"], end_s / steps)
                    self.assertEqual(file["instance/certificate/steps"][0], steps)
        for backend in ("cpu", "reference"):
            self.assertAlmostEqual(forces[backend, 1.00001], forces[backend, 1.0], delta=0.05)

    def test_the_reference_path_finishes_spans_that_rounding_leaves_short(self):
        # 11 steps of 0.03 s add up to a little less than 0.33 s.
        study = {"system": "free_rigid_body", "instances": 1,
                 "integrator": {"name": "rk4", "step_s": 0.03, "end_s": 0.33}}
        for backend in ("cpu", "reference"):
            done = self.myriad("run", self.study(study), "--backend", backend, "--overwrite", "--format", "json")
            self.assertEqual(json.loads(done.stdout)["by_status"], {"ok": 1}, backend)


if __name__ == "__main__":
    unittest.main(verbosity=2)
