"""Mechanisms from URDF and MJCF files, read by MuJoCo's own loader (`pip install mujoco`).

    model = myriad.import_model.read("arm.urdf")
    model.mechanism      # the dictionary of a mechanism file, for myriad.Mechanism and Study
    model.left_out       # what the mechanism does not have of the file, and why
    model.save("arm.json")

From the command line: `myriad import arm.urdf --output arm.json`.
"""

from .reading import ImportedModel, read

__all__ = ["ImportedModel", "read"]
