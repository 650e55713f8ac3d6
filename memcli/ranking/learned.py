"""What was learned from data: small JSON files in the package, whose numbers have names and a past.

    {"made": {"by": COMMAND, "from": {FILE: SHA-256}, "embedder": ID, "at": DATE}, …}

A model's inputs are an object, name → what was learned of it: where numbers belong to named things, no place in a list
stands for a name. The scripts in `benchmarks/` write these files, `made` and all; memcli reads them at first use.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from functools import lru_cache
from hashlib import file_digest, sha256
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

__all__ = ["arrays", "in_order", "inputs", "made", "packaged", "significant", "written"]

T = TypeVar("T")


@lru_cache(maxsize=8)
def packaged(package: str, file: str) -> Mapping[str, Any]:
    """The file as memcli ships it; not to be changed."""
    found: Mapping[str, Any] = json.loads(resources.files(package).joinpath(file).read_bytes())
    return found


def in_order(named: Mapping[str, T], names: Sequence[str]) -> list[T]:
    """The values of `names`, in this order. Raises ValueError where `named` lacks one, or has another."""
    if named.keys() != set(names):
        wrong = ", ".join(sorted(named.keys() ^ set(names)))
        raise ValueError(f"missing or unknown: {wrong}")
    return [named[name] for name in names]


def arrays(
    named: Mapping[str, Mapping[str, Any]], names: Sequence[str], *fields: str, dtype: npt.DTypeLike = np.float64
) -> list[npt.NDArray[Any]]:
    """One array for each of `fields`, [names] or [names, …], in the order of `names`. Raises ValueError."""
    rows = in_order(named, names)
    return [np.array([row[field] for row in rows], dtype=dtype) for field in fields]


def inputs(names: Sequence[str], **fields: Iterable[object]) -> dict[str, dict[str, object]]:
    """The inverse of `arrays`: for each name its value in each field."""
    rows = zip(*fields.values(), strict=True)
    return {name: dict(zip(fields, row, strict=True)) for name, row in zip(names, rows, strict=True)}


def significant(value: npt.ArrayLike, digits: int = 5) -> Any:
    """A number, or an array as nested lists, to so many significant digits."""
    rounded = [float(f"{each:.{digits}g}") for each in np.ravel(value).tolist()]
    return np.reshape(rounded, np.shape(value)).tolist()


def made(by: str, data: Sequence[Path], embedder: str) -> dict[str, object]:
    """The past of what is being learned: by the command `by`, from the files and folders `data`, with this embedder."""
    return {
        "by": by,
        "from": {_called(path, data): _sha256(path) for path in data},
        "embedder": embedder,
        "at": f"{date.today()}",
    }


def written(past: Mapping[str, object], numbers: Mapping[str, object]) -> str:
    """The JSON document of what was learned, one named thing a line."""
    return _laid_out({"made": past, **numbers}) + "\n"


def _called(path: Path, among: Sequence[Path]) -> str:
    """A file's name, with its folder's where another has the same."""
    alike = [each for each in among if each.name == path.name]
    return path.name if len(alike) == 1 else f"{path.absolute().parent.name}/{path.name}"


def _sha256(path: Path) -> str:
    """Of a file's bytes; of a folder, of the names of its files with theirs."""
    if path.is_dir():
        files = sorted(each for each in path.rglob("*") if each.is_file())
        return sha256("".join(f"{each.relative_to(path)} {_sha256(each)}\n" for each in files).encode()).hexdigest()
    with path.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()


def _laid_out(value: object, indent: str = "\n") -> str:
    """`value` as JSON: a line for each member of the outer objects, what has only numbers in it on one."""
    if not isinstance(value, Mapping) or not any(isinstance(each, Mapping) for each in value.values()):
        return json.dumps(value)
    deeper = f"{indent} "
    members = (f"{deeper}{json.dumps(name)}: {_laid_out(each, deeper)}" for name, each in value.items())
    return f"{{{','.join(members)}{indent}}}"
