"""Mechanisms at random: steps compiled for one have the recorded bits, whatever lies in the memory that they do not set."""

import os
import random
import shutil
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import bits
import runs

PROGRAM = os.environ["MYRIAD_PROGRAM"]
# How many times longer than in every build a search at random goes on: `./dev check long` sets it.
COMPILED = 5 * int(os.environ.get("MYRIAD_LONG", "1"))
# A compiler by which what a function leaves unset holds NaN.
COMPILER = """#!/bin/sh
command -v clang++ >/dev/null && set -- clang++ "$@" || set -- g++ "$@"
exec "$@" -ftrivial-auto-var-init=pattern
"""


class CompiledSteps(unittest.TestCase):
    @unittest.skipUnless(shutil.which("clang++") or shutil.which("g++"), "this machine has no compiler")
    def test_have_the_bits_of_the_record(self):
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
