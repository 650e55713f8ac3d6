"""How a language model is asked for an answer: by how much it can keep in mind."""

from __future__ import annotations

from enum import StrEnum

from ..errors import UsageError
from ..providers.sizes import is_small

__all__ = ["Style", "style_of"]


class Style(StrEnum):
    """`FULL`: up to twenty turns, and it thinks first. `SMALL`: five turns with their neighbours, the answer
    first. `CHOICE`: it chooses among what the extractive reader proposes. `AUTO`: by its size, `FULL` or `SMALL`.
    """

    AUTO = "auto"
    FULL = "full"
    SMALL = "small"
    CHOICE = "choice"


def style_of(model: str, wanted: str = Style.AUTO) -> Style:
    """The style for the model called so. Raises UsageError for one that there is not."""
    try:
        style = Style(wanted)
    except ValueError as error:
        raise UsageError(f"unknown prompt style {wanted!r}", f"choose one of: {', '.join(Style)}") from error
    if style is not Style.AUTO:
        return style
    return Style.SMALL if is_small(model) else Style.FULL
