"""Prompts as versioned text files, and how what people said is put into them: fenced, on one line, under short ids."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from importlib import resources
from string import Template

from ..text import clean

__all__ = ["Prompt", "fenced", "prompt", "short_id", "tidy"]

_VERSION = "version: "


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt's text, with places to fill written `$name`, and the version to report with results."""

    name: str
    version: str
    text: str

    def fill(self, **values: str) -> str:
        """The text with its places filled, in one pass: a value is never searched for places.

        Raises ValueError unless exactly the places of the text are given.
        """
        template = Template(self.text)
        places = set(template.get_identifiers())
        if places != values.keys():
            raise ValueError(f"prompt {self.name} has the places {sorted(places)}, given were {sorted(values)}")
        return template.substitute(values)


def prompt(package: str, name: str) -> Prompt:
    """The prompt in `prompts/NAME.txt` of a package; its first line is "version: …" and the second is empty.

    Raises FileNotFoundError; ValueError for a file without a version.
    """
    text = (resources.files(package) / "prompts" / f"{name}.txt").read_text(encoding="utf-8")
    first, _, rest = text.partition("\n")
    version = first.removeprefix(_VERSION).strip()
    if not first.startswith(_VERSION) or not version:
        raise ValueError(f"the first line of prompt {name} must be {_VERSION!r} and a version")
    return Prompt(name, version, rest.strip())


def fenced(text: str) -> str:
    """`text` as data: between two lines with a mark that does not occur in it, so that it cannot end the fence.

    Every text that the program did not write itself goes into a prompt this way. The same text has the same mark.
    """
    mark = ""
    while not mark or mark in text:
        mark = sha256(f"{mark}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"<data {mark}>\n{text}\n</data {mark}>"


def tidy(text: str) -> str:
    """On one line, so that nothing that was said can pretend to be two things, and without control characters."""
    return " ".join(clean(text).split())


def short_id(said: str) -> str:
    """An id as it was shown, of the ways in which models write it."""
    return said.strip().strip("[]()").lower()
