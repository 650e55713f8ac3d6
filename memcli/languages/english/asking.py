"""Whether somebody asks in a chat, where a question mark is often left out."""

from __future__ import annotations

import re

__all__ = ["asks"]

_SUBJECT = r"(?:you|we|i|he|she|they|it|this|that|these|those|the|your|any\w*|some\w*|there)"
_OPENS = re.compile(
    rf"^(?:\W*(?:and|so|ok|okay|but|hey|hi|wait|oh|btw)\W+)*(?:"
    rf"(?:what|who|where|when|how|why)(?:'?s|'?re| is| are| was| were| did| do| does| will| can| should| would)\b"
    rf"|who (?!knows\b|cares\b|needs\b|would've\b|would have\b|had\b)\w+"
    rf"|what (?:time|day|kind|colou?r)\b|how (?:much|many|long|old|far|often|come)\b"
    rf"|which (?:one|\w+ (?:is|are|was|do|did))\b"
    rf"|(?:do|did|does|can|could|would|are|have|has|is|was|will) {_SUBJECT}\b)"
)


def asks(text: str) -> bool:
    """Whether `text` has a question mark, or begins as a question does."""
    return "?" in text or bool(_OPENS.match(text.lower().replace("’", "'")))
