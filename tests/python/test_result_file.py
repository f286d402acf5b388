"""docs/result_file.md: its code runs, and its tree and its attributes are those of a file that is written here."""

import json
import re
import subprocess
import sys

import h5py
import pytest

from conftest import DISC, SOURCE, run_program

PAGE = (SOURCE / "docs" / "result_file.md").read_text(encoding="utf-8")


def block(kind):
    return re.search(rf"^```{kind}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("result_file")
    (place / "study.json").write_text(block("json study study.json"), encoding="utf-8")
    done = run_program("run", place / "study.json", "--out", place / "study.h5")
    assert done.returncode == 0, done.stderr
    return place


def paths(group):
    """Every dataset below a group, under each of its names."""
    for name, item in group.items():
        if isinstance(item, h5py.Group):
            yield from paths(item)
        else:
            yield f"{group.name.rstrip('/')}/{name}"


def row(file, path):
    """Name, type, axes and unit of a dataset, as the page writes them."""
    dataset, name = file[path], path.rsplit("/", 1)[1]
    kind = "text" if dataset.dtype.kind == "O" else str(dataset.dtype)
    axes = ", ".join(map(str, dataset.attrs.get("DIMENSION_LABELS", [name])))
    return f"  {name:32} {kind:8} {axes:41} {dataset.attrs.get('unit', '')}".rstrip()


# The other entries of a certificate depend on the system and the method.
COUNTS = {f"/instance/certificate/{name}" for name in ("steps", "rejected_steps", "runs")}


def tree(file):
    lines, group = [f"  {'name':32} {'type':8} {'axes':41} unit"], None
    for path in sorted(paths(file), key=lambda path: path.rsplit("/", 1)):
        folder = path.rsplit("/", 1)[0] + "/"
        if folder == "/instance/certificate/" and path not in COUNTS:
            continue
        if folder != group:
            lines.append(group := folder)
        lines.append(row(file, path))
    return "\n".join(lines) + "\n"


def test_the_tree_is_that_of_the_file(folder):
    with h5py.File(folder / "study.h5") as file:
        assert block("text tree") == tree(file)


def test_monitors_of_the_certificate_are_described_numbers(folder):
    with h5py.File(folder / "study.h5") as file:
        monitors = [file[path] for path in paths(file) if path.startswith("/instance/certificate/") and path not in COUNTS]
        assert len(monitors) >= 2
        assert all(monitor.dtype == "float64" and monitor.attrs["description"] and monitor.attrs["unit"] for monitor in monitors)


def test_the_five_lines_print_what_stands_under_them(folder):
    done = subprocess.run([sys.executable, "-c", block("python")], capture_output=True, text=True, cwd=folder)

    assert done.stdout == block("text"), done.stderr


def test_every_attribute_of_the_file_stands_on_the_page_and_none_else(folder):
    table = PAGE.split("The root has these attributes:")[1].split("\n\n")[1]
    named = set(re.findall(r"`(\w+)`", "".join(line.split("|")[1] for line in table.splitlines()[2:])))
    with h5py.File(folder / "study.h5") as file:
        assert named - set(file.attrs) == {"coordinates", "mechanism_title", "mechanism_source", "warnings"}
        assert set(file.attrs) <= named


def test_every_dataset_has_a_description(folder):
    with h5py.File(folder / "study.h5") as file:
        bare = [path for path in paths(file) if not file[path].attrs.get("description")]
    assert bare == ["/statistics/quantile_probability", "/statistics/quantity"]


def test_a_mechanism_and_eigenfrequencies_add_what_the_page_says(tmp_path):
    disc = {**DISC, "forces": {"spring": {"type": "torsional_spring_damper", "joint": "hinge", "stiffness_N_m_rad": 2.0}}}
    study = {"mechanism": disc, "start": "equilibrium", "integrator": {"name": "rk4", "step_s": 1e-2, "end_s": 0.1}, "instances": 64,
             "parameters": {"bodies.disc.mass_kg": {"uniform": {"low": 1, "high": 2}}}, "statistics": {"sensitivity": True},
             "quantities": {"frequency_Hz": {"eigenfrequency_Hz": 1}}}
    (tmp_path / "disc.json").write_text(json.dumps(study), encoding="utf-8")
    done = run_program("run", tmp_path / "disc.json", "--out", tmp_path / "disc.h5")
    assert done.returncode == 0, done.stderr

    with h5py.File(tmp_path / "disc.h5") as file:
        found = set(paths(file))
        attributes = set(file.attrs)
    table = PAGE.split("## More datasets")[1].split("##")[0]
    for path in re.findall(r"`(/\S+)`", table):
        assert path in found, path
    assert {"coordinates", "mechanism_title", "mechanism_source"} <= attributes
