"""Memory: what a Python user imports, and what every command is a thin layer over."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Self

from ..errors import UsageError
from ..model import Caution, Filters, Hit, Query, Session, Turn, TurnId
from ..providers.embedding import Embedder
from ..store import transcript
from ..store.connection import Store
from ..store.folder import ENDING, Folder, is_folder
from ..store.names import named
from ..store.views.view import View, unchanged
from ..strategies import DEFAULT as DEFAULT_STRATEGY
from ..strategies import Strategy
from .asking import READ, Asked, Asking, Reading
from .encoders import Encoders
from .making import Making, untold
from .suiting import LOOKED_AT, said_first
from .views import Views

if TYPE_CHECKING:  # what a search does not need is imported where it is used: a search is a process of its own
    from contextlib import AbstractContextManager
    from threading import Event
    from types import TracebackType

    from ..care import Care
    from ..care.cards import Card, Cards
    from ..care.people import People
    from ..formats import Message, Source
    from ..formats.redaction import Redactor
    from ..indexing.prepare import Watch
    from ..ingestion import Report, Watcher
    from ..providers.language import LanguageModel
    from ..providers.reranking import Reranker
    from ..reading.consulting import Consulted
    from ..reading.stored import StoredTranscript
    from ..store.compaction import Compaction
    from ..store.excerpts import Excerpt
    from .acquaintance import Acquaintance
    from .recapping import Recap
    from .remembering import Remembered
    from .showing import Entry
    from .watching import Noticed

__all__ = ["READ", "Memory", "Reading"]


class Memory:
    """One store of conversations, or several that are searched together (`store.federation`): those of the paths.

    A path that is a folder of shards, or whose name ends in `.memcli.d`, is a memory of many shards (`store.folder`);
    `user`: the memory of that user in it; `shards`: how many it begins with, where it is not there yet, and `split_at`
    the bytes of one from which on it is split.

    `path` None: in memory; `embedder`: a name or an `Embedder`; empty, the
    one that the store was made with.

    `model`: the language model that words answers and recaps, by name or as an object; empty, none, and nothing is sent
    anywhere. It is asked for `budget` tokens at the most; a named one's replies are kept in the store. `prompt_style`:
    how it is asked, see `reading.styles`.

    Its parts: `Encoders` (the embedder), `Views` (the store as arrays), `Making` (what goes in, and what is made of it)
    and `Asking` (what comes out). `close` it, or use it in a `with` block.

    >>> with Memory("chats.memcli") as memory:
    ...     memory.ingest(["chats.jsonl"])
    ...     memory.ask("When did I move to Lisbon?").answer.text
    """

    def __init__(
        self,
        path: str | Path | Sequence[str | Path] | None,
        *,
        embedder: str | Embedder = "",
        model: str | LanguageModel = "",
        budget: int | None = None,
        prompt_style: str = "auto",
        user: str = "",
        shards: int | None = None,
        split_at: int | None = None,
    ) -> None:
        self.store = _store(path, user, shards, split_at)
        if user and not embedder and isinstance(self.store, Folder):
            embedder = self.store.embedder  # a new user's is that of all others
        self._consulted = _consulted(model, self.store, budget, prompt_style) if model else None
        self._encoders = Encoders(self.store, embedder)
        self._views = Views(self.store)
        self._making = Making(self.store, self._encoders)
        self._asking = Asking(self.store, self._encoders, self._views, self._making, self._consulted)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends what it has open: threads, and connections to the store and to endpoints. Once more does no harm.

        An embedder, model or reranker that was handed in stays its owner's. Whatever is asked of a closed memory raises
        UsageError.
        """
        self.store.close()
        self._views.forget()
        self._encoders.close()
        self._asking.close()
        if self._consulted is not None:
            self._consulted.close()

    # -- in --------------------------------------------------------------------------------------------------------

    def ingest(
        self,
        paths: Iterable[str | Path | Source],
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
        `re_embed`: after `Memory.re_embed`. `allow_again`: also what was forgotten; `redactor`: what takes secrets out
        before anything is stored.
        Raises InputUnreadable where a path cannot be read at all, UsageError, StoreError, ModelUnavailable.
        """
        from ..formats import bytes_of, sources

        passed_over: list[Path] = []
        found = list(sources(paths, passed_over.append, format_name))
        expected = bytes_of(found)
        if re_embed and self.store.exists:
            self.re_embed(*([watcher.making] if watcher else ()))
        if self._encoders.may_choose():
            self._encoders.suit(said_first(found, format_name))
        with self._making.writing():
            run = self._making.ingestion(watcher, redactor, allow_again=allow_again, expected=expected)
            run.pass_over(passed_over)
            for source in found:
                run.run(source, format_name, strict=strict, all_branches=all_branches)
            return self._making.finished(run, watcher)

    def writing(self) -> AbstractContextManager[None]:
        """What an ingest is done in: the store has its embedder, and shards stay the same ones until it is done."""
        return self._making.writing()

    def watch(
        self, paths: Iterable[str | Path], stop: Event | None = None, *, redactor: Redactor | None = None
    ) -> Iterator[Noticed]:
        """Follows files and folders: adds what they hold, then what is new within seconds, until `stop` is set.

        Yields what was added and what could not be read, file by file. Raises UsageError without the extra
        memcli[watch], InputUnreadable where a path is not there, and what `ingest` raises but for StoreBusy: then it
        tries again.
        """
        from .watching import watched

        return watched(self, [Path(path) for path in paths], stop, redactor)

    def add(self, messages: Iterable[Message], name: str = "api") -> Report:
        """Adds messages that a program has at hand; `name` is noted as their source. Raises what `ingest` raises."""
        if self._encoders.may_choose():  # only then is anything waited for
            coming = iter(messages)
            first = list(islice(coming, LOOKED_AT))
            self._encoders.suit(first)
            messages = chain(first, coming)
        with self._making.writing():
            run = self._making.ingestion()
            run.take(messages, name)
            return self._making.finished(run, None)

    def remember(
        self, text: str, *, speaker: str = "me", at: datetime | None = None, conversation: str = "notes"
    ) -> Remembered:
        """Adds one turn, said by `speaker` at `at` (default now), and says which earlier ones hold no longer.

        Raises UsageError where there is nothing to remember, NothingFound where this was forgotten before, and what
        `ingest` raises.
        """
        from .remembering import remember

        return remember(self, text, speaker, at or datetime.now().astimezone(), conversation)

    def prepare(self, strategies: Iterable[str | Strategy], watch: Watch = lambda _what, _done, _of: None) -> None:
        """Makes what these strategies need and the store lacks: generated memory, associations.

        From then on every `ingest` keeps it up to date. `watch` hears what is made, how many sessions are done, and of
        how many. Raises StoreError, UsageError, ModelUnavailable.
        """
        self._making.prepare(strategies, watch)

    def re_embed(self, watch: Watch = lambda _what, _done, _of: None) -> list[str]:
        """Makes everything that was made of what was said again, with the embedder that this memory was given, or else
        the default one; returns the language models whose work was made without them.

        What was said, replies and feedback stay. Where it is interrupted, the store knows what is missing: it goes on
        at the next call, and whatever searches makes first what it needs. Of a store that has this embedder only what
        is missing is made. Raises StoreError, UsageError, ModelUnavailable.
        """
        return self._making.re_embed(watch)

    @property
    def former_default(self) -> str:
        """The embedder that filled the store, where it was an earlier version's default and nobody has asked for it: by
        name, or by id where its weights are gone; else empty. Raises StoreError.
        """
        return self._encoders.former_default()

    @property
    def suited(self) -> str:
        """The name of the embedder that this memory has chosen for itself, since most of what was said first is not in
        English; empty where it has not.
        """
        return self._encoders.suited

    def generate(
        self,
        model: str,
        *,
        strategies: Iterable[str | Strategy] = (),
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
        return self._making.generate(model, strategies, budget, tell, watch)

    # -- out -------------------------------------------------------------------------------------------------------

    def search(
        self,
        text: str,
        *,
        k: int = 10,
        filters: Filters | None = None,
        at: datetime | None = None,
        strategy: str | Strategy = DEFAULT_STRATEGY,
        reranker: str | Reranker = "",
        making: Callable[[], AbstractContextManager[Watch]] = untold,
    ) -> list[Hit]:
        """At most k turns that speak to `text`, best first. `at`: when it is asked, default now.

        `reranker`: what has a say in the order of the first of them (`strategies.reranking`), by name
        (`providers.reranking`) or as an object; empty, nothing has. `making` is entered where the store lacks
        something that is made first, and gives what is told of it.
        Raises StoreError, ModelUnavailable, and UsageError, also for a name in `filters` that nothing or several have.
        """
        return self._asking.search(Asked(text, filters, at, strategy, reranker, making=making), k)

    def ask(
        self,
        question: str,
        *,
        k: int = READ,
        filters: Filters | None = None,
        at: datetime | None = None,
        strategy: str | Strategy = DEFAULT_STRATEGY,
        reranker: str | Reranker = "",
        caution: Caution = Caution.USUAL,
        watch: Callable[[str], object] | None = None,
        tell: Callable[[str], object] | None = None,
        making: Callable[[], AbstractContextManager[Watch]] = untold,
    ) -> Reading:
        """A short answer from the k best turns, or an abstention; with those turns. Raises what `search` raises.

        `caution`: how sure an answer must be that is read without a language model.
        With a language model, `watch` hears the answer so far while it is written, and `tell`, before the model is
        asked for the first time over this store, what goes where. `making`: see `search`.
        """
        return self._asking.ask(Asked(question, filters, at, strategy, reranker, caution, making), k, watch, tell)

    def query(self, text: str, filters: Filters, at: datetime, chosen: Strategy) -> tuple[Query, View]:
        """The question as `chosen` wants it, and what it is asked over."""
        return self._asking.query(text, filters, at, chosen)

    def recap(
        self,
        *,
        filters: Filters | None = None,
        by: str | None = None,
        most: int = 5,
        tell: Callable[[str], object] | None = None,
    ) -> Recap:
        """What was talked about within the filters: at most so many telling sentences of each part.

        `by`: day, week, month, conversation or topic; None: by how long the time is. With a language model each part
        has, too, what the model writes of these sentences (`recounting`); `tell`: see `ask`.
        Raises StoreError, UsageError.
        """
        from .recapping import By, recap

        if by is not None and by not in list(By):
            raise UsageError(f"a recap is told by {', '.join(By)}, not by {by!r}")
        with self.store.reading() as db:
            transcript.check_filled(db)
            whole = named(db, filters or Filters())
        view = self._views.of(whole.conversation, self._encoders.stored())
        found = unchanged(lambda: recap(view, whole, By(by) if by else None, most), self.store.reading)
        return self._asking.recounted(found, tell)

    def origins(self, hits: Sequence[Hit]) -> dict[TurnId, tuple[Turn, Session]]:
        """For each source turn of the hits: the turn, and the session that it was said in."""
        return self.turns([i for hit in hits for i in hit.unit.sources])

    def turns(self, ids: Iterable[TurnId]) -> dict[TurnId, tuple[Turn, Session]]:
        """The turns with these ids and their sessions, by id; one that the store has not is left out."""
        with self.store.reading() as db:
            return transcript.turns_with_sessions(db, ids)

    def show(self, ids: Iterable[str], *, around: int = 0, whole: bool = False) -> list[Entry]:
        """What each of these ids stands for, any that memcli prints: its turns with so many before and behind each, or
        `whole` sessions. A beginning of four digits or more is enough where just one id has it. Raises NothingFound for
        an id that nothing has, UsageError, StoreError.
        """
        from .showing import show

        return show(self.store, list(ids), around, whole=whole)

    def surroundings(self, hits: Sequence[Hit], around: int) -> dict[TurnId, Excerpt]:
        """For the first source turn of each hit: the turns around it. Raises StoreError."""
        from ..store.excerpts import excerpts

        with self.store.reading() as db:
            return {turn: excerpts(db, [turn], around)[0] for turn in {hit.unit.sources[0] for hit in hits}}

    def reasons(self, question: str, hits: Sequence[Hit], at: datetime) -> list[list[str]]:
        """Why each hit, in words ("says *allergic*", "by Tom"), the plainest first. `at`: when it was asked."""
        from .explaining import reasons
        from .understanding import hearing, understood

        with self.store.reading() as db:
            view = self.view()
            asked = understood(db, view, question)
            with hearing(view, asked):
                return [reasons(asked, hit, at) for hit in hits]

    def transcript(self) -> StoredTranscript:
        """The store as a reader sees it."""
        from ..reading.stored import StoredTranscript

        return StoredTranscript(self.view())

    def view(self) -> View:
        """The whole store as arrays, loaded as they are asked for. Raises StoreError."""
        return self._views.of(None, self._encoders.stored())

    # -- care ------------------------------------------------------------------------------------------------------

    @property
    def care(self) -> Care:
        """Forgetting, verifying, exporting and counting; see `care`."""
        from ..care import Care

        return Care(self.store, self._encoders.to_write)

    @property
    def people(self) -> People:
        """Who speaks, by which other names they go, and correcting that; see `care.people`."""
        from ..care.people import People

        return People(self.store)

    @property
    def cards(self) -> Cards:
        """What is known of people, as dated values with their sources, and correcting that; see `care.cards`."""
        from ..care.cards import Cards

        return Cards(self.store)

    def who(self, name: str, *, at: datetime | None = None, conversation: str | None = None) -> Card:
        """What is known of a speaker, as it was `at` a moment; see `Cards.of`, and what that raises."""
        return self.cards.of(name, at=at, conversation=conversation)

    def knows(self, text: str, *, k: int = 10, filters: Filters | None = None) -> list[Acquaintance]:
        """Who has to do with `text`: those who said something with a word of it, most often first.

        Raises what `search` raises.
        """
        from .acquaintance import acquaintances

        return acquaintances(self, text, k, filters)

    def compact(self, *, dry_run: bool = False) -> Compaction:
        """Gives space back; see `store.compaction`. Of a memory of shards, in each of them."""
        from ..store.compaction import compact, summed

        with self.store.held():
            return summed([compact(part, dry_run=dry_run) for part in self.store.parts])


def _store(
    path: str | Path | Sequence[str | Path] | None, user: str, shards: int | None, split_at: int | None
) -> Store:
    if isinstance(path, (str, Path)) and is_folder(Path(path)):
        return Folder(Path(path), user, shards, split_at)
    if user or shards is not None or split_at is not None:
        raise UsageError(f"{path} is no memory of shards", f"the name of a new one ends in {ENDING}")
    if path is None or isinstance(path, (str, Path)):
        return Store(None if path is None else Path(path))
    from ..store.federation import Federation

    return Federation([Path(each) for each in path])


def _consulted(model: str | LanguageModel, store: Store, budget: int | None, style: str) -> Consulted:
    from ..reading.consulting import Consulted
    from ..store.calls import StoredCalls

    keeping = store if store.parts == [store] else Store(None)  # several stores are not written to
    return Consulted(model, StoredCalls(keeping), budget, style)
