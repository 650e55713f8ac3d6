"""What a language model costs: counted after every call, and limited before it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass

from ..errors import BudgetSpent, UsageError

__all__ = ["Budget", "Meter", "Prices", "Reservation", "Tokens", "Usage"]


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of one call: what was sent and what came back."""

    prompt: int = 0
    completion: int = 0

    @property
    def total(self) -> int:
        """Both together."""
        return self.prompt + self.completion


@dataclass(frozen=True, slots=True)
class Prices:
    """What a million tokens cost, in one currency, whichever."""

    prompt: float
    completion: float

    def cost(self, tokens: Tokens) -> float:
        """The price of these tokens."""
        return (tokens.prompt * self.prompt + tokens.completion * self.completion) / 1_000_000


@dataclass(frozen=True, slots=True)
class Usage:
    """A meter's reading. `calls` were paid, `cached` were not; `cost` is None where no prices are known."""

    calls: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = None

    def since(self, earlier: Usage) -> Usage:
        """What was added after `earlier` was read."""
        return Usage(
            self.calls - earlier.calls,
            self.cached - earlier.cached,
            self.prompt_tokens - earlier.prompt_tokens,
            self.completion_tokens - earlier.completion_tokens,
            None if self.cost is None else self.cost - (earlier.cost or 0.0),
        )

    def document(self) -> dict[str, float | None]:
        """As a plain dict, for reports."""
        return asdict(self)


class Meter:
    """Counts calls and tokens, and money where `prices` are given. Safe to share between threads and models."""

    def __init__(self, prices: Prices | None = None) -> None:
        self._prices = prices
        self._lock = threading.Lock()
        self._calls = self._cached = 0
        self._tokens = Tokens()

    def count(self, tokens: Tokens) -> None:
        """Adds one paid call."""
        with self._lock:
            self._calls += 1
            self._tokens = _sum(self._tokens, tokens)

    def count_cached(self) -> None:
        """Adds one reply that was paid for before."""
        with self._lock:
            self._cached += 1

    def read(self) -> Usage:
        """Everything counted so far."""
        with self._lock:
            cost = self._prices.cost(self._tokens) if self._prices else None
            return Usage(self._calls, self._cached, self._tokens.prompt, self._tokens.completion, cost)


class Reservation:
    """What one call may cost at most, set aside; `settle` says what it did cost."""

    def __init__(self, most: Tokens) -> None:
        self.most = most
        self.spent = Tokens()

    def settle(self, spent: Tokens) -> None:
        """The call cost this. Without it, the call is taken to have cost nothing."""
        self.spent = spent


class Budget:
    """A limit in tokens, in money (at `prices`), in both, or with neither none at all. Safe to share between threads.

    Nothing is sent that could pass the limit by the estimate made of it. Raises UsageError for a limit that makes no
    sense.
    """

    def __init__(self, *, tokens: int | None = None, money: float | None = None, prices: Prices | None = None) -> None:
        if money is not None and prices is None:
            raise UsageError("a budget in money needs prices", "give the prices, or a budget in tokens")
        if not ((tokens is None or tokens >= 0) and (money is None or money >= 0)):
            raise UsageError("a budget cannot be negative", "give a limit of zero or more")
        self.prices = prices
        self._limit, self._money = tokens, money
        self._spent = self._reserved = Tokens()
        self._changed = threading.Condition()

    @property
    def spent(self) -> Tokens:
        """The tokens of all settled calls."""
        with self._changed:
            return self._spent

    @contextmanager
    def reserving(self, most: Tokens) -> Iterator[Reservation]:
        """Sets `most` aside for as long as the block lasts. Raises BudgetSpent where so much is not left.

        Where other threads' reservations are all that is in the way, it waits for what they turn out to cost.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._fits(self._reserved, most) or not self._fits(Tokens(), most))
            if not self._fits(self._reserved, most):
                raise BudgetSpent(f"the budget is spent: {self._left(most)}", "raise the limit to go on from here")
            self._reserved = _sum(self._reserved, most)
        reservation = Reservation(most)
        try:
            yield reservation
        finally:
            with self._changed:
                self._reserved = _sum(self._reserved, Tokens(-most.prompt, -most.completion))
                self._spent = _sum(self._spent, reservation.spent)
                self._changed.notify_all()

    def _fits(self, reserved: Tokens, most: Tokens) -> bool:
        total = _sum(_sum(self._spent, reserved), most)
        if self._limit is not None and total.total > self._limit:
            return False
        return self._money is None or self.prices is None or self.prices.cost(total) <= self._money

    def _left(self, most: Tokens) -> str:
        if self._limit is not None and self._spent.total + most.total > self._limit:
            return f"{self._spent.total} of {self._limit} tokens used, the next call may take {most.total}"
        assert self.prices is not None
        used, next_ = self.prices.cost(self._spent), self.prices.cost(most)
        return f"{used:.4f} of {self._money:.4f} used, the next call may cost {next_:.4f}"


def _sum(one: Tokens, other: Tokens) -> Tokens:
    return Tokens(one.prompt + other.prompt, one.completion + other.completion)
