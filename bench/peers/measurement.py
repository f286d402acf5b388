"""What the comparisons share: one core, runs that take turns, and rows like those of `myriad bench`."""

import json
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import h5py
import numpy

ROOT = Path(__file__).resolve().parent.parent.parent


def on_one_core():
    """Before the other program is imported: its threads inherit this."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})


def timed(call):
    """What the call returns, and its CPU time in s: on one core other processes do not count."""
    begin = time.process_time()
    done = call()
    return done, time.process_time() - begin


def myriad(program, study, samples, reads, kernels="interpreted"):
    """Runs a study on one thread, with an instance for each row of `samples`, address -> values: its rate in steps per
    second, its device, and [instance, dataset] of its result."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        numpy.savetxt(folder / "samples.csv", numpy.column_stack(list(samples.values())), "%.17g", ",",
                      header=",".join(samples), comments="")
        (folder / "study.json").write_text(json.dumps(
            {**study, "instances": len(next(iter(samples.values()))), "design": {"kind": "table", "file": "samples.csv"}}))
        done = subprocess.run([program, "run", "study.json", "--threads", "1", "--backend", "cpu", "--kernels", kernels,
                               "--format", "json"], capture_output=True, text=True, cwd=folder)
        if done.returncode:
            raise SystemExit(done.stderr)
        said = json.loads(done.stdout)
        with h5py.File(folder / "study.h5") as result:
            return said["instance_steps_per_s"], said["device"], numpy.column_stack([result[one][:] for one in reads])


def row(subject, rates, *, step_s, instances, steps, settings, error_m, figures=None):
    """A row of bench/results/: rates in instance-steps per second of each repetition."""
    numbers = {"median": statistics.median(rates), "min": min(rates), "max": max(rates), "repetitions": len(rates)}
    seconds = {key: instances * steps / numbers[{"min": "max", "max": "min"}.get(key, key)] for key in ("median", "min", "max")}
    return {"bench": "peers", "subject": subject, "backend": "cpu", "precision": "fp64", "step_s": step_s, "width": None,
            "threads": 1, "instances": instances, "steps": instances * steps, "clock": "thread cpu",
            "seconds": {**seconds, "repetitions": len(rates)}, "instance_steps_per_s": numbers,
            "figures": {"largest error": {"value": float(error_m), "unit": "m"}, **(figures or {})}, "note": settings}


def distance(a, b):
    """The largest distance between points, [instance, 3]."""
    return numpy.linalg.norm(numpy.asarray(a) - numpy.asarray(b), axis=1).max()
