"""Which of the known names a text mentions, and how it spells them. Rules that hold for every language."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ..model import Named, Question, Spelling
from ..text import ENGLISH, STOPWORDS, content_stems, is_unspaced, stems
from .romanised import may_be_name, sounding_alike

__all__ = ["apart", "in_full", "is_part", "named", "nameless", "stands_for", "stems_beside", "with_aliases", "without"]

_ROLES = frozenset(("user", "assistant", "system", "unknown", "tool"))
#: A letter, and the marks of Semitic and Indic scripts, which are vowels and no letters to `re`.
_SIGN = r"(?:[^\W\d_]|[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0980-\u0dff])"
_WORD = re.compile(rf"[^\W\d_]{_SIGN}*(?:['’]{_SIGN}+)?")
#: "Mel" is Melanie: so much of a first name, written with a capital, stands for it.
_SHORTEST = 3
#: What is written onto a name in Arabic and Hebrew: "and", "to", "in", "from", "that", "as".
_ONTO = re.compile(r"(?:[\u0648\u0641]?[\u0628\u0644\u0643]?|[\u05d5\u05e9]{0,2}[\u05d1\u05dc\u05db\u05de]?)")
#: Three characters of Hangul, or of Han alone: the family's name and two of one's own.
_FAMILY_FIRST = re.compile(r"[\uac00-\ud7a3]{3}|[\u3400-\u9fff]{3}")


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
    return bool(re.search(rf"(?<!\w){re.escape(first)}(?!\w|{_SIGN})", low)) or (is_unspaced(first) and first in low)


def _capital(text: str, speakers: Sequence[str]) -> Iterator[tuple[str, str]]:
    for match in _WORD.finditer(text):
        word = re.sub(r"['’]s$", "", match.group())
        owner = next((speaker for speaker in speakers if stands_for(word, speaker)), None)
        if owner:
            yield owner, word


def _bent(text: str, speakers: Sequence[str], language: str) -> Iterator[tuple[str, str]]:
    """The words that are a first name as the language bends it: "Ани" is Аня's. Of unspaced scripts, the name."""
    words = [match[0] for match in _WORD.finditer(text) if may_be_name(match[0])]
    for speaker in speakers:
        for name in _called(speaker):
            found = [name] if is_unspaced(name) and name in text else _bent_forms(name, words, language)
            yield from ((speaker, word) for word in found if not stands_for(word, speaker) or is_unspaced(word))
            if found:
                break


def _bent_forms(name: str, words: Sequence[str], language: str) -> Sequence[str]:
    own = set(stems(name, language))
    return [] if is_unspaced(name) else [w for w in words if own & set(stems(w, language)) or _is_onto(w, name)]


def _called(speaker: str) -> Iterator[str]:
    """The first name; where the family's stands before it without a space, also what follows: 지수 of 김지수."""
    first = next(iter(speaker.split()), "")
    if len(first) < 2 or first.casefold() in _ROLES:
        return
    yield first
    if _FAMILY_FIRST.fullmatch(first):
        yield first[1:]


def _is_onto(word: str, name: str) -> bool:
    """Whether it is the name after a particle that Arabic or Hebrew writes together with it."""
    before = word.removesuffix(name)
    return len(name) >= _SHORTEST and 0 < len(before) < len(word) and bool(_ONTO.fullmatch(before))


def stands_for(word: str, speaker: str) -> bool:
    """Whether `word` is a part of a speaker's name, or the beginning of the first name, written as names are."""
    if not speaker or speaker.lower() in ("user", "assistant"):
        return False
    first = speaker.split(maxsplit=1)[0]
    if word.lower() in (part.lower() for part in speaker.split()):
        return may_be_name(word) or speaker.islower()
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
    return replace(question, named=mentioned, about=about, stems=stems_beside(question.asks, mentioned))


def _as_written(alias: str, text: str) -> str:
    """How `text` writes an alias that it holds; empty where it may be another word."""
    match = re.search(rf"(?<!\w){re.escape(alias)}(?!\w)", text, re.IGNORECASE)
    word = match.group() if match else ""
    return word if alias not in STOPWORDS or word[:1].isupper() else ""


def nameless(question: Question) -> str:
    """The words of a question without the speakers' names and aliases."""
    aliases = [each.word for each in question.named if each.spelling is Spelling.ALIAS]
    return without(question.text, [*question.speakers, *aliases])


def stems_beside(text: str, mentioned: Collection[Named], language: str = ENGLISH) -> tuple[str, ...]:
    """The content stems of `text` that are of no name as it is written there, each once: what carries a question."""
    written = [name for each in mentioned if each.word for name in (each.word, each.speaker)]
    taken = {stem for name in written for stem in stems(name, language)}
    return tuple(dict.fromkeys(s for s in content_stems(apart(text, mentioned), language) if s not in taken))


def apart(text: str, mentioned: Iterable[Named]) -> str:
    """`text` with spaces around names that are written without, or a stem would be of a name and of what is beside."""
    for word in (each.word for each in mentioned):
        if word and is_unspaced(word):
            text = text.replace(word, f" {word} ")
    return text
