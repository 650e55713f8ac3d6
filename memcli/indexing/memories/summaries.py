"""A session's summary: its most central sentences that do not repeat one another, told by name and with dates.

Central is what PageRank finds in the graph of the session's sentences (LexRank, Erkan & Radev 2004); the choice weighs
that against likeness to what is chosen already (MMR, Carbonell & Goldstein 1998).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ...languages import Language, spoken
from ...model import Kind, Turn
from ...model.generated import Generated, SessionText, Vectors, began, speaker_name
from ...providers.profiles import ENCODER, Profile
from ...ranking.pagerank import DAMPING, pagerank
from ...store.cosine import cosines
from ...text import content_stems, image

__all__ = ["summary"]

Floats = npt.NDArray[np.float64]

_LEAST, _MOST = 3, 6
_EVERY = 6  # one sentence of the summary for so many that could be in it
_NOVELTY = 0.4
_WORDS = (4, 45)


def summary(session: SessionText, profile: Profile = ENCODER) -> Generated | None:
    """The summary of a session; None where nothing but small talk was said."""
    language = spoken(turn.text for turn in session.turns)
    sayings = _sayings(session, language)
    if not sayings:
        return None
    alike = _likeness(session, sayings)
    chosen = sorted(sayings[i] for i in _choose(_centrality(alike, profile.joined), alike, profile.repeats))
    people = session.people()
    told = [_told(session.sentences[p][i], session.turns[p], people, language) for p, i in chosen]
    sources = tuple(dict.fromkeys(session.turns[p].id for p, _ in chosen))
    return Generated(Kind.SUMMARY, " ".join(dict.fromkeys(told)), sources, began(session), session.session.title)


def _sayings(session: SessionText, language: Language) -> list[tuple[int, int]]:
    """The sentences to choose from: what speakers say of themselves, or all that is no small talk if that is little."""
    people = session.people()
    telling = [(place, index, sentence) for place, index, sentence in session.said() if _tells(sentence, language)]
    own = [(p, i) for p, i, sentence in telling if language.retold(sentence, session.turns[p], people)]
    return own if len(own) >= _LEAST else [(p, i) for p, i, _ in telling]


def _tells(sentence: str, language: Language) -> bool:
    shortest, longest = _WORDS
    return shortest <= len(sentence.split()) <= longest and not image(sentence) and not language.is_small_talk(sentence)


def _likeness(session: SessionText, sayings: Sequence[tuple[int, int]]) -> Floats:
    """Cosines [n, n]: of the vectors, or of the stems where there are none."""
    if session.vectors:
        rows = np.stack([session.vectors[place][index] for place, index in sayings])
        if rows.any():
            return cosines(rows, rows)
    stems = _stem_rows([session.sentences[place][index] for place, index in sayings])
    return cosines(stems, stems)


def _stem_rows(sentences: Sequence[str]) -> Vectors:
    found = [set(content_stems(s)) for s in sentences]
    column = {stem: i for i, stem in enumerate(sorted(set[str]().union(*found)))}
    rows = np.zeros((len(found), len(column)), dtype=np.float32)
    for row, stems in zip(rows, found, strict=True):
        row[[column[s] for s in stems]] = max(len(stems), 1) ** -0.5
    return rows


def _centrality(alike: Floats, joined: float) -> Floats:
    """Of each sentence, where those that have at least the cosine `joined` are joined."""
    src, dst = np.nonzero(np.triu(alike >= joined, k=1))
    return pagerank(src, dst, alike[src, dst], len(alike), damping=DAMPING)


def _choose(centrality: Floats, alike: Floats, repeats: float) -> list[int]:
    """Greedily the most central sentence that is least like those chosen; one that `repeats` such a one comes last."""
    count = min(len(alike), max(_LEAST, min(_MOST, round(len(alike) / _EVERY))))
    weight, nearest = centrality / centrality.max(), np.zeros(len(alike))
    chosen: list[int] = []
    for _ in range(count):
        value = (1 - _NOVELTY) * weight - _NOVELTY * nearest
        value[nearest >= repeats] -= 1.0
        value[chosen] = -np.inf
        best = int(np.argmax(value))
        chosen.append(best)
        nearest = np.maximum(nearest, alike[best])
    return chosen


def _told(sentence: str, turn: Turn, people: Sequence[str], language: Language) -> str:
    """In the third person where the rules know how, else quoted after the speaker's name."""
    clauses = language.retold(sentence, turn, people)
    if clauses:
        return " ".join(f"{clause}." for clause in clauses)
    name = speaker_name(turn)
    return f"{name[:1].upper()}{name[1:]}: {language.dated(sentence.strip(), turn.said_at)}"
