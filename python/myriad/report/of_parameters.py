"""What varied parameters have to do with it: shares of a quantity's variance, and where in their space instances failed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Sequence, Union

import numpy

from ..errors import InputError, unknown_name
from ..uncertainty import Sensitivities, given_data
from . import plotting

if TYPE_CHECKING:
    from ..result import Result

_MOST_BARS = 12
_MOST_PANELS = 6
_PARTS = 20
# The indices of each method, with their labels; the first ranks the parameters.
_INDICES = {"ST": "total (ST)", "S1": "first order (S1)", "first_order": "first order", "mu_star": "mu* of Morris"}


def sensitivity_bars(source: Union["Result", Sensitivities], quantities: Union[str, Sequence[str], None] = None) -> Any:
    """Bars of what each varied parameter explains of quantities, with intervals; a panel for each quantity, at most 12
    parameters in each, the largest first.

    source      a result, whose indices are those of uncertainty.given_data; or what sobol(), morris() or given_data() gave
    """
    found = source if isinstance(source, Sensitivities) else given_data(source)
    names = [quantities] if isinstance(quantities, str) else list(quantities or found.indices)
    for name in names:
        if name not in found.indices:
            raise unknown_name("sensitivity_bars", "quantities", name, found.indices, "list(result.quantities)")
    graph = plotting.graph_objects()
    indices = [index for index in _INDICES if index in found.indices[names[0]]]
    bars = min(len(found.parameters), _MOST_BARS)
    figure, place = plotting.panels(len(names), names, columns=2, height=110 + 28 * bars * len(indices))
    says = []
    for panel, name in enumerate(names):
        values = found.indices[name]
        order = numpy.argsort(-numpy.nan_to_num(values[indices[0]], nan=-1.0), kind="stable")[:_MOST_BARS]
        for index, colour, pattern in zip(indices, (plotting.BLUE, plotting.ORANGE), ("", "/")):
            low, high = _interval(values, index)
            figure.add_trace(graph.Bar(
                y=[plotting.text(found.parameters[i]) for i in order], x=plotting.numbers(values[index][order]),
                orientation="h", name=_INDICES[index], showlegend=panel == 0 and len(indices) > 1,
                marker={"color": colour, "pattern": {"shape": pattern}},
                error_x={"type": "data", "symmetric": False, "array": numpy.nan_to_num(high - values[index])[order].tolist(),
                         "arrayminus": numpy.nan_to_num(values[index] - low)[order].tolist(), "color": plotting.BLACK}),
                **place(panel))
        says.append(f"{name}: " + ", ".join(f"{found.parameters[i]} {plotting.number(values[indices[0]][i])}" for i in order))
    figure.update_layout(barmode="group", bargap=0.35)
    figure.update_yaxes(autorange="reversed")
    figure.update_xaxes(rangemode="tozero")
    caption = f"{_INDICES[indices[0]]} of each parameter ({found.meaning}). " + "; ".join(says) + "."
    if len(found.parameters) > bars:
        caption += f" The {len(found.parameters) - bars} smallest are left out."
    return plotting.captioned(figure, caption)


def _interval(values: dict[str, numpy.ndarray], index: str) -> tuple[numpy.ndarray, numpy.ndarray]:
    if f"{index}_low" in values:
        return values[f"{index}_low"], values[f"{index}_high"]
    half = values.get(f"{index}_conf", numpy.nan)
    return values[index] - half, values[index] + half


def failures(result: "Result", parameters: Optional[Sequence[str]] = None) -> Any:
    """The share of failed instances over each of the varied parameters, in 20 parts of equal size; without `parameters` those
    six whose distributions differ most between failed instances and others. InputError where none failed."""
    graph = plotting.graph_objects()
    failed = ~result.ok
    if not failed.any():
        raise InputError(result.path, "no instance failed", "there is nothing to draw")
    ranked = separation(result)
    if not ranked:
        raise InputError(result.path, "it has no varied parameters", "let the study vary some")
    names = list(parameters) if parameters is not None else [name for name, *_ in ranked[:_MOST_PANELS]]
    for name in names:
        plotting.known(result, result.parameters, "parameters", name)
    figure, place = plotting.panels(len(names), [""] * len(names), height=280)
    for panel, name in enumerate(names):
        column = result.parameters[name]
        parts = numpy.array_split(numpy.argsort(column, kind="stable"), min(_PARTS, len(column)))
        edges = numpy.array([column[part[0]] for part in parts] + [column[parts[-1][-1]]])
        figure.add_trace(graph.Bar(x=plotting.numbers((edges[:-1] + edges[1:]) / 2),
                                   y=plotting.numbers([failed[part].mean() for part in parts]),
                                   width=plotting.numbers(numpy.diff(edges)), showlegend=False,
                                   marker={"color": plotting.VERMILLION, "line": {"color": "white", "width": 0.5}}),
                         **place(panel))
        figure.update_xaxes(title_text=plotting.with_unit(name, result.parameters.unit(name)), **place(panel))
        figure.update_yaxes(title_text="share that failed" if place(panel)["col"] == 1 else "", rangemode="tozero",
                            **place(panel))
    distances = {name: distance for name, distance, *_ in ranked}
    caption = (f"{int(failed.sum()):,} of {len(failed):,} instances failed. Share of failed instances over parameters, in "
               f"{_PARTS} parts of equal size; distance between the distributions of failed instances and others: " +
               ", ".join(f"{name} {distances[name]:.2f}" for name in names) + ".")
    if len(names) < len(ranked):
        caption += f" {len(ranked) - len(names)} more parameters are not drawn."
    return plotting.captioned(figure, caption)


def separation(result: "Result") -> list[tuple[str, float, float, float]]:
    """Of each varied parameter: address, largest difference between the distribution functions of failed instances and of
    others (Kolmogorov and Smirnov; 1: a value of it separates them), smallest and largest value that failed. The largest
    difference first; empty where none failed."""
    ok = result.ok
    if ok.all():
        return []
    found = []
    for name in result.parameters:
        column = result.parameters[name]
        failed, others = numpy.sort(column[~ok]), numpy.sort(column[ok])
        distance = 0.0
        if len(others):
            at = numpy.concatenate([failed, others])
            distance = float(numpy.abs(numpy.searchsorted(failed, at, side="right") / len(failed) -
                                       numpy.searchsorted(others, at, side="right") / len(others)).max())
        found.append((name, distance, float(failed[0]), float(failed[-1])))
    return sorted(found, key=lambda one: -one[1])
