"""A session's keywords: phrases between function words, by how often and with what their words stand, and how rare.

RAKE (Rose, Engel, Cramer & Cowley 2010) with a weight of rarity, as in TF-IDF. Names stay whole.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator

from ...languages import Language, spoken
from ...model import Kind, TurnId
from ...model.generated import Generated, SessionText, began
from ...text import image, stem

__all__ = ["keywords"]

_LEAST, _MOST = 5, 12
_EVERY = 8  # one keyword for so many different phrases
_LONGEST = 3
_PIECE = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\w\s]")

Phrase = tuple[str, ...]


def _uniform(_stem: str) -> float:
    return 1.0


def keywords(session: SessionText, rarity: Callable[[str], float] = _uniform) -> Generated | None:
    """The keywords of a session as one unit, best first; None where nothing of note was said.

    `rarity` is the weight of a stem: the rarer in the whole memory, the higher.
    """
    spelt, where = _candidates(session, spoken(turn.text for turn in session.turns))
    best = _best(_scores(where, rarity), len(where))
    if not best:
        return None
    order = {turn.id: turn.position for turn in session.turns}
    sources = sorted({turn for phrase in best for turn in where[phrase]}, key=lambda turn: (order[turn], turn))
    text = ", ".join(spelt[phrase].most_common(1)[0][0] for phrase in best)
    return Generated(Kind.KEYWORD, text, tuple(sources), began(session), session.session.title)


def _candidates(
    session: SessionText, language: Language
) -> tuple[dict[Phrase, Counter[str]], dict[Phrase, list[TurnId]]]:
    """For each phrase, as stems, its spellings and the turns where it is said."""
    speakers = {word.lower() for name in session.people() for word in name.split()}
    spelt: dict[Phrase, Counter[str]] = defaultdict(Counter)
    where: dict[Phrase, list[TurnId]] = defaultdict(list)
    for place, _, sentence in session.said():
        for words in _phrases(image(sentence) or sentence, speakers, language):
            key = tuple(stem(w.lower()) for w in words)
            spelt[key][" ".join(words)] += 1
            where[key].append(session.turns[place].id)
    return spelt, where


def _phrases(sentence: str, speakers: set[str], language: Language) -> Iterator[list[str]]:
    """Runs of words that are neither grammar nor feeling nor those who speak; a name begins a run of its own."""
    run: list[str] = []
    for word in [*_PIECE.findall(sentence), "."]:
        ends = _is_break(word, speakers, language) or len(run) == _LONGEST
        if run and (ends or _is_name(word) != _is_name(run[-1])):
            yield run
            run = []
        if not _is_break(word, speakers, language):
            run.append(word if _is_name(word) else word.lower())


def _is_name(word: str) -> bool:
    return word[:1].isupper()


def _is_break(word: str, speakers: set[str], language: Language) -> bool:
    low = word.lower().replace("’", "'")
    return language.ends_phrase(low) or _is_speaker(low.removesuffix("'s"), speakers)


def _is_speaker(word: str, speakers: set[str]) -> bool:
    """ "Mel" is Melanie."""
    return word in speakers or any(len(word) in (3, 4) and name.startswith(word) for name in speakers)


def _scores(where: dict[Phrase, list[TurnId]], rarity: Callable[[str], float]) -> dict[Phrase, float]:
    """Σ degree · rarity over the words of a phrase, over the root of their number, times the root of its frequency.

    The degree of a word is the length of all phrases that it stands in, so it grows with its frequency.
    """
    degree: Counter[str] = Counter()
    for phrase, turns in where.items():
        for word in phrase:
            degree[word] += len(phrase) * len(turns)
    return {
        phrase: sum(degree[w] * rarity(w) for w in phrase) * (len(turns) / len(phrase)) ** 0.5
        for phrase, turns in where.items()
    }


def _best(scores: dict[Phrase, float], phrases: int) -> list[Phrase]:
    """The best phrases, none of which is made of words that are said already."""
    count = max(_LEAST, min(_MOST, phrases // _EVERY))
    chosen: list[Phrase] = []
    said: set[str] = set()
    for phrase in sorted(scores, key=lambda p: (-scores[p], p)):
        if len(chosen) < count and not said.issuperset(phrase):
            chosen.append(phrase)
            said.update(phrase)
    return chosen
