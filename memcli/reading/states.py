"""Which of several statements holds: now, before, first or last. Two statements are of one thing if both answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from ..languages import language, spoken
from ..languages.replacing import makes_untrue, noted_anew
from ..model import Cue, Question, Seeks, SessionId, Standing, Turn
from ..text import content_stems, sentences
from .likeliest import likeliest
from .passages import Passage
from .relevance import Found
from .temporal import is_moved
from .updates import as_sure, former, update
from .values import Value

__all__ = ["standing", "successor", "when"]

#: A statement answers beside the best one if its trust is at least this share of the best one's; one that holds no
#: longer, in words of its time, may be less like the question.
_BESIDE, _BEFORE = 0.5, 0.25
#: And this share, if somebody else makes it: that is more often of something else.
_ANOTHER = 0.8
#: And its value at least so sure beside the best one's: else it speaks of the thing, and says nothing of it.
_AS_CLEAR = 0.3
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_YEAR = re.compile(r"(?:19|20)\d\d")
#: A time that was run: "1:47:05", "42:10".
_TIME = re.compile(r"(?<![\d:])(?:(\d{1,2}):)?(\d{1,2}):([0-5]\d)(?![\d:])")
#: Two statements closer in time than this are one conversation's back and forth, not a change.
_APART = timedelta(days=1)
#: What a value is worth of which nothing says that it holds no longer, where that is asked for.
_UNTOLD = 0.25
#: What may answer, if "it" is what was asked for; what is hardly an answer by itself, and within which time "it" is
#: what its speaker spoke of.
_RATHER, _HARDLY, _SPOKEN_OF = -2.25, -3.0, timedelta(days=14)
#: A later statement that the network takes for an answer about as surely as the best one may be less like the question,
#: too: what changed is said in fewer of its words.
_TAKEN, _ABOUT_AS = 2.0, 1.0
#: What answers by itself once the best one has ended; and by how much more surely than what changes something.
_ANEW, _MORE = 1.0, 2.0
_CHANGING = (Seeks.WHERE, Seeks.WHO, Seeks.COUNT, Seeks.WHAT, Seeks.WHICH, Seeks.WHEN)


def standing(question: Question, ranked: Sequence[Value]) -> tuple[Value, Value | None]:
    """The value that the question asks for, and the one that held before it where it asks for what holds now.

    `ranked`: the best value of each window, the likeliest first; there is one at least.
    """
    ranked = _put_right(ranked)
    best = ranked[0]
    if fastest := _record(question, best, ranked):
        return fastest, None
    changed = _otherwise(question, best, ranked)
    if changed and not _outdone(changed, best, ranked):
        return changed, best if question.standing is Standing.NOW and changed.text != best.text else None
    if question.listing or question.seeks not in _CHANGING or question.standing is Standing.ANY:
        return best, None
    return _that_stands(question, best, ranked)


def _that_stands(question: Question, best: Value, ranked: Sequence[Value]) -> tuple[Value, Value | None]:
    """The same of a thing that may have changed, by when each was said."""
    if question.standing is Standing.NOW and (now := _now(best, ranked)):
        return now
    if question.standing is Standing.FORMER and (replaced := _over(question, best, ranked)):
        return _beside(replaced, best), None
    least = _BEFORE if question.standing is Standing.FORMER else _BESIDE
    rivals = sorted((rival for value in ranked if (rival := _rival(value, best, least))), key=_when)
    if question.standing is Standing.FIRST:
        return _first(question, best, ranked) or rivals[0], None
    if question.standing is Standing.FORMER:
        return _former(question, rivals, best), None
    if question.standing is Standing.LAST and _says(question, best):
        return best, None
    newest = rivals[-1]
    before = next((v for v in reversed(rivals) if _differs(v, newest) and _when(newest) - _when(v) > _APART), None)
    if newest is not best and not _differs(newest, best):
        return best, None
    if before is None or question.standing is not Standing.NOW:
        return newest, None
    return _beside(newest, before), before


def _record(question: Question, best: Value, ranked: Sequence[Value]) -> Value | None:
    """The fastest of the times that one person tells to have run, where the best one is asked for; None where no time
    is, or but one.
    """
    if not language(question.language).asks_for_record(question.asks):
        return None
    who = best.found.passage.window.speaker
    told = [v for v in ranked if v.found.passage.window.speaker == who and v.found.finding.answers >= _ANEW]
    timed = [(seconds, v) for v in told if (seconds := _seconds(v.text))]
    return _as_sure(min(timed, key=lambda pair: pair[0])[1], best) if _seconds(best.text) and timed else None


def _seconds(text: str) -> int:
    """The seconds of the one time that a text tells to have been run; 0 where there is none, or several."""
    found = _TIME.findall(text)
    return (
        sum(int(part or 0) * 60**place for place, part in zip((2, 1, 0), found[0], strict=True))
        if len(found) == 1
        else 0
    )


def _beside(value: Value, other: Value) -> Value:
    """The value as sure as both statements together: they are of one thing, one of them answers."""
    if value.found.passage.turn == other.found.passage.turn:
        return value
    return replace(value, found=replace(value.found, trust=min(value.found.trust + other.found.trust, 1.0)))


def _now(best: Value, ranked: Sequence[Value]) -> tuple[Value, Value | None] | None:
    """What has taken the place of the best one, or ended it, or come since; None where nothing has."""
    renewed, ended = _renewed(best, ranked), _ended(best, ranked)
    if ended and (renewed is None or _when(ended) >= _when(renewed)):
        since = _since(ended, best, ranked)
        return (since, best) if since else (ended, None)
    if renewed:
        return renewed, best if _differs(renewed, best) else None
    return None


def successor(question: Question, best: Found, found: Sequence[Found]) -> Found | None:
    """The newest window that notes something else in the place of what the question takes from the best one, as sure
    as that: "does Priya still live in Leeds?", and later her new flat is in Bristol.
    """
    later = [each for each in found if when(each) > when(best) and _is_instead(each.passage, best.passage, question)]
    newest = max(later, key=when, default=None)
    return newest and replace(newest, trust=max(newest.trust, best.trust))


def _is_instead(new: Passage, old: Passage, question: Question) -> bool:
    return new.window.speaker == old.window.speaker and bool(noted_anew(new.turn_text, old.turn_text, question.text))


def _put_right(ranked: Sequence[Value]) -> Sequence[Value]:
    """What the same speaker put right within the day ("16,430, sorry") in the place of the best one, and as sure."""
    best = ranked[0]
    right = [v for v in ranked if _follows(v, best) and _corrects(v, best)]
    if not right:
        return ranked
    meant = min(right, key=_when)
    return [_as_sure(meant, best), *(v for v in ranked[1:] if v is not meant)]


def _follows(value: Value, best: Value) -> bool:
    """Whether one was said after the other, within the day."""
    is_dated = value.found.passage.at is not None and best.found.passage.at is not None
    return is_dated and timedelta(0) < _when(value) - _when(best) < _APART


def _corrects(value: Value, best: Value) -> bool:
    new, old = value.found.passage.window, best.found.passage.window
    counted = [spoken([each.text]).number(each.text) for each in (value, best)]
    if new.speaker != old.speaker or not value.typed or bool(counted[0]) != bool(counted[1]):
        return False
    return value.found.finding.answers > 0 and spoken([new.text]).corrects(new.text)


def _as_sure(value: Value, best: Value) -> Value:
    return replace(value, found=replace(value.found, trust=max(value.found.trust, best.found.trust)))


def _otherwise(question: Question, best: Value, ranked: Sequence[Value]) -> Value | None:
    """What says later that it is otherwise, by the network that reads both, or, of a time, by its words."""
    return _updated(question, best, ranked) or _moved(question, best, ranked)


def _updated(question: Question, best: Value, ranked: Sequence[Value]) -> Value | None:
    """What was said later in the place of the best one, where it is asked what holds now, or when something is."""
    is_of_now = question.standing is Standing.NOW
    is_of_time = question.standing is Standing.ANY and question.seeks is Seeks.WHEN
    if not (is_of_now or is_of_time) or question.listing or best.found.passage.at is None:
        return None
    return update(question, best.found, [v.found for v in ranked if _when(v) > _when(best) and not v.found.unread])


def _outdone(changed: Value, best: Value, ranked: Sequence[Value]) -> bool:
    """Whether what was said later still, or before that, answers much more surely by itself than what is to take the
    best one's place: "gate code changes again, 8052 from today", beside a port that is another now.
    """
    own = next((v for v in ranked if v.found.passage.turn == changed.found.passage.turn), changed)
    rivals = (v for v in ranked if v is not own and _when(v) > _when(best) and _rival(v, best, _BESIDE))
    return any(v.found.finding.answers - own.found.finding.answers >= _MORE for v in rivals)


def _moved(question: Question, best: Value, ranked: Sequence[Value]) -> Value | None:
    """The newest statement that it is at another time now, as sure as the best one: "they've moved him to the 10th"."""
    if question.seeks is not Seeks.WHEN or question.standing not in (Standing.NOW, Standing.ANY):
        return None
    later = [v for v in ranked if _when(v) > _when(best) and v.typed and _is_at_another_time(v.found, best)]
    newest = max(later, key=_when, default=None)
    return newest and _as_sure(newest, best)


def _is_at_another_time(found: Found, best: Value) -> bool:
    """Whether a window that answers says so, of what the question names in it or just before; or one that hardly does,
    of what its speaker spoke of within the fortnight.
    """
    if not is_moved(found):
        return False
    passage, about = found.passage, best.found.passage
    text = passage.window.text
    if found.finding.answers > 0 and passage.thread_covered > 0:
        return True
    if found.finding.answers > _RATHER and spoken([text]).is_of_what_was_said(text):
        return True
    is_near = passage.window.speaker == about.window.speaker and about.at and when(found) - _when(best) <= _SPOKEN_OF
    return bool(is_near) and found.finding.answers > _HARDLY and spoken([text]).is_of_what_was_said(text)


def _renewed(best: Value, ranked: Sequence[Value]) -> Value | None:
    """The newest statement that takes the place of the best one, however little it is like the question."""
    later = [new for v in ranked if _when(v) > _when(best) and (new := _instead(v, best))]
    return max(later, key=_when, default=None)


def _ended(best: Value, ranked: Sequence[Value]) -> Value | None:
    """What the same person said last, or at once, that ends what the best one tells; no value, and as sure as that."""
    later = [v for v in ranked if _when(v) >= _when(best) and _ends(v.found.passage, best)]
    last = max(later, key=_when, default=None)
    return last and Value("", replace(last.found, trust=max(last.found.trust, best.found.trust)), 0.0, typed=False)


def _ends(passage: Passage, best: Value) -> bool:
    """Whether a sentence says that the value is over: "quit Halden's today"."""
    if passage.window.speaker != best.found.passage.window.speaker:
        return False
    said = [each for each in sentences(passage.window.text) if spoken([each]).is_over(each)]
    return any(set(content_stems(best.text)) & set(content_stems(each)) for each in said)


def _since(ended: Value, best: Value, ranked: Sequence[Value]) -> Value | None:
    """The newest that answers by itself since the end of the best one, as sure as that: "first day at Brunel"."""
    said = [v for v in ranked if _when(v) > _when(ended) and _begins(v, best)]
    newest = max(said, key=_when, default=None)
    return newest and _as_sure(newest, ended)


def _begins(value: Value, best: Value) -> bool:
    """Whether it tells of the same person something else, and the network takes it for an answer."""
    is_same = value.found.passage.window.speaker == best.found.passage.window.speaker
    return is_same and value.typed and value.found.finding.answers >= _ANEW and _differs(value, best)


def _over(question: Question, best: Value, ranked: Sequence[Value]) -> Value | None:
    """What was so before: the best one, if it has ended, else one whose place another has taken."""
    return best if _ended(best, ranked) else _taken(question, ranked) or _replaced(best, ranked)


def _taken(question: Question, ranked: Sequence[Value]) -> Value | None:
    """The value whose place another has taken, by the network that reads both."""
    dated = [each.found for each in ranked if each.found.passage.at and not each.found.unread]
    found = former(question, dated)
    return likeliest(question, found) if found else None


def _replaced(best: Value, ranked: Sequence[Value]) -> Value | None:
    """The newest of the statements whose place the best one takes, as sure as that."""
    earlier = [v for v in ranked if _when(v) < _when(best) and _instead(best, v)]
    newest = max(earlier, key=_when, default=None)
    return newest and _as_sure(newest, best)


def _instead(value: Value, best: Value) -> Value | None:
    """What a later window says in the place of the best one: that was doubted before, and is as sure now."""
    new, old = _turn(value), _turn(best)
    if makes_untrue(new, old):
        return value
    if instead := _put_instead(new.text, best):
        return replace(_as_sure(value, best), text=instead, typed=True)
    note = noted_anew(new.text, old.text, best.text) if new.speaker == old.speaker else None
    if note is None:
        return None
    text = value.text if set(content_stems(value.text)) & set(content_stems(note.value)) else note.value
    return replace(_as_sure(value, best), text=text)


def _put_instead(text: str, best: Value) -> str:
    """What a text says has taken the place of the value: "Postgres" of "migrated from SQLite to Postgres"."""
    held = set(content_stems(best.text))
    pairs = spoken([text]).replaced(text)
    return next((new for old, new in pairs if held and held == set(content_stems(old))), "")


def _turn(value: Value) -> Turn:
    passage = value.found.passage
    return Turn(passage.turn, SessionId(""), 0, passage.window.speaker, "", passage.at, passage.turn_text)


def _former(question: Question, rivals: Sequence[Value], best: Value) -> Value:
    """The last that differs from what holds now; where nothing replaced it the best, doubted where it tells of nothing
    that is past: it may hold still.
    """
    earlier = [v for v in rivals if _differs(v, rivals[-1])]
    if earlier:
        return earlier[-1]
    text, found = best.found.passage.window.text, best.found
    is_past = question.seeks is Seeks.WHEN or spoken([text]).is_former(text)
    return best if is_past else Value("", replace(found, trust=found.trust * _UNTOLD), 0.0, typed=False)


def _rival(value: Value, best: Value, least: float) -> Value | None:
    """The value, if it answers, too: as sure as the best one where it is the same told once more."""
    if value is best:
        return best
    if value.found.passage.at is None or best.found.passage.at is None or value.typed != best.typed:
        return None
    if _of_a_series(value, best):
        return replace(value, found=as_sure(value.found, best.found, value.found.finding))
    return value if _is_as_likely(value, best, least) else None


def _is_as_likely(value: Value, best: Value, least: float) -> bool:
    return (
        value.chance >= _AS_CLEAR * best.chance
        and _of_one_subject(value.found.passage, best.found.passage)
        and value.found.trust >= _share(value, best, least) * best.found.trust
    )


def _share(value: Value, best: Value, least: float) -> float:
    """How much of the best one's trust a statement needs beside it; `least`, of the same person's that says no more."""
    if value.found.passage.window.speaker != best.found.passage.window.speaker:
        return _ANOTHER
    surely = value.found.finding.answers >= max(_TAKEN, best.found.finding.answers - _ABOUT_AS)
    return min(least, _BEFORE) if surely and _when(value) > _when(best) else least


def _of_a_series(value: Value, best: Value) -> bool:
    """Whether the same is told once more, in the same words with another number: "Pulse this morning: 58."."""
    if value.found.passage.window.speaker != best.found.passage.window.speaker:
        return False
    one, other = _around_a_number(value), _around_a_number(best)
    return len(one) > 1 and one == other


def _around_a_number(value: Value) -> set[str]:
    """The other words of the sentence that the value stands in, of one that has a number."""
    if not _numbers(value.text):
        return set()
    said = next((each for each in sentences(value.found.passage.window.text) if value.text in each), "")
    return set(content_stems(_NUMBER.sub(" ", said)))


def _of_one_subject(one: Passage, other: Passage) -> bool:
    """Whether two may speak of the same: of one person, or neither of who says it ("bins are on Thursday now")."""
    return one.window.speaker == other.window.speaker or not (_of_oneself(one) or _of_oneself(other))


def _of_oneself(passage: Passage) -> bool:
    """Whether it speaks of its speaker; a reply mostly does, with no word of it."""
    text = passage.window.text
    return passage.replies or bool(spoken([text]).cues(text) & Cue.FIRST_PERSON)


def _says(question: Question, value: Value) -> bool:
    """Whether a statement itself says that it is the first, or the last."""
    return question.standing.value in value.found.passage.window.text.lower()


def _first(question: Question, best: Value, ranked: Sequence[Value]) -> Value | None:
    """The earliest that answers of those that say of themselves that they are the first, as sure as the best one."""
    said = [v for v in ranked if _says(question, v) and (v is best or (v.typed and v.found.finding.answers > 0))]
    first = min(said, key=_when, default=None)
    return first and _as_sure(first, best)


def _differs(one: Value, other: Value) -> bool:
    """Whether they have no word in common; where both have numbers, no number: level 3 is not level 4. Two days of one
    year are two.
    """
    ours, theirs = _numbers(one.text), _numbers(other.text)
    if ours and theirs:
        beside = [{each for each in numbers if not _YEAR.fullmatch(each)} for numbers in (ours, theirs)]
        ours, theirs = beside if all(beside) else (ours, theirs)
        return not ours & theirs
    return not set(content_stems(one.text)) & set(content_stems(other.text))


def _numbers(text: str) -> set[str]:
    return set(_NUMBER.findall(text))


def _when(value: Value) -> timedelta:
    return when(value.found)


def when(found: Found) -> timedelta:
    """When it was said, as a time from a day that all can be counted from."""
    at = found.passage.at
    return timedelta(seconds=at.timestamp()) if at else timedelta.min
