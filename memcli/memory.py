"""Memory: what a Python user imports, and what every command is a thin layer over."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import ModelUnavailable, UsageError
from .indexing.plan import EVERY_INGEST, TRANSCRIPT
from .languages import spoken
from .model import Answer, Filters, Hit, Needs, Query, Session, Turn, TurnId
from .providers.embedding import DEFAULT as DEFAULT_EMBEDDER
from .providers.embedding import Embedder, embedder, how_to_use, is_known, name_of
from .store import transcript
from .store.connection import Store
from .store.identity import Identity, another_embedder, drop_index, identity, set_identity, settle_identity
from .store.names import named
from .store.revision import revision
from .store.verdicts import verdicts_on
from .store.views.view import View, unchanged
from .strategies import DEFAULT as DEFAULT_STRATEGY
from .strategies import Strategy, strategy
from .strategies.base import evidence, wordings
from .strategies.heeding import heed, room
from .text import content_stems, is_blank

if TYPE_CHECKING:  # what a search does not need is imported where it is used: a search is a process of its own
    from .care import Care
    from .formats import Message
    from .indexing.prepare import Watch
    from .ingestion import Ingestion, Report, Watcher
    from .providers.language import LanguageModel
    from .reading.consulting import Consulted
    from .reading.stored import StoredTranscript
    from .redaction import Redactor
    from .store.compaction import Compaction
    from .strategies.filters_by_model import ConsultingFilters

    _Asked = tuple[str, Filters | None, datetime | None, Strategy]

__all__ = ["Memory", "Reading"]

#: Tokens of a session's memory: a rich session's facts need as many.
_LONGEST_REPLY = 4096
#: How many hits a reader is given, whatever number is shown.
READ = 20


@dataclass(frozen=True, slots=True)
class Reading:
    """An answer with the hits that the reader was given, best first.

    `model` is the language model that was asked for, if any, `reasoning` what it thought; `fallback` says why the
    answer is the extractive one all the same, empty where it is not.
    """

    answer: Answer
    hits: Sequence[Hit]
    model: str = ""
    reasoning: str | None = None
    fallback: str = ""

    def shown(self, k: int) -> list[Hit]:
        """At most k hits for a person to look at: those that the answer cites first, then the best."""
        place = {turn: i for i, turn in enumerate(self.answer.citations)}
        return sorted(self.hits, key=lambda hit: place.get(hit.unit.sources[0], len(place)))[:k]


class Memory:
    """One store of conversations. `path` None: in memory; `embedder`: a name or an `Embedder`; empty, the
    one that the store was made with.

    `model`: the language model that words the answers, by name or as an object; empty, none, and nothing is sent
    anywhere. It is asked for `budget` tokens at the most; a named one's replies are kept in the store.

    >>> memory = Memory("chats.memcli")
    >>> memory.ingest(["chats.jsonl"])
    >>> memory.ask("When did I move to Lisbon?").answer.text
    """

    def __init__(
        self,
        path: str | Path | None,
        *,
        embedder: str | Embedder = "",
        model: str | LanguageModel = "",
        budget: int | None = None,
    ) -> None:
        self.store = Store(None if path is None else Path(path))
        self._wanted = embedder if isinstance(embedder, str) else name_of(embedder)
        self._given = None if isinstance(embedder, str) else embedder
        self._model: Future[Embedder] | None = None
        self._writes_with: tuple[str, Embedder] | None = None
        self._consulted: Consulted | None = None
        if model:
            from .reading.consulting import Consulted
            from .store.calls import StoredCalls

            self._consulted = Consulted(model, StoredCalls(self.store), budget)
        self._views: dict[str | None, tuple[int, View]] = {}

    # -- in --------------------------------------------------------------------------------------------------------

    def ingest(
        self,
        paths: Iterable[str | Path],
        *,
        format_name: str | None = None,
        strict: bool = False,
        all_branches: bool = False,
        re_embed: bool = False,
        allow_again: bool = False,
        redactor: Redactor | None = None,
        watcher: Watcher | None = None,
    ) -> Report:
        """Adds what the transcripts at `paths` (files, folders, zips, `-`) hold and the store has not; see `ingestion`.

        `all_branches`: also what an edited message or a second try has left behind, where an export has it.
        `allow_again`: also what was forgotten; `redactor`: what takes secrets out before anything is stored.
        Raises InputUnreadable where a path cannot be read at all, UsageError, StoreError, ModelUnavailable.
        """
        from .formats import bytes_of, sources

        passed_over: list[Path] = []
        found = list(sources(paths, passed_over.append))
        run = self._ingestion(watcher, redactor, re_embed=re_embed, allow_again=allow_again, expected=bytes_of(found))
        run.pass_over(passed_over)
        for source in found:
            run.run(source, format_name, strict=strict, all_branches=all_branches)
        return self._finished(run, watcher)

    def add(self, messages: Iterable[Message], name: str = "api") -> Report:
        """Adds messages that a program has at hand; `name` is noted as their source. Raises what `ingest` raises."""
        run = self._ingestion()
        run.take(messages, name)
        return self._finished(run, None)

    def _finished(self, run: Ingestion, watcher: Watcher | None) -> Report:
        report = run.finish()
        self._keep_up(*([watcher.making] if watcher else ()))
        return report

    def _ingestion(
        self,
        watcher: Watcher | None = None,
        redactor: Redactor | None = None,
        *,
        re_embed: bool = False,
        allow_again: bool = False,
        expected: int | None = None,
    ) -> Ingestion:
        from .indexing.prepare import prepare
        from .ingestion import Watcher, begun

        model = self._embedder_for_writing(re_embed=re_embed)
        if self.store.exists:
            # What an interrupted change of embedder, or an older version, left without its index.
            prepare(self.store, [TRANSCRIPT], lambda: model, (watcher or Watcher()).making)
        return begun(self.store, model, watcher or Watcher(), redactor, allow_again=allow_again, expected=expected)

    def prepare(self, strategy_names: Iterable[str], watch: Watch = lambda _what, _done, _of: None) -> None:
        """Makes what these strategies need and the store lacks: generated memory, associations.

        From then on every `ingest` keeps it up to date. `watch` hears what is made, how many sessions are done, and of
        how many. Raises StoreError, UsageError, ModelUnavailable.
        """
        self._make([strategy(name).needs for name in strategy_names], watch)

    def generate(
        self,
        model: str,
        *,
        strategy_names: Iterable[str] = (),
        budget: int | None = None,
        tell: Callable[[str], object] = lambda _line: None,
        watch: Watch = lambda _what, _done, _of: None,
    ) -> int:
        """Has the language model called `model` write, of every session, what it has not written yet; returns how many
        sessions had to do without it.

        That is what these strategies and those used before need: summaries, keywords, facts and insights, or events;
        where none is named and none was used, the former. `budget`: in tokens; `tell` hears what goes where. Replies
        are kept in the store: a run that was stopped goes on and pays for nothing twice. Raises StoreError, UsageError,
        ModelUnavailable, BudgetSpent.
        """
        from .indexing.prepare import generate, kept_up
        from .providers.language import language_model
        from .providers.metering import Budget
        from .store.calls import StoredCalls

        needs = [*kept_up(self.store), *(strategy(name).needs for name in strategy_names)]
        calls, limit = StoredCalls(self.store), Budget(tokens=budget)
        with language_model(model, calls=calls, budget=limit, max_tokens=_LONGEST_REPLY) as asked:
            tell(f"what was said goes to {asked.id} at {asked.endpoint}; its replies are kept in the store")
            left = generate(self.store, needs, self._embedder_for_writing(re_embed=False), asked, watch)
        self._keep_up()
        return left

    def _make(self, needs: Sequence[Needs], watch: Watch = lambda _what, _done, _of: None) -> bool:
        """Makes what is missing of it; returns whether anything was."""
        if all(each <= TRANSCRIPT.makes for each in needs):  # every ingest makes it: a plain search asks no further
            return False
        from .indexing.prepare import lacking, prepare

        if producers := lacking(self.store, needs):
            prepare(self.store, producers, lambda: self._embedder_for_writing(re_embed=False), watch)
        return bool(producers)

    def _keep_up(self, watch: Watch = lambda _what, _done, _of: None) -> None:
        """Makes for the sessions that lack it what every session has, and what others have had generated.

        Most of it is there already: that is what an older version, or a run that was interrupted, has left.
        """
        from .indexing.prepare import kept_up

        if self.store.exists:
            self._make([*(producer.makes for producer in EVERY_INGEST), *kept_up(self.store)], watch)

    def _embedder_for_writing(self, *, re_embed: bool) -> Embedder:
        stored = self._identity() if self.store.exists else None
        name = self._wanted or (stored.name if stored else DEFAULT_EMBEDDER)
        model = self._bulk(name)
        chosen = Identity(name, model.id, model.dimension)
        if stored is not None and stored.id != model.id:
            if not re_embed:
                raise another_embedder(stored, chosen, how_to_use(stored.name))
            with self.store.writing() as db:
                drop_index(db, chosen)
        elif stored is None:  # a run that stores nothing makes no file
            self.store.begin_with(lambda db: settle_identity(db, chosen))
        elif not is_known(stored.name):
            with self.store.writing() as db:
                set_identity(db, chosen)
        return model

    def _bulk(self, name: str) -> Embedder:
        """The embedder for writing: loaded once, whatever stages need it."""
        if self._given is None and (self._writes_with is None or self._writes_with[0] != name):
            self._writes_with = (name, embedder(name, bulk=True))
        return self._given or self._writes_with[1]  # type: ignore[index]

    # -- out -------------------------------------------------------------------------------------------------------

    def search(
        self,
        text: str,
        *,
        k: int = 10,
        filters: Filters | None = None,
        at: datetime | None = None,
        strategy_name: str = DEFAULT_STRATEGY,
    ) -> list[Hit]:
        """At most k turns that speak to `text`, best first. `at`: when it is asked, default now.

        Raises StoreError, ModelUnavailable, and UsageError, also for a name in `filters` that nothing or several have.
        """
        self._get_ready(text, k, strategy_name)
        return unchanged(partial(self._search, text, k, filters, at, strategy_name), self.store.reading)

    def _search(self, text: str, k: int, filters: Filters | None, at: datetime | None, strategy_name: str) -> list[Hit]:
        chosen = strategy(strategy_name)
        query, view = self._query(text, filters, at, chosen)
        with self.store.reading():  # one opening for all that is looked up
            return heed(query, view, chosen.retrieve(query, view, k + room(query)))[:k]

    def ask(
        self,
        question: str,
        *,
        k: int = READ,
        filters: Filters | None = None,
        at: datetime | None = None,
        strategy_name: str = DEFAULT_STRATEGY,
        watch: Callable[[str], object] | None = None,
        tell: Callable[[str], object] | None = None,
    ) -> Reading:
        """A short answer from the k best turns, or an abstention; with those turns. Raises what `search` raises.

        With a language model, `watch` hears the answer so far while it is written, and `tell`, before the model is
        asked for the first time over this store, what goes where.
        """
        self._get_ready(question, k, strategy_name)
        chosen = strategy(strategy_name, self._filters(tell))
        # The store is not held while a model thinks: others may want to write.
        held = self.store.reading if self._consulted is None else nullcontext
        return unchanged(partial(self._ask, (question, filters, at, chosen), k, watch, tell), held)

    def _ask(
        self, asked: _Asked, k: int, watch: Callable[[str], object] | None, tell: Callable[[str], object] | None
    ) -> Reading:
        from .reading.heeding import StoredReader, refuted

        query, view = self._query(*asked)
        with self.store.reading() if self._consulted is None else nullcontext():
            before = evidence(view, asked[-1].retrieve(query, view, k + room(query)), k + room(query))
            extractive, hits = StoredReader(self.store, view, before), heed(query, view, before)
            if self._consulted is None:
                return Reading(extractive.read(query, hits), hits)
        credible = [hit for hit in hits if not refuted(query, hit)]
        written = self._consulted.write(extractive, query, credible, watch, tell)
        return Reading(written.answer, hits, self._consulted.id, written.reasoning, written.fallback)

    def origins(self, hits: Sequence[Hit]) -> dict[TurnId, tuple[Turn, Session]]:
        """For each source turn of the hits: the turn, and the session that it was said in."""
        with self.store.reading() as db:
            turns = transcript.turns_by_id(db, [i for hit in hits for i in hit.unit.sources])
            sessions = transcript.sessions_of(db, [turn.session for turn in turns.values()])
        return {turn.id: (turn, sessions[turn.session]) for turn in turns.values()}

    def transcript(self) -> StoredTranscript:
        """The store as a reader sees it."""
        from .reading.stored import StoredTranscript

        return StoredTranscript(self.view())

    def view(self) -> View:
        """The whole store as arrays, loaded as they are asked for. Raises StoreError."""
        return self._view(None, self._identity())

    def query(self, text: str, filters: Filters, at: datetime, chosen: Strategy) -> tuple[Query, View]:
        """The question as `chosen` wants it, and what it is asked over."""
        with self.store.reading() as db:  # one opening for everything that can be read before the model is there
            transcript.check_filled(db)
            said, filters, stored = verdicts_on(db, text), named(db, filters), self._identity()
            loading = self._model_in_background(stored)
            view = self._view(filters.conversation, stored)
            view.preload(content_stems(text), chosen.needs)
            question = spoken([text]).question(text, view.speaker_names)
        model = loading.result()
        if stored is not None and stored.id != model.id:
            raise ModelUnavailable(f"this store was filled with {stored.id}, not {model.id}", how_to_use(stored.name))
        wanted = wordings(chosen, question, view.speaker_names)
        rows = model.embed([text, *wanted.values()])
        phrasings = dict(zip(wanted, rows[1:], strict=True))
        return Query(question, rows[0], at, filters, phrasings, said.missed, said.wrong), view

    def _filters(self, tell: Callable[[str], object] | None) -> ConsultingFilters | None:
        """What chooses among candidates: the language model that words the answers, if any."""
        consulted = self._consulted
        if consulted is None:
            return None
        from .strategies.filters_by_model import ConsultingFilters

        return ConsultingFilters(lambda: consulted.model(tell))

    def _query(self, text: str, filters: Filters | None, at: datetime | None, chosen: Strategy) -> tuple[Query, View]:
        return self.query(text, filters or Filters(), at or datetime.now().astimezone(), chosen)

    def _get_ready(self, text: str, k: int, strategy_name: str) -> None:
        """Makes what the strategy needs. Raises UsageError where there is nothing to look for."""
        if k < 1:
            raise UsageError("-k must be at least 1")
        if is_blank(text):
            raise UsageError("the question is empty", "ask something")
        self._make([strategy(strategy_name).needs])

    def _view(self, conversation: str | None, stored: Identity | None) -> View:
        """The store, or one conversation, as arrays: the ones loaded for the question before, where nothing changed."""
        with self.store.reading() as db:
            now = revision(db)
        kept = self._views.get(conversation)
        if kept is None or kept[0] != now:
            kept = (now, View(self.store.reading, stored.dimension if stored else 1, conversation))
            self._views = {conversation: kept}
        return kept[1]

    def _model_in_background(self, stored: Identity | None) -> Future[Embedder]:
        if self._model is None:
            name = self._wanted or (stored.name if stored else DEFAULT_EMBEDDER)
            executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="memcli-model")
            self._model = executor.submit(lambda: self._given or embedder(name))
            executor.shutdown(wait=False)
        return self._model

    def _identity(self) -> Identity | None:
        with self.store.reading() as db:
            return identity(db)

    # -- care ------------------------------------------------------------------------------------------------------

    @property
    def care(self) -> Care:
        """Forgetting, verifying, exporting and counting; see `care`."""
        from .care import Care

        return Care(self.store, lambda: self._embedder_for_writing(re_embed=False))

    def compact(self, *, dry_run: bool = False) -> Compaction:
        """Gives space back; see `store.compaction`."""
        from .store.compaction import compact

        return compact(self.store, dry_run=dry_run)
