"""The index of a dataset, read and compared with the files that it names."""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any

from ..errors import InputError
from ..files import PathLike

INDEX = "index.json"


def read_index(folder: PathLike, *, check: bool = False) -> dict[str, Any]:
    """The index of a dataset. `check` compares every file with its size and checksum. Raises InputError for a folder without a
    finished dataset and for a file that is missing or was changed."""
    folder = os.fspath(folder)
    path = os.path.join(folder, INDEX)
    try:
        with open(path, encoding="utf-8") as file:
            index = json.load(file)
    except FileNotFoundError:
        raise InputError(folder, f"there is no {INDEX}: no dataset, or one that was not finished",
                         "write it with myriad.datasets.write") from None
    except (OSError, ValueError) as error:
        raise InputError(path, f"it cannot be read: {error}", "write the dataset again") from None
    if not isinstance(index, dict) or index.get("format") != "myriad dataset":
        raise InputError(path, "it is no index of a dataset of myriad", "name a folder of myriad.datasets.write")
    if check:
        shards = [shard["files"] for part in index["parts"].values() for shard in part["shards"]]
        for files in [*shards, index.get("files", {})]:
            for name, about in files.items():
                _check_file(os.path.join(folder, name), about)
    return index


def _check_file(path: str, about: dict[str, Any]) -> None:
    found = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while data := file.read(1 << 20):
                found.update(data)
    except OSError as error:
        raise InputError(path, f"this file of the dataset cannot be read: {error.strerror}", "write it again") from None
    if found.hexdigest() != about["sha256"]:
        raise InputError(path, "its content is not what was written: the checksum differs from the index's",
                         "copy or write the dataset again")
