"""Published and reference values stand once: in docs/reference_values.json, and there as on the page beside it."""

import json
import math
import os
import re
import unittest
from collections import defaultdict
from functools import cached_property
from pathlib import Path

ROOT = Path(os.environ["MYRIAD_SOURCE_DIR"])
FOLDERS = ("host/validation", "ensembles/expected", "tests", "bench", "papers")
LEAST_DIGITS = 7
# Integers are seeds, sizes and limits of each file's own.
NUMBER = re.compile(r"(?<![\w.])(?:\d[\d']*\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?")
MATHEMATICAL = {math.pi: "pi", math.pi / 2: "pi/2", math.pi / 4: "pi/4"}


def digits(number):
    """Significant ones, without zeros at the end."""
    mantissa = re.split("[eE]", number.replace("'", ""))[0]
    return len(mantissa.replace(".", "").strip("0"))


def constants(text):
    """The sizes of the numbers with many digits."""
    return {float(found.group().replace("'", "")) for found in NUMBER.finditer(text) if digits(found.group()) >= LEAST_DIGITS}


def copies(texts):
    """Constants that stand in more than one text, with the names of these."""
    files = defaultdict(set)
    for name, text in texts.items():
        for constant in constants(text):
            files[constant].add(name)
    return {constant: sorted(names) for constant, names in files.items()
            if len(names) > 1 and constant not in MATHEMATICAL}


def stands_in(number, text):
    return re.search(r"(?<![\d.])" + re.escape(number) + r"(?!\d|\.\d)", text) is not None


class Constants(unittest.TestCase):
    @cached_property
    def texts(self):
        files = [file for folder in FOLDERS for file in sorted((ROOT / folder).rglob("*"))]
        return {str(file.relative_to(ROOT)): file.read_text() for file in files if file.suffix in (".hpp", ".cpp", ".cu", ".py") or file.parent == ROOT / "ensembles/expected"}

    # A study cannot refer to a constant of another file.
    @property
    def code(self):
        return {name: text for name, text in self.texts.items() if not name.endswith(".json")}

    @cached_property
    def groups(self):
        return json.loads((ROOT / "docs" / "reference_values.json").read_text())

    def values(self):
        """Group, its section, the name of a constant, its numbers as they are written."""
        for group, content in self.groups.items():
            for table in content["values"]:
                for name, value in table.items():
                    if name not in ("what", "source"):
                        yield group, content["section"], name, [value] if isinstance(value, str) else value

    def test_copies_are_seen(self):
        here = "EXPECT_NEAR(x, -42.4242424242, 1e-9); half = 0.5; pi = 3.141592653589793; seed = 123456789;"
        self.assertEqual(copies({"a": here, "b": "// at 2 s: 42.4242424242"}), {42.4242424242: ["a", "b"]})
        self.assertEqual(copies({"a": here, "b": "x = 1'000'000.0 + 0x12345678 + 123456789 + 3.141592653589793"}), {})
        self.assertEqual(copies({"a": "1.2345678e-4", "b": ".00012345678"}), {1.2345678e-4: ["a", "b"]})

    def test_no_constant_stands_in_two_files(self):
        self.assertGreater(len(self.texts), 100)
        self.assertEqual(copies(self.code), {})

    def test_reference_values_stand_in_no_file(self):
        known = {size for *_, numbers in self.values() for number in numbers for size in constants(number)}
        self.assertGreater(len(known), 100)
        for file, text in self.texts.items():
            self.assertEqual(constants(text) & known, set(), file)

    def test_reference_values_are_those_of_their_section_of_the_page(self):
        page = (ROOT / "docs" / "reference_values.md").read_text()
        sections = {part.split()[0].rstrip("."): part for part in re.split(r"^##+ (?=[A-G])", page, flags=re.MULTILINE)[1:]}
        self.assertFalse(stands_in("0.28", "0.280 or 10.28 or 0.28.1"))
        for group, section, name, numbers in self.values():
            for number in numbers:
                self.assertTrue(stands_in(number, sections[section]), f"{group}.{name}: {number} is not in section {section}")

    def test_every_reference_value_is_used(self):
        everything = "\n".join(self.texts.values())
        for group, _, name, _ in self.values():
            self.assertRegex(everything, rf"\b{name}\b", f"nobody reads {group}.{name}")


if __name__ == "__main__":
    unittest.main()
