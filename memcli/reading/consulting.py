"""A language model that a memory consults: made when it is needed, within a budget, said before anything is sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from typing import Protocol

from memcli.errors import ModelUnavailable, StoreBusy, StoreNotWritable, UsageError
from memcli.model import Hit, Query
from memcli.providers.language import Calls, ChatModel, LanguageModel, Watch, language_model, short_name
from memcli.providers.metering import Budget
from memcli.reading.choosing import ChoosingReader
from memcli.reading.generative import MOST_TURNS, GenerativeReader
from memcli.reading.remarks import Extractive
from memcli.reading.small import SmallReader
from memcli.reading.styles import Style, style_of
from memcli.reading.written import Written

__all__ = ["READERS", "RECOUNTED", "Consulted", "Tell", "WillingCalls", "Writes"]

#: Hears a line for the user.
Tell = Callable[[str], object]

#: What a model is sent for a question, and for a recap.
_ASKED = f"the question and what is found for it, at most {MOST_TURNS} turns, 30 events and what they name,"
RECOUNTED = "the sentences that a recap tells"


class Writes(Protocol):
    """What has a model word, or choose, an answer."""

    def write(self, query: Query, hits: Sequence[Hit], watch: Watch | None = None) -> Written:
        """The answer to `query` that `hits`, best first, support; `watch` hears it as it is written."""
        ...


#: Who asks the model, by the style of the prompt.
READERS: Mapping[Style, Callable[[LanguageModel, Extractive], Writes]] = {
    Style.FULL: GenerativeReader,
    Style.SMALL: SmallReader,
    Style.CHOICE: ChoosingReader,
}

#: Somebody waits for the answer, and there is another one to give.
_RETRIES = 2


class WillingCalls:
    """Calls that are kept where they can be: no reply that was paid for is lost to a store that takes no writes."""

    def __init__(self, calls: Calls) -> None:
        self._calls = calls

    def get(self, key: str) -> str | None:
        """See `Calls.get`."""
        return self._calls.get(key)

    def put(self, key: str, model: str, request: str, response: str) -> None:
        """See `Calls.put`."""
        with suppress(StoreNotWritable, StoreBusy):
            self._calls.put(key, model, request, response)


class Consulted:
    """The language model called `wanted`, with replies kept in `calls` and a budget in tokens for all questions.

    Or a model that the caller has made, and keeps watch over, himself. Raises UsageError for a budget that makes no
    sense; a name that makes none is a model that fails.
    """

    def __init__(self, wanted: str | LanguageModel, calls: Calls, budget: int | None, style: str = Style.AUTO) -> None:
        self._calls = WillingCalls(calls)
        self._budget = Budget(tokens=budget)
        self._model = None if isinstance(wanted, str) else wanted
        self._wanted = wanted if isinstance(wanted, str) else wanted.id
        self._tells = isinstance(wanted, str)
        #: What a report calls it, whether or not it can be used.
        self.id = short_name(wanted) if isinstance(wanted, str) else wanted.id
        self._style = style_of(self._wanted, style)

    def write(
        self,
        extractive: Extractive,
        query: Query,
        hits: Sequence[Hit],
        watch: Watch | None = None,
        tell: Tell | None = None,
    ) -> Written:
        """See the style's reader in `READERS`; `tell` hears, once a store, model and endpoint, what will go where."""
        if not hits:
            return Written(extractive.read(query, hits))
        try:
            model = self.model(tell)
        except (ModelUnavailable, UsageError) as error:
            return Written(extractive.read(query, hits), fallback=error.told)
        return READERS[self._style](model, extractive).write(query, hits, watch)

    def model(self, tell: Tell | None = None, sent: str = _ASKED) -> LanguageModel:
        """The model itself, after `tell` has heard what is `sent` where. Raises ModelUnavailable, UsageError."""
        if self._model is None:
            self._model = language_model(self._wanted, calls=self._calls, budget=self._budget, retries=_RETRIES)
        if tell is not None and self._tells:
            self._say_once(self._model, tell, sent)
        return self._model

    def close(self) -> None:
        """Ends the connections of a model that was made here."""
        if self._tells and isinstance(self._model, ChatModel):
            self._model.close()

    def _say_once(self, model: LanguageModel, tell: Tell, sent: str) -> None:
        other = "" if sent == _ASKED else f"\n{sent}"  # of questions stores know without it
        key = sha256(f"told\n{model.id}\n{model.endpoint}{other}".encode()).hexdigest()
        if self._calls.get(key) is not None:
            return
        what = f"{sent} go to {model.id} at {model.endpoint}"
        self._calls.put(key, model.id, what, "told")
        kept = self._calls.get(key) is not None
        tell(f"{what}; answers are {'kept in the store' if kept else 'not kept: the store takes no writes'}")
