"""What a session asserts: by its language's rules, turn by turn, or, where it has none, by what its vectors tell."""

from __future__ import annotations

from ...languages import spoken
from ...model.generated import Assertion, SessionText
from .relating import Classifier

__all__ = ["asserted"]


def asserted(text: SessionText, after: int = 0, classifier: Classifier | None = None) -> list[Assertion]:
    """What the turns of a session assert, in their order; `after`: without its first so many turns.

    `classifier`: what tells of vectors of the store's embedder, if anything does.
    """
    people, language = text.people(), spoken(turn.text for turn in text.turns)
    if classifier and not language.has_assertions:
        return classifier.asserted(text, after, language.asks)
    return [
        assertion
        for place, turn in enumerate(text.turns[after:], start=after)
        for assertion in language.assertions(turn, text.sentences[place], text.turns[:place], people)
    ]
