"""Small faults in sources: where one can be made, and the text with it.

A fault changes a sign, an index, a frame, leaves a term out, swaps the sides of a product or of a choice, or changes a
constant or a comparison. Comments, strings, preprocessor lines and heads of loops stay as they are.
"""

import dataclasses
import random
import re


@dataclasses.dataclass(frozen=True)
class Mutant:
    file: str
    line: int
    kind: str
    before: str
    after: str

    def __str__(self):
        return f"{self.file}:{self.line} {self.kind}: {self.before.strip()}  ->  {self.after.strip()}"


def _blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def code_of(text):
    """The text with comments, strings and preprocessor lines blanked, each character at its place."""
    text = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', _blank, text, flags=re.S)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", _blank, text, flags=re.M)


def _is_code(line):
    """Whether a line computes: no declaration of types, head of a loop or check while compiling."""
    return not re.match(r"\s*(template|static_assert|struct|class|using|namespace|enum|case|default|for|public|private)\b", line)


def _arguments(line, opening):
    """The two arguments of a call whose parenthesis opens there, as spans, or None."""
    depth, start, spans = 0, opening + 1, []
    for i in range(opening, len(line)):
        if line[i] in "([{":
            depth += 1
        elif line[i] in ")]}":
            depth -= 1
        if (depth == 1 and line[i] == ",") or depth == 0:
            spans.append((start, i))
            start = i + 1
        if depth == 0:
            return spans
    return None


def _signs(line):
    for match in re.finditer(r"(?<=[\w)\]]) ([+-])(=?) (?=[\w(\-])", line):
        other = "-" if match.group(1) == "+" else "+"
        yield match.start() + 1, match.start() + 2, other
    for match in re.finditer(r"(?:(?<=[=(,] )|(?<=[({])|(?<=return ))-(?=[A-Za-z(])", line):
        yield match.start(), match.end(), ""


def _indices(line):
    for match in re.finditer(r"(?<=[\w)\]]\[)([0-2])(?=\])", line):
        yield match.start(), match.end(), str((int(match.group(1)) + 1) % 3)
    for match in re.finditer(r"(?<=[\w)\]]\.)([xyz])\b(?!\()", line):
        yield match.start(), match.end(), "yzx"["xyz".index(match.group(1))]
    for match in re.finditer(r"(?<=[\[(])(\w+) \+ 1(?=[\])])", line):
        yield match.start(), match.end(), match.group(1)


def _frames(line):
    for match in re.finditer(r"\b(to_world|to_body)\(", line):
        yield match.start(1), match.end(1), "to_body" if match.group(1) == "to_world" else "to_world"
    for match in re.finditer(r"\btransposed_times\((\w[\w.\[\]]*), (\w[\w.\[\]]*)\)", line):
        yield match.start(), match.end(), f"({match.group(1)} * {match.group(2)})"
    for match in re.finditer(r"\.(transpose|conjugate)\(\)", line):
        yield match.start(), match.end(), ""
    for match in re.finditer(r"\b(first|second|parent|child|a|b)\b(?=[.\[])", line):
        other = dict(first="second", second="first", parent="child", child="parent", a="b", b="a")[match.group(1)]
        yield match.start(), match.end(), other


def _terms(line):
    for match in re.finditer(r"(?<=[\w)\]]) [+-] (?=[\w(])", line):
        depth, end = 0, None
        for i in range(match.end(), len(line)):
            if line[i] in "([{":
                depth += 1
            elif line[i] in ")]}":
                depth -= 1
            if depth < 0 or (depth == 0 and (line[i] in ",;?" or line[i : i + 3] in (" + ", " - ", " < ", " > "))):
                end = i
                break
        if end is not None:
            yield match.start(), end, ""


def _orders(line):
    for match in re.finditer(r"\b(cross|select|atan2|clamp)\(", line):
        spans = _arguments(line, match.end() - 1)
        if spans and len(spans) >= 2:
            (a, b), (c, d) = spans[-2:]
            lead = " " * (b - a - len(line[a:b].lstrip()))
            yield a, d, lead + line[c:d].strip() + ", " + line[a:b].strip()


def _constants(line):
    for match in re.finditer(r"(?<![\w.])(\d+\.\d+)(?![\w.])", line):
        value = float(match.group(1))
        yield match.start(), match.end(), "1.0" if value == 0.0 else repr(value / 2 if value != 1.0 else 2.0)
    for match in re.finditer(r" (<=|>=|<|>|&&|\|\|) ", line):
        other = {"<=": ">", ">=": "<", "<": ">", ">": "<", "&&": "||", "||": "&&"}[match.group(1)]
        yield match.start(1), match.end(1), other


KINDS = {"sign": _signs, "index": _indices, "frame": _frames, "term": _terms, "order": _orders, "constant": _constants}


def sites(text):
    """kind -> [(number of the line from 1, start, end, replacement)]."""
    found = {kind: [] for kind in KINDS}
    for number, line in enumerate(code_of(text).split("\n"), 1):
        if _is_code(line):
            for kind, find in KINDS.items():
                found[kind].extend((number, *site) for site in find(line))
    return found


def draw(sources, seed, count):
    """So many different mutants of {group: {file: text}}, the groups in turn; each kind of a group is as likely."""
    generator = random.Random(seed)
    found = {group: {kind: [] for kind in KINDS} for group in sources}
    for group, files in sources.items():
        for file, text in sorted(files.items()):
            for kind, places in sites(text).items():
                found[group][kind].extend((file, *place) for place in places)
    drawn, groups = set(), sorted(sources)
    while len(drawn) < count:
        group = groups[len(drawn) % len(groups)]
        kind = generator.choice([kind for kind in KINDS if found[group][kind]])
        file, number, start, end, replacement = generator.choice(found[group][kind])
        line = sources[group][file].split("\n")[number - 1]
        mutant = Mutant(file, number, kind, line, line[:start] + replacement + line[end:])
        if mutant not in drawn and mutant.before != mutant.after:
            drawn.add(mutant)
            yield mutant
