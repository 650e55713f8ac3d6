"""A store's view as the transcript that a reader consults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ..model import Turn, TurnId
from ..model.generated import Assertion
from ..ranking.bm25 import idf
from ..store.assertions import stated
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

    def assertions(self, turn_ids: Sequence[TurnId]) -> Sequence[Assertion]:
        """See `Transcript.assertions`."""
        return self._view.read(lambda db: stated(db, turn_ids))

    def rarity(self, stems: Sequence[str]) -> Mapping[str, float]:
        """See `Transcript.rarity`."""
        found = self._view.postings(stems)
        frequencies = [len(found[stem][0]) if stem in found else 0 for stem in stems]
        return dict(zip(stems, idf(frequencies, self._view.n).tolist(), strict=True))
