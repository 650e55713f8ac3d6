"""What is said of a store that another embedder would suit better: an earlier version's default filled it, or it is
not in English.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..memory import Memory

__all__ = ["tell_foreign", "tell_former_default"]

#: Of so many turns, from this share in other languages than English on, the multilingual embedder is recommended.
_FEWEST, _SHARE = 20, 0.5


def tell_former_default(memory: Memory) -> None:
    """Says so on standard error, and what to do; of any other store nothing."""
    from .render import one_line, say

    if name := memory.former_default:
        say(
            f"memcli: this store was filled with the encoder {one_line(name)} of an earlier version: "
            "memcli compact --re-embed moves it to the present one"
        )


def tell_foreign(memory: Memory, added: int) -> None:
    """Says on standard error which embedder was chosen for what is not in English; or, where most of what this store
    holds was just `added` to it, is not, and memcli's own encoder filled it, which would suit it better.
    """
    from ..providers.embedding import DEFAULT
    from ..store import lexical, transcript
    from ..store.identity import identity
    from .render import say

    if memory.suited:
        say(
            f"memcli: most of this is not in English: the {memory.suited} embedder was chosen for this store "
            "(memcli compact --re-embed --embedder memcli has it otherwise; for a new store, --embedder memcli)"
        )
    if memory.suited or added < _FEWEST:
        return
    with memory.store.reading() as db:
        filled_by, turns, others = identity(db), transcript.turn_count(db), sum(lexical.languages(db).values())
    if filled_by is not None and filled_by.name == DEFAULT and added >= turns / 2 and others >= _SHARE * turns:
        say(
            "memcli: most of this is not in English, which memcli's own encoder knows best: pip install "
            "'memcli[multilingual]', then memcli compact --re-embed --embedder multilingual"
        )
