"""README and the guides of docs/: links lead somewhere, studies and mechanisms run, tables are the program's own, the pages
generated from the program have every key, and Sphinx builds the site without a warning and without a network."""

import ast
import importlib.util
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = os.environ["MYRIAD_PROGRAM"]
SOURCE = Path(os.environ["MYRIAD_SOURCE_DIR"])
# An archive of the program has the pages, but not what stands only in the root of a checkout.
PAGES = [page for page in [SOURCE / "README.md", *sorted((SOURCE / "docs").rglob("*.md"))] if page.exists()]
LONGEST_README = 120  # lines: a first screen, not a manual
QUICK_CASES = ["steady_precession", "heavy_top_published"]  # of `myriad validate`: all of them take minutes
LINK = re.compile(r"\]\(([^)#\s]+)(#[^)\s]*)?\)")
BLOCK = re.compile(r"^```json (study|mechanism)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def anchors(page):
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {"#" + re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def run(*arguments, folder):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=folder)


def keys_of(schema, found):
    if isinstance(schema, dict):
        found.update(name for name, value in schema.get("properties", {}).items() if value is not False)
        for value in schema.values():
            keys_of(value, found)
    elif isinstance(schema, list):
        for value in schema:
            keys_of(value, found)
    return found


class Pages(unittest.TestCase):
    @unittest.skipUnless((SOURCE / "README.md").exists(), "README.md is not among the files of this package")
    def test_readme_is_short(self):
        self.assertLessEqual(len((SOURCE / "README.md").read_text(encoding="utf-8").splitlines()), LONGEST_README)

    @unittest.skipUnless((SOURCE / "CMakeLists.txt").exists(), "the project's own files are not in this package")
    def test_the_version_is_the_same_everywhere(self):
        version = re.search(r"project\(myriad VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text("utf-8"))[1]

        self.assertIn(f"\nversion: {version}\n", (SOURCE / "CITATION.cff").read_text("utf-8"))
        self.assertIn(f"version = {{{version}}}", (SOURCE / "README.md").read_text("utf-8"))
        self.assertEqual(re.search(r"^## (\S+)", (SOURCE / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)[1], version)

    @unittest.skipUnless((SOURCE / "CITATION.cff").exists(), "the project's own files are not in this package")
    def test_the_readme_cites_as_the_citation_file_does(self):
        text, cited = ((SOURCE / name).read_text("utf-8") for name in ("README.md", "CITATION.cff"))

        self.assertIn("author = {{" + re.search(r"- name: (.*)", cited)[1] + "}}", text)
        self.assertIn("title = {" + re.search(r'^title: "(.*)"$', cited, re.MULTILINE)[1] + "}", text)

    def test_links_lead_to_files_and_headings(self):
        checked = 0
        for page in PAGES:
            for target, heading in LINK.findall(page.read_text(encoding="utf-8")):
                if re.match(r"[a-z]+:", target):
                    continue
                file = page.parent / target
                inside = file.resolve().relative_to(SOURCE.resolve()).parts[0]
                if (SOURCE / inside).exists() or (SOURCE / "README.md").exists():
                    self.assertTrue(file.exists(), f"{page.name}: {target}")
                    checked += 1
                if heading and file.exists():
                    self.assertIn(heading, anchors(file), f"{page.name}: {target}{heading}")
        self.assertGreater(checked, 10)

    def test_studies_and_mechanisms_of_the_pages_run(self):
        ran = 0
        for page in PAGES:
            for kind, name, text in BLOCK.findall(page.read_text(encoding="utf-8")):
                with self.subTest(page=page.name, kind=kind), tempfile.TemporaryDirectory() as folder:
                    file = Path(folder) / (name or "example.json")
                    file.write_text(text, encoding="utf-8")
                    done = (run("run", file.name, "-o", "instances=64", folder=folder) if kind == "study" else
                            run("list", "--mechanism", file.name, folder=folder))
                    self.assertEqual(done.returncode, 0, done.stderr)
                    ran += 1
        self.assertGreaterEqual(ran, 2)

    def test_the_example_of_claims_passes(self):
        text = (SOURCE / "docs" / "validation.md").read_text(encoding="utf-8")
        claims = re.search(r"^```json\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[1]
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "ball.json").write_text(
                claims.replace("../mechanisms", str(SOURCE / "ensembles" / "mechanisms")), encoding="utf-8")
            done = run("validate", "ball.json", "--format", "json", folder=folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["checks"], 4)

    def test_the_commands_of_the_guide_to_studies_run_one_after_another(self):
        text = (SOURCE / "docs" / "monte_carlo.md").read_text(encoding="utf-8")
        commands = [line.split("#")[0].split() for line in text.split("```sh\n")[1].split("```")[0].splitlines()]
        fewer = {"200000": "128", "instances=1000": "instances=32", "4711": "17"}
        ran = 0
        with tempfile.TemporaryDirectory() as folder:
            study = BLOCK.search(text)[3].replace('"instances": 100000', '"instances": 64')
            (Path(folder) / "study.json").write_text(study, encoding="utf-8")
            for program, verb, *rest in commands:
                if program != "myriad" or verb not in ("run", "merge", "replay", "report"):
                    continue
                shards = [f"{k}/16" for k in range(16)] if "3/16" in rest else [""]
                for shard in shards:
                    words = [shard if word == "3/16" else fewer.get(word, word) for word in rest]
                    words += ["--instances", "64"] * (rest == ["heavy_top"])
                    words = [name for word in words
                             for name in (sorted(p.name for p in Path(folder).glob(word)) if "*" in word else [word])]
                    done = run(verb, *words, folder=folder)
                    self.assertEqual(done.returncode, 0, f"{verb} {words}: {done.stderr}")
                    ran += 1
        self.assertGreater(ran, 20)

    @unittest.skipUnless((SOURCE / "README.md").exists(), "README.md is not among the files of this package")
    def test_the_study_of_the_readme_is_the_bundled_one_and_prints_its_table(self):
        text = (SOURCE / "README.md").read_text(encoding="utf-8")
        study, table = (text.split(f"```{kind}\n")[1].split("```")[0] for kind in ("json", "text"))
        file = SOURCE / "ensembles" / "studies" / "slider_crank.json"
        bundled = re.sub(r"//.*|,(?=\s*})", "", file.read_text(encoding="utf-8"))
        with tempfile.TemporaryDirectory() as folder:
            done = run("run", file, folder=folder)

        self.assertEqual(json.loads(study), {key: value for key, value in json.loads(bundled).items()
                                             if key not in ("title", "description")})
        self.assertIn("pin_force_N", table)
        self.assertTrue(done.stdout.startswith(table), done.stdout[:2000] + done.stderr)


def verdict_of(cell):
    """Column of the index in which a statement's verdict counts; "holds: slowly" holds, any other restriction is a part."""
    if cell.startswith(("does not hold", "cannot be said")):
        return 3 if cell.startswith("does") else 4
    return 1 if re.fullmatch(r"holds(:.*)?", cell) else 2


@unittest.skipUnless((SOURCE / "papers").exists(), "the papers are not among the files of this package")
class Papers(unittest.TestCase):
    INDEX = (SOURCE / "docs" / "papers.md").read_text(encoding="utf-8")

    def test_the_index_counts_the_verdicts_of_each_page(self):
        rows = re.findall(r"^\| \[.*\]\(\.\./(\S+\.md)\).*?\|([ \d|]+)\|$", self.INDEX, re.MULTILINE)
        self.assertEqual(len(rows), len(list((SOURCE / "papers").glob("*/*.md"))))
        for page, numbers in rows:
            table = (SOURCE / page).read_text(encoding="utf-8").split("| the paper | for us |")[1].split("\n\n")[0]
            found = [0, 0, 0, 0, 0]
            for line in table.splitlines()[2:]:
                found[verdict_of(line.split(" | ")[1].strip())] += 1
            found[0] = sum(found)
            self.assertEqual([int(number) for number in numbers.split("|")], found, page)

    def test_commands_of_the_index_write_the_pages_that_it_links(self):
        commands = dict(re.findall(r"^build/myriad bench (\w+) --pages (\S+)$", self.INDEX, re.MULTILINE))
        self.assertEqual({f"{folder}/{case}.md" for case, folder in commands.items()},
                         set(re.findall(r"\]\(\.\./(papers/\S+\.md)\)", self.INDEX)))


def texts_of(folder, *endings):
    return "\n".join(file.read_text(encoding="utf-8") for ending in endings
                     for file in sorted((SOURCE / folder).rglob(f"*{ending}")))


class Environment(unittest.TestCase):
    PAGE = (SOURCE / "docs" / "environment.md").read_text(encoding="utf-8")
    # Of the sources of kernels, where they spell arrays, and of the texts of steps, where they spell numbers.
    MACROS = {"MYRIAD_TABLE", "MYRIAD_LONG_TABLE", "NOT_A_NUMBER", "BEYOND_ALL"}

    def test_every_variable_that_the_program_and_the_package_read_stands_on_the_page(self):
        host, python = texts_of("host", ".cpp", ".hpp"), texts_of("python/myriad", ".py")
        names = set(re.findall(r'getenv\("(\w+)"\)', host)) | set(re.findall(r'"([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"', host))
        names |= set(re.findall(r"""environ(?:\.get\(|\[)["'](\w+)""", python))
        self.assertGreater(len(names - self.MACROS), 20)
        self.assertEqual([name for name in sorted(names - self.MACROS) if f"`{name}`" not in self.PAGE], [])

    def test_every_variable_of_the_page_is_read(self):
        sources = texts_of("host", ".cpp", ".hpp") + texts_of("python/myriad", ".py")
        of_dev = self.PAGE.split("## Variables of `./dev`")[1]
        read_by_libraries = {"CUDA_VISIBLE_DEVICES", "TMPDIR", "PATH"}
        for name in re.findall(r"`([A-Z][A-Z0-9_]+)`", self.PAGE.removesuffix(of_dev)):
            self.assertTrue(name in read_by_libraries or f'"{name}"' in sources, name)

    @unittest.skipUnless((SOURCE / "dev").exists(), "the project's own files are not in this package")
    def test_every_variable_that_dev_reads_stands_on_the_page(self):
        for name in re.findall(r"\$\{([A-Z][A-Z_]+):-", (SOURCE / "dev").read_text(encoding="utf-8")):
            self.assertIn(f"`{name}`", self.PAGE)


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.source, cls.site = Path(cls.folder.name) / "source", Path(cls.folder.name) / "html"
        subprocess.run([sys.executable, str(SOURCE / "docs" / "generate.py"), PROGRAM, str(cls.source), *QUICK_CASES],
                       check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_every_key_stands_in_the_generated_reference(self):
        for subject in ("study", "mechanism"):
            schema = json.loads(run("schema", subject, folder=self.folder.name).stdout)
            page = (self.source / "docs" / "generated" / f"{subject}.md").read_text(encoding="utf-8")
            keys = keys_of({key: value for key, value in schema.items() if key != "allOf"}, set())
            self.assertGreater(len(keys), 50)
            missing = sorted(key for key in keys if f"`{key}`" not in page)
            self.assertEqual(missing, [], subject)

    def test_every_system_method_parameter_and_channel_stands_in_the_generated_reference(self):
        catalog = json.loads(run("list", "--format", "json", folder=self.folder.name).stdout)
        systems = (self.source / "docs" / "generated" / "systems.md").read_text(encoding="utf-8")
        methods = (self.source / "docs" / "generated" / "methods.md").read_text(encoding="utf-8")
        for system in catalog["systems"]:
            for name in [system["name"], *(item["address"] for item in system["parameters"] + system["channels"])]:
                self.assertIn(f"`{name}`", systems)
        for method in catalog["integrators"]:
            self.assertIn(f"`{method['name']}`", methods)

    def test_every_check_stands_with_its_source_in_the_generated_page(self):
        page = (self.source / "docs" / "generated" / "validation.md").read_text(encoding="utf-8")
        rows = json.loads(run("validate", *QUICK_CASES, "--format", "json", folder=self.folder.name).stdout)["rows"]
        self.assertGreater(len(rows), 10)
        self.assertEqual(page.count(" | yes |"), len(rows))
        self.assertNotIn("**no**", page)
        for row in rows:
            for part in (f"## {row['case']}", f"| {row['quantity']} |", f"Expected: {row['source']}."):
                self.assertIn(part.replace("*", "\\*").replace("<", "&lt;"), page)

    def test_the_page_of_statuses_is_what_the_program_makes_of_it_now(self):
        page = (SOURCE / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
        made = subprocess.run([sys.executable, str(SOURCE / "docs" / "generate.py"), PROGRAM, "--troubleshooting"],
                              capture_output=True, text=True, check=True).stdout

        self.assertEqual(page, made, "python3 docs/generate.py build/myriad --troubleshooting > docs/troubleshooting.md")

    def test_every_status_reason_and_warning_of_the_kernels_stands_in_the_page_of_statuses(self):
        codes = (SOURCE / "kernels" / "system" / "status.hpp").read_text(encoding="utf-8")
        page = (SOURCE / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
        entries = {name: re.findall(r"^    (\w+) = (\d+),", body, re.MULTILINE)
                   for name, body in re.findall(r"^enum class (\w+) \{\n(.*?)^\};", codes, re.MULTILINE | re.DOTALL)}
        rows = re.findall(r"^\| (\d+) \|", page, re.MULTILINE)

        for name, _ in entries["Status"]:
            self.assertIn(f"`{name}`", page)
        self.assertEqual(sorted(rows, key=int),
                         sorted((code for kind in ("Reason", "Warning") for _, code in entries[kind] if code != "0"), key=int))

    def test_keys_that_the_page_of_statuses_names_are_keys_of_files(self):
        known = set()
        for subject in ("study", "mechanism"):
            keys_of(json.loads(run("schema", subject, folder=self.folder.name).stdout), known)
        said = json.loads(run("list", "--statuses", "--format", "json", folder=self.folder.name).stdout)
        named = {part for one in said["statuses"] + said["warnings"]
                 for some in [one, *one.get("reasons", [])] for key in some["keys"] for part in key.split(".")}

        self.assertGreater(len(named), 20)
        self.assertEqual(sorted(named - known), [])

    def test_every_name_of_the_python_package_stands_in_the_generated_page(self):
        page = (self.source / "docs" / "generated" / "python.md").read_text(encoding="utf-8")
        described = set(re.findall(r"^##+ (\w+)$", page, re.M))
        for module in sorted((SOURCE / "python" / "myriad").rglob("__init__.py")):
            names = ast.literal_eval(re.search(r"^__all__ = (\[.*?\])$", module.read_text(encoding="utf-8"), re.M | re.S)[1])
            self.assertEqual([name for name in names if name not in described and not name.isupper()], [], str(module))

    @unittest.skipUnless(importlib.util.find_spec("sphinx") and importlib.util.find_spec("myst_parser"),
                         "Sphinx or MyST is not installed: ./dev docs installs them")
    @unittest.skipUnless((SOURCE / "README.md").exists(), "the pictures are not among the files of this package")
    def test_sphinx_builds_a_site_that_needs_no_network(self):
        done = subprocess.run([sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "-c",
                               str(SOURCE / "docs"), str(self.source / "docs"), str(self.site)], capture_output=True,
                              text=True)

        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.site / "searchindex.js").exists())
        for page in self.site.rglob("*.html"):
            loaded = re.findall(r'<(?:script|link|img)\b[^>]*\b(?:src|href)="(https?:)?//', page.read_text("utf-8"))
            self.assertEqual(loaded, [], page.name)
        written = {page.relative_to(self.site).with_suffix("") for page in self.site.rglob("*.html")}
        pages = {page.relative_to(SOURCE / "docs").with_suffix("") for page in PAGES if SOURCE / "docs" in page.parents}
        papers = {Path("papers", page.stem) for page in (SOURCE / "papers").glob("*/*.md")}
        self.assertEqual(len(papers), 4)
        self.assertLessEqual(pages | papers, written)


if __name__ == "__main__":
    unittest.main()
