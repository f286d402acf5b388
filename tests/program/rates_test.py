"""Rates in README.md and docs/performance.md are rows of bench/results/: bench/rates.py prints their tables."""

import os
import re
import sys
import unittest
from pathlib import Path

SOURCE = Path(os.environ["MYRIAD_SOURCE_DIR"])
sys.path.insert(0, str(SOURCE / "bench"))
import rates  # noqa: E402

LONGEST = 90  # lines: current figures, and no history
TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)
# Tables of other things: their cells are words, links or what the line above them says was not measured here.
FIGURE = re.compile(r"\| *[0-9][0-9,.]* *(?=\|)")


@unittest.skipUnless((SOURCE / "README.md").exists(), "README.md is not among the files of this package")
class Rates(unittest.TestCase):
    def test_each_table_of_rates_is_made_from_measured_rows(self):
        for page in (rates.README, rates.PERFORMANCE):
            self.assertGreaterEqual(len(rates.texts(page)), 1)
            for table in rates.texts(page):
                self.assertIn("\n" + table, (SOURCE / page).read_text(encoding="utf-8"), page)

    def test_a_page_has_no_other_table_of_figures(self):
        for page in (rates.README, rates.PERFORMANCE):
            for found in TABLE.findall((SOURCE / page).read_text(encoding="utf-8")):
                if FIGURE.search(found):
                    self.assertIn(found, rates.texts(page), page)

    def test_the_page_of_rates_is_short(self):
        self.assertLessEqual(len((SOURCE / rates.PERFORMANCE).read_text(encoding="utf-8").splitlines()), LONGEST)

    def test_figures_in_sentences_are_rows_too(self):
        text = (SOURCE / rates.PERFORMANCE).read_text(encoding="utf-8")

        rows = {(row["bench"], row["subject"]): row for row in rates.rows_of("amd-epyc-zen4-2-cores") if row["backend"] == "cpu"}
        held = rows["memory", "heavy_top rotation rk4"]["figures"]["all that a backend holds"]["value"]
        start = rows["start_up", "from program start to the end of one step of 32 tops"]["figures"]
        share = (rows["end_to_end", "heavy_top study with its output"]["instance_steps_per_s"]["median"] /
                 rows["end_to_end", "the same without quantities and trajectories"]["instance_steps_per_s"]["median"])
        start_s = start["program start to its end, caches warm"]["value"]
        for said in (f"{held:.0f} bytes", f"{100 * share:.0f} %", f"{1e3 * start_s:.0f} ms"):
            self.assertIn(said, text)

    def test_a_kernel_by_hand_is_as_much_faster_as_the_readme_says(self):
        text = (SOURCE / "README.md").read_text(encoding="utf-8").replace("\n", " ")

        for name, method, shown in (("heavy_top", "rk4", "{:.1f} times for a top"),
                                    ("spatial_slider_crank", "rk4", "{:.0f} times for a closed loop")):
            _, _, by_hand, by_the_program = map(rates.rate, rates.by_hand(name, method))
            self.assertIn(shown.format(by_hand / by_the_program), text)

    def test_a_row_that_is_not_there_or_not_the_only_one_is_no_rate(self):
        for row in (rates.core("mechanisms", "no such subject"), rates.h100("hand-written", "heavy_top by hand")._replace(instances=7),
                    rates.h100(rates.H100_AND_XEON, "heavy_top rotation rk4")):
            with self.assertRaisesRegex(ValueError, "rows of bench/results"):
                rates.rate(row)


if __name__ == "__main__":
    unittest.main()
