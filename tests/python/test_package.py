"""The package as a whole: words that help, types, the program beside it."""

import ast
import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

import myriad
from conftest import DISC, PROGRAM, SOURCE, TOPS
from myriad import import_model

PUBLIC = [getattr(myriad, name) for name in myriad.__all__] + [myriad.open]


@pytest.mark.parametrize("thing", PUBLIC, ids=lambda thing: thing.__name__)
def test_everything_public_says_what_it_is(thing):
    assert inspect.getdoc(thing), thing


@pytest.mark.parametrize("function", [
    member for thing in (myriad.Study, myriad.Mechanism, myriad.Result, myriad.Ensemble, myriad.Datasets)
    for name, member in vars(thing).items() if inspect.isfunction(member) and not name.startswith("_")],
    ids=lambda function: function.__qualname__)
def test_every_public_method_has_types(function):
    signature = inspect.signature(function)

    assert signature.return_annotation is not inspect.Signature.empty
    assert all(parameter.annotation is not inspect.Parameter.empty
               for name, parameter in signature.parameters.items() if name != "self")


def test_help_has_shapes_and_units():
    text = inspect.getdoc(myriad.Ensemble.position) + inspect.getdoc(myriad.Result) + inspect.getdoc(myriad.Ensemble.time_s)

    assert "[instance, body, 3]" in text and "rad/s" in text and "float64 [instance]" in text


def test_types_of_the_extension_stand_beside_it():
    package = Path(myriad._engine.__file__).parent
    stub = package / "_engine.pyi"

    names = {node.name for node in ast.parse(stub.read_text()).body if hasattr(node, "name")}
    assert {"Study", "Mechanism", "ResultFile", "Ensemble", "run", "backends"} <= names
    assert (package / "py.typed").exists()


def test_the_program_comes_with_the_package():
    of_module = subprocess.run([sys.executable, "-m", "myriad", "version"], capture_output=True, text=True)
    of_program = subprocess.run([myriad.program_path(), "version"], capture_output=True, text=True)

    assert of_module.returncode == 0 and of_module.stdout == of_program.stdout
    assert myriad.__version__ in of_program.stdout


@pytest.mark.parametrize("named", [None, "/own/zig"])
def test_the_compiler_of_the_extra_is_named_for_runs_unless_the_user_names_one(tmp_path, named):
    (tmp_path / "ziglang").mkdir()
    (tmp_path / "ziglang" / "__init__.py").touch()
    environment = {name: value for name, value in os.environ.items() if name != "MYRIAD_ZIG"}
    environment["PYTHONPATH"] = os.pathsep.join([*sys.path, str(tmp_path)])
    if named:
        environment["MYRIAD_ZIG"] = named

    said = subprocess.run([sys.executable, "-c", "import myriad, os; print(os.environ.get('MYRIAD_ZIG'))"],
                          capture_output=True, text=True, env=environment)

    assert said.stdout.strip() == (named or str(tmp_path / "ziglang" / "zig")), said.stderr


def test_help_has_the_commands_of_the_package_beside_those_of_the_program():
    of_program = subprocess.run([myriad.program_path(), "--help"], capture_output=True, text=True, check=True).stdout
    for option in ("--help", "-h"):
        done = subprocess.run([sys.executable, "-m", "myriad", option], capture_output=True, text=True, check=True)
        lines = done.stdout.splitlines()
        own = [line for line in lines if line not in of_program.splitlines()]
        assert [line[:17].strip() for line in own] == ["report --html", "show", "import", "bench import"]
        assert [line for line in lines if line not in own] == of_program.splitlines()
        # They stand under the heading of commands.
        heading = lines.index("Subcommands:")
        assert all(lines[heading:lines.index(line)].count("") == 0 for line in own)


@pytest.mark.parametrize("word, meant", [
    ("shwo", '"show"'), ("imprt", '"import"'), ("runn", '"run"'), ("reprot", '"report"'),
    ("study.json", "`myriad run study.json`"), ("r.h5", "`myriad report r.h5`"),
    ("arm.urdf", "`myriad import arm.urdf`")])
def test_a_word_that_is_no_command_has_what_was_meant(word, meant):
    done = subprocess.run([sys.executable, "-m", "myriad", word], capture_output=True, text=True)

    assert done.returncode == 1 and not done.stdout
    assert done.stderr.startswith(f'myriad: "{word}": this is no command\n  did you mean {meant}? The commands are: ')
    assert ", show, import" in done.stderr


def test_the_examples_of_the_guide_to_python_print_what_it_says(tmp_path):
    text = (SOURCE / "docs" / "python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(python)?\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    code, said = ("".join(block for kind, block in blocks if kind == wanted) for wanted in ("python", ""))
    assert "samples=" in code and "with_samples(" in code and "myriad.open(" in code
    (tmp_path / "ensembles").symlink_to(SOURCE / "ensembles")  # they write beside it

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)

    assert done.stdout == said, done.stderr


def test_one_of_a_thing_is_no_plural():
    mechanism = myriad.Mechanism(DISC)
    assert "1 body, 1 joint, 1 degree of freedom)" in repr(mechanism)
    study = myriad.Study({**TOPS, "parameters": {"mass_kg": TOPS["parameters"]["mass_kg"]}}, instances=1)
    result = study.run(progress=False)
    for text in (repr(study), repr(study.start()), repr(result), result.summary()):
        assert "1 instance" in text and "1 instances" not in text
    assert "2 quantities, 1 varied parameter," in repr(result)
    assert "over 1 instance" in str(result.mean("final_height_m"))[-15:]
    assert "2 instances of heavy_top" in repr(study.replace(instances=2))


@pytest.mark.skipif(not (SOURCE / "python" / "gallery.py").exists(), reason="the script is not in this package")
def test_the_script_of_the_gallery_says_which_file_it_cannot_read(tmp_path):
    for name, text in (("nowhere.h5", None), ("text.h5", "no HDF5")):
        if text is not None:
            (tmp_path / name).write_text(text)
        done = subprocess.run([sys.executable, SOURCE / "python" / "gallery.py", tmp_path / name, tmp_path / "p.svg"],
                              capture_output=True, text=True)
        assert done.returncode == 1 and name in done.stderr and "Traceback" not in done.stderr


def test_backends_are_listed_with_what_keeps_them_away():
    assert set(myriad.backends()) == {"cuda", "cpu", "reference"}


def test_the_reference_path_agrees_with_the_processor(tops):
    short = tops.replace(instances=5)
    cpu, reference = short.run(progress=False), short.run(backend="reference", progress=False)

    # 50 steps in another order of operations.
    assert cpu.quantities["largest_tilt_rad"] == pytest.approx(reference.quantities["largest_tilt_rad"], rel=1e-12)


@pytest.mark.parametrize("package, call", [
    ("SALib", lambda study: myriad.uncertainty.sobol(study)), ("SALib", lambda study: myriad.uncertainty.morris(study)),
    ("openturns", lambda study: myriad.exchange.openturns_function(study)),
    ("openturns", lambda study: myriad.exchange.openturns_distribution(study))])
def test_what_needs_another_package_says_how_to_install_it(monkeypatch, tops, package, call):
    for name in [package, *(name for name in sys.modules if name.startswith(f"{package}."))]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(myriad.InputError, match=f"{package} is not installed here\n.*pip install {package}"):
        call(tops)


def test_an_import_without_mujoco_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(myriad.InputError, match="mujoco.* is not installed here\n  install it: pip install mujoco"):
        import_model.read(tmp_path / "arm.urdf")


# Models of bench/peers/ are those that Myriad runs: both programs find the same motion, where the other one is installed.
STEPS = 100
# Each program's error over these steps is that of a method of fourth order or more: below 1e-10 m for both mechanisms.
TWO_ERRORS_M = 1e-9


def test_mujoco_moves_the_double_pendulum_as_myriad_does():
    pytest.importorskip("mujoco")
    sys.path.insert(0, str(SOURCE / "bench" / "peers"))
    import double_pendulum

    gravities_m_s2 = numpy.array([-9.9, -9.81, -3.0])
    theirs = double_pendulum.by_mujoco(gravities_m_s2, STEPS)()
    _, _, ours = double_pendulum.by_myriad(PROGRAM, gravities_m_s2, STEPS)

    assert numpy.abs(theirs - ours).max() < TWO_ERRORS_M
    assert numpy.ptp(ours[:, 2]) > 1e-3


def test_jax_and_diffrax_move_the_heavy_top_as_myriad_does():
    jax = pytest.importorskip("jax")
    pytest.importorskip("diffrax")
    sys.path.insert(0, str(SOURCE / "bench" / "peers"))
    import heavy_top

    jax.config.update("jax_enable_x64", True)
    spins_rad_s, tilts_rad = numpy.array([140.0, 150.0]), numpy.array([-0.2, 0.3])
    start = jax.numpy.asarray(heavy_top.starts(spins_rad_s, tilts_rad))
    _, _, ours = heavy_top.by_myriad(PROGRAM, spins_rad_s, tilts_rad, STEPS)

    for solve in (heavy_top.by_jax, heavy_top.by_diffrax):
        assert numpy.abs(heavy_top.places(solve(start, STEPS)()) - ours).max() < TWO_ERRORS_M
