"""Code that is compiled for one vector width is never linked in place of another's: what a linker may take from any object (a
weak symbol) has the name of its width in it. Else a processor without these vectors would meet their instructions."""

import os
import re
import subprocess
import unittest
from pathlib import Path

BUILD = Path(os.environ["MYRIAD_PROGRAM"]).parent
# The compiler's reference to the one function that unwinds, which is data.
SHARED = "DW.ref.__gxx_personality_v0"


def variants():
    """(variant, object) of the libraries myriad_<name>_<variant>"""
    for folder in sorted((BUILD / "CMakeFiles").glob("myriad_*.dir")):
        variant = re.fullmatch(r"myriad_\w+_(start|scalar|avx2|avx512)\.dir", folder.name)
        for source in sorted(folder.rglob("*.o")) if variant else ():
            yield variant[1], source


def weak_symbols(source):
    said = subprocess.run(["nm", "--defined-only", source], check=True, capture_output=True, text=True).stdout
    return [line.split()[-1] for line in said.splitlines() if line.split()[-2] in "WVu"]


class WeakSymbols(unittest.TestCase):
    def test_have_the_name_of_their_width(self):
        sources = list(variants())
        names = {source.name for _, source in sources}
        self.assertIn("interpreter.cpp.o", names)
        self.assertIn("JointMechanisms.cpp.o", names)
        for variant, source in sources:
            foreign = [name for name in weak_symbols(source) if name != SHARED and f"{len(variant)}{variant}" not in name]
            self.assertEqual(foreign, [], f"{variant}: {source.relative_to(BUILD)}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
