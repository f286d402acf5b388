"""Hashes of the bits of all results of a fixed set of runs, in recorded_bits.txt.

    bits.py record PROGRAM [PATTERN ...]             write the lines of these runs (all by default) anew
    bits.py check PROGRAM [PATTERN ...] [-- FORM]    compare with the record; FORM: options of `myriad run`, as --width 4
    bits.py explain PROGRAM OTHER PATTERN ...        where two programs differ: dataset, instance, values, error by the twin

A pattern is a part of a line's beginning, as "random/017", "kinematics" or " fp32 "; --sample PART PARTS takes a share. The
bits of an instance depend neither on widths, threads, chunks, launches or backends, which are the forms, nor on compilers. -0
counts as 0, and all NaN as one. Of a run the record holds how its instances ended, a hash of all datasets, and some digits for
the name and the values of each. Attributes, texts, and what libraries compute are left out.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import h5py
import numpy

from runs import NOT_RECORDED, Run, all_runs

RECORD = Path(__file__).resolve().parent / "recorded_bits.txt"
REFUSED = "refused"
TWINS = 8  # instances that `explain` compares with the reference path
DIGITS = 3  # of a dataset's name and of its values; the hash of all datasets is the one that must not collide


def hexadecimal(data, digits):
    return hashlib.blake2b(data, digest_size=digits // 2).hexdigest()


def name_digits(name):
    return hexadecimal(name.encode(), 4)[:DIGITS]


def plain(values):
    """The values with one zero and one NaN."""
    if values.dtype.kind == "f":
        values = values + values.dtype.type(0)
        values[numpy.isnan(values)] = numpy.nan
    return values


def datasets(path):
    found = {}

    def take(name, item):
        if isinstance(item, h5py.Dataset) and item.dtype.kind in "fiu" and not NOT_RECORDED.fullmatch(name):
            found[name] = plain(item[()])

    with h5py.File(path) as file:
        file.visititems(take)
    return found


def results(program, run, form=()):
    """The datasets of a run, or None where the program refuses it, and what it said."""
    with tempfile.TemporaryDirectory() as folder:
        study, out = Path(folder) / "study.json", Path(folder) / "study.h5"
        study.write_text(json.dumps(run.study), encoding="utf-8")
        threads = () if "--threads" in form else ("--threads", "1")
        backend = () if "--backend" in form else ("--backend", "cpu")
        done = subprocess.run([program, "run", study, "--out", out, "--precision", run.precision, "--format", "json",
                               *backend, *threads, *form], capture_output=True, text=True)
        if done.returncode not in (0, 1, 2):  # 2: instances failed
            sys.exit(f"{run.key}: the program ended with {done.returncode}\n{done.stderr}")
        return (datasets(out) if done.returncode != 1 else None), done.stderr


def endings(found):
    """How many instances ended with which status and reason, as 3.12x5, or "ok"."""
    codes = numpy.stack([found["instance/status"], found["instance/reason"]], axis=1)
    codes, count = numpy.unique(codes, axis=0, return_counts=True)
    return "ok" if not codes.any() else ",".join(f"{status}.{reason}x{many}" for (status, reason), many in zip(codes, count))


def line_of(found):
    if found is None:
        return REFUSED
    entries, whole = [], []
    for name, values in sorted(found.items()):
        value = hexadecimal(f"{values.dtype.str} {values.shape} ".encode() + values.tobytes(), 16)
        whole.append(name + value)
        entries.append(name_digits(name) + value[:DIGITS])
    return f"{endings(found)} {hexadecimal(' '.join(whole).encode(), 12)} {''.join(entries)}"


def read_record():
    lines = RECORD.read_text().splitlines() if RECORD.exists() else []
    return dict(line.split(" = ") for line in lines if not line.startswith("#"))


def write_record(lines):
    head = ["# Written by tests/bits/bits.py, which says what stands here. A line: case, method, precision, coordinates or",
            "# chart, and instances; how they ended, a hash of all datasets, digits of the name and of the values of each."]
    RECORD.write_text("\n".join([*head, *(f"{key} = {line}" for key, line in sorted(lines.items()))]) + "\n")


def split(line):
    """Name -> values of a line's datasets."""
    digits = line.split(" ")[2]
    return {digits[k:k + DIGITS]: digits[k + DIGITS:k + 2 * DIGITS] for k in range(0, len(digits), 2 * DIGITS)}


def difference(recorded, line, found, words=""):
    if REFUSED in (recorded, line):
        return f"recorded as {recorded.split(' ')[0]}, now {line.split(' ')[0]}: {' '.join(words.split())}"
    names = {name_digits(name): name for name in found}
    before, now = split(recorded), split(line)
    said = []
    if recorded.split(" ")[0] != line.split(" ")[0]:
        said.append(f"ended {recorded.split(' ')[0]}, now {line.split(' ')[0]}")
    said += [f"{names[one]} differs" for one in now if one in before and before[one] != now[one]]
    said += [f"{names[one]} is new" for one in now if one not in before]
    missing = len(before.keys() - now.keys())
    return "; ".join(said + ([f"{missing} datasets are gone"] if missing else [])) or "the hash of all datasets differs"


def chosen_runs(program, patterns):
    runs = [run for run in all_runs(program) if not patterns or any(pattern in run.key for pattern in patterns)]
    return runs or sys.exit(f"no run has {' or '.join(patterns)} in its name")


def takes(program, precision, form=()):
    """Whether the program runs in this precision and form, and what it says."""
    study = {"system": "heavy_top", "integrator": {"name": "rk4", "step_s": 1e-3, "end_s": 1e-3}, "instances": 1}
    found, said = results(program, Run("a small run", study, precision), form)
    return found is not None, " ".join(said.split())


def has_single_precision(program):
    return takes(program, "fp32")[0]


def in_parallel(program, runs, form, jobs, take):
    with ThreadPoolExecutor(jobs) as pool:
        for run, (found, said) in zip(runs, pool.map(lambda run: results(program, run, form), runs)):
            take(run, found, said)


def record(given):
    runs, lines = chosen_runs(given.program, given.patterns), read_record()
    single = has_single_precision(given.program)
    if not single:
        print("The program has no single precision: the lines of fp32 stay as they are.")
    changed = 0

    def take(run, found, said):
        nonlocal changed
        line = line_of(found)
        changed += lines.get(run.key) != line
        lines[run.key] = line
        if found is None:
            print(run.key, said.splitlines()[0])

    in_parallel(given.program, [run for run in runs if single or run.precision == "fp64"], given.form, given.jobs, take)
    known = {run.key for run in all_runs(given.program)}
    lines = {key: line for key, line in lines.items() if key in known}
    write_record(lines)
    print(f"{len(lines)} lines in {RECORD.name}, {changed} of them new or changed")
    return 0


def sample_of(runs, sample):
    part, parts = sample
    return [run for k, run in enumerate(runs) if k % parts == part % parts]


def check(given):
    runs, lines = sample_of(chosen_runs(given.program, given.patterns), given.sample), read_record()
    single = has_single_precision(given.program)
    wrong = []

    def take(run, found, said):
        line = line_of(found)
        if run.key not in lines:
            wrong.append(f"{run.key}: not recorded; bits.py record writes its line")
        elif lines[run.key] != line:
            wrong.append(f"{run.key}: {difference(lines[run.key], line, found, said)}")

    checked = [run for run in runs if single or run.precision == "fp64"]
    in_parallel(given.program, checked, given.form, given.jobs, take)
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"{len(checked)} runs, sample {given.sample[0] % given.sample[1]} of {given.sample[1]}: {len(wrong)} differ from {RECORD.name}"
          + ("" if single else "; without fp32, which this program does not have"))
    if wrong:
        print("Where: bits.py explain PROGRAM OTHER PATTERN, with a program of before")
    return 1 if wrong else 0


def error_by_the_twin(found, twin, name):
    if name.startswith("statistics/") or name not in twin or twin[name].shape[1:] != found.shape[1:]:
        return "unknown"
    found = found[:len(twin[name])]
    size = numpy.nanmax(numpy.abs(twin[name]), initial=0.0) or 1.0
    return f"{numpy.nanmax(numpy.abs(found - twin[name]), initial=0.0) / size:.2g}"


def explain(given):
    """What differs between two programs, with the largest error of each by the twin, as a share of the largest value. The
    twin is slow: it looks at the first instances."""
    other, *given.patterns = given.patterns
    differing = 0
    for run in sample_of(chosen_runs(given.program, given.patterns), given.sample):
        (now, _), (then, _) = results(given.program, run, given.form), results(other, run, given.form)
        if line_of(now) == line_of(then):
            continue
        differing += 1
        print(run.key)
        if now is None or then is None:
            print(f"  {given.program} {line_of(now).split()[0]}, {other} {line_of(then).split()[0]}")
            continue
        looked_at = min(len(now["instance/status"]), TWINS)
        twin = results(given.program, run, ["--backend", "reference", "--range", f"0:{looked_at}"])[0] or {}
        for name in sorted(now.keys() | then.keys()):
            if name not in now or name not in then or now[name].shape != then[name].shape:
                print(f"  {name}: not in both, or of another shape")
                continue
            one, two = now[name], then[name]
            places = numpy.argwhere((one != two) & ~((one != one) & (two != two)))
            if not len(places):
                continue
            at = tuple(places[0])
            print(f"  {name}: instance {at[0]}{list(map(int, at[1:])) or ''}: {two[at]!r} -> {one[at]!r};"
                  f" {len(set(places[:, 0]))} of {len(one)} instances;"
                  f" error by the twin {error_by_the_twin(two, twin, name)} -> {error_by_the_twin(one, twin, name)}")
    print(f"{differing} runs differ")
    return 1 if differing else 0


def main():
    words = sys.argv[1:]
    form = words[words.index("--") + 1:] if "--" in words else []
    words = words[:words.index("--")] if "--" in words else words
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("record", "check", "explain"))
    parser.add_argument("program")
    parser.add_argument("patterns", nargs="*")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--sample", type=int, nargs=2, default=(0, 1), metavar=("PART", "PARTS"))
    given = parser.parse_args(words)
    given.form = form
    if given.jobs < 1 or given.sample[1] < 1:
        parser.error("--jobs and the PARTS of --sample are 1 or more")
    if given.what == "explain" and not given.patterns:
        parser.error("explain compares two programs: give OTHER behind PROGRAM, then patterns")
    for program in [given.program, *given.patterns[:given.what == "explain"]]:
        if not os.access(program, os.X_OK) or os.path.isdir(program):
            parser.error(f"{program} is no program: give the path of myriad")
        runs_so, said = takes(program, "fp64", form)
        if not runs_so:
            parser.error(f"{program} refuses a small run {' '.join(form)}: {said}")
    return {"record": record, "check": check, "explain": explain}[given.what](given)


if __name__ == "__main__":
    sys.exit(main())
