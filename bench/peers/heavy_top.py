"""The heavy top by diffrax, and by 20 lines of plain JAX: unit quaternions, double precision, on one core.

All tops have the published mass and inertia, and differ in spin and tilt. Steps are constant and the same for all. XLA
compiles each function before it is timed.
"""

import numpy

from measurement import distance, myriad, row, timed

STEP_S, END_S = 1e-4, 0.1
MASS_KG, ARM_M, GRAVITY_M_S2 = 15.0, 1.0, 9.81
TRANSVERSE_KG_M2, AXIAL_KG_M2 = 0.234375 + MASS_KG * ARM_M**2, 0.46875  # about the fixed point
WOBBLE_RAD_S = -4.61538  # about body z at the start
PLACES = [f"quantities/{axis}" for axis in "xyz"]


def starts(spins_rad_s, tilts_rad):
    """Unit quaternion w x y z, body to world, and angular velocity in body axes: [7, instance]."""
    zero = numpy.zeros_like(tilts_rad)
    return numpy.stack([numpy.cos(tilts_rad / 2), numpy.sin(tilts_rad / 2), zero, zero, zero, spins_rad_s, zero + WOBBLE_RAD_S])


def rates_of(state):
    """Quaternion and Euler's equations; the centre of mass is at [0, ARM_M, 0] of the body, its weight along world -z."""
    import jax.numpy as jnp

    w, x, y, z, p, q, r = state
    weight = MASS_KG * GRAVITY_M_S2 * ARM_M
    moment_x, moment_z = -weight * (w * w - x * x - y * y + z * z), weight * 2 * (x * z - w * y)
    norm = w * w + x * x + y * y + z * z
    difference = AXIAL_KG_M2 - TRANSVERSE_KG_M2
    turning = jnp.stack([-x * p - y * q - z * r, w * p + y * r - z * q, w * q + z * p - x * r, w * r + x * q - y * p]) / 2
    return jnp.stack([*turning, (moment_x / norm + difference * q * r) / TRANSVERSE_KG_M2, 0 * q,
                      (moment_z / norm - difference * p * q) / TRANSVERSE_KG_M2])


def places(state):
    """The centre of mass, [instance, 3]: the body's y axis."""
    w, x, y, z = (numpy.asarray(one) for one in state[:4])
    axis = numpy.stack([2 * (x * y - w * z), w * w - x * x + y * y - z * z, 2 * (y * z + w * x)], axis=1)
    return ARM_M * axis / (w * w + x * x + y * y + z * z)[:, None]


def by_jax(start, steps, step_s=STEP_S):
    """Classical Runge-Kutta in a loop over all steps: a function that returns the states at the end."""
    import jax

    def step(_, state):
        a = rates_of(state)
        b = rates_of(state + step_s / 2 * a)
        c = rates_of(state + step_s / 2 * b)
        return state + step_s / 6 * (a + 2 * b + 2 * c + rates_of(state + step_s * c))

    run = jax.jit(lambda state: jax.lax.fori_loop(0, steps, step, state, unroll=4))
    run(start).block_until_ready()
    return lambda: run(start).block_until_ready()


def by_diffrax(start, steps, step_s=STEP_S):
    """Tsit5 with a constant step, one solve for all tops: the fastest of its arrangements here."""
    import diffrax
    import jax

    def solve(state):
        return diffrax.diffeqsolve(
            diffrax.ODETerm(lambda t, y, args: rates_of(y)), diffrax.Tsit5(), 0.0, steps * step_s, step_s, state,
            stepsize_controller=diffrax.ConstantStepSize(), saveat=diffrax.SaveAt(t1=True), max_steps=steps + 1,
            adjoint=diffrax.ForwardMode()).ys[0]

    run = jax.jit(solve)
    run(start).block_until_ready()
    return lambda: run(start).block_until_ready()


def by_myriad(program, spins_rad_s, tilts_rad, steps, step_s=STEP_S, integrator="rk4"):
    study = {"system": "heavy_top", "integrator": {"name": integrator, "step_s": step_s, "end_s": steps * step_s},
             "quantities": {axis: {"final": f"position.top.{axis}"} for axis in "xyz"}}
    samples = {"initial_angular_velocity_rad_s[1]": spins_rad_s, "initial_rotation_vector_rad[0]": tilts_rad}
    return myriad(program, study, samples, PLACES)


def compared(program, instances=1024, steps=round(END_S / STEP_S), repetitions=5):
    """Rows of all programs, which take turns."""
    import diffrax
    import jax

    jax.config.update("jax_enable_x64", True)
    spins_rad_s, tilts_rad = numpy.linspace(145, 155, instances), numpy.linspace(-0.2, 0.2, instances)
    start = jax.numpy.asarray(starts(spins_rad_s, tilts_rad))
    _, _, exact = by_myriad(program, spins_rad_s, tilts_rad, 8 * steps, STEP_S / 8, "rk67")
    theirs = {f"heavy top by JAX {jax.__version__} by hand, RK4": (by_jax(start, steps), "quaternions, lax.fori_loop"),
              f"heavy top by diffrax {diffrax.__version__}, Tsit5": (by_diffrax(start, steps), "ConstantStepSize, ForwardMode")}
    rates, found, ours = {name: [] for name in theirs}, {}, []
    for _ in range(repetitions):
        for name, (run, _) in theirs.items():
            found[name], seconds = timed(run)
            rates[name].append(instances * steps / seconds)
        rate, device, our_places = by_myriad(program, spins_rad_s, tilts_rad, steps)
        ours.append(rate)
    same = {"step_s": STEP_S, "instances": instances, "steps": steps}
    return [*(row(name, rates[name], error_m=distance(places(found[name]), exact),
                  settings=f"{settings}, fp64, jit on one CPU core; bench/peers/heavy_top.py", **same)
              for name, (_, settings) in theirs.items()),
            row("heavy top by Myriad, rk4", ours, error_m=distance(our_places, exact),
                settings=f"rotation group; {device}", **same)]
