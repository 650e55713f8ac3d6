"""The weights of language models, as GGUF files on this machine: by path, or by name from the user's data directory."""

from __future__ import annotations

from pathlib import Path

from ..config import models_folder
from ..errors import ModelUnavailable

__all__ = ["SUFFIX", "installed", "weights"]

SUFFIX = ".gguf"

_MAGIC = b"GGUF"


def weights(wanted: str) -> Path:
    """The file that a path or a name means. Raises ModelUnavailable where there is none, or it is no model."""
    path = Path(wanted).expanduser()
    if not path.is_file():
        path = models_folder() / f"{wanted.removesuffix(SUFFIX)}{SUFFIX}"
    try:
        with path.open("rb") as file:
            magic = file.read(len(_MAGIC))
    except OSError as error:
        raise _missing(wanted) from error
    if magic != _MAGIC:
        raise ModelUnavailable(f"{path.name} holds no model in the GGUF format", "give another file")
    return path.resolve()


def _missing(wanted: str) -> ModelUnavailable:
    return ModelUnavailable(
        f"there is no model {wanted!r}", "give the path of a GGUF file, or a name that memcli models lists"
    )


def installed() -> list[Path]:
    """The files in the user's data directory, by name."""
    folder = models_folder()
    return sorted(folder.glob(f"*{SUFFIX}")) if folder.is_dir() else []
