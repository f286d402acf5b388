"""Eigenfrequencies of instances as quantities: in results, tables and ensembles in memory, with the same bits."""

import numpy
import pytest

import myriad
from conftest import STUDIES


def test_stand_in_results_tables_and_ensembles_with_the_same_bits():
    study = myriad.Study(STUDIES / "double_pendulum_frequencies.json", instances=100)
    assert study.quantities["first_Hz"] == {"unit": "Hz", "channel": "mode 1"}

    result = study.run(progress=False)

    first, second = result.quantities["first_Hz"], result.quantities["second_Hz"]
    assert first.shape == (100,) and numpy.all(first < second)
    ensemble = study.start()
    assert not ensemble.advance()
    assert numpy.array_equal(ensemble.quantities["first_Hz"], first)
    ensemble.parameters["parameters.upper_length_m"] = 4.5
    assert numpy.all(ensemble.quantities["first_Hz"] < second)
    assert not numpy.array_equal(ensemble.quantities["first_Hz"], first)
    pandas = pytest.importorskip("pandas")
    table = result.to_pandas()
    assert isinstance(table, pandas.DataFrame)
    assert numpy.array_equal(table["second_Hz"].to_numpy(), second)


def test_are_asked_for_by_a_keyword_and_refused_by_name():
    study = myriad.Study(STUDIES / "double_pendulum.json", instances=5, start="equilibrium",
                         quantities={"second_rad_s": {"eigenfrequency_rad_s": 2}})
    assert numpy.all(numpy.isfinite(study.run(progress=False).quantities["second_rad_s"]))
    with pytest.raises(myriad.InputError, match="there is no mode 3"):
        myriad.Study(STUDIES / "double_pendulum.json", start="equilibrium",
                     quantities={"third_Hz": {"eigenfrequency_Hz": 3}})
