"""What every method has to beat, in the same table; `docs/evaluation.md` lists them, `docs/baselines/` has their pages.

Chance, recency, BM25 and cosines over whole units, and what the papers compare themselves with: a reranker behind
cosines, expanded and rewritten questions, summaries, phrase graphs, linked notes.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence

from ...errors import UsageError
from ...model import Kind
from ...strategies import STRATEGIES, Strategy, strategy
from .amem import AMem
from .feedback import DenseFeedback, RelevanceModel
from .hipporag import HippoRAG
from .plain import Nothing, Random, Recency
from .reranked import DenseReranked
from .rewritten import HYDE, MULTI_QUERY, HyDE, MultiQuery
from .units import DenseUnits, LexicalSessions, SessionSummaries

__all__ = ["ASKS", "BASELINES", "RERANKED", "REWRITTEN", "contender", "contenders", "left_out"]

#: The baseline that a reranker orders, and those for which a language model writes.
RERANKED = "dense-rerank"
REWRITTEN = (HYDE, MULTI_QUERY)
#: What a baseline asks beside the store, as the option that names it.
ASKS: Mapping[str, str] = {RERANKED: "reranker", **dict.fromkeys(REWRITTEN, "model")}
_CALLED = {"reranker": "a reranker", "model": "a language model"}


def _baselines(seed: int, reranker: str) -> Mapping[str, Callable[[], Strategy]]:
    return {
        "none": Nothing,
        "random": lambda: Random(seed),
        "recency": Recency,
        "bm25-session": LexicalSessions,
        "bm25-rm3": RelevanceModel,
        "dense-session": lambda: DenseUnits(Kind.SESSION),
        "dense-round": lambda: DenseUnits(Kind.ROUND),
        "dense-sentence": lambda: DenseUnits(Kind.SENTENCE),
        "dense-prf": DenseFeedback,
        RERANKED: lambda: DenseReranked(reranker),
        HYDE: HyDE,
        MULTI_QUERY: MultiQuery,
        "summary": SessionSummaries,
        "hipporag": HippoRAG,
        "a-mem": AMem,
    }


#: The names of the baselines that are no strategies of their own (`bm25` and `dense`, over turns, are).
BASELINES: Sequence[str] = tuple(_baselines(0, ""))
#: The names that stand for many.
_GROUPS: Mapping[str, Callable[[], Sequence[str]]] = {
    "all": lambda: [*BASELINES, *reversed(STRATEGIES.names())],
    "baselines": lambda: [*BASELINES, "bm25", "dense"],
}


def contenders(wanted: str, given: Container[str] = ()) -> list[str]:
    """The names that `NAME,…` stands for, each once: `all` is every baseline and strategy, `baselines` those alone.

    `given`: the options of `ASKS` that are there to be asked; a group leaves out what lacks one (`left_out`). Raises
    UsageError, also where a baseline is named that lacks one.
    """
    names = [
        name for part in _parts(wanted) for name in _members(part) or [part] if part not in _GROUPS or _has(name, given)
    ]
    if not names:
        raise UsageError("no strategy is named", "--strategy all, or names with commas between them")
    for name in names:
        contender(name, 0)
        if not _has(name, given):
            raise UsageError(f"{name} asks {_CALLED[ASKS[name]]}", f"name one with --{ASKS[name]}")
    return list(dict.fromkeys(names))


def left_out(wanted: str, given: Container[str]) -> list[str]:
    """The baselines that the groups in `NAME,…` leave out, for want of what they ask."""
    every = {name for part in _parts(wanted) for name in _members(part)}
    return [name for name in ASKS if name in every and not _has(name, given)]


def _parts(wanted: str) -> list[str]:
    return [part.strip() for part in wanted.split(",") if part.strip()]


def _members(part: str) -> Sequence[str]:
    return _GROUPS[part]() if part in _GROUPS else ()


def _has(name: str, given: Container[str]) -> bool:
    return name not in ASKS or ASKS[name] in given


def contender(name: str, seed: int, reranker: str = "") -> Strategy:
    """The strategy or baseline called `name`. Raises UsageError."""
    made = _baselines(seed, reranker).get(name)
    if made is not None:
        return made()
    try:
        return strategy(name)
    except UsageError as error:
        raise UsageError(
            error.message, f"choose from: all, baselines, {', '.join([*BASELINES, *STRATEGIES])}"
        ) from error
