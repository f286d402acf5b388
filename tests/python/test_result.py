"""Results as NumPy, pandas and xarray: the file's values with their units, read when asked for."""

import gc
import os
import pickle

import h5py
import numpy
import pytest

import myriad
from conftest import STUDIES, TOPS, datasets_of


@pytest.fixture
def result(tmp_path):
    study = myriad.Study(STUDIES / "double_pendulum.json", instances=40).replace({"integrator.end_s": 0.5})
    return study.run(tmp_path / "r.h5", progress=False)


def test_every_dataset_is_what_h5py_reads(result):
    with h5py.File(result.path) as file:
        for path in result.datasets:
            ours, theirs = result.read(path), file[path][()]
            if ours.dtype == object:
                assert ours.shape == theirs.shape and [text.encode() for text in ours.flat] == list(theirs.flat)
            else:
                assert ours.dtype == theirs.dtype and numpy.array_equal(ours, theirs, equal_nan=True), path


def test_groups_have_the_names_shapes_and_units_of_the_study(result):
    assert set(result.quantities) == {"final_z_m", "reach_m", "highest_tip_m", "largest_shoulder_force_N",
                                      "elbow_turns_over_s", "energy_J"}
    assert result.quantities.unit("largest_shoulder_force_N") == "N"
    assert result.trajectories["tip"].shape == (40, 6, 3) and result.trajectories.shape("tip") == (40, 6, 3)
    assert "time" not in result.trajectories and result.time_s == pytest.approx(numpy.arange(6) * 0.1)
    assert result.final_state["orientation"].shape == (40, 2, 4)
    assert result.certificate["steps"].dtype.kind == "i" and (result.certificate["steps"] == 500).all()
    assert result.ok.all() and result.failed == 0 and set(result.status) == {"ok"}


def test_rows_are_read_alone(result):
    whole = result.trajectories["tip"]

    assert numpy.array_equal(result.trajectories.read("tip", 7, 5), whole[7:12])
    with pytest.raises(myriad.InputError, match="rows 39 to 41"):
        result.trajectories.read("tip", 39, 2)


def test_unknown_names_are_refused_with_the_nearest(result):
    for ask in (lambda: result.quantities["reach"], lambda: result.trajectories["tipp"], lambda: result.read("/instance/i")):
        with pytest.raises(KeyError, match="did you mean") as refused:
            ask()
        assert isinstance(refused.value, myriad.UnknownName)


def test_arrays_outlive_their_file(result):
    values = result.quantities["reach_m"]
    expected = values.copy()
    result.close()
    del result
    gc.collect()

    assert numpy.array_equal(values, expected)


def test_a_closed_result_says_so(result):
    result.close()
    with pytest.raises(ValueError, match="closed"):
        result.quantities["reach_m"]


def test_a_run_without_a_path_leaves_nothing_behind():
    result = myriad.Study(TOPS).run(progress=False)
    folder = os.path.dirname(result.path)
    assert os.path.exists(result.path)

    del result
    gc.collect()

    assert not os.path.exists(folder)


def test_statistics_are_those_of_the_values(result):
    names = list(result.statistics["quantity"])
    row = names.index("reach_m")
    values = result.quantities["reach_m"]

    # Sums of 40 numbers of like size in another order.
    assert result.statistics["mean"][row] == pytest.approx(values.mean(), rel=1e-14)
    assert result.statistics["max"][row] == values.max()
    assert "reach_m [m]" in result.summary() and "40 instances" in result.summary()


def test_pandas_has_one_row_for_each_instance(result):
    pytest.importorskip("pandas")

    frame = result.to_pandas()

    assert list(frame.index) == list(range(40)) and frame.index.name == "instance"
    assert set(frame.columns) == {"status", *result.parameters, *result.quantities}
    assert numpy.array_equal(frame["reach_m"], result.quantities["reach_m"])
    assert frame.attrs["units"]["reach_m"] == "m" and (frame["status"] == "ok").all()


def test_pandas_keeps_apart_a_parameter_and_a_quantity_of_one_name():
    pytest.importorskip("pandas")
    study = myriad.Study(TOPS, quantities={"mass_kg": {"max": "tilt"}})

    frame = study.run(progress=False).to_pandas()

    assert {"mass_kg", "quantities.mass_kg"} <= set(frame.columns)


def test_xarray_has_instances_times_components_and_units(result):
    pytest.importorskip("xarray")

    data = result.to_xarray()

    assert data["tip"].dims == ("instance", "time", "component")
    assert list(data["component"].values) == ["x", "y", "z"] and data["tip"].attrs["unit"] == "m"
    assert data["reach_m"].dims == ("instance",) and data["reach_m"].attrs["unit"] == "m"
    assert numpy.array_equal(data["tip"].sel(component="z", time=0.5, method=None).values
                             if 0.5 in data["time"].values else data["tip"][:, -1, 2].values,
                             result.trajectories["tip"][:, -1, 2])
    assert data["position.lower_rod.z"].dims == ("instance", "time")


def test_xarray_names_bodies_and_the_components_of_quaternions():
    pytest.importorskip("xarray")
    study = myriad.Study(STUDIES / "double_pendulum.json", instances=3, observe={
        "every_s": 0.1, "channels": ["position", "orientation"]}).replace({"integrator.end_s": 0.2})

    data = study.run(progress=False).to_xarray()

    assert data["position"].dims == ("instance", "time", "body", "component")
    assert list(data["body"].values) == ["upper_rod", "lower_rod"]
    assert data["orientation"].dims == ("instance", "time", "body", "component_of_orientation")
    assert list(data["component_of_orientation"].values) == ["w", "x", "y", "z"]


def test_xarray_of_adaptive_methods_has_the_times_of_the_rows():
    pytest.importorskip("xarray")
    study = myriad.Study(TOPS, integrator={"name": "dopri5", "relative_tolerance": 1e-6, "absolute_tolerance": 1e-8,
                                           "end_s": 0.05}, observe={"every_s": 0.01, "channels": ["position"]})

    data = study.run(progress=False).to_xarray()

    assert data["position"].dims[:2] == ("instance", "time") and data.sizes["time"] == 6


def test_xarray_writes_a_file_of_netcdf(tmp_path, result):
    xarray, _ = pytest.importorskip("xarray"), pytest.importorskip("netCDF4")
    data = result.to_xarray()
    data.to_netcdf(tmp_path / "r.nc")

    with xarray.open_dataset(tmp_path / "r.nc") as read:
        assert numpy.array_equal(read["reach_m"], result.quantities["reach_m"])


def test_a_result_travels_to_other_processes_by_its_path(result):
    again = pickle.loads(pickle.dumps(result))

    assert numpy.array_equal(again.quantities["reach_m"], result.quantities["reach_m"])


@pytest.mark.parametrize("content", [b"", b"no HDF5", b"\x89HDF\r\n\x1a\n" + bytes(100)])
def test_files_that_are_no_results_are_refused(tmp_path, content):
    path = tmp_path / "bad.h5"
    path.write_bytes(content)
    with pytest.raises(myriad.InputError, match="bad.h5"):
        myriad.open(path)
    with pytest.raises(myriad.InputError, match="no such file"):
        myriad.open(tmp_path / "nowhere.h5")


def test_a_damaged_file_is_refused_and_kills_nobody(tmp_path, result):
    data = bytearray(open(result.path, "rb").read())
    generator = numpy.random.default_rng(11)
    refused = 0
    for _ in range(20):
        damaged = bytearray(data)
        for place in generator.integers(0, 4000, 30):
            damaged[place] ^= int(generator.integers(1, 256))
        (tmp_path / "damaged.h5").write_bytes(damaged)
        try:
            read = myriad.open(tmp_path / "damaged.h5")
            for path in read.datasets:
                read.read(path)
        except myriad.InputError:
            refused += 1

    assert refused > 0


def test_files_of_shards_are_merged(tmp_path, tops):
    parts = []
    for k in range(3):
        parts.append(tops.run(tmp_path / f"{k}.h5", shard=(k, 3), progress=False).path)
    tops.run(tmp_path / "whole.h5", progress=False)

    for link in (False, True):
        myriad.merge(reversed(parts), tmp_path / "r.h5", link=link, overwrite=link)
        assert datasets_of(tmp_path / "r.h5")[0] == datasets_of(tmp_path / "whole.h5")[0]
    with pytest.raises(myriad.InputError, match="instances 33 to 65 are in no part"):
        myriad.merge([parts[0], parts[2]], tmp_path / "s.h5")


def test_eigenfrequencies_stand_in_results_tables_and_ensembles_with_the_same_bits():
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


def test_eigenfrequencies_are_asked_for_by_a_keyword_and_refused_by_name():
    study = myriad.Study(STUDIES / "double_pendulum.json", instances=5, start="equilibrium",
                         quantities={"second_rad_s": {"eigenfrequency_rad_s": 2}})
    assert numpy.all(numpy.isfinite(study.run(progress=False).quantities["second_rad_s"]))
    with pytest.raises(myriad.InputError, match="there is no mode 3"):
        myriad.Study(STUDIES / "double_pendulum.json", start="equilibrium",
                     quantities={"third_Hz": {"eigenfrequency_Hz": 3}})
