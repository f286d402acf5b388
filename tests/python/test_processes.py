"""The package beside others in a process, in forks and in spawned processes, over many runs, and at the end."""

import json
import multiprocessing
import os
import platform
import subprocess
import sys

import numpy
import pytest

import myriad
from conftest import TOPS, run_python

RUN = "import myriad, json, sys; myriad.Study(json.load(sys.stdin)).run(progress=False).quantities['largest_tilt_rad']\n"


def run_with(code):
    return run_python(code, stdin=json.dumps(TOPS))


def test_the_end_of_a_process_is_quiet():
    assert run_with(RUN) == (0, "", "")
    assert run_with("import myriad") == (0, "", "")
    in_thread = ("import threading, myriad, json, sys\nstudy = myriad.Study(json.load(sys.stdin))\n"
                 "threads = [threading.Thread(target=study.run) for _ in range(2)]\n"
                 "[thread.start() for thread in threads]; [thread.join() for thread in threads]")
    assert run_with(in_thread) == (0, "", "")
    assert run_with("import myriad, json, sys\nkept = myriad.Study(json.load(sys.stdin)).start()\nkept.advance()") == (0, "", "")


@pytest.mark.parametrize("other", ["h5py", "torch", "netCDF4", "pandas", "xarray"])
@pytest.mark.parametrize("first", [True, False])
def test_it_stands_beside_other_libraries_in_either_order(tmp_path, other, first):
    pytest.importorskip(other)
    uses = {
        "h5py": f"f = h5py.File({str(tmp_path / 'other.h5')!r}, 'w'); f['x'] = [1.0, 2.0]; f.close()\n"
                f"assert h5py.File({str(tmp_path / 'other.h5')!r})['x'][1] == 2.0\n",
        "torch": "assert float(torch.ones(300, 300).mm(torch.ones(300, 300))[0, 0]) == 300\n",
        "netCDF4": f"d = netCDF4.Dataset({str(tmp_path / 'other.nc')!r}, 'w'); d.createDimension('x', 2); d.close()\n"}
    imports = ["import myriad\n", f"import {other}\n"]
    code = "".join(imports if first else imports[::-1]) + uses.get(other, "") + RUN + uses.get(other, "") + (
        "import json, sys\nassert not [name for name in dir(myriad._engine) if 'h5' in name.lower()]\n")

    assert run_with(code) == (0, "", "")


def test_no_symbol_of_hdf5_or_kokkos_leaves_the_extension():
    symbols = subprocess.run(["nm", "--dynamic", "--defined-only", myriad._engine.__file__], capture_output=True, text=True,
                             check=True).stdout.split()

    assert [symbol for symbol in symbols[2::3]] == ["PyInit__engine"]


def forked(queue, study):
    try:
        study.run(progress=False)
        queue.put("ran")
    except myriad.DeviceError as error:
        queue.put(str(error))


def spawned(queue, study):
    queue.put(study.run(progress=False).quantities["largest_tilt_rad"])


@pytest.mark.parametrize("has_run", [True, False])
def test_a_forked_process_is_told_to_be_spawned(has_run):
    code = f"""
import json, os, sys, warnings, myriad
warnings.simplefilter("ignore", DeprecationWarning)  # of CPython 3.12 and later: forks with threads are what is tested
study = myriad.Study(json.load(sys.stdin))
if {has_run}: study.run(progress=False)
result = study.run(progress=False)
ensemble = study.start()
child = os.fork()
if child == 0:
    said = []
    for ask in (lambda: study.run(progress=False), study.start, ensemble.advance, lambda: result.quantities["largest_tilt_rad"],
                lambda: ensemble.position, lambda: myriad.open(result.path)):
        try:
            ask()
            said.append("did it")
        except myriad.DeviceError as error:
            said.append("spawn" if "spawn" in str(error) else str(error))
    os.write(1, repr(said).encode())
    os._exit(0)
os.waitpid(child, 0)
assert ensemble.advance(0.02) and study.run(progress=False).ok.all()
"""
    assert run_with(code) == (0, repr(["spawn"] * 6), "")


def test_a_spawned_process_runs_studies(tops):
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=spawned, args=(queue, tops))
    process.start()
    process.join()

    assert process.exitcode == 0
    found = queue.get()
    assert numpy.array_equal(found, tops.run(progress=False).quantities["largest_tilt_rad"])


LOADER = """
import json, sys, warnings
import torch, myriad

class Tops(torch.utils.data.Dataset):
    def __init__(self, result):
        self.result = result
    def __len__(self):
        return self.result.instances
    def __getitem__(self, i):
        return torch.from_numpy(self.result.trajectories.read("position", i, 1)[0])

if __name__ == "__main__":
    result = myriad.Study(json.loads(sys.argv[1])).run(sys.argv[2], progress=False, overwrite=True)
    loader = torch.utils.data.DataLoader(Tops(result), batch_size=10, num_workers=2, multiprocessing_context=sys.argv[3])
    print(torch.cat(list(loader)).shape)
"""


@pytest.mark.parametrize("start, said", [("spawn", "torch.Size([100, 6, 1, 3])"), ("fork", 'multiprocessing_context="spawn"')])
def test_workers_of_a_data_loader_are_spawned_or_told_so(tmp_path, start, said):
    pytest.importorskip("torch")
    script = tmp_path / "loader.py"
    script.write_text(LOADER)
    done = subprocess.run([sys.executable, str(script), json.dumps(TOPS), str(tmp_path / "r.h5"), start],
                          capture_output=True, text=True)

    assert said in done.stdout + done.stderr
    assert (done.returncode == 0) == (start == "spawn")


GROWTH = """
import json, os, sys, myriad
def resident_kb():
    return int(next(line for line in open("/proc/self/status") if line.startswith("VmRSS")).split()[1])
def handles():
    return len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))
study = myriad.Study(json.load(sys.stdin))
for i in range(int(sys.argv[1])):
    result = study.run(progress=False)
    assert result.quantities["largest_tilt_rad"].shape == (result.instances,)
    if i == 99:
        before = resident_kb(), handles()
print(resident_kb() - before[0], handles() == before[1])
"""


def test_many_runs_in_one_process_leave_nothing():
    runs = int(os.environ.get("MYRIAD_LONG", "1")) * 300
    code, said, errors = run_python(GROWTH, runs, stdin=json.dumps(
        {**TOPS, "instances": 33, "integrator": {"name": "rk4", "step_s": 1e-3, "end_s": 0.01}}))

    assert code == 0, errors
    growth_kb, handles_are_constant = said.split()
    # The bound that 10,000 runs are to keep; allocators hold on to some freed pages.
    assert int(growth_kb) < 5 * 1024 and handles_are_constant == "True"


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the test knows the control word of x86-64")
def test_rounding_and_subnormal_numbers_of_a_neighbour_change_no_bit(tmp_path):
    """As a module that was compiled by -ffast-math sets them."""
    (tmp_path / "study.json").write_text(json.dumps(TOPS))
    code = f"""
import ctypes, numpy, myriad
mathematics = ctypes.CDLL("libm.so.6")

def bits():
    study = myriad.Study({str(tmp_path / "study.json")!r})
    result, ensemble = study.run(progress=False), study.start()
    ensemble.advance()
    arrays = [*result.parameters.values(), *result.quantities.values(), *result.final_state.values(), ensemble.position]
    return [values.tobytes() for values in arrays]

standard = ctypes.create_string_buffer(32)  # fenv_t
mathematics.fegetenv(standard)
other = bytearray(standard.raw)
other[28] |= 0x40  # of MXCSR: subnormal operands are zero,
other[29] |= 0xC0  # and results, too; upward rounding
tiny = numpy.float64(2.2250738585072014e-308)
mathematics.fesetenv(ctypes.create_string_buffer(bytes(other), 32))
seen, half = bits(), tiny / 2
mathematics.fesetenv(standard)
assert half == 0.0 and tiny / 2 > 0.0
assert seen == bits()
"""
    assert run_python(code) == (0, "", "")
