"""What can go wrong, as exceptions with the program's own messages: what is wrong, where, and what to do about it.

MyriadError
    InputError        a study, a mechanism, an argument (also a ValueError)
        UnknownName   a name that does not exist, with the nearest that does (also a KeyError)
    DeviceError       the processor, the GPU, a forked process (also a RuntimeError)
    OutputError       a file that could not be written (also an OSError)
    RunFailure        more instances failed than the study allows, or a study with on_failure "stop" met a failure
                      (also a RuntimeError)
Interrupted           Ctrl-C during a run; what was finished is kept (a KeyboardInterrupt)
"""

from __future__ import annotations

import importlib
import re
from typing import Any, Iterable, Optional

# The program's options of `run` that Study.run has as arguments, too; flags are set by True.
_FLAGS = ("resume", "overwrite")
_OPTIONS = ("backend", "check-step", "chunk", "devices", "instances", "out", "precision", "range", "seed", "shard", "threads")


def _in_python(text: str) -> str:
    """Options of `run` as arguments of Study.run: `--resume` -> `resume=True`, `--check-step` -> `check_step`."""
    text = re.sub(rf"--({'|'.join(_FLAGS)})\b", r"\1=True", text)
    return re.sub(rf"--({'|'.join(_OPTIONS)})\b", lambda option: option[1].replace("-", "_"), text)


class MyriadError(Exception):
    """The base of all errors but Interrupted. `where`, `what` and `remedy` are the parts of its message."""

    def __init__(self, where: str, what: str, remedy: str = "") -> None:
        self.where, self.what, self.remedy = where, what, remedy
        super().__init__(where, what, remedy)

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" + (f"\n  {self.remedy}" if self.remedy else "")


class InputError(MyriadError, ValueError):
    """A study, a mechanism or an argument that cannot be meant so."""


class UnknownName(InputError, KeyError):
    """A name that does not exist. The message has the nearest one that does."""

    __str__ = MyriadError.__str__


class DeviceError(MyriadError, RuntimeError):
    """A processor or GPU that is not there or does not take the study, or a process that was forked."""


class OutputError(MyriadError, OSError):
    """A result that could not be written. What was finished stays in the journal beside it."""

    __str__ = MyriadError.__str__


class RunFailure(MyriadError, RuntimeError):
    """More instances failed than the study allows.

    `result` is the Result, complete all the same, or None where the study says on_failure "stop" and the run ended early.
    """

    result: Optional[Any] = None


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a run. `finished` of `instances` are kept in `journal`; run(out=..., resume=True) goes on. `result` is that
    of a run that was complete by then, else None."""

    def __init__(self, message: str, finished: int = 0, instances: int = 0, journal: str = "") -> None:
        super().__init__(message)
        self.finished, self.instances, self.journal = finished, instances, journal
        self.result: Any = None


class MyriadWarning(UserWarning):
    """Nothing is wrong, but a person may want to know."""


_BY_EXIT_CODE = {1: InputError, 3: DeviceError, 4: OutputError}


def _made_from(exit_code: int, where: str, what: str, remedy: str) -> MyriadError:
    """What the compiled part throws; the exit code is the program's."""
    made = _BY_EXIT_CODE.get(exit_code, InputError)
    return made(_in_python(where), _in_python(what), _in_python(remedy))


def required(name: str, purpose: str) -> Any:
    """A module of a package that only some functions need; InputError that says how to install it where it is not."""
    try:
        return importlib.import_module(name)
    except ImportError:
        package = name.split(".")[0]
        raise InputError(purpose, f"the Python package {package} is not installed here",
                         f"install it: pip install {package}") from None


def unknown_name(where: str, kind: str, name: object, known: Iterable[str], listing: str) -> UnknownName:
    """The error for `name`, which is none of `known`; `listing` is the expression that shows all."""
    from . import _engine

    names = list(known)
    remedy = _engine.suggestion(str(name), names, kind, listing) if names else f"there are no {kind}"
    return UnknownName(where, f'"{name}" is unknown', remedy)
