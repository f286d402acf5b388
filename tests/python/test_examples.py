"""Studies that come with the package, by name."""

from pathlib import Path

import pytest

import myriad
from conftest import STUDIES

FEW = {"instances": 8, "observe": None}


def test_examples_have_names_titles_and_paths():
    found = myriad.examples()

    assert sorted(found) == sorted(file.stem for file in STUDIES.glob("*.json"))
    for name, example in found.items():
        assert Path(example["path"]).name == f"{name}.json" and example["title"] and example["simulates"]
        assert not example["mechanism"] or myriad.Mechanism(example["mechanism"]).bodies


def test_a_study_is_named_by_its_example_or_by_its_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    by_name = myriad.Study("heavy_top", **FEW).run(progress=False)
    by_path = myriad.Study(myriad.examples()["heavy_top"]["path"], **FEW).run(progress=False)

    assert (by_name.quantities["energy_J"] == by_path.quantities["energy_J"]).all()
    myriad.Study("heavy_top", instances=7).save("heavy_top")
    assert myriad.Study("heavy_top").instances == 7


def test_an_unknown_name_is_refused_with_the_nearest():
    with pytest.raises(myriad.InputError, match=r'there is no such file.*\n.*did you mean the bundled study "puma560"\?'):
        myriad.Study("pumma560")
