"""The double pendulum of ensembles/mechanisms/ by MuJoCo: hinges, classical Runge-Kutta, double precision, on one core.

Both programs use two joint angles, rk4 and the same step. The pendulums start level and at rest, and differ in gravity.
MuJoCo is called once for all steps of a pendulum, so Python costs it nothing.
"""

import numpy

from measurement import ROOT, distance, myriad, row, timed

STEP_S, END_S = 1e-3, 1.0
RODS = {"upper": (4.0, 78.0), "lower": (2.0, 39.0)}  # length in m, mass in kg; both 0.05 m wide
PLACES = [f"quantities/{axis}" for axis in "xyz"]

MODEL = """<mujoco>
  <option timestep="{step}" integrator="RK4"><flag contact="disable"/></option>
  <worldbody>
    <body name="upper">
      <joint name="shoulder" type="hinge" axis="1 0 0"/>
      <inertial pos="0 2 0" mass="{upper[1]}" diaginertia="{upper_inertia}"/>
      <body name="lower" pos="0 4 0">
        <joint name="elbow" type="hinge" axis="1 0 0"/>
        <inertial pos="0 0 -1" mass="{lower[1]}" diaginertia="{lower_inertia}"/>
        <site name="tip" pos="0 0 -2"/>
      </body>
    </body>
  </worldbody>
</mujoco>"""


def inertia(length, mass, along):
    """Of a square bar about its centre of mass, in world axes at the start."""
    transverse, axial = mass * (length**2 + 0.05**2) / 12, mass * 0.05**2 / 6
    return " ".join(repr(axial if axis == along else transverse) for axis in "xyz")


def by_mujoco(gravities_m_s2, steps, step_s=STEP_S):
    """A function that moves every pendulum, and returns the place of its tip at the end, [instance, 3]."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(MODEL.format(
        step=step_s, upper_inertia=inertia(*RODS["upper"], "y"), lower_inertia=inertia(*RODS["lower"], "z"), **RODS))
    data = mujoco.MjData(model)

    def run():
        tips = numpy.empty((len(gravities_m_s2), 3))
        for i, gravity in enumerate(gravities_m_s2):
            mujoco.mj_resetData(model, data)
            model.opt.gravity[:] = (0, 0, gravity)
            mujoco.mj_step(model, data, steps)
            mujoco.mj_kinematics(model, data)  # places of the last state
            tips[i] = data.site_xpos[0]
        return tips

    return run


def by_myriad(program, gravities_m_s2, steps, step_s=STEP_S, integrator="rk4", kernels="interpreted"):
    """The same pendulums as a study: its rate, its device and the places of the tips."""
    study = {"mechanism": str(ROOT / "ensembles" / "mechanisms" / "double_pendulum.json"),
             "integrator": {"name": integrator, "step_s": step_s, "end_s": steps * step_s},
             "quantities": {axis: {"final": f"tip.{axis}"} for axis in "xyz"}}
    return myriad(program, study, {"gravity_m_s2[2]": gravities_m_s2}, PLACES, kernels)


def compared(program, instances=1000, steps=round(END_S / STEP_S), repetitions=5):
    """Rows of both programs, which take turns."""
    import mujoco

    gravities_m_s2 = numpy.linspace(-9.9, -9.7, instances)
    _, _, exact = by_myriad(program, gravities_m_s2, 8 * steps, STEP_S / 8, "rk67")
    run = by_mujoco(gravities_m_s2, steps)
    theirs, ours = [], []
    for _ in range(repetitions):
        their_tips, seconds = timed(run)
        theirs.append(instances * steps / seconds)
        rate, device, our_tips = by_myriad(program, gravities_m_s2, steps, kernels="compiled")
        ours.append(rate)
    same = {"step_s": STEP_S, "instances": instances, "steps": steps}
    return [row(f"double pendulum by MuJoCo {mujoco.__version__}, RK4", theirs, error_m=distance(their_tips, exact),
                settings="mj_step in fp64, contact disabled; bench/peers/double_pendulum.py", **same),
            row("double pendulum by Myriad, rk4", ours, error_m=distance(our_tips, exact),
                settings=f"joint coordinates, compiled for the mechanism; {device}", **same)]
