"""The program `myriad` that comes with the package: `python3 -m myriad run study.json`, or the command `myriad`."""

from __future__ import annotations

import importlib.util
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from . import _engine
from .errors import InputError

# What the package does itself, as the program's help says its commands.
_OWN_COMMANDS = {"report --html": "a page about a result file, with plots: report RESULT --html PAGE",
                 "show": "draw a mechanism file on a page: show MECHANISM --html PAGE",
                 "import": "turn a URDF or MJCF file into a mechanism file",
                "bench import": "import all models below a folder, and compare them with MuJoCo: bench import FOLDER"}
# Files whose names stand where a command should.
_TAKES = {"run": (".json",), "report": (".h5", ".hdf5"), "import": (".urdf", ".xml")}
# A command of the program's help; descriptions go on further to the right.
_COMMAND = re.compile(r"^  ([a-z]\w*)(?: .*)?\n(?:   .*\n)*", re.MULTILINE)


def program_path() -> str:
    """The path of the program: that of the package, or of the build that the package lies in."""
    package = Path(__file__).parent
    for candidate in (package / "bin" / "myriad", Path(_engine.__file__).parents[2] / "myriad"):
        if candidate.is_file() and os.access(candidate, os.X_OK):
            return str(candidate)
    raise InputError(str(package), "the program myriad is not beside the package", "install the wheel, or run `./dev build`")


def name_compiler() -> None:
    """Tells the engine and the program where the compiler of the extra `compiler` is, if that is installed."""
    found = importlib.util.find_spec("ziglang")
    if found and found.origin:
        os.environ.setdefault("MYRIAD_ZIG", str(Path(found.origin).with_name("zig")))


def main() -> None:
    """Becomes the program, with this process's arguments; the package's own are `report --html`, `show` and `import`."""
    try:
        _main()
    except InputError as error:
        print(f"myriad: {error}", file=sys.stderr)
        sys.exit(1)
    except BrokenPipeError:  # such as `| head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _main() -> None:
    from .import_model import command as of_models
    from .import_model import survey as of_folders
    from .report import command as of_pages

    for command in (of_pages, of_models, of_folders):
        if command.is_ours(sys.argv[1:]):
            sys.exit(command.run(sys.argv[1:]))
    path, first = program_path(), (sys.argv[1:] or [""])[0]
    if first in ("-h", "--help"):
        print(_with_own_commands(_help_of(path)), end="")
        return
    if first and not first.startswith("-"):
        _require_command(first, _help_of(path))
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `myriad list | head` ends quietly
    os.execv(path, [path, *sys.argv[1:]])


def _help_of(path: str) -> str:
    return subprocess.run([path, "--help"], capture_output=True, text=True, check=False).stdout


def _with_own_commands(text: str) -> str:
    """The program's help with the package's commands behind its own."""
    end = max((command.end() for command in _COMMAND.finditer(text)), default=len(text))
    lines = "".join(f"  {name:<28}{description}\n" for name, description in _OWN_COMMANDS.items())
    return text[:end] + lines + text[end:]


def _require_command(word: str, text: str) -> None:
    """Refuses a first word that neither the program nor the package knows, and says what was probably meant: the
    program does not know the package's commands."""
    commands = [command[1] for command in _COMMAND.finditer(text)]
    if not commands or word in commands:  # a program that cannot start says itself why
        return
    commands += ["show", "import"]
    file = next((f"did you mean `myriad {command} {word}`? The" for command, endings in _TAKES.items()
                 if word.endswith(endings)), "")
    remedy = (f"{file} commands are: {', '.join(commands)}" if file else
              _engine.suggestion(word, commands, "commands", "myriad --help"))
    raise InputError(f'"{word}"', "this is no command", f"{remedy}; `myriad --help` tells more")
