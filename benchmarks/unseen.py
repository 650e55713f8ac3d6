"""Encoders that have not seen what they embed: for what is learned from an encoder's vectors."""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from memcli.providers.embedding import Embedder, embedder
from memcli.providers.encoder import Encoder


@dataclass(frozen=True)
class Unseen:
    """Encoders that were trained without a part of the conversations of some files, which they embed.

    Weights that learned from an encoder's vectors of what it was trained on would trust it more than it deserves. The
    k-th encoder is for the conversations that `train_encoder.py --fold k/N --of FILE …` left out.
    """

    weights: Sequence[Path] = ()
    files: Sequence[str] = ()

    def of(self, path: Path) -> Callable[[str], Embedder]:
        """The encoder for a conversation of the file, by the conversation's name."""
        if not any(map(path.name.startswith, self.files)):
            shipped = embedder(bulk=True)
            return lambda _: shipped
        models = [Encoder(bulk=True, weights=each) for each in self.weights]
        stem = path.name.split(".")[0]
        return lambda name: models[int(shuffled(f"{stem}:{name}"), 16) % len(models)]


def shuffled(text: str) -> str:
    """An order that has nothing to do with the texts."""
    return hashlib.sha256(text.encode()).hexdigest()


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options that `chosen` reads."""
    parser.add_argument("--encoders", nargs="*", type=Path, default=[], help="trained without a part of what …")
    parser.add_argument("--of", nargs="*", default=[], help="… files whose names begin so hold")


def chosen(options: argparse.Namespace) -> Unseen:
    """None but the shipped one, where no options were given."""
    return Unseen(options.encoders, options.of)


def said(options: argparse.Namespace) -> str:
    """The options, as they were given on the command line; empty where they were not."""
    if not options.encoders:
        return ""
    return f" --encoders {' '.join(each.name for each in options.encoders)} --of {' '.join(options.of)}"
