"""Many instances of one small multibody system at once: studies, their results, and ensembles in memory.

    import myriad
    study = myriad.Study(system="heavy_top", integrator={"name": "rk4", "step_s": 1e-4, "end_s": 1.0}, instances=1000,
                         parameters={"mass_kg": {"normal": {"mean": 15, "standard_deviation": 0.15}}},
                         quantities={"tilt_rad": {"max": "tilt"}})
    result = study.run()
    print(result.summary())
    result.quantities["tilt_rad"]      # NumPy, [instance]
    result.to_pandas()                 # one row for each instance

Study       what is simulated, how, how often, and what is kept; run() or start() it
Mechanism   bodies, joints, forces and contacts, from a file or a dictionary
Result      a result file, read lazily: open(path); merge(parts, out) puts those of shards together
multilevel  the mean of a quantity at the price of coarse steps: multilevel Monte Carlo
Ensemble    instances in memory, advanced piece by piece, with parameters that may be set in between
uncertainty Sobol indices and Morris' screening, by SALib; importance from any result
report      a page about a result, its plots, and pictures of mechanisms
datasets    a result as a folder to train on, PyTorch datasets over it, and instances simulated while a model trains
exchange    to and from SALib, OpenTURNS, Dakota and CSV
import_model  mechanisms from URDF and MJCF files
examples    the studies that come with the package: Study("heavy_top") is one of them
errors      InputError, UnknownName, DeviceError, OutputError, RunFailure, Interrupted

Units are SI; orientations are quaternions (w, x, y, z), body to world. `help()` of each class says shapes and units.
"""

from . import _engine, datasets, exchange, import_model, report, uncertainty
from .bundled import examples
from .convergence import Convergence, StoppedRun
from .distributions import EmpiricalDistribution, Histogram
from .ensemble import Ensemble
from .errors import (DeviceError, InputError, Interrupted, MyriadError, MyriadWarning, OutputError, RunFailure,
                     UnknownName)
from .estimates import Estimate
from .mechanism import Mechanism
from .multilevel import Level, MultilevelEstimate, multilevel
from .program import name_compiler, program_path
from .progress import Progress
from .result import Datasets, Result, merge, open
from .study import Study

__version__: str = _engine.version
__all__ = ["Convergence", "Datasets", "DeviceError", "EmpiricalDistribution", "Ensemble", "Estimate", "Histogram",
           "InputError", "Interrupted", "Level", "Mechanism", "MultilevelEstimate", "MyriadError", "MyriadWarning",
           "OutputError", "Progress", "Result", "RunFailure", "StoppedRun", "Study", "UnknownName", "backends",
           "datasets", "examples", "exchange", "import_model", "merge", "multilevel", "program_path", "report",
           "uncertainty"]
name_compiler()


def backends() -> dict[str, str]:
    """What can run a study here: name -> the device, or "not available: " and why."""
    return {name: detail if available else f"not available: {detail}"
            for name, available, detail in _engine.backends()}
