"""How far a run is: a bar in a terminal or a notebook, or a call of the user's."""

from __future__ import annotations

import os
import sys
from typing import Callable, NamedTuple, Optional, Union


class Progress(NamedTuple):
    """How far a run is."""

    instances: int
    """of this run"""
    saved: int
    """of them finished and kept"""
    share: float
    """of the work that is done, 0 to 1; unfinished instances count by their time"""
    seconds: float
    """since the run began"""
    seconds_left: Optional[float]
    """at the pace so far; None where that is not known"""
    doing: str = ""
    """beside computing instances: compiling, retries of failed ones; mostly empty"""


ProgressChoice = Union[None, bool, Callable[[Progress], object]]


def seconds_text(seconds: Optional[float]) -> str:
    if seconds is None:
        return "time left unknown"
    if seconds < 90:
        return f"{seconds:.0f} s left"
    return f"{seconds / 60:.0f} min left" if seconds < 5400 else f"{seconds / 3600:.1f} h left"


def bar_text(now: Progress) -> str:
    width = 40
    full = int(now.share * width)
    return (f"[{'#' * full}{'.' * (width - full)}] {100 * now.share:5.1f} %  "
            f"{now.saved:,} of {now.instances:,} saved, {now.doing + ', ' if now.doing else ''}{seconds_text(now.seconds_left)}")


class _Lines:
    """A line each tenth, for logs and where NO_COLOR asks for no control sequences."""

    def __init__(self) -> None:
        self._told = 0

    def show(self, now: Progress) -> None:
        tenth = int(10 * now.share)
        if tenth > self._told:
            self._told = tenth
            sys.stderr.write(bar_text(now) + "\n")

    def clear(self) -> None:
        pass


class _Terminal:
    def show(self, now: Progress) -> None:
        sys.stderr.write("\r" + bar_text(now) + "  \x1b[K")
        sys.stderr.flush()

    def clear(self) -> None:
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()


class _Notebook:
    """One line of a cell's output, replaced in place."""

    def __init__(self, display: Callable) -> None:
        self._handle = display({"text/plain": ""}, raw=True, display_id=True)

    def show(self, now: Progress) -> None:
        self._handle.update({"text/plain": bar_text(now)}, raw=True)

    def clear(self) -> None:
        self._handle.update({"text/plain": ""}, raw=True)


class Shown:
    """What is shown of one run, and when: at most some times a second, as the engine reports."""

    def __init__(self, choice: ProgressChoice) -> None:
        self._call = choice if callable(choice) else None
        self._bar = None if self._call or choice is False else _bar(choice is True)
        self._before = 0.0

    def begin(self, finished_before: int) -> None:
        self._before = float(finished_before)

    def __call__(self, instances: int, saved: int, computing: float, seconds: float, doing: str = "") -> None:
        done = saved + computing
        rate = (done - self._before) / seconds if seconds > 0 else 0.0
        left = (instances - done) / rate if rate > 0 and (done < instances or not doing) else None
        now = Progress(instances, saved, min(1.0, done / instances), seconds, left, doing)
        if self._call:
            self._call(now)
        elif self._bar:
            self._bar.show(now)

    def end(self) -> None:
        if self._bar:
            self._bar.clear()


def _bar(is_wanted: bool) -> Union[_Terminal, _Notebook, _Lines, None]:
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is not None and type(shell).__name__ == "ZMQInteractiveShell":
        return _Notebook(sys.modules["IPython"].display.display)
    if not is_wanted and (sys.stderr is None or not sys.stderr.isatty()):
        return None
    return _Lines() if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" else _Terminal()
