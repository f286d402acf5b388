"""Datasets on disk: the result's bits, a split that stays, statistics of the training part, checksums, refusals."""

import io
import json
import subprocess
import sys
import tarfile
import tracemalloc

import h5py
import numpy
import pytest

import myriad
from conftest import SOME_FAIL, TOPS

PARTS = myriad.datasets.PARTS
# Sums of at most 1e4 numbers in another order: each addition loses at most half a unit in the last place, and the sums of
# squares twice as much, but rounding does not lean to one side.
SUMS_IN_ANOTHER_ORDER = 1e-13


def run_tops(path, instances, study=TOPS, **more):
    return myriad.Study({**study, **more, "instances": instances}).run(path, progress=False, too_many_failed="warn")


def fractions_for(instances):
    return (1, 0, 0) if instances == 1 else (0.6, 0.2, 0.2)


def part_arrays(folder, index, part, path):
    """A column of a part by NumPy alone."""
    return numpy.concatenate([numpy.load(folder / shard["path"] / f"{path}.npy") for shard in index["parts"][part]["shards"]])


@pytest.mark.parametrize("instances", [1, 31, 33, 1000])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_every_instance_is_in_one_part_with_the_bits_of_the_result(tmp_path, instances, dtype):
    result = run_tops(tmp_path / "r.h5", instances)
    index = myriad.datasets.write(result, tmp_path / "d", quantities=["largest_tilt_rad"], dtype=dtype, shard_MB=0.02,
                                  fractions=fractions_for(instances))
    found = []
    with h5py.File(result.path) as file:
        for part in index["parts"]:
            ids = part_arrays(tmp_path / "d", index, part, "id")
            found += ids.tolist()
            assert len(ids) == index["parts"][part]["instances"] > 0
            for channel in ("position", "energy"):
                written = part_arrays(tmp_path / "d", index, part, f"trajectories/{channel}")
                assert written.dtype == dtype
                assert written.tobytes() == file[f"trajectory/{channel}"][()][ids].astype(dtype).tobytes()
            for group, path, names in (("parameters", "parameters", index["columns"]["parameters"]["names"]),
                                       ("quantities", "quantities", ["largest_tilt_rad"])):
                expected = numpy.column_stack([file[f"{group}/{name}"][()][ids] for name in names]).astype(dtype)
                assert part_arrays(tmp_path / "d", index, part, path).tobytes() == expected.tobytes()
        assert index["time_s"] == file["trajectory/time"][()].tolist()
    assert sorted(found) == list(range(instances))
    assert index == json.loads((tmp_path / "d" / "index.json").read_text()) == myriad.datasets.read_index(tmp_path / "d",
                                                                                                         check=True)


@pytest.mark.parametrize("instances", [1, 31, 33, 1000])
def test_the_normalisation_is_that_of_the_training_part(tmp_path, instances):
    result = run_tops(tmp_path / "r.h5", instances)
    index = myriad.datasets.write(result, tmp_path / "d", fractions=fractions_for(instances))
    ids = part_arrays(tmp_path / "d", index, "train", "id")
    with h5py.File(result.path) as file:
        raw = {f"trajectories/{channel}": file[f"trajectory/{channel}"][()][ids] for channel in ("position", "energy")}
        raw["parameters"] = numpy.column_stack([file[f"parameters/{name}"][()][ids]
                                                for name in index["columns"]["parameters"]["names"]])

    for path, values in raw.items():
        about = index["normalisation"][path]
        axes = (0,) if path == "parameters" else (0, 1)
        scale = numpy.abs(values).max()
        assert numpy.shape(about["mean"]) == values.mean(axis=axes).shape
        assert numpy.allclose(about["mean"], values.mean(axis=axes), rtol=0, atol=SUMS_IN_ANOTHER_ORDER * scale)
        assert numpy.allclose(about["standard_deviation"], values.std(axis=axes), rtol=0, atol=SUMS_IN_ANOTHER_ORDER * scale)
        assert numpy.array_equal(about["min"], values.min(axis=axes))
        assert numpy.array_equal(about["max"], values.max(axis=axes))


def test_statistics_of_blocks_are_those_of_the_whole_beside_a_large_mean_and_missing_values(tmp_path):
    from myriad.datasets.statistics import Moments

    values = 1e6 + numpy.random.default_rng(5).normal(size=(1000, 3))
    values[::7, 1], values[:, 2] = numpy.nan, numpy.nan
    moments = Moments((3,))
    for first, last in ((0, 1), (1, 32), (32, 32), (32, 65), (65, 1000)):
        moments.add(values[first:last])
    found = moments.to_dict()

    assert found["count"] == [1000, 1000 - len(values[::7]), 0] and found["mean"][2] is None
    # One unit in the last place of 1e6 is 1.2e-10; deviations from the mean keep about six more digits than the values.
    assert found["mean"][:2] == pytest.approx([values[:, 0].mean(), numpy.nanmean(values[:, 1])], abs=1e-9)
    assert found["standard_deviation"][:2] == pytest.approx([values[:, 0].std(), numpy.nanstd(values[:, 1])], rel=1e-9)
    assert found["min"][1] == numpy.nanmin(values[:, 1]) and found["max"][1] == numpy.nanmax(values[:, 1])


def test_an_instance_stays_in_its_part_when_the_study_is_extended(tmp_path):
    parts = {}
    for instances in (33, 1000):
        result = run_tops(tmp_path / f"{instances}.h5", instances)
        index = myriad.datasets.write(result, tmp_path / str(instances), split_seed=4)
        parts[instances] = {int(i): part for part in PARTS for i in part_arrays(tmp_path / str(instances), index, part, "id")}
    ranged = myriad.Study({**TOPS, "instances": 1000}).run(range=(500, 600), progress=False)
    index = myriad.datasets.write(ranged, tmp_path / "range", split_seed=4)

    assert parts[33] == {i: part for i, part in parts[1000].items() if i < 33}
    for part in index["parts"]:
        assert {parts[1000][i] for i in part_arrays(tmp_path / "range", index, part, "id")} == {part}


def test_the_split_is_that_of_the_published_generator():
    # The first outputs of SplitMix64 with the seed 1234567, as widely printed.
    outputs = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821]
    shares = (0.3, 0.3, 0.4)
    expected = [0 if value / 2**64 < 0.3 else 1 if value / 2**64 < 0.6 else 2 for value in outputs]

    assert myriad.datasets.part_of(range(5), shares, 1234567).tolist() == expected
    counts = numpy.bincount(myriad.datasets.part_of(numpy.arange(100_000), shares, 8)) / 100_000
    # Five standard deviations of a share of 100,000.
    assert counts == pytest.approx(shares, abs=5 * 0.5 / 100_000**0.5)
    assert set(myriad.datasets.part_of(numpy.arange(1000), (0.5, 0, 0.5))) == {0, 2}


def test_failed_instances_are_left_out_and_named(tmp_path):
    result = run_tops(tmp_path / "r.h5", 100, SOME_FAIL)
    index = myriad.datasets.write(result, tmp_path / "d", channels=())
    with h5py.File(result.path) as file:
        failed, names = file["instance/status"][()] != 0, file["instance/status"].attrs["names"]
        statuses = {str(names[code]) for code in file["instance/status"][()][failed]}

    left_out = index["left_out"]["ids_by_status"]
    assert index["left_out"]["count"] == failed.sum() > 0 and set(left_out) == statuses
    assert sorted(i for ids in left_out.values() for i in ids) == numpy.flatnonzero(failed).tolist()
    kept = sorted(i for part in PARTS for i in part_arrays(tmp_path / "d", index, part, "id"))
    assert kept == numpy.flatnonzero(~failed).tolist()


def test_shards_have_the_size_asked_for_and_the_index_says_where_it_comes_from(tmp_path):
    result = run_tops(tmp_path / "r.h5", 1000)
    index = myriad.datasets.write(result, tmp_path / "d", shard_MB=0.02)
    sizes = [sum(file["bytes"] for file in shard["files"].values()) for shard in index["parts"]["train"]["shards"]]

    headers = 128 * len(index["parts"]["train"]["shards"][0]["files"])
    assert len(sizes) > 2 and all(0.9 * 20_000 < size <= 20_000 + headers for size in sizes[:-1])
    provenance = index["provenance"]
    with h5py.File(result.path) as file:
        assert all(provenance[key] == str(file.attrs[key]) for key in ("study", "seed", "program_version", "program_commit",
                                                                       "device", "compiler", "precision"))


def test_a_changed_byte_and_an_unfinished_dataset_are_noticed(tmp_path):
    index = myriad.datasets.write(run_tops(tmp_path / "r.h5", 100), tmp_path / "d")
    path = tmp_path / "d" / index["parts"]["test"]["shards"][0]["path"] / "parameters.npy"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)

    with pytest.raises(myriad.InputError, match="parameters.npy.*checksum"):
        myriad.datasets.read_index(tmp_path / "d", check=True)
    (tmp_path / "d" / "index.json").unlink()
    with pytest.raises(myriad.InputError, match="not finished"):
        myriad.datasets.read_index(tmp_path / "d")


def test_tar_files_hold_the_samples_side_by_side(tmp_path):
    result = run_tops(tmp_path / "r.h5", 33)
    index = myriad.datasets.write(result, tmp_path / "d", layout="webdataset", dtype="float64", shard_MB=0.05)
    found = {}
    for part in PARTS:
        for shard in index["parts"][part]["shards"]:
            with tarfile.open(tmp_path / "d" / shard["path"]) as tar:
                for member in tar:
                    key, _, kind = member.name.partition(".")
                    found.setdefault(int(key), {})[kind] = numpy.load(io.BytesIO(tar.extractfile(member).read()))

    with h5py.File(result.path) as file:
        assert sorted(found) == list(range(33))
        for i, sample in found.items():
            assert set(sample) == {"id.npy", "parameters.npy", "trajectories.position.npy", "trajectories.energy.npy"}
            assert sample["id.npy"] == i
            assert numpy.array_equal(sample["trajectories.position.npy"], file["trajectory/position"][i])
    myriad.datasets.read_index(tmp_path / "d", check=True)
    again = myriad.datasets.write(result, tmp_path / "e", layout="webdataset", dtype="float64", shard_MB=0.05)
    assert again == index


def test_the_package_webdataset_reads_them(tmp_path):
    webdataset = pytest.importorskip("webdataset")
    index = myriad.datasets.write(run_tops(tmp_path / "r.h5", 33), tmp_path / "d", layout="webdataset")
    shards = [str(tmp_path / "d" / shard["path"]) for shard in index["parts"]["train"]["shards"]]
    samples = list(webdataset.WebDataset(shards, shardshuffle=False).decode())

    assert len(samples) == index["parts"]["train"]["instances"]
    assert samples[0]["trajectories.position.npy"].shape == (6, 1, 3)


def test_bad_input_is_refused_and_leaves_nothing(tmp_path):
    result = run_tops(tmp_path / "r.h5", 33)
    bare = myriad.Study({**TOPS, "observe": None}).run(tmp_path / "bare.h5", progress=False)
    failed = run_tops(tmp_path / "failed.h5", 10, SOME_FAIL, parameters={
        **TOPS["parameters"], "initial_angular_velocity_rad_s[2]": {"uniform": {"low": 390, "high": 400}}})
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    refusals = [
        (result, "d", {"fractions": (0.98, 0.01, 0.01)}, "the part (validation|test) is empty"),
        (result, "d", {"fractions": (0.8, 0.1, 0.2)}, "sum to 1.1"),
        (result, "d", {"fractions": (1.2, -0.1, -0.1)}, "outside 0 to 1"),
        (result, "d", {"fractions": (0.9, 0.1)}, "2 shares"),
        (result, "d", {"fractions": (0, 0.5, 0.5)}, "no training part"),
        (result, "d", {"channels": ["positoin"]}, 'did you mean "position"'),
        (result, "d", {"parameters": ["mass"]}, "mass_kg"),
        (result, "d", {"channels": "position"}, "list of names"),
        (result, "d", {"channels": (), "parameters": ()}, "nothing is left"),
        (result, "d", {"dtype": "float16"}, '"float32" or "float64"'),
        (result, "d", {"layout": "parquet"}, '"npy" or "webdataset" or "lerobot"'),
        (result, "d", {"shard_MB": 0}, "positive number of MB"),
        (result, "d", {"split_seed": -1}, "whole number"),
        (result, "full", {}, "empty folder"),
        (bare, "d", {}, "no trajectories"),
        (bare, "d", {"channels": ["position"]}, "no trajectories"),
        (failed, "d", {"channels": ()}, "none of the 10 instances ended ok"),
    ]
    for source, folder, arguments, said in refusals:
        with pytest.raises(myriad.InputError, match=said):
            myriad.datasets.write(source, tmp_path / folder, **arguments)
        assert not (tmp_path / "d").exists()
    assert [path.name for path in (tmp_path / "full").iterdir()] == ["mine.txt"]
    with pytest.raises(myriad.OutputError, match="could not be written"):
        myriad.datasets.write(result, "/proc/nowhere")


def test_a_large_result_is_never_in_memory_as_a_whole(tmp_path):
    result = run_tops(tmp_path / "r.h5", 20_000, observe={"every_steps": 1, "channels": ["position", "orientation"]})
    size = sum(numpy.prod(result.trajectories.shape(name)) * 8 for name in result.trajectories)
    tracemalloc.start()
    myriad.datasets.write(result, tmp_path / "d", shard_MB=5)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    # NumPy reports its arrays to tracemalloc; the engine's own copy of a block is not among them.
    assert size > 55e6 and peak < size / 2


def test_without_pytorch_writing_works_and_training_says_what_is_missing(tmp_path):
    code = ("import sys; sys.modules['torch'] = None\nimport myriad\n"
            f"myriad.datasets.write(myriad.open({str(tmp_path / 'r.h5')!r}), {str(tmp_path / 'd')!r})\n"
            "try: myriad.datasets.Samples\nexcept ImportError as error: print(error)\n")
    run_tops(tmp_path / "r.h5", 100)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert done.stderr == "" and "pip install torch" in done.stdout
    assert subprocess.run([sys.executable, "-c", "import sys, myriad; sys.exit('torch' in sys.modules)"]).returncode == 0
    assert (tmp_path / "d" / "index.json").exists()
