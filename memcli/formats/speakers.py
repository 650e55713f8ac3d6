"""Which words before a colon, in bold or in a heading are a speaker's name."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["NAME", "Speaker", "Speakers", "is_chat", "speaker"]

#: Something like a name, as a part of a regular expression.
NAME = r"[^\W\d_][\w .'’&+@/-]{0,47}?"

_ROLES = {
    **dict.fromkeys("user human you me prompt".split(), "user"),
    **dict.fromkeys(
        """assistant ai bot model response chatgpt claude gemini copilot gpt gpt-4 gpt-4o gpt-5 llama mistral
        grok""".split(),
        "assistant",
    ),
}
#: Whom people also call so in a chat with other people.
_PERSONAL = ("you", "me")
#: Chapters of many a page that is no chat.
_AMBIGUOUS = {"prompt", "model", "response", "bot"}
_PARTICLES = frozenset("de da do dos di du del der den van von bin al el la le y e and & und et".split())
#: Words that introduce what follows and are nobody.
_NOBODY = frozenset(
    """note notes warning caution important hint hints tip tips example examples step steps ps edit update title
    subject date time summary total cost price address phone email e-mail from to cc bcc re fwd source sources output
    input result results error info debug trace warn fatal todo fixme pros cons ingredients instructions conclusion
    reason location http https version name description author authors license status type topic tags url link links
    usage requirements installation features options arguments returns raises see default key value""".split()
)
_MOST = 10_000
_SAID = re.compile(r"\s+(?:said|says|wrote)$", re.IGNORECASE)


#: A speaker's name and role, the role empty where there is none.
Speaker = tuple[str, str]


def is_chat(names: Iterable[str]) -> bool:
    """Whether a person and a model are among them, by words that stand for little else."""
    found = {name.lower() for name in names} - _AMBIGUOUS
    return {"user", "assistant"} <= {_ROLES[name] for name in found & _ROLES.keys()}


def speaker(written: str, *, any_case: bool = False) -> Speaker | None:
    """The speaker's name and role; None if nobody is called that. `any_case`: a name in small letters is one, too."""
    name = _SAID.sub("", " ".join(written.split()))
    if role := _ROLES.get(name.lower()):
        return name, role
    parts = name.split()
    if not 1 <= len(parts) <= 4 or parts[0].lower() in _NOBODY:
        return None
    if all(part in _PARTICLES or not part[0].islower() for part in parts) or (any_case and len(parts) == 1):
        return name, ""
    return None


class Speakers:
    """Who may speak in one transcript. Names in small letters are names where the first is written so.

    Where a user or a model speaks, nobody new does: models like to begin their paragraphs with a word and a colon.
    """

    def __init__(self) -> None:
        self._any_case = True
        self._known: set[str] = set()
        self._is_closed = False

    def named(self, written: str) -> Speaker | None:
        """The speaker called so, if anyone may be."""
        found = speaker(written, any_case=self._any_case)
        if found is None or (self._is_closed and not found[1] and found[0] not in self._known):
            return None
        return found

    def began(self, who: Speaker) -> None:
        """Somebody speaks."""
        name, role = who
        if not self._known:
            self._any_case = name[0].islower()
        if len(self._known) < _MOST:
            self._known.add(name)
        self._is_closed = self._is_closed or (bool(role) and name.lower() not in _PERSONAL)
