"""What Messenger and Instagram write into a chat as if a person had: `messenger_words.toml` is the table."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

__all__ = ["is_of_app"]

_TABLE = Path(__file__).with_suffix(".toml")
#: Longer than any of these sentences with names in it.
_LONGEST = 400
#: What may stand in a sentence's gap. A reaction is no word and no number.
_GAPS = {"sender": r"(?P<sender>.{1,100})", "name": r"(?P<name>.{1,100})", "sign": r"[^\w\s]{1,16}", "any": r".{1,200}"}
_NAMED = ("{sender}", "{name}")


class _Names(NamedTuple):
    """Whom a chat's sentences may name, whole or by the first name."""

    sender: frozenset[str]
    anyone: frozenset[str]
    beginnings: tuple[str, ...]


def is_of_app(text: str, sender: str, names: tuple[str, ...]) -> bool:
    """Whether a whole message is a sentence of the app's: `names` are those of the chat's people."""
    if len(text) > _LONGEST or "\n" in text.strip():
        return False
    known, text = _known(sender, names), " ".join(text.split())
    return any(_fits(pattern, text, known) for pattern in _candidates(text, known))


def _fits(pattern: re.Pattern[str], text: str, known: _Names) -> bool:
    found = pattern.fullmatch(text)
    groups = found.groupdict() if found else {}
    who, name = groups.get("sender"), groups.get("name")
    return found is not None and (who is None or who in known.sender) and (name is None or name in known.anyone)


@lru_cache
def _known(sender: str, names: tuple[str, ...]) -> _Names:
    anyone = frozenset(each for name in (sender, *names) for each in _called(name))
    return _Names(_called(sender), anyone, tuple(f"{name} " for name in anyone))


def _called(name: str) -> frozenset[str]:
    name = " ".join(name.split())
    return frozenset({name, name.partition(" ")[0]} - {""})


def _candidates(text: str, known: _Names) -> Iterator[re.Pattern[str]]:
    """The sentences that begin like this one: most messages begin like none."""
    table = _sentences()
    yield from table.get(text.partition(" ")[0], ())
    if text.startswith(known.beginnings):
        yield from table[""]


@lru_cache(maxsize=1)
def _sentences() -> Mapping[str, list[re.Pattern[str]]]:
    """Every sentence by its first word, those that begin with a name by none."""
    by_word: dict[str, list[re.Pattern[str]]] = {}
    for language in tomllib.loads(_TABLE.read_text(encoding="utf-8")).values():
        for sentence in (each for every in language.values() for each in every):
            word = "" if sentence.startswith(_NAMED) else sentence.partition(" ")[0]
            by_word.setdefault(word, []).append(_pattern(sentence))
    return by_word


def _pattern(sentence: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", sentence)
    return re.compile("".join(_GAPS[part] if place % 2 else re.escape(part) for place, part in enumerate(parts)))
