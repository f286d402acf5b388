"""Files that nobody would write by hand: what they do to the program is one clear message that a terminal can show."""

import copy
import json
import os
import random
import subprocess
import unittest

from program_case import LONGER, PENDULUM, PROGRAM, SMALL, SWINGS, ProgramTest, without

MOST_BYTES = 8000  # of all that a command says on standard error
ESCAPE = "\x1b[2J\x1b]0;owned\x07"


class HostileInputs(ProgramTest):
    def ends_well(self, *arguments, codes=(1,)):
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.path, capture_output=True,
                              stdin=subprocess.DEVNULL)
        self.assertIn(done.returncode, codes, done.stderr[-2000:])
        self.assertLess(len(done.stderr), MOST_BYTES)
        said = done.stderr.decode("utf-8") + done.stdout.decode("utf-8")
        self.assertFalse([letter for letter in said if ord(letter) < 32 and letter != "\n" or ord(letter) == 127], said)
        for word in ("internal error", "out of memory"):
            self.assertNotIn(word, said)
        return said

    def mechanism_is_refused(self, mechanism, *parts):
        path = self.study(mechanism, "mechanism.json")
        said = self.ends_well("list", "--mechanism", path)
        for part in ("mechanism.json:", *parts):
            self.assertIn(part, said)

    def study_is_refused(self, study, *parts):
        said = self.ends_well("run", self.study(study), "--backend", "cpu", "--out", "o.h5")
        for part in ("study.json", *parts):
            self.assertIn(part, said)

    def test_counts_and_lengths_are_refused_with_the_limit(self):
        bodies = PENDULUM["bodies"]["rod"]
        tip = PENDULUM["sensors"]["tip"]
        self.mechanism_is_refused({**PENDULUM, "parameters": {f"p{k}": f"p{k + 1}" for k in range(40000)}}, "10000")
        self.mechanism_is_refused({**PENDULUM, "bodies": {f"b{k}": bodies for k in range(20000)}}, "bodies", "16")
        self.mechanism_is_refused({**PENDULUM, "sensors": {f"s{k}": tip for k in range(20000)}}, "512 channels")
        self.study_is_refused('{"title": [' + "[]," * 300000 + "]}", "250000")
        self.study_is_refused({f"k{k}": 0 for k in range(100000)}, "unknown")
        self.study_is_refused({"x" * 1000000: 0, **SMALL}, "1000000 letters", "200")
        self.study_is_refused({**SMALL, "title": "x" * 20000000}, "16777216 bytes")
        self.study_is_refused({**SMALL, "instances": 10**15}, "10000000000")
        self.study_is_refused({**SMALL, "correlations": [
            {"between": ["mass_kg", "mass_kg"], "correlation": 0.5}] * 50000}, "50000 correlations")

    def test_devices_and_pipes_do_not_hold_the_program(self):
        os.mkfifo(self.path / "silent")
        table = {**without(SMALL, "instances"), "parameters": {}}
        for device in ("/dev/zero", "silent"):
            self.assertIn(device, self.ends_well("run", device))
            self.assertIn(device, self.ends_well("list", "--mechanism", device))
            self.assertIn(device, self.ends_well("run", self.study({**table, "design": {"kind": "table", "file": device}})))
        study = json.dumps({**SMALL, "instances": 3})
        done = subprocess.run(["bash", "-c", f"exec {PROGRAM} run <(echo '{study}') --out piped.h5"],
                              cwd=self.path, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.path / "piped.h5").exists())

    def test_messages_show_control_characters_and_never_break_utf8(self):
        for text in ('{"a\\u0000b": 1, "system": "heavy_top"}', '{"' + ESCAPE.replace("\x1b", "\\u001b").replace("\x07", "\\u0007")
                     + '": 1, "system": "heavy_top"}', json.dumps({**SMALL, "system": ESCAPE})):
            said = self.ends_well("run", self.study(text))
            self.assertIn("\\x", said)
            self.assertIn("\n  ", said)
        (self.path / "bytes.json").write_bytes(b'{"title": "\xff\xfe\x1b[2J", "system": tru')
        self.assertIn("\\xff", self.ends_well("run", "bytes.json"))
        self.ends_well("run", "x" * 10000)
        self.ends_well("run", self.study({**without(SWINGS, "mechanism"), "mechanism": "m" * 10000}))
        self.ends_well("run", "no\nsuch\x1b[31mfile.json")
        self.ends_well("\x1b[2J")
        self.ends_well("run", self.study(SMALL), "-o", "title=" + "z" * 100000 + "\x1b", "-o", "nothing.here=1")

    def test_a_title_cannot_steer_the_terminal(self):
        table = self.path / "t.csv"
        table.write_text("mass_kg\n\x1b[2J\n")
        self.ends_well("run", self.study({**SMALL, "design": {"kind": "table", "file": "t.csv"}, "parameters": {}}))
        study = self.study({**SMALL, "title": ESCAPE, "description": "a\nb\x9b"})
        self.assertIn("\\x1b[2J", self.ends_well("run", study, "--out", "o.h5", codes=(0,)))
        self.assertIn("\\x1b[2J", self.ends_well("report", "o.h5", codes=(0,)))
        mechanism = self.study({**PENDULUM, "title": ESCAPE}, "mechanism.json")
        self.assertIn("\\x1b[2J", self.ends_well("list", "--mechanism", mechanism, codes=(0,)))

    def test_more_threads_than_cores_are_as_many_as_there_are(self):
        said = self.ends_well("run", self.study(SMALL), "--backend", "cpu", "--threads", 1000, "--out", "o.h5", codes=(0,))
        self.assertIn("--threads 1000: ", said)

    def test_the_functions_of_expressions_are_listed(self):
        said = self.ends_well("schema", "expression", codes=(0,))
        for function in ("asin(x)", "acos(x)", "atan2(y, x)", "min(x, y, ...)", "if(c, x, y)"):
            self.assertIn(function, said)

    def test_mutated_files_end_in_one_message(self):
        chance = random.Random(13)
        for _ in range(60 * LONGER):
            good = copy.deepcopy(chance.choice([SMALL, {**SWINGS, "mechanism": PENDULUM}]))
            good["instances"], good["integrator"] = 2, {**good["integrator"], "end_s": 2e-3}
            good = without(good, "observe")
            data = bytearray(json.dumps(mutated(good, chance)).encode())
            if chance.random() < 0.5:
                for _ in range(chance.choice([1, 2, 5])):
                    at = chance.randrange(len(data))
                    data[at:at + chance.choice([0, 1, 8])] = chance.choice(BYTES)
            (self.path / "study.json").write_bytes(bytes(data))
            (self.path / "o.h5").unlink(missing_ok=True)
            said = self.ends_well("run", "study.json", "--backend", "cpu", "--threads", "1", "--out", "o.h5",
                                  codes=(0, 1, 2))
            if not (self.path / "o.h5").exists():
                self.assertIn("myriad: ", said)


BYTES = [b"\xff\xfe", b"\xc3(", b"\xed\xa0\x80", b"\x00", b"[", b"}", b'"', b"\\", b"/*", b"NaN", b"1e999", b"\\u0000",
         b"[" * 5000, b'"' + b"x" * 50000 + b'"', b""]
VALUES = [0, -1, 1e308, 5e-324, 2**64, "", "1/0", "x" * 300, "\x00", "(" * 100, "t^1024^1024", None, True, {}, [], [[]],
          {"": 0}, [1] * 100, "../../etc/passwd", "/dev/null", "\x1b[2J"]


def places(tree, path=()):
    yield path
    for key in tree if isinstance(tree, dict) else range(len(tree)) if isinstance(tree, list) else ():
        yield from places(tree[key], (*path, key))


def mutated(tree, chance):
    *above, key = chance.choice([path for path in places(tree) if path])
    parent = tree
    for step in above:
        parent = parent[step]
    if chance.random() < 0.2:
        del parent[key]
    elif isinstance(parent, dict) and chance.random() < 0.3:
        parent[str(chance.choice(VALUES))] = parent[key]
    else:
        parent[key] = chance.choice(VALUES)
    return tree


if __name__ == "__main__":
    unittest.main()
