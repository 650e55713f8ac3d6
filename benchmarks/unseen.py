"""Encoders that have not seen what they embed: for what is learned from an encoder's vectors."""

from __future__ import annotations

import argparse
import hashlib
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from memcli.providers.embedding import DEFAULT, Embedder, embedder
from memcli.providers.encoder import Encoder


@dataclass(frozen=True)
class Unseen:
    """Encoders that were trained without a part of the conversations of some files, which they embed.

    Weights that learned from an encoder's vectors of what it was trained on would trust it more than it deserves. Each
    group is patterns of the names of files, and their encoders; the k-th of these is for the conversations that
    `train_encoder.py --fold k/N --of FILE …` or the k-th of `train_questions.py` left out, one alone for all. A network
    for questions alone, `questions….onnx`, has passages embedded as they ship. Other files are embedded by `otherwise`.
    """

    groups: Sequence[tuple[Sequence[str], Sequence[Path]]] = ()
    otherwise: str = DEFAULT

    def of(self, path: Path) -> Callable[[str], Embedder]:
        """The encoder for a conversation of the file, by the conversation's name."""
        weights = next((w for files, w in self.groups if any(fnmatch(path.name, file) for file in files)), ())
        if not weights:
            shipped = embedder(self.otherwise, bulk=True)
            return lambda _: shipped
        models = [Encoder(bulk=True, **{_network(each): each}) for each in weights]
        stem = path.name.split(".")[0]
        return lambda name: models[zlib.crc32(f"{stem}:{name}".encode()) % len(models)]


def _network(weights: Path) -> str:
    return "questions" if weights.name.startswith("questions") else "weights"


def shuffled(text: str) -> str:
    """An order that has nothing to do with the texts."""
    return hashlib.sha256(text.encode()).hexdigest()


def add_options(parser: argparse.ArgumentParser) -> None:
    """The option that `chosen` reads."""
    parser.add_argument(
        "--unseen", nargs="*", default=[], metavar="FILE,…=ENCODER,…",
        help="for files of such names, like locomo*: encoders that were trained without a part of them",
    )  # fmt: skip


def chosen(options: argparse.Namespace) -> Unseen:
    """None but the shipped one, where the option was not given."""
    groups = map(_parts, options.unseen)
    named = [(files.split(","), [Path(each) for each in weights.split(",")]) for files, _, weights in groups]
    return Unseen(named, getattr(options, "embedder", DEFAULT))


def said(options: argparse.Namespace) -> str:
    """The option, as it was given on the command line; empty where it was not."""
    names = [f"{f}={','.join(Path(w).name for w in ws.split(','))}" for f, _, ws in map(_parts, options.unseen)]
    return f" --unseen {' '.join(names)}" if names else ""


def _parts(group: str) -> tuple[str, str, str]:
    return group.partition("=")
