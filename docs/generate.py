"""Makes the source of the site: the guides, and reference pages written from the program itself.

    python3 docs/generate.py build/myriad build/docs/source [cases of validate, all by default]

Into that folder go docs/ and the files that its pages link to; into its docs/generated/ the keys of studies and mechanisms,
systems, methods, expressions, the command line, the Python package, the measured rows of bench/results/, and what
`myriad validate` says of the program here and now.

    python3 docs/generate.py build/myriad --troubleshooting

prints docs/troubleshooting.md, which is committed, from `myriad list --statuses`.
"""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORDS = ("run", "merge", "replay", "validate", "bench", "report", "schema", "list", "compile", "version")


def said_by(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout


def cell(text):
    return str(text).replace("\n", " ").replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def table(heads, rows):
    return "\n".join(["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads),
                      *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def kind_of(schema):
    """In a few words what a value is."""
    if "$ref" in schema:
        return schema["$ref"].rsplit("/", 1)[-1]
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "anyOf" in schema:
        kinds = list(dict.fromkeys(kind_of(choice) for choice in schema["anyOf"]))
        return " or ".join(kinds) if len(kinds) < 4 else "one of the values below"
    if schema.get("type") == "array":
        return "list of " + kind_of(schema.get("items", {}))
    return str(schema.get("type", "any value"))


def rows_of(schema, path, rows):
    """One row for each key, at any depth."""
    for name, value in schema.get("properties", {}).items():
        if value is False:
            continue
        needed = "needed" if name in schema.get("required", []) else ""
        within = " ".join(f"`{step}`" for step in path)
        text = cell(value.get("description", ""))
        if "default" in value:
            text += f" (default {value['default']})"
        rows.append((f"`{name}`", within, cell(kind_of(value)), needed, text))
        deeper(value, [*path, name], rows)


def deeper(schema, path, rows):
    for choice in schema.get("anyOf", []):
        named = next((str(key.get("const", key.get("enum", [""])[0])) for name, key in choice.get("properties", {}).items()
                      if name in ("type", "name", "kind") and isinstance(key, dict)), "")
        inner = [*path[:-1], f"{path[-1]}: {named}"] if named and path else path
        if named and choice.get("description"):
            rows.append((f"**{named}**", "", "", "", cell(choice["description"])))
        rows_of(choice, inner, rows)
    rows_of(schema, path, rows)
    for inner in ("items", "additionalProperties"):
        if isinstance(schema.get(inner), dict):
            deeper(schema[inner], path, rows)


HEADS = ("key", "in", "value", "", "meaning")


def schema_page(program, subject):
    schema = json.loads(said_by(program, "schema", subject))
    parts = [f"# Keys of {subject} files\n", f"{schema['description']}\n",
             f"Made from `myriad schema {subject}`, which editors use to complete and check files.\n"]
    everything = []
    for name, value in schema["properties"].items():
        rows = []
        deeper(value, [name], rows)
        everything.append((f"`{name}`", cell(kind_of(value)), "needed" if name in schema["required"] else "",
                           cell(value.get("description", ""))))
        if rows:
            parts.append(f"## {name}\n\n{value.get('description', '')}\n\n" + table(HEADS, rows))
    parts.insert(3, table(("key", "value", "", "meaning"), everything))
    parts.append("## Values by name\n")
    for name, value in schema.get("$defs", {}).items():
        rows = []
        deeper(value, [name], rows)
        parts.append(f"### {name}\n\n{value.get('description', kind_of(value))}\n" + ("\n" + table(HEADS, rows) if rows else ""))
    return "\n".join(parts)


def systems_page(catalog):
    parts = ["# Systems\n", "Made from `myriad list`. Parameters and channels of a mechanism: `myriad list --mechanism FILE`.\n"]
    for system in catalog["systems"]:
        methods = [f"`{name}` ({', '.join(charts)})" for name, charts in system["integrators"].items()]
        parts.append(f"## `{system['name']}`\n\n{system['summary']}. Source: {system['source']}.\n")
        parts.append(f"Methods and charts: {', '.join(methods)}.\n")
        parts.append(table(("parameter", "unit", "default", "meaning"), (
            (f"`{item['address']}`", item["unit"], f"{item['default']:g}", cell(item["meaning"]))
            for item in system["parameters"])))
        parts.append(table(("channel", "unit", "frame", "meaning"), (
            (f"`{item['address']}`", item["unit"], item.get("frame", ""), cell(item["meaning"]))
            for item in system["channels"])))
    return "\n".join(parts)


def methods_page(program, catalog):
    rows = ((f"`{item['name']}`", cell(item["summary"]), f"{item['motion_order']}", f"{item['force_order']}",
             "own, by its tolerances" if item["adaptive"] else "fixed") for item in catalog["integrators"])
    listed = said_by(program, "list").split("backends\n")[0]
    return ("# All methods and charts\n\nMade from `myriad list`. How to choose one, and formulas: [methods](../methods.md).\n\n" +
            table(("method", "what it is", "order of motion", "of forces", "step"), rows) + f"\n```text\n{listed}```\n")


def program_page(program):
    parts = ["# Command line\n", f"```text\n{said_by(program, '--help')}```\n"]
    parts += [f"## myriad {word}\n\n```text\n{said_by(program, word, '--help')}```\n" for word in WORDS]
    return "\n".join(parts)


def signature(function):
    returns = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    return f"{function.name}({ast.unparse(function.args)}){returns}"


def described(node, name, heading):
    return f"{heading} {node.name}\n\n```text\n{name}\n\n{ast.get_docstring(node) or ''}\n```\n"


def parsed(file):
    return ast.parse(file.read_text(encoding="utf-8"))


def exported(tree):
    return next(ast.literal_eval(node.value) for node in tree.body if isinstance(node, ast.Assign) and
                getattr(node.targets[0], "id", "") == "__all__")


def modules_of(package):
    """Name, tree and statements of each module; of a folder what it exports, from the modules that its __init__ imports."""
    for place in sorted(package.iterdir()):
        if place.suffix == ".py":
            tree = parsed(place)
            yield place.stem, tree, tree.body
        elif (place / "__init__.py").is_file():
            tree = parsed(place / "__init__.py")
            imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.level == 1]
            inside = [name for node in imports for name in ([node.module] if node.module else [one.name for one in node.names])]
            yield place.name, tree, [node for name in inside for node in parsed(place / f"{name}.py").body
                                     if getattr(node, "name", "_") in exported(tree)]


def python_page():
    """Read from the sources, without importing them: the page is the same where the package is not built."""
    package = ROOT / "python" / "myriad"
    opening = parsed(package / "__init__.py")
    public = exported(opening)
    parts = ["# Python package\n", f"```text\n{ast.get_docstring(opening)}\n```\n"]
    for module, tree, body in modules_of(package):
        whole = module in public
        if whole:
            parts.append(f"## {module}\n\n```text\n{ast.get_docstring(tree) or ''}\n```\n")
        for node in body:
            name = getattr(node, "name", "_")
            if name.startswith("_") or not (whole or name in public):
                continue
            if isinstance(node, ast.FunctionDef):
                parts.append(described(node, signature(node), "###" if whole else "##"))
            elif isinstance(node, ast.ClassDef):
                parts.append(described(node, name, "###" if whole else "##"))
                parts += [described(member, f"{name}.{signature(member)}", "###") for member in node.body
                          if isinstance(member, ast.FunctionDef) and not member.name.startswith("_")]
    return "\n".join(parts)


def performance_page():
    parts = ["# Measured rows\n", "Every row of `bench/results/`, with its conditions. [Performance](../performance.md) explains them.\n"]
    for file in sorted((ROOT / "bench" / "results").glob("*.json")):
        report = json.loads(file.read_text(encoding="utf-8"))
        rows = []
        for row in report["rows"]:
            rate = (row.get("instance_steps_per_s") or {}).get("median")
            figures = "; ".join(f"{name} {figure['value']:.4g} {figure['unit']}".strip()
                                for name, figure in (row.get("figures") or {}).items())
            rows.append((cell(row["bench"]), cell(row["subject"]), f"{row['backend']} {row['precision']}",
                         str(row.get("threads") or ""), str(row.get("width") or ""), f"{rate / 1e6:.4g}" if rate else "",
                         cell(figures)))
        parts.append(f"## {file.stem}\n\n{report['hardware']}, {report['cores']} cores, {report['compiler']}, commit "
                     f"{report['commit']}.\n\n" + table(("bench", "subject", "backend", "threads", "width",
                                                          "million instance-steps/s", "other figures"), rows))
    return "\n".join(parts)


def validation_page(program, cases):
    """Every check, with what was expected and where that comes from; those with one source stand in one table."""
    report = json.loads(said_by(program, "validate", *cases, "--format", "json"))
    groups = {}
    for row in report["rows"]:
        of_case = groups.setdefault(row["case"], {})
        of_case.setdefault((row["source"], row["tolerance_reason"]), []).append(row)
    parts, summary = [], []
    for case, by_source in groups.items():
        rows = [row for some in by_source.values() for row in some]
        # A tolerance of 0 asks for the same bits.
        worst = max((abs(row["difference"]) / row["tolerance"] for row in rows if row["tolerance"]), default=0.0)
        summary.append((f"[{case}](#{case})", str(len(rows)), str(sum(row["passed"] for row in rows)), f"{worst:.2g}"))
        parts.append(f"## {case}\n")
        for (source, reason), some in by_source.items():
            parts.append(f"Expected: {cell(source)}. Tolerance: {cell(reason)}.\n")
            parts.append(table(("quantity", "ours", "expected", "difference", "tolerance", "passed"), (
                (cell(row["quantity"]), f"{row['ours']:.10g}", f"{row['expected']:.10g}", f"{row['difference']:.2g}",
                 f"{row['tolerance']:.2g}", "yes" if row["passed"] else "**no**") for row in some)))
    return "\n".join([
        "# Every check\n", f"Made from `myriad validate{''.join(' ' + case for case in cases)}` on the backend {report['backend']} "
        f"by this program: {report['passed']:,} of {report['checks']:,} checks passed. What they mean: [what is checked]"
        "(../validation.md).\n\n```text\n" + said_by(program, "version") + "```\n",
        table(("case", "checks", "passed", "largest difference, in tolerances"), summary), *parts])


TROUBLESHOOTING = """\
<!-- Made by docs/generate.py from `myriad list --statuses`. -->
# Troubleshooting

An instance that fails does not harm the others. It ends with a status and a reason, and statistics
leave it out. This page tells you what each status means, what to change first, and with which key.

## See what failed

`myriad run` prints how many instances ended with each status, the reason, and the first instance:

```text
instances                       100
  ok                            62  (62 %)
  step_rotation_too_large       38  (38 %)
  why                           38, the first is instance 0: one step turns a body farther than the
                                method can follow; use a smaller step
```

| you want | do this |
|---|---|
| the status of each instance in Python | `result.status`, and `result.ok` for all that ended well |
| the reason, the time and the step of a failure | `/instance/reason`, `/instance/failed_time_s`, `/instance/failed_step` |
| the joint, the row or the contact that is concerned | `/instance/detail`, for mechanisms |
| where in parameter space instances fail | `myriad report study.h5 --html page.html` |
| one instance on an independent implementation | `myriad replay study.h5 --instance 17` |
| one instance in a debugger, step by step on the kernels | `gdb --args myriad replay study.h5 --instance 17 --kernels double` |
| failed instances repeated with a smaller step | `"on_failure": "retry"` in the study |
| exit code 0 although a few instances fail | `"allowed_failed_share": 0.01` in the study |

If most instances fail, run a few of them with a tenth of the step:
`-o instances=16 -o integrator.step_s=1e-5`. If they end well, the step was too long. If not, check
the mechanism: `myriad list --mechanism FILE`.

## All statuses

`myriad list --statuses` prints this table. The keys of a mechanism file leave out names:
`bodies.mass_kg` is the key `mass_kg` of each body.
"""


def keys_text(keys):
    return ", ".join(f"`{key}`" for key in keys)


def troubleshooting_page(program):
    """Statuses with what to change first, and their reasons: the sentence up to its last semicolon is the cause, the rest the remedy."""
    said = json.loads(said_by(program, "list", "--statuses", "--format", "json"))
    parts = [TROUBLESHOOTING, table(("status", "meaning", "first remedy", "key"), (
        (f"[`{one['name']}`](#{one['name']})" if one["reasons"] else f"`{one['name']}`", one["meaning"], one["remedy"],
         keys_text(one["keys"][:1])) for one in said["statuses"]))]
    for one in said["statuses"]:
        if one["reasons"]:
            rows = []
            for reason in one["reasons"]:
                cause, _, remedy = reason["sentence"].partition("; ")
                rows.append((str(reason["code"]), cell(cause), cell(remedy), keys_text(reason["keys"])))
            parts.append(f"## {one['name']}\n\n{one['meaning']}\n\n" + table(("reason", "cause", "remedy", "keys"), rows))
    parts.append("## Warnings\n\nAn instance with a warning ran to its end. Look at it before you trust it.\n\n" + table(
        ("bit", "meaning", "first remedy", "keys"),
        ((str(one["bit"]), one["meaning"], one["remedy"], keys_text(one["keys"])) for one in said["warnings"])))
    return "\n".join(parts)


def copy_guides(folder):
    """docs/, the pages of papers/ in docs/papers/, and what these show or link to beside docs/, at the same place; links to
    pages that are no part of the site become their words."""
    folder = folder.resolve()
    docs = folder / "docs"
    shutil.copytree(ROOT / "docs", docs, ignore=shutil.ignore_patterns("__pycache__", "*.py"))
    (docs / "papers").mkdir()
    for page in sorted((ROOT / "papers").glob("*/*.md")):
        shutil.copy(page, docs / "papers")
    for page in docs.rglob("*.md"):
        text = re.sub(r"\]\(\.\./papers/\w+/(\w+\.md)", r"](papers/\1", page.read_text(encoding="utf-8"))
        for name in set(re.findall(r"\]\((\.\./[^)#\s]+)", text)):
            place = Path(os.path.normpath(page.parent / name)).relative_to(folder)
            if place.parts[0] == "docs":
                continue
            if name.endswith(".md"):
                text = re.sub(rf"\[([^]]*)\]\({re.escape(name)}[^)\s]*\)", r"\1", text)
            elif (ROOT / place).is_file():
                (folder / place).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / place, folder / place)
        page.write_text(text, encoding="utf-8")


def main(program, folder, cases):
    shutil.rmtree(folder, ignore_errors=True)
    copy_guides(folder)
    pages = folder / "docs" / "generated"
    pages.mkdir()
    catalog = json.loads(said_by(program, "list", "--format", "json"))
    expressions = said_by(program, "schema", "expression")
    for name, text in (("study", schema_page(program, "study")), ("mechanism", schema_page(program, "mechanism")),
                       ("expression", f"# Expressions\n\n```text\n{expressions}```\n"), ("systems", systems_page(catalog)),
                       ("methods", methods_page(program, catalog)), ("program", program_page(program)),
                       ("python", python_page()), ("performance", performance_page()),
                       ("validation", validation_page(program, cases))):
        (pages / f"{name}.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    if sys.argv[2] == "--troubleshooting":
        print(troubleshooting_page(sys.argv[1]), end="")
    else:
        main(sys.argv[1], Path(sys.argv[2]), sys.argv[3:])
