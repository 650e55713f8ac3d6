"""How a message's text says that there was a picture, a recording or a file."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["KINDS", "joined", "mark"]

#: What is shown by its kind alone: the names of pictures and recordings are mostly numbers.
KINDS = {
    "image": frozenset("jpg jpeg png gif webp heic heif bmp svg avif".split()),
    "video": frozenset("mp4 mov 3gp mkv webm avi m4v".split()),
    "audio": frozenset("opus m4a mp3 ogg oga aac wav amr flac".split()),
}


def mark(name: str, type_: str = "") -> str:
    """`[image]`, `[video]` or `[audio]`; else the file by its name. `type_`: the media type, where it is known."""
    kind = type_.partition("/")[0].lower()
    if kind in KINDS:
        return f"[{kind}]"
    name = " ".join(name.split())
    ending = name.rpartition(".")[2].lower()
    kinds = (kind for kind, endings in KINDS.items() if ending in endings and "." in name)
    return f"[{next(kinds, f'file: {name}' if name else 'file')}]"


def joined(parts: Iterable[str]) -> str:
    """The parts that say something, one below the other."""
    return "\n".join(part for part in parts if part.strip())
