"""Every name that the program gives to what it can do stands in tests/capabilities.txt, with tests of the short set that
`./dev test` runs: a capability that comes later needs a test there."""

import fnmatch
import json
import os
import re
import subprocess
import unittest
from pathlib import Path

SOURCE, PROGRAM = Path(os.environ["MYRIAD_SOURCE_DIR"]), Path(os.environ["MYRIAD_PROGRAM"])
LISTED = SOURCE / "tests" / "capabilities.txt"


def said(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, check=True).stdout


def capabilities():
    """[(area, names, tests)] of the file."""
    found = []
    for line in LISTED.read_text(encoding="utf-8").splitlines():
        if line.startswith("    "):
            found[-1][2].append(line.strip())
        elif line and not line.startswith("#"):
            area, names = line.split(":")
            found.append((area, names.split(), []))
    return found


def choices(schema, key):
    """Every text that a schema allows for this key, whatever stands around it."""
    if isinstance(schema, list):
        return {one for part in schema for one in choices(part, key)}
    if not isinstance(schema, dict):
        return set()
    own = schema.get("properties", {})
    own = own.get(key, {}) if isinstance(own, dict) else {}
    here = set(own.get("enum", [own["const"]] if "const" in own else []))
    return here.union(*(choices(part, key) for part in schema.values()))


class Capabilities(unittest.TestCase):
    def listed(self, area):
        return {name for other, names, _ in capabilities() if other == area for name in names}

    def test_every_name_of_a_system_chart_method_or_backend_is_listed(self):
        catalog = json.loads(said("list", "--format", "json"))
        self.assertEqual(self.listed("systems"), {one["name"] for one in catalog["systems"]})
        self.assertEqual(self.listed("charts"), set(catalog["charts"]))
        self.assertEqual(self.listed("methods"), {one["name"] for one in catalog["integrators"]})
        self.assertEqual(self.listed("backends"), {one["name"] for one in catalog["backends"]})

    def test_every_kind_of_element_of_a_mechanism_is_listed(self):
        parts = json.loads(said("schema", "mechanism"))["properties"]
        for part in ("joints", "drivers", "forces", "contacts", "sensors"):
            self.assertEqual(self.listed(part), choices(parts[part], "type"), part)

    def test_every_kind_of_design_distribution_and_reduction_is_listed(self):
        schema = json.loads(said("schema", "study"))
        self.assertEqual(self.listed("designs"), choices(schema["properties"]["design"], "kind"))
        for area, one in (("distributions", "parameter"), ("reductions", "quantity")):
            needed = {kind["required"][0] for kind in schema["$defs"][one]["anyOf"] if "required" in kind}
            self.assertEqual(self.listed(area), needed)

    def test_every_command_is_listed(self):
        self.assertEqual(self.listed("commands"), set(re.findall(r"^  ([a-z]\w*) ", said("--help"), re.M)))

    def test_every_way_for_an_instance_to_fail_is_listed(self):
        codes = re.search(r"enum class Status \{(.*?)\};", (SOURCE / "kernels/system/status.hpp").read_text(), re.S)[1]
        self.assertEqual(self.listed("failures"), set(re.findall(r"^ +(\w+) = ", codes, re.M)) - {"ok", "not_run", "running"})

    def test_every_name_of_the_python_package_is_listed(self):
        text = (SOURCE / "python/myriad/__init__.py").read_text(encoding="utf-8")
        names = set(re.findall(r'"(\w+)"', re.search(r"^__all__ = \[(.*?)\]", text, re.M | re.S)[1]))
        errors = {name for name in names if re.search("Error$|Warning$|^UnknownName$", name)}
        self.assertLessEqual(names - errors, self.listed("python"))

    def test_every_capability_has_a_test_in_the_short_set(self):
        folder = PROGRAM.parent if list(PROGRAM.parent.glob("tests_*")) else PROGRAM.parent.parent / "tests"
        programs = [path for path in folder.glob("tests_*") if path.is_file() and path.suffix == "" and "[" not in path.name]
        if not programs:
            self.skipTest("the programs of tests are not beside the program")
        tests = set()
        for program in programs:
            suite = ""
            listed = subprocess.run([program, "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout
            for line in listed.splitlines():
                line = line.split("#")[0]
                if not line.startswith(" "):
                    suite = line.strip()
                else:
                    tests.add(suite + line.strip())
        has_toolkit = any(path.name == "tests_cuda" for path in programs)
        for area, names, named in capabilities():
            self.assertTrue(names and named, area)
            if names == ["cuda"] and not has_toolkit:
                continue
            for pattern in named:
                if pattern.endswith(".py"):
                    self.assertTrue((SOURCE / "tests" / pattern).exists(), pattern)
                else:
                    self.assertTrue(fnmatch.filter(tests, pattern), f"{area}: no test is called {pattern}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
