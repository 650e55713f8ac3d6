"""What comes out of a memory: a question read, evidence found for it and put in order, an answer."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from ..errors import UsageError
from ..languages import spoken
from ..model import Answer, Caution, Filters, Hit, Query, Question, TurnId
from ..store import transcript
from ..store.connection import Store
from ..store.names import named
from ..store.verdicts import verdicts_on
from ..store.views.view import View, unchanged
from ..strategies import Strategy, strategy
from ..strategies.base import Narrowing, evidence, shown, turn_units, wordings
from ..strategies.heeding import heed, room
from ..text import content_stems, is_blank
from .encoders import Encoders, check_filled_by
from .making import Making, untold
from .understanding import hearing, understood
from .views import Views

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ..indexing.prepare import Watch
    from ..providers.embedding import Embedder
    from ..providers.reranking import Reranker
    from ..reading.consulting import Consulted
    from ..reading.extractive import Find
    from ..strategies.filters_by_model import ConsultingFilters
    from .recapping import Recap

__all__ = ["READ", "Asked", "Asking", "Reading", "bearing"]

#: How many hits a reader is given, whatever number is shown.
READ = 20
#: A hit that scores under this share of the best has no bearing on the question. On `ordinary` and `ordinary_hard` that
#: hides 40 % of what does not answer among the first five, and of what does 2 %, where no answer cites it.
_FALLS_OFF = 0.02

_Hears = Callable[[str], object] | None
_Tells = Callable[[View, Filters], tuple[Answer, list[Hit]] | None]
Made = TypeVar("Made")


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer with the hits that the reader was given, best first, and what it cites beside them: turns behind hits.

    `model` is the language model that was asked for, if any, `reasoning` what it thought; `fallback` says why the
    answer is the extractive one all the same, empty where it is not.
    """

    answer: Answer
    hits: Sequence[Hit]
    model: str = ""
    reasoning: str | None = None
    fallback: str = ""

    def shown(self, k: int) -> list[Hit]:
        """At most k hits for a person: those that the answer cites, then the best, until scores fall off."""
        place = {turn: i for i, turn in enumerate(self.answer.citations)}
        hits = bearing(self.hits, place)
        return sorted(hits, key=lambda hit: place.get(hit.unit.sources[0], len(place)))[:k]


def bearing(hits: Sequence[Hit], cited: Collection[TurnId] = ()) -> list[Hit]:
    """The hits before scores fall off, in their order, and those of turns that are cited."""
    best = max((hit.score for hit in hits), default=0.0)
    least = _FALLS_OFF * best if best > 0 else -math.inf  # a share of a score under nothing would be above it
    return [hit for hit in hits if hit.unit.sources[0] in cited or hit.score >= least]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as a user puts it: see `Memory.search`."""

    text: str
    filters: Filters | None
    at: datetime | None
    strategy: str | Strategy
    reranker: str | Reranker = ""
    caution: Caution = Caution.USUAL
    making: Callable[[], AbstractContextManager[Watch]] = untold


@dataclass(frozen=True, slots=True)
class _Search:
    """The same, with what answers it made."""

    asked: Asked
    strategy: Strategy
    reranker: Reranker | None


class Asking:
    """Asks a store. `consulted`: the language model that words the answers, if any."""

    def __init__(
        self, store: Store, encoders: Encoders, views: Views, making: Making, consulted: Consulted | None
    ) -> None:
        self._store, self._encoders, self._views, self._making = store, encoders, views, making
        self._consulted = consulted
        self._rerankers: dict[str, Reranker] = {}

    def search(self, asked: Asked, k: int) -> list[Hit]:
        """See `Memory.search`."""
        search = self._begun(asked, k)
        return self._looked(partial(self._search, search, k), search)

    def _search(self, search: _Search, k: int) -> list[Hit]:
        query, view = self._query(search)
        with self._held(search)():  # one opening for all that is looked up
            return heed(query, view, _found(search, query, view, k + room(query)))[:k]

    def ask(self, asked: Asked, k: int, watch: _Hears, tell: _Hears) -> Reading:
        """See `Memory.ask`."""
        search = self._begun(asked, k, self._filters(tell))
        if told := self._told(asked):
            return told
        return self._looked(partial(self._ask, search, k, watch, tell), search, self._consulted)

    def _ask(self, search: _Search, k: int, watch: _Hears, tell: _Hears) -> Reading:
        from ..reading.heeding import StoredReader, refuted

        query, view = self._query(search)
        with self._held(search, self._consulted)(), hearing(view, query.question):
            deep = k + room(query)
            before = evidence(view, _found(search, query, view, deep), deep)
            find = self._finds(search, query, view, deep)
            extractive = StoredReader(self._store, view, before, search.asked.caution, find)
            hits = heed(query, view, before)
            if self._consulted is None:
                answer = extractive.read(query, hits)
                return Reading(answer, [*hits, *_behind(view, answer.citations, hits)])
        credible = [hit for hit in hits if not refuted(query, hit)]
        written = self._consulted.write(extractive, query, credible, watch, tell)
        rests_on = [*hits, *_behind(view, written.answer.citations, hits)]
        model = self._consulted.id if written.was_asked else ""
        return Reading(written.answer, rests_on, model, written.reasoning, written.fallback)

    def _finds(self, search: _Search, query: Query, view: View, k: int) -> Find | None:
        """What finds the parts of a question: nothing where a model would be asked once more for each, or where people
        have said of the question what is wrong or missing.
        """
        is_far = self._consulted is not None or not self._encoders.is_quick()
        is_judged = bool(query.missed or query.wrong)
        return None if is_far or is_judged else partial(self._found_beside, search.strategy, query, view, k)

    def _found_beside(
        self, chosen: Strategy, query: Query, view: View, k: int, text: str
    ) -> tuple[Query, Sequence[Hit]] | None:
        """What another question finds in the same view; None of a large store: that holds what is near `query`."""
        if view.is_coded:
            return None
        with self._store.reading() as db:
            question = understood(db, view, text)
        model = self._encoders.to_read(self._encoders.stored()).result()
        vector, phrasings = _vectors(model, question, chosen, view)
        other = Query(question, vector, query.asked_at, query.filters, phrasings)
        return other, evidence(view, chosen.retrieve(other, view, k), k)

    def recounted(self, found: Recap, tell: _Hears) -> Recap:
        """A recap, also in the words of the language model, if there is one."""
        if self._consulted is None or not found.parts:
            return found
        from ..reading.consulting import RECOUNTED
        from .recounting import worded

        return worded(found, partial(self._consulted.model, tell, RECOUNTED))

    def _told(self, asked: Asked) -> Reading | None:
        """The answer to a question of what was said or happened at some time, or of a person as a whole; None for any
        other.
        """
        if self._consulted is not None:
            return None
        at = asked.at or datetime.now().astimezone()
        if spoken([asked.text]).looks_back(asked.text, at) is not None:
            from .recapping import told_of

            return self._read_off(asked, lambda view, filters: told_of(view, asked.text, filters, at))
        if spoken([asked.text]).asks_of(asked.text)[0]:
            from .portraying import portrait

            return self._read_off(asked, lambda view, filters: portrait(self._store, view, asked.text, filters, at))
        return None

    def _read_off(self, asked: Asked, told: _Tells) -> Reading | None:
        """What needs no reader: it is told from the view and the filters, whose names are whole."""
        with self._store.reading() as db:
            transcript.check_filled(db)
            filters = named(db, asked.filters or Filters())
        view = self._views.of(filters.conversation, self._encoders.stored())
        found = unchanged(lambda: told(view, filters), self._store.reading)
        return found and Reading(*found)

    def query(self, text: str, filters: Filters, at: datetime, chosen: Strategy) -> tuple[Query, View]:
        """The question as `chosen` wants it, and what it is asked over."""
        with self._store.reading() as db:  # one opening for everything that can be read before the model is there
            transcript.check_filled(db)
            said, filters, stored = verdicts_on(db, text), named(db, filters), self._encoders.stored()
            loading = self._encoders.to_read(stored)
            view = self._views.of(filters.conversation, stored)
            if not (isinstance(chosen, Narrowing) and view.is_coded):
                view.preload(content_stems(text), chosen.needs)
            question = understood(db, view, text)
        model = loading.result()
        check_filled_by(stored, model)
        vector, phrasings = _vectors(model, question, chosen, view)
        query = Query(question, vector, at, filters, phrasings, said.missed, said.wrong)
        return query, shown(chosen, query, view)

    def close(self) -> None:
        """Ends the connections of the rerankers that were made here."""
        for made in self._rerankers.values():
            if hasattr(made, "close"):
                made.close()
        self._rerankers = {}

    def _begun(self, asked: Asked, k: int, filters: ConsultingFilters | None = None) -> _Search:
        """What is asked, by what and whom. Raises UsageError where there is nothing to look for."""
        if k < 1:
            raise UsageError("-k must be at least 1")
        if is_blank(asked.text):
            raise UsageError("the question is empty", "ask something")
        chosen = strategy(asked.strategy, filters)
        return _Search(asked, chosen, self._reranker(asked.reranker))

    def _looked(self, look: Callable[[], Made], search: _Search, *others: Consulted | None) -> Made:
        """What `look` finds when what the strategy needs is made.

        The store is opened once for all of it where nothing is to be made and nobody far away is asked: to open it
        again and again took more than a quarter of a search.
        """
        held, needs = self._held(search, *others), [search.strategy.needs]
        with held():
            lacking = self._making.lacking(needs)
            if not lacking and held is not nullcontext and self._encoders.is_quick():
                return unchanged(look, held)
        if lacking:
            with search.asked.making() as watch:
                self._making.make(needs, watch)
        return unchanged(look, held)

    def _reranker(self, wanted: str | Reranker) -> Reranker | None:
        if not isinstance(wanted, str):
            return wanted
        if wanted and wanted not in self._rerankers:
            from ..providers.reranking import reranker

            self._rerankers[wanted] = reranker(wanted)
        return self._rerankers.get(wanted)

    def _held(self, search: _Search, *others: Consulted | None) -> Callable[[], AbstractContextManager[object]]:
        """How the store is held meanwhile: not while a model thinks, for others may want to write."""
        thinking = _is_far(search.reranker) or any(each is not None for each in others)
        return nullcontext if thinking else self._store.reading

    def _filters(self, tell: _Hears) -> ConsultingFilters | None:
        """What chooses among candidates: the language model that words the answers, if any."""
        consulted = self._consulted
        if consulted is None:
            return None
        from ..strategies.filters_by_model import ConsultingFilters

        return ConsultingFilters(lambda: consulted.model(tell))

    def _query(self, search: _Search) -> tuple[Query, View]:
        asked = search.asked
        return self.query(
            asked.text, asked.filters or Filters(), asked.at or datetime.now().astimezone(), search.strategy
        )


def _behind(view: View, cited: Sequence[TurnId], hits: Sequence[Hit]) -> list[Hit]:
    """The turns that an answer rests on and that are no hits: those that follow one."""
    known = {hit.unit.sources[0] for hit in hits}
    rows = view.rows_of([turn for turn in cited if turn not in known]).tolist()
    return [Hit(unit, hits[-1].score if hits else 0.0) for unit in turn_units(view, rows)]


def _is_far(reranker: Reranker | None) -> bool:
    """Whether it may take long to say something."""
    if reranker is None:
        return False
    from ..reading.rereading import Rereader

    return not isinstance(reranker, Rereader)


def _vectors(
    model: Embedder, question: Question, chosen: Strategy, view: View
) -> tuple[npt.NDArray[np.float32], Mapping[str, npt.NDArray[np.float32]]]:
    """The question's vector, and those of all that the strategy wants embedded for it."""
    wanted = wordings(chosen, question, view.speaker_names)
    texts = list(dict.fromkeys([question.text, *wanted.values()]))  # without a name in it a question is nameless
    vectors = dict(zip(texts, model.embed_questions(texts), strict=True))
    return vectors[question.text], {kind: vectors[text] for kind, text in wanted.items()}


def _found(search: _Search, query: Query, view: View, k: int) -> list[Hit]:
    if search.reranker is None:
        return search.strategy.retrieve(query, view, k)
    from ..strategies.reranking import CONSIDERED, reranked
    from .rereading import considered, scorer

    hits = search.strategy.retrieve(query, view, max(k, CONSIDERED))
    return reranked(scorer(search.reranker, query, view), hits, considered(search.reranker))[:k]
