"""Faults in kernels, readers, the twin and schemes, each made alone in a copy of the sources: does the net catch it?

    run_mutants.py BUILD [--count 100] [--seed 1] [--only FILE:LINE ...]

The copy and its build of one width stand in the folder BUILD. The net (NET) runs once as it is, and must pass. A mutant
that does not compile is drawn anew. It is caught where a part of the net fails, or does not end. A
survivor stands in explained.txt with the reason why no result that a user reads can change, or ends this with code 1 if
fewer than 95 % are caught or explained. The table goes to BUILD/mutants.txt.
"""

import argparse
import os
import pathlib
import resource
import shutil
import signal
import subprocess
import sys

import mutation

root = pathlib.Path(__file__).resolve().parents[2]
here = pathlib.Path(__file__).resolve().parent

GROUPS = {
    "kernels": ["kernels/mechanism", "kernels/joint_coordinates", "kernels/tree", "kernels/contact", "kernels/math"],
    "reader": ["host/mechanism"],
    "twin": ["host/reference"],
    "schemes": ["kernels/integrators", "kernels/run"],
}
PROGRAMS = ["myriad", "tests_properties", "tests_refusals"]
# Long motions that add no part of a mechanism to what the others have.
LONG = {"heavy_top", "puma560", "double_pendulum", "slider_crank_iftomm", "driven_slider_crank", "driven_four_link"}
CLAIMS = sorted(file.stem for file in (root / "ensembles/expected").glob("*.json") if file.stem not in LONG)
NET = {
    "refusals": ["{build}/tests_refusals", "--gtest_brief=1", "--gtest_fail_fast"],
    "expected": ["{build}/myriad", "validate", "--backend", "cpu", *CLAIMS],
    # Faults that differ between neighbours are not made here.
    "properties": ["{build}/tests_properties", "--gtest_brief=1", "--gtest_fail_fast", "--gtest_filter=-*Bits*"],
}
caught_share = 0.95
# A part that takes more is without end: ten times the longest.
longest_cpu_s = 600


def sources(tree):
    """group -> {file: text}, of the files that hold code."""
    files = subprocess.check_output(["git", "-C", root, "ls-files", "-z"], text=True).split("\0")
    return {
        group: {
            file: (tree / file).read_text()
            for file in files
            if file.endswith((".hpp", ".cpp")) and file.startswith(tuple(folder + "/" for folder in folders))
        }
        for group, folders in GROUPS.items()
    }


def copy_of_sources(build):
    tree = build / "source"
    shutil.rmtree(tree, ignore_errors=True)
    for file in subprocess.check_output(["git", "-C", root, "ls-files", "-z"], text=True).split("\0"):
        if file and (root / file).is_file():
            (tree / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / file, tree / file)
    return tree


class Net:
    def __init__(self, build, tree, jobs):
        self.build, self.tree, self.jobs = build / "build", tree, jobs

    def configure(self):
        options = ["-DMYRIAD_LIGHT=ON", "-DMYRIAD_PAPERS=ON", "-DCMAKE_CXX_COMPILER=clang++"]
        if shutil.which("ccache"):
            options.append(f"-DCMAKE_CXX_COMPILER_LAUNCHER=env;CCACHE_BASEDIR={self.tree};CCACHE_SLOPPINESS=pch_defines,time_macros;ccache")
        subprocess.run(["cmake", "-S", self.tree, "-B", self.build, "-G", "Ninja", "--log-level=ERROR", *options], check=True)

    def compiles(self):
        command = ["cmake", "--build", self.build, "--parallel", str(self.jobs), "--target", *PROGRAMS]
        with open(self.build / "compile.log", "w") as log:
            return subprocess.run(command, stdout=log, stderr=subprocess.STDOUT).returncode == 0

    def catches(self):
        """The part of the net that fails first, and how; None where all pass."""
        for part, command in NET.items():
            with open(self.build / f"{part}.log", "w") as log:
                code = subprocess.run(
                    [word.format(build=self.build) for word in command], cwd=self.build, stdout=log,
                    stderr=subprocess.STDOUT, env={**os.environ, "MYRIAD_SOURCE_DIR": str(self.tree)},
                    preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (longest_cpu_s, longest_cpu_s))).returncode
            if code != 0:
                return f"{part} endless" if code == -signal.SIGXCPU else f"{part} signal {-code}" if code < 0 else f"{part} failed"
        return None


def explained():
    """(file, before, after) -> reason, of the lines `file | before | after | reason`."""
    lines = (here / "explained.txt").read_text().splitlines()
    rows = [[word.strip() for word in line.split(" | ")] for line in lines if line and not line.startswith("#")]
    return {tuple(row[:3]): row[3] for row in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    given = parser.parse_args()
    build = given.build.resolve()
    tree = copy_of_sources(build)
    net = Net(build, tree, given.jobs)
    net.configure()
    if not net.compiles() or (how := net.catches()):
        sys.exit(f"run_mutants: the net fails without a mutant: see {net.build}/*.log")
    reasons, results = explained(), []
    # Three of four compile.
    for mutant in mutation.draw(sources(tree), given.seed, 10 * given.count):
        path = tree / mutant.file
        text = path.read_text()
        lines = text.split("\n")
        lines[mutant.line - 1] = mutant.after
        path.write_text("\n".join(lines))
        try:
            if not net.compiles():
                continue
            how = net.catches()
        finally:
            path.write_text(text)
        reason = None if how else reasons.get((mutant.file, mutant.before.strip(), mutant.after.strip()))
        results.append((mutant, how or (f"explained: {reason}" if reason else None)))
        print(f"{len(results):4} {results[-1][1] or 'SURVIVED'}  {mutant}", flush=True)
        if len(results) == given.count:
            break
    (build / "mutants.txt").write_text("".join(f"{how or 'SURVIVED'}\t{mutant}\n" for mutant, how in results))
    held = sum(how is not None for _, how in results)
    print(f"{held} of {len(results)} mutants of seed {given.seed} are caught or explained")
    sys.exit(0 if held >= caught_share * len(results) else 1)


if __name__ == "__main__":
    main()
