"""Advice about somebody: what must be respected and what is liked, of whom the question names or means."""

from __future__ import annotations

from collections.abc import Sequence

from ..languages import language
from ..model import Query, Question, Seeks
from ..model.relations import RelationType
from ..text import content_stems
from .advice import Known, advice, respected
from .look import Look, as_read
from .passages import Transcript
from .relevance import Found

__all__ = ["advised", "known_of"]


def known_of(query: Query, transcript: Transcript) -> list[Known]:
    """What is to be respected, and liked, where advice is asked for about somebody."""
    question = query.question
    if not question.wants_advice:
        return []
    known = _of_others(query, transcript) or _of_about(query, transcript)
    # Whether somebody may have a thing follows from what limits them alone.
    return known if question.seeks is not Seeks.YES_NO or any(each.limits for each in known) else []


def _of_others(query: Query, transcript: Transcript) -> list[Known]:
    """The same of somebody who is only spoken of; "sister" is nobody where several tell of theirs."""
    for whom in language(query.question.language).spoken_of(query.question.text):
        name = _name_of(whom, query, transcript)
        known = [Known(*each) for each in transcript.asserted(name, query)]
        if known and (not name.islower() or len({each.turn.speaker for each in known}) == 1):
            return _respected(query.question, known)
    return []


def _name_of(whom: str, query: Query, transcript: Transcript) -> str:
    """What the asker's relative is called, where the asker has told: "my husband" is Tom since "my husband Tom"."""
    about = query.question.about
    own = transcript.asserted(about, query) if about is not None and whom.islower() else []
    tails = [each.tail for _, each, _ in own if each.relation is RelationType.RELATIVE_OF]
    return next((tail[len(whom) + 1 :] for tail in reversed(tails) if tail.lower().startswith(f"{whom} ")), whom)


def _of_about(query: Query, transcript: Transcript) -> list[Known]:
    """The same of one whom the question names; of who asks for himself `reading.tastes` tells what bears on it."""
    question = query.question
    if question.about is None or question.is_of_asker:
        return []
    return _respected(question, [Known(*each) for each in transcript.asserted(question.about, query)])


def _respected(question: Question, known: Sequence[Known]) -> list[Known]:
    """What is told of it: who asks yes or no is not looking for what pleases; whoever looks for a present, for nothing
    else.
    """
    told = respected(known, pleasing=question.seeks is not Seeks.YES_NO)
    gives = language(question.language).asks_what_to_give(question.asks)
    return told if not gives or any(each.is_liking for each in told) else []


def advised(question: Question, found: Sequence[Found], known: Sequence[Known]) -> Look:
    """What must be respected and what is liked, with the turns that say so."""
    by_turn = {
        each.turn.id: as_read(each.turn, each.turn.text, each.asserted.confidence, each.cosine) for each in known
    }
    sure = max(each.asserted.confidence for each in known)
    text = advice(known)
    if question.seeks is Seeks.YES_NO and any(_forbids(question, each) for each in known):
        text = f"{language(question.language).no()}. {text}"
    return Look(question, found, text, tuple(by_turn.values()), sure, asserted=True)


def _forbids(question: Question, known: Known) -> bool:
    """Whether what is asked about is what a limit names: "can Odette eat sesame?". Whoever asks if it should be left
    out is told yes by it.
    """
    asked = language(question.language)
    is_named = bool(set(content_stems(known.asserted.tail)) & set(question.stems))
    return known.limits and is_named and not (asked.failing(question.asks) or asked.denies(question.asks))
