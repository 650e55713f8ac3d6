"""Questions for how many there are, as questions for which: what can be shown where nobody told the number."""

from __future__ import annotations

import re

from ...model import Reckoned, Reckoning
from .amounts import MEASURES
from .coordination import plainly

__all__ = ["counted"]

_MANY = re.compile(
    r"^(?P<lead>[^,?]+, )?how many (?:total |different |other |distinct )*(?:(?:kinds|types|sorts) of )?"
    rf"(?!(?:{'|'.join(MEASURES)}|times?|more|fewer|of)\b)(?P<what>[a-z].+)$",
    re.IGNORECASE,
)
_PEOPLE = re.compile(r"^(?:people|persons) ", re.IGNORECASE)


def counted(question: str) -> Reckoning | None:
    """The question for what is to be counted ("what sheds did I build?"); None where no number of things is asked for,
    as none is of what is measured, or of how often.
    """
    match = _MANY.match(plainly(question))
    if not match:
        return None
    what = match["what"]
    which = f"who {_PEOPLE.sub('', what)}" if _PEOPLE.match(what) else f"what {what}"
    asked = f"{match['lead'] or ''}{which}?"
    return Reckoning(Reckoned.COUNT, "", (f"{asked[0].upper()}{asked[1:]}",), (what,))
