"""Results of an earlier build (tests/results/earlier/README.md) are reported, merged and repeated; what is gone is told in one
sentence."""

import json
import lzma
import os
import unittest
from pathlib import Path

import h5py
import numpy

from program_case import ProgramTest, datasets, same_bits

EARLIER = Path(os.environ["MYRIAD_SOURCE_DIR"]) / "tests" / "results" / "earlier"
BUILD = "myriad 0.2.0-024317e0f033"


def described(path):
    """Axes and attributes of every dataset; what HDF5 keeps for dimension scales are references."""
    found = {}

    def add(name, item):
        if isinstance(item, h5py.Dataset):
            found[name] = ([(axis.label, list(axis.keys())) for axis in item.dims],
                           {key: numpy.asarray(value).tolist() for key, value in item.attrs.items()
                            if key not in ("DIMENSION_LIST", "REFERENCE_LIST")})

    with h5py.File(path) as file:
        file.visititems(add)
    return found


class EarlierResults(ProgramTest):
    def unpacked(self, name):
        path = self.path / f"{name}.h5"
        path.write_bytes(lzma.decompress((EARLIER / f"{name}.h5.xz").read_bytes()))
        return path.name

    def done(self, *arguments, code=0):
        done = self.myriad(*arguments)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertNotIn("internal error", done.stderr)
        return done

    def test_are_reported_with_their_statuses_reasons_and_statistics(self):
        text = " ".join(self.done("report", self.unpacked("failures")).stdout.split())
        for part in ("program_commit 024317e0f033", "ok 8", "newton_stalled 4", "why 4: Newton's method did not converge",
                     "lowest_m [m]"):
            self.assertIn(part, text)
        for name in ("body_coordinates", "heavy_top", "solve_precision_1"):
            self.assertIn("program_commit", self.done("report", self.unpacked(name)).stdout)

    def test_are_merged_as_their_own_build_merges_them(self):
        parts, whole = [self.unpacked("solve_precision_1"), self.unpacked("solve_precision_0")], self.unpacked("solve_precision")
        self.done("merge", *parts, "--out", "merged.h5")
        self.assertTrue(same_bits(datasets(self.path / "merged.h5"), datasets(self.path / whole)))
        self.assertEqual(described(self.path / "merged.h5"), described(self.path / whole))
        with h5py.File(self.path / "merged.h5") as merged, h5py.File(self.path / whole) as expected:
            self.assertEqual(dict(merged.attrs), dict(expected.attrs))
        self.done("merge", *parts, "--link", "--out", "linked.h5")
        self.assertTrue(same_bits(datasets(self.path / "linked.h5"), datasets(self.path / whole)))

    def test_are_merged_whatever_has_become_of_what_their_study_names(self):
        for name in ("failures", "heavy_top", "body_coordinates"):
            with self.subTest(name):
                part = self.unpacked(name)
                summary = json.loads(self.done("merge", part, "--out", "merged.h5", "--format", "json").stdout)
                self.assertEqual(summary["by_status"], {"ok": 8, "newton_stalled": 4} if name == "failures" else
                                 {"ok": summary["instances"]})
                self.assertTrue(same_bits(datasets(self.path / "merged.h5"), datasets(self.path / part)))
                self.assertEqual(described(self.path / "merged.h5"), described(self.path / part))
                (self.path / "merged.h5").unlink()

    def test_are_not_merged_with_parts_of_this_build(self):
        part = self.unpacked("heavy_top")
        with h5py.File(self.path / part) as file:
            study = json.loads(file.attrs["study"])
        del study["integrator"]["solve_precision"]
        self.run_study(study)
        self.assertIn("another run", self.done("merge", part, "study.h5", "--out", "merged.h5", code=1).stderr)

    def test_are_repeated_by_methods_of_today(self):
        for name in ("body_coordinates", "heavy_top"):
            with self.subTest(name):
                part = self.unpacked(name)
                replay = json.loads(self.done("replay", part, "--instance", "3", "--format", "json").stdout)
                self.assertEqual(replay["other_build"], BUILD)
                self.assertEqual(replay["status"], replay["reference_status"])
                self.assertTrue(any(one["what"].startswith("quantities") for one in replay["differences"]))
                # Both solve the same equations of a step, to a Newton tolerance of 1e-10.
                for one in replay["differences"]:
                    self.assertLess(one["largest"], 1e-9 * max(1.0, one["of_size"]), one)
                self.assertIn(f"computed by {BUILD}", self.done("replay", part, "--instance", "3").stdout)

    def test_say_in_one_sentence_what_is_gone(self):
        for name, parts in (("solve_precision", ("/integrator/solve_precision: ", "the key \"solve_precision\" is gone",
                                                 "in the precision of the run", "leave it out")),
                            ("failures", ("no inertia resists", "rod", "\"coordinates\": \"joint\""))):
            with self.subTest(name):
                said = self.done("replay", self.unpacked(name), "--instance", "0", code=1).stderr
                for part in (f"myriad: {name}.h5 (study)", f"this program cannot repeat what {BUILD} computed: ",
                             f"or replay the result by {BUILD}", *parts):
                    self.assertIn(part, said)
                self.assertEqual(len(said.splitlines()), 2, said)
                self.assertNotIn("unknown", said)

    def test_are_not_resumed(self):
        part = self.unpacked("heavy_top")
        with h5py.File(self.path / part) as file:
            study = json.loads(file.attrs["study"])
        stored = (self.path / part).read_bytes()
        run = ("run", self.study(study), "--resume", "--out", part)
        said = self.done(*run, code=1).stderr
        self.assertIn("/integrator/solve_precision: the key \"solve_precision\" is gone", said)
        self.assertEqual(len(said.splitlines()), 2, said)
        del study["integrator"]["solve_precision"]
        self.study(study)
        said = self.done(*run, code=1).stderr
        for expected in (f"myriad: {part}: ", f"another build, {BUILD}, this is myriad ", "their bits may differ"):
            self.assertIn(expected, said)
        self.assertEqual((self.path / part).read_bytes(), stored)


if __name__ == "__main__":
    unittest.main()
