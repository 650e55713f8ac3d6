"""memcli: long-term conversational memory on one portable local file.

All that a public signature names can be imported from here; `docs/extending/` says how to add a strategy, an embedder,
a format, a language or a reranker.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .care import Care
    from .care.cards import Card
    from .errors import MemcliError
    from .formats.base import Format, Message, Problem
    from .formats.redaction import Redactor
    from .formats.sources import Source
    from .ingestion import Report, Watcher
    from .languages.base import Language
    from .memory import Memory, Reading
    from .memory.acquaintance import Acquaintance
    from .memory.asynchronous import AsyncMemory
    from .memory.recapping import Recap
    from .memory.remembering import Remembered
    from .memory.showing import Entry
    from .memory.watching import Noticed
    from .model import (
        Answer,
        Caution,
        Cue,
        Filters,
        Form,
        Hit,
        Item,
        Kind,
        Needs,
        Query,
        Question,
        Reckoned,
        Reckoning,
        Relation,
        Seeks,
        Session,
        SessionId,
        Standing,
        Turn,
        TurnId,
        Unit,
        UnitId,
    )
    from .model.cards import Noted
    from .providers.embedding import Embedder
    from .providers.language import LanguageModel
    from .providers.reranking import Reranker
    from .reading.stored import StoredTranscript
    from .store.compaction import Compaction
    from .store.connection import Store
    from .store.excerpts import Excerpt
    from .store.views.view import View
    from .strategies.base import Strategy

__all__ = [
    "Acquaintance",
    "Answer",
    "AsyncMemory",
    "Card",
    "Care",
    "Caution",
    "Compaction",
    "Cue",
    "Embedder",
    "Entry",
    "Excerpt",
    "Filters",
    "Form",
    "Format",
    "Hit",
    "Item",
    "Kind",
    "Language",
    "LanguageModel",
    "MemcliError",
    "Memory",
    "Message",
    "Needs",
    "Noted",
    "Noticed",
    "Problem",
    "Query",
    "Question",
    "Reading",
    "Recap",
    "Reckoned",
    "Reckoning",
    "Redactor",
    "Relation",
    "Remembered",
    "Report",
    "Reranker",
    "Seeks",
    "Session",
    "SessionId",
    "Source",
    "Standing",
    "Store",
    "StoredTranscript",
    "Strategy",
    "Turn",
    "TurnId",
    "Unit",
    "UnitId",
    "View",
    "Watcher",
    "__version__",
]

__version__ = "0.2.0"

#: Where it stands what is not in `model`.
_HOMES = {
    "Acquaintance": "memory.acquaintance",
    "AsyncMemory": "memory.asynchronous",
    "Card": "care.cards",
    "Care": "care",
    "Compaction": "store.compaction",
    "Embedder": "providers.embedding",
    "Entry": "memory.showing",
    "Excerpt": "store.excerpts",
    "Format": "formats.base",
    "Language": "languages.base",
    "LanguageModel": "providers.language",
    "MemcliError": "errors",
    "Memory": "memory",
    "Message": "formats.base",
    "Noted": "model.cards",
    "Noticed": "memory.watching",
    "Problem": "formats.base",
    "Reading": "memory",
    "Recap": "memory.recapping",
    "Redactor": "formats.redaction",
    "Remembered": "memory.remembering",
    "Report": "ingestion",
    "Reranker": "providers.reranking",
    "Source": "formats.sources",
    "Store": "store.connection",
    "StoredTranscript": "reading.stored",
    "Strategy": "strategies.base",
    "View": "store.views.view",
    "Watcher": "ingestion",
}


def __getattr__(name: str) -> object:
    # Late, so that a command which only prints its help pays for no numpy, no DuckDB and no model.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES.get(name, 'model')}", __name__), name)


def __dir__() -> list[str]:
    # What comes late is offered where names are completed.
    return sorted({*globals(), *__all__})
