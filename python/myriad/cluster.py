"""A study on the workers of a Dask client: shards as tasks, each into a file of its own, linked to one result."""

from __future__ import annotations

import contextlib
import os
import time
import uuid
from typing import TYPE_CHECKING, Any, Optional

from . import _engine
from .errors import InputError, Interrupted, OutputError
from .progress import Shown
from .result import Result

if TYPE_CHECKING:
    from .study import Study

SHARDS_PER_WORKER = 4
"""So that a fast worker takes over from a slow one, and a lost one loses little."""

LONGEST_WAIT_FOR_A_FILE_S = 60.0
"""A file that another machine has written may be seen this much later on a network's disk."""

LONGEST_WAIT_FOR_THE_END_S = 30.0
"""After Ctrl-C workers look for it about once a second, between blocks of a chunk."""


class _Stopped(Exception):
    """Ctrl-C at the client has ended a shard."""


def _run_shard(study: "Study", path: str, shard: str, stop: str, options: dict[str, Any]) -> None:
    """A task: one shard, by the threads that the worker has. Run again elsewhere, it goes on from its journal."""
    from distributed import Event, get_worker

    asked_to_stop = Event(stop)

    def look(_now: object) -> None:
        if asked_to_stop.is_set():
            raise _Stopped

    look(None)
    threads = options.pop("threads") or get_worker().state.nthreads
    study.run(path, shard=shard, threads=threads, progress=look, too_many_failed="warn", **options).close()


def check_client(client: Any) -> None:
    """Raises InputError for what cannot run shards."""
    if not all(hasattr(client, name) for name in ("submit", "ncores")):
        raise InputError("client", f"{client!r} is no client of Dask", "give a dask.distributed.Client")
    if getattr(client, "asynchronous", False):
        raise InputError("client", "it is asynchronous", "give a client that was made without asynchronous=True")


def run_on(client: Any, study: "Study", out: str, shards: Optional[int], options: dict[str, Any], shown: Shown) -> int:
    """Run all shards and link their files to `out`. Returns how many instances failed, in all of them.

    `options` are those of Study.run for each shard.
    """
    out = os.path.abspath(out)
    resume, overwrite = options["resume"], options["overwrite"]
    if _engine.is_merged(study._engine, out, resume, overwrite):
        return Result(out).failed
    workers = len(client.ncores())
    if shards is None:
        shards = min(study.instances, SHARDS_PER_WORKER * max(1, workers))
    if shards < 1:
        raise InputError(f"shards={shards}", "there is no such number of shards", "give at least 1")
    parts = [_engine.part(study._engine, out, f"{k}/{shards}") for k in range(shards)]
    # A task that is run again goes on from its journal. What stands there before the first is another matter.
    if not resume and not overwrite:
        for path, _ in parts:
            if os.path.exists(path) or os.path.exists(path + ".journal"):
                raise OutputError(path, "a result or an unfinished run of this name is there already",
                                  "go on with resume=True, replace it with overwrite=True, or choose another out")
        options = {**options, "resume": True}

    token = uuid.uuid4().hex
    tasks = {client.submit(_run_shard, study, path, f"{k}/{shards}", f"myriad-stop-{token}", dict(options), pure=False,
                           key=f"myriad-shard-{k}-of-{shards}-{token}"): k for k, (path, _) in enumerate(parts)}
    failed = _wait(client, tasks, [count for _, count in parts], f"myriad-stop-{token}", shown, out)
    if failed:
        first = min(failed)
        error = failed[first]
        note = (f"{len(failed)} of {shards} shards are not complete, the first of them {first}/{shards}; the files of the "
                f"others stay, and run(..., client=..., shards={shards}, resume=True) runs what is missing")
        if hasattr(error, "add_note"):
            error.add_note(note)
        raise error
    _see(path for path, _ in parts)
    return _engine.merge([path for path, _ in parts], out, True, overwrite)[1]


def _wait(client: Any, tasks: dict[Any, int], instances: list[int], stop: str, shown: Shown,
          out: str) -> dict[int, BaseException]:
    """Until all tasks have ended: the exception of each shard that failed. Ctrl-C has them end soon."""
    from distributed import Event, as_completed, wait

    began, saved, failed = time.monotonic(), 0, {}
    shown.begin(0)
    try:
        for task in as_completed(tasks):
            shard = tasks[task]
            if task.status == "finished":
                saved += instances[shard]
                shown(sum(instances), saved, 0.0, time.monotonic() - began)
            else:
                failed[shard] = task.exception() if task.status == "error" else RuntimeError(f"the task is {task.status}")
    except BaseException as error:
        # Cancelled tasks would go on unseen.
        Event(stop, client=client).set()
        with contextlib.suppress(TimeoutError):
            wait(list(tasks), timeout=LONGEST_WAIT_FOR_THE_END_S)
        message = (f"{saved:,} of {sum(instances):,} instances are complete, and the other shards keep what they have "
                   f"finished beside {out}; run(..., client=..., shards={len(tasks)}, resume=True) goes on")
        if isinstance(error, KeyboardInterrupt):
            raise Interrupted(message, saved, sum(instances), out) from None
        raise
    return failed


def _see(paths: Any) -> None:
    until = time.monotonic() + LONGEST_WAIT_FOR_A_FILE_S
    for path in paths:
        while not os.path.exists(path):
            if time.monotonic() > until:
                raise OutputError(path, "a worker has written this file, and it is not to be seen here",
                                  "give an out in a folder that the client and all workers share, at the same path")
            os.listdir(os.path.dirname(path))  # has a network's file system look again
            time.sleep(0.5)
