"""Whether what one turn says makes what an earlier one said untrue."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..model import Turn
from ..model.generated import Told, speaker_name
from ..text import sentences
from . import spoken

__all__ = ["makes_untrue"]

_NO_VECTOR = np.zeros(1, dtype=np.float32)


def makes_untrue(new: Turn, old: Turn) -> bool:
    """Whether some sentence of `new` takes the place of one of `old`, by the rules of its language."""
    language = spoken([new.text])
    return any(language.supersedes(one, other) for one in _told(new) for other in _told(old))


@lru_cache(maxsize=64)
def _told(turn: Turn) -> tuple[Told, ...]:
    """What a turn says, as it was said and as it is retold: a turn is held against many."""
    language, name = spoken([turn.text]), speaker_name(turn)
    texts = [text for each in sentences(turn.text) for text in (each, *language.retold(each, turn, [name]))]
    return tuple(Told(text, _NO_VECTOR, name, turn.session, turn.said_at, (turn.id,)) for text in texts)
