"""Tables of the page, as HTML, and the numbers behind them, as JSON."""

from __future__ import annotations

import html
import math
from collections import Counter
from typing import TYPE_CHECKING, Any, Optional, Sequence

import numpy

from . import plotting
from .of_parameters import separation
from .plotting import number

if TYPE_CHECKING:
    from ..result import Result

_MOST_FAILED = 10
# Attributes of a result that say what was run, in the order of the table.
_ABOUT = {"title": "title", "system": "system", "mechanism_title": "mechanism", "mechanism_source": "source of the mechanism",
          "study_file": "study", "integrator": "integrator", "chart": "chart", "coordinates": "coordinates",
          "precision": "precision", "seed": "seed", "program_version": "version of the program", "program_commit": "commit",
          "compiler": "compiler", "device": "device"}


def table(heads: Sequence[str], rows: Sequence[Sequence[Any]], caption: str = "") -> str:
    """Cells that are numbers stand to the right; the first of each row is its head."""
    head = "".join(f'<th scope="col">{html.escape(one)}</th>' for one in heads)
    body = "".join("<tr>" + "".join(_cell(cell, first=not position) for position, cell in enumerate(row)) + "</tr>\n"
                   for row in rows)
    said = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    return (f'<div class="scroll"><table>{said}' + (f"<thead><tr>{head}</tr></thead>" if any(heads) else "") +
            f"<tbody>\n{body}</tbody></table></div>")


def note(text: str) -> str:
    return f'<p class="note">{html.escape(text)}</p>'


def _cell(value: Any, first: bool) -> str:
    is_number = isinstance(value, (int, float, numpy.number))
    text = value if isinstance(value, str) else f"{value:,}" if isinstance(value, (int, numpy.integer)) else number(value)
    if first:
        return f'<th scope="row">{html.escape(text)}</th>'
    return f'<td{" class=" + chr(34) + "number" + chr(34) if is_number else ""}>{html.escape(text)}</td>'


def run(result: "Result") -> str:
    about = result.attributes
    rows: list[tuple[str, Any]] = [(label, str(about[name])) for name, label in _ABOUT.items()
                                   if about.get(name) not in ("", None)]
    of = int(about.get("study_instances", result.instances))
    rows.append(("instances", f"{result.instances:,}" + (f" of {of:,}" if of != result.instances else "") +
                 (f", {result.failed:,} failed" if result.failed else ", all ended ok")))
    varied = [(name, result.parameters.unit(name), str(result.parameters.attributes(name).get("description", "")))
              for name in result.parameters]
    return table(("", ""), rows) + (table(("varied parameter", "unit", "distribution"), varied) if varied else "")


def quantities(result: "Result") -> str:
    rows = []
    for name in result.quantities:
        row = plotting.statistics_of(result, name)
        if row is None:
            return note("The file has no statistics.")
        rows.append([f"{name} [{result.quantities.unit(name) or '1'}]", row["mean"],
                     _interval(row["mean_low"], row["mean_high"], row["mean_remark"]), row["standard_deviation"],
                     *row["quantile"], row["min"], row["max"], int(row["count"]), int(row["excluded"] + row["undefined"])])
    if not rows:
        return note("The study has no quantities.")
    row = plotting.statistics_of(result, next(iter(result.quantities)))
    assert row is not None
    heads = ["quantity", "mean", plotting.interval_name(result), "standard deviation",
             *(f"{100 * one:g} %" for one in row["quantile_probability"]), "smallest", "largest", "instances", "left out"]
    return table(heads, rows, "Over the instances that ended ok and have a value; those left out failed or have none.")


def _interval(low: float, high: float, remark: str) -> str:
    text = f"{low:.6g} to {high:.6g}" if math.isfinite(low) else "none"
    return text + (f" ({remark})" if remark else "")


def failures(result: "Result") -> str:
    counts = Counter(result.status.tolist())
    text = table(("status", "instances", "share"), [(name, count, f"{100 * count / result.instances:.3g} %")
                                                    for name, count in counts.most_common()])
    if not result.failed:
        return text
    ranked = separation(result)
    if ranked:
        text += table(("varied parameter", "distance", "smallest that failed", "largest that failed"), ranked,
                      "Where the failed ones lie: the distance between the distribution functions of failed instances and "
                      "of others is 0 where they are the same, 1 where a value of the parameter separates them.")
    rows = numpy.flatnonzero(~result.ok)[:_MOST_FAILED]
    failed_at = result.read("/instance/failed_time_s")
    return text + table(("instance", "status", "last good state [s]"),
                        [(str(result.id[row]), str(result.status[row]), float(failed_at[row])) for row in rows],
                        f"The first {len(rows)} of {result.failed:,}; `myriad replay` runs one again.")


def certificate(result: "Result") -> str:
    rows = []
    ok = result.ok
    for name, values in ((name, result.certificate[name]) for name in result.certificate):
        if ok.any():
            values = numpy.where(ok, values.astype(numpy.float64), -numpy.inf)
            worst = int(values.argmax())
            median, most = numpy.quantile(values[ok], (0.5, 0.99))
            rows.append([f"{name} [{result.certificate.unit(name) or '1'}]", float(median), float(most), float(values[worst]),
                         str(result.id[worst]), str(result.certificate.attributes(name).get("description", ""))])
    if not rows:
        return note("The result has no certificate, or no instance ended ok.")
    text = table(("monitor", "median", "99 %", "largest", "of instance", "meaning"), rows,
                 "What the program watched of every instance that ended ok: drift of kept numbers, residuals, steps.")
    return text + (table(("warning",), [(warning,) for warning in result.warnings]) if result.warnings else "")


def throughput(result: "Result") -> str:
    found = _throughput(result)
    if not found:
        return note("The file does not say how long the run took.")
    return table(("", ""), [(name.replace("_", " "), value) for name, value in found.items()] +
                 [("device", str(result.attributes.get("device", "")))],
                 "Over the whole run, with its results on the disk, as the file says.")


def _throughput(result: "Result") -> dict[str, float]:
    wall = result.attributes.get("wall_time_s")
    if not wall:
        return {}
    found = {"wall time, s": float(wall), "instances per second": result.instances / float(wall)}
    if "steps" in result.certificate:
        found["steps of instances per second"] = float(result.certificate["steps"].sum()) / float(wall)
    return found


def _plain(value: Any) -> Any:
    """Of NumPy as of JSON; null of what is no finite number."""
    if isinstance(value, numpy.ndarray):
        return [_plain(one) for one in value]
    if isinstance(value, (float, numpy.floating)):
        return float(value) if math.isfinite(value) else None
    return value.item() if isinstance(value, numpy.generic) else value


def numbers(result: "Result") -> dict[str, Any]:
    """What the tables show, with all digits."""
    found: dict[str, Optional[dict[str, Any]]] = {name: plotting.statistics_of(result, name) for name in result.quantities}
    return {"instances": result.instances, "failed": result.failed, "status": dict(Counter(result.status.tolist())),
            "quantities": {name: None if row is None else {key: _plain(value) for key, value in row.items()}
                           for name, row in found.items()},
            "separation": [list(one) for one in separation(result)],
            "throughput": _throughput(result)}
