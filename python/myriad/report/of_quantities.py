"""Plots of quantities over the instances: their distribution, what they have to do with parameters, how a mean settles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Sequence, Union

import numpy

from ..distributions import Bins, Histogram
from ..errors import InputError
from . import plotting
from .plotting import number

if TYPE_CHECKING:
    from ..result import Result

# More bins are narrower than what a page shows.
_MOST_BINS = 120
# More points than these are counted in cells instead.
MOST_POINTS = 1000
_CELLS = 48
_MEDIANS = 16


def histogram(result: "Result", quantity: str, bins: Optional[Bins] = None) -> Any:
    """Counts of a quantity in bins, with the mean and the quantiles of the result file and their intervals above.

    bins    as of Result.histogram; by default the rule of Freedman and Diaconis, and 120 bins where it has more
    """
    graph = plotting.graph_objects()
    found = _binned(result, quantity, bins)
    statistics = plotting.statistics_of(result, quantity)
    top = float(found.counts.max())
    centres, widths = (found.edges[:-1] + found.edges[1:]) / 2, numpy.diff(found.edges)
    figure = graph.Figure(graph.Bar(x=centres.tolist(), y=found.counts.tolist(), width=widths.tolist(), name="instances",
                                    marker={"color": plotting.BLUE, "line": {"color": "white", "width": 0.3}}))
    left_out = f"{found.failed:,} failed and {found.undefined:,} without a value are left out."
    caption = (f"{int(found.counts.sum()):,} instances in {len(found.counts)} bins ({found.rule.replace('_', ' ')}); the "
               f"fullest has {int(top):,}. {left_out}")
    if found.below or found.above:
        caption += f" {found.below:,} lie below the bins and {found.above:,} above."
    if statistics is not None and statistics["count"]:
        probabilities = statistics["quantile_probability"]
        _add_estimates(figure, graph, [statistics["mean"]], [statistics["mean_low"]], [statistics["mean_high"]], 1.08 * top,
                       ["mean"], "mean and its interval", plotting.VERMILLION, "diamond")
        _add_estimates(figure, graph, statistics["quantile"], statistics["quantile_low"], statistics["quantile_high"],
                       1.2 * top, [f"{100 * one:g} %" for one in probabilities], "quantiles and their intervals",
                       plotting.BLACK, "line-ns-open")
        caption += (f" Mean {number(statistics['mean'])} ({plotting.interval_name(result)} {number(statistics['mean_low'])} to "
                    f"{number(statistics['mean_high'])}); quantiles " + ", ".join(
                        f"{100 * one:g} %: {number(value)}"
                        for one, value in zip(probabilities, statistics["quantile"])) + ".")
    plotting.finished(figure)
    figure.update_xaxes(title_text=plotting.with_unit(quantity, found.unit))
    figure.update_yaxes(title_text="instances", range=[0, 1.32 * top])
    return plotting.captioned(figure, caption)


def _binned(result: "Result", quantity: str, bins: Optional[Bins]) -> Histogram:
    plotting.known(result, result.quantities, "quantities", quantity)
    if bins is not None:
        return result.histogram(quantity, bins)
    try:
        found = result.histogram(quantity)
    except InputError:  # values far beyond the others ask for very many bins
        return result.histogram(quantity, _MOST_BINS)
    return found if len(found.counts) <= _MOST_BINS else result.histogram(quantity, _MOST_BINS)


def _add_estimates(figure: Any, graph: Any, values: Any, low: Any, high: Any, height: float, labels: list[str], name: str,
                   colour: str, symbol: str) -> None:
    values, low, high = (numpy.asarray(some, dtype=numpy.float64) for some in (values, low, high))
    figure.add_trace(graph.Scatter(
        x=plotting.numbers(values), y=[height] * len(values), mode="markers+text", text=labels, textposition="top center",
        textfont={"size": 10}, name=name, marker={"color": colour, "symbol": symbol, "size": 9, "line": {"width": 1.5}},
        error_x={"type": "data", "symmetric": False, "array": numpy.nan_to_num(high - values).tolist(),
                 "arrayminus": numpy.nan_to_num(values - low).tolist(), "color": colour, "thickness": 1.5, "width": 4}))


def scatter(result: "Result", quantity: str, parameters: Union[str, Sequence[str], None] = None) -> Any:
    """A quantity against varied parameters, a panel for each: points of up to 1,000 instances; of more the counts of all in
    48 x 48 cells, with medians over sixteenths of the instances."""
    plotting.known(result, result.quantities, "quantities", quantity)
    addresses = [parameters] if isinstance(parameters, str) else list(parameters or result.parameters)
    for address in addresses:
        plotting.known(result, result.parameters, "parameters", address)
    if not addresses:
        raise InputError(result.path, "it has no varied parameters", "let the study vary some")
    graph = plotting.graph_objects()
    values = result.quantities[quantity]
    counted = result.ok & numpy.isfinite(values)
    if not counted.any():
        raise InputError(quantity, f"none of the {len(values):,} instances has a value", "look at the result's status")
    values, unit = values[counted], result.quantities.unit(quantity)
    figure, place = plotting.panels(len(addresses), [""] * len(addresses))
    for panel, address in enumerate(addresses):
        column = result.parameters[address][counted]
        if len(values) <= MOST_POINTS:
            figure.add_trace(graph.Scatter(x=plotting.numbers(column), y=plotting.numbers(values), mode="markers",
                                           showlegend=False, marker={"color": plotting.BLUE, "size": 4, "opacity": 0.6}),
                             **place(panel))
        else:
            _add_cells(figure, graph, column, values, place(panel))
        figure.update_xaxes(title_text=plotting.with_unit(address, result.parameters.unit(address)), **place(panel))
        figure.update_yaxes(title_text=plotting.with_unit(quantity, unit) if place(panel)["col"] == 1 else "", **place(panel))
    how = (f"A point for each of {len(values):,} instances." if len(values) <= MOST_POINTS else
           f"{len(values):,} instances, counted in {_CELLS} x {_CELLS} cells (the darker, the more; white: none); the line "
           f"joins the medians of {_MEDIANS} parts of equal size. No single instance is on the page.")
    correlations = ", ".join(f"{address} {_correlation(result.parameters[address][counted], values)}"
                             for address in addresses)
    return plotting.captioned(figure, f"{quantity} against {len(addresses)} varied parameters. {how} Linear correlation: "
                              f"{correlations}.")


def _add_cells(figure: Any, graph: Any, column: numpy.ndarray, values: numpy.ndarray, place: dict[str, int]) -> None:
    counts, across, up = numpy.histogram2d(column, values, _CELLS)
    cells = [[int(count) if count else None for count in row] for row in counts.T]
    figure.add_trace(graph.Heatmap(
        x=plotting.numbers((across[:-1] + across[1:]) / 2), y=plotting.numbers((up[:-1] + up[1:]) / 2), z=cells,
        colorscale="Cividis", reversescale=True, showscale=False, hovertemplate="%{x}, %{y}: %{z} instances<extra></extra>"),
        **place)
    order = numpy.argsort(column, kind="stable")
    parts = numpy.array_split(order, _MEDIANS)
    figure.add_trace(graph.Scatter(x=plotting.numbers([numpy.median(column[part]) for part in parts]),
                                   y=plotting.numbers([numpy.median(values[part]) for part in parts]), mode="lines",
                                   showlegend=False, line={"color": plotting.VERMILLION, "width": 2}), **place)


def _correlation(column: numpy.ndarray, values: numpy.ndarray) -> str:
    if len(values) < 2 or not numpy.ptp(column) or not numpy.ptp(values):
        return "undefined"
    return f"{numpy.corrcoef(column, values)[0, 1]:.2f}"


def convergence(result: "Result", quantity: str, **statistic: Any) -> Any:
    """How the mean of a quantity settles with the number of instances, with its interval. `statistic` as of
    Result.convergence: quantile=0.95, above=..., sizes=..., confidence=..."""
    plotting.known(result, result.quantities, "quantities", quantity)
    graph = plotting.graph_objects()
    found = result.convergence(quantity, **statistic)
    sizes = found.instances.tolist()
    figure = graph.Figure()
    for edge, fill in ((found.high, None), (found.low, "tonexty")):
        figure.add_trace(graph.Scatter(x=sizes, y=plotting.numbers(edge), mode="lines", fill=fill, showlegend=fill is not None,
                                       fillcolor=plotting.OUTER_BAND, line={"color": plotting.BLUE, "width": 0.8, "dash": "dot"},
                                       name=f"interval at {100 * found.confidence:g} %"))
    figure.add_trace(graph.Scatter(x=sizes, y=plotting.numbers(found.value), mode="lines+markers", name=found.statistic,
                                   line={"color": plotting.BLACK, "width": 1.5}, marker={"size": 4}))
    plotting.finished(figure, 320)
    figure.update_xaxes(type="log", title_text="instances", dtick=1)
    figure.update_yaxes(title_text=plotting.with_unit(f"{found.statistic} of {quantity}", found.unit))
    width = found.half_width[numpy.isfinite(found.half_width)]
    narrowed = f" Half the width of the interval went from {number(width[0])} to {number(width[-1])}." if len(width) else \
        " The design has no intervals."
    return plotting.captioned(figure, f"The {found.statistic} of {quantity} over the first {sizes[0]:,} to all {sizes[-1]:,} "
                              f"instances, at {len(sizes)} looks; the last is {number(found.value[-1])}.{narrowed}")
