"""Fan charts: the quantiles over the instances of a channel at each time."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy

from ..errors import InputError
from . import plotting

if TYPE_CHECKING:
    from ..result import Result

# Quantiles of the fan, and what a page takes at most: numbers read, times and panels drawn.
PROBABILITIES = (0.05, 0.25, 0.5, 0.75, 0.95)
_MOST_NUMBERS = 20_000_000
_MOST_TIMES = 200
_MOST_PANELS = 12


def fan_chart(result: "Result", channel: str) -> Any:
    """The 5, 25, 50, 75 and 95 % quantiles of a channel over the instances that ended ok, against time, and one instance. A
    panel for each component, of at most 12; of at most 200 times, evenly chosen; of the first instances where all of them
    are more than 20 million numbers. The caption says what was left out."""
    if not len(result.trajectories):
        raise InputError(result.path, "it has no trajectories", "let the study observe channels and keep trajectories")
    plotting.known(result, result.trajectories, "trajectories", channel)
    graph = plotting.graph_objects()
    values, rows = _read(result, channel)
    times = result.time_s
    ok = result.ok[:rows]
    if not ok.any():
        raise InputError(channel, f"none of the first {rows:,} instances ended ok", "look at the result's status")
    values = values[ok]
    chosen = numpy.unique(numpy.linspace(0, values.shape[1] - 1, _MOST_TIMES).round().astype(int))
    values, times = values[:, chosen], times[chosen]
    names = _components(result, channel)
    shown = min(len(names), _MOST_PANELS)
    unit = result.trajectories.unit(channel)
    figure, place = plotting.panels(shown, names[:shown] if len(names) > 1 else [""], height=280)
    ends = []
    for panel in range(shown):
        # Channels of events may have no value; numpy is much slower where it looks for that.
        some = values[:, :, panel]
        fan = (numpy.quantile if numpy.isfinite(some).all() else numpy.nanquantile)(some, PROBABILITIES, axis=0)
        ends.append(fan[:, -1])
        _add_fan(figure, graph, times, fan, values[0, :, panel], place(panel), panel == 0)
        figure.update_xaxes(title_text="time [s]", **place(panel))
        figure.update_yaxes(title_text=plotting.with_unit(channel, unit) if place(panel)["col"] == 1 else "", **place(panel))
    total = result.instances
    caption = (f"{channel} against time: quantiles over {int(ok.sum()):,} instances that ended ok: 5 to 95 % light, 25 to "
               f"75 % dark, the median as a line; dashed is instance {int(result.id[:rows][ok][0])}. At the last time: " +
               "; ".join(f"{name or channel} {plotting.number(end[2])} ({plotting.number(end[0])} to "
                         f"{plotting.number(end[-1])})" for name, end in zip(names, ends)) + ".")
    if rows < total:
        caption += f" Taken over the first {rows:,} of {total:,} instances."
    if len(chosen) < result.trajectories.shape(channel)[1]:
        caption += f" Drawn at {len(chosen)} of {result.trajectories.shape(channel)[1]:,} times."
    if shown < len(names):
        caption += f" {len(names) - shown} more components are not drawn."
    return plotting.captioned(figure, caption)


def _add_fan(figure: Any, graph: Any, times: numpy.ndarray, fan: numpy.ndarray, one: numpy.ndarray, place: dict[str, int],
             in_legend: bool) -> None:
    x = plotting.numbers(times)
    for low, high, colour, name in ((0, 4, plotting.OUTER_BAND, "5 to 95 %"), (1, 3, plotting.INNER_BAND, "25 to 75 %")):
        figure.add_trace(graph.Scatter(x=x, y=plotting.numbers(fan[high]), mode="lines", line={"width": 0}, showlegend=False,
                                       hoverinfo="skip"), **place)
        figure.add_trace(graph.Scatter(x=x, y=plotting.numbers(fan[low]), mode="lines", line={"width": 0}, fill="tonexty",
                                       fillcolor=colour, name=name, showlegend=in_legend), **place)
    figure.add_trace(graph.Scatter(x=x, y=plotting.numbers(fan[2]), mode="lines", name="median", showlegend=in_legend,
                                   line={"color": plotting.BLUE, "width": 2}), **place)
    figure.add_trace(graph.Scatter(x=x, y=plotting.numbers(one), mode="lines", name="one instance", showlegend=in_legend,
                                   line={"color": plotting.BLACK, "width": 1, "dash": "dash"}), **place)


def _read(result: "Result", channel: str) -> tuple[numpy.ndarray, int]:
    """float64 [instance, time, component] of the first instances, and how many they are."""
    shape = result.trajectories.shape(channel)
    rows = min(shape[0], max(1, _MOST_NUMBERS // int(numpy.prod(shape[1:]))))
    return result.trajectories.read(channel, 0, rows).reshape(rows, shape[1], -1), rows


def _components(result: "Result", channel: str) -> list[str]:
    """Names of the components behind the axis of time: "top x", "" of a scalar."""
    shape = result.trajectories.shape(channel)[2:]
    axes = result._axes(result.trajectories, channel)[1:]
    places = [names or tuple(map(str, range(extent))) for (_, names), extent in zip(axes, shape)]
    return [" ".join(some) for some in itertools.product(*places)]
