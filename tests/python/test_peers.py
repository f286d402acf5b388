"""Models of bench/peers/ are those that Myriad runs: both programs find the same motion, where the other one is installed."""

import sys

import numpy
import pytest

from conftest import PROGRAM, SOURCE

sys.path.insert(0, str(SOURCE / "bench" / "peers"))
STEPS = 100
# Each program's error over these steps is that of a method of fourth order or more: below 1e-10 m for both mechanisms.
TWO_ERRORS_M = 1e-9


def test_mujoco_moves_the_double_pendulum_as_myriad_does():
    pytest.importorskip("mujoco")
    import double_pendulum

    gravities_m_s2 = numpy.array([-9.9, -9.81, -3.0])
    theirs = double_pendulum.by_mujoco(gravities_m_s2, STEPS)()
    _, _, ours = double_pendulum.by_myriad(PROGRAM, gravities_m_s2, STEPS)

    assert numpy.abs(theirs - ours).max() < TWO_ERRORS_M
    assert numpy.ptp(ours[:, 2]) > 1e-3


def test_jax_and_diffrax_move_the_heavy_top_as_myriad_does():
    jax = pytest.importorskip("jax")
    pytest.importorskip("diffrax")
    import heavy_top

    jax.config.update("jax_enable_x64", True)
    spins_rad_s, tilts_rad = numpy.array([140.0, 150.0]), numpy.array([-0.2, 0.3])
    start = jax.numpy.asarray(heavy_top.starts(spins_rad_s, tilts_rad))
    _, _, ours = heavy_top.by_myriad(PROGRAM, spins_rad_s, tilts_rad, STEPS)

    for solve in (heavy_top.by_jax, heavy_top.by_diffrax):
        assert numpy.abs(heavy_top.places(solve(start, STEPS)()) - ours).max() < TWO_ERRORS_M
