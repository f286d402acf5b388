"""Results of an earlier build (tests/results/earlier/README.md) are read, estimated and merged."""

import lzma

import h5py
import numpy
import pytest

import myriad
from conftest import SOURCE


@pytest.fixture
def unpacked(tmp_path):
    def path_of(name):
        path = tmp_path / f"{name}.h5"
        path.write_bytes(lzma.decompress((SOURCE / "tests" / "results" / "earlier" / f"{name}.h5.xz").read_bytes()))
        return path

    return path_of


@pytest.mark.parametrize("name", ["body_coordinates", "heavy_top", "failures", "solve_precision"])
def test_estimates_are_those_that_the_file_holds(unpacked, name):
    with myriad.open(unpacked(name)) as result:
        assert result.attributes["program_commit"] == "024317e0f033"
        for k, quantity in enumerate(result.statistics["quantity"]):
            mean = result.mean(quantity, confidence=0.95)
            stored = [float(result.statistics[of][k]) for of in ("mean", "mean_low", "mean_high")]
            # Roundings of sums over at most 16 instances.
            numpy.testing.assert_allclose([mean.value, mean.low, mean.high], stored, rtol=1e-12)


def test_failures_have_their_statuses(unpacked):
    with myriad.open(unpacked("failures")) as result:
        assert result.ok.sum() == 8
        assert sorted(set(result.status)) == ["newton_stalled", "ok"]


def test_parts_are_merged(unpacked, tmp_path):
    parts = [unpacked("solve_precision_0"), unpacked("solve_precision_1")]
    with myriad.merge(parts, tmp_path / "merged.h5") as merged, h5py.File(unpacked("solve_precision")) as whole:
        assert merged.instances == 8
        numpy.testing.assert_array_equal(merged.quantities["lowest_m"], whole["quantities/lowest_m"])
        numpy.testing.assert_array_equal(merged.statistics["mean"], whole["statistics/mean"])


def test_only_their_own_build_extends_them(unpacked):
    path = unpacked("heavy_top")
    before = path.read_bytes()
    with myriad.open(path) as result, pytest.raises(myriad.InputError, match="another build, myriad 0.2.0-024317e0f033"):
        result.extend(32)
    assert path.read_bytes() == before
