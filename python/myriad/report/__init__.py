"""A page about a result that works offline, and its plots one by one.

write(result, "page.html")      one page: what was run, quantities, distributions, fan charts, sensitivity, scatter,
                                convergence, failures, certificate, throughput, and an animation; also result.report(path)
show(mechanism, "page.html")    one page with the mechanism as its file describes it
histogram, scatter, convergence(result, quantity), fan_chart(result, channel), sensitivity_bars(result), failures(result)
                                the plots of the page, as figures of plotly; `figure.layout.meta["caption"]` says in words
                                what a figure shows and what was left out of it

On the command line: `myriad report RESULT.h5 --html page.html`, `myriad show mechanism.json --html page.html`.
"""

from .of_parameters import failures, sensitivity_bars
from .of_quantities import convergence, histogram, scatter
from .of_time import fan_chart
from .page import write
from .show import show

__all__ = ["convergence", "failures", "fan_chart", "histogram", "scatter", "sensitivity_bars", "show", "write"]
