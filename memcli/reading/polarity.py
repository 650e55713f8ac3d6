"""Yes and no: only of the same thing and the same person, by the network and by the words."""

from __future__ import annotations

from collections.abc import Sequence

from ..languages import language, spoken
from ..model import Question, Standing
from ..text import content_stems
from .denials import naming
from .look import Look
from .ordering import BESIDE
from .relevance import Found
from .states import successor, when
from .updates import turned

__all__ = ["yes_or_no"]

#: A yes or a no is one from this share on of the two.
_SAID = 0.65
#: A yes is said by a window that rather answers than not: else its words may be of something else.
_ANSWERING = 0.5
#: A no in words that deny nothing.
_SURE = 0.9


def yes_or_no(question: Question, found: Sequence[Found]) -> Look:
    """Yes or no where the window that answers says so, the newest of several, or what was said in its place; else its
    words.
    """
    near = [each for each in found if each.trust >= BESIDE * found[0].trust and _takes_side(question, each)]
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
    if yes > no and not _names_it(question, best):
        return Look(question, found, "", (best,), 0.0)
    return Look(question, found, asked.yes() if yes > no else asked.no(), (best,), max(yes, no))


def _names_it(question: Question, found: Found) -> bool:
    """Whether half of the words that it asks by, but for who is meant, stand in the window or before it: "It's done"
    may be of anything. A no is often said in other words ("vegan", of ham).
    """
    window, asked = found.passage.window, set(question.stems)
    return 2 * len(asked & set(content_stems(f"{window.before} {window.text}"))) >= len(asked)


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
