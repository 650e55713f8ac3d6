"""Whether what was said later takes the place of the statement that answers, and what it says instead.

A network reads each later window with the earlier one before it. It is the reader's with other upper layers, which
`benchmarks/train_reader.py` makes of `benchmarks/update_data.py`; docs/reading.md has what it was trained on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..model import Question
from . import windows
from .likeliest import likeliest
from .network import Finding, Network, of_updates
from .relevance import Found
from .values import Value
from .windows import Window

__all__ = ["READ", "behind", "update"]

#: Later windows that are read: the likeliest.
READ = 6
#: From which logit on one takes the place of the first. From 0 on more changes are found, and in long chats three times
#: as many right answers lost (docs/reading.md).
_TAKES = 2.0


def update(question: Question, first: Found, later: Sequence[Value], network: Network | None = None) -> Value | None:
    """The newest value that takes the place of what `first` tells, as sure as that; None where nothing does.

    `later`: values of windows that were said after it, the likeliest first. `network`: the one that ships, if none is
    given. Raises ModelUnavailable.
    """
    read = later[:READ]
    pairs = [behind(first.passage.window, each.found.passage.window) for each in read]
    findings = (network or of_updates()).read(question.text, pairs) if read else []
    takes = [pair for pair in zip(read, findings, strict=True) if pair[1].answers > _TAKES]
    new = [value for each, finding in takes if (value := _value(question, first, each.found, finding))]
    return max(new, key=lambda value: _said(value.found), default=None)


def behind(first: Window, later: Window) -> Window:
    """The later window with the first before it."""
    return replace(later, before=windows.before([(first.speaker, first.text)]))


def _value(question: Question, first: Found, later: Found, finding: Finding) -> Value | None:
    """What the later window says in the first one's place."""
    read = replace(finding, answers=max(first.finding.answers, later.finding.answers))
    return likeliest(question, replace(later, finding=read, trust=max(first.trust, later.trust)))


def _said(found: Found) -> float:
    return found.passage.at.timestamp() if found.passage.at else 0.0
