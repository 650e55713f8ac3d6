"""Which of the known names a text mentions, and how it spells them. Rules that hold for every language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ..model import Named, Question, Spelling
from ..text import ENGLISH, STOPWORDS, content_stems, is_unspaced, stems
from .romanised import sounding_alike

__all__ = ["in_full", "is_part", "named", "nameless", "stands_for", "stems_beside", "with_aliases", "without"]

_ROLES = frozenset(("user", "assistant", "system", "unknown", "tool"))
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
#: "Mel" is Melanie: so much of a first name, written with a capital, stands for it.
_SHORTEST = 3


def in_full(text: str, names: Iterable[str]) -> Iterator[str]:
    """Which of `names` the text holds as whole words, in any case, each once."""
    low = text.lower()
    for name in dict.fromkeys(names):
        if name.strip() and re.search(rf"(?<!\w){re.escape(name.lower())}(?!\w)", low):
            yield name


def named(text: str, speakers: Sequence[str], language: str = ENGLISH) -> tuple[Named, ...]:
    """Each mention of a speaker: by the first name in any case, or by a part or the beginning of a name with a capital.

    In the order of the text; those in another script than the speaker's own, and then those by first name alone, come
    last. Roles are no names. A name that is bent as words of a `language` are is a mention, too.
    """
    low = text.casefold()
    first = [speaker for speaker in speakers if _by_first_name(low, speaker)]
    capital = list(_capital(text, speakers))
    if language != ENGLISH:
        capital.extend(_bent(text, speakers, language))
    found = [Named(who, word, Spelling.NAME if who in first else Spelling.PART) for who, word in capital]
    others = [speaker for speaker in speakers if speaker not in first]
    found += [Named(who, word, Spelling.NAME) for who, word in sounding_alike(text, others)]
    known = {each.speaker for each in found}
    return (*found, *(Named(who, "", Spelling.ANY_CASE) for who in first if who not in known))


def _by_first_name(low: str, speaker: str) -> bool:
    first = next(iter(speaker.casefold().split()), "")
    if len(first) < 2 or first in _ROLES:
        return False
    # Between characters that are written without spaces, there is no boundary of words.
    return bool(re.search(rf"\b{re.escape(first)}\b", low)) or (is_unspaced(first) and first in low)


def _capital(text: str, speakers: Sequence[str]) -> Iterator[tuple[str, str]]:
    for match in _WORD.finditer(text):
        word = re.sub(r"['’]s$", "", match.group())
        owner = next((speaker for speaker in speakers if stands_for(word, speaker)), None)
        if owner:
            yield owner, word


def _bent(text: str, speakers: Sequence[str], language: str) -> Iterator[tuple[str, str]]:
    """The words with a capital that have the stem of a first name: "Ани" is Аня's. Of unspaced scripts, the name."""
    for speaker in speakers:
        first = next(iter(speaker.split()), "")
        own = set(stems(first, language))
        if not first or first.casefold() in _ROLES or len(first) < 2:
            continue
        if is_unspaced(first):
            if first in text:
                yield speaker, first
            continue
        for match in _WORD.finditer(text):
            if match[0][0].isupper() and own & set(stems(match[0], language)) and not stands_for(match[0], speaker):
                yield speaker, match[0]


def stands_for(word: str, speaker: str) -> bool:
    """Whether `word` is a part of a speaker's name, or the beginning of the first name, written as names are."""
    if not speaker or speaker.lower() in ("user", "assistant"):
        return False
    first = speaker.split(maxsplit=1)[0]
    if word.lower() in (part.lower() for part in speaker.split()):
        return word[0].isupper() or speaker.islower()
    return len(word) >= _SHORTEST and word[0].isupper() and first.lower().startswith(word.lower())


def without(text: str, names: Iterable[str]) -> str:
    """`text` without these names, whole or first, and what their possessives leave."""
    for name in names:
        first = name.split()[0]
        pattern = "|".join(re.escape(n) for n in dict.fromkeys((name, first)))
        text = re.sub(rf"\b(?:{pattern})(?:'s|’s)?(?!\w)", "", text, flags=re.IGNORECASE)
    return re.sub(r"\s+", " ", text).strip()


def is_part(word: str, speaker: str) -> bool:
    """Whether `word` is the whole of a speaker's name, or a word of it, in any case."""
    return word.casefold() in (speaker.casefold(), *speaker.casefold().split())


def with_aliases(question: Question, aliases: Mapping[str, str]) -> Question:
    """`question`, where it also names those whom it calls by another name. `aliases`: whose each is, in small letters.

    An alias counts in any case, as a first name does; one that is a word of grammar, too ("Will"), with a capital. Whom
    the question names by the own name is not named again, and such a name is taken for nobody else's.
    """
    known = {each.speaker for each in question.named}
    found: dict[str, str] = {}
    for alias in in_full(question.text, aliases):
        who, written = aliases[alias], _as_written(alias, question.text)
        if written and not any(is_part(alias, name) for name in known) and who not in known:
            found.setdefault(who, written)
    if not found:
        return question
    mentioned = (*question.named, *(Named(who, word, Spelling.ALIAS) for who, word in found.items()))
    about = question.about if any(each.word for each in question.named) else next(iter(found))
    return replace(question, named=mentioned, about=about, stems=stems_beside(question.text, mentioned))


def _as_written(alias: str, text: str) -> str:
    """How `text` writes an alias that it holds; empty where it may be another word."""
    match = re.search(rf"(?<!\w){re.escape(alias)}(?!\w)", text, re.IGNORECASE)
    word = match.group() if match else ""
    return word if alias not in STOPWORDS or word[:1].isupper() else ""


def nameless(question: Question) -> str:
    """The words of a question without the speakers' names and aliases."""
    aliases = [each.word for each in question.named if each.spelling is Spelling.ALIAS]
    return without(question.text, [*question.speakers, *aliases])


def stems_beside(text: str, mentioned: Iterable[Named], language: str = ENGLISH) -> tuple[str, ...]:
    """The content stems of `text` that are of no name as it is written there, each once: what carries a question."""
    written = [name for each in mentioned if each.word for name in (each.word, each.speaker)]
    taken = {stem for name in written for stem in stems(name, language)}
    return tuple(dict.fromkeys(s for s in content_stems(text, language) if s not in taken))
