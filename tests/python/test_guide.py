"""The examples of docs/uncertainty.md and README print what stands under them."""

import importlib.util
import re
import subprocess
import sys

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


def test_the_histogram_of_the_readme_is_what_its_study_gives(tmp_path):
    text = (SOURCE / "README.md").read_text(encoding="utf-8")
    (tmp_path / "crank.json").write_text(text.split("```json study crank.json\n")[1].split("```")[0])
    code, said = text.split("```python\n")[1].split("```\n")[0], text.split("```text\n")[2].split("```")[0]

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)

    assert [line.rstrip() for line in done.stdout.splitlines()] == said.splitlines(), done.stderr
