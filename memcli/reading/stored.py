"""A store's view as the transcript that a reader consults."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ..languages.base import PREFERENCE
from ..model import Query, SessionId, Turn, TurnId
from ..model.generated import Assertion
from ..ranking.bm25 import idf
from ..store import transcript
from ..store.assertions import stated_of
from ..store.cosine import cosines
from ..store.views.view import View

__all__ = ["StoredTranscript"]


class StoredTranscript:
    """Implements `Transcript` over a view."""

    def __init__(self, view: View) -> None:
        self._view = view

    def around(self, turn_id: TurnId, before: int, after: int) -> Sequence[Turn]:
        """See `Transcript.around`."""
        return self._view.around(turn_id, before, after)

    def sentences(
        self, turn_ids: Sequence[TurnId], vector: npt.NDArray[np.float32]
    ) -> Mapping[TurnId, Sequence[tuple[str, float]]]:
        """See `Transcript.sentences`."""
        if not turn_ids:
            return {}
        rows = self._view.rows_of(turn_ids).tolist()
        texts = self._view.sentence_texts(rows)
        places = [place for row in rows for place, _ in texts[row]]
        near = cosines(vector, self._view.vectors(np.array(places, dtype=np.int64)))
        cosine = dict(zip(places, near.tolist(), strict=True))
        return {
            turn: [(text, cosine[place]) for place, text in texts[row]]
            for turn, row in zip(turn_ids, rows, strict=True)
        }

    def asserted(
        self, head: str, query: Query, turns: Sequence[TurnId] | None = None
    ) -> Sequence[tuple[Turn, Assertion, float]]:
        """See `Transcript.asserted`."""
        found = self._view.read(lambda db: stated_of(db, head, turns))
        rows = self._view.rows_of_numbers(np.array([number for number, _, _ in found], dtype=np.int64))
        seen = [(row, *rest) for row, (_, *rest) in zip(rows.tolist(), found, strict=True) if row >= 0]
        allowed = self._view.allowed(query.filters)
        kept = [(row, asserted, data) for row, asserted, data in seen if allowed[row]]
        if not kept:
            return []
        vectors = np.frombuffer(b"".join(data for _, _, data in kept), dtype=np.float16).astype(np.float32)
        near = cosines(query.phrasings.get(PREFERENCE, query.vector), vectors.reshape(len(kept), -1)).tolist()
        told = self._view.fetch([row for row, _, _ in kept])
        return [(turn, each, cosine) for turn, (_, each, _), cosine in zip(told, kept, near, strict=True)]

    def later(self, turn_id: TurnId, query: Query, n: int) -> Sequence[Turn]:
        """See `Transcript.later`."""
        view, [row] = self._view, self._view.rows_of([turn_id]).tolist()
        after = (view.speaker_code == view.speaker_code[row]) & (view.days > view.days[row])
        said = np.flatnonzero((after & view.allowed(query.filters))[view.owner])
        if not len(said):
            return []
        like = cosines(view.vectors(np.flatnonzero(view.owner == row)), view.vectors(said)).max(axis=0)
        best = said[np.argsort(-like, kind="stable")]
        return view.fetch(list(dict.fromkeys(view.owner[best].tolist()))[:n])

    def sessions_with(self, speaker: str, sessions: Collection[SessionId]) -> Collection[SessionId]:
        """See `Transcript.sessions_with`."""
        return self._view.read(lambda db: transcript.sessions_with(db, speaker, sessions))

    def rarity(self, stems: Sequence[str]) -> Mapping[str, float]:
        """See `Transcript.rarity`."""
        found = self._view.postings(stems)
        frequencies = [len(found[stem][0]) if stem in found else 0 for stem in stems]
        return dict(zip(stems, idf(frequencies, self._view.n).tolist(), strict=True))
