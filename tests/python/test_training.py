"""Datasets of PyTorch: the result's bits from disk, in any worker; and fresh instances, none twice, simulated while training."""

import json
import pickle
import re
import subprocess
import sys
import warnings

import h5py
import numpy
import pytest

import myriad
from conftest import SOME_FAIL, SOURCE, STUDIES, TOPS

torch = pytest.importorskip("torch")


@pytest.fixture
def written(tmp_path):
    result = myriad.Study({**TOPS, "instances": 200}).run(tmp_path / "r.h5", progress=False)
    myriad.datasets.write(result, tmp_path / "d", dtype="float64", shard_MB=0.01)
    return result, tmp_path / "d"


def test_samples_have_the_bits_of_the_result_one_by_one_and_in_batches(written):
    result, folder = written
    samples = myriad.datasets.Samples(folder, "train")
    rows = [len(samples) - 1, 0, 57, 57]
    batch = samples[rows]

    assert len(samples.index["parts"]["train"]["shards"]) > 3 and isinstance(samples, torch.utils.data.Dataset)
    assert samples.time_s.tolist() == result.time_s.tolist()
    with h5py.File(result.path) as file:
        for at, row in enumerate(rows):
            one, i = samples[row], int(batch["id"][at])
            assert int(one["id"]) == i
            for position in (one["trajectories"]["position"], batch["trajectories"]["position"][at]):
                assert numpy.array_equal(position.numpy(), file["trajectory/position"][i])
            assert one["parameters"].tolist() == batch["parameters"][at].tolist() == [
                file[f"parameters/{name}"][i] for name in samples.index["columns"]["parameters"]["names"]]
    assert int(samples[-1]["id"]) == int(batch["id"][0])
    with pytest.raises(IndexError):
        samples[len(samples)]
    assert len({int(one["id"]) for one in samples}) == len(samples)


def test_normalised_training_samples_have_mean_zero_and_deviation_one(written):
    samples = myriad.datasets.Samples(written[1], "train", normalise=True)
    whole = samples[range(len(samples))]

    # Some hundred numbers of size 1: sums and the two roundings of each number.
    for values, axes in ((whole["parameters"], 0), (whole["trajectories"]["energy"], (0, 1))):
        assert values.mean(dim=axes).numpy() == pytest.approx(0, abs=1e-11)
        assert values.std(dim=axes, unbiased=False).numpy() == pytest.approx(1, abs=1e-11)


LOADER = """
import sys, torch, myriad
from torch.utils.data import BatchSampler, DataLoader, RandomSampler

if __name__ == "__main__":
    samples = myriad.datasets.Samples(sys.argv[1], "train")
    one_by_one = DataLoader(samples, batch_size=16, num_workers=2, multiprocessing_context=sys.argv[2])
    at_once = DataLoader(samples, batch_size=None, sampler=BatchSampler(RandomSampler(samples), 16, False), num_workers=2,
                         multiprocessing_context=sys.argv[2])
    found = [sorted(i for batch in loader for i in batch["id"].tolist()) for loader in (one_by_one, at_once)]
    print(found[0] == found[1] == sorted(samples[range(len(samples))]["id"].tolist()))
"""


@pytest.mark.parametrize("start", ["fork", "spawn"])
def test_workers_that_are_forked_or_spawned_read_every_sample_once(written, tmp_path, start):
    script = tmp_path / "loader.py"
    script.write_text(LOADER)
    done = subprocess.run([sys.executable, str(script), str(written[1]), start], capture_output=True, text=True)

    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


def test_parts_layouts_and_folders_that_are_not_there_are_refused(written, tmp_path):
    result, folder = written
    myriad.datasets.write(result, tmp_path / "tar", layout="webdataset")
    with pytest.raises(myriad.UnknownName, match='did you mean "train"'):
        myriad.datasets.Samples(folder, "trian")
    with pytest.raises(myriad.InputError, match="package webdataset"):
        myriad.datasets.Samples(tmp_path / "tar")
    with pytest.raises(myriad.InputError, match="no dataset"):
        myriad.datasets.Samples(tmp_path)


@pytest.mark.parametrize("instances, batch, chunk", [(1, 1, 1), (31, 8, 7), (33, 100, 32), (1000, 128, 333)])
def test_passes_go_on_where_the_last_one_ended_with_the_bits_of_a_run(instances, batch, chunk, tmp_path):
    study = myriad.Study({**TOPS, "instances": 5})
    simulated = myriad.datasets.Simulated(study, instances=instances, batch=batch, chunk=chunk, first=10, seed=8,
                                          dtype="float64", channels=["energy"])
    passes = [list(simulated), list(simulated)]
    expected = study.replace({"design.seed": 8}, instances=10 + 2 * instances).run(tmp_path / "r.h5", progress=False)

    ids = [[i for one in batches for i in one["id"].tolist()] for batches in passes]
    assert ids[0] + ids[1] == list(range(10, 10 + 2 * instances)) and len(ids[0]) == instances
    assert all(len(one["id"]) == batch for batches in passes for one in batches[:-1])
    with h5py.File(expected.path) as file:
        energy = torch.cat([one["trajectories"]["energy"] for batches in passes for one in batches]).numpy()
        assert numpy.array_equal(energy, file["trajectory/energy"][10:])
        masses = torch.cat([one["parameters"] for batches in passes for one in batches])[:, list(study.varied).index("mass_kg")]
        assert numpy.array_equal(masses.numpy(), file["parameters/mass_kg"][10:])


def test_a_pass_without_end_goes_on_and_is_not_begun_twice(tops):
    simulated = myriad.datasets.Simulated(tops, chunk=16)
    endless = iter(simulated)

    assert [int(next(endless)["id"]) for _ in range(100)] == list(range(100))
    with pytest.raises(myriad.InputError, match="second one would begin with the same"):
        next(iter(simulated))


def test_failed_instances_are_not_among_the_samples():
    study = myriad.Study({**SOME_FAIL, "instances": 100})
    ok = study.run(progress=False).ok
    found = [int(one["id"]) for one in myriad.datasets.Simulated(study, instances=100, chunk=40)]

    assert found == numpy.flatnonzero(ok).tolist() and 0 < len(found) < 100


SIMULATING = """
import json, sys, torch, myriad
from torch.utils.data import DataLoader

if __name__ == "__main__":
    simulated = myriad.datasets.Simulated(myriad.Study(json.loads(sys.argv[1])), instances=100, chunk=16, batch=10)
    loader = DataLoader(simulated, batch_size=None, num_workers=2, multiprocessing_context=sys.argv[2])
    print(json.dumps([sum((batch["id"].tolist() for batch in loader), []) for _ in range(2)]))
"""


def simulate_in_workers(tmp_path, start):
    script = tmp_path / "simulating.py"
    script.write_text(SIMULATING)
    return subprocess.run([sys.executable, str(script), json.dumps(TOPS), start], capture_output=True, text=True)


def test_spawned_workers_share_the_instances_and_repeat_the_order(tmp_path):
    first, second = (simulate_in_workers(tmp_path, "spawn") for _ in range(2))

    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout
    passes = json.loads(first.stdout)
    assert sorted(passes[0]) == list(range(100)) and sorted(passes[1]) == list(range(100, 200))


def test_a_forked_worker_is_told_to_be_spawned(tmp_path):
    done = simulate_in_workers(tmp_path, "fork")

    assert done.returncode != 0 and 'multiprocessing_context="spawn"' in done.stderr


def test_designs_of_fixed_size_unknown_names_and_sizes_are_refused(tops):
    with pytest.raises(myriad.InputError, match="fixed number of instances"):
        myriad.datasets.Simulated(tops.replace({"design.kind": "latin_hypercube"}))
    with pytest.raises(myriad.UnknownName, match='did you mean "energy"'):
        myriad.datasets.Simulated(tops, channels=["enrgy"])
    for arguments in ({"batch": 0}, {"chunk": 0}, {"instances": 0}, {"first": -1}, {"dtype": "float16"}):
        with pytest.raises(myriad.InputError):
            myriad.datasets.Simulated(tops, **arguments)


# Of the spread of the held-out values: a network that has learned nothing is at 1. The passes and the seed are fixed; versions
# of PyTorch and numbers of threads add up in other orders, and draw other batches.
PASSES, LEARNED = 100, 0.12


def test_a_surrogate_learns_the_double_pendulum_in_half_a_minute(tmp_path):
    done = subprocess.run([sys.executable, str(SOURCE / "docs" / "examples" / "surrogate.py"), "--passes", str(PASSES), "--instances", "1000",
                           "--folder", str(tmp_path / "d")], capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    error = float(done.stdout.split("of their spread: ")[1].split()[0])
    assert error < LEARNED, done.stdout


def said_of(make):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        made = make()
    return made, [str(one.message) for one in said]


def test_the_size_of_a_file_that_is_never_written_is_kept_back_and_no_other_warning():
    # It warns of its law of impact as well.
    study, _ = said_of(lambda: myriad.Study(STUDIES / "slider_crank_slot.json", instances=4))
    _, of_all = said_of(lambda: study.replace(instances=10_000_000_000))
    assert len(of_all) == 2 and sum("the trajectories take" in one for one in of_all) == 1

    simulated, said = said_of(lambda: myriad.datasets.Simulated(study, chunk=2, instances=2))
    assert len(said) == 1 and "impact may then gain energy" in said[0]
    # As a worker of a DataLoader takes it.
    again, said = said_of(lambda: pickle.loads(pickle.dumps(simulated)))
    assert len(said) == 1 and "impact may then gain energy" in said[0]
    assert again.study.text == simulated.study.text
    assert [int(one["id"]) for one in again] == [0, 1]


def test_the_examples_of_the_guide_to_datasets_print_what_it_says(tmp_path):
    text = (SOURCE / "docs" / "datasets.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(python)?\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    code, said = ("".join(block for kind, block in blocks if kind == wanted) for wanted in ("python", ""))
    assert "datasets.write(" in code and "Simulated(" in code
    (tmp_path / "ensembles").symlink_to(SOURCE / "ensembles")

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)

    assert done.stdout == said, done.stderr
