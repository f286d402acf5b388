"""Runs study.json and draws a histogram of each quantity, study.svg. Needs matplotlib: pip install matplotlib

The shares say how much of the variance each parameter explains alone. If two intervals overlap, more instances decide.
"""
from pathlib import Path

import matplotlib.pyplot as plt
import myriad

study = Path(__file__).with_name("study.json")
result = myriad.Study(study).run()
importance = myriad.uncertainty.given_data(result)

figure, plots = plt.subplots(len(result.quantities), squeeze=False, layout="constrained")
for plot, (name, values) in zip(plots[:, 0], result.quantities.items()):
    plot.hist(values[result.ok], bins=25)
    plot.set(xlabel=name, ylabel="instances")
    print(f"\n{name}: mean {values[result.ok].mean():.6g}, standard deviation {values[result.ok].std():.2g}")
    shares = importance.indices[name]
    for parameter, *share in zip(
        importance.parameters, shares["first_order"], shares["first_order_low"], shares["first_order_high"]
    ):
        print("  {:4.0%} ({:.0%} to {:.0%}) of the variance: {}".format(*share, parameter))
figure.set_size_inches(6, 2.2 * len(result.quantities))
figure.savefig(study.with_suffix(".svg"))
