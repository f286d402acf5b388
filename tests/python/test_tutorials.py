"""The tutorials: their code runs as it stands, prints what stands under it, and finds what closed forms say. The examples of
docs/uncertainty.md and README print what stands under them."""

import importlib.util
import math
import os
import re
import subprocess
import sys

import numpy
import pytest

import myriad
from conftest import PROGRAM, SOURCE

TUTORIALS = SOURCE / "docs" / "tutorials"
BLOCK = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BETWEEN = "--- end of a block ---\n"

needs_matplotlib = pytest.mark.skipif(not importlib.util.find_spec("matplotlib"), reason="matplotlib is not installed")


def blocks(page):
    """Kind, words behind it, and text of each block of code, in order."""
    return BLOCK.findall((TUTORIALS / f"{page}.md").read_text(encoding="utf-8"))


def write_files(page, folder):
    for _, words, text in blocks(page):
        if words.endswith(".json"):
            (folder / words.split()[-1]).write_text(text, encoding="utf-8")


def expected_after(page, kind):
    """Each block of the kind, with the output that stands under it."""
    some = blocks(page)
    return [(text, some[i + 1][2] if i + 1 < len(some) and some[i + 1][0] == "text" else "")
            for i, (of, _, text) in enumerate(some) if of == kind]


@needs_matplotlib
@pytest.mark.parametrize("page", sorted(page.stem for page in TUTORIALS.glob("*.md")))
def test_each_block_prints_what_stands_under_it(page, tmp_path):
    wanted = [said for _, said in expected_after(page, "python")]
    write_files(page, tmp_path)
    code = "".join(f"{text}\nprint({BETWEEN!r}, end='')\n" for text, _ in expected_after(page, "python"))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path,
                          env={**os.environ, "MPLBACKEND": "Agg"})

    assert len([said for said in wanted if said]) >= 4
    assert done.returncode == 0, done.stderr
    assert done.stdout.split(BETWEEN)[:-1] == wanted
    saved = re.findall(r'savefig\("(\w+\.\w+)"\)', "".join(text for text, _ in expected_after(page, "python")))
    assert saved and all((tmp_path / name).stat().st_size > 1000 for name in saved)


@needs_matplotlib
def test_the_script_that_new_writes_draws_and_prints_shares(tmp_path):
    subprocess.run([PROGRAM, "new", "pump"], check=True, capture_output=True, cwd=tmp_path)
    done = subprocess.run([sys.executable, "pump.py"], capture_output=True, text=True, cwd=tmp_path,
                          env={**os.environ, "MPLBACKEND": "Agg"})

    assert done.returncode == 0, done.stderr
    quantities = re.findall(r"^(\w+): mean .+, standard deviation .+$", done.stdout, re.MULTILINE)
    shares = re.findall(r"^ +(-?\d+)% .* of the variance: (\S+)$", done.stdout, re.MULTILINE)
    assert len(quantities) == 4 and len(shares) == 4 * 3
    # The highest tip hangs on how fast the links lose energy.
    highest = shares[3 * quantities.index("highest_tip_m"):][:3]
    assert max(highest, key=lambda share: int(share[0]))[1] == "parameters.damping_N_m_s_rad"
    drawn = (tmp_path / "pump.svg").read_text(encoding="utf-8")
    assert "<svg" in drawn and len(drawn) > 10_000


def test_commands_of_the_tutorial_on_linkages_print_what_stands_under_them(tmp_path):
    write_files("linkage", tmp_path)
    commands = [(line, said) for text, said in expected_after("linkage", "sh") for line in text.splitlines()]
    assert [line.split()[:2] for line, _ in commands] == [["myriad", "list"], ["myriad", "show"]]
    for line, said in commands:
        words = line.split()
        program = [PROGRAM] if words[1] == "list" else [sys.executable, "-m", "myriad"]
        done = subprocess.run([*program, *words[1:]], capture_output=True, text=True, cwd=tmp_path)

        assert done.returncode == 0, done.stderr
        assert said in done.stdout
    assert (tmp_path / "four_bar.html").exists()


# Crank, coupler, rocker and frame of the drawing (m), and standard deviations of their tolerances.
SIZES = numpy.array([0.1, 0.28, 0.2, 0.3])
SCATTER = numpy.array([1e-4 / 3, 2e-4 / 3, 2e-4 / 3, 1e-4 / math.sqrt(3)])
# A share that 10,000 instances estimate scatters by about one per cent, and the page rounds to whole ones.
PERCENT = 2.5


def ends_of_the_rocker(sizes):
    """Highest and lowest angle, where crank and coupler lie on one line, by the law of cosines."""
    crank, coupler, rocker, frame = sizes
    return [math.pi - math.acos((rocker**2 + frame**2 - apart**2) / (2 * rocker * frame))
            for apart in (coupler - crank, coupler + crank)]


def shares_of_tolerances():
    """The share of each size in the variance of the highest angle, the lowest and the swing, and their standard deviations, by
    first derivatives."""
    step = 1e-6
    slopes = numpy.array([numpy.subtract(ends_of_the_rocker(SIZES + step * unit), ends_of_the_rocker(SIZES - step * unit))
                          for unit in numpy.eye(4)]) / (2 * step)
    variances = (numpy.column_stack([slopes, slopes[:, 0] - slopes[:, 1]]) * SCATTER[:, None])**2
    return variances / variances.sum(axis=0), numpy.sqrt(variances.sum(axis=0))


def test_shares_and_scatter_of_the_linkage_are_those_of_the_law_of_cosines():
    said = "".join(said for _, said in expected_after("linkage", "python"))
    shares, deviations = shares_of_tolerances()
    order = [1, 0, 3, 2]  # coupler, crank, frame, rocker
    for k, name in enumerate(("highest_rad", "lowest_rad", "swing_deg")):
        row = re.search(rf"^{name} (\d+) % (\d+) % (\d+) % (\d+) %$", said, re.MULTILINE)
        found = [float(share) for share in row.groups()]
        numpy.testing.assert_allclose(found, 100 * shares[order, k], atol=PERCENT)
    deviation = float(re.search(r"standard deviation ([\d.]+)$", said, re.MULTILINE)[1])
    assert math.degrees(deviations[2]) == pytest.approx(deviation, rel=0.03)  # it is printed with two digits


def test_the_linkage_closes_as_it_is_drawn(tmp_path):
    write_files("linkage", tmp_path)
    crank, coupler, rocker, frame = SIZES
    a = numpy.array([crank * math.cos(math.pi / 3), crank * math.sin(math.pi / 3)])
    diagonal = math.hypot(frame - a[0], a[1])
    angle = (math.acos((coupler**2 + diagonal**2 - rocker**2) / (2 * coupler * diagonal))
             - math.atan2(a[1], frame - a[0]))
    b = a + coupler * numpy.array([math.cos(angle), math.sin(angle)])
    turned = numpy.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    point = a + turned @ [coupler / 2, 0.04]
    # After a whole turn, as at the start.
    study = myriad.Study({"mechanism": str(tmp_path / "four_bar.json"), "instances": 1,
                          "integrator": {"name": "kinematics", "step_s": 5e-3, "end_s": 1.0},
                          "quantities": {"rad": {"final": "rocker_angle"}, "x_m": {"final": "coupler_point.x"},
                                         "y_m": {"final": "coupler_point.y"}}})
    with study.run(progress=False) as result:
        found = [result.quantities[name][0] for name in ("rad", "x_m", "y_m")]
    assert found == pytest.approx([math.atan2(b[1], b[0] - frame), *point], abs=1e-9)


def test_the_pendulum_of_the_first_tutorial_meets_its_closed_forms():
    known = {}
    exec("".join(text for text, _ in expected_after("first_study", "python")[:2]), known)
    quantities = known["one"].quantities
    # A rod from the horizontal: force 5/2 m g at the bottom; quarter of a period K(1/2) / sqrt(3 g / 2 l), K = 1.8540746773.
    assert quantities["force_N"][0] == pytest.approx(2.5 * 9.81, abs=1e-6)
    assert quantities["time_s"][0] == pytest.approx(1.8540746773 / math.sqrt(1.5 * 9.81), abs=1e-6)


def test_the_examples_of_the_guide_to_uncertainty_print_what_it_says(tmp_path):
    text = (SOURCE / "docs" / "uncertainty.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(python)?\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    code, said = "", ""
    for kind, block in blocks:
        if kind and "import openturns" in block and importlib.util.find_spec("openturns") is None:
            break
        code, said = (code + block, said) if kind else (code, said + block)
    assert code.count("print(") > 10

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)

    assert done.stdout == said, done.stderr


def test_the_python_of_the_readme_prints_what_it_says(tmp_path):
    code = (SOURCE / "README.md").read_text(encoding="utf-8").split("```python\n")[1].split("```\n")[0]
    said = [line[2:] for line in code.splitlines() if line.startswith("# ")]
    assert len(said) == 3

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)

    assert done.stdout.splitlines() == said, done.stderr


def test_the_picture_of_the_readme_is_drawn_from_the_result_of_its_study(tmp_path):
    result = myriad.Study("slider_crank").run(tmp_path / "crank.h5", progress=False)
    subprocess.run([sys.executable, SOURCE / "python" / "study_picture.py", result.path, tmp_path / "drawn.svg"], check=True)

    assert (tmp_path / "drawn.svg").read_text() == (SOURCE / "gallery" / "slider_crank_study.svg").read_text()
