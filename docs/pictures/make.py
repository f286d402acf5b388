"""Makes the pictures that show what the program and the Python package do, from the text of the pages themselves.

    python3 docs/pictures/make.py build/myriad [folder, by default docs/pictures]

Needs the Python package (PYTHONPATH=build/python), matplotlib, plotly, and Chromium for the pages. Drawings, which nothing
makes (contact.svg, frames.svg, four_bar.svg, traced_step.svg), are edited by hand.
"""

import os
import re
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Text stays text and names are the same in each run, so that a picture is small and changes only with what it shows.
STYLE = """import matplotlib
matplotlib.use("svg")
matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "myriad", "figure.figsize": (6.4, 3.2),
                            "figure.autolayout": True})
import matplotlib.pyplot
save = matplotlib.pyplot.savefig
matplotlib.pyplot.savefig = lambda name: save(name, metadata={"Date": None})
"""
# For each tutorial the pictures that its code saves, under the names that they have here.
PLOTS = {"first_study": {"forces.svg": "first_study.svg", "damped.svg": "first_study_damped.svg"},
         "linkage": {"swing.svg": "four_bar_swing.svg"}}
RESULTS = """
import json
keys = {**settings, "instances": 2000, "design": {"kind": "sobol", "seed": 1}, "parameters": tolerances}
with open("linkage.json", "w", encoding="utf-8") as file:
    json.dump(keys, file)
keys["observe"] = {"every_s": 0.02, "channels": ["position", "orientation", "rocker_angle"]}
myriad.Study(keys).run("report.h5", progress=False).report("report.html")
"""
COMMAND = ["run", "linkage.json"]
CHARACTER, LINE, MARGIN = 7.8, 17, 14  # px of a monospaced font of 13 px


def blocks(page, kind):
    text = (HERE.parent / "tutorials" / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def run(words, folder):
    done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{words[0]} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def photograph(page, picture, width, height):
    run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
         "--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=20000", f"--window-size={width},{height}",
         f"--screenshot={picture}", page.as_uri()], page.parent)


def beginning_with(heading, page):
    """A copy of the page without what stands above the heading."""
    cut = page.with_name(f"{heading}.html")
    style = f"<style>:has(~ #{heading}) {{ display: none }}</style></head>"
    cut.write_text(page.read_text(encoding="utf-8").replace("</head>", style, 1), encoding="utf-8")
    return cut


def terminal(command, said):
    """A terminal with a command and what it prints, as SVG."""
    lines = [f"$ {command}", *said.rstrip().splitlines()]
    width = 2 * MARGIN + CHARACTER * max(map(len, lines))
    height = 2 * MARGIN + LINE * len(lines)
    rows = (f'  <text x="{MARGIN}" y="{MARGIN + LINE * (i + 0.75):g}">{escape(line)}</text>' for i, line in enumerate(lines))
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" role="img" aria-label="A run in a terminal">',
        "  <style>text { font: 13px monospace; fill: #e6e6e6; white-space: pre }</style>",
        f'  <rect width="{width:g}" height="{height:g}" rx="6" fill="#1e1e1e"/>', *rows, "</svg>\n"])


def main(program, pictures):
    pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "four_bar.json").write_text(blocks("linkage", "json mechanism four_bar.json")[0], encoding="utf-8")
        for page, saved in PLOTS.items():
            code = STYLE + "".join(blocks(page, "python")) + (RESULTS if page == "linkage" else "")
            run([sys.executable, "-c", code], folder)
            for here, there in saved.items():
                (pictures / there).write_bytes((folder / here).read_bytes())
        run([sys.executable, "-m", "myriad", "show", "four_bar.json"], folder)
        photograph(folder / "four_bar.html", pictures / "four_bar_show.png", 900, 690)
        photograph(folder / "report.html", pictures / "report.png", 1000, 1420)
        photograph(beginning_with("distributions", folder / "report.html"), pictures / "report_plots.png", 1000, 1150)
        said = run([program, *COMMAND], folder)
        (pictures / "terminal.svg").write_text(terminal("myriad " + " ".join(COMMAND), said), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(os.path.abspath(sys.argv[1]), Path(sys.argv[2] if len(sys.argv) > 2 else HERE).resolve())
