"""Studies that come with the program: their list, how one is named, and what `myriad new` writes to start from."""

import json
import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

from program_case import PROGRAM, SMALL, STUDIES, ProgramTest

FEW = ("--backend", "cpu", "--format", "json", "-o", "instances=8", "-o", "observe=null", "-o", 'results.keep=["quantities"]')


class BundledStudies(ProgramTest):
    def listed(self):
        done = self.myriad("list", "--studies", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_the_list_has_the_name_the_title_and_the_path_of_every_study(self):
        listed = self.listed()
        self.assertEqual([one["name"] for one in listed], sorted(file.stem for file in STUDIES.glob("*.json")))
        for one in listed:
            with self.subTest(one["name"]):
                text = (STUDIES / f"{one['name']}.json").read_text(encoding="utf-8")
                self.assertTrue(Path(one["path"]).is_absolute())
                self.assertEqual(Path(one["path"]).read_text(encoding="utf-8"), text)
                self.assertEqual(one["title"], re.search(r'"title": "(.*)"', text)[1])
                self.assertEqual("mechanism" in one, '"mechanism": "' in text)
                if "mechanism" in one:
                    self.assertIn('"bodies"', Path(one["mechanism"]).read_text(encoding="utf-8"))

    def test_the_table_has_a_line_for_each_study_and_the_folder_of_their_files(self):
        said = self.myriad("list", "--studies").stdout
        for one in self.listed():
            self.assertRegex(said, rf"(?m)^{one['name']} ")
        self.assertIn(str(Path(self.listed()[0]["path"]).parent), said)

    def test_a_study_runs_by_its_name_as_by_its_path(self):
        for name in ("heavy_top", "pendulum"):
            by_name = self.myriad("run", name, *FEW)
            self.assertEqual(by_name.returncode, 0, by_name.stderr)
            self.assertTrue((self.path / f"{name}.h5").exists())
            by_path = self.myriad("run", STUDIES / f"{name}.json", *FEW, "--overwrite")
            self.assertEqual(json.loads(by_name.stdout)["quantities"], json.loads(by_path.stdout)["quantities"])

    def test_a_file_of_that_name_wins_and_a_folder_does_not(self):
        (self.path / "pendulum").mkdir()
        self.assertEqual(self.myriad("run", "pendulum", *FEW).returncode, 0)
        Path(self.study({**SMALL, "title": "one of mine"}, "heavy_top"))
        done = self.myriad("run", "heavy_top", "--backend", "cpu", "--format", "json")
        self.assertEqual(json.loads(done.stdout)["instances"], SMALL["instances"], done.stderr)
        self.assertIn("one of mine", done.stderr)

    def test_an_unknown_name_is_refused_with_the_nearest_and_where_all_are(self):
        for given, parts in {"heavy_tpo": ["heavy_tpo: there is no such file in this folder, and no bundled study has this name",
                                           'did you mean the bundled study "heavy_top"?'],
                             "heavy_top.json": ['did you mean the bundled study "heavy_top"?'],
                             "ensembles/studies/heavy_top.json": ["ensembles/studies/heavy_top.json: there is no such file\n",
                                                                  'did you mean the bundled study "heavy_top"?'],
                             "zzzzzzzz": ["no bundled study has this name\n  `myriad list --studies` shows"]}.items():
            with self.subTest(given):
                done = self.myriad("run", given)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                for part in [*parts, "`myriad list --studies`", "`myriad new NAME`"]:
                    self.assertIn(part, done.stderr)

    def test_they_are_found_where_an_archive_and_a_wheel_have_them(self):
        for program, share in (("archive/bin/myriad", "archive/share/myriad"), ("myriad/bin/myriad", "myriad/share/myriad")):
            (self.path / program).parent.mkdir(parents=True)
            shutil.copy(PROGRAM, self.path / program)
            (self.path / share / "ensembles").mkdir(parents=True)
            for folder in ("studies", "mechanisms"):
                shutil.copytree(STUDIES.parent / folder, self.path / share / "ensembles" / folder)
            listed = json.loads(subprocess.run([self.path / program, "list", "--studies", "--format", "json"],
                                               capture_output=True, text=True, check=True).stdout)
            self.assertEqual(listed[0]["path"], str((self.path / share / "ensembles/studies").resolve() / "bouncing_ball.json"))

    def test_a_program_that_was_copied_alone_says_what_is_missing(self):
        (self.path / "bin").mkdir()
        shutil.copy(PROGRAM, self.path / "bin" / "myriad")
        done = subprocess.run([self.path / "bin" / "myriad", "list", "--studies"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("the bundled studies: they are not beside this program\n  keep the folders", done.stderr)


class NewStudies(ProgramTest):
    def test_the_files_run_as_they_are_written(self):
        done = self.myriad("new", "crank")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(os.listdir(self.path)), ["crank.json", "crank.py", "crank_mechanism.json"])
        command = re.search(r"^run it with: myriad (.*)$", done.stdout, re.M)[1].split()
        run = self.myriad(*command, "--backend", "cpu", "--format", "json")
        self.assertEqual(run.returncode, 0, run.stderr)
        summary = json.loads(run.stdout)
        self.assertEqual((summary["instances"], summary["by_status"]), (1000, {"ok": 1000}))
        listed = self.myriad("list", "--mechanism", "crank_mechanism.json")
        self.assertEqual((listed.returncode, listed.stderr), (0, ""))

    def test_their_comments_name_these_files(self):
        self.myriad("new", "studies.v2.json")
        said = {file: (self.path / file).read_text(encoding="utf-8") for file in os.listdir(self.path)}
        self.assertEqual(sorted(said), ["studies.v2.json", "studies.v2.py", "studies.v2_mechanism.json"])
        self.assertIn("myriad run studies.v2.json", said["studies.v2.json"])
        self.assertIn("python3 studies.v2.py", said["studies.v2.json"])
        self.assertIn('"mechanism": "studies.v2_mechanism.json"', said["studies.v2.json"])
        self.assertIn("myriad list --mechanism studies.v2_mechanism.json", said["studies.v2_mechanism.json"])
        self.assertIn('with_name("studies.v2.json")', said["studies.v2.py"])
        for file, text in said.items():
            if file.endswith(".json"):
                self.assertGreater(text.count("//"), 8)

    def test_no_file_is_replaced_and_no_half_is_left_behind(self):
        for kept, others in (("mine.json", ("mine_mechanism.json", "mine.py")), ("mine.py", ("mine.json", "mine_mechanism.json"))):
            (self.path / kept).write_text("mine")
            done = self.myriad("new", "mine")
            self.assertEqual(done.returncode, 4)
            self.assertIn(f"{kept}: there is a file of this name already\n  give another name", done.stderr)
            self.assertEqual((self.path / kept).read_text(), "mine")
            self.assertFalse(any((self.path / other).exists() for other in others))
            (self.path / kept).unlink()

    def test_a_folder_may_stand_before_the_name(self):
        (self.path / "cranks").mkdir()
        self.assertEqual(self.myriad("new", "cranks/first").returncode, 0)
        self.assertEqual(self.myriad("run", "cranks/first.json", *FEW).returncode, 0)
        done = self.myriad("new", "nowhere/first")
        self.assertEqual(done.returncode, 4)
        self.assertIn("nowhere/first.json: the file cannot be written: No such file or directory", done.stderr)

    def test_a_name_that_would_need_quotes_is_refused(self):
        for name in ("a b", 'a"b', ".hidden", "", "a\nb", "dir/"):
            with self.subTest(name):
                done = self.myriad("new", name)
                self.assertEqual(done.returncode, 1)
                self.assertIn("this is no name for a study", done.stderr)
                self.assertEqual(os.listdir(self.path), [])


if __name__ == "__main__":
    unittest.main()
