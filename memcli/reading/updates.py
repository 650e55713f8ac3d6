"""Whether what was said later takes the place of the statement that answers, and what it says instead.

A network reads each later window with the earlier one before it. It is the reader's with other upper layers, which
`benchmarks/train_reader.py` makes of `benchmarks/update_data.py`; docs/reading.md has what it was trained on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

from ..model import Question
from . import windows
from .likeliest import likeliest
from .network import Finding, Network, of_updates
from .relevance import Found
from .values import Value
from .windows import Window

__all__ = ["READ", "behind", "former", "turned", "update"]

#: Later windows that are read: the likeliest.
READ = 6
#: Windows of which each is read behind each that was said before it, where it is asked what was so before.
_PAIRED = 4
#: From which logit on one takes the place of the first. From 0 on more changes are found, and in long chats three times
#: as many right answers lost (docs/reading.md).
_TAKES = 2.0


def update(question: Question, first: Found, later: Sequence[Found], network: Network | None = None) -> Value | None:
    """The newest value that takes the place of what `first` tells, as sure as that; None where nothing does.

    `later`: windows that were said after it, the likeliest first. `network`: the one that ships, if none is given.
    Raises ModelUnavailable.
    """
    new = [value for each in _taking(question, first, later, network) if (value := likeliest(question, each))]
    return max(new, key=lambda value: _said(value.found), default=None)


def turned(question: Question, first: Found, later: Sequence[Found], network: Network | None = None) -> Found | None:
    """The newest window that takes the place of `first`, as sure as that, with what it says to a question of yes or no;
    else as `update`.
    """
    return max(_taking(question, first, later, network), key=_said, default=None)


def former(question: Question, found: Sequence[Found], network: Network | None = None) -> Found | None:
    """The likeliest of a few windows whose place a later one of these takes, as sure as that; None where none does.

    `found`: dated windows, the likeliest first. Else as `update`.
    """
    pairs = [(one, other) for one, other in permutations(found[:_PAIRED], 2) if _said(one) < _said(other)]
    read = [behind(one.passage.window, other.passage.window) for one, other in pairs]
    findings = (network or of_updates()).read(question.text, read) if read else []
    taken = (pair for pair, finding in zip(pairs, findings, strict=True) if finding.answers > _TAKES)
    return next((_in_place(later, first, first.finding) for first, later in taken), None)


def _taking(question: Question, first: Found, later: Sequence[Found], network: Network | None) -> list[Found]:
    """The windows that take the place of the first one, as the network reads them behind it."""
    read = later[:READ]
    pairs = [behind(first.passage.window, each.passage.window) for each in read]
    findings = (network or of_updates()).read(question.text, pairs) if read else []
    takes = [pair for pair in zip(read, findings, strict=True) if pair[1].answers > _TAKES]
    return [_in_place(first, *pair) for pair in takes]


def _in_place(first: Found, later: Found, finding: Finding) -> Found:
    """The later window as sure as the first."""
    read = replace(finding, answers=max(first.finding.answers, later.finding.answers))
    return replace(later, finding=read, trust=max(first.trust, later.trust))


def behind(first: Window, later: Window) -> Window:
    """The later window with the first before it."""
    return replace(later, before=windows.before([(first.speaker, first.text)]))


def _said(found: Found) -> float:
    return found.passage.at.timestamp() if found.passage.at else 0.0
