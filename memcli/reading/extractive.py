"""The reader that needs no language model: a value, or the sentence that answers, or nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Protocol

from memcli.languages import language, spoken
from memcli.languages.replacing import notes_what_changes
from memcli.model import Answer, Caution, Form, Hit, Item, Query, Question, Reckoned, Seeks, Standing, TurnId
from memcli.model.relations import RelationType
from memcli.reading import confidence, relevance
from memcli.reading.advice import Known, advice, respected
from memcli.reading.confidence import Confidence, Doubted
from memcli.reading.denials import as_asked, naming
from memcli.reading.enumerations import enumerated
from memcli.reading.judge import Judge
from memcli.reading.likeliest import likeliest, told_in
from memcli.reading.look import LISTED, Look, as_read, parts
from memcli.reading.network import Network, network
from memcli.reading.passages import Passage, Transcript, asks, later, put_right
from memcli.reading.quoting import quoted
from memcli.reading.relevance import Found
from memcli.reading.shortlist import to_read
from memcli.reading.states import standing, successor, when
from memcli.reading.tastes import tasted
from memcli.reading.temporal import is_moved
from memcli.reading.unread import Unread
from memcli.reading.updates import turned
from memcli.reading.values import Value
from memcli.reading.working_out import in_time, left_open, told_of, worked_out
from memcli.text import content_stems
from memcli.text.times import day

__all__ = ["ExtractiveReader", "Find", "Reader", "earlier", "found_in", "known_of", "ordered"]

#: Finds what a question of the reader's own asks for; None where it could not be read beside the rest.
Find = Callable[[str], tuple[Query, Sequence[Hit]] | None]
#: An item is listed beside the best one if so much of the answer is expected in it: a window is not less true for
#: another that answers, too.
_ITEM = 0.3
_MOST_LISTED = 8
#: A yes or a no is one from this share on of the two; a window counts beside the likeliest from this share of trust.
_SAID, _BESIDE = 0.65, 0.6
#: And is of one thing with it, where nothing else tells.
_OF_ONE = 0.4
#: What a sum may be asked of.
_AMOUNTS = frozenset((Seeks.COUNT, Seeks.LENGTH, Seeks.OFTEN, Seeks.WHAT, Seeks.WHICH))
#: What the items of a written list may answer.
_NAMED = frozenset((Seeks.WHAT, Seeks.WHICH, Seeks.WHO, Seeks.WHERE))
#: A yes is said by a window that rather answers than not: else its words may be of something else.
_ANSWERING = 0.5
#: So much of a question is in what somebody asked an assistant for, where that wrote what is asked about.
_ASKED_FOR = 0.7
#: How probable what is asserted, or worked out, must be: no regression of what is read tells that.
_ASSERTED = {Caution.CAREFUL: 0.7, Caution.USUAL: 0.55, Caution.BOLD: 0.25}
#: Who answers in a talk with one.
_ASSISTANT = "assistant"
#: A no in words that deny nothing.
_SURE = 0.9
#: What a value is worth against which something speaks.
_DOUBTFUL = 0.5
#: And so much less of another time than the question names.
_ELSEWHEN = 0.25
#: What a window is worth in which nothing looks like what is asked for.
_LACKING = 0.1
#: A number of times is believed from this chance on; without one, windows that answer as probably are counted.
_COUNTED = 0.5


class Reader(Protocol):
    """Turns hits into an answer."""

    def read(self, query: Query, hits: Sequence[Hit]) -> Answer:
        """The answer to `query` that `hits`, best first, support; or an abstention."""


class ExtractiveReader:
    """Answers in the words of memory: no language model, no connection, the same answer every time.

    `network_` reads, `judge` tells which windows answer, `doubt` what the answer is worth; None for the package's.
    `caution`: how sure an answer must be to be given. `unread` judges what is not in English; without it, the network
    reads that, too. `find` finds what a part of a question asks for, by itself.
    """

    def __init__(
        self,
        transcript: Transcript,
        network_: Network | None = None,
        judge: Judge | None = None,
        doubt: Confidence | None = None,
        *,
        caution: Caution = Caution.USUAL,
        unread: Unread | None = None,
        find: Find | None = None,
    ) -> None:
        self._transcript, self._network = transcript, network_ or network()
        self._judge, self._doubt = judge or relevance.packaged(), doubt or confidence.packaged()
        self._threshold = self._doubt.thresholds[caution]
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
        nothing = language(look.question.language).nothing()
        if not look.found:
            return Answer(nothing, (), 0.0, abstained=True)
        cited = look.cited or (look.found[0],)
        doubted, threshold = self._doubted(look, cited[0])
        trust = max(doubted.trust, threshold) if believed else doubted.trust
        turns, quote = tuple(dict.fromkeys(each.passage.turn for each in cited)), quoted(look)
        if trust < threshold:
            return Answer(nothing, turns, trust, abstained=True, quote=quote)
        is_value = doubted.form is Form.VALUE
        return Answer(
            look.text if is_value else quote, turns, trust, abstained=False, form=doubted.form, quote=quote,
            items=look.items if is_value else (),
        )  # fmt: skip

    def _doubted(self, look: Look, first: Found) -> tuple[Doubted, float]:
        """What the answer is worth, and how much it must be; of what the network cannot read, its judge has said it."""
        if self._unread is None or not first.unread:
            return self._doubt(look), _ASSERTED[self._caution] if look.asserted else self._threshold
        form = Form.VALUE if look.text and look.typed else Form.QUOTE
        return Doubted(form, first.trust), self._unread.thresholds[self._caution]

    def look(self, query: Query, hits: Sequence[Hit]) -> Look:
        """The question as understood, what was read, and the answer before it is doubted."""
        question, known = query.question, known_of(query, self._transcript)
        if question.wants_advice and not known and (told := self._tasted(query, hits)):
            return told
        look = self._looked(query, hits, known)
        is_left = question.may_want_advice and not question.wants_advice and not self._is_said(look)
        return (self._tasted(query, hits) if is_left else None) or look

    def _tasted(self, query: Query, hits: Sequence[Hit]) -> Look | None:
        """What who asks has said of his tastes, if that surely bears on what he asks."""
        told = tasted(query, hits, self._transcript)
        return told if self._is_said(told) else None

    def _is_said(self, look: Look) -> bool:
        if not look.found:
            return False
        doubted, threshold = self._doubted(look, look.first)
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


def _advised(question: Question, found: Sequence[Found], known: Sequence[Known]) -> Look:
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


def found_in(question: Question, found: Sequence[Found], known: Sequence[Known], further: Sequence[Found] = ()) -> Look:
    """The answer that the windows hold, the likeliest first; there is one at least. `known`: see `known_of`. `further`
    windows have items of a list, and nothing else.
    """
    if known:
        return _advised(question, found, known)
    found = _answered(question, found)
    if found[0].unread:
        return _unread(question, found)
    if question.seeks is Seeks.YES_NO:
        return _yes_or_no(question, found)
    if written := _as_written(question, found):
        return written
    ranked = ordered(question, found)
    if not ranked:
        return Look(question, found, cited=parts(found) if _is_sum(question) else ())
    if question.seeks is Seeks.OFTEN or question.counts_times:
        return _times(question, found, ranked)
    if question.listing:
        read = [*ranked, *ordered(question, further)]
        return _listed(question, found, as_asked(question, read, [*found, *further]))
    return _single(question, found, as_asked(question, ranked, found) if _names_what_is_not(question) else ranked)


def _names_what_is_not(question: Question) -> bool:
    """Whether it asks which thing something is denied of; why it is, or when, the words that deny it do not tell."""
    return question.seeks in _NAMED and language(question.language).denies(question.asks)


def ordered(question: Question, found: Sequence[Found]) -> list[Value]:
    """The value of each window that has one that may be said, the likeliest first; a day that others tell, too, is the
    likelier for it.
    """
    told = [told_in(question, each) for each in found]
    read = [first for first, *_ in filter(None, told) if _fits(question, first)]
    days = [each for values in told for each in values if each.typed] if question.seeks is Seeks.WHEN else []
    return sorted(read, key=lambda value: _likely(value) - _told_beside(value, days))


def _told_beside(value: Value, days: Sequence[Value]) -> float:
    """How likely the windows of other turns tell the same, all together."""
    turn = value.found.passage.turn
    others = [each for each in days if each.text == value.text and each.found.passage.turn != turn]
    return sum(each.found.trust * each.chance for each in others)


def _answered(question: Question, found: Sequence[Found]) -> Sequence[Found]:
    """The windows anew: what asks is less likely than a reply to it that answers, too ("the code? I tried 4471"), and
    what has no number in it tells none.
    """
    replies = {each.passage.asking: each for each in reversed(found) if each.passage.asking}
    told = [each if _may_be_said(question, each) else replace(each, trust=_LACKING * each.trust) for each in found]
    doubted = [_doubted_beside(each, replies.get(each.passage.turn)) for each in told]
    return sorted(doubted, key=lambda each: -each.trust)


def _may_be_said(question: Question, found: Found) -> bool:
    """Whether it may tell what is asked for; what an assistant said, no one else does, who asked it for that."""
    is_of_assistant = question.about == _ASSISTANT and found.passage.window.speaker != _ASSISTANT
    asked, text = language(question.language), found.passage.turn_text
    return not is_of_assistant and asked.may_tell(question.asks, text) and asked.may_have_said(question.asks, text)


def _doubted_beside(found: Found, reply: Found | None) -> Found:
    if reply is None or reply.unread or not asks(found.passage.window.text) or not _is_answer_to(reply, found):
        return found
    return replace(found, trust=_DOUBTFUL * min(found.trust, reply.trust))


def _is_answer_to(reply: Found, asking: Found) -> bool:
    """Whether a reply answers about as likely as what asks, or more in the network's eyes."""
    return reply.trust >= _BESIDE * asking.trust or reply.finding.answers > max(asking.finding.answers, 0.0)


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
        near = [each for each in _near(found, _BESIDE) if each is best or (when(each) > when(best) and is_moved(each))]
    elif stands is Standing.ANY:
        near = [best]
    else:
        near, chosen = _near(found, _OF_ONE), max if stands in (Standing.NOW, Standing.LAST) else min
    return replace(chosen(near, key=when), trust=best.trust)


def _near(found: Sequence[Found], share: float) -> list[Found]:
    """The likeliest window, and those with a date that are at least this share as likely."""
    best = found[0]
    return [best, *(each for each in found[1:] if each.trust >= share * best.trust and each.passage.at)]


def _is_sum(question: Question) -> bool:
    """Whether it asks for a sum, a difference or a mean."""
    return question.seeks in _AMOUNTS and language(question.language).is_worked_out(question.asks)


def _fits(question: Question, value: Value) -> bool:
    """Whether it may be said: who asks for an amount is given a number, or the sentence; who asks for a sum, the
    sentences of its parts, unless one tells a sum.
    """
    if _is_sum(question):
        text = value.found.passage.window.text
        if not spoken([text]).is_worked_out(text):
            return False
    return value.typed or question.counts_times or question.seeks is not Seeks.COUNT


def _single(question: Question, found: Sequence[Found], ranked: Sequence[Value]) -> Look:
    now, before = standing(question, ranked)
    text = f"{now.text}{earlier(question)}{before.text}{_until(question, now)})" if before else now.text
    cited = (now.found, before.found) if before else (now.found,)
    return Look(question, found, text, cited, now.chance, now.typed)


def _likely(value: Value) -> float:
    """The window first, then the value in it; less of another kind than was asked for, of what asks itself, or of
    another time than the question names.
    """
    passage = value.found.passage
    doubts = _DOUBTFUL ** sum((not value.typed, passage.window.text.rstrip().endswith("?")))
    return -value.found.trust * doubts * (_ELSEWHEN if passage.then < 0 else 1.0) * (0.5 + value.chance)


def earlier(question: Question) -> str:
    """What stands between the value that holds now and the one before it: " (before: "."""
    return f" ({language(question.language).before()}: "


def _until(question: Question, value: Value) -> str:
    at = value.found.passage.at
    return f", {language(question.language).until(at)}" if at else ""


def _listed(question: Question, found: Sequence[Found], ranked: Sequence[Value]) -> Look:
    if not ranked:
        return Look(question, found)
    chosen: list[Value] = []
    seen: set[str] = set()
    for value in ranked:
        new = set(content_stems(value.text))
        if (value is ranked[0] or _is_item(value)) and not new & seen and len(chosen) < _MOST_LISTED:
            chosen.append(value)
            seen |= new
    text = ", ".join(value.text for value in chosen)
    items = tuple(Item(value.text, value.found.passage.at, value.found.passage.turn) for value in chosen)
    cited = tuple(value.found for value in chosen)
    return Look(question, found, text, cited, chosen[0].chance, chosen[0].typed, items=items if len(items) > 1 else ())


def _as_written(question: Question, found: Sequence[Found]) -> Look | None:
    """The list that is written in the turn of the likeliest window, or its item that is asked for by its place; as sure
    as the sentence of the window that is of it. None where neither is asked for, or nothing is listed there.
    """
    if question.seeks not in _NAMED:
        return None
    place = language(question.language).nth(question.asks)
    names = enumerated(found[0].passage) if place or question.listing else []
    if len(names) < max(place, 1):
        return None
    items = [Item(name, found[0].passage.at, found[0].passage.turn) for name in names]
    chosen = items[place - 1 : place] if place else items[:_MOST_LISTED]
    text, passage = ", ".join(each.text for each in chosen), found[0].passage
    # The list that an assistant wrote to whom asked for just that needs no likeness of its own.
    is_asked = question.about == _ASSISTANT == passage.window.speaker and passage.thread_covered >= _ASKED_FOR
    sure = passage.thread_covered * _SURE if is_asked else 0.0
    return Look(question, found, text, (found[0],), sure, asserted=is_asked, items=tuple(chosen))


def _is_item(value: Value) -> bool:
    return value.typed and value.chance >= _ITEM and value.found.finding.answers >= LISTED


def _times(question: Question, found: Sequence[Found], ranked: Sequence[Value]) -> Look:
    """How many times: a number where one is said, else the days on which it was told that it happened.

    One day counts nothing: it may have been told once of what is done every week.
    """
    best = ranked[0]
    if best.typed and best.chance >= _COUNTED:
        return _single(question, found, ranked)
    told = [each for each in found if each.trust >= _COUNTED and each.passage.at]
    describe = language(question.language).describe
    days = {describe(day(each.passage.at)): each for each in sorted(told, key=when) if each.passage.at}
    if len(days) < 2:
        return _single(question, found, ranked)
    return Look(question, found, f"{len(days)}: {', '.join(days)}", tuple(days.values()), found[0].trust)


def _yes_or_no(question: Question, found: Sequence[Found]) -> Look:
    """Yes or no where the window that answers says so, the newest of several, or what was said in its place; else its
    words.
    """
    near = [each for each in found if each.trust >= _BESIDE * found[0].trust and _takes_side(question, each)]
    is_now, asked = question.standing is Standing.NOW, language(question.language)
    best = (max(near, key=when) if is_now else near[0]) if near else found[0]
    if is_now and (new := _turned(question, best, found)):
        yes, no = new.finding.yes, new.finding.no
        return Look(question, found, asked.yes() if yes > no else asked.no(), (new, best), max(yes, no))
    if not near:
        return Look(question, found, "", (best,), 0.0)
    yes, no = best.finding.yes, best.finding.no
    if is_now and yes > no and (since := successor(question, best, found)):
        return Look(question, found, asked.no(), (since, best), yes)
    return Look(question, found, asked.yes() if yes > no else asked.no(), (best,), max(yes, no))


def _turned(question: Question, best: Found, found: Sequence[Found]) -> Found | None:
    """What was said later in the place of the best one, and says yes or no."""
    if best.passage.at is None:
        return None
    new = turned(question, best, [each for each in found if when(each) > when(best) and not each.unread])
    return new if new and max(new.finding.yes, new.finding.no) >= _SAID else None


def _takes_side(question: Question, found: Found) -> bool:
    """Whether a window says yes or no of whom it is asked, by the network and by its words: a yes denies nothing, a no
    mostly something.
    """
    if found.passage.of_another:
        return False
    text = found.passage.window.text
    denies = spoken([text]).denies(text) or spoken([text]).is_over(text)
    if denies and _asks_what_failed(question, text):
        return False
    if found.finding.yes >= _SAID:
        return not denies and found.trust >= _ANSWERING
    return found.finding.no >= (_SAID if denies else _SURE) and not _affirms(question, text)


def _asks_what_failed(question: Question, text: str) -> bool:
    """Whether it asks if something did not come to be, in a word that the text has not: "isn't coming" is no "no" to
    "did Geoff miss the tour?".
    """
    asked = language(question.language).failing(question.asks)
    return bool(asked - set(content_stems(text)))


def _affirms(question: Question, text: str) -> bool:
    """Whether one part of the text has the words of the question, two at least, and denies nothing.

    What another part denies is something else: "I'm allergic to walnuts, so no coffee cake".
    """
    knows = language(question.language)
    asked = {stem for stem in question.stems if not knows.is_lasting(stem)}
    return len(asked) > 1 and any(not (knows.denies(part) or knows.is_over(part)) for part in naming(asked, text))
