"""What a session asserts: its language's rules, turn by turn."""

from __future__ import annotations

from ...languages import spoken
from ...model.generated import Assertion, SessionText

__all__ = ["asserted"]


def asserted(text: SessionText, after: int = 0) -> list[Assertion]:
    """What the turns of a session assert, in their order; `after`: without its first so many turns."""
    people, language = text.people(), spoken(turn.text for turn in text.turns)
    return [
        assertion
        for place, turn in enumerate(text.turns[after:], start=after)
        for assertion in language.assertions(turn, text.sentences[place], text.turns[:place], people)
    ]
