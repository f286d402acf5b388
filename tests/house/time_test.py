"""No test measures or limits time: a busy machine may take many times as long. Seconds are rows of `./dev bench`, a wait
ends by an event, and what hangs is ended by ctest alone (`longest_wait_s` in cmake/tests.cmake)."""

import os
import re
import unittest
from pathlib import Path

TESTS = Path(os.environ["MYRIAD_SOURCE_DIR"]) / "tests"
CLOCKS = {
    "*.cpp": r"_clock::now|std::clock\(|clock_gettime|CLOCKS_PER_SEC|(?:EXPECT|ASSERT)_(?:LT|LE|NEAR)\([^;]*\.seconds\b",
    "*.hpp": r"_clock::now|std::clock\(|clock_gettime|CLOCKS_PER_SEC",
    # A sleep is a hundredth of a second of a loop that asks for an event, or a moment at random.
    "*.py": r"\btime\.(?:time|monotonic|perf_counter|process_time)\(|\btimeout\s*=|ru_[us]time"
            r"|\bsleep\((?!0\.01\)|generator\.)",
}


class Time(unittest.TestCase):
    def test_is_measured_by_no_test(self):
        found = [f"{path.relative_to(TESTS)}: {match.group(0)}" for pattern, clock in CLOCKS.items()
                 for path in TESTS.rglob(pattern) if path.name != Path(__file__).name
                 for match in re.finditer(clock, path.read_text(encoding="utf-8"))]
        self.assertEqual(found, [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
