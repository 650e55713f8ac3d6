"""The extractive reader, where people have said of earlier answers to the same question what they were worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..languages import language
from ..model import Answer, Caution, Hit, Query, Turn, TurnId
from ..store.connection import Store
from ..store.views.view import View
from ..text import words
from . import unread
from .extractive import ExtractiveReader, Find, earlier
from .look import Look
from .stored import StoredTranscript

__all__ = ["HeedingReader", "StoredReader", "refuted"]

#: What stands between what holds now and what held before it.
EARLIER = " (before: "


class HeedingReader:
    """Reads what was said to be missing before all else, and gives no answer again that was said to be wrong.

    `before`: the hits as they were found, from which the wrong answer was read.
    """

    def __init__(self, reader: ExtractiveReader, before: Sequence[Hit]) -> None:
        self._reader = reader
        self._before = before

    def read(self, query: Query, hits: Sequence[Hit]) -> Answer:
        """See `Reader.read`."""
        missed = [hit for hit in hits if hit.unit.sources[0] in query.missed]
        if missed:
            return self._reader.trust(query, missed)
        if not query.wrong:
            return self._reader.read(query, hits)
        return self._other(query, [hit for hit in hits if not refuted(query, hit)])

    def looked(self, query: Query, hits: Sequence[Hit]) -> tuple[Answer, Look]:
        """What `read` answers, and what was seen in the hits: read once, where nobody has said anything."""
        look = self._reader.look(query, hits)
        heeded = query.missed or query.wrong
        return self.read(query, hits) if heeded else self._reader.answer(look), look

    def _other(self, query: Query, left: list[Hit]) -> Answer:
        """The first answer that is not the wrong one in other turns' words."""
        wrong = self._wrong(query)
        while left:
            answer = self._reader.read(query, left)
            if answer.abstained or _gist(query, answer.text) not in wrong:
                return answer
            fewer = [hit for hit in left if hit.unit.sources[0] not in answer.citations]
            left = fewer if len(fewer) < len(left) else []  # it rests on what is no hit, and would be said again
        return Answer(language(query.question.language).nothing(), (), 0.0, abstained=True)

    def _wrong(self, query: Query) -> set[tuple[str, ...]]:
        """What is said of the turns that wrong answers rested on: with all that was found, and of them alone."""
        whole = self._reader.read(query, self._before)
        alone = self._reader.look(query, [hit for hit in self._before if refuted(query, hit)])
        texts = [whole.text] if not query.wrong.isdisjoint(whole.citations) else []
        return {_gist(query, text) for text in (*texts, *([alone.text] if alone.text else []))}


@dataclass(frozen=True, slots=True)
class StoredReader:
    """The same over a store, which is opened once for all that it looks up."""

    store: Store
    view: View
    before: Sequence[Hit]
    caution: Caution = Caution.USUAL
    find: Find | None = None

    def read(self, query: Query, hits: Sequence[Hit]) -> Answer:
        """See `Reader.read`."""
        with self.store.reading():
            return self._reader().read(query, hits)

    def looked(self, query: Query, hits: Sequence[Hit]) -> tuple[Answer, Look]:
        """See `HeedingReader.looked`."""
        with self.store.reading():
            return self._reader().looked(query, hits)

    def around(self, turn: TurnId, before: int, after: int) -> Sequence[Turn]:
        """See `Transcript.around`."""
        with self.store.reading():
            return self.view.around(turn, before, after)

    def _reader(self) -> HeedingReader:
        judge = unread.of_store(self.view)
        reader = ExtractiveReader(StoredTranscript(self.view), caution=self.caution, unread=judge, find=self.find)
        return HeedingReader(reader, self.before)


def refuted(query: Query, hit: Hit) -> bool:
    """Whether a wrong answer to the question rested on this."""
    return hit.unit.sources[0] in query.wrong


def _gist(query: Query, text: str) -> tuple[str, ...]:
    return tuple(words(text.partition(earlier(query.question))[0]))
