"""What all plots of the report share: colours, captions, labels.

Colours are those of Okabe and Ito, which people with any colour vision tell apart; what a colour says is also said by a
marker, a dash or a place, so that a print in grey says it, too. A figure's text alternative is its `layout.meta["caption"]`.
"""

from __future__ import annotations

import json
import html
from typing import TYPE_CHECKING, Any, Optional, Sequence

import numpy

from ..errors import InputError, unknown_name

if TYPE_CHECKING:
    from ..result import Datasets, Result

BLUE, ORANGE, VERMILLION, GREEN, BLACK = "#0072B2", "#E69F00", "#D55E00", "#009E73", "#000000"
# Of the inner and the outer band of a fan, and of intervals.
INNER_BAND, OUTER_BAND = "rgba(0, 114, 178, 0.38)", "rgba(0, 114, 178, 0.16)"


def graph_objects() -> Any:
    """plotly's figures, which only plots need."""
    try:
        import plotly.graph_objects as graph
    except ImportError:
        raise InputError("plotly", "the plots are made with it, and it is not installed",
                         "`pip install plotly`, or the package python3-plotly of Debian") from None
    return graph


def panels(count: int, titles: Sequence[str], *, columns: int = 3, height: int = 300, shared_y: bool = False) -> Any:
    """A figure of `count` panels, row by row, and the function from a panel's number to its row and column."""
    graph_objects()
    from plotly.subplots import make_subplots

    columns = min(columns, count)
    rows = -(-count // columns)
    figure = make_subplots(rows, columns, subplot_titles=[text(title) for title in titles], shared_yaxes=shared_y,
                           vertical_spacing=min(0.5 / rows, 120 / (rows * height)) if rows > 1 else None,
                           horizontal_spacing=0.09 if columns > 1 else None)
    figure.update_annotations(font_size=13)
    return finished(figure, rows * height), lambda panel: {"row": panel // columns + 1, "col": panel % columns + 1}


def finished(figure: Any, height: int = 380) -> Any:
    """The common look of all figures."""
    figure.update_layout(template="none", height=height, margin={"l": 70, "r": 20, "t": 40, "b": 50}, bargap=0.0,
                         font={"family": "sans-serif", "size": 12, "color": "#222"}, paper_bgcolor="white",
                         plot_bgcolor="white", legend={"orientation": "h", "y": -0.2},
                         hoverlabel={"font": {"size": 12}})
    figure.update_xaxes(gridcolor="#e3e3e3", zeroline=False, automargin=True, ticks="outside", tickcolor="#888")
    figure.update_yaxes(gridcolor="#e3e3e3", zeroline=False, automargin=True)
    return figure


def captioned(figure: Any, caption: str) -> Any:
    """The figure with its text alternative."""
    figure.update_layout(meta={"caption": caption})
    return figure


def text(name: str) -> str:
    """A name as a label: plotly reads tags in labels."""
    return html.escape(str(name), quote=False)


def with_unit(name: str, unit: str) -> str:
    return text(f"{name} [{unit}]" if unit not in ("", "1") else name)


def number(value: float) -> str:
    """A number in a text."""
    return f"{value:.5g}" if numpy.isfinite(value) else "no value"


def numbers(values: Any) -> list:
    """Numbers of an array for a figure: six digits are more than a screen shows."""
    values = numpy.asarray(values, dtype=numpy.float64)
    return [float(f"{value:.6g}") if numpy.isfinite(value) else None for value in values.ravel()]


def known(result: "Result", group: "Datasets", kind: str, name: str) -> str:
    """`name`, which must be one of the group."""
    if name not in group:
        raise unknown_name(result.path, kind, name, group, f"list(result.{kind})")
    return name


def interval_name(result: "Result") -> str:
    """ "95 % interval", or as the study has it."""
    confidence = (json.loads(result.attributes["study"]).get("statistics") or {}).get("confidence", 0.95)
    return f"{100 * confidence:g} % interval"


def statistics_of(result: "Result", quantity: str) -> Optional[dict[str, Any]]:
    """Row of a quantity in the statistics of the result file: count, mean, mean_low, quantile [probability],
    first_order [parameter], ..., with the names of those axes, quantile_probability and parameter; None where the file
    has none. Quantiles are empty where no quantity has a value, because the file has none then."""
    if "quantity" not in result.statistics:
        return None
    row = list(result.statistics["quantity"]).index(quantity)
    found: dict[str, Any] = {name: numpy.empty(0)
                             for name in ("quantile_probability", "quantile", "quantile_low", "quantile_high")}
    for name in result.statistics:
        values = result.statistics[name]
        has_rows = name == "quantity" or result._file.dimensions(f"/statistics/{name}")[0][0] == "quantity"
        found[name] = values[row] if has_rows else values
    return found
