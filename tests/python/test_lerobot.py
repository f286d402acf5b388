"""Datasets in LeRobot's layout: Parquet files with the result's bits, and the tables in meta/ that its loader goes by."""

import json
import subprocess
import sys

import h5py
import numpy
import pytest

import myriad
from conftest import TOPS

pyarrow = pytest.importorskip("pyarrow", reason="the package pyarrow, which writes Parquet, is not installed")
parquet = pytest.importorskip("pyarrow.parquet")
compute = pytest.importorskip("pyarrow.compute")

PARTS = myriad.datasets.PARTS
# 0, 0.01 ... 0.05 s
ROWS, FRAMES_PER_SECOND = 6, 100


def written(tmp_path, instances, dtype="float64", **more):
    result = myriad.Study({**TOPS, "instances": instances}).run(tmp_path / "r.h5", progress=False)
    fractions = (1, 0, 0) if instances == 1 else (0.6, 0.2, 0.2)
    return result, myriad.datasets.write(result, tmp_path / "d", layout="lerobot", dtype=dtype, fractions=fractions,
                                         **{"shard_MB": 0.02, **more})


def info_of(folder):
    return json.loads((folder / "meta" / "info.json").read_text())


def episodes_of(folder):
    return parquet.read_table(folder / "meta" / "episodes" / "chunk-000" / "file-000.parquet").to_pylist()


@pytest.mark.parametrize("instances", [1, 31, 33, 1000])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_frames_have_the_bits_of_the_result_where_the_tables_say(tmp_path, instances, dtype):
    result, index = written(tmp_path, instances, dtype)
    folder, info, episodes = tmp_path / "d", info_of(tmp_path / "d"), episodes_of(tmp_path / "d")

    assert (info["total_episodes"], info["total_frames"]) == (instances, ROWS * instances) and info["codebase_version"] == "v3.0"
    assert sorted(one["instance"] for one in episodes) == list(range(instances))
    assert [one["episode_index"] for one in episodes] == list(range(instances))
    files = {}
    with h5py.File(result.path) as file:
        for one in episodes:
            place = info["data_path"].format(chunk_index=one["data/chunk_index"], file_index=one["data/file_index"])
            if place not in files:
                files[place] = parquet.read_table(folder / place)
            frames = files[place].filter(compute.equal(files[place]["episode_index"], one["episode_index"]))
            i = one["instance"]
            state = numpy.array(frames["observation.state"].to_pylist(), dtype=dtype)
            expected = numpy.column_stack([file[f"trajectory/{name}"][i].reshape(ROWS, -1) for name in result.trajectories])
            assert state.tobytes() == expected.astype(dtype).tobytes()
            given = [file[f"parameters/{name}"][i] for name in result.parameters]
            assert frames["observation.environment_state"].to_pylist() == [numpy.array(given, dtype=dtype).tolist()] * ROWS
            assert frames["frame_index"].to_pylist() == list(range(ROWS)) and one["length"] == ROWS
            assert frames["index"].to_pylist() == list(range(one["dataset_from_index"], one["dataset_to_index"]))
            assert numpy.array(frames["timestamp"]) == pytest.approx(numpy.arange(ROWS) / FRAMES_PER_SECOND, abs=1e-7)
    assert info["fps"] == FRAMES_PER_SECOND
    if instances == 1000:
        assert len(files) > 3
    state = info["features"]["observation.state"]
    assert state == {"dtype": dtype, "shape": [4],
                     "names": ["energy", "position.top.x", "position.top.y", "position.top.z"]}


def test_parts_are_ranges_of_episodes(tmp_path):
    _, index = written(tmp_path, 100)
    info, episodes = info_of(tmp_path / "d"), episodes_of(tmp_path / "d")
    parts = myriad.datasets.part_of(range(100), (0.6, 0.2, 0.2))
    for name, span in info["splits"].items():
        first, last = map(int, span.split(":"))
        assert last - first == index["parts"][name]["instances"]
        assert {PARTS[parts[episodes[i]["instance"]]] for i in range(first, last)} == {name}


def test_statistics_are_those_of_the_training_part(tmp_path):
    result, index = written(tmp_path, 100)
    found = json.loads((tmp_path / "d" / "meta" / "stats.json").read_text())
    of_energy, of_parameters = index["normalisation"]["trajectories/energy"], index["normalisation"]["parameters"]
    train = index["parts"]["train"]["instances"]

    assert found["observation.state"]["mean"][0] == of_energy["mean"]
    assert found["observation.state"]["std"][0] == of_energy["standard_deviation"]
    assert found["observation.environment_state"]["max"] == of_parameters["max"]
    assert found["observation.state"]["count"] == found["observation.environment_state"]["count"] == [train * ROWS]


def test_the_task_is_the_index_of_its_table_as_pandas_reads_it(tmp_path):
    pandas = pytest.importorskip("pandas")
    written(tmp_path, 31)
    tasks = pandas.read_parquet(tmp_path / "d" / "meta" / "tasks.parquet", engine="pyarrow")
    assert list(tasks.columns) == ["task_index"] and tasks.index.name == "task" and tasks["task_index"].tolist() == [0]


def test_channels_may_be_actions_and_one_number_is_no_list(tmp_path):
    written(tmp_path, 31, actions=["energy"])
    info = info_of(tmp_path / "d")
    frames = parquet.read_table(tmp_path / "d" / "data" / "chunk-000" / "file-000.parquet")
    assert info["features"]["action"] == {"dtype": "float64", "shape": [1], "names": ["energy"]}
    assert info["features"]["observation.state"]["shape"] == [3]
    assert frames["action"].type == pyarrow.float64()
    assert frames["observation.state"].type == pyarrow.list_(pyarrow.float64(), 3)


def test_checksums_cover_the_tables_and_the_same_dataset_has_the_same_bytes(tmp_path):
    result, index = written(tmp_path, 33)
    assert set(index["files"]) == {"meta/info.json", "meta/stats.json", "meta/tasks.parquet",
                                   "meta/episodes/chunk-000/file-000.parquet"}
    assert myriad.datasets.read_index(tmp_path / "d", check=True) == index
    assert myriad.datasets.write(result, tmp_path / "e", layout="lerobot", dtype="float64", fractions=(0.6, 0.2, 0.2),
                                 shard_MB=0.02) == index
    (tmp_path / "d" / "meta" / "info.json").write_text("{}")
    with pytest.raises(myriad.InputError, match="info.json.*checksum"):
        myriad.datasets.read_index(tmp_path / "d", check=True)


def test_what_has_no_frames_at_a_whole_rate_is_refused_and_leaves_nothing(tmp_path):
    result, _ = written(tmp_path, 31)
    odd = myriad.Study({**TOPS, "instances": 31, "observe": {"every_s": 0.007, "channels": ["energy"]}}).run(progress=False)
    for source, arguments, said in ((result, {"channels": ()}, "frames over time"), (odd, {}, "whole number of them per second"),
                                    (result, {"actions": ["enrgy"]}, 'did you mean "energy"'),
                                    (result, {"actions": ["energy"], "layout": "npy"}, "has no actions")):
        with pytest.raises(myriad.InputError, match=said):
            myriad.datasets.write(source, tmp_path / "no", **{"layout": "lerobot", **arguments})
        assert not (tmp_path / "no").exists()


def test_without_pyarrow_the_layout_says_what_is_missing(tmp_path):
    code = ("import sys; sys.modules['pyarrow'] = None\nimport myriad\n"
            f"result = myriad.open({str(tmp_path / 'r.h5')!r})\n"
            f"try: myriad.datasets.write(result, {str(tmp_path / 'no')!r}, layout='lerobot')\n"
            "except ImportError as error: print(error)\n")
    written(tmp_path, 31)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stderr == "" and "pip install pyarrow" in done.stdout and not (tmp_path / "no").exists()
