"""README, the pages of docs/ and the --help texts are written in short, plain sentences.

A sentence has at most 35 words, and the sentences of a page have at most 20 in the mean. Cells of tables count as prose, code does
not, and a word in `backticks` counts once. Some turns are not used at all. A page that does not meet this yet stands in NOT_YET,
which may only shrink: a page that meets the rules has to leave it, and new pages never enter it."""

import os
import re
import subprocess
import unittest
from pathlib import Path

PROGRAM = os.environ["MYRIAD_PROGRAM"]
SOURCE = Path(os.environ["MYRIAD_SOURCE_DIR"])
LONGEST_SENTENCE, LONGEST_MEAN = 35, 20  # words
COLUMNS = 100
FRAGMENT = 4  # shorter ones are labels and do not count in the mean

# Lists of sources, of values and of changes, which have a form of their own.
NO_PROSE = {"docs/references.md", "docs/reference_values.md", "docs/project/performance_notes.md", "CHANGELOG.md"}
NOT_YET = {
    "CONTRIBUTING.md", "docs/cluster.md", "docs/contact.md", "docs/datasets.md",
    "docs/glossary.md", "docs/import.md", "docs/limits.md", "docs/linear_analysis.md",
    "docs/report.md", "docs/uncertainty.md",
}

ANYWHERE = [  # and what to write for it
    (r"\bthose of\b|\bthat of\b", "repeat the noun"),
    (r"\bwhat is missing\b", "name it"),
    (r"\banew\b|\bafresh\b", "again, recompute"),
    (r"\bbeside itself\b", "in the background"),
    (r"\blikewise\b", "also"),
    (r"\bof it depends\b|\bof which\b", "begin with the subject"),
    (r"\bstands? (?:on|in|for)\b|\blies? in\b", "is in, is on, means"),
    (r"\bgo(?:es)? on\b|\bgoing on\b", "continue"),
    (r"\bput together\b", "assemble, merge"),
    (r"\bin the mean\b", "on average"),
    (r"\bhangs? on\b|\bhangs? there\b", "is carried by"),
    (r"\bsince then\b|\bat first\b|\btoday's\b|\bonce upon\b|\bformerly\b", "history belongs to the change log"),
    (r"\bnobody\b|\bwhoever\b", "name the actor"),
    (r"\bwidth of vectors\b", "vector width"),
    (r";[^;]*;", "a list, or sentences of their own"),
    (r"\b(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])[0-9a-f]{8,40}\b", "a commit belongs to docs/project"),
]
AT_THE_BEGINNING = re.compile(r"(Of|What|Where|Than|Whose|Likewise)\b")


def pages():
    found = [SOURCE / SOURCE / "CONTRIBUTING.md", SOURCE / "CHANGELOG.md", *(SOURCE / "docs").rglob("*.md")]
    return {str(page.relative_to(SOURCE)): page.read_text(encoding="utf-8") for page in sorted(found) if page.exists()}


def paragraphs(text):
    """Paragraphs, points of lists, cells of tables and definitions of a page in Markdown, as lines without marks."""
    text = re.sub(r"^ *```.*?^ *```", "\n", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"<!--.*?-->|<[^>]+>", "", text, flags=re.DOTALL)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"`[^`]*`", "`CODE`", text)
    current = []
    for line in [*map(str.strip, text.splitlines()), ""]:
        begins = re.match(r"([-*+:]|\d+\.)\s+(?=\S)", line)
        if current and (not line or begins or line[0] in "|#"):
            yield " ".join(current)
            current = []
        if line.startswith("|"):
            yield from (cell.strip() for cell in re.split(r"(?<!\\)\|", line[1:-1]))
        elif line and line[0] != "#":
            current.append(line[begins.end():] if begins else line)


def descriptions(text):
    """The texts beside the names of options and commands, and the lines above and below them, as CLI11 prints them."""
    column = 30
    current = []
    for line in [*text.splitlines(), ""]:
        beside, name = line[column:].strip(), line[:column].strip()
        if name or not line:
            if current:
                yield re.sub(r"`[^`]*`", "`CODE`", " ".join(current))
            current = [] if not name else [line.strip()] if line[0] != " " else [beside] if line[column - 1:column] == " " else []
        elif beside:
            current.append(beside)


def sentences(lines):
    for line in lines:
        for sentence in re.split(r"(?<=[.!?:])[*\")]*\s+(?=[A-Z*`\"(\d])", line):
            words = [word for word in sentence.split() if re.search(r"[A-Za-z0-9]", word)]
            if len(words) >= FRAGMENT:
                yield sentence, len(words)


def faults(lines):
    """What is wrong with the sentences of a page, one line each."""
    found = list(sentences(lines))
    if found and (mean := sum(words for _, words in found) / len(found)) > LONGEST_MEAN:
        yield f"{mean:.1f} words a sentence"
    for sentence, words in found:
        if words > LONGEST_SENTENCE:
            yield f"{words} words: {sentence}"
        for turn, instead in ANYWHERE:
            if met := re.search(turn, sentence, re.IGNORECASE):
                yield f'"{met[0]}" ({instead}): {sentence}'
        if (met := AT_THE_BEGINNING.match(sentence)) and not sentence.endswith("?"):
            yield f'begins with "{met[0]}": {sentence}'


def too_wide(text):
    """Lines beyond the columns: neither tables, pictures and long words, nor what a program printed."""
    text = re.sub(r"^ *```(?:text)?\n.*?^ *```|^ *```(\S.*?^ *)```", r"\1", text, flags=re.MULTILINE | re.DOTALL)
    return [f"{len(line)} columns: {line}" for line in text.splitlines()
            if len(line) > COLUMNS and not line.lstrip().startswith(("|", "![")) and len(line.split()) > 2]


class Prose(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.faults = {name: [*faults(paragraphs(text)), *too_wide(text)] for name, text in pages().items()
                      if name not in NO_PROSE}
        said = [subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=True).stdout]
        for command in re.findall(r"^  ([a-z]+) ", said[0].split("Subcommands:")[1], re.MULTILINE):
            said.append(subprocess.run([PROGRAM, command, "--help"], capture_output=True, text=True, check=True).stdout)
        cls.help = list(dict.fromkeys(line for text in said for line in descriptions(text)))
        cls.faults["--help"] = list(faults(cls.help))

    def test_pages_and_help_texts_keep_to_the_rules(self):
        found = {name: some for name, some in self.faults.items() if some and name not in NOT_YET}
        self.assertEqual(found, {}, "\n" + "\n".join(f"{name}: {one}" for name, some in found.items() for one in some))

    @unittest.skipUnless((SOURCE / "README.md").exists(), "not all pages are among the files of this package")
    def test_the_list_of_pages_that_are_not_rewritten_only_shrinks(self):
        self.assertEqual([name for name in sorted(NOT_YET) if not self.faults.get(name)], [], "take them off NOT_YET")

    def test_every_description_of_the_help_is_read(self):
        self.assertGreater(len(self.help), 40)
        self.assertTrue(any("Exit codes" in line for line in self.help))


class Rules(unittest.TestCase):
    def test_words_are_counted_in_paragraphs_points_cells_and_definitions(self):
        many = "word " * 36
        for text in (many, f"- point\n- {many}", f"| a | {many}|\n|---|---|", f"term\n: {many}", f"Short.\n\n{many}\n\nShort."):
            self.assertEqual(len([fault for fault in faults(paragraphs(text)) if "36 words" in fault]), 1, text)
        self.assertEqual(list(faults(paragraphs(f"Short one here now.\n\n```json\n{many}\n```\n\nAnother short one here."))), [])
        self.assertEqual(list(faults(paragraphs(f"One of a few `{many}` words."))), [])

    def test_turns_are_found_across_lines_and_only_in_prose(self):
        for text in ("It takes those\nof the parts.", "All is computed anew in a step.", "A is here; b is there; c is nowhere.",
                     "Of a system it matters little."):
            self.assertEqual(len(list(faults(paragraphs(text)))), 1, text)
        self.assertEqual(list(faults(paragraphs("A name such as `those of` is code."))), [])
        self.assertEqual(list(faults(paragraphs("What does the method keep?"))), [])


if __name__ == "__main__":
    unittest.main()
