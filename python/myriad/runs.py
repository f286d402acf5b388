"""A run of a study, here or on a client's workers: its options, checked, and how it ended, as a Result or an exception."""

from __future__ import annotations

import os
import shutil
import tempfile
import warnings
from typing import TYPE_CHECKING, Any, Optional, Sequence, Tuple, Union

from . import _engine, cluster
from .errors import InputError, Interrupted, MyriadWarning, RunFailure
from .files import PathLike
from .progress import ProgressChoice, Shown
from .result import Result

if TYPE_CHECKING:
    from .study import Study

Range = Union[str, Tuple[int, int]]

# Frames of a warning: what warns here, _here or _on_workers, run, Study.run, and its caller, whom it is shown to.
_CALLER_OF_STUDY_RUN = 5


def part_text(part: Optional[Range], separator: str) -> Optional[str]:
    """A range or a shard as the engine reads it."""
    if part is None or isinstance(part, str):
        return part
    first, second = part
    return f"{int(first)}{separator}{int(second)}"


def run(study: "Study", out: Optional[PathLike], *, range: Optional[Range], shard: Optional[Range], client: Optional[Any],
        shards: Optional[int], progress: ProgressChoice, too_many_failed: str, options: dict[str, Any]) -> Result:
    """As Study.run says; `options` are the arguments that go to each of a client's workers."""
    if too_many_failed not in ("raise", "warn"):
        raise InputError("too_many_failed", f'"{too_many_failed}" is unknown', 'give "raise" or "warn"')
    check_step = options["check_step"]
    if check_step is not None and not 1e-9 <= check_step <= 1:
        raise InputError(f"check_step={check_step}", "this is no share of the instances", "give a number from 1e-9 to 1")
    if client is not None:
        return _on_workers(study, out, range if range is not None else shard, client, shards, progress, too_many_failed,
                           options)
    if shards is not None:
        raise InputError("shards", "there is no client to run them", "give a client, or one shard=(k, shards) here")
    return _here(study, out, range, shard, progress, too_many_failed, **options)


def _here(study: "Study", out: Optional[PathLike], range: Optional[Range], shard: Optional[Range], progress: ProgressChoice,
          too_many_failed: str, *, backend: str, devices: Sequence[int], threads: int, chunk: int, resume: bool,
          overwrite: bool, check_step: Optional[float]) -> Result:
    scratch = None
    if out is None:
        if resume:
            raise InputError("resume", "there is no result to go on with", "give its path as out=")
        scratch = tempfile.mkdtemp(prefix="myriad-")
        out = os.path.join(scratch, "result.h5")
    out = _result_path(out)
    shown = Shown(progress)
    try:
        ended = _engine.run(
            study._engine, out, backend, list(devices), threads, chunk, part_text(range, ":"), part_text(shard, "/"), resume,
            overwrite, 0.0 if check_step is None else check_step, lambda _device, finished: shown.begin(finished), shown,
            lambda text: warnings.warn(text, MyriadWarning, stacklevel=_CALLER_OF_STUDY_RUN))
        return _ended(study, ended, scratch, too_many_failed)
    except BaseException as error:
        if scratch and getattr(error, "result", None) is None:
            shutil.rmtree(scratch, ignore_errors=True)
        raise
    finally:
        shown.end()


def _on_workers(study: "Study", out: Optional[PathLike], part: Optional[Range], client: Any, shards: Optional[int],
                progress: ProgressChoice, too_many_failed: str, options: dict[str, Any]) -> Result:
    cluster.check_client(client)
    if part is not None:
        raise InputError("range, shard", "with a client the whole study is run", "leave them out")
    if out is None:
        raise InputError("out", "workers need a place to write to", "give a path in a folder that all workers share")
    out, shown = _result_path(out), Shown(progress)
    try:
        failed = cluster.run_on(client, study, out, shards, options, shown)
    finally:
        shown.end()
    return _ended(study, {"ending": "complete", "exception": None, "out": out, "instances": study.instances,
                          "finished": study.instances, "failed": failed}, None, too_many_failed)


def _ended(study: "Study", ended: dict[str, Any], scratch: Optional[str], too_many_failed: str) -> Result:
    exception, kept = ended["exception"], f"{ended['finished']:,} of {ended['instances']:,} instances"
    if ended["ending"] == "interrupted":
        where = "nothing is kept of a run without out=" if scratch else f"are finished and kept in {ended['journal']}"
        message = f"{kept} {where}" + ("" if scratch else "; run(out=..., resume=True) goes on")
        if isinstance(exception, KeyboardInterrupt):
            raise Interrupted(message, ended["finished"], ended["instances"], ended["journal"]) from None
        if hasattr(exception, "add_note"):
            exception.add_note(message)
        raise exception
    if ended["ending"] == "stopped_on_failure":
        raise RunFailure("run", f'an instance failed and the study says on_failure "stop"; {kept} are kept in '
                         f"{ended['journal']}", "go on with resume=True and the study's on_failure \"continue\"")
    if exception is not None and not isinstance(exception, KeyboardInterrupt):
        raise exception
    result = Result(ended["out"], scratch=scratch)
    for warning in result.warnings:
        warnings.warn(warning, MyriadWarning, stacklevel=_CALLER_OF_STUDY_RUN)
    if exception is not None:
        late = Interrupted(f"the run was complete by then: all {ended['instances']:,} instances are in {ended['out']}",
                           ended["finished"], ended["instances"])
        late.result = result
        raise late from None
    allowed = study._engine.allowed_failed_share
    if ended["ending"] == "complete" and ended["failed"] > allowed * ended["instances"]:
        what = (f"{ended['failed']:,} of {ended['instances']:,} instances failed, more than the study allows "
                f"(allowed_failed_share {allowed:g}); the result is complete all the same")
        if too_many_failed == "warn":
            warnings.warn(what, MyriadWarning, stacklevel=_CALLER_OF_STUDY_RUN)
        else:
            failure = RunFailure("run", what, "look at it as the exception's result, or give "
                                 'too_many_failed="warn" or a larger allowed_failed_share')
            failure.result = result
            raise failure
    return result


def _result_path(out: PathLike) -> str:
    out = os.fspath(out)
    if os.path.splitext(out)[1] not in ("", ".h5", ".hdf5"):
        raise InputError(f"out={out}", "a result is an HDF5 file, and this names another kind",
                         f"write out={os.path.splitext(out)[0]}.h5; Result.to_pandas() makes other formats")
    return out
