"""Studies and mechanisms from files, dictionaries, keyword arguments and arrays, and those that come with the package, by
name; what is refused, and how."""

import json
import pickle
from pathlib import Path

import numpy
import pytest

import myriad
from conftest import DISC, STUDIES, TOPS, run_program


def test_file_dictionary_and_keywords_make_the_same_study(tmp_path):
    path = tmp_path / "tops.json"
    path.write_text("// comments and trailing commas are allowed\n" + json.dumps(TOPS)[:-1] + ",}")

    of_file, of_dictionary, of_keywords = myriad.Study(path), myriad.Study(TOPS), myriad.Study(**TOPS)

    assert of_file.text == of_dictionary.text == of_keywords.text


def test_keywords_replace_keys_of_a_file_and_of_a_dictionary(tmp_path):
    path = tmp_path / "tops.json"
    path.write_text(json.dumps(TOPS))

    assert myriad.Study(path, instances=7).instances == myriad.Study(TOPS, instances=7).instances == 7
    finer = myriad.Study(TOPS).replace({"integrator.step_s": 5e-4}, instances=9)
    assert (finer.step_s, finer.instances) == (5e-4, 9)


@pytest.mark.parametrize("study", sorted(path.name for path in STUDIES.glob("*.json")))
def test_every_bundled_study_is_read_and_read_again_from_its_text(study):
    first = myriad.Study(STUDIES / study)

    assert myriad.Study(json.loads(first.text)).text == first.text
    assert repr(first) and first.channel_addresses and first.parameter_addresses


@pytest.mark.parametrize("wrong", [
    {"system": "heavy_tp"}, {"instances": -3}, {"instances": "many"}, {"integrator": {"name": "rk4", "step": 1e-3}},
    {"quantities": {"q": {"max": "tlt"}}}, {"parameters": {"mass": 3}}, {"observ": {}}])
def test_refusals_are_the_programs_words(tmp_path, wrong):
    path = tmp_path / "study.json"
    path.write_text(json.dumps({**TOPS, **wrong}))

    with pytest.raises(myriad.InputError) as refused:
        myriad.Study(path)

    said = run_program("run", path, "--out", tmp_path / "r.h5")
    assert said.returncode == 1
    assert said.stderr == f"myriad: {refused.value}\n"


def test_refusals_of_a_dictionary_name_the_json_path_and_the_nearest_name():
    with pytest.raises(myriad.InputError, match='/integrator.*"stp_s"(.|\n)*did you mean "step_s"'):
        myriad.Study({**TOPS, "integrator": {"name": "rk4", "stp_s": 1e-3, "end_s": 1}})


@pytest.mark.parametrize("value", [float("nan"), float("inf"), object(), {1, 2}, {None: 1, (1, 2): 3}])
def test_values_that_json_does_not_hold_are_refused(value):
    with pytest.raises(myriad.InputError):
        myriad.Study(TOPS, title=value)


def test_numpy_numbers_and_arrays_are_numbers():
    study = myriad.Study(TOPS, instances=numpy.int64(12), integrator={
        "name": "rk4", "step_s": numpy.float64(1e-3), "end_s": numpy.float32(0.5)})

    assert (study.instances, study.step_s, study.end_s) == (12, 1e-3, 0.5)


def test_samples_are_those_of_a_run(tops):
    result = tops.run(progress=False)

    names = list(tops.varied)
    samples = tops.sample()
    for column, name in enumerate(names):
        assert numpy.array_equal(samples[:, column], result.parameters[name])
    assert numpy.array_equal(tops.sample(40, 9), samples[40:49])
    with pytest.raises(myriad.InputError, match="instances 90 to 200"):
        tops.sample(90, 110)


@pytest.mark.parametrize("count", [1, 31, 33, 1000])
def test_arrays_as_samples_reach_the_instances_to_the_last_bit(count):
    masses = numpy.random.default_rng(5).uniform(10, 20, count)
    study = myriad.Study({key: TOPS[key] for key in ("system", "integrator", "quantities")},
                         samples={"mass_kg": masses})

    assert study.instances == count
    assert numpy.array_equal(study.run(progress=False).parameters["mass_kg"], masses)


@pytest.mark.parametrize("samples, said", [
    ({"mass_kg": [1.0, float("nan")]}, r'samples\["mass_kg"\]\[1\]: it is nan'),
    ({"mass_kg": [[1.0, 2.0]]}, r"shape \(1, 2\)"),
    ({"mass_kg": ["a", "b"]}, "no array of numbers"),
    ({"mass_kg": []}, "no instances"),
    ({}, "no instances"),
    ({"mass_kg": [15, 16], "initial_rotation_vector_rad[0]": [0.1]}, "different lengths: mass_kg 2, "),
    ({"mass_kgs": [15, 16]}, "mass_kg")])
def test_samples_of_the_wrong_shape_type_or_name_are_refused(samples, said):
    with pytest.raises(myriad.InputError, match=said):
        myriad.Study({key: TOPS[key] for key in ("system", "integrator")}, samples=samples)


@pytest.mark.parametrize("make", [
    lambda array: myriad.Study(TOPS, parameters={"mass_kg": array}),
    lambda array: myriad.Study({**TOPS, "parameters": {"mass_kg": array}}),
    lambda array: myriad.Study(STUDIES / "heavy_top.json", parameters={"mass_kg": array}),
    lambda array: myriad.Study(TOPS).replace({"parameters.mass_kg": array})])
@pytest.mark.parametrize("array", [numpy.linspace(14.5, 15.5, 1001), [14.5, 15.5], (14.5, 15.5)])
def test_an_array_as_a_parameter_is_told_that_arrays_are_samples(make, array):
    with pytest.raises(myriad.InputError) as refused:
        make(array)
    said = str(refused.value)
    assert 'parameters["mass_kg"]' in said and 'samples={"mass_kg": [...]}' in said and "14.5" not in said
    assert str(numpy.shape(array)) in said
    # A number of NumPy is a number, also where it is an array without an axis.
    assert "mass_kg" not in myriad.Study(TOPS, parameters={"mass_kg": numpy.array(15.0)}).varied


@pytest.mark.parametrize("study", [TOPS, STUDIES / "heavy_top.json"])
def test_a_parameter_of_the_study_and_of_samples_is_refused_and_replaced_on_request(study):
    with pytest.raises(myriad.InputError, match="/parameters/mass_kg: the study gives.*and samples(.|\n)*with_samples"):
        myriad.Study(study, samples={"mass_kg": [14.0, 15.0]})
    alone = myriad.Study(study).replace(parameters=None)
    replaced = alone.replace(parameters={"mass_kg": 1.0}).with_samples({"mass_kg": [14.0, 15.0]})
    assert list(replaced.sample()[:, 0]) == [14.0, 15.0]


@pytest.mark.parametrize("make, said", [
    (lambda study: study.with_samples({"mas_kg": [15.0]}), 'samples: the column "mas_kg" is no param(.|\n)*mass_kg'),
    (lambda study: study.with_samples({"mass_kg": [15.0]}), r"column initial_rotation_vector_rad\[0\] to the samples"),
    (lambda study: study.replace(parameters=None).with_samples({"mass_kg": [15.0]}).replace(instances=7),
     r"instances is 7, but samples\(1 rows\) gives at most 1")])
def test_what_is_wrong_with_samples_names_them_and_no_file(tops, make, said):
    with pytest.raises(myriad.InputError, match=said) as refused:
        make(tops)
    assert ".csv" not in str(refused.value) and "table" not in str(refused.value)
    assert '"columns"' not in str(refused.value)


def test_pandas_columns_are_samples():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"mass_kg": [15.0, 15.5], "initial_rotation_vector_rad[0]": [0.2, 0.3]})

    study = myriad.Study({key: TOPS[key] for key in ("system", "integrator")}, samples=frame)

    assert numpy.array_equal(study.sample()[:, list(study.varied).index("mass_kg")], frame["mass_kg"])


def test_studies_and_mechanisms_travel_to_other_processes():
    study = pickle.loads(pickle.dumps(myriad.Study(TOPS).replace(instances=5)))
    assert study.instances == 5 and study.text == myriad.Study(TOPS, instances=5).text
    sampled = pickle.loads(pickle.dumps(myriad.Study({key: TOPS[key] for key in ("system", "integrator")},
                                                     samples={"mass_kg": [14.0, 15.0]})))
    assert list(sampled.sample()[:, 0]) == [14.0, 15.0]
    mechanism = myriad.Mechanism(DISC)
    assert pickle.loads(pickle.dumps(mechanism)).text == mechanism.text


def test_mechanism_from_dictionary_keywords_and_file_is_the_same(tmp_path):
    path = tmp_path / "disc.json"
    path.write_text(json.dumps(DISC))

    mechanisms = [myriad.Mechanism(path), myriad.Mechanism(DISC), myriad.Mechanism(**DISC)]

    assert len({mechanism.text for mechanism in mechanisms}) == 1
    assert (mechanisms[0].bodies, mechanisms[0].joints, mechanisms[0].freedoms) == (["disc"], ["hinge"], 1)
    assert mechanisms[0].parameters["bodies.disc.mass_kg"]["value"] == 2.0
    assert "angle" in mechanisms[0].channels and "angle" in mechanisms[0].channel_addresses


def test_a_mechanism_stands_in_a_study_as_object_dictionary_and_path(tmp_path):
    path = tmp_path / "disc.json"
    myriad.Mechanism(DISC).save(path)
    rest = {"integrator": {"name": "rk4", "step_s": 0.1, "end_s": 1.0}, "instances": 2}

    finals = [myriad.Study(rest, mechanism=mechanism).run(progress=False).final_state["orientation"]
              for mechanism in (myriad.Mechanism(DISC), DISC, path)]

    assert numpy.array_equal(finals[0], finals[1]) and numpy.array_equal(finals[0], finals[2])


def test_a_wrong_mechanism_is_refused_with_its_path():
    wrong = {**DISC, "joints": {"hinge": {**DISC["joints"]["hinge"], "type": "revolut"}}}
    with pytest.raises(myriad.InputError, match='mechanism.*/joints/hinge/type(.|\n)*did you mean "revolute"'):
        myriad.Mechanism(wrong)
    with pytest.raises(myriad.InputError, match="there is no such file|cannot be read|cannot be opened|No such file"):
        myriad.Mechanism("nowhere.json")


def test_a_saved_study_is_the_programs(tmp_path, tops):
    tops.save(tmp_path / "study.json")

    done = run_program("run", tmp_path / "study.json", "--out", tmp_path / "r.h5")

    assert done.returncode == 0, done.stderr
    with myriad.open(tmp_path / "r.h5") as result:
        assert result.instances == tops.instances


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
