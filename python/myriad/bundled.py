"""The studies that come with the package."""

from __future__ import annotations

from . import _engine


def examples() -> dict[str, dict[str, str]]:
    """The studies that come with the package: name -> {"title", "simulates", "path", "mechanism"}.

        myriad.Study("heavy_top").run()
        for name, example in myriad.examples().items():
            print(name, "-", example["title"])

    `simulates` is the name of the system or mechanism. `path` is the study file, and `mechanism` the path of its mechanism
    file; it is "" if the study simulates a system that is code. Copy both to change them.
    """
    return {one.pop("name"): one for one in _engine.bundled_studies()}
