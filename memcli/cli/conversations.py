"""`memcli conversations`: what conversations the store holds."""

from __future__ import annotations

from . import options as o

__all__ = ["conversations"]


def conversations(as_json: o.Json = False, store: o.Store = None) -> int:
    """List the conversations: how many turns, the days of the first and the last, and the name, for --conversation.

    Exit code 1: there is none yet.
    """
    from ..store import names
    from .listing import print_names, record
    from .render import emit_json, say

    with o.memory(store).store.reading() as db:
        found = names.conversations(db)
    if as_json:
        emit_json({"conversations": [record(one, "speakers") for one in found]})
    elif found:
        print_names(found)
    else:
        say("nothing found")
    return 0 if found else 1
