"""Fetching the weights of a language model: from the project's list alone, whole or not at all."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from hashlib import file_digest
from http.client import HTTPException, HTTPResponse
from importlib import resources
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from ..errors import ModelUnavailable, UsageError
from .weights import PARTIAL, SUFFIX

__all__ = ["Heard", "Offer", "fetch", "offer", "offers"]

#: Hears how many bytes are there, of how many.
Heard = Callable[[int, int], object]

_PATIENCE = 60.0
_PIECE = 1 << 20
_PARTIAL_CONTENT = 206


@dataclass(frozen=True, slots=True)
class Offer:
    """A model that can be fetched: `bytes` long, with this checksum, under this licence."""

    name: str
    parameters: str
    licence: str
    bytes: int
    sha256: str
    url: str

    @property
    def host(self) -> str:
        """Where it comes from."""
        return urlsplit(self.url).hostname or ""


@lru_cache(maxsize=1)
def offers() -> Mapping[str, Offer]:
    """The project's list, by name, the smallest first."""
    text = (resources.files(__package__) / "offers.toml").read_text(encoding="utf-8")
    return {found["name"]: Offer(**found) for found in tomllib.loads(text)["model"]}


def offer(name: str) -> Offer:
    """What is offered under this name, or under `gguf:` and this name. Raises UsageError."""
    found = offers().get(name.removeprefix("gguf:"))
    if found is None:
        raise UsageError(f"the list has no model {name!r}", f"choose one of: {', '.join(offers())}")
    return found


def fetch(wanted: Offer, folder: Path, heard: Heard = lambda _done, _of: None) -> Path:
    """The file of an offer in `folder`, fetched unless it is there; what was begun before is gone on with.

    Raises ModelUnavailable where it cannot be had, or is not what was promised: then nothing is left of it.
    """
    path = folder / f"{wanted.name}{SUFFIX}"
    if path.exists():
        return path
    part = path.with_name(path.name + PARTIAL)
    with _failing(part, wanted):
        folder.mkdir(parents=True, exist_ok=True)
        if shutil.disk_usage(folder).free < wanted.bytes - _size(part):
            raise ModelUnavailable(f"there is no room for {wanted.name} in {folder}", "free some space")
        _load(wanted, part, heard)
        _check(wanted, part)
        part.replace(path)
    return path


@contextmanager
def _failing(part: Path, wanted: Offer) -> Iterator[None]:
    try:
        yield
    except (OSError, HTTPException) as error:
        kept = _size(part)
        hint = f"{kept:,} of {wanted.bytes:,} bytes are there: try again, it goes on from there" if kept else ""
        raise ModelUnavailable(
            f"cannot fetch {wanted.name} from {wanted.host}: {getattr(error, 'reason', error)}", hint
        ) from error


def _load(wanted: Offer, part: Path, heard: Heard) -> None:
    """All that is missing of it, or one byte too many."""
    if (have := _size(part)) == wanted.bytes:
        return
    if have > wanted.bytes:
        part.unlink()
        have = 0
    # Only https is listed; a test's list has its own server.
    request = Request(wanted.url, headers={"Range": f"bytes={have}-"} if have else {})  # noqa: S310
    with urlopen(request, timeout=_PATIENCE) as reply:  # noqa: S310
        have = have if reply.status == _PARTIAL_CONTENT else 0
        with part.open("ab" if have else "wb") as file:
            for piece in _pieces(reply, wanted.bytes + 1 - have):
                file.write(piece)
                have += len(piece)
                heard(have, wanted.bytes)
    if have < wanted.bytes:
        raise OSError("it broke off")


def _pieces(reply: HTTPResponse, most: int) -> Iterator[bytes]:
    while most > 0 and (piece := reply.read(min(_PIECE, most))):
        most -= len(piece)
        yield piece


def _check(wanted: Offer, part: Path) -> None:
    with part.open("rb") as file:
        found = file_digest(file, "sha256").hexdigest()
    if found != wanted.sha256:
        part.unlink()
        raise ModelUnavailable(
            f"what {wanted.host} sent is not {wanted.name}: its checksum is {found}", "nothing is kept"
        )


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
