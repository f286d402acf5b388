"""What the record of bits holds, that its tool sees and names one changed bit, and that compiled steps have its bits."""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy

import bits
import runs
from random_mechanisms import random_mechanism

PROGRAM = os.environ["MYRIAD_PROGRAM"]
# How many times longer than in every build a search at random goes on: `./dev check long` sets it.
COMPILED = 5 * int(os.environ.get("MYRIAD_LONG", "1"))
# A compiler by which what a function leaves unset holds NaN.
COMPILER = """#!/bin/sh
command -v clang++ >/dev/null && set -- clang++ "$@" || set -- g++ "$@"
exec "$@" -ftrivial-auto-var-init=pattern
"""
# No run of a result file ends so.
NOT_AN_ENDING = {"not_run", "running", "capacity_exceeded"}


def said(*words):
    return json.loads(subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=True).stdout)


def types(part):
    """The types that the schema allows for the entries of this part of a mechanism."""
    entries = said("schema", "mechanism")["properties"][part]["additionalProperties"]["anyOf"]
    return {entry["properties"]["type"]["const"] for entry in entries}


class Record(unittest.TestCase):
    def test_has_a_line_for_each_run_and_none_besides(self):
        keys = {run.key for run in runs.all_runs(PROGRAM)}
        self.assertEqual(keys ^ bits.read_record().keys(), set(), "bits.py record writes and removes lines")

    def test_has_every_bundled_study_and_mechanism(self):
        cases = {key.split(" ")[0] for key in bits.read_record()}
        self.assertLessEqual({f"study/{path.stem}" for path in runs.STUDIES.glob("*.json")}, cases)
        mechanisms = {run.study["mechanism"].get("title") for run in runs.of_bundled_studies()
                      if run.case.startswith("mechanism/") and run.key in bits.read_record()}
        for path in (runs.SOURCE / "ensembles" / "mechanisms").glob("*.json"):
            self.assertIn(runs.read_with_comments(path)["title"], mechanisms)

    def test_has_instances_that_end_in_every_way(self):
        ended = {code.split(".")[0] for line in bits.read_record().values() for code in line.split(" ")[0].split(",")}
        for status in said("list", "--statuses", "--format", "json")["statuses"]:
            if status["name"] not in NOT_AN_ENDING:
                self.assertIn(str(status["code"]), ended | ({"0"} if "ok" in ended else set()), status["name"])

    def test_has_every_kind_of_part_in_random_mechanisms(self):
        found = {part: set() for part in ("joints", "forces", "contacts")}
        for number in range(runs.RANDOM_MECHANISMS):
            mechanism, _ = random_mechanism(number)
            for part, kinds in found.items():
                kinds.update(entry["type"] for entry in mechanism.get(part, {}).values())
        for part, kinds in found.items():
            self.assertEqual(kinds, types(part), part)

    def test_has_mechanisms_that_their_numbers_make_for_all_time(self):
        text = json.dumps([random_mechanism(number)[0] for number in range(runs.RANDOM_MECHANISMS)])
        self.assertEqual(bits.hexadecimal(text.encode(), 16), "41d6c1c820b20995")


class Tool(unittest.TestCase):
    def setUp(self):
        self.found = {"instance/status": numpy.zeros(2, "i4"), "instance/reason": numpy.zeros(2, "i4"),
                      "state/final/position": numpy.array([[1.0, 2.0], [3.0, 4.0]])}

    def test_names_the_dataset_of_one_changed_bit(self):
        before = bits.line_of(self.found)
        self.found["state/final/position"][1, 0] = numpy.nextafter(3.0, 4.0)
        self.assertEqual(bits.difference(before, bits.line_of(self.found), self.found), "state/final/position differs")

    def test_tells_an_instance_that_ends_otherwise(self):
        before = bits.line_of(self.found)
        self.found["instance/status"][1], self.found["instance/reason"][1] = 3, 12
        self.assertIn("ended ok, now 0.0x1,3.12x1; instance/reason differs", bits.difference(
            before, bits.line_of(self.found), self.found).replace("instance/status differs; ", ""))

    def test_tells_new_and_lost_datasets(self):
        before = bits.line_of(self.found)
        self.found["state/final/velocity"] = self.found.pop("state/final/position")
        said_of = bits.difference(before, bits.line_of(self.found), self.found)
        self.assertEqual(said_of, "state/final/velocity is new; 1 datasets are gone")

    def test_takes_both_zeros_and_every_nan_as_one(self):
        negative = numpy.array([-0.0, numpy.nan]).view("u8")
        negative[1] |= 1 << 63 | 1
        self.assertEqual(bits.plain(negative.view("f8")).tobytes(), bits.plain(numpy.array([0.0, numpy.nan])).tobytes())

    def test_refuses_what_it_cannot_compare(self):
        for words, part in [(["check", "nowhere/myriad"], "is no program"), (["check", PROGRAM, "--sample", "1", "0"], "1 or more"),
                            (["check", PROGRAM, "--jobs", "0"], "1 or more"), (["explain", PROGRAM], "two programs"),
                            (["check", PROGRAM, "no such run"], "no run has no such run"),
                            (["check", PROGRAM, "random/017", "--", "--widht", "4"], "--widht")]:
            done = subprocess.run([sys.executable, bits.__file__, *words], capture_output=True, text=True)
            self.assertNotEqual(done.returncode, 0, words)
            self.assertIn(part, done.stderr)
            self.assertNotIn("Traceback", done.stderr)


class CompiledSteps(unittest.TestCase):
    @unittest.skipUnless(shutil.which("clang++") or shutil.which("g++"), "this machine has no compiler")
    def test_have_the_bits_of_the_record_whatever_lies_in_memory_that_they_do_not_set(self):
        touching = [run for run in runs.of_random_mechanisms()
                    if run.study["coordinates"] == "joint" and run.study["integrator"]["name"] in runs.CONTACT]
        with tempfile.TemporaryDirectory() as folder:
            compiler = Path(folder) / "compiler"
            compiler.write_text(COMPILER)
            compiler.chmod(0o755)
            places = {"MYRIAD_COMPILER": str(compiler), "XDG_CACHE_HOME": folder}
            for k, run in enumerate(random.Random(1).sample(touching, min(COMPILED, len(touching)))):
                with self.subTest(run=run.key), mock.patch.dict(os.environ, places):
                    form = ("--kernels", "compiled", *(("--width", "1") if k % 2 else ()))
                    found, said_of = bits.results(PROGRAM, run, form)
                    self.assertEqual(bits.line_of(found), bits.read_record()[run.key], said_of)


if __name__ == "__main__":
    unittest.main(verbosity=2)
