"""Fetching a published file: what was promised, whole, or not at all. The one place of memcli that downloads."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import file_digest
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from .errors import NotFetched

__all__ = ["Heard", "Offer", "fetch"]

#: Hears how many bytes are there, of how many.
Heard = Callable[[int, int], object]

#: What a file is called while it is fetched.
_PARTIAL = ".part"
_PATIENCE = 60.0
_PIECE = 1 << 20
_PARTIAL_CONTENT = 206


@dataclass(frozen=True, slots=True)
class Offer:
    """A file that can be fetched: `bytes` long, with this checksum, under this licence."""

    name: str
    licence: str
    bytes: int
    sha256: str
    url: str

    @property
    def host(self) -> str:
        """Where it comes from."""
        return urlsplit(self.url).hostname or ""


def fetch(wanted: Offer, path: Path, heard: Heard = lambda _done, _of: None) -> None:
    """Puts what is offered to `path`, unless a file is there; what was begun before is gone on with.

    Raises NotFetched where it cannot be had, or is not what was promised: then nothing is left of it.
    """
    if path.exists():
        return
    part = path.with_name(path.name + _PARTIAL)
    with _failing(part, wanted):
        path.parent.mkdir(parents=True, exist_ok=True)
        if shutil.disk_usage(path.parent).free < wanted.bytes - _size(part):
            raise NotFetched(f"there is no room for {wanted.name} in {path.parent}", "free some space")
        _load(wanted, part, heard)
        _check(wanted, part)
        part.replace(path)


@contextmanager
def _failing(part: Path, wanted: Offer) -> Iterator[None]:
    try:
        yield
    except (OSError, HTTPException) as error:
        kept = _size(part)
        hint = f"{kept:,} of {wanted.bytes:,} bytes are there: try again, it goes on from there" if kept else ""
        raise NotFetched(
            f"cannot fetch {wanted.name} from {wanted.host}: {getattr(error, 'reason', error)}", hint
        ) from error


def _load(wanted: Offer, part: Path, heard: Heard) -> None:
    """All that is missing of it, or one byte too many."""
    if (have := _size(part)) == wanted.bytes:
        return
    if have > wanted.bytes:
        part.unlink()
        have = 0
    # Only https is offered; a test has its own server.
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
        raise NotFetched(f"what {wanted.host} sent is not {wanted.name}: its checksum is {found}", "nothing is kept")


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
