"""Designs and results in and out: SALib, OpenTURNS, Dakota's tabular files, CSV; the first two where they are installed."""

import h5py
import numpy
import pytest

import myriad
from conftest import ANGLE_OF_RATE, ANGLE_OF_TORQUE, DISC, SOME_FAIL, linear
from myriad import exchange

TORQUE, RATE = "parameters.torque_N_m", "parameters.rate_rad_s"
SIZES = [1, 31, 33, 1000]
# Two of them, of different kinds and generic numbers.
SPREADS = [({"normal": {"mean": 1.0, "standard_deviation": 0.5}}, {"uniform": {"low": -1.0, "high": 2.0}}),
           ({"truncated_normal": {"mean": 1.0, "standard_deviation": 0.5, "low": 0.8}},
            {"truncated_normal": {"mean": 1.0, "standard_deviation": 0.5, "low": 0.1, "high": 1.2}}),
           ({"lognormal": {"mean": 2.0, "standard_deviation": 0.7}},
            {"lognormal": {"median": 2.0, "geometric_standard_deviation": 1.4}}),
           ({"triangular": {"low": -1.0, "mode": 0.2, "high": 2.0}}, {"triangular": {"low": 1.0, "mode": 1.0, "high": 2.0}})]
BETA = {"beta": {"alpha": 2.0, "beta": 5.0, "low": 1, "high": 3}}


def monte_carlo(count, torque=SPREADS[0][0], rate=SPREADS[0][1], **more):
    return linear(torque, rate, design={"kind": "monte_carlo", "seed": 8}, **more).replace(instances=count)


@pytest.mark.parametrize("count", SIZES)
@pytest.mark.parametrize("kind", ["csv", "dakota"])
def test_a_result_written_and_read_has_the_same_bits_and_runs_again_to_them(tmp_path, kind, count):
    study, path = monte_carlo(count), tmp_path / "r.txt"
    result = study.run(progress=False)
    write, read = getattr(exchange, f"write_{kind}"), getattr(exchange, f"read_{kind}")
    write(result, path)

    columns = read(path, [*result.parameters, *result.quantities])
    for group in (result.parameters, result.quantities):
        assert all(numpy.array_equal(columns[name], group[name]) for name in group)
    again = study.with_samples(read(path, list(study.varied)), independent=True).run(progress=False)
    assert numpy.array_equal(again.quantities["angle_rad"], result.quantities["angle_rad"])
    # Rows that are declared independent have the intervals of Monte Carlo.
    assert str(again.mean("angle_rad")) == str(result.mean("angle_rad"))
    assert len(path.read_text().splitlines()) == count + 1


def test_failed_instances_are_rows_with_nan(tmp_path):
    result = myriad.Study(SOME_FAIL).run(progress=False)
    exchange.write_csv(result, tmp_path / "r.csv")
    exchange.write_dakota(result, tmp_path / "r.dat")

    for read in (exchange.read_csv(tmp_path / "r.csv", ["final_height_m"]), exchange.read_dakota(tmp_path / "r.dat")):
        assert numpy.array_equal(numpy.isnan(read["final_height_m"]), ~result.ok)
    parameters, values = exchange.salib_arrays(result, "final_height_m")
    assert parameters.shape == (100, 3) and numpy.array_equal(numpy.isnan(values), ~result.ok)
    status = [line.split(",")[1] for line in (tmp_path / "r.csv").read_text().splitlines()[1:]]
    assert status == result.status.tolist() and "step_rotation_too_large" in status


def test_a_table_that_dakota_writes_is_read_as_it_stands(tmp_path):
    # The examples of Dakota's reference manual (keywords tabular_data: annotated, custom_annotated, freeform).
    rows = "0.9 1.1 0.0002 0.26 0.76", "0.90009 1.1 0.0001996404857 0.2601620081 0.759955"
    names = "x1             x2         obj_fn nln_ineq_con_1 nln_ineq_con_2"
    for header, ids in ((f"%eval_id interface {names}", "{} NO_ID "), (f"eval_id interface {names}", "{} NO_ID "),
                        (f"%eval_id {names} ", "{} "), (f"%{names}", "")):
        path = tmp_path / "dakota.dat"
        path.write_text("\n".join([header, *(ids.format(i + 1) + row for i, row in enumerate(rows))]) + "\n")

        read = exchange.read_dakota(path)

        assert list(read) == names.split()
        assert list(read["obj_fn"]) == [0.0002, 0.0001996404857] and list(read["x1"]) == [0.9, 0.90009]
        assert list(exchange.read_dakota(path, {"x2": TORQUE})) == [TORQUE]


@pytest.mark.parametrize("text, columns, said", [
    ("a,b\n1,2\n3\n", None, "r.csv:3: 1 columns under 2 names"), ("a,b\n1,x\n", None, 'r.csv:2: "x" in the column "b"'),
    ("a,a\n1,2\n", None, "two columns are named"), ("", None, "empty"), ("length_m\n1\n", ["lenght_m"], "did you mean")])
def test_files_that_are_no_tables_are_refused_with_the_place(tmp_path, text, columns, said):
    path = tmp_path / "r.csv"
    path.write_text(text)
    with pytest.raises(myriad.InputError) as refused:
        exchange.read_csv(path, columns)
    assert said in str(refused.value)


def test_files_that_are_not_there_and_cannot_be_there_are_refused(tmp_path):
    result = monte_carlo(1).run(progress=False)
    for read in (exchange.read_csv, exchange.read_dakota):
        with pytest.raises(myriad.InputError, match="nowhere.dat: it cannot be read: No such file"):
            read(tmp_path / "nowhere.dat")
    for write in (exchange.write_csv, exchange.write_dakota):
        with pytest.raises(myriad.OutputError, match="No such file"):
            write(result, tmp_path / "nowhere" / "r.dat")


@pytest.mark.parametrize("write", [
    exchange.write_csv, exchange.write_dakota, lambda result, path: monte_carlo(1).save(path),
    lambda result, path: myriad.Mechanism(DISC).save(path)])
def test_text_never_replaces_a_result(tmp_path, write):
    with h5py.File(tmp_path / "other.dat", "w") as other:
        other["numbers"] = numpy.arange(3)
    with monte_carlo(3).run(tmp_path / "r.h5", progress=False) as result:
        for name in ("r.h5", "other.dat"):
            before = (tmp_path / name).read_bytes()
            with pytest.raises(myriad.OutputError, match=f"{name}: an HDF5 file, as results are, has this name"):
                write(result, tmp_path / name)
            assert (tmp_path / name).read_bytes() == before
        (tmp_path / "r.csv").write_text("older")
        write(result, tmp_path / "r.csv")
        assert (tmp_path / "r.csv").read_text() != "older"


def test_samples_must_be_of_all_that_the_study_varies():
    with pytest.raises(myriad.InputError, match="add the column parameters.rate_rad_s"):
        monte_carlo(5).with_samples({TORQUE: numpy.arange(3.0)})
    with pytest.raises(myriad.InputError, match="torque"):
        monte_carlo(5).with_samples({"parameters.torque": numpy.arange(3.0), RATE: numpy.arange(3.0)})
    with pytest.raises(myriad.InputError, match="give samples"):
        myriad.Study(SOME_FAIL, independent=True)


@pytest.mark.parametrize("torque, rate", SPREADS)
def test_problems_of_salib_go_there_and_back(torque, rate):
    study = monte_carlo(4, torque, rate)
    problem = exchange.salib_problem(study)
    assert problem["num_vars"] == 2 and set(problem["names"]) == {TORQUE, RATE}

    back = study.replace(parameters=exchange.parameters_of_salib(problem))

    # Logarithms and their powers lose some bits.
    assert back.sample() == pytest.approx(study.sample(), rel=1e-13)


@pytest.mark.parametrize("torque, rate", SPREADS)
def test_salib_draws_from_the_distributions_of_the_study(torque, rate):
    pytest.importorskip("SALib", reason="SALib is not installed")
    from SALib.sample import latin

    problem = exchange.salib_problem(monte_carlo(4, torque, rate))
    points = latin.sample(problem, 4096, seed=1)

    own = monte_carlo(4, torque, rate).replace({"design": {"kind": "latin_hypercube", "seed": 1}}, instances=4096)
    order = [list(own.varied).index(name) for name in problem["names"]]
    # Both have one number in each of 4096 layers: sorted, they differ by less than two layers, of mean width 1e-3.
    difference = numpy.abs(numpy.sort(points, axis=0) - numpy.sort(own.sample()[:, order], axis=0))
    assert numpy.median(difference) < 2e-3 and difference.mean() < 5e-3


def test_a_design_of_salib_runs_and_its_analysis_takes_the_result():
    pytest.importorskip("SALib", reason="SALib is not installed")
    from SALib.analyze import delta
    from SALib.sample import latin

    study = monte_carlo(4, {"uniform": {"low": -1.0, "high": 1.0}}, {"uniform": {"low": -1.0, "high": 1.0}})
    problem = exchange.salib_problem(study)
    design = latin.sample(problem, 500, seed=1)
    result = study.with_samples(dict(zip(problem["names"], design.T))).run(progress=False)
    points, values = exchange.salib_arrays(result, "angle_rad")

    order = [list(result.parameters).index(name) for name in problem["names"]]
    assert numpy.array_equal(points[:, order], design)
    slopes = {TORQUE: ANGLE_OF_TORQUE, RATE: ANGLE_OF_RATE}
    assert values == pytest.approx(design @ [slopes[name] for name in problem["names"]], abs=1e-12)
    # Both have the same slope: half the variance each.
    found = delta.analyze({**problem, "names": list(result.parameters)}, points, values, seed=1, num_resamples=10)
    assert found["S1"] == pytest.approx([0.5, 0.5], abs=0.15)


@pytest.mark.parametrize("make, said", [
    (lambda: exchange.salib_problem(monte_carlo(4, rate=BETA)), "uncertainty.sobol"),
    (lambda: exchange.salib_problem(monte_carlo(4, rate={"triangular": {"low": -3, "mode": -2, "high": -1}})), "triangular"),
    (lambda: exchange.salib_problem(monte_carlo(4, correlations=[{"between": [TORQUE, RATE], "correlation": 0.5}])),
     "independent parameters"),
    (lambda: exchange.salib_problem(monte_carlo(4).with_samples({TORQUE: [1.0], RATE: [1.0]})), "comes from a table"),
    (lambda: exchange.salib_problem(linear(0.0, 0.0)), "varies none"),
    (lambda: exchange.parameters_of_salib({"names": ["a"], "bounds": [[1, 2]], "dists": ["logunif"]}), "logunif"),
    (lambda: exchange.parameters_of_salib({"names": ["a", "b"], "bounds": [[1, 2]] * 2, "groups": ["g", "g"]}), "groups")])
def test_what_has_no_counterpart_is_refused(make, said):
    with pytest.raises(myriad.InputError) as refused:
        make()
    assert said in str(refused.value)


def test_openturns_calls_the_study_as_a_function_of_samples():
    openturns = pytest.importorskip("openturns", reason="OpenTURNS is not installed")
    study = monte_carlo(4)
    function = exchange.openturns_function(study)
    names = list(function.getInputDescription())
    assert names == list(study.varied) and list(function.getOutputDescription()) == ["angle_rad"]

    for count in SIZES:
        points = numpy.random.default_rng(count).normal(size=(count, 2))
        angles = numpy.array(function(openturns.Sample(points)))
        exact = ANGLE_OF_TORQUE * points[:, names.index(TORQUE)] + ANGLE_OF_RATE * points[:, names.index(RATE)]
        assert angles.shape == (count, 1) and angles[:, 0] == pytest.approx(exact, abs=1e-12)
    assert function([0.0, 0.0])[0] == pytest.approx(0.0, abs=1e-12)
    with pytest.raises(myriad.UnknownName, match="did you mean"):
        exchange.openturns_function(study, ["angle_ra"])


@pytest.mark.parametrize("torque, rate", [*SPREADS, (BETA, {"discrete": {"values": [1.0, 2.0, 4.0], "weights": [1, 2, 1]}})])
def test_openturns_has_the_distributions_of_the_study(torque, rate):
    pytest.importorskip("openturns", reason="OpenTURNS is not installed")
    study = monte_carlo(20000, torque, rate)
    distribution = exchange.openturns_distribution(study)
    sample = study.sample()
    for k in range(2):
        marginal = distribution.getMarginal(k)
        for probability in (0.1, 0.5, 0.8):
            # Below a quantile of the one lies this share of the other, to four standard deviations; at a jump, no less.
            value = marginal.computeQuantile(probability)[0]
            assert (sample[:, k] <= value).mean() == pytest.approx(marginal.computeCDF(value), abs=4 * 0.5 / 20000 ** 0.5)


def test_openturns_has_the_correlations_of_the_study():
    pytest.importorskip("openturns", reason="OpenTURNS is not installed")
    study = monte_carlo(4, correlations=[{"between": [RATE, TORQUE], "correlation": 0.6}])
    copula = exchange.openturns_distribution(study).getCopula()
    assert copula.getParameter()[0] == pytest.approx(0.6)
