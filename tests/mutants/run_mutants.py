"""Faults in kernels, readers, the twin and schemes, each alone in one program: does the net catch it?

    run_mutants.py BUILD [--count 100] [--seed 1] [--jobs 2]

All mutants of a run are compiled together, in a copy of the sources and a build of one width in the folder BUILD;
MYRIAD_MUTANT chooses one at run time. One that does not compile is left out, and so is one on a line that the quick
parts of the net do not run: QUICK. Each other mutant runs the parts that reach it, the quickest first, until one fails
or takes CPU time without end. A survivor stands in explained.txt with the reason why no result that a user reads can
change, or ends this with code 1 if fewer than 95 % are caught or explained. The table goes to BUILD/mutants.txt.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading

import mutation

root = pathlib.Path(__file__).resolve().parents[2]
here = pathlib.Path(__file__).resolve().parent

GROUPS = {
    "kernels": ["kernels/mechanism", "kernels/joint_coordinates", "kernels/tree", "kernels/contact", "kernels/math"],
    "reader": ["host/mechanism"],
    "twin": ["host/reference"],
    "schemes": ["kernels/integrators", "kernels/run"],
}
# Texts, an order that only costs time, and numbers that compilers compute.
LEFT_OUT = re.compile(r"_text\.cpp$|/keys/|_schema\.cpp$|pivot_order|shared_instructions|redundancy|_report\.|_tables\.[ch]pp$"
                      r"|/effort|/memory|quadratic_number|source_text")
PROGRAMS = ["myriad", "tests_properties", "tests_refusals"]
# Long motions that add no part of a mechanism to what the others have.
LONG = {"heavy_top", "heavy_top_published", "puma560", "double_pendulum", "slider_crank_iftomm", "driven_slider_crank", "driven_four_link"}
CLAIMS = sorted(file.stem for file in (root / "ensembles/expected").glob("*.json"))
# Properties from the quickest: same bits are left out, as no fault here differs between neighbours.
PROPERTIES = ["Scenes", "AgreesInBundledMechanisms", "KeepsTheConstraints", "HasTheOrder", "Forces", "AgreesInRandom"]
# Messages that name a place.
PROGRAM_TESTS = ["failed_assembly_test"]
caught_share = 0.95
# A part that takes more is without end: ten times the longest.
longest_cpu_s = 1200
longest_cpu_of_quick_s = 60
candidates_per_mutant = 2.5

CHOOSER = """#pragma once
#include <cstdio>
#include <cstdlib>
namespace mutants {
inline unsigned char reached[10000];
inline const int active = std::getenv("MYRIAD_MUTANT") ? std::atoi(std::getenv("MYRIAD_MUTANT")) : -1;
struct Report {
    ~Report() {
        const char* name = std::getenv("MYRIAD_REACHED");
        std::FILE* file = name ? std::fopen(name, "a") : nullptr;
        if (!file) return;
        for (int i = 0; i < 10000; ++i)
            if (reached[i]) std::fprintf(file, "%d\\n", i);
        std::fclose(file);
    }
};
inline const Report report;
}
constexpr bool mutant(int number) {
    if (__builtin_is_constant_evaluated()) return false;
    mutants::reached[number] = 1;
    return number == mutants::active;
}
"""


def sources(tree):
    """group -> {file: text}, of the files that hold code."""
    files = subprocess.check_output(["git", "-C", root, "ls-files", "-z"], text=True).split("\0")
    return {
        group: {
            file: (tree / file).read_text()
            for file in files
            if file.endswith((".hpp", ".cpp")) and file.startswith(tuple(folder + "/" for folder in folders))
            and not LEFT_OUT.search(file)
        }
        for group, folders in GROUPS.items()
    }


def group_of(file):
    return next(group for group, folders in GROUPS.items() if file.startswith(tuple(folder + "/" for folder in folders)))


def copy_of_sources(build):
    tree = build / "source"
    texts = {file for files in sources(root).values() for file in files}
    for file in subprocess.check_output(["git", "-C", root, "ls-files", "-z"], text=True).split("\0"):
        if (root / file).is_file() and not (file in texts and (tree / file).is_file()):
            write(tree / file, (root / file).read_bytes())
    write(tree / "mutants.hpp", CHOOSER.encode())
    return tree


def write(path, content):
    """Leaves a file that is so already as it is, for the compiler's sake; whether it was another."""
    if path.is_file() and path.read_bytes() == content:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return True


class Build:
    def __init__(self, folder, tree, jobs):
        self.folder, self.tree, self.jobs = folder / "build", tree, jobs

    def configure(self):
        options = ["-DMYRIAD_LIGHT=ON", "-DMYRIAD_PAPERS=ON", "-DCMAKE_CXX_COMPILER=clang++", "-DMYRIAD_WARNINGS_AS_ERRORS=OFF",
                   f"-DCMAKE_CXX_FLAGS=-include {self.tree}/mutants.hpp -w -ferror-limit=0"]
        if shutil.which("ccache"):
            options.append(f"-DCMAKE_CXX_COMPILER_LAUNCHER=env;CCACHE_BASEDIR={self.tree};CCACHE_SLOPPINESS=pch_defines,time_macros;ccache")
        subprocess.run(["cmake", "-S", self.tree, "-B", self.folder, "-G", "Ninja", "--log-level=ERROR", *options], check=True)

    def errors(self):
        """What the front end says of each source that has mutants, then the whole build; empty where all is well."""
        commands = json.loads((self.folder / "compile_commands.json").read_text())
        wanted = re.compile(r"cpu_variants/.*|.*host_(mechanism|reference|catalog|validation)_.*|.*unity_myriad_(mechanism|reference|catalog).*")
        checks = []
        for entry in commands:
            if wanted.search(pathlib.Path(entry["file"]).name) or "cpu_variants" in entry["file"]:
                words = shlex.split(entry["command"])
                if "-DMYRIAD_START" in words:
                    continue
                words = words[next(i for i, word in enumerate(words) if word.endswith("clang++")):]
                out = words.index("-o")
                checks.append((entry["directory"], [*words[:out], *words[out + 2:], "-fsyntax-only"]))
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            found = "".join(pool.map(lambda check: subprocess.run(
                check[1], cwd=check[0], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout, checks))
        return found

    def targets(self, *names):
        return subprocess.run(["cmake", "--build", self.folder, "--parallel", str(self.jobs), "--target", *names, "--", "-k", "0"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


class Net:
    """Its parts, each a process: `parts` from the quickest, the mutants that each reaches as soon as it is asked for."""

    def __init__(self, build):
        self.build, self.reached = build, {}
        folder = build.folder
        (folder / "reached").mkdir(exist_ok=True)
        self.parts = {"refusals": [folder / "tests_refusals", "--gtest_brief=1", "--gtest_fail_fast"]}
        for claim in CLAIMS:
            if claim not in LONG:
                self.parts[claim] = [folder / "myriad", "validate", "--backend", "cpu", claim]
        for test in PROGRAM_TESTS:
            self.parts[test] = ["/usr/bin/python3", build.tree / "tests/program" / (test + ".py")]
        self.quick = list(self.parts)
        listed = subprocess.check_output([folder / "tests_properties", "--gtest_list_tests"], text=True)
        names, suite = [], ""
        for line in listed.splitlines():
            if not line.startswith(" "):
                suite = line.split("#")[0].strip()
            elif "Bits" not in suite + line:
                names.append(suite + line.split("#")[0].strip())
        for words in PROPERTIES:
            for name in names:
                if words in name:
                    self.parts[name] = [folder / "tests_properties", "--gtest_brief=1", "--gtest_filter=" + name]
                    if words in PROPERTIES[:2]:
                        self.quick.append(name)
        for claim in CLAIMS:
            if claim not in LONG:
                self.parts["reference " + claim] = [folder / "myriad", "validate", "--backend", "reference", claim]
        for claim in sorted(LONG):
            self.parts[claim] = [folder / "myriad", "validate", "--backend", "cpu", claim]
        self.slow = [part for part in self.parts if part not in self.quick]
        self.locks = {part: threading.Lock() for part in self.parts}

    def run(self, part, environment):
        most = longest_cpu_of_quick_s if part in self.quick else longest_cpu_s
        return subprocess.run(
            ["prlimit", f"--cpu={most}", f"--as={8 << 30}", f"--fsize={1 << 30}", "--core=0", *self.parts[part]],
            cwd=self.build.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            env={**os.environ, "MYRIAD_SOURCE_DIR": str(self.build.tree), "MYRIAD_PROGRAM": str(self.build.folder / "myriad"),
                 **environment})

    def reaches(self, part):
        """The mutants that this part runs; the part must pass without one."""
        with self.locks[part]:
            if part not in self.reached:
                report = self.build.folder / "reached" / re.sub(r"\W", "_", part)
                built_s = max((self.build.folder / program).stat().st_mtime for program in PROGRAMS)
                if not report.is_file() or report.stat().st_mtime < built_s:
                    new = pathlib.Path(str(report) + ".new")
                    new.unlink(missing_ok=True)
                    run = self.run(part, {"MYRIAD_REACHED": str(new)})
                    if run.returncode != 0:
                        sys.exit(f"run_mutants: {part} fails without a mutant: {run.stdout[-1000:]}")
                    new.replace(report)
                self.reached[part] = frozenset(int(line) for line in report.read_text().split())
        return self.reached[part]

    def catches(self, number, parts):
        """The part that fails first, and how; None where all pass."""
        for part in parts:
            if number not in self.reaches(part):
                continue
            code = self.run(part, {"MYRIAD_MUTANT": str(number)}).returncode
            if code != 0:
                return part + (" without end" if code == -signal.SIGXCPU else f" signal {-code}" if code < 0 else "")
        return None


def explained():
    """(file, before, after) -> reason, of the lines `file | before | after | reason`."""
    lines = (here / "explained.txt").read_text().splitlines()
    rows = [[word.strip() for word in line.split(" | ")] for line in lines if line and not line.startswith("#")]
    return {tuple(row[:3]): row[3] for row in rows}


def build_with(drawn, texts, build):
    """Builds with all of these that compile, and returns them."""
    record = build.folder / "do_not_compile.txt"
    known = set(record.read_text().splitlines()) if record.is_file() else set()
    kept = {number: mutant for number, mutant in enumerate(drawn) if str(mutant) not in known}
    whole = None
    while True:
        of_file = collections.defaultdict(dict)
        for number, mutant in kept.items():
            of_file[mutant.file][number] = mutant
        changed = [write(build.tree / file, mutation.with_mutants(text, of_file[file]).encode()) for file, text in texts.items()]
        if whole is None:
            whole = not any(changed)
            build.targets("myriad_text", "reference_values", "CMakeFiles/myriad_reference.dir/cmake_pch.hxx.pch")
        if whole:
            result = build.targets(*PROGRAMS)
            found = result.stdout
            if result.returncode == 0:
                return kept
        else:
            found = build.errors()
        (build.folder / "compile.log").write_text(found)
        places = [(match.group(1), int(match.group(2)), match.group(3)) for match in
                  re.finditer(r"([\w/.-]+\.[ch]pp):(\d+):\d+: (error|note)", found)]
        bad = {}
        # The line of an error; of its notes; some lines above, where a declaration went into a block.
        for words, above in ((("error",), 0), (("error", "note"), 0), (("error",), 20)):
            hits = {(os.path.relpath(os.path.join(build.folder, name), build.tree), line) for name, line, word in places if word in words}
            for number, mutant in kept.items():
                text = texts[mutant.file]
                first, last = text.count("\n", 0, mutant.start) + 1, text.count("\n", 0, mutant.end) + 1
                if any((mutant.file, line) in hits for line in range(first, last + 1 + above)):
                    bad[number] = mutant
            if bad:
                break
        print(f"{len(bad)} of {len(kept)} mutants do not compile", flush=True)
        if not bad and whole:
            sys.exit(f"run_mutants: the build fails for another reason: see {build.folder}/compile.log")
        whole = whole or not bad
        known |= {str(mutant) for mutant in bad.values()}
        record.write_text("".join(f"{line}\n" for line in sorted(known)))
        kept = {number: mutant for number, mutant in kept.items() if number not in bad}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    given = parser.parse_args()
    folder = given.build.resolve()
    tree = copy_of_sources(folder)
    build = Build(folder, tree, given.jobs)
    groups = sources(root)
    texts = {file: text for files in groups.values() for file, text in files.items()}
    build.configure()
    built = build_with(list(mutation.draw(groups, given.seed, int(candidates_per_mutant * given.count))), texts, build)
    net = Net(build)
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        list(pool.map(net.reaches, net.quick))
    run_by_net = frozenset().union(*(net.reaches(part) for part in net.quick))
    print(f"{len(built)} mutants compile, the quick net runs {len(run_by_net)} of them", flush=True)
    of_group, chosen = collections.Counter(), {}
    for number, mutant in built.items():
        group = group_of(mutant.file)
        if number in run_by_net and of_group[group] < -(-given.count // len(GROUPS)):
            of_group[group] += 1
            chosen[number] = mutant
    reasons, how = explained(), dict.fromkeys(chosen)
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        for parts in (net.quick, net.slow):
            waiting = {pool.submit(net.catches, number, parts): number for number in chosen if not how[number]}
            for done in concurrent.futures.as_completed(waiting):
                number = waiting[done]
                mutant, how[number] = chosen[number], done.result()
                reason = reasons.get((mutant.file, mutant.before.strip(), mutant.after.strip()))
                if parts is net.slow and not how[number] and reason:
                    how[number] = f"explained: {reason}"
                print(f"{number:4} {how[number] or 'SURVIVED'}  {mutant}", flush=True)
    results = [(mutant, how[number]) for number, mutant in chosen.items()]
    (folder / "mutants.txt").write_text("".join(f"{how or 'SURVIVED'}\t{mutant}\n" for mutant, how in results))
    table = collections.Counter((group_of(mutant.file), mutant.kind, how is not None) for mutant, how in results)
    for group in GROUPS:
        print(group + ": " + ", ".join(f"{kind} {table[group, kind, True]} of {table[group, kind, True] + table[group, kind, False]}"
                                       for kind in mutation.KINDS))
    held = sum(how is not None for _, how in results)
    print(f"{held} of {len(results)} mutants of seed {given.seed} are caught or explained")
    sys.exit(0 if held >= caught_share * len(results) else 1)


if __name__ == "__main__":
    main()
