"""The program's threads from outside: processors it may use, what is left of it when it is killed, what others left."""

import glob
import os
import signal
import statistics
import subprocess
import time
import unittest
from pathlib import Path

from program_case import LONG, PROGRAM, SMALL, ProgramTest


def state_of(task):
    """R for a thread that runs or could, S for one that waits; none for one that has ended."""
    try:
        return (task / "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


class Threads(ProgramTest):
    def test_as_many_are_taken_as_processors_are_allowed(self):
        allowed = os.sched_getaffinity(0)
        for number in sorted({1, len(allowed)}):
            some = set(sorted(allowed)[:number])
            done = self.run_study(SMALL, "--overwrite", preexec_fn=lambda: os.sched_setaffinity(0, some))
            self.assertIn(f", {number} thread{'' if number == 1 else 's'},", done["device"])

    def test_with_one_thread_no_second_one_runs_beside_it(self):
        # Samples are drawn ahead and files written behind by threads of their own, which sleep in between: whoever waits by
        # asking again and again is found running beside the one that computes.
        study = self.study({**LONG, "instances": 1000000})
        run = subprocess.Popen([PROGRAM, "run", study, "--backend", "cpu", "--threads", "1"], cwd=self.path,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait_for_records(run, 1)
        running = []
        while len(running) < 100:
            states = [state_of(task) for task in Path(f"/proc/{run.pid}/task").iterdir()]
            running.append(states.count("R"))
            time.sleep(0.01)
        run.kill()
        run.wait()
        self.assertEqual(statistics.median(running), 1, running)

    def test_what_another_openmp_left_behind_for_this_process_number_does_not_matter(self):
        def leave_an_empty_registration():
            with open(f"/dev/shm/__KMP_REGISTERED_LIB_{os.getpid()}_{os.getuid()}", "w"):
                pass

        done = self.myriad("run", self.study(SMALL), "--backend", "cpu", preexec_fn=leave_an_empty_registration)
        for left in glob.glob("/dev/shm/__KMP_REGISTERED_LIB_*"):
            if os.path.getsize(left) == 0 and os.stat(left).st_uid == os.getuid():
                os.unlink(left)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_killed_run_leaves_nothing_in_shared_memory(self):
        run = subprocess.Popen([PROGRAM, "run", self.study(LONG), "--backend", "cpu"], cwd=self.path,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait_for_records(run, 0)
        run.send_signal(signal.SIGKILL)
        run.wait()
        self.assertEqual([name for name in os.listdir("/dev/shm") if str(run.pid) in name.split("_")], [])


if __name__ == "__main__":
    unittest.main()
