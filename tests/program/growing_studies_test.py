"""Studies in parts, that grow, and that are merged: always the datasets of one run, bit for bit.

Run by ctest with MYRIAD_PROGRAM (the program) and MYRIAD_SOURCE_DIR (the project) in the environment.
"""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import unittest

import h5py

from program_case import LONG, PENDULUM, PROGRAM, SMALL, SWINGS, ProgramTest, datasets, same_bits

SPREAD = {
    "mass_kg": {"normal": {"mean": 15, "standard_deviation": 0.5}},
    "initial_rotation_vector_rad[0]": {"uniform": {"low": 0.1, "high": 1.0}},
}
SENSITIVE = {**SMALL, "integrator": {"name": "rk4", "step_s": 1e-3, "end_s": 0.01}, "statistics": {
    "sensitivity": True, "quantiles": [0.05, 0.5, 0.999]}, "parameters": SPREAD}


def design(kind, instances):
    study = {**SENSITIVE, "instances": instances, "design": {"kind": kind, "seed": 3}}
    if kind == "sobol":
        study["design"]["replicates"] = 4
    if kind == "grid":
        del study["design"]["seed"], study["instances"]
        study["parameters"] = {name: {**SPREAD[name], "levels": n} for name, n in zip(SPREAD, (7, instances // 7))}
    if kind == "table":
        study["design"] = {"kind": "table", "file": "table.csv"}
        del study["parameters"], study["instances"]
    return study


def table(rows, change=None):
    lines = ["mass_kg,initial_rotation_vector_rad[0]"]
    lines += [f"{14 + 0.01 * i!r},{0.1 + 1e-4 * i + (1e-9 if i == change else 0)!r}" for i in range(rows)]
    return "\n".join(lines) + "\n"


class GrowingStudies(ProgramTest):
    def run_here(self, *arguments, expect=0, name="study.json"):
        done = self.myriad("run", name, "--backend", "cpu", *arguments)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        self.assertNotIn("internal error", done.stderr)
        return done

    def expect_same(self, one, other, what=""):
        ours, theirs = datasets(self.path / one), datasets(self.path / other)
        self.assertEqual(ours.keys(), theirs.keys())
        differing = [name for name in ours if not same_bits({0: ours[name]}, {0: theirs[name]})]
        self.assertEqual(differing, [], what)

    def parts(self, cuts, *arguments):
        names = []
        for first, end in zip(cuts, cuts[1:]):
            self.run_here("--range", f"{first}:{end}", *arguments)
            names.append(f"study.{first}-{end}.h5")
        return names

    def merge(self, *arguments, expect=0):
        done = self.myriad("merge", *arguments)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        self.assertNotIn("internal error", done.stderr)
        return done

    def test_parts_of_every_design_merge_to_the_datasets_of_one_run(self):
        for kind, instances in [("monte_carlo", 1000), ("sobol", 1000), ("latin_hypercube", 1000), ("grid", 7 * 33),
                                ("table", 333)]:
            with self.subTest(design=kind):
                (self.path / "table.csv").write_text(table(instances))
                self.study(design(kind, instances))
                self.run_here("--out", "whole.h5")
                names = self.parts([0, 1, 32, 65, instances], "--chunk", "17")
                random.Random(kind).shuffle(names)
                self.merge(*names, "--out", "all.h5")
                self.expect_same("whole.h5", "all.h5")
                self.merge(*names, "--out", "linked.h5", "--link")
                self.expect_same("whole.h5", "linked.h5")
                with h5py.File(self.path / "whole.h5") as whole, h5py.File(self.path / "all.h5") as merged:
                    self.assertEqual(set(whole.attrs), set(merged.attrs))
                    for name in set(whole.attrs) - {"wall_time_s"}:
                        self.assertEqual(whole.attrs[name], merged.attrs[name], name)
                for name in [*names, "whole.h5", "all.h5", "linked.h5"]:
                    (self.path / name).unlink()

    def test_parts_of_a_mechanism_with_trajectories_merge(self):
        (self.path / "pendulum.json").write_text(json.dumps(PENDULUM))
        self.study({**SWINGS, "instances": 70, "on_failure": "retry"})
        self.run_here("--out", "whole.h5")
        names = self.parts([0, 33, 64, 70])
        self.merge(*names, "--out", "all.h5")
        self.expect_same("whole.h5", "all.h5")

    def test_shards_are_equal_ranges_that_cover_the_study(self):
        for instances, shards in [(1000, 3), (33, 32), (31, 31), (1, 1)]:
            self.study({**SENSITIVE, "instances": instances})
            self.run_here("--out", "whole.h5")
            for k in range(shards):
                self.run_here("--shard", f"{k}/{shards}")
                first, end = k * instances // shards, (k + 1) * instances // shards
                with h5py.File(self.path / f"study.{first}-{end}.h5") as part:
                    self.assertEqual(list(part["instance/id"]), list(range(first, end)))
                    self.assertEqual(part.attrs["first_instance"], first)
                    self.assertEqual(part.attrs["study_instances"], instances)
            self.merge(*[path.name for path in self.path.glob("study.*-*.h5")], "--out", "all.h5")
            self.expect_same("whole.h5", "all.h5")
            for path in self.path.glob("*.h5"):
                path.unlink()

    def test_ranges_that_are_none_are_refused(self):
        self.study({**SENSITIVE, "instances": 100})
        for arguments, word in [(["--range", "5:5"], "no instance"), (["--range", "0:101"], "0 to 99"),
                                (["--range", "-1:5"], "range"), (["--range", "5"], "--range 500:1000"),
                                (["--shard", "3/3"], "no such shard"), (["--shard", "0/0"], "no such shard"),
                                (["--shard", "0/101"], "at most 100 shards"),
                                (["--range", "0:5", "--shard", "0/2"], "exclude")]:
            done = self.run_here(*arguments, expect=1)
            self.assertIn(word, done.stderr, arguments)
        self.assertEqual(list(self.path.glob("*.h5*")), [])

    def test_merge_names_what_is_missing_or_there_twice(self):
        self.study({**SENSITIVE, "instances": 1000})
        parts = self.parts([0, 100, 250, 400, 1000])
        self.run_here("--range", "200:300")
        done = self.merge(parts[0], parts[2], "study.200-300.h5", "--out", "all.h5", expect=1)
        self.assertIn("instances 100 to 199 are in no part", done.stderr)
        self.assertIn("instances 400 to 999 are in no part", done.stderr)
        self.assertIn("instances 250 to 299 are in study.200-300.h5 and in study.250-400.h5", done.stderr)
        self.study({**SENSITIVE, "instances": 1000, "design": {"kind": "monte_carlo", "seed": 4}})
        self.run_here("--range", "0:100", "--out", "other.h5")
        done = self.merge("other.h5", *parts[1:], "--out", "all.h5", expect=1)
        self.assertIn("another run", done.stderr)
        self.assertFalse((self.path / "all.h5").exists())
        self.merge(*parts, "--out", "all.h5")
        self.assertIn("there already", self.merge(*parts, "--out", "all.h5", expect=4).stderr)
        (self.path / "elsewhere").mkdir()
        done = self.merge(*parts, "--out", "elsewhere/all.h5", "--link", expect=1)
        self.assertIn("in the folder of --out or below", done.stderr)

    def test_report_and_replay_work_on_parts_merged_and_linked_files(self):
        self.study({**SENSITIVE, "instances": 100})
        self.run_here("--out", "whole.h5")
        (self.path / "parts").mkdir()
        for first, end in [(0, 33), (33, 100)]:
            self.run_here("--range", f"{first}:{end}", "--out", f"parts/{first}.h5")
        self.merge("parts/33.h5", "parts/0.h5", "--out", "all.h5")
        self.merge("parts/33.h5", "parts/0.h5", "--out", "linked.h5", "--link")
        replays = {}
        for name in ["whole.h5", "parts/33.h5", "all.h5", "linked.h5"]:
            report = self.myriad("report", name)
            self.assertEqual(report.returncode, 0, report.stderr)
            self.assertEqual("33 to 99 of 100" in report.stdout, name == "parts/33.h5", report.stdout[:2000])
            replay = self.myriad("replay", name, "--instance", "57", "--format", "json")
            self.assertEqual(replay.returncode, 0, replay.stderr)
            replays[name] = json.loads(replay.stdout)
            self.assertEqual(replays[name], replays["whole.h5"])
        self.assertLess(replays["whole.h5"]["largest_difference"]["value"], 1e-9)
        done = self.myriad("replay", "parts/33.h5", "--instance", "32")
        self.assertEqual(done.returncode, 1)
        self.assertIn("33 to 99", done.stderr)
        shutil.move(self.path / "parts/0.h5", self.path / "gone.h5")
        done = self.myriad("report", "linked.h5")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("'parts/0.h5' is not there", done.stderr)

    def test_resume_of_a_complete_run_says_so(self):
        self.study({**SENSITIVE, "instances": 33})
        self.run_here()
        before = (self.path / "study.h5").read_bytes()
        done = self.run_here("--resume")
        self.assertIn("study.h5 is complete", done.stdout)
        self.assertEqual(len(done.stdout.splitlines()), 1)
        self.assertEqual(json.loads(self.run_here("--resume", "--format", "json").stdout)["ending"], "complete_before")
        self.assertEqual((self.path / "study.h5").read_bytes(), before)
        self.assertFalse((self.path / "study.h5.journal").exists())
        self.run_here("--range", "5:9")
        self.assertIn("complete", self.run_here("--range", "5:9", "--resume").stdout)

    def test_resume_with_more_instances_extends(self):
        for kind, sizes in [("monte_carlo", (1, 33, 1000)), ("sobol", (31, 1000)), ("table", (33, 200))]:
            with self.subTest(design=kind):
                (self.path / "table.csv").write_text(table(sizes[0]))
                self.study(design(kind, sizes[0]))
                self.run_here()
                for size in sizes[1:]:
                    (self.path / "table.csv").write_text(table(size))
                    self.study(design(kind, size))
                    done = self.run_here("--resume", *([] if kind == "table" else ["--instances", size]))
                    self.assertIn("going on after", done.stderr)
                    self.run_here("--out", "whole.h5")
                    self.expect_same("whole.h5", "study.h5")
                    (self.path / "whole.h5").unlink()
                (self.path / "study.h5").unlink()

    def test_resume_refuses_what_cannot_be_extended(self):
        (self.path / "table.csv").write_text(table(60))
        for kind in ["latin_hypercube", "grid", "table", "monte_carlo"]:
            self.study(design(kind, 7 * 5))
            self.run_here("--overwrite")
            before = (self.path / "study.h5").read_bytes()
            if kind == "monte_carlo":
                self.assertIn("only grows", self.run_here("--resume", "--instances", "34", expect=1).stderr)
                self.assertIn("another run", self.run_here("--resume", "--seed", "9", expect=1).stderr)
                done = self.run_here("--resume", "--range", "0:10", "--out", "study.h5", expect=1)
                self.assertIn("0 to 34, this run has 0 to 9", done.stderr)
            elif kind == "table":
                (self.path / "table.csv").write_text(table(70, change=8))
                self.assertIn("first rows", self.run_here("--resume", expect=1).stderr)
            else:
                self.study(design(kind, 7 * 6))
                self.assertIn("fixed size", self.run_here("--resume", expect=1).stderr)
            self.assertEqual((self.path / "study.h5").read_bytes(), before)

    def test_another_build_finishes_no_run_of_this_one(self):
        self.study({**SENSITIVE, "instances": 33})
        self.run_here()
        with h5py.File(self.path / "study.h5", "r+") as file:
            fingerprint = file.attrs["study_fingerprint"]
            commit = json.loads(self.myriad("version", "--format", "json").stdout)["commit"]
            self.assertTrue(fingerprint.endswith(commit), fingerprint)
            file.attrs["study_fingerprint"] = fingerprint[:-len(commit)] + "0123456789ab"
        for more in [[], ["--instances", "50"]]:
            done = self.run_here("--resume", *more, expect=1)
            self.assertIn("another build", done.stderr)
            self.assertIn("0123456789ab", done.stderr)

    def start(self, *arguments):
        return subprocess.Popen([PROGRAM, "run", "study.json", "--backend", "cpu", *arguments], cwd=self.path,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    # While it runs and while it copies: the old result stays until the new one stands.
    def test_an_extension_killed_again_and_again_keeps_the_old_result(self):
        self.study({**LONG, "instances": 300})
        self.run_here()
        old = datasets(self.path / "study.h5")
        self.study({**LONG, "instances": 2500})
        self.run_here("--out", "whole.h5")
        generator = random.Random(7)
        for _ in range(6):
            process = self.start("--resume", "--chunk", "50")
            self.wait_for_records(process, generator.randrange(4))
            process.kill()
            self.assertNotEqual(process.wait(), 0, "the study is too short to be killed")
            process.communicate()
            self.assertTrue(same_bits(old, datasets(self.path / "study.h5")))
        self.run_here("--resume")
        self.expect_same("whole.h5", "study.h5")
        self.assertEqual(sorted(path.name for path in self.path.glob("study.h5*")), ["study.h5"])

    def test_an_unfinished_run_and_an_unfinished_range_go_on(self):
        self.study({**LONG, "instances": 2000})
        self.run_here("--out", "whole.h5")
        for arguments in [["--out", "study.h5"], ["--range", "31:2000"]]:
            process = self.start(*arguments, "--chunk", "33")
            self.wait_for_records(process, 2, "study.h5" if "--out" in arguments else "study.31-2000.h5")
            process.kill()
            process.communicate()
            self.assertTrue(list(self.path.glob("study*.journal")))
            done = self.run_here(*arguments, "--resume")
            self.assertIn("going on after", done.stderr)
        self.run_here("--range", "0:31")
        self.merge("study.31-2000.h5", "study.0-31.h5", "--out", "all.h5")
        self.expect_same("whole.h5", "all.h5")
        self.expect_same("whole.h5", "study.h5")

    def test_an_unfinished_run_is_extended(self):
        self.study({**LONG, "instances": 1000})
        process = self.start("--chunk", "33")
        self.wait_for_records(process, 2)
        process.kill()
        process.communicate()
        self.run_here("--resume", "--instances", "1500")
        self.run_here("--instances", "1500", "--out", "whole.h5")
        self.expect_same("whole.h5", "study.h5")

    def test_every_signal_of_a_batch_system_stops_a_run_that_goes_on_later(self):
        self.study({**LONG, "instances": 8000})
        journal = self.path / "study.h5.journal"
        for number in [signal.SIGHUP, signal.SIGUSR1, signal.SIGTERM]:
            saved = journal.stat().st_size if journal.exists() else 0
            process = self.start("--resume", "--chunk", "100")
            head = self.wait_for_more(process, saved)
            self.wait_for_more(process, head)
            process.send_signal(number)
            error = process.communicate()[1]
            self.assertEqual(process.returncode, 128 + number, error)
            self.assertIn("--resume", error)

    def test_a_pipe_at_the_place_of_the_result_is_refused(self):
        self.study({**SENSITIVE, "instances": 33})
        os.mkfifo(self.path / "study.h5")
        for argument in ["--resume", "--overwrite"]:
            process = self.start(argument)
            self.assertIn("this is a pipe", process.communicate()[1])
            self.assertEqual(process.returncode, 4)

    def test_an_ignored_hangup_stays_ignored(self):
        self.study({**LONG, "instances": 500})
        process = subprocess.Popen([PROGRAM, "run", "study.json", "--backend", "cpu"], cwd=self.path,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        self.wait_for_records(process, 0)
        process.send_signal(signal.SIGHUP)
        error = process.communicate()[1]
        self.assertEqual(process.returncode, 0, error)

    def test_a_damaged_journal_is_told_of(self):
        self.study({**LONG, "instances": 2000})
        self.run_here("--out", "whole.h5")
        process = self.start("--chunk", "33")
        self.wait_for_records(process, 3)
        process.kill()
        process.communicate()
        journal = self.path / "study.h5.journal"
        data = bytearray(journal.read_bytes())
        at = data.find(b"\xffrecord\n") + 60
        data[at] ^= 4
        journal.write_bytes(data)
        done = self.run_here("--resume")
        self.assertIn("is damaged", done.stderr)
        self.assertIn("match no checksum", done.stderr)
        self.expect_same("whole.h5", "study.h5")

    # In chunks of as many instances as memory takes it would be saved and shown for the first time after a minute.
    def test_a_slow_study_is_saved_and_shown_from_the_first_seconds_on(self):
        self.study({**LONG, "integrator": {"name": "rk4", "step_s": 1e-6, "end_s": 1.0}, "instances": 20000})
        process = self.start()
        for line in process.stderr:
            if re.search(r"[1-9][\d,]* of 20,000 instances saved, \d+ % of the next [\d,]+, .* left", line):
                break
        else:
            self.fail("no word within a chunk")
        process.send_signal(signal.SIGTERM)
        error = process.communicate()[1]
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, error)


if __name__ == "__main__":
    unittest.main(verbosity=2)
