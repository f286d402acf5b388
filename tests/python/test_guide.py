"""The examples of docs/uncertainty.md and README print what stands under them."""

import importlib.util
import re
import subprocess
import sys

import myriad
from conftest import SOURCE


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
