"""What is said of a look: its value, the sentence that answers, two of which one does, or that nothing answers."""

from __future__ import annotations

from ..languages import language
from ..model import Answer, Form, TurnId
from .confidence import Doubted
from .look import Look
from .quoting import of_two, quoted
from .relevance import Found

__all__ = ["silent", "told"]


def told(look: Look, doubted: Doubted) -> Answer:
    """The answer as it is best given."""
    if doubted.rival:
        return _of_two(look, doubted.rival, doubted.trust)
    is_value, quote = doubted.form is Form.VALUE, quoted(look)
    return Answer(
        look.text if is_value else quote, _turns(look), doubted.trust, abstained=False, form=doubted.form, quote=quote,
        items=look.items if is_value else (),
    )  # fmt: skip


def silent(look: Look, trust: float) -> Answer:
    """An abstention, with the nearest that was read, if anything was."""
    nothing, quote = language(look.question.language).nothing(), quoted(look) if look.found else ""
    return Answer(nothing, _turns(look), trust, abstained=True, quote=quote)


def _of_two(look: Look, rival: Found, trust: float) -> Answer:
    items = of_two(look, rival)
    text = f"; {language(look.question.language).otherwise()} ".join(each.text for each in items)
    turns = tuple(each.turn for each in items)
    return Answer(text, turns, trust, abstained=False, form=Form.QUOTE, quote=text, items=items)


def _turns(look: Look) -> tuple[TurnId, ...]:
    return tuple(dict.fromkeys(each.passage.turn for each in look.cited or look.found[:1]))
