"""Result files that are damaged, or made to harm whoever reads them: report and replay say so in one sentence.

Run by ctest with MYRIAD_PROGRAM (the program) and MYRIAD_SOURCE_DIR (the project) in the environment.
"""

import json
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import h5py
import numpy as np

from program_case import LONGER, PENDULUM, PROGRAM, SMALL, SWINGS, ProgramTest

INSTANCES = 64
STUDY = {**SMALL, "instances": INSTANCES, "statistics": {"sensitivity": True}}
TEXT = h5py.string_dtype()


def replaced(name, **how):
    def change(file):
        attributes = dict(file[name].attrs) if name in file else {}
        if name in file:
            del file[name]
        file.create_dataset(name, **how)
        for key, value in attributes.items():
            if key in ("unit", "units", "names", "sentences"):
                file[name].attrs[key] = value
    return change


def code(name, value):
    def change(file):
        file[name][0] = value
    return change


def attribute(name, key, value):
    def change(file):
        file[name].attrs[key] = value
    return change


def linked(name, link):
    def change(file):
        del file[name]
        file[name] = link
    return change


def stored_elsewhere(name, path, shape):
    def change(file):
        del file[name]
        creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        creation.set_external(str(path).encode(), 0, 8 * int(np.prod(shape)))
        h5py.h5d.create(file.id, name.encode(), h5py.h5t.NATIVE_DOUBLE, h5py.h5s.create_simple(shape), creation)
    return change


def virtual(name, parts, shape):
    """Rows one after the other from the first rows of the same dataset in other files."""
    def change(file):
        layout, first = h5py.VirtualLayout(shape, dtype="f8"), 0
        for path, rows in parts:
            layout[first:first + rows] = h5py.VirtualSource(str(path), name, shape=shape)[:rows]
            first += rows
        attributes = dict(file[name].attrs)
        del file[name]
        file.create_virtual_dataset(name, layout)
        file[name].attrs["unit"] = attributes["unit"]
    return change


class HostileResult(ProgramTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.kept = tempfile.TemporaryDirectory()
        cls.sound = Path(cls.kept.name) / "sound.h5"
        study = Path(cls.kept.name) / "study.json"
        study.write_text(json.dumps(STUDY))
        subprocess.run([PROGRAM, "run", study, "--backend", "cpu", "--out", cls.sound], check=True,
                       capture_output=True)

    @classmethod
    def tearDownClass(cls):
        cls.kept.cleanup()
        super().tearDownClass()

    def changed(self, *changes, name="result.h5"):
        path = self.path / name
        path.parent.mkdir(exist_ok=True)
        shutil.copy(self.sound, path)
        with h5py.File(path, "r+") as file:
            for change in changes:
                change(file)
        return path

    def answer(self, command, path):
        # Texts of a damaged file need not be UTF-8.
        return self.myriad(command, path, *(["--instance", "0"] if command == "replay" else []), errors="replace")

    def refused_result(self, path, commands, *parts, told=None):
        for command in commands:
            done = self.answer(command, path)
            self.assertEqual(done.returncode, 1, f"{command}: {done.stdout[-500:]}{done.stderr}")
            for part in ((told or path).name, *parts):
                self.assertIn(part, done.stderr, command)
            self.assertNotIn("internal error", done.stderr)
            self.assertNotIn("--chunk", done.stderr)
            self.assertLess(len(done.stderr), 600)

    def test_a_sound_one_is_read(self):
        for command in ("report", "replay"):
            self.assertEqual(self.answer(command, self.changed()).returncode, 0)

    def test_shapes_types_and_codes_are_those_of_the_study(self):
        both, report, replay = ("report", "replay"), ("report",), ("replay",)
        huge = {"dtype": "f8", "chunks": (1, 1, 1024)}
        cases = [(f"status {value}", code("instance/status", value), both, ["/instance/status", str(value)])
                 for value in (14, 20, 99, -1, -2, 2**31 - 1, -2**31)]
        cases += [(f"runs {value}", code("instance/certificate/runs", value), replay, ["runs", str(value)])
                  for value in (0, -1, 5, 2**31 - 1)]
        cases += [(f"reason {value}", code("instance/reason", value), report, ["/instance/reason", str(value)])
                  for value in (-1, 999, 2**31 - 1)]
        cases += [
            ("overflow", replaced("state/final/time", shape=(64, 2**32, 2**32), **huge), both, ["state/final/time"]),
            ("overflow to little", replaced("state/final/time", shape=(64, 3, 0x5555555555555556), **huge), both,
             ["state/final/time"]),
            ("more than the file holds", replaced("instance/status", shape=(2**36,), dtype="i4", chunks=(1024,)), both,
             ["/instance/status", "more values than the file holds"]),
            ("no column", replaced("state/final/time", shape=(64, 0), dtype="f8"), replay, ["64 x 0 instead of 64"]),
            ("runs without values", replaced("instance/certificate/runs", shape=(64, 0), dtype="i4"), replay, ["runs"]),
            ("parameter without values", replaced("parameters/mass_kg", shape=(64, 0), dtype="f8"), replay, ["mass_kg"]),
            ("one row less", replaced("parameters/mass_kg", data=np.ones(63)), both, ["mass_kg", "63"]),
            ("another type", replaced("parameters/mass_kg", data=np.ones(64, "f4")), replay, ["float32", "float64"]),
            ("position of one number", replaced("state/final/position", data=np.zeros((64, 1, 1))), replay, ["position"]),
            ("position of many", replaced("state/final/position", data=np.zeros((64, 1, 3000))), replay, ["position"]),
            ("trajectory of one time", replaced("trajectory/energy", data=np.zeros((64, 1))), both, ["energy"]),
            ("no values at all", replaced("instance/status", data=h5py.Empty("i4")), both, ["/instance/status"]),
            ("no parameters", replaced("statistics/parameter", shape=(0,), dtype=TEXT), report, ["/statistics/"]),
            ("fewer quantities", replaced("statistics/quantity", data=["a"], dtype=TEXT), report, ["/statistics/quantity"]),
            ("fewer units", attribute("statistics/quantity", "units", np.array(["s"], dtype=TEXT)), report, ["/statistics/quantity"]),
            ("units that are one text", attribute("statistics/quantity", "units", "s"), report, ["/statistics/quantity"]),
            ("no correlations", replaced("statistics/rank_correlation", shape=(0,), dtype="f8"), report, ["rank_corr"]),
            ("fewer means", replaced("statistics/mean", data=np.ones(1)), report, ["/statistics/mean"]),
            ("another number of instances", attribute("/", "instances", 10**6), both, ["its shape"]),
        ]
        for label, change, commands, parts in cases:
            with self.subTest(label):
                self.refused_result(self.changed(change), commands, *parts)

    def test_links_and_values_in_other_files_are_refused(self):
        secret = self.path / "secret"
        secret.write_bytes(np.arange(1000.0).tobytes())
        other = self.changed(name="other.h5")
        for label, change, commands in [
            ("external storage", stored_elsewhere("state/final/time", secret, (64,)), ("report", "replay")),
            ("external storage of a mean", stored_elsewhere("statistics/mean", secret, (2,)), ("report",)),
            ("external link", linked("state/final/time", h5py.ExternalLink(str(other), "/state/final/time")),
             ("report", "replay")),
            ("link inside", linked("state/final/time", h5py.SoftLink("/state/initial/time")), ("report", "replay")),
            ("link to itself", linked("instance/status", h5py.SoftLink("/instance/status")), ("report", "replay")),
        ]:
            with self.subTest(label):
                self.refused_result(self.changed(change), commands)

    def test_virtual_datasets_have_their_parts_in_the_folder_or_below(self):
        name = "trajectory/energy"
        with h5py.File(self.sound) as file:
            shape = file[name].shape
        self.changed(name="part.h5"), self.changed(name="parts/part.h5")
        allowed = [("part.h5", 40), ("parts/part.h5", 24)]
        mixed = self.changed(virtual(name, allowed, shape))
        # Only the parts that a merged file names are followed.
        self.refused_result(mixed, ("report", "replay"), "which is no part of it")
        shutil.copy(self.path / "part.h5", self.path.parent / "myriad_outside.h5")
        self.addCleanup((self.path.parent / "myriad_outside.h5").unlink)
        (self.path / "link.h5").symlink_to(self.path.parent / "myriad_outside.h5")
        self.changed(virtual(name, allowed, shape), name="virtual.h5")
        self.changed(stored_elsewhere(name, self.path / "part.h5", shape), name="elsewhere.h5")
        for label, part in [("above", "../myriad_outside.h5"), ("absolute", self.path / "part.h5"),
                            ("up and down", "parts/../part.h5"), ("a link out", "link.h5"), ("missing", "gone.h5"),
                            ("itself", "."), ("virtual", "virtual.h5"), ("elsewhere", "elsewhere.h5"),
                            ("a folder", "parts")]:
            with self.subTest(label):
                path = self.changed(virtual(name, [(part, 64)], shape))
                # The message names the part if the error is in a part.
                told = self.path / part if label in ("virtual", "elsewhere") else path
                self.refused_result(path, ("report", "replay"), "energy", told=told)

    def test_a_study_in_a_result_names_no_file(self):
        (self.path / "pendulum.json").write_text(json.dumps(PENDULUM))
        self.run_study({**SWINGS, "instances": 3})
        self.assertEqual(self.answer("replay", self.path / "study.h5").returncode, 0)
        with h5py.File(self.path / "study.h5", "r+") as file:
            study = json.loads(file.attrs["study"])
            file.attrs["study"] = json.dumps({**study, "mechanism": "pendulum.json"})
        self.refused_result(self.path / "study.h5", ("replay",), "stands in a result")

    def test_what_is_no_file_is_not_waited_for(self):
        os.mkfifo(self.path / "pipe.h5")
        self.refused_result(self.path / "pipe.h5", ("report", "replay"), "no regular file")

    def test_bytes_changed_anywhere_end_in_a_sentence(self):
        sound = self.sound.read_bytes()
        path = self.path / "result.h5"
        random = np.random.default_rng(13)
        for case in range(60 * LONGER):
            damaged = bytearray(sound)
            for at in random.integers(0, len(sound) if case % 2 else 4096, size=1 + case % 20):
                damaged[at] = int(random.integers(256))
            path.write_bytes(damaged)
            for command in ("report", "replay"):
                done = self.answer(command, path)
                self.assertIn(done.returncode, (0, 1), f"case {case}, {command}: {done.stderr}")
                self.assertNotIn("internal error", done.stderr)
                self.assertNotIn("--chunk", done.stderr)


class PlaceOfTheResult(ProgramTest):
    def test_a_run_writes_regular_files_alone(self):
        study = self.study(SMALL)
        (self.path / "mine.txt").write_text("precious")
        (self.path / "link.h5").symlink_to("mine.txt")
        os.mkfifo(self.path / "pipe.h5")
        outs = ["link.h5", "pipe.h5"]
        try:
            os.mknod(self.path / "null.h5", 0o600 | 0o020000, os.makedev(1, 3))
            outs.append("null.h5")
        except PermissionError:
            pass
        for out in outs:
            for more in ([], ["--overwrite"], ["--resume"]):
                kind = os.lstat(self.path / out).st_mode
                done = self.myriad("run", study, "--backend", "cpu", "--out", out, *more)
                self.assertEqual(done.returncode, 4, done.stderr)
                self.assertEqual(os.lstat(self.path / out).st_mode, kind)
                self.assertNotIn("--overwrite", done.stderr)
        for suffix in (".journal", ".partial", ".partial2"):
            (self.path / f"study.h5{suffix}").symlink_to("mine.txt")
            self.assertEqual(self.myriad("run", study, "--backend", "cpu", "--overwrite").returncode, 4)
            (self.path / f"study.h5{suffix}").unlink()
        (self.path / "study.h5.partial").write_text("mine")
        self.assertEqual(self.myriad("run", study, "--backend", "cpu", "--overwrite").returncode, 4)
        self.assertEqual((self.path / "study.h5.partial").read_text(), "mine")
        self.assertEqual((self.path / "mine.txt").read_text(), "precious")
        self.assertFalse((self.path / "study.h5.journal").exists())

    def test_a_run_goes_on_or_starts_anew_but_not_both(self):
        self.run_study({**SMALL})
        before = (self.path / "study.h5").read_bytes()
        done = self.myriad("run", self.path / "study.json", "--backend", "cpu", "--resume", "--overwrite")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("--overwrite", done.stderr)
        self.assertEqual((self.path / "study.h5").read_bytes(), before)

    def test_a_run_that_no_disk_holds_is_refused_before_it_begins(self):
        message = self.refused({**SMALL, "instances": 10**10}, "study.h5: 10000000000 instances of", "TB",
                               "free", code=4)
        self.assertIn("run fewer instances", message)
        self.assertEqual(sorted(p.name for p in self.path.iterdir()), ["study.json"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
