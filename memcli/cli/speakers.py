"""`memcli speakers`: who speaks in the store."""

from __future__ import annotations

from . import options as o

__all__ = ["speakers"]


def speakers(as_json: o.Json = False, store: o.Store = None) -> int:
    """List who speaks: how many turns, the days of the first and the last, and the name, for --speaker.

    Exit code 1: nobody has said anything yet.
    """
    from ..store import names
    from .listing import print_names, record
    from .render import emit_json, say

    with o.memory(store).store.reading() as db:
        found = names.speakers(db)
    if as_json:
        emit_json({"speakers": [record(one, "conversations") for one in found]})
    elif found:
        print_names(found)
    else:
        say("nothing found")
    return 0 if found else 1
