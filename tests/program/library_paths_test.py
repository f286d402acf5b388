"""No program or library of the build, the installation or the package looks for libraries in the current folder."""

import os
import re
import struct
import unittest
from pathlib import Path

PROGRAM = Path(os.environ["MYRIAD_PROGRAM"])
DT_STRTAB, DT_RPATH, DT_RUNPATH = 5, 15, 29
PT_LOAD, PT_DYNAMIC = 1, 2


def library_paths(file):
    """The DT_RPATH and DT_RUNPATH texts of a 64-bit ELF file; None where it is no linked ELF file."""
    data = file.read_bytes()
    if data[:5] != b"\x7fELF\x02" or struct.unpack_from("<H", data, 16)[0] not in (2, 3):
        return None
    first, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    segments = [struct.unpack_from("<IIQQQQ", data, first + i * size) for i in range(count)]

    def offset_of(address):
        return next(offset + address - start for kind, _, offset, start, _, length in segments
                    if kind == PT_LOAD and start <= address < start + length)

    entries = [entry for kind, _, offset, _, _, length in segments if kind == PT_DYNAMIC
               for entry in struct.iter_unpack("<QQ", data[offset:offset + length])]
    texts = offset_of(next(value for tag, value in entries if tag == DT_STRTAB)) if entries else 0
    starts = [texts + value for tag, value in entries if tag in (DT_RPATH, DT_RUNPATH)]
    return [data[start:data.index(b"\0", start)].decode() for start in starts]


def empty_or_relative(path):
    """What the loader reads as the current folder, or as a folder in it."""
    return [element for element in path.split(":") if not element.startswith(("/", "$ORIGIN"))]


class LibraryPaths(unittest.TestCase):
    def test_an_empty_element_is_seen(self):
        self.assertEqual(empty_or_relative("$ORIGIN::/usr/lib"), [""])
        self.assertEqual(empty_or_relative("$ORIGIN:"), [""])
        self.assertEqual(empty_or_relative("lib:$ORIGIN/../lib"), ["lib"])

    def test_no_program_or_library_has_an_empty_or_relative_element(self):
        packaged = PROGRAM.parent.name == "bin"
        folders = [PROGRAM.parent.parent / name for name in ("bin", "lib", "tests")] if packaged else [PROGRAM.parent]
        paths = {file: library_paths(file) for folder in folders if folder.is_dir()
                 for file in folder.iterdir() if file.is_file() and not file.is_symlink()}
        paths = {file: path for file, path in paths.items() if path is not None}
        self.assertTrue(paths[PROGRAM], "a program without RPATH: this test reads nothing")
        for file, texts in paths.items():
            for text in texts:
                self.assertEqual(empty_or_relative(text), [], f"{file}: {text}")
                if packaged:
                    self.assertTrue(all(part.startswith("$ORIGIN") for part in text.split(":")), f"{file}: {text}")

    def test_installing_writes_no_empty_element(self):
        script = PROGRAM.parent / "cmake_install.cmake"
        if not script.exists():
            self.skipTest("not a build folder")
        text = script.read_text()
        # Files that are installed as linked were read above; a change of RPATH at installing would pad it.
        self.assertNotIn("RPATH_CHANGE", text)
        for path in re.findall(r'\bRPATH "([^"]*)"', text):
            self.assertEqual(empty_or_relative(path.replace("\\$", "$")), [], path)


if __name__ == "__main__":
    unittest.main()
