"""Means, spreads and ends of columns that come block by block."""

from __future__ import annotations

from typing import Any

import numpy


class Moments:
    """Count, mean, sum of squared distances from it, least and largest of each column, over its finite values.

    Blocks are put together by n = n_a + n_b, d = mean_b - mean_a, mean = mean_a + d n_b / n,
    S = S_a + S_b + d^2 n_a n_b / n, which loses no digits to a large mean.
    """

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._shape = shape
        width = int(numpy.prod(shape))
        self._count, self._mean, self._squares = numpy.zeros(width), numpy.zeros(width), numpy.zeros(width)
        self._low, self._high = numpy.full(width, numpy.inf), numpy.full(width, -numpy.inf)

    def add(self, values: numpy.ndarray) -> None:
        """Rows [..., *shape]."""
        if not values.size:
            return
        # [column, row]: NumPy reduces a contiguous axis several times as fast.
        rows = numpy.ascontiguousarray(values.reshape(-1, len(self._mean)).T)
        finite = numpy.isfinite(rows)
        whole = bool(finite.all())
        count = numpy.full(len(rows), float(rows.shape[1])) if whole else finite.sum(axis=1).astype(float)
        kept = rows if whole else numpy.where(finite, rows, 0.0)
        mean = kept.sum(axis=1) / numpy.maximum(count, 1.0)
        away = kept - mean[:, None]
        squares = numpy.square(away if whole else away * finite).sum(axis=1)
        total = numpy.maximum(self._count + count, 1.0)
        distance = mean - self._mean
        self._mean += distance * count / total
        self._squares += squares + numpy.square(distance) * self._count * count / total
        self._count += count
        self._low = numpy.minimum(self._low, (rows if whole else numpy.where(finite, rows, numpy.inf)).min(axis=1))
        self._high = numpy.maximum(self._high, (rows if whole else numpy.where(finite, rows, -numpy.inf)).max(axis=1))

    def to_dict(self) -> dict[str, Any]:
        """Lists of `shape`; None where a column has no finite value. The standard deviation is that of all values
        (divided by their number)."""
        spread = numpy.sqrt(self._squares / numpy.maximum(self._count, 1.0))
        known = self._count > 0

        def listed(values: numpy.ndarray) -> Any:
            cells = numpy.where(known, values, 0.0).astype(object)
            cells[~known] = None
            return cells.reshape(self._shape).tolist()

        return {"count": self._count.astype(int).reshape(self._shape).tolist(), "mean": listed(self._mean),
                "standard_deviation": listed(spread), "min": listed(self._low), "max": listed(self._high)}
