"""Ensembles in the memory of a GPU: what DLPack says of their arrays, on the mock driver of tests/cuda/mock, whose kernels
this test runs itself. That their bits are those of the processor is a claim of tests/cuda/device_steps_test.cpp."""

import ctypes
import os
import pathlib
import subprocess
import sys

import numpy
import pytest

MOCK = pathlib.Path(os.environ["MYRIAD_PROGRAM"]).parent / "libmyriad_mock_cuda.so"
PRELUDE = '''
import ctypes, sys
import numpy
import myriad

INSTANCES = 70
launched = []


class Launch(ctypes.Structure):
    """The first members of Launch in kernels/system/launch.hpp."""
    _fields_ = [(name, ctypes.c_void_p) for name in
                ("records", "initial_states", "final_states", "trajectory", "quantities")]


def kernel(name, launch, blocks, threads, second):
    arrays = Launch.from_address(launch)
    launched.append(name.decode())
    states = (ctypes.c_double * (3 * 13 * 32)).from_address(arrays.final_states)
    states[:] = [float(len(launched)) + 0.001 * i for i in range(3 * 13 * 32)]
    quantities = (ctypes.c_double * (3 * 2 * 32)).from_address(arrays.quantities)  # of the study, or channels
    quantities[:] = [-float(i) for i in range(3 * 2 * 32)]


Kernel = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint, ctypes.c_longlong)
mock = ctypes.CDLL(sys.argv[1])
kept = Kernel(kernel)
mock.myriad_mock_set_kernel(kept)


class Tensor(ctypes.Structure):
    """DLTensor of the header dlpack.h."""
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


def tensor_of_capsule(capsule):
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return Tensor.from_address(pointer(capsule, b"dltensor"))


def tensor_of(array):
    capsule = array.__dlpack__()
    tensor = tensor_of_capsule(capsule)
    tensor.capsule = capsule
    return tensor


class OnDevice:
    """An array that says it is on a GPU, as PyTorch's do; the mock's memory is the host's."""

    def __init__(self, array, device=0):
        self.array, self.number, self.dtype, self.shape = array, device, array.dtype, array.shape

    def __dlpack_device__(self):
        return (2, self.number)

    def __dlpack__(self, **_):
        capsule = self.array.__dlpack__()
        tensor_of_capsule(capsule).device_type = 2
        return capsule


study = myriad.Study(system="heavy_top", integrator={"name": "rk4", "step_s": 1e-3, "end_s": 0.1}, instances=INSTANCES,
                     parameters={"mass_kg": {"normal": {"mean": 15, "standard_deviation": 0.15}}},
                     quantities={"largest_rad": {"max": "tilt"}, "smallest_rad": {"min": "tilt"}})
ensemble = study.start(backend="cuda")
'''


def run(tmp_path, code):
    """The output of `code` behind the prelude, in a process of its own."""
    environment = dict(os.environ, MYRIAD_CUDA_DRIVER=str(MOCK), XDG_CACHE_HOME=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", PRELUDE + code, str(MOCK)], env=environment, capture_output=True,
                          text=True)
    if "NVRTC" in done.stderr and "run-time compiler" in done.stderr:
        pytest.skip("no run-time compiler of CUDA here: " + done.stderr.strip().splitlines()[-1])
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(autouse=True)
def mock():
    if not MOCK.exists():
        pytest.skip("this build is without CUDA, and so without its mock driver")


def test_states_are_views_of_the_devices_memory(tmp_path):
    run(tmp_path, '''
assert ensemble.device == "cuda:0" and launched == ["begin_instances"], launched
view = ensemble.state_tiles
assert view.__dlpack_device__() == (2, 0)
tensor = tensor_of(view)
assert (tensor.device_type, tensor.device_id, tensor.ndim, tensor.code, tensor.bits) == (2, 0, 3, 2, 64)
assert tensor.shape[:3] == [3, 13, 32] and tensor.strides[:3] == [13 * 32, 32, 1]
assert tensor_of(ensemble.state_tiles).data == tensor.data, "two views of the same numbers"
here = numpy.ctypeslib.as_array((ctypes.c_double * (3 * 13 * 32)).from_address(tensor.data)).reshape(3, 13, 32)
assert here[0, 0, 0] == 1.0
tiles = ensemble._engine.state_tiles_on_host()
assert (tiles == here).all()
by_instance = here.transpose(0, 2, 1).reshape(-1, 13)[:INSTANCES]
assert (ensemble.position[:, 0] == by_instance[:, :3]).all()
del ensemble
assert here[0, 0, 1] == 1.001, "the view keeps the memory"
''')


def test_channels_are_a_copy_on_the_device(tmp_path):
    run(tmp_path, '''
channels = ensemble.channel_tiles("tilt", "energy")
tensor = tensor_of(channels)
assert (tensor.device_type, tensor.shape[:3]) == (2, [3, 2, 32])
numbers = (ctypes.c_double * (3 * 2 * 32)).from_address(tensor.data)
assert list(numbers) == [-float(i) for i in range(3 * 2 * 32)]
assert tensor_of(ensemble.channel_tiles("tilt", "tilt")).data != tensor.data
''')


def test_parameters_are_set_on_the_device(tmp_path):
    run(tmp_path, '''
masses = 14.0 + 0.01 * numpy.arange(INSTANCES)
ensemble.parameters["mass_kg"] = OnDevice(masses)
assert (ensemble.parameters["mass_kg"] == masses).all()
for values, part in ((OnDevice(masses[:-1]), "shape (69,)"), (OnDevice(masses.astype(numpy.float32)), "float32"),
                     (OnDevice(masses, 1), "cuda:1")):
    try:
        ensemble.parameters["mass_kg"] = values
    except myriad.InputError as error:
        assert part in str(error), error
    else:
        raise AssertionError("not refused: " + part)
assert (ensemble.parameters["mass_kg"] == masses).all()
''')


def test_an_array_on_a_gpu_is_refused_by_instances_on_the_processor(tmp_path):
    run(tmp_path, '''
try:
    study.start().parameters["mass_kg"] = OnDevice(numpy.full(INSTANCES, 15.0))
except myriad.InputError as error:
    assert "the instances are on cpu" in str(error), error
else:
    raise AssertionError("not refused")
''')


def test_a_machine_without_a_gpu_says_so():
    import myriad

    if myriad.backends()["cuda"].startswith("not available"):
        study = myriad.Study(system="heavy_top", integrator={"name": "rk4", "step_s": 1e-3, "end_s": 0.1}, instances=2,
                             parameters={"mass_kg": {"normal": {"mean": 15, "standard_deviation": 0.15}}})
        with pytest.raises(myriad.DeviceError, match="cuda"):
            study.start(backend="cuda")
        assert study.start(backend="auto").device == "cpu"


def test_channels_of_the_processor_are_tiles_as_well():
    import myriad

    study = myriad.Study(system="heavy_top", integrator={"name": "rk4", "step_s": 1e-3, "end_s": 0.1}, instances=33,
                         parameters={"mass_kg": {"normal": {"mean": 15, "standard_deviation": 0.15}}})
    ensemble = study.start()
    ensemble.advance(until=0.05)
    tiles = ensemble.channel_tiles("tilt", "position.top")
    assert tiles.shape == (2, 4, 32)
    by_instance = tiles.transpose(0, 2, 1).reshape(-1, 4)[:33]
    numpy.testing.assert_array_equal(by_instance[:, 0], ensemble.channel("tilt"))
    numpy.testing.assert_array_equal(by_instance[:, 1:].ravel(), ensemble.channel("position.top").ravel())
    with pytest.raises(myriad.InputError, match="at once"):
        ensemble.channel_tiles(*["position.top"] * 6)
    with pytest.raises(myriad.InputError, match="did you mean"):
        ensemble.channel_tiles("tiltt")
