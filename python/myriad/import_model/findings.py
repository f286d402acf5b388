"""What an import has to say besides the mechanism, each in a line that begins with the element's place in the model's file.

One rule tells what a change is: whatever would move the mechanism otherwise than MuJoCo moves the model. A change is never
silent. It is refused, or left out with a line, which `strict` refuses as well; where the mechanism does the same by another
law, as rigid stops for soft ones, it differs. Notes are about what moves nothing (sensors, pictures) or is meant so.
"""

from __future__ import annotations

from ..errors import InputError


class Findings:
    """Lines in the order in which they were found.

    left_out   what the file has, the mechanism has not, and motions depend on; why
    differs    what the mechanism does by another law than MuJoCo
    notes      what else a user may want to know
    """

    def __init__(self) -> None:
        self.left_out: list[str] = []
        self.differs: list[str] = []
        self.notes: list[str] = []

    def leave_out(self, place: str, why: str) -> None:
        _add(self.left_out, f"{place}: {why}")

    def differ(self, line: str) -> None:
        _add(self.differs, line)

    def note(self, line: str) -> None:
        _add(self.notes, line)

    def refuse_what_is_left_out(self, path: str) -> None:
        """InputError with all lines, where there are any."""
        if self.left_out:
            count = len(self.left_out)
            raise InputError(path, f"strict, and {count} part{'s' if count > 1 else ''} would be left out:\n    "
                             + "\n    ".join(self.left_out),
                             "name in --without what is not wanted, take it out of the file, or import without --strict")


def _add(lines: list[str], line: str) -> None:
    if line not in lines:
        lines.append(line)
