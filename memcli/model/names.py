"""What people are called in conversations, beside the names that their messages bear."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["NameUse", "Sign"]


class Sign(StrEnum):
    """What shows that a name is somebody's."""

    VOCATIVE = "vocative"  # "Hey Em," says a name of whoever is spoken to
    KINSHIP = "kinship"  # "Thanks mum!" does so for its speaker alone
    SIGNATURE = "signature"  # "– Em" is a name of its own speaker
    INTRODUCTION = "introduction"  # and so is "it's Em here"
    RELATIVE = "relative"  # "my sister Ana": whom a word of kinship means to its speaker


@dataclass(frozen=True, slots=True)
class NameUse:
    """A name that a turn uses in a telling way. `of`: of a RELATIVE, who that is, as the turn calls them."""

    name: str
    sign: Sign
    of: str = ""
