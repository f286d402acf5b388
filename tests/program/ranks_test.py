"""Studies that mpirun runs, a shard in each process: the datasets of one process, bit for bit, whatever happens to a rank.

Run by ctest with MYRIAD_PROGRAM (the program) and MYRIAD_SOURCE_DIR (the project) in the environment.
"""

import json
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import time
import unittest

import h5py

from program_case import LONG, PENDULUM, PROGRAM, SMALL, SWINGS, ProgramTest, datasets, same_bits, without

# A second or two in all, in chunks that are soon done.
SOME_SECONDS = {**LONG, "integrator": {"name": "rk4", "step_s": 1e-5, "end_s": 0.1}}


def launchers():
    """The mpirun of each MPI that is here: name -> words before the number of processes."""
    found = {}
    for name, candidates in {"Open MPI": ("mpirun.openmpi", "mpirun"), "MPICH": ("mpirun.mpich", "mpirun")}.items():
        for command in filter(shutil.which, candidates):
            version = subprocess.run([command, "--version"], capture_output=True, text=True).stdout
            if ("Open MPI" if name == "Open MPI" else "HYDRA") in version:
                found[name] = [command]
                break
    if "Open MPI" in found:
        found["Open MPI"] += ["--oversubscribe"] + (["--allow-run-as-root"] if os.geteuid() == 0 else [])
    return found


LAUNCHERS = launchers()


def starts_two_programs():
    """The mpirun of Debian 13, Open MPI 5.0.7, ends in a segmentation fault."""
    words = next(iter(LAUNCHERS.values()))
    return subprocess.run([*words, "-n", "1", "true", ":", "-n", "1", "true"], capture_output=True).returncode == 0


needs_mpirun = unittest.skipUnless(LAUNCHERS, "there is no mpirun here (Debian: openmpi-bin)")


class RanksTest(ProgramTest):
    def expect_same(self, one, *others):
        expected = datasets(self.path / one)
        for other in others:
            self.assertTrue(same_bits(expected, datasets(self.path / other)), other)

    def alone(self, *arguments, expect=0):
        done = self.myriad("run", "study.json", "--backend", "cpu", *arguments)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done

    def command(self, ranks, *arguments, launcher=None):
        words = LAUNCHERS[launcher] if launcher else next(iter(LAUNCHERS.values()))
        backend = [] if "--backend" in arguments[:1] else ["--backend", "cpu"]
        return [*words, "-n", str(ranks), PROGRAM, "run", "study.json", *backend, *map(str, arguments)]

    def ranks(self, ranks, *arguments, expect=0, launcher=None, **environment):
        done = subprocess.run(self.command(ranks, *arguments, launcher=launcher), cwd=self.path, capture_output=True,
                              text=True, env={**os.environ, **environment})
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        self.assertNotIn("internal error", done.stderr)
        return done

    def as_told(self, text, beginning):
        """Runs the commands that a message names, from `beginning` to the ends of their lines."""
        commands = [line[line.index(beginning):] for line in text.splitlines() if beginning in line]
        for words in map(shlex.split, commands):
            done = subprocess.run([PROGRAM, *words[1:]], cwd=self.path, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
        return commands


@needs_mpirun
class Ranks(RanksTest):
    def test_any_number_of_ranks_has_the_datasets_of_one_process(self):
        self.study({**SMALL, "statistics": {"sensitivity": True}, "design": {"kind": "sobol", "seed": 3}})
        self.alone("--out", "whole.h5", "--check-step", "10%")
        for launcher in LAUNCHERS:
            for ranks in (1, 2, 3, 4):
                with self.subTest(launcher=launcher, ranks=ranks):
                    done = self.ranks(ranks, "--format", "json", "--check-step", "10%", launcher=launcher)
                    self.expect_same("whole.h5", "study.h5")
                    self.assertEqual(json.loads(done.stdout)["instances"], 200)
                    parts = [f"study.{200 * k // ranks}-{200 * (k + 1) // ranks}.h5" for k in range(ranks)]
                    if ranks > 1:
                        with h5py.File(self.path / "study.h5") as file:
                            self.assertEqual(list(file.attrs["parts"]), parts)
                    self.assertEqual(done.stderr.count("of heavy_top, rk4 on chart"), 1, "one rank speaks")
                    for path in self.path.glob("study*.h5"):
                        path.unlink()

    def test_a_mechanism_that_shows_trajectories_goes_into_another_folder(self):
        (self.path / "pendulum.json").write_text(json.dumps(PENDULUM))
        (self.path / "results").mkdir()
        self.study({**SWINGS, "instances": 33})
        self.alone("--out", "whole.h5")
        self.ranks(3, "--out", "results/swings.h5")
        self.expect_same("whole.h5", "results/swings.h5")
        self.assertEqual(sorted(path.name for path in (self.path / "results").iterdir()),
                         ["swings.0-11.h5", "swings.11-22.h5", "swings.22-33.h5", "swings.h5"])

    def test_a_complete_result_is_left_as_it_is_and_replaced_when_asked(self):
        self.study(SMALL)
        self.ranks(2)
        before = (self.path / "study.h5").read_bytes()
        self.assertIn("study.h5: a file of this name is there already", self.ranks(2, expect=4).stderr)
        self.assertIn("study.h5 is complete with its 200 instances", self.ranks(2, "--resume").stdout)
        self.assertEqual((self.path / "study.h5").read_bytes(), before)
        self.study({**SMALL, "design": {"kind": "monte_carlo", "seed": 4}})
        self.assertIn("another run", self.ranks(2, "--resume", expect=1).stderr)
        self.assertEqual((self.path / "study.h5").read_bytes(), before)
        self.ranks(2, "--overwrite")
        self.alone("--out", "whole.h5")
        self.expect_same("whole.h5", "study.h5")

    def test_one_progress_tells_of_all_ranks(self):
        self.study(SOME_SECONDS)
        for launcher in LAUNCHERS:
            for complete_before in (None, 0, 1):
                with self.subTest(launcher=launcher, complete_before=complete_before):
                    if complete_before is not None:
                        self.alone("--shard", f"{complete_before}/2")
                    done = self.ranks(2, "--resume", "--chunk", "33", launcher=launcher)
                    lines = re.findall(r"(\d+) %  ([\d,]+) of ([\d,]+) instances saved", done.stderr)
                    self.assertEqual({whole for _, _, whole in lines}, {"8,000"}, done.stderr)
                    saved = [int(saved.replace(",", "")) for _, saved, _ in lines]
                    self.assertEqual(saved, sorted(saved))
                    self.assertGreater(saved[-1], 4000 + 800, "more than the first rank has by itself")
                    if complete_before == 0:
                        self.assertGreaterEqual(saved[0], 4000, "what was there counts from the start")
                    for path in self.path.glob("study*.h5*"):
                        path.unlink()

    def test_the_share_of_failed_instances_is_that_of_the_whole_study(self):
        bad = range(150, 155)  # all in the last of three shards, of which they are more than an allowed share
        rows = ["mass_kg"] + ["-1.0" if i in bad else repr(15 + 0.01 * i) for i in range(200)]
        (self.path / "masses.csv").write_text("\n".join(rows) + "\n")
        study = {**without(SMALL, "parameters"), "design": {"kind": "table", "file": "masses.csv"}}
        self.study({**study, "allowed_failed_share": 0.025})
        self.ranks(3)
        self.study({**study, "allowed_failed_share": 0.02})
        self.assertIn("5 of 200 instances failed, more than", self.ranks(3, "--overwrite", expect=2).stderr)
        self.alone("--out", "whole.h5", expect=2)
        self.expect_same("whole.h5", "study.h5")

    def test_a_shard_that_cannot_be_written_keeps_no_other_from_ending(self):
        self.study(SMALL)
        self.alone("--out", "whole.h5")
        (self.path / "study.66-133.h5").write_text("somebody's")
        done = self.ranks(3, expect=4)
        self.assertIn("shard 1/3: study.66-133.h5", done.stderr)
        self.assertIn("1 of 3 shards are not complete", done.stderr)
        self.assertEqual((self.path / "study.66-133.h5").read_text(), "somebody's")
        self.assertFalse((self.path / "study.h5").exists())
        (self.path / "study.66-133.h5").unlink()
        self.assertEqual(len(self.as_told(done.stderr, "myriad run")), 1)
        self.as_told(done.stderr, "myriad merge")
        self.expect_same("whole.h5", "study.h5")

    def test_what_cannot_be_is_refused_by_one_voice_and_leaves_nothing(self):
        self.study({**SMALL, "instances": 31})
        (self.path / "other.json").write_text(json.dumps({**SMALL, "instances": 33}))
        two_studies = [":", "-n", "1", PROGRAM, "run", "other.json", "--backend", "cpu", "--out", "study.h5"]
        for arguments, word, code in [(["--shard", "1/2"], "leave the option out", 1),
                                      (["--range", "0:5"], "leave the option out", 1),
                                      (["--instances", "1"], "fewer than there are processes", 1),
                                      (["--backend", "vector"], "no backend of this name", 1),
                                      (["-o", "integrator.step_s=0"], "expected a number above 0", 1),
                                      *([(two_studies, "run different studies", 1)] if starts_two_programs() else [])]:
            done = self.ranks(2, *arguments, expect=code)
            self.assertEqual(done.stderr.count(word), 1, done.stderr)
        done = self.ranks(2, "--backend", "cuda", expect=3, MYRIAD_CUDA_DRIVER="/nonexistent/libcuda.so.1")
        self.assertEqual(done.stderr.count("myriad: --backend cuda"), 1, done.stderr)
        self.assertEqual(list(self.path.glob("*.h5*")), [])

    def test_a_run_that_one_process_began_is_not_mixed_with_shards(self):
        self.study(SOME_SECONDS)
        process = subprocess.Popen([PROGRAM, "run", "study.json", "--backend", "cpu", "--chunk", "33"], cwd=self.path,
                                   stderr=subprocess.DEVNULL)
        self.wait_for_records(process, 1)
        process.kill()
        process.wait()
        kept = (self.path / "study.h5.journal").read_bytes()
        self.assertIn("one process has begun", self.ranks(2, "--resume", expect=4).stderr)
        self.assertEqual((self.path / "study.h5.journal").read_bytes(), kept)
        self.assertEqual(list(self.path.glob("study.*-*")), [])

    def test_without_the_library_the_shards_are_run_all_the_same(self):
        self.study(SMALL)
        self.alone("--out", "whole.h5")
        done = self.ranks(3, MYRIAD_MPI="/nonexistent/libmpi.so.40")
        self.assertIn("no MPI library could be opened", done.stderr)
        self.ranks(3, "--resume", MYRIAD_MPI="/nonexistent/libmpi.so.40")
        self.expect_same("whole.h5", "study.h5")


@unittest.skipUnless("Open MPI" in LAUNCHERS, "Open MPI is not here (Debian: openmpi-bin)")
class KilledRanks(RanksTest):
    def setUp(self):
        super().setUp()
        self.study(SOME_SECONDS)
        self.alone("--out", "whole.h5")

    def start(self, ranks, *arguments):
        self.process = subprocess.Popen(self.command(ranks, "--chunk", "33", *arguments, launcher="Open MPI"),
                                        cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return self.process

    def tearDown(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()
        super().tearDown()

    def process_of(self, rank):
        """The id of the process that has this rank, as soon as it is there."""
        while self.process.poll() is None:
            for child in self.children():
                try:
                    with open(f"/proc/{child}/environ", encoding="utf-8") as environment:
                        if f"OMPI_COMM_WORLD_RANK={rank}" in environment.read().split("\0"):
                            return child
                except OSError:
                    pass  # it has just begun, or ended
            time.sleep(0.01)
        self.fail(self.process.communicate()[1])

    def children(self):
        task = f"/proc/{self.process.pid}/task/{self.process.pid}/children"
        with open(task, encoding="utf-8") as children:
            return [int(child) for child in children.read().split()]

    def wait_for(self, *names):
        while self.process.poll() is None and not all((self.path / name).exists() for name in names):
            time.sleep(0.01)

    def test_a_killed_rank_is_run_again_alone_as_the_message_says(self):
        shards = ["study.0-2666.h5", "study.2666-5333.h5", "study.5333-8000.h5"]
        for victim in (1, 2):
            with self.subTest(victim=victim):
                self.start(3)
                process = self.process_of(victim)
                self.wait_for(shards[victim] + ".journal")
                os.kill(process, signal.SIGSTOP)
                self.wait_for(*[name for k, name in enumerate(shards) if k != victim])
                os.kill(process, signal.SIGKILL)
                error = self.process.communicate()[1]
                self.assertNotEqual(self.process.returncode, 0, error)
                self.assertFalse((self.path / "study.h5").exists())
                self.assertFalse((self.path / shards[victim]).exists())

                commands = self.as_told(error, "myriad run")
                self.assertEqual(commands, [f"myriad run study.json --backend cpu --chunk 33 --shard {victim}/3 --resume"])
                self.as_told(error, "myriad merge")
                self.ranks(3, "--resume", launcher="Open MPI")
                self.expect_same("whole.h5", "study.h5")
                for name in [*shards, "study.h5"]:
                    (self.path / name).unlink()

    def test_ranks_killed_at_any_moment_go_on_with_the_same_bits(self):
        generator = random.Random(19)
        for _ in range(2):
            ranks = generator.choice((2, 3, 4))
            for resume in ([], ["--resume"]):
                process = self.start(ranks, *resume)
                victim = self.process_of(generator.randrange(ranks))
                time.sleep(generator.uniform(0.0, 1.5))
                try:
                    os.kill(victim, generator.choice((signal.SIGKILL, signal.SIGTERM)))
                except ProcessLookupError:
                    pass  # it was done
                process.communicate()
            self.ranks(ranks, "--resume", launcher="Open MPI")
            self.expect_same("whole.h5", "study.h5")
            for path in self.path.glob("study*.h5*"):
                path.unlink()


class Launchers(RanksTest):
    """What launchers write into the environment, without one: each process is told that it is one of several."""

    def rank(self, rank, variables, *arguments, expect=0, **more):
        environment = {**os.environ, **{name: str(value) for name, value in variables.items()},
                       "MYRIAD_MPI": "/nonexistent/libmpi.so", **more}
        done = self.myriad("run", "study.json", "--backend", "cpu", *arguments, env=environment)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done

    def test_every_launcher_is_understood(self):
        self.study(SMALL)
        self.alone("--out", "whole.h5")
        for name, variables in {
                "mpirun": lambda k: {"OMPI_COMM_WORLD_RANK": k, "OMPI_COMM_WORLD_SIZE": 3},
                "mpiexec": lambda k: {"PMI_RANK": k, "PMI_SIZE": 3},
                "srun": lambda k: {"SLURM_PROCID": k, "SLURM_STEP_NUM_TASKS": 3}}.items():
            with self.subTest(launcher=name):
                for rank in (1, 2, 0):  # the first, which links the files, as the last
                    done = self.rank(rank, variables(rank))
                    self.assertEqual("srun -n 3" in done.stderr, name == "srun" and rank == 0, done.stderr)
                    self.assertEqual(done.stdout == "", rank != 0)
                self.expect_same("whole.h5", "study.h5")
                for path in self.path.glob("study*.h5"):
                    path.unlink()

    # A batch script is itself one of its job's tasks, and runs the whole study unless it says otherwise.
    def test_a_process_that_is_alone_is_no_shard(self):
        self.study(SMALL)
        for variables in ({"SLURM_PROCID": 0, "SLURM_NTASKS": 4}, {"SLURM_PROCID": 0, "SLURM_STEP_NUM_TASKS": 1},
                          {"OMPI_COMM_WORLD_RANK": 0, "OMPI_COMM_WORLD_SIZE": 1}, {"PMI_RANK": 5, "PMI_SIZE": 3},
                          {"PMI_RANK": "x", "PMI_SIZE": 3}):
            self.rank(0, variables, "--overwrite")
            self.assertEqual([path.name for path in self.path.glob("*.h5")], ["study.h5"])
        self.rank(0, {"OMPI_COMM_WORLD_RANK": 1, "OMPI_COMM_WORLD_SIZE": 2}, "--shard", "1/2", MYRIAD_MPI="off")
        self.assertTrue((self.path / "study.100-200.h5").exists())

    def test_a_step_of_slurm_may_number_its_shards_itself(self):
        self.study(SMALL)
        for k in (0, 1):
            self.rank(k, {"SLURM_PROCID": k, "SLURM_STEP_NUM_TASKS": 2}, "--shard", f"{k}/2")
        self.assertEqual(len(list(self.path.glob("study.*-*.h5"))), 2)

    def test_ranks_on_one_node_share_its_processors(self):
        self.study(SMALL)
        if len(os.sched_getaffinity(0)) != os.cpu_count():
            self.skipTest("this process may run on some of the processors only")
        for on_node in (1, os.cpu_count(), 2 * os.cpu_count()):
            done = self.rank(0, {"OMPI_COMM_WORLD_RANK": 0, "OMPI_COMM_WORLD_SIZE": 200,
                                 "OMPI_COMM_WORLD_LOCAL_SIZE": on_node}, "--overwrite")
            threads = max(1, os.cpu_count() // on_node)
            self.assertIn(f"{threads} thread", done.stderr)

    def test_the_first_says_how_the_files_are_linked_while_others_are_missing(self):
        self.study(SMALL)
        self.alone("--out", "whole.h5")
        mpirun = {"OMPI_COMM_WORLD_SIZE": 2}
        done = self.rank(0, {**mpirun, "OMPI_COMM_WORLD_RANK": 0})
        self.assertIn("1 of 2 shards are not complete yet", done.stderr)
        self.rank(1, {**mpirun, "OMPI_COMM_WORLD_RANK": 1})
        self.as_told(done.stderr, "myriad merge")
        self.expect_same("whole.h5", "study.h5")


if __name__ == "__main__":
    unittest.main(verbosity=2)
