"""The page about a result: its numbers against NumPy and h5py, and what Debian's Chromium shows of it."""

import importlib.util
import json
import re
import shutil
import subprocess

import h5py
import numpy
import pytest

import myriad
from conftest import DISC, SOME_FAIL, SOURCE, STUDIES, TOPS, linear, run_python

MECHANISMS = SOURCE / "ensembles" / "mechanisms"
HEADLESS = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--host-resolver-rules=MAP * ~NOTFOUND"]
# Six digits of figures; sums of doubles in another order.
DIGITS, ROUND_OFF = 1e-5, 1e-12

needs_plotly = pytest.mark.skipif(not importlib.util.find_spec("plotly"), reason="plotly is not installed")


@pytest.fixture(scope="module")
def chromium():
    """Skips where there is no Chromium, or where it does not start: some machines keep from it what it needs."""
    if shutil.which("chromium") is None:
        pytest.skip("chromium is not installed")
    tried = subprocess.run([*HEADLESS, "--dump-dom", "data:text/html,<p>here</p>"], capture_output=True, text=True)
    if "<p>here</p>" not in tried.stdout:
        pytest.skip(f"chromium does not start here: {tried.stderr[-300:]}")


def embedded(text, name):
    found = re.search(rf'<script type="application/json" id="{name}">(.*?)</script>', text, re.DOTALL)
    return json.loads(found[1])


def shown(path):
    """The page as Chromium has it when its scripts are through; every name of a host leads nowhere."""
    return subprocess.run([*HEADLESS, "--virtual-time-budget=20000", "--dump-dom", path.as_uri()], capture_output=True,
                          text=True, check=True).stdout


@pytest.fixture(scope="module")
def pendulums(tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "pendulums.h5"
    with myriad.Study(STUDIES / "double_pendulum.json", instances=64,
                      observe={"every_s": 0.1, "channels": ["position", "orientation", "tip"]}).run(path, progress=False):
        pass
    return path


@needs_plotly
def test_the_pages_numbers_are_those_of_the_file(tmp_path):
    with myriad.Study(SOME_FAIL).run(tmp_path / "tops.h5", progress=False, too_many_failed="warn") as result:
        text = open(result.report(tmp_path / "page.html"), encoding="utf-8").read()

    numbers = embedded(text, "numbers")
    with h5py.File(tmp_path / "tops.h5") as file:
        ok = file["instance/status"][()] == 0
        assert 0 < (~ok).sum() == numbers["failed"] and numbers["instances"] == len(ok)
        for name in file["quantities"]:
            values = file["quantities"][name][ok]
            row = numbers["quantities"][name]
            assert row["mean"] == pytest.approx(values.mean(), rel=ROUND_OFF)
            assert row["quantile"] == pytest.approx(numpy.quantile(values, row["quantile_probability"]), rel=ROUND_OFF)
            assert row["count"] == ok.sum()
        # The spin, which makes them fail, separates failed ones from others entirely.
        name, distance, smallest, _ = numbers["separation"][0]
        spin = file["parameters"]["initial_angular_velocity_rad_s[2]"][()]
        assert (name, distance) == ("initial_angular_velocity_rad_s[2]", 1.0)
        assert smallest == spin[~ok].min() > spin[ok].max()


@needs_plotly
@pytest.mark.parametrize("parameters", [["mass_kg"], ["mass_kg", "initial_rotation_vector_rad[0]"]])
def test_shares_of_fewer_parameters_than_quantities_stand_in_the_rows_of_their_quantities(tmp_path, parameters):
    quantities = {**TOPS["quantities"], "energy_J": {"final": "energy"}}
    study = {**TOPS, "observe": None, "quantities": quantities, "statistics": {"sensitivity": True},
             "parameters": {name: TOPS["parameters"][name] for name in parameters}}
    with myriad.Study(study).run(tmp_path / "tops.h5", progress=False) as result:
        numbers = embedded(open(result.report(tmp_path / "page.html"), encoding="utf-8").read(), "numbers")
        assert "Mean" in myriad.report.histogram(result, "final_height_m").layout.meta["caption"]
    with h5py.File(tmp_path / "tops.h5") as file:
        statistics = file["statistics"]
        for row, name in enumerate(statistics["quantity"].asstr()):
            found = numbers["quantities"][name]
            assert found["parameter"] == list(statistics["parameter"].asstr())
            assert len(found["parameter"]) == len(parameters)
            assert found["first_order"] == list(statistics["first_order"][row])
            assert found["max"] == statistics["max"][row]


@needs_plotly
def test_a_page_without_any_value_says_how_the_instances_ended(tmp_path):
    study = {**TOPS, "allowed_failed_share": 1.0, "parameters": {**TOPS["parameters"], "mass_kg": -15.0}}
    with myriad.Study(study).run(progress=False) as result:
        assert result.failed == result.instances == 100
        text = open(result.report(tmp_path / "page.html"), encoding="utf-8").read()
        numbers = embedded(text, "numbers")
        assert numbers["status"] == {"invalid_parameter": 100}
        assert numbers["quantities"]["final_height_m"]["count"] == 0 and "no value" in text
        with pytest.raises(myriad.InputError, match="none of the 100 instances has a value"):
            myriad.report.histogram(result, "final_height_m")


@needs_plotly
@pytest.mark.parametrize("others", [TOPS["quantities"], {}])
def test_a_quantity_without_any_value_is_left_out_of_the_plots_alone(tmp_path, others):
    never = {"first_time_above": {"channel": "tilt", "threshold": 99.0}}
    with myriad.Study({**TOPS, "quantities": {**others, "never_s": never}}).run(progress=False) as result:
        text = open(result.report(tmp_path / "page.html"), encoding="utf-8").read()
    found = embedded(text, "numbers")["quantities"]
    assert set(found) == {*others, "never_s"}
    assert (found["never_s"]["count"], found["never_s"]["undefined"]) == (0, 100)
    assert "<h3>never_s</h3>" not in text
    assert all(f"<h3>{name}</h3>" in text for name in others)


@needs_plotly
def test_a_fan_holds_the_quantiles_over_the_instances(pendulums):
    with myriad.open(pendulums) as result:
        figure = myriad.report.fan_chart(result, "tip")
    with h5py.File(pendulums) as file:
        expected = numpy.quantile(file["trajectory/tip"][:, :, 1], [0.05, 0.25, 0.5, 0.75, 0.95], axis=0)

    drawn = [trace for trace in figure.data if trace.yaxis == "y2"]
    for trace, row in zip(drawn, (4, 0, 3, 1, 2)):
        assert numpy.array(trace.y, dtype=float) == pytest.approx(expected[row], rel=DIGITS, abs=DIGITS)


@needs_plotly
def test_a_fan_over_adaptive_steps_leaves_failed_instances_out(tmp_path):
    study = {**TOPS, "instances": 200, "integrator": {"name": "dopri5", "end_s": 0.05, "relative_tolerance": 1e-6,
             "absolute_tolerance": 1e-8, "largest_step_s": 0.05, "most_attempts": 40},
             "allowed_failed_share": 1.0, "observe": {"every_s": 0.01, "channels": ["position"]},
             "parameters": {**TOPS["parameters"],
                            "initial_angular_velocity_rad_s[2]": {"uniform": {"low": 0, "high": 400}}}}
    with myriad.Study(study).run(tmp_path / "r.h5", progress=False, too_many_failed="warn") as result:
        ok = result.ok
        assert 0 < ok.sum() < 200 and result.time_s.tolist() == pytest.approx([0, 0.01, 0.02, 0.03, 0.04, 0.05])
        figure = myriad.report.fan_chart(result, "position")
    with h5py.File(tmp_path / "r.h5") as file:
        expected = numpy.quantile(file["trajectory/position"][()][ok][:, :, 0, 2], [0.05, 0.25, 0.5, 0.75, 0.95], axis=0)

    drawn = [trace for trace in figure.data if trace.yaxis == "y3"]
    for trace, row in zip(drawn, (4, 0, 3, 1, 2)):
        assert numpy.array(trace.x, dtype=float) == pytest.approx(0.01 * numpy.arange(6), abs=1e-9)
        assert numpy.array(trace.y, dtype=float) == pytest.approx(expected[row], rel=DIGITS, abs=DIGITS)
    assert f"over {int(ok.sum())} instances" in figure.layout.meta["caption"]


@needs_plotly
def test_bins_and_cells_count_every_instance(pendulums):
    # More than the 1,000 that are drawn one by one.
    many = myriad.Study(TOPS, instances=1500, observe=None).run(progress=False)
    for result in (myriad.open(pendulums), many):
        name = next(iter(result.parameters))
        for quantity in [one for one in result.quantities if numpy.isfinite(result.quantities[one]).any()]:
            bars = myriad.report.histogram(result, quantity).data[0]
            assert sum(bars.y) == result.instances
            trace = myriad.report.scatter(result, quantity, name).data[0]
            counted = sum(count or 0 for row in trace.z for count in row) if trace.type == "heatmap" else len(trace.x)
            assert counted == result.instances
    assert trace.type == "heatmap"


@needs_plotly
def test_bars_are_the_shares_of_the_variance_and_convergence_ends_at_the_mean():
    result = linear({"normal": {"mean": 0.0, "standard_deviation": 0.2}}, {"normal": {"mean": 0.3, "standard_deviation": 0.1}},
                    instances=1000).run(progress=False)
    found = myriad.uncertainty.given_data(result)
    bars = myriad.report.sensitivity_bars(result).data[0]
    assert list(bars.y) == ["parameters.torque_N_m", "parameters.rate_rad_s"]
    of = [found.parameters.index(name) for name in bars.y]
    assert list(bars.x) == pytest.approx(found.indices["angle_rad"]["first_order"][of], rel=DIGITS)

    mean = myriad.report.convergence(result, "angle_rad").data[2]
    assert mean.y[-1] == pytest.approx(result.quantities["angle_rad"].mean(), rel=DIGITS)


@needs_plotly
def test_chromium_draws_all_plots_and_the_animation_without_a_network(chromium, pendulums, tmp_path):
    page = tmp_path / "page.html"
    with myriad.open(pendulums) as result:
        result.report(page, animation=True)
    text = page.read_text(encoding="utf-8")
    assert not re.search(r'\b(src|href|action)\s*=\s*["\']?\s*(https?:)?//', text) and "default-src 'none'" in text
    # Goes to the third frame when the page is ready, then presses Play. How far a browser without a screen plays is chance.
    text = text.replace("</body>", """<script>const wait = setInterval(() => {
        const root = document.documentElement.dataset, play = document.getElementById("picture-play"),
              time = document.getElementById("picture-time");
        if (!root.ready) return;
        clearInterval(wait);
        time.value = 2; time.dispatchEvent(new Event("input"));
        root.seenFrame = document.querySelector("canvas").dataset.frame;
        play.click(); root.seenPlay = play.textContent;
        play.click(); root.seenPause = play.textContent; }, 10);</script></body>""")
    page.write_text(text, encoding="utf-8")

    dom = shown(page)

    assert "data-failed" not in dom
    plots = len(re.findall(r'<div class="plot', text))
    assert int(re.search(r'data-figures="(\d+)"', dom)[1]) == plots > 10
    assert int(re.search(r'data-painted="(\d+)"', dom)[1]) > 500
    assert 'data-seen-frame="2"' in dom and 'data-seen-play="Pause"' in dom and 'data-seen-pause="Play"' in dom
    for heading in ("What was run", "Animation", "Quantities", "Distributions", "Sensitivity", "Against parameters",
                    "Convergence", "Over time", "Failures", "Certificate", "Throughput"):
        assert f">{heading}</h2>" in dom
    assert text.count("<figcaption") == plots + 1


def test_joints_hold_together_in_the_animation(pendulums):
    with myriad.open(pendulums) as result:
        picture = myriad.report.picture.picture_of_result(result)
    # Fronts and backs of both rods; the front of the lower one is the sensor "tip".
    sticks = {(one["body"], one["at"][0] > 0): numpy.array(one["at"]) for one in picture["shapes"] if one["kind"] == "stick"}
    position, orientation = numpy.array(picture["position"]), numpy.array(picture["orientation"])

    def world(body, is_front):
        return position[:, body] + myriad.report.picture._turned(orientation[:, body], sticks[body, is_front])

    # Rods of some metres, whose lengths are varied; poses are written with five digits.
    assert numpy.abs(world(0, False)).max() < 1e-3
    assert numpy.abs(world(0, True) - world(1, False)).max() < 1e-3


@needs_plotly
def test_an_animation_without_trajectories_is_refused(tmp_path):
    with myriad.Study(TOPS, observe=None).run(progress=False) as result:
        with pytest.raises(myriad.InputError, match="nothing to animate.*\n.*observe"):
            result.report(tmp_path / "page.html", animation=True)
        with pytest.raises(myriad.UnknownName, match="largest_tilt_rad"):
            myriad.report.histogram(result, "largest_tilt")
        with pytest.raises(myriad.InputError, match="no instance failed"):
            myriad.report.failures(result)
        assert "there is nothing to animate" in open(result.report(tmp_path / "page.html"), encoding="utf-8").read()


@pytest.mark.parametrize("name", ["double_pendulum", "box_on_incline", "sphere_cradle", None])
def test_chromium_paints_a_mechanism(chromium, name, tmp_path):
    page = tmp_path / "page.html"
    myriad.report.show(MECHANISMS / f"{name}.json" if name else myriad.Mechanism(SHAPES), page)
    assert int(re.search(r'data-painted="(\d+)"', shown(page))[1]) > 300


@pytest.mark.parametrize("name, kinds", [
    ("double_pendulum", {"frame", "joint", "stick"}), ("box_on_incline", {"frame", "box", "plane"}),
    ("sphere_cradle", {"frame", "joint", "stick", "sphere"})])
def test_a_mechanism_is_drawn_as_its_file_describes_it(name, kinds, tmp_path):
    page = tmp_path / "page.html"
    myriad.report.show(MECHANISMS / f"{name}.json", page)

    picture = embedded(page.read_text(encoding="utf-8"), "picture-data")
    assert {one["kind"] for one in picture["shapes"]} == kinds


# A sledge whose centre of mass is not its origin, on a spring and a bushing, with a contact of each shape.
SHAPES = {
    "bodies": {
        "sledge": {"mass_kg": 2.0, "inertia_kg_m2": [0.1, 0.1, 0.1], "centre_of_mass_m": [0.1, 0, 0], "position_m": [0, 0, 2]},
        "ball": {"mass_kg": 1.0, "inertia_kg_m2": [0.1, 0.1, 0.1], "position_m": [1.5, 0, 3]}},
    "joints": {"rail": {"type": "prismatic", "bodies": ["ground", "sledge"], "points_m": [[0, 0, 2], [0, 0, 0]],
                        "axes": [[1, 0, 0], [1, 0, 0]]}},
    "forces": {
        "spring": {"type": "spring_damper", "bodies": ["ground", "sledge"], "points_m": [[-1, 0, 2], [0.3, 0, 0]],
                   "stiffness_N_m": 1.0, "rest_length_m": 1.0},
        "bush": {"type": "bushing", "bodies": ["sledge", "ball"], "points_m": [[0.2, 0, 0], [-0.1, 0, 0]],
                 "stiffness_N_m": [1, 1, 1]}},
    "contacts": {
        "skid": {"type": "capsule_plane", "bodies": ["ground", "sledge"], "plane_point_m": [0, 0, 0], "plane_normal": [0, 0, 1],
                 "ends_m": [[-0.4, 0, -0.1], [0.4, 0, -0.1]], "radius_m": 0.05},
        "nose": {"type": "sphere_capsule", "bodies": ["sledge", "ball"], "ends_m": [[-0.4, 0, 0.2], [0.4, 0, 0.2]],
                 "point_m": [0, 0, 0.1], "radii_m": [0.06, 0.2]},
        "pin": {"type": "point_slot", "bodies": ["ground", "ball"], "slot_point_m": [0, 0, 3], "slot_normal": [0, 1, 0],
                "clearance_m": 0.5, "point_m": [0, 0, -0.1], "radius_m": 0.02},
        "crate": {"type": "box_plane", "bodies": ["ground", "ball"], "plane_point_m": [0, 0, -1], "plane_normal": [0, 0, 1],
                  "centre_m": [0.05, 0, 0], "size_m": [0.2, 0.3, 0.4]}},
}


def test_every_shape_stands_where_the_file_puts_it_from_the_centre_of_mass():
    picture = myriad.report.picture.picture_of_mechanism(myriad.Mechanism(SHAPES))

    def of(kind, **wanted):
        return [one for one in picture["shapes"] if one["kind"] == kind and wanted.items() <= one.items()]

    sledge, ball, ground = 0, 1, -1
    assert of("spring", name="spring")[0]["ends"] == [[ground, [-1, 0, 2]], [sledge, pytest.approx([0.2, 0, 0])]]
    assert of("spring", name="bush")[0]["ends"] == [[sledge, pytest.approx([0.1, 0, 0])], [ball, [-0.1, 0, 0]]]
    assert of("capsule", radius=0.05)[0]["ends"] == [pytest.approx([-0.5, 0, -0.1]), pytest.approx([0.3, 0, -0.1])]
    assert of("capsule", radius=0.06)[0]["ends"] == [pytest.approx([-0.5, 0, 0.2]), pytest.approx([0.3, 0, 0.2])]
    assert of("sphere", radius=0.2, body=ball)[0]["at"] == [0, 0, 0.1]
    assert of("sphere", radius=0.02, body=ball)[0]["at"] == [0, 0, -0.1]
    assert of("box", body=ball)[0] == {"kind": "box", "body": ball, "at": [0.05, 0, 0], "size": [0.2, 0.3, 0.4]}
    assert {tuple(one["normal"]) for one in of("plane")} == {(0, 0, 1), (0, 1, 0)}
    assert picture["position"][0] == [pytest.approx([0.1, 0, 2]), pytest.approx([1.5, 0, 3])]
    # The ends of a capsule, with its radius, are within what the picture shows.
    assert picture["radius"] > 0.5 * (1.5 + 0.2 + 1.0)


def test_the_command_writes_pages_and_says_what_is_wrong(tmp_path):
    command = "import sys, myriad.program; sys.argv[0] = 'myriad'; myriad.program.main()"
    (tmp_path / "disc.json").write_text(json.dumps(DISC), encoding="utf-8")
    page = tmp_path / "disc.html"
    code, said, _ = run_python(command, "show", tmp_path / "disc.json", "--html", page)
    assert (code, said.strip()) == (0, str(page)) and "<canvas" in page.read_text(encoding="utf-8")
    assert run_python(command, "show", tmp_path / "disc.json", "--html", tmp_path / "no" / "disc.html")[0] == 4
    page.write_text("of somebody else", encoding="utf-8")
    code, _, said = run_python(command, "show", tmp_path / "disc.json", "--html", page)
    assert code == 4 and "--overwrite" in said and page.read_text(encoding="utf-8") == "of somebody else"
    assert run_python(command, "show", tmp_path / "disc.json", "--html", page, "--overwrite")[0] == 0
    assert "<canvas" in page.read_text(encoding="utf-8")
    code, _, said = run_python(command, "report", tmp_path / "none.h5", "--html", page)
    assert code == 1 and "none.h5" in said


@needs_plotly
@pytest.mark.parametrize("write", [
    lambda result, *place, **how: result.report(*place, **how),
    lambda result, *place, **how: myriad.report.show(myriad.Mechanism(DISC), *place, **how)])
def test_a_page_replaces_pages_alone(pendulums, tmp_path, write):
    with myriad.open(pendulums) as result:
        page = tmp_path / "page.HTML"
        write(result, page)
        generator = f'<meta name="generator" content="Myriad {myriad.__version__}">'
        assert generator in page.read_text(encoding="utf-8")[:200]
        page.write_text(page.read_text(encoding="utf-8").replace("</body>", "changed</body>"), encoding="utf-8")
        write(result, page)
        assert "changed</body>" not in page.read_text(encoding="utf-8")

        # A page that speaks of such pages is none.
        page.write_text("<p>" + 600 * "x" + '<meta name="generator" content="Myriad 1">', encoding="utf-8")
        with pytest.raises(myriad.OutputError, match="no page of Myriad\n.*overwrite=True"):
            write(result, page)
        assert page.read_text(encoding="utf-8").startswith("<p>x")
        write(result, page, overwrite=True)
        assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


@needs_plotly
@pytest.mark.parametrize("overwrite", [False, True])
def test_a_page_never_takes_the_place_of_a_result_or_a_mechanism(tmp_path, overwrite):
    disc, tops, renamed = tmp_path / "disc.json", tmp_path / "tops.h5", tmp_path / "tops.html"
    disc.write_text(json.dumps(DISC), encoding="utf-8")
    with myriad.Study(TOPS, instances=2).run(tops, progress=False) as result:
        with pytest.raises(myriad.InputError, match=r"(?s)a page is a file of HTML.*write .*tops\.html"):
            result.report(tops, overwrite=overwrite)
        with pytest.raises(myriad.InputError, match="a page is a file of HTML"):
            myriad.report.show(disc, disc, overwrite=overwrite)
        shutil.copy(tops, renamed)
        with pytest.raises(myriad.OutputError):
            result.report(renamed, overwrite=overwrite)
    assert tops.read_bytes() == renamed.read_bytes() and json.loads(disc.read_text(encoding="utf-8")) == DISC


def test_a_mechanism_is_shown_on_a_page_of_its_name_by_default(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert myriad.report.show(MECHANISMS / "double_pendulum.json") == "double_pendulum.html"
    (tmp_path / "double_pendulum.html").write_text("of somebody else", encoding="utf-8")
    with pytest.raises(myriad.OutputError, match="double_pendulum.html"):
        myriad.report.show(MECHANISMS / "double_pendulum.json")


def test_a_mechanism_whose_bodies_overlap_is_drawn_as_a_run_would_move_them_apart():
    ball = {"bodies": {"ball": {"mass_kg": 1.0, "inertia_kg_m2": [0.01] * 3, "position_m": [0, 0, 0.08]}},
            "contacts": {"floor": {"type": "sphere_plane", "bodies": ["ground", "ball"], "plane_point_m": [0, 0, 0],
                                   "plane_normal": [0, 0, 1], "point_m": [0, 0, 0], "radius_m": 0.1}}}

    picture = myriad.report.picture.picture_of_mechanism(myriad.Mechanism(ball))

    assert picture["position"][0][0] == pytest.approx([0, 0, 0.1], abs=1e-6)  # in the figures that a page has
    assert 'It is drawn as "initial_penetration": "project" begins' in picture["caption"]
