"""Trains a network in place of a simulation: from the lengths of a double pendulum's rods to the path of its tip over two
seconds. Shows the error against instances that the network has never seen.

    PYTHONPATH=build/python python3 docs/examples/surrogate.py [--seconds 100 | --passes 100] [--instances 20000] [--folder NEW_FOLDER]

Needs PyTorch. The dataset stays in the folder where one is named.
"""

import argparse
import contextlib
import pathlib
import tempfile
import time

import torch
from torch.utils.data import BatchSampler, DataLoader, RandomSampler

import myriad

MECHANISM = pathlib.Path(__file__).resolve().parents[2] / "ensembles" / "mechanisms" / "double_pendulum.json"
STUDY = {
    "mechanism": str(MECHANISM),
    "integrator": {"name": "generalized_alpha", "step_s": 2e-3, "end_s": 2.0},
    "design": {"kind": "sobol", "seed": 1},
    "parameters": {"parameters.upper_length_m": {"uniform": {"low": 3.0, "high": 5.0}},
                   "parameters.lower_length_m": {"uniform": {"low": 1.0, "high": 3.0}}},
    "observe": {"every_s": 0.05, "channels": ["tip.y", "tip.z"]},
}
CHANNELS = ("tip.y", "tip.z")
BATCH, WIDTH = 256, 128
LEARNING_RATE = 3e-3


def outputs(batch):
    """[sample, channel * time]"""
    return torch.cat([batch["trajectories"][channel] for channel in CHANNELS], dim=1)


def train(folder, seconds, most_passes):
    """The network, after so many passes or, where that is None, as many as fit into the time; and how many there were."""
    samples = myriad.datasets.Samples(folder, "train", normalise=True)
    batches = DataLoader(samples, batch_size=None, sampler=BatchSampler(RandomSampler(samples), BATCH, False))
    first = samples[[0]]
    network = torch.nn.Sequential(
        torch.nn.Linear(first["parameters"].shape[1], WIDTH), torch.nn.Tanh(), torch.nn.Linear(WIDTH, WIDTH), torch.nn.Tanh(),
        torch.nn.Linear(WIDTH, WIDTH), torch.nn.Tanh(), torch.nn.Linear(WIDTH, outputs(first).shape[1]))
    optimiser = torch.optim.Adam(network.parameters(), lr=LEARNING_RATE)
    begin, passes = time.monotonic(), 0
    while (spent := passes / most_passes if most_passes else (time.monotonic() - begin) / seconds) < 1:
        for group in optimiser.param_groups:
            group["lr"] = LEARNING_RATE * (1.01 - spent)
        for batch in batches:
            optimiser.zero_grad()
            loss = torch.nn.functional.mse_loss(network(batch["parameters"]), outputs(batch))
            loss.backward()
            optimiser.step()
        passes += 1
    return network, passes


def held_out_errors(network, folder):
    """Root mean square of the error of the tip's coordinates over the test part, m, and as a share of their spread there; and
    the largest error, m."""
    samples = myriad.datasets.Samples(folder, "test", normalise=True)
    batch = samples[range(len(samples))]
    about = samples.index["normalisation"]
    rows = len(samples.time_s)
    scale = torch.cat([torch.full((rows,), about[f"trajectories/{channel}"]["standard_deviation"]) for channel in CHANNELS])
    with torch.no_grad():
        error = (network(batch["parameters"]) - outputs(batch)) * scale
    spread = (outputs(batch) * scale - (outputs(batch) * scale).mean(dim=0)).square().mean().sqrt()
    root_mean_square = error.square().mean().sqrt()
    return float(root_mean_square), float(root_mean_square / spread), float(error.abs().max()), len(samples)


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    options.add_argument("--seconds", type=float, default=100.0, help="of training")
    options.add_argument("--passes", type=int, help="over the training part, instead of a time: the same on any machine")
    options.add_argument("--instances", type=int, default=20000)
    options.add_argument("--folder", help="where the dataset is written; it must not be there yet")
    given = options.parse_args()
    torch.manual_seed(1)
    with contextlib.ExitStack() as kept:
        folder = given.folder or pathlib.Path(kept.enter_context(tempfile.TemporaryDirectory())) / "tips"
        begin = time.monotonic()
        result = myriad.Study(STUDY, instances=given.instances).run(progress=False)
        index = myriad.datasets.write(result, folder)
        print(f"{given.instances:,} instances simulated and written in {time.monotonic() - begin:.1f} s: " +
              ", ".join(f"{part['instances']:,} {name}" for name, part in index["parts"].items()))
        begin = time.monotonic()
        network, passes = train(folder, given.seconds, given.passes)
        error_m, share, largest_m, count = held_out_errors(network, folder)
        print(f"trained for {time.monotonic() - begin:.0f} s, {passes} passes")
        print(f"{count:,} held-out instances: error of the tip's path {error_m:.4f} m (root mean square), largest {largest_m:.3f} m")
        print(f"error as a share of their spread: {share:.4f}")


if __name__ == "__main__":
    main()
