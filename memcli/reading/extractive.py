"""The reader that needs no language model: a value, or the sentence that answers, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Protocol

from memcli.languages import language
from memcli.languages.replacing import notes_what_changes
from memcli.model import Answer, Caution, Form, Hit, Query, Question, Reckoned, Seeks, Standing, TurnId
from memcli.reading import confidence, relevance, rivals
from memcli.reading.advice import Known
from memcli.reading.advising import advised, known_of
from memcli.reading.confidence import Confidence, Doubted
from memcli.reading.denials import as_asked
from memcli.reading.judge import Judge
from memcli.reading.likeliest import likeliest
from memcli.reading.listing import NAMED, as_written, listed, times
from memcli.reading.look import Look, parts
from memcli.reading.network import Network, network
from memcli.reading.ordering import BESIDE, answered, is_sum, ordered
from memcli.reading.passages import Passage, Transcript, later, put_right
from memcli.reading.polarity import yes_or_no
from memcli.reading.relevance import Found
from memcli.reading.rivals import Either
from memcli.reading.shortlist import to_read
from memcli.reading.states import standing, when
from memcli.reading.tastes import tasted
from memcli.reading.telling import silent, told
from memcli.reading.temporal import is_moved
from memcli.reading.unread import Unread
from memcli.reading.values import Value
from memcli.reading.working_out import in_time, left_open, told_of, worked_out

__all__ = ["ExtractiveReader", "Find", "Reader", "earlier", "found_in"]

#: Finds what a question of the reader's own asks for; None where it could not be read beside the rest.
Find = Callable[[str], tuple[Query, Sequence[Hit]] | None]
#: A window is of one thing with the likeliest from this share of its trust on, where nothing else tells.
_OF_ONE = 0.4
#: How probable what is asserted, or worked out, must be: no regression of what is read tells that.
_ASSERTED = {Caution.CAREFUL: 0.7, Caution.USUAL: 0.55, Caution.BOLD: 0.25}


class Reader(Protocol):
    """Turns hits into an answer."""

    def read(self, query: Query, hits: Sequence[Hit]) -> Answer:
        """The answer to `query` that `hits`, best first, support; or an abstention."""


class ExtractiveReader:
    """Answers in the words of memory: no language model, no connection, the same answer every time.

    `network_` reads, `judge` tells which windows answer, `doubt` what the answer is worth, and `either` what two
    sentences are; None for the package's.
    `caution`: how sure an answer must be to be given. `unread` judges what is not in English; without it, the network
    reads that, too. `find` finds what a part of a question asks for, by itself.
    """

    def __init__(
        self,
        transcript: Transcript,
        network_: Network | None = None,
        judge: Judge | None = None,
        doubt: Confidence | None = None,
        either: Either | None = None,
        *,
        caution: Caution = Caution.USUAL,
        unread: Unread | None = None,
        find: Find | None = None,
    ) -> None:
        self._transcript, self._network = transcript, network_ or network()
        self._judge, self._doubt = judge or relevance.packaged(), doubt or confidence.packaged()
        self._threshold, self._either = self._doubt.thresholds[caution], either or rivals.packaged()
        self._unread, self._caution, self._find = unread, caution, find

    def read(self, query: Query, hits: Sequence[Hit]) -> Answer:
        """The answer to `query` that `hits`, best first, support; or an abstention."""
        return self.answer(self.look(query, hits))

    def trust(self, query: Query, hits: Sequence[Hit]) -> Answer:
        """The same from hits of which somebody said that they hold the answer: none is doubted."""
        look = self.look(query, hits)
        if not look.found:
            unit = hits[0].unit
            return Answer(unit.text, (unit.sources[0],), self._threshold, abstained=False, form=Form.QUOTE)
        return self.answer(look, believed=True)

    def answer(self, look: Look, *, believed: bool = False) -> Answer:
        """What is said of a look; of one that is `believed`, whatever it is worth."""
        if not look.found:
            return silent(look, 0.0)
        doubted, threshold = self._doubted(look)
        if believed:
            return told(look, replace(doubted, trust=max(doubted.trust, threshold)))
        doubted = self._either(look, doubted)
        return told(look, doubted) if doubted.trust >= threshold else silent(look, doubted.trust)

    def _doubted(self, look: Look) -> tuple[Doubted, float]:
        """What the answer is worth, and how much it must be; of what the network cannot read, its judge has said it."""
        if self._unread is None or not look.first.unread:
            return self._doubt(look), _ASSERTED[self._caution] if look.asserted else self._threshold
        form = Form.VALUE if look.text and look.typed else Form.QUOTE
        return Doubted(form, look.first.trust), self._unread.thresholds[self._caution]

    def look(self, query: Query, hits: Sequence[Hit]) -> Look:
        """The question as understood, what was read, and the answer before it is doubted."""
        question, known = query.question, known_of(query, self._transcript)
        if question.wants_advice and not known and (tastes := self._tasted(query, hits)):
            return tastes
        look = self._looked(query, hits, known)
        is_left = question.may_want_advice and not question.wants_advice and not self._is_said(look)
        return (self._tasted(query, hits) if is_left else None) or look

    def _tasted(self, query: Query, hits: Sequence[Hit]) -> Look | None:
        """What who asks has said of his tastes, if that surely bears on what he asks."""
        found = tasted(query, hits, self._transcript)
        return found if self._is_said(found) else None

    def _is_said(self, look: Look) -> bool:
        if not look.found:
            return False
        doubted, threshold = self._doubted(look)
        return doubted.trust >= threshold

    def _looked(self, query: Query, hits: Sequence[Hit], known: Sequence[Known]) -> Look:
        question = query.question
        sought = None if known else language(question.language).reckoning(question.asks)
        if sought is None:
            return self._read(query, hits, known)
        if sought.kind is Reckoned.COUNT:
            look = self._read(query, hits)
            return look if self._tells(look) else told_of(query, hits, sought, look, self._read, self._trust)
        if not sought.named:
            look = left_open(sought, self._read(query, hits))
            return in_time(told_of(query, hits, sought, look, self._read, self._trust))
        made = worked_out(query, hits, sought, self._part, self._trust)
        return made or left_open(sought, self._read(query, hits))

    def _part(self, query: Query, hits: Sequence[Hit], without: Collection[TurnId]) -> Look:
        """A part, as the surer tells it: what was found for the whole question, or what is found for it alone."""
        look = self._read(query, _but(hits, without))
        found = self._find(query.question.text) if self._find else None
        if found is None:
            return look
        own, near = found
        alone = self._read(replace(own, question=query.question), _but(near, without))
        return max(look, alone, key=lambda each: self._trust(each) if each.found else 0.0)

    def _trust(self, look: Look) -> float:
        return self._doubt(look).trust

    def _tells(self, look: Look) -> bool:
        """Whether its value would be said, or nothing was read."""
        if not look.found or look.first.unread:
            return True
        return bool(look.text) and self._is_said(look) and self._doubt(look).form is Form.VALUE

    def _read(self, query: Query, hits: Sequence[Hit], known: Sequence[Known] = ()) -> Look:
        question = query.question
        passages, further = to_read(question, query, hits, self._transcript)
        found = relevance.read(question, passages, self._network, self._judge, self._unread, further=further)
        if not found:
            return Look(question, ())
        more = self._beside(question, found, further) if question.listing else []
        found += self._since(query, found)
        return found_in(question, found, known, more)

    def _beside(self, question: Question, found: Sequence[Found], further: Sequence[Passage]) -> list[Found]:
        """What is read for the items of a list alone, where something else answered before."""
        known = {id(each.passage) for each in found}
        new = [each for each in further if id(each) not in known]
        return relevance.read(question, new, self._network, self._judge, self._unread, found)

    def _since(self, query: Query, found: Sequence[Found]) -> list[Found]:
        """What was said since then to put the best window right, or of what it notes, where that may have changed."""
        question, best = query.question, found[0].passage
        known = {each.passage.turn for each in found}
        new = [each for each in put_right(question, query, best, self._transcript) if each.turn not in known]
        if question.standing is Standing.NOW and notes_what_changes(best.turn_text):
            known |= {each.turn for each in new}
            new += [each for each in later(question, query, best, self._transcript) if each.turn not in known]
        return relevance.read(question, new, self._network, self._judge, self._unread, found)


def _but(hits: Sequence[Hit], without: Collection[TurnId]) -> Sequence[Hit]:
    return [hit for hit in hits if not any(turn in without for turn in hit.unit.sources)]


def found_in(question: Question, found: Sequence[Found], known: Sequence[Known], further: Sequence[Found] = ()) -> Look:
    """The answer that the windows hold, the likeliest first; there is one at least. `known`: see `known_of`. `further`
    windows have items of a list, and nothing else.
    """
    if known:
        return advised(question, found, known)
    found = answered(question, found)
    if found[0].unread:
        return _unread(question, found)
    if question.seeks is Seeks.YES_NO:
        return yes_or_no(question, found)
    if written := as_written(question, found):
        return written
    ranked = ordered(question, found)
    if not ranked:
        return Look(question, found, cited=parts(found) if is_sum(question) else ())
    if question.seeks is Seeks.OFTEN or question.counts_times:
        return times(question, found, ranked) or _single(question, found, ranked)
    if question.listing:
        read = [*ranked, *ordered(question, further)]
        return listed(question, found, as_asked(question, read, [*found, *further]))
    return _single(question, found, as_asked(question, ranked, found) if _names_what_is_not(question) else ranked)


def _names_what_is_not(question: Question) -> bool:
    """Whether it asks which thing something is denied of; why it is, or when, the words that deny it do not tell."""
    return question.seeks in NAMED and language(question.language).denies(question.asks)


def _unread(question: Question, found: Sequence[Found]) -> Look:
    """Of what is not read as English nothing is taken but a time: values of windows that are less likely are none."""
    window = _that_holds(question, found)
    best = likeliest(question, window) if question.seeks in (Seeks.WHEN, Seeks.LENGTH) else None
    if best is None or not best.typed:
        return Look(question, found, "", (window,))
    return Look(question, found, best.text, (window,), best.chance)


def _that_holds(question: Question, found: Sequence[Found]) -> Found:
    """The likeliest window; or the first, or the newest, of those about as likely, if that is asked for; of when
    something is, the newest that says that it is at another time now. As sure as the likeliest.
    """
    best, stands, chosen = found[0], question.standing, max
    if question.seeks is Seeks.WHEN and stands in (Standing.ANY, Standing.NOW):
        near = [each for each in _near(found, BESIDE) if each is best or (when(each) > when(best) and is_moved(each))]
    elif stands is Standing.ANY:
        near = [best]
    else:
        near, chosen = _near(found, _OF_ONE), max if stands in (Standing.NOW, Standing.LAST) else min
    return replace(chosen(near, key=when), trust=best.trust)


def _near(found: Sequence[Found], share: float) -> list[Found]:
    """The likeliest window, and those with a date that are at least this share as likely."""
    best = found[0]
    return [best, *(each for each in found[1:] if each.trust >= share * best.trust and each.passage.at)]


def _single(question: Question, found: Sequence[Found], ranked: Sequence[Value]) -> Look:
    now, before = standing(question, ranked)
    text = f"{now.text}{earlier(question)}{before.text}{_until(question, now)})" if before else now.text
    cited = (now.found, before.found) if before else (now.found,)
    return Look(question, found, text, cited, now.chance, now.typed)


def earlier(question: Question) -> str:
    """What stands between the value that holds now and the one before it: " (before: "."""
    return f" ({language(question.language).before()}: "


def _until(question: Question, value: Value) -> str:
    at = value.found.passage.at
    return f", {language(question.language).until(at)}" if at else ""
