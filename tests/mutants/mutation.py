"""Small faults in sources: where one can be made, and the text in which a number given at run time chooses it.

A fault changes a sign, an index, a frame, leaves a term out, swaps the sides of a product or of a choice, or changes a
constant or a comparison. `mutant(7)` is true in a program that runs with MYRIAD_MUTANT=7: a statement `s;` becomes
`{ if (::mutant(7)) { s'; } else { s; } }`, and an initial value or an argument `e` becomes `::mutant(7) ? (e') : (e)`.

Not drawn, as no test could see them:
- comments, messages, refusals' words, preprocessor lines, names of things (WORDS);
- tolerances, limits of iterations, and capacities, which change what a run costs (WORDS);
- heads of loops, declarations, and constants that a compiler computes: no number at run time changes them;
- single precision and devices (WORDS);
- files that only write texts, order pivots or share instructions (run_mutants.py).
"""

import dataclasses
import random
import re

WORDS = re.compile(
    r"\b(throw|refuse\w*|assert|reserve|resize|fail|message|describe\w*|to_text|quoted|count_of|float|static_assert)\b"
    r"|tolerance|iterations|capacity|attempts|single_precision|is_cuda|_text\(|std::string|names?\(|\bname\b|likely"
    r"|epsilon|roundoff|rounding|least_pivot|scale|hint|warn")


@dataclasses.dataclass(frozen=True)
class Mutant:
    file: str
    line: int
    kind: str
    before: str
    after: str
    start: int = 0
    end: int = 0
    first: str = ""  # the text around `number` that stands in place of [start, end)
    last: str = ""

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


def sites(code):
    """(kind, number of the line from 1, start, end, replacement) of each place, in the code without comments."""
    offset = 0
    for number, line in enumerate(code.split("\n"), 1):
        if _is_code(line):
            for kind, find in KINDS.items():
                for start, end, other in find(line):
                    yield kind, number, offset + start, offset + end, other
        offset += len(line) + 1


PAIR = {")": "(", "]": "[", "}": "{", "(": ")", "[": "]", "{": "}"}


def _closing(code, at):
    """The place of the bracket that closes the one there."""
    depth = 0
    for i in range(at, len(code)):
        depth += (code[i] in "([{") - (code[i] in ")]}")
        if depth == 0:
            return i
    return len(code) - 1


def _opens_block(code, at):
    before = code[:at].rstrip()
    tail = before[max(before.rfind(c) for c in ";{}") + 1 :]
    return bool(re.search(r"(\)|\b(const|else|do|noexcept|override|mutable|MYRIAD_INLINE|try))$", before)
                or re.search(r"\b(struct|class|union|enum|namespace|requires)\b[^()=]*$", tail)
                or re.search(r"\)\s*(const\s*)?->[^;{}]*$", tail) or not tail.strip())


def _argument(code, at):
    """The span of the smallest argument, index, initial value or side of a choice around a place."""
    start, end, depth = at, at, 0
    while start > 0:
        c = code[start - 1]
        if c in ")]}":
            depth += 1
        elif c in "([{":
            if depth == 0:
                break
            depth -= 1
        elif depth == 0 and (c in ",;?" or (c == "=" and code[start - 2] == " " and code[start] == " ")
                             or (c == ":" and code[start - 2] == " " and code[start] == " ")):
            break
        start -= 1
    word = re.match(r"\s*(return\b)?\s*", code[start:])
    start += word.end()
    depth = 0
    while end < len(code):
        c = code[end]
        if c in "([{":
            depth += 1
        elif c in ")]}":
            if depth == 0:
                break
            depth -= 1
        elif depth == 0 and (c in ",;?" or code[end : end + 3] == " : "):
            break
        end += 1
    while end > start and code[end - 1].isspace():
        end -= 1
    return start, end


def _statement(code, at):
    """The span of the statement around a place, its control heads left out; whether the place stands in such a head."""
    i, depth = at, 0
    while i > 0:
        c = code[i - 1]
        if c in ")]":
            depth += 1
        elif c == "}":
            if depth == 0 and not re.match(r"\s*[.,)+*;\[(\]}?:-]", code[i:]):
                break
            depth += 1
        elif c in "([{":
            if depth > 0:
                depth -= 1
            elif c == "{" and _opens_block(code, i - 1):
                break
        elif c == ";" and depth == 0:
            break
        i -= 1
    while True:
        word = re.match(r"\s*(else\b|do\b|MYRIAD_UNROLL\w*|MYRIAD_ROLL\b|(public|private|protected):|case [^;{}]*?[^:]:(?!:)|default:"
                        r"|(if|while|for|switch)( constexpr)? ?\(|MYRIAD_EACH\w* ?\()", code[i:])
        if not word:
            break
        end = i + word.end()
        if word.group(0).endswith("("):
            close = _closing(code, end - 1)
            if at < close:
                return end, close, word.group(3) in ("if", "while") and not word.group(4)
            end = close + 1
        i = end
    start = i + len(code[i:]) - len(code[i:].lstrip())
    depth = 0
    for end in range(start, len(code)):
        depth += (code[end] in "([{") - (code[end] in ")]}")
        if depth < 0:
            return None
        if depth == 0 and code[end] == ";":
            return start, end + 1, None
    return None


DECLARED = re.compile(r"(?:const )?((?:[A-Za-z_][\w:]*)(?:<[^=;()]*>)?(?:::\w+)?)(?:\s+|\s*([&*])\s*(?:const )?)(\w+) =\s+")


def schema(code, plain, at, end, other):
    """(start, end, text before the number, text behind it) of a place; None where no number can choose the fault.

    `code` is the text without comments and strings, `plain` with strings, each character at the place of the file.
    """
    span = _statement(code, at)
    if span is None:
        return None
    first, last, head = span
    text = code[first:last]
    if WORDS.search(text) or re.match(
            r"(using|typedef|static_assert|template|struct|class|enum|friend|goto|break|throw|namespace|constexpr|consteval"
            r"|static|inline|explicit|virtual|operator|extern|MYRIAD_(?!CLEARED)|case|default)\b", text):
        return None

    def flat(a, b):
        return re.sub(r"\s+", " ", plain[a:at] + other + plain[end:b])

    def chosen(a, b, type_of=""):
        if a > at or b < end or not code[a:b].strip():
            return None
        return a, b, "(::mutant(", f") ? {type_of}({flat(a, b)}) : {type_of}({plain[a:b]}))"

    if head is not None:
        return chosen(first, last) if head and ";" not in text and " = " not in text else None
    if ";" in text[:-1]:
        return None
    if text.startswith("return "):
        return first, last, "{ if (::mutant(", f")) {flat(first, last)} {plain[first:last]} }}"
    declared = DECLARED.match(text)
    if declared and declared.group(1) not in ("return", "delete", "else"):
        value = first + declared.end()
        if at < value:
            return None
        if _argument(code, value)[1] < last - 1 or code[value] == "{" or declared.group(2) or declared.group(1) == "auto":
            return chosen(*_argument(code, at))
        return chosen(value, last - 1, f"static_cast<{declared.group(1)}>")
    if re.match(r"(const )?[\w:]+(<[^;=()]*>)?[&*]? [&*]?\w+\s*[{(;]", text):
        return chosen(*_argument(code, at)) if re.match(r"[^()]*[{]", text) else None
    if re.match(r"[\w:<>, ]+\([^;]*\)( const)?( override)?( = \w+)?;$", text) and re.match(r"(const )?[\w:]+ \w+\(", text):
        return None
    if not re.match(r"[\w:.\->\[\]()*+ &<>,{}/%!?|=\"'\n-]+;$", text):
        return None
    return first, last, "{ if (::mutant(", f")) {{ {flat(first, last)} }} else {{ {plain[first:last]} }} }}"


def draw(sources, seed, count):
    """So many mutants of {group: {file: text}}, the groups in turn, no two in one statement."""
    generator = random.Random(seed)
    found = {group: {kind: [] for kind in KINDS} for group in sources}
    codes, plains = {}, {}
    for group, files in sources.items():
        for file, text in sorted(files.items()):
            codes[file] = code_of(text)
            plains[file] = re.sub(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/',
                                  lambda match: match.group(1) or _blank(match), text, flags=re.S)
            for kind, *place in sites(codes[file]):
                found[group][kind].append((file, *place))
    taken, groups, number = {}, sorted(sources), 0
    while number < count:
        group = groups[number % len(groups)]
        kinds = [kind for kind in KINDS if found[group][kind]]
        if not kinds:
            return
        kind = generator.choice(kinds)
        place = found[group][kind].pop(generator.randrange(len(found[group][kind])))
        file, line, at, end, other = place
        span = schema(codes[file], plains[file], at, end, other)
        if span is None or span[1] - span[0] > 800 or any(a < span[1] and span[0] < b for a, b in taken.get(file, [])):
            continue
        text = sources[group][file]
        before = text.split("\n")[line - 1]
        begin = at - (text.rfind("\n", 0, at) + 1)
        after = before[:begin] + other + before[begin + end - at :]
        if before == after:
            continue
        taken.setdefault(file, []).append(span[:2])
        number += 1
        yield Mutant(file, line, kind, before, after, *span)


def with_mutants(text, mutants):
    """The text of a file with all of these in it; {number: mutant}. Its lines stay where they are."""
    for number, mutant in sorted(mutants.items(), key=lambda item: -item[1].start):
        text = text[: mutant.start] + mutant.first + str(number) + mutant.last + text[mutant.end :]
    return text
