"""Whether what a language model answered stands in what it cites."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..languages.sources import read, strange_name, wrong_date, wrong_number
from ..model import Turn

__all__ = ["unsupported"]

#: What yes-no questions are answered with.
_GRANTED = "yes no not none"
#: A letter or two that mean something by themselves: a blood type, a seat, a grade.
_CODE = re.compile(r"[A-Z]{1,2}[+-]?")


def unsupported(answer: str, turns: Sequence[Turn], question: str) -> str:
    """Why an answer to `question` does not rest on `turns`, which it cites; empty where it does.

    Each name, number and date in it must stand in one of them, follow from when it was said, or be the question's own.
    """
    if not turns:
        return "it cites nothing"
    if _CODE.fullmatch(answer) and not any(_stands(answer, turn.text) for turn in turns):
        return f"no source names {answer}"
    sources = read(turns, (question, _GRANTED))
    return wrong_date(answer, sources) or wrong_number(answer, sources) or strange_name(answer, sources, lambda _: True)


def _stands(code: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(code)}(?![\w'’])(?!\s[a-z])", text) is not None
