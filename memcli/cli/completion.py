"""What a shell offers for an option's value. Quick and silent: what cannot be read at once is not offered."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from ..store.names import Heard

__all__ = [
    "contenders",
    "conversations",
    "embedders",
    "formats",
    "models",
    "parts",
    "rerankers",
    "settings_known",
    "speakers",
    "strategies",
    "weights",
]


def strategies(incomplete: str) -> list[str]:
    """The strategies."""
    from ..strategies import STRATEGIES

    return _next(incomplete, STRATEGIES)


def contenders(incomplete: str) -> list[str]:
    """What `eval` measures: strategies, baselines, and the names for all of them."""
    from ..evaluation.baselines import BASELINES
    from ..strategies import STRATEGIES

    return _next(incomplete, ["all", "baselines", *STRATEGIES, *BASELINES])


def embedders(incomplete: str) -> list[str]:
    """The embedders, those that need a model's name with a colon."""
    from ..providers.embedding import choices

    return _begun(incomplete, choices())


def rerankers(incomplete: str) -> list[str]:
    """The rerankers, those that need a model's name with a colon."""
    from ..providers.reranking import choices

    return _begun(incomplete, choices())


def models(incomplete: str) -> list[str]:
    """The language models that lie on this machine, and what the names of others begin with."""
    from ..providers.weights import installed

    choices = [*(f"gguf:{path.stem}" for path in installed()), "ollama:", "lmstudio:", "openai:"]
    return [name for name in choices if name.startswith(incomplete)]


def weights(incomplete: str) -> list[str]:
    """The language models that can be fetched, or lie on this machine."""
    from ..providers.offers import offers
    from ..providers.weights import installed

    names = sorted({*offers(), *(path.stem for path in installed())})
    return [name for name in names if name.startswith(incomplete)]


def formats(incomplete: str) -> list[str]:
    """The formats that `ingest` reads."""
    from ..formats import FORMATS

    return [name for name in FORMATS if name.startswith(incomplete)]


def parts(incomplete: str) -> list[str]:
    """What a recap is told by."""
    from ..memory.recapping import By

    return [name for name in By if name.startswith(incomplete)]


def settings_known(incomplete: str) -> list[str]:
    """The settings of the configuration file."""
    from ..config import in_force

    return [each.name for each in in_force() if each.name.startswith(incomplete)]


def speakers(context: typer.Context, incomplete: str) -> list[str]:
    """Those who speak in the store that the command names."""
    from ..store import names

    return _stored(context, incomplete, names.speakers)


def conversations(context: typer.Context, incomplete: str) -> list[str]:
    """The conversations of the store that the command names."""
    from ..store import names

    return _stored(context, incomplete, names.conversations)


def _next(incomplete: str, names: Iterable[str]) -> list[str]:
    """Of names that may be listed with commas, those that the last of `incomplete` may become."""
    before, comma, begun = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in names if name.startswith(begun)]


def _begun(incomplete: str, choices: Iterable[str]) -> list[str]:
    """Of choices such as `openai:NAME` what `incomplete` may become, up to the name."""
    return [name for name in (each.removesuffix("NAME") for each in choices) if name.startswith(incomplete)]


def _stored(
    context: typer.Context, incomplete: str, listed: Callable[[DuckDBPyConnection], Sequence[Heard]]
) -> list[str]:
    from ..config import settings
    from ..store.connection import Store

    found: list[str] = []
    with suppress(Exception):  # whatever is wrong with the store, the command itself will say it
        given = context.params.get("store")
        named = [given] if isinstance(given, (str, Path)) else given or [None]  # search and ask may name several
        store = Store(settings(store=Path(named[0]) if named[0] else None).store)
        with store.reading(wait=0.0) as db:
            found = [one.name for one in listed(db)]
    return [_typed(name) for name in found if name.startswith(incomplete)]


def _typed(name: str) -> str:
    """A name as a shell wants it typed: bash puts in what it is given, the others quote it themselves."""
    bash = os.environ.get("_MEMCLI_COMPLETE", "").endswith("bash")
    return "".join(f"\\{each}" if bash and not each.isalnum() else each for each in name)
