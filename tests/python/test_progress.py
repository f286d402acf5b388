"""What is shown of a run: a bar in a terminal and in a notebook, nothing in a pipe."""

import os
import pty
import re
import sys
import types

import myriad
from conftest import TOPS, run_python
from myriad.progress import Progress, Shown, bar_text

# In chunks, so that there is something to show before the end.
IN_CHUNKS = {**TOPS, "integrator": {"name": "rk4", "step_s": 1e-5, "end_s": 0.05}}


def test_the_bar_says_how_much_is_done_and_how_long_the_rest_takes():
    half = bar_text(Progress(10000, 4900, 0.5, 30.0, 30.0))

    assert half == "[" + 20 * "#" + 20 * "." + "]  50.0 %  4,900 of 10,000 saved, 30 s left"
    assert "time left unknown" in bar_text(Progress(10, 0, 0.0, 0.0, None))
    assert "0 of 10 saved, retry 1 of 2, time" in bar_text(Progress(10, 0, 0.0, 0.0, None, "retry 1 of 2"))
    assert "25 min left" in bar_text(Progress(10, 1, 0.1, 9.0, 1500.0))
    assert "2.0 h left" in bar_text(Progress(10, 1, 0.1, 9.0, 7200.0))


def test_a_terminal_shows_a_bar_and_is_left_empty():
    parent, said = pty.fork()
    if parent == 0:
        code = f"import myriad; myriad.Study({IN_CHUNKS!r}).run(chunk=25)"
        os.execve(sys.executable, [sys.executable, "-c", code], {**os.environ, "TERM": "xterm"})
    text = b""
    while True:
        try:
            part = os.read(said, 65536)
        except OSError:  # Linux' way of saying that the terminal has closed
            break
        if not part:
            break
        text += part
    os.close(said)
    assert os.waitpid(parent, 0)[1] == 0

    assert re.search(rb"\r\[#+\.*\] +\d+\.\d %  \d+ of 100 saved", text)
    assert text.endswith(b"\r\x1b[K")


def test_a_pipe_gets_a_bar_only_where_it_is_asked_for():
    run = f"import myriad; myriad.Study({IN_CHUNKS!r}).run(chunk=25%s)"

    assert run_python(run % "") == (0, "", "")
    assert run_python(run % ", progress=False") == (0, "", "")
    code, said, errors = run_python(run % ", progress=True")
    assert (code, said) == (0, "") and "of 100 saved" in errors


def test_lines_instead_of_a_bar_where_no_control_sequences_are_wanted(monkeypatch, capsys):
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        with monkeypatch.context() as changed:
            changed.setenv(name, value)
            myriad.Study(IN_CHUNKS).run(chunk=25, progress=True)
        said = capsys.readouterr().err

        assert "\x1b" not in said and "\r" not in said
        assert 1 <= said.count(" of 100 saved") <= 10


def test_a_notebook_replaces_one_line(monkeypatch):
    shown = []

    class Handle:
        def update(self, data, raw):
            assert raw
            shown.append(data["text/plain"])

    class ZMQInteractiveShell:
        pass

    def display(data, raw, display_id):
        assert raw and display_id
        return Handle()

    notebook = types.SimpleNamespace(get_ipython=ZMQInteractiveShell, display=types.SimpleNamespace(display=display))
    monkeypatch.setitem(sys.modules, "IPython", notebook)

    myriad.Study(IN_CHUNKS).run(chunk=25)

    assert any("of 100 saved" in text for text in shown) and shown[-1] == ""


def test_what_was_finished_before_does_not_count_for_the_pace():
    told = []
    shown = Shown(told.append)
    shown.begin(500)
    shown(1000, 600, 0.0, 10.0)

    assert told == [Progress(1000, 600, 0.6, 10.0, 40.0)]
