"""Whether what was said later takes the place of the statement that answers, and what it says instead.

A network reads each later window with the earlier one before it. It is the reader's with other upper layers, which
`benchmarks/train_reader.py` makes of `benchmarks/update_data.py`; docs/reading/networks.md has what it was trained on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

from ..model import Question
from ..text import content_stems
from . import windows
from .likeliest import likeliest
from .network import Finding, Network, of_updates
from .relevance import Found
from .values import Value
from .windows import Window

__all__ = ["READ", "Said", "as_sure", "behind", "former", "told", "turned", "update"]

#: Turns, each a text behind its speaker.
Said = Sequence[tuple[str, str]]
#: Later windows that are read: the likeliest.
READ = 6
#: Windows of which each is read behind each that was said before it, where it is asked what was so before.
_PAIRED = 4
#: From which logit on one takes the place of the first. From 0 on more changes are found, and in long chats more right
#: answers lost than won (docs/reading/networks.md).
_TAKES = 2.0
#: A value is believed of a window that answers by itself, too, from this trust on; of another from this logit on: where
#: much is remembered, what seems a change is mostly of something else.
_ANSWERS, _SURELY = 0.1, 5.0


def update(question: Question, first: Found, later: Sequence[Found], network: Network | None = None) -> Value | None:
    """The newest value that takes the place of what `first` tells, as sure as that; None where nothing does.

    `later`: windows that were said after it, the likeliest first. `network`: the one that ships, if none is given.
    A word of the question is nothing new. Raises ModelUnavailable.
    """
    taken = [each for each in _instead(question, first, later, network) if _is_believed(*each)]
    new = [value for each in taken if (value := likeliest(question, as_sure(each[0], first, each[1])))]
    if not new:
        return None
    asked = set(question.stems) - _stems(likeliest(question, first))
    return max((each for each in new if not asked & _stems(each)), key=lambda each: _said(each.found), default=None)


def turned(question: Question, first: Found, later: Sequence[Found], network: Network | None = None) -> Found | None:
    """The newest window that takes the place of `first`, as sure as that, with what it says to a question of yes or no;
    else as `update`.
    """
    taken = _instead(question, first, later, network)
    return max((as_sure(new, first, finding) for new, finding in taken), key=_said, default=None)


def former(question: Question, found: Sequence[Found], network: Network | None = None) -> Found | None:
    """The likeliest of a few windows whose place a later one of these takes, as sure as that; None where none does.

    `found`: dated windows, the likeliest first. Else as `update`.
    """
    pairs = [(one, other) for one, other in permutations(found[:_PAIRED], 2) if _said(one) < _said(other)]
    taken = _taking(question, pairs, network)
    return next((as_sure(first, later, first.finding) for first, later, _ in taken), None)


def _instead(
    question: Question, first: Found, later: Sequence[Found], network: Network | None
) -> list[tuple[Found, Finding]]:
    """The later windows that take the place of the first one, with what is found in them."""
    return [(new, finding) for _, new, finding in _taking(question, [(first, each) for each in later[:READ]], network)]


def _is_believed(later: Found, finding: Finding) -> bool:
    """Whether it is of the same thing, as far as that can be told."""
    return later.trust >= _ANSWERS or finding.answers >= _SURELY


def _taking(
    question: Question, pairs: Sequence[tuple[Found, Found]], network: Network | None
) -> list[tuple[Found, Found, Finding]]:
    """The pairs of an earlier and a later window in which the later takes the place, with what is found in it."""
    read = [behind(told(first), later.passage.window) for first, later in pairs]
    findings = (network or of_updates()).read(question.asks, read) if read else []
    return [(*pair, finding) for pair, finding in zip(pairs, findings, strict=True) if finding.answers > _TAKES]


def as_sure(found: Found, other: Found, finding: Finding) -> Found:
    """A window as sure as another, in the network's eyes, too, with this found in it."""
    read = replace(finding, answers=max(found.finding.answers, other.finding.answers))
    return replace(found, finding=read, trust=max(found.trust, other.trust))


def behind(said: Said, later: Window) -> Window:
    """The later window with these turns before it."""
    return replace(later, before=windows.before(said))


def told(first: Found) -> Said:
    """What a window tells, as it stands before a later one: the sentences with its likeliest answer, for there is room
    for few words; and, of a reply, what it replies to before them.
    """
    window, asked = first.passage.window, first.passage.asked
    span = max(first.finding.spans, key=lambda each: each.chance, default=None)
    within = [
        each for start, each in windows.placed(window) if span and start < span.end and span.start < start + len(each)
    ]
    return [*([asked] if asked else []), (window.speaker, " ".join(within) or window.text)]


def _stems(value: Value | None) -> set[str]:
    return set(content_stems(value.text)) if value else set()


def _said(found: Found) -> float:
    return found.passage.at.timestamp() if found.passage.at else 0.0
