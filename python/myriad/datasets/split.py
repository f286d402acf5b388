"""The split of a dataset: which part an instance belongs to, by its number and the seed of the split alone."""

from __future__ import annotations

import math
from typing import Sequence, Union

import numpy

from ..errors import InputError

PARTS = ("train", "validation", "test")
SPLIT_RULE = ("output number `id` (from 0) of the generator SplitMix64 with `seed`, divided by 2^64: below the share of train "
              "in train, below those of train and validation together in validation, else in test")


def part_of(id: Union[int, Sequence[int], numpy.ndarray], fractions: Sequence[float] = (0.8, 0.1, 0.1),
            split_seed: int = 0) -> numpy.ndarray:
    """The part of each instance: int8 [instance], a place in PARTS. It depends on the instance's number in its study, the
    fractions and the seed alone, so it stays as it is when the study is extended. Raises InputError for fractions that do not
    sum to 1."""
    edges = numpy.cumsum(shares_of(fractions))
    # The last part that has a share takes what rounding of the sum leaves.
    edges[numpy.flatnonzero(numpy.diff(edges, prepend=0.0) > 0)[-1]:] = math.inf
    drawn = _split_mix(numpy.asarray(id, dtype=numpy.int64).reshape(-1), split_seed)
    # 53 bits are what a double holds.
    place = (drawn >> numpy.uint64(11)).astype(numpy.float64) * 2.0**-53
    return numpy.searchsorted(edges, place, side="right").astype(numpy.int8)


def _split_mix(numbers: numpy.ndarray, seed: int) -> numpy.ndarray:
    """uint64: the outputs of SplitMix64 with these numbers, counted from 0."""
    if not isinstance(seed, (int, numpy.integer)) or not 0 <= seed < 2**64:
        raise InputError(f"split_seed={seed}", "this is no seed", "give a whole number from 0 to 2^64 - 1")
    word = numpy.uint64
    mixed = (numbers.astype(word) + word(1)) * word(0x9E3779B97F4A7C15) + word(seed)
    mixed = (mixed ^ (mixed >> word(30))) * word(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> word(27))) * word(0x94D049BB133111EB)
    return mixed ^ (mixed >> word(31))


def shares_of(fractions: Sequence[float]) -> list[float]:
    shares = [float(share) for share in fractions]
    remedy = "give three shares that sum to 1, of train, validation and test: (0.8, 0.1, 0.1)"
    if len(shares) != len(PARTS):
        raise InputError(f"fractions={fractions}", f"these are {len(shares)} shares", remedy)
    if not all(0 <= share <= 1 for share in shares) or not abs(sum(shares) - 1) <= 1e-9:
        raise InputError(f"fractions={fractions}", f"they sum to {sum(shares):.6g}" if all(
            0 <= share <= 1 for share in shares) else "a share lies outside 0 to 1", remedy)
    if not shares[0]:
        raise InputError(f"fractions={fractions}", "there is no training part, over which the normalisation is taken", remedy)
    return shares
