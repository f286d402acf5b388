"""An ensemble in memory: advanced piece by piece, looked at and changed in between."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Iterator, Optional, Sequence, Union

import numpy

from . import _engine
from .errors import InputError, unknown_name
from .texts import counted

if TYPE_CHECKING:
    from .study import Study

_RUNNING = _engine.status_names.index("running")
# Scalars of a body in a state, in the order of its tiles: name -> first, last.
_STATE = {"position": (0, 3), "orientation": (3, 7), "velocity": (7, 10), "angular_velocity": (10, 13)}
_STATE_SIZE = 13
_DLPACK_CUDA = 2  # kDLCUDA


def _is_on_gpu(value: Any) -> bool:
    return hasattr(value, "__dlpack_device__") and int(value.__dlpack_device__()[0]) == _DLPACK_CUDA


class _Parameters(Mapping):
    """The varied parameters of an ensemble: float64 [instance]. Setting one counts from the next step on."""

    def __init__(self, ensemble: "Ensemble") -> None:
        self._ensemble = ensemble
        self._names = list(ensemble.study.varied)

    def _field(self, name: str) -> int:
        if name in self._names:
            return self._names.index(name)
        if name in self._ensemble.study.parameter_addresses:
            raise InputError(f'parameters["{name}"]', "it has the same value in all instances of this study",
                             f'let the study vary it: Study(..., samples={{"{name}": [one number for each instance]}})')
        raise unknown_name("ensemble.parameters", "varied parameters", name, self._names, "list(ensemble.parameters)")

    def __getitem__(self, name: str) -> numpy.ndarray:
        field = self._field(name)
        return self._ensemble._engine.parameters()[:, field].copy()

    def __setitem__(self, name: str, values: Any) -> None:
        self._ensemble.set_parameters({name: values})

    def _require_column_on_device(self, name: str, values: Any) -> None:
        where, ensemble = f'parameters["{name}"]', self._ensemble
        kind, number = values.__dlpack_device__()
        if ensemble.device != f"cuda:{number}":
            raise InputError(where, f"an array on cuda:{number} was given, and the instances are on {ensemble.device}",
                             f"bring it to {ensemble.device} first")
        if tuple(values.shape) != (ensemble.instances,):
            raise InputError(where, f"an array of shape {tuple(values.shape)} was given",
                             f"give one number for each of the {ensemble.instances} instances")
        if "float64" not in str(values.dtype):
            raise InputError(where, f"an array of {values.dtype} was given", "give one of float64")
        self._field(name)

    def _column(self, name: str, values: Any) -> numpy.ndarray:
        where, count = f'parameters["{name}"]', self._ensemble.instances
        given = numpy.asarray(values)
        if given.dtype.kind not in "fiu":
            raise InputError(where, f"an array of {given.dtype} is no array of numbers", "give real numbers")
        if given.shape not in ((), (count,)):
            raise InputError(where, f"an array of shape {given.shape} was given",
                             f"give one number, or one for each of the {count} instances")
        if not numpy.isfinite(given).all():
            raise InputError(where, "it has values that are not finite", "give finite numbers")
        return numpy.broadcast_to(given, (count,)).astype(numpy.float64)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return "parameters: " + ", ".join(self._names)


class Ensemble:
    """Instances of a study in memory, made by Study.start().

    ensemble = study.start()
    while ensemble.advance(by=0.01):
        angle = ensemble.channel("joints.shoulder.angle_rad")     # float64 [instance]
        ensemble.parameters["torque_N_m"] = -5.0 * angle          # from the next step on

    Accelerations, reactions, contact forces and momenta that a method carries from step to step are found anew in the present
    state for those instances whose values have changed; equal values change no bit. set_parameters() sets several at once
    and, in a fast loop, without trying them first.

    Without such changes every bit is that of Study.run. Only what a study varies can be set; give samples= to vary
    what is set later. Setting a parameter leaves positions and velocities as they are, in joint coordinates those of the
    joints. Where a new length opens a loop, or in body coordinates a joint, the next step begins with the pose put onto it
    by the least motion; an instance for which there is none ends as "assembly_failed". The energy that a change brings is no
    error of the method: the certificate goes on from there. Instances that could not have begun with the new values are
    refused.

    With study.start(backend="cuda") the instances are in a GPU's memory and stay there: `state_tiles` and
    `channel_tiles` are views that torch.from_dlpack, jax.dlpack.from_dlpack and cupy.from_dlpack take as tensors without a
    copy, and parameters may be set to such tensors; everything else is copied to NumPy when it is asked for. After each
    advance only times and statuses come to the host by themselves.

    Nothing is written, failed instances are not retried. One thread at a time may use an ensemble.
    """

    def __init__(self, study: "Study", engine: Any) -> None:
        self.study = study
        self._engine = engine
        self.first, self.instances = engine.instances()
        self.parameters = _Parameters(self)

    def advance(self, until: Optional[float] = None, *, by: Optional[float] = None) -> bool:
        """Take steps until every instance has reached the time `until` (s; default: the end of the study), or `by` seconds
        more (by > 0) than the last one has, or has ended. True while one still runs.

        Methods with a fixed step stop at the first step that reaches the time, to round-off; adaptive ones take their own
        steps, so that `time_s` may be later. Ctrl-C ends it between two steps, with everything as it is.
        """
        if until is not None and by is not None:
            raise InputError("advance", "until and by are given", "give one of them")
        if by is not None and not by > 0:
            what = "this leads to no later time, and a loop would never end" if by <= 0 else "the time is not a number"
            raise InputError(f"advance(by={by})", what, "give seconds, more than 0")
        if by is not None:
            until = float(self.time_s.min(where=self.running, initial=math.inf)) + by
            if math.isinf(until):
                return False
        until = self.study.end_s if until is None else float(until)
        if math.isnan(until):
            raise InputError("advance", "the time is not a number", "give seconds")
        runs, exception = self._engine.advance(min(until, self.study.end_s))
        if exception is not None:
            raise exception
        return runs

    def set_parameters(self, values: Mapping[str, Any], *, trial: bool = True) -> None:
        """Set several varied parameters at once, each to one number or to one for each instance.

        By default every instance is begun anew on trial beside this ensemble, as long as that takes (of a mechanism some
        twenty steps), and InputError names the first that could not begin; nothing is changed then. trial=False leaves
        that out, for values that are known to be good, such as a torque in a control loop: a mass that is not positive ends
        its instance as "invalid_parameter" before the next step.

        A float64 tensor [instance] on the ensemble's GPU (PyTorch's, JAX's, CuPy's) is copied there and never tried; that
        of a mechanism goes through the host, because a kernel's numbers follow from it there.
        """
        on_device = {name: value for name, value in values.items() if _is_on_gpu(value)}
        for name, value in on_device.items():
            self.parameters._require_column_on_device(name, value)
        fields = [self.parameters._field(name) for name in values if name not in on_device]
        if fields:
            rows = numpy.array([self.parameters._column(name, value) for name, value in values.items()
                                if name not in on_device])
            self._engine.set_parameters(fields, rows, trial)
        for name, value in on_device.items():
            self._engine.set_parameter_on_device(self.parameters._field(name), value)

    @property
    def time_s(self) -> numpy.ndarray:
        """float64 [instance]"""
        return self._engine.times_s()

    @property
    def status(self) -> numpy.ndarray:
        """Text [instance]: "running", "ok" at the end of the study, or how the instance failed."""
        return numpy.array(_engine.status_names)[self._engine.statuses()]

    @property
    def running(self) -> numpy.ndarray:
        """bool [instance]"""
        return self._engine.statuses() == _RUNNING

    @property
    def device(self) -> str:
        """Where the instances are: "cpu" or "cuda:0"."""
        number = self._engine.device()
        return "cpu" if number < 0 else f"cuda:{number}"

    @property
    def state_tiles(self) -> Any:
        """The present states where they lie, without a copy: [tile, scalar, 32], float64 or float32 as the study computes.
        Instance i is [i // 32, :, i % 32]; scalars are 13 for each body: position 3, orientation 4, velocity 3, angular
        velocity 3. The values change with every advance. NumPy's and read-only on the processor; on a GPU an object with
        __dlpack__, which is not to be written to: torch.from_dlpack(ensemble.state_tiles)."""
        return self._engine.state_tiles()

    def channel_tiles(self, *addresses: str) -> Any:
        """At most 16 channels of the present state as a new array where the instances are: [tile, channel, 32], in the
        order of the addresses, each with its bodies and components. As `state_tiles` NumPy's, or for from_dlpack.
        On a GPU the first call with these addresses compiles a kernel for them."""
        return self._engine.channel_tiles(list(addresses))

    def _state(self, name: str) -> numpy.ndarray:
        first, last = _STATE[name]
        tiles = self._engine.state_tiles_on_host()
        bodies = tiles.shape[1] // _STATE_SIZE
        split = tiles.reshape(tiles.shape[0], bodies, _STATE_SIZE, tiles.shape[2])[:, :, first:last]
        return numpy.ascontiguousarray(split.transpose(0, 3, 1, 2).reshape(-1, bodies, last - first)[: self.instances])

    @property
    def position(self) -> numpy.ndarray:
        """[instance, body, 3]: centres of mass in the world, m. A copy, as the other states by instance are."""
        return self._state("position")

    @property
    def orientation(self) -> numpy.ndarray:
        """[instance, body, 4]: unit quaternions w, x, y, z, body to world."""
        return self._state("orientation")

    @property
    def velocity(self) -> numpy.ndarray:
        """[instance, body, 3]: of the centres of mass, in the world, m/s."""
        return self._state("velocity")

    @property
    def angular_velocity(self) -> numpy.ndarray:
        """[instance, body, 3]: in the body's axes, rad/s."""
        return self._state("angular_velocity")

    def channel(self, address: str) -> numpy.ndarray:
        """A channel of the present state, whether the study observes it or not: float64 [instance], with an axis of bodies
        and one of components where the address leaves a choice. `study.channel_addresses` lists all."""
        return self._engine.channel(address)

    @property
    def quantities(self) -> dict[str, numpy.ndarray]:
        """The study's quantities over the motion so far: name -> float64 [instance]."""
        values = self._engine.quantities()
        return {name: values[:, i].copy() for i, name in enumerate(self.study.quantities)}

    def reset(self, instances: Union[None, Sequence[int], numpy.ndarray] = None) -> None:
        """Begin these rows anew with their present parameters: numbers of rows, or bool [instance]; None: all."""
        if instances is None:
            rows = numpy.arange(self.instances)
        else:
            rows = numpy.asarray(instances)
            if rows.dtype == bool and rows.shape == (self.instances,):
                rows = numpy.flatnonzero(rows)
            elif rows.size == 0:
                return
            elif rows.ndim != 1 or rows.dtype.kind not in "iu":
                raise InputError("reset", f"an array of {rows.dtype} of shape {rows.shape} was given",
                                 f"give row numbers, or one bool for each of the {self.instances} instances")
            if rows.size and (rows.min() < 0 or rows.max() >= self.instances):
                raise InputError("reset", f"there is no row {rows.max() if rows.min() >= 0 else rows.min()}",
                                 f"give rows from 0 to {self.instances - 1}")
        self._engine.begin_again(numpy.unique(rows).tolist())

    def __repr__(self) -> str:
        times = self.time_s
        return (f"Ensemble({counted(self.instances, 'instance')} of {self.study.system} "
                f"at {times.min():g} to {times.max():g} s, "
                f"{int(self.running.sum()):,} running)")
