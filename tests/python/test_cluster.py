"""Studies on the workers of a Dask client: the datasets of one run, bit for bit, whatever happens to a worker."""

import os
import signal
import threading
import time

import h5py
import pytest

import myriad
from conftest import LONG, TOPS, datasets_of

distributed = pytest.importorskip("distributed", reason="Dask is not here (Debian: python3-distributed)")


@pytest.fixture(scope="module")
def client():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        with distributed.Client(cluster) as client:
            yield client


def kill_a_busy_worker(client):
    processes = client.run(os.getpid)
    for address, tasks in client.processing().items():
        if tasks:
            os.kill(processes[address], signal.SIGKILL)
            return
    raise AssertionError("no worker has a task")


@pytest.mark.parametrize("shards", [None, 1, 3])
def test_shards_on_workers_have_the_datasets_of_one_run(tmp_path, client, tops, shards):
    tops.run(tmp_path / "whole.h5", progress=False, check_step=0.1)

    result = tops.run(tmp_path / "r.h5", client=client, shards=shards, progress=False, check_step=0.1)

    assert datasets_of(tmp_path / "r.h5")[0] == datasets_of(tmp_path / "whole.h5")[0]
    assert result.instances == 100 and result.ok.all()
    with h5py.File(tmp_path / "r.h5") as file:
        assert len(file.attrs["parts"]) == (8 if shards is None else shards)


def test_arrays_of_samples_reach_the_workers(tmp_path, client):
    study = myriad.Study({**TOPS, "parameters": {}}, samples={"mass_kg": [14.0 + 0.1 * i for i in range(31)]})
    whole = study.run(progress=False)

    result = study.run(tmp_path / "r.h5", client=client, progress=False)

    assert result.quantities["largest_tilt_rad"].tobytes() == whole.quantities["largest_tilt_rad"].tobytes()


def test_progress_counts_complete_shards(tmp_path, client, tops):
    told = []

    tops.run(tmp_path / "r.h5", client=client, shards=4, progress=told.append)

    assert [now.saved for now in told] == [25, 50, 75, 100]


def test_a_killed_worker_loses_a_chunk(tmp_path):
    study = myriad.Study(LONG, integrator={"name": "rk4", "step_s": 1e-4, "end_s": 2.0}, instances=600,
                          observe={"every_steps": 10000, "channels": ["position"]})
    study.run(tmp_path / "whole.h5", progress=False)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        with distributed.Client(cluster) as client:
            def kill_soon():
                while not list(tmp_path.glob("r.*.journal")):
                    time.sleep(0.01)
                kill_a_busy_worker(client)

            killer = threading.Thread(target=kill_soon)
            killer.start()
            study.run(tmp_path / "r.h5", client=client, shards=3, chunk=20, progress=False)
            killer.join()

    assert datasets_of(tmp_path / "r.h5")[0] == datasets_of(tmp_path / "whole.h5")[0]


def test_ctrl_c_keeps_what_is_finished_and_the_resumed_run_has_the_same_bits(tmp_path, client):
    study, out = myriad.Study(LONG, instances=400), tmp_path / "r.h5"
    shorter = study.replace({"integrator.end_s": 0.1, "observe": None})

    def press_when_begun():
        sizes = set()  # that of the heads first, then those with chunks
        while len(sizes) < 3:
            time.sleep(0.01)
            sizes.add(sum(journal.stat().st_size for journal in tmp_path.glob("r.*.journal")))
        os.kill(os.getpid(), signal.SIGINT)

    presser = threading.Thread(target=press_when_begun)
    presser.start()
    with pytest.raises(myriad.Interrupted, match="resume=True"):
        study.run(out, client=client, shards=4, chunk=10, progress=False)
    presser.join()
    assert not out.exists() and list(tmp_path.glob("r.*.journal"))
    with pytest.raises(myriad.MyriadError):
        study.run(out, client=client, shards=4, progress=False)
    with pytest.raises(myriad.InputError, match="another"):
        shorter.run(out, client=client, shards=4, resume=True, progress=False)

    shorter.run(out, client=client, shards=4, overwrite=True, progress=False)
    shorter.run(tmp_path / "whole.h5", progress=False)
    assert datasets_of(out)[0] == datasets_of(tmp_path / "whole.h5")[0]


def test_a_complete_result_is_left_as_it_is(tmp_path, client, tops):
    out = tmp_path / "r.h5"
    tops.run(out, client=client, progress=False)
    before = out.read_bytes()

    assert tops.run(out, client=client, resume=True, progress=False).instances == 100
    with pytest.raises(myriad.OutputError, match="there already"):
        tops.run(out, client=client, progress=False)

    assert out.read_bytes() == before


def test_failures_are_counted_over_the_whole_study(tmp_path, client):
    masses = [15.0 + 0.01 * i for i in range(100)]
    masses[90] = masses[91] = -1.0  # more than the allowed share of the last of four shards
    allowing = myriad.Study({**TOPS, "parameters": {}, "allowed_failed_share": 0.02}, samples={"mass_kg": masses})
    assert allowing.run(tmp_path / "a.h5", client=client, shards=4, progress=False).failed == 2

    with pytest.raises(myriad.RunFailure, match="2 of 100 instances failed") as caught:
        allowing.replace(allowed_failed_share=0.01).run(tmp_path / "b.h5", client=client, shards=4, progress=False)
    assert caught.value.result.instances == 100


def test_one_bad_shard_keeps_no_other_from_ending(tmp_path, client, tops):
    out, bad = tmp_path / "r.h5", tmp_path / "r.25-50.h5"
    bad.mkdir()
    with pytest.raises(myriad.MyriadError) as caught:
        tops.run(out, client=client, shards=4, overwrite=True, progress=False)
    assert "1/4" in "".join(getattr(caught.value, "__notes__", ["1/4"]))
    assert sorted(path.name for path in tmp_path.glob("r.*.h5")) == ["r.0-25.h5", "r.25-50.h5", "r.50-75.h5", "r.75-100.h5"]

    bad.rmdir()
    assert tops.run(out, client=client, shards=4, resume=True, progress=False).instances == 100


def test_what_cannot_be_is_refused(tmp_path, client, tops):
    out = tmp_path / "r.h5"
    for options, word in [({"client": 5}, "no client of Dask"), ({"client": client, "shards": 0}, "shards"),
                          ({"client": client, "shards": 101}, "at most 100 shards"), ({"shards": 3}, "no client"),
                          ({"client": client, "shard": (0, 2)}, "whole study"),
                          ({"client": client, "out": None}, "share")]:
        with pytest.raises(myriad.InputError, match=word):
            tops.run(**{"out": out, "progress": False, **options})
    assert list(tmp_path.iterdir()) == []
