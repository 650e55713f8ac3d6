"""What WhatsApp writes where something else was, in the languages of its apps: `whatsapp_words.toml` is the table."""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

__all__ = ["GONE", "placeholder"]

#: Of what nothing is left to keep: deleted messages, missed calls.
GONE = frozenset({"deleted", "missed"})

_TABLE = Path(__file__).with_suffix(".toml")
#: What stands around the words; single quotation marks are what some keyboards and tools make of the brackets.
_OPENING = ("<", "\u2039")
_AROUND = " <>\u2039\u203a.\u3002\u0964\u06d4"


def placeholder(line: str) -> str:
    """What a whole line stands for: a kind of media, or one of `GONE`; empty where it is no placeholder."""
    kind = _kinds().get(_bare(line), "") if len(line) < 120 else ""
    return kind if kind != "media" or line.lstrip()[:1] in _OPENING else ""  # without brackets a person may say so


def _bare(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).strip(_AROUND).casefold().split())


@lru_cache(maxsize=1)
def _kinds() -> Mapping[str, str]:
    table = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    return {_bare(words): kind for language in table.values() for kind, every in language.items() for words in every}
