"""Datasets to train on: a result's trajectories and parameters on disk, split and in shards, and instances that are simulated
while a model trains.

    import myriad
    myriad.datasets.write(result, "swings", channels=["tip"], fractions=(0.8, 0.1, 0.1))
    training = myriad.datasets.Samples("swings", "train", normalise=True)       # a PyTorch Dataset
    endless = myriad.datasets.Simulated(study, batch=256)                       # a PyTorch IterableDataset

write       a result into a folder: shards, index.json with checksums, normalisation, split and provenance
read_index  that index, checked; check=True compares every file with its checksum
part_of     which part an instance belongs to, by its number and the seed of the split alone
Samples     one part of such a folder, mapped into memory; in workers that are forked or spawned
Simulated   fresh instances of a study, chunk after chunk, none twice

Only Samples and Simulated need PyTorch; it is imported when one of them is used.
"""

from typing import Any

from .index import INDEX, read_index
from .split import PARTS, part_of
from .writing import write

__all__ = ["INDEX", "PARTS", "Samples", "Simulated", "part_of", "read_index", "write"]


def __getattr__(name: str) -> Any:
    if name in ("Samples", "Simulated"):
        try:
            from . import training
        except ModuleNotFoundError as error:
            if error.name != "torch":
                raise
            raise ImportError(f"myriad.datasets.{name} needs PyTorch, which is not installed here: pip install torch",
                              name="torch") from None
        return getattr(training, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
