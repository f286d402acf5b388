"""Every citation in the sources leads to a source that the project names, and every named file is there."""

import ast
import os
import re
import unittest
from functools import cached_property
from pathlib import Path

ROOT = Path(os.environ["MYRIAD_SOURCE_DIR"])
FOLDERS = ("kernels", "host", "ensembles", "bench", "papers", "tests", "python")

# How far before a year its author's name may stand: a title and a journal lie between them.
CITATION_LENGTH = 140
YEAR = re.compile(r"(?<![\d.,/-])(1[89]\d\d|20[0-3]\d)(?![\d/-]|\.\d|,\d)")
PART = re.compile(r"\b([A-Za-z]+)(?:'s)?(?: paper)?,? (?:eqs?|sects?|figs?|apps?)\. ?[0-9A-Z]")
# Words before "eq. 3" in a sentence that has named its source already.
NO_SOURCE = {"after", "and", "as", "by", "from", "in", "its", "matrices", "of", "one", "other", "paper", "printed", "that",
             "to", "where", "whose", "with", "I", "II"}
FACTS = re.compile(r"\b[Ff]acts,? ?\(?([A-F](?:\.\d)?)\b")
FILE = re.compile(r"(?<![\w./-])([\w/]+\.(?:hpp|cpp|cu|md))\b")
# A table's line that was too long: its last word stands alone before the lines that are set further in.
PUSHED_DOWN = re.compile(r"^// +\S.*\n//   ?\S+\n//      +\S", re.MULTILINE)
PRIVATE = re.compile(r"\bdesign(?:\.md|,? sections?\b)|\bgpu\.md\b")


def comments(text):
    """Blocks of // comments, each as one line."""
    block = []
    for line in text.splitlines() + [""]:
        found = re.search(r"(?:^|\s)//+\s?(.*)$", line)
        if found:
            block.append(found.group(1))
        elif block:
            yield " ".join(block)
            block = []


class References:
    """docs/references.md: its keys, and of each entry all that it says."""

    def __init__(self, text):
        entries = re.split(r"\n- (?=\*\*)", text)[1:]
        self.keys = [key for entry in entries for key in re.findall(r"\*\*([^*]+)\*\*", entry)]
        self.words = {word for key in self.keys for word in re.findall(r"[A-Za-z][\w-]+", key)}
        self.dated = [(entry[2:].split("**")[0].split(",")[0].split(" ")[0], " ".join(entry.split())) for entry in entries]
        self.dated += [(key.split(",")[0].split(" ")[0], key) for key in self.keys]

    def knows(self, before, year):
        return any(name in before and year in entry for name, entry in self.dated)


def undated(block, references):
    """Years whose authors no entry has."""
    return [block[max(0, year.start() - 60):year.end()] for year in YEAR.finditer(block)
            if not references.knows(block[max(0, year.start() - CITATION_LENGTH):year.start()], year.group(1))
            and re.search(r"[A-Z][a-z]+[^.:]*$", block[max(0, year.start() - 60):year.start()])]


class Citations(unittest.TestCase):
    @cached_property
    def references(self):
        return References((ROOT / "docs" / "references.md").read_text())

    @cached_property
    def sources(self):
        files = [file for folder in FOLDERS for file in sorted((ROOT / folder).rglob("*")) if file.is_file()]
        return {str(file.relative_to(ROOT)): file.read_text() for file in files if file.suffix in (".hpp", ".cpp", ".cu")}

    def blocks(self):
        for file, text in self.sources.items():
            for block in comments(text):
                yield file, block
        for file in sorted((ROOT / "python" / "myriad").rglob("*.py")):
            yield str(file.relative_to(ROOT)), " ".join((ast.get_docstring(ast.parse(file.read_text())) or "").split())

    def studies(self):
        for file in sorted((ROOT / "ensembles").rglob("*.json")):
            yield str(file.relative_to(ROOT)), file.read_text()
        for file, text in self.sources.items():
            for source in re.findall(r'\* source =((?:\s*"[^"]*")+)', text):
                yield file, " ".join(re.findall(r'"([^"]*)"', source))

    def test_a_source_that_nobody_names_is_seen(self):
        unnamed = "As in Nobody, Noone 1987, and as in Simo, Wong (Int. J. Numer. Meth. Eng. 31, 1991)."
        self.assertEqual(undated(unnamed, self.references), ["As in Nobody, Noone 1987"])
        self.assertIsNone(PART.search("an eq of 3"))
        self.assertNotIn(PART.search("nobody eq. 3").group(1), self.references.words)
        self.assertTrue(PRIVATE.search("the chain rule of design section 4"))

    def test_authors_and_years_are_in_the_references(self):
        for file, block in self.blocks():
            self.assertEqual(undated(block, self.references), [], file)
        for file, text in self.studies():
            for cited in re.finditer(r"(?<!July)(?<=\w) \(?((?:19|20)\d\d)\b", text):
                before = text[max(0, cited.start() - CITATION_LENGTH):cited.start()]
                self.assertTrue(self.references.knows(before, cited.group(1)), f"{file}: {before}{cited.group(0)}")

    def test_sources_of_equations_and_sections_are_in_the_references(self):
        known = {word.lower() for word in self.references.words} | {word.lower() for word in NO_SOURCE}
        for file, block in self.blocks():
            for part in PART.finditer(block):
                self.assertIn(part.group(1).lower(), known, f"{file}: {part.group(0)}")

    def test_facts_are_sections_of_the_reference_values(self):
        text = (ROOT / "docs" / "reference_values.md").read_text()
        sections = set(re.findall(r"^##+ ([A-F](?:\.\d)?)\b", text, re.MULTILINE))
        self.assertIn("A.1", sections)
        for file, block in self.blocks():
            for section in FACTS.findall(block):
                self.assertIn(section, sections, f"{file}: {block}")

    def test_files_that_comments_name_are_there(self):
        files = [str(file.relative_to(ROOT)) for folder in (*FOLDERS, "docs", "cmake") if (ROOT / folder).is_dir()
                 for file in (ROOT / folder).rglob("*")]
        endings = {"/".join(parts[i:]) for parts in (file.split("/") for file in files) for i in range(len(parts))}
        outside = {"cuda.h", "README.md", "CONTRIBUTING.md", "program_commit.hpp", "compiled_topologies.hpp"}
        for file, block in self.blocks():
            for name in FILE.findall(block):
                self.assertTrue(name in endings or name.split("/")[-1] in outside, f"{file}: {name}")

    def test_nothing_is_cited_that_the_project_does_not_hold(self):
        for file, text in self.sources.items():
            for block in comments(text):
                self.assertIsNone(PRIVATE.search(block), f"{file}: {block}")

    def test_no_line_of_a_comment_is_a_word_that_the_formatter_pushed_down(self):
        self.assertTrue(PUSHED_DOWN.search("//   open        the least change in\n//   the\n//               norm\n"))
        for file, text in self.sources.items():
            self.assertIsNone(PUSHED_DOWN.search(text), file)

    def test_every_reference_is_cited(self):
        everything = " ".join([block for _, block in self.blocks()] + [text for _, text in self.studies()])
        for key in self.references.keys:
            self.assertIn(key.split(",")[0].split(" ")[0], everything, key)


if __name__ == "__main__":
    unittest.main()
