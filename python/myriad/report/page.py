"""The page: one file of HTML with everything in it, tables, plots, the animation and plotly.js, packed.

What a page holds does not grow with the number of instances: histograms and cells are counted, fans are quantiles, times
and poses are thinned, quantities and parameters beyond the first ones are left out; the page says what. A policy in its head
keeps a browser from fetching anything.
"""

from __future__ import annotations

import base64
import gzip
import html
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

from .. import _engine
from ..errors import InputError, OutputError
from ..files import beginning_of, write_text
from . import plotting, tables
from .of_parameters import failures, sensitivity_bars
from .of_quantities import convergence, histogram, scatter
from .of_time import fan_chart
from .picture import picture_of_result

if TYPE_CHECKING:
    from ..result import Result

_MOST_QUANTITIES = 8
_MOST_PARAMETERS = 9
_MOST_CHANNELS = 8
_FOLDER = Path(__file__).parent
# Near the beginning of every page, so that one can be told from other files before it is replaced.
_GENERATOR = '<meta name="generator" content="Myriad '
_BEGINNING = 512  # bytes in which it stands
_HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
{generator}
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
"""


def write(result: "Result", path: Union[str, os.PathLike], *, animation: Optional[bool] = None,
          overwrite: bool = False) -> str:
    """Write one page about a result, which a browser shows without a network; returns its path.

    animation   True: InputError where the result has no trajectories to animate; False: none; None: where it can be
    overwrite   replace a file that is no page of Myriad; a page is replaced without

    Raises InputError where plotly is not installed and for a path that does not end in .html, OutputError where the
    page cannot be written.
    """
    check_place(path, overwrite)
    plotting.graph_objects()
    page = _Page()
    title = str(result.attributes.get("title") or result.attributes.get("system") or "Result")
    page.section("What was run", tables.run(result))
    if animation is not False:
        _animate(page, result, must=bool(animation))
    page.section("Quantities", tables.quantities(result))
    _add_quantities(page, result)
    _add_times(page, result)
    page.section("Failures", tables.failures(result))
    if result.failed and len(result.parameters):
        page.figures([failures(result)])
    page.section("Certificate", tables.certificate(result))
    page.section("Throughput", tables.throughput(result))
    page.numbers = tables.numbers(result)
    return save(path, page.text(title))


def check_place(path: Union[str, os.PathLike], overwrite: bool) -> None:
    """Whether a page may be written there, before it is made: InputError for another kind of file, OutputError where a
    file stands that is no page of Myriad."""
    where = os.fspath(path)
    stem, ending = os.path.splitext(where)
    if ending.lower() not in (".html", ".htm"):
        raise InputError(where, "a page is a file of HTML, and this names another kind", f"write {stem}.html")
    if os.path.exists(where) and not overwrite and _GENERATOR.encode() not in beginning_of(where, _BEGINNING):
        raise OutputError(where, "there is a file of this name that is no page of Myriad",
                          "give another name, or overwrite=True (on the command line --overwrite) to replace it")


def save(path: Union[str, os.PathLike], text: str) -> str:
    """Write a page where check_place() lets it; OutputError where that fails."""
    write_text(path, text)
    return os.fspath(path)


def _add_quantities(page: "_Page", result: "Result") -> None:
    counted = [name for name in result.quantities if _has_values(result, name)]
    names = counted[:_MOST_QUANTITIES]
    if not names:
        return
    left_out = len(counted) - len(names)
    note = tables.note(f"Plots show the first {len(names)} of {len(counted)} quantities.") if left_out else ""
    page.section("Distributions", note)
    page.figures([histogram(result, name) for name in names], names)
    if len(result.parameters):
        found = sensitivity_bars(result, names)
        page.section("Sensitivity", "")
        page.figures([found])
        addresses = list(result.parameters)[:_MOST_PARAMETERS]
        more = len(result.parameters) - len(addresses)
        page.section("Against parameters", tables.note(
            f"The first {len(addresses)} of {len(result.parameters)} varied parameters.") if more else "")
        page.figures([scatter(result, name, addresses) for name in names], names)
    page.section("Convergence", "")
    page.figures([convergence(result, name) for name in names], names)


def _has_values(result: "Result", name: str) -> bool:
    statistics = plotting.statistics_of(result, name)
    return statistics is not None and bool(statistics["count"])


def _add_times(page: "_Page", result: "Result") -> None:
    channels = list(result.trajectories)
    if not channels or result.failed == result.instances:
        page.section("Over time", tables.note("The result has no trajectories." if not channels else
                                              "No instance ended ok."))
        return
    shown = channels[:_MOST_CHANNELS]
    page.section("Over time", tables.note(f"The first {len(shown)} of {len(channels)} channels.")
                 if len(shown) < len(channels) else "")
    page.figures([fan_chart(result, channel) for channel in shown], shown)


def _animate(page: "_Page", result: "Result", must: bool) -> None:
    try:
        picture = picture_of_result(result)
    except InputError as error:
        if must:
            raise
        page.section("Animation", tables.note(f"{error.what}; {error.remedy}."))
        return
    page.section("Animation", "")
    page.picture(picture)


class _Page:
    """A page as it grows: sections, figures, pictures."""

    def __init__(self) -> None:
        self.numbers: Optional[dict[str, Any]] = None
        self._parts: list[str] = []
        self._headings: list[str] = []
        self._data: list[str] = []
        self._figures = 0

    def section(self, heading: str, content: str) -> None:
        self._headings.append(heading)
        self._parts.append(f'<h2 id="{_anchor(heading)}">{html.escape(heading)}</h2>\n{content}')

    def figures(self, figures: list[Any], headings: Optional[list[str]] = None) -> None:
        for position, figure in enumerate(figures):
            if headings is not None:
                self._parts.append(f"<h3>{html.escape(headings[position])}</h3>")
            self._figures += 1
            name, caption = f"figure-{self._figures}", html.escape(figure.layout.meta["caption"])
            self._parts.append(f'<figure><div class="plot" id="plot-{self._figures}" data-figure="{name}" role="img" '
                               f'aria-describedby="{name}-says" style="height: {int(figure.layout.height)}px"></div>'
                               f'<figcaption id="{name}-says">{caption}</figcaption></figure>')
            self._data.append(_embedded(name, figure.to_json()))

    def picture(self, picture: dict[str, Any]) -> None:
        caption = html.escape(picture["caption"])
        controls = "" if len(picture["time_s"]) < 2 else (
            '<div class="controls"><button type="button" id="picture-play">Play</button>'
            '<input type="range" id="picture-time" min="0" value="0" aria-label="time"><span id="picture-says"></span></div>')
        self._parts.append(
            '<figure><canvas id="picture" data-picture="picture-data" role="img" tabindex="0" '
            f'aria-describedby="picture-caption"></canvas>{controls}<figcaption id="picture-caption">{caption} '
            "Turn it by the mouse or the arrow keys.</figcaption></figure>")
        self._data.append(_embedded("picture-data", json.dumps(picture, allow_nan=True).replace("NaN", "null")))

    def text(self, title: str) -> str:
        scripts = ["picture.js", "page.js"]
        packed = ""
        if self._figures:
            from plotly.offline import get_plotlyjs

            code = gzip.compress(get_plotlyjs().encode(), 9, mtime=0)
            packed = f'<script type="application/gzip" id="plotly">{base64.b64encode(code).decode()}</script>\n'
        if self.numbers is not None:
            self._data.append(_embedded("numbers", json.dumps(self.numbers, allow_nan=False)))
        links = "".join(f'<a href="#{_anchor(heading)}">{html.escape(heading)}</a>\n' for heading in self._headings)
        code = "".join(f"<script>\n{_own(name)}</script>\n" for name in scripts)
        head = _HEAD.replace("{generator}", f'{_GENERATOR}{_engine.version}">')
        return (f"{head}<title>{html.escape(title)}</title>\n<style>\n{_own('page.css')}</style>\n</head>\n<body>\n"
                f"<h1>{html.escape(title)}</h1>\n<nav aria-label=\"sections\">\n{links}</nav>\n"
                f'<p class="note" id="trouble" role="alert"></p>\n<main>\n' + "\n".join(self._parts) +
                f"\n</main>\n{''.join(self._data)}{packed}{code}</body>\n</html>\n")


def picture_page(title: str, picture: dict[str, Any], sections: list[tuple[str, str]]) -> str:
    """A page with one picture and sections of HTML under it."""
    page = _Page()
    page.section("Picture", "")
    page.picture(picture)
    for heading, content in sections:
        page.section(heading, content)
    return page.text(title)


def _own(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _anchor(heading: str) -> str:
    return heading.lower().replace(" ", "-")


def _embedded(name: str, text: str) -> str:
    """JSON in a page: "<" could end the element that holds it."""
    text = text.replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>\n'
