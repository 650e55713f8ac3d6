"""What `sgmem` and `memgas` find, beside plain methods with the same memory: tables as JSON.

    python benchmarks/memory.py --data locomo.json longmemeval.json.gz --cache DIR

Evidence recall of a context (the top K chunks, and the top K of each kind of generated memory), session recall, and the
papers' parameters one by one. Writes benchmarks/results/memory.json.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt

from memcli.evaluation.asking import PosedQuestion, asked
from memcli.evaluation.baselines.units import DenseUnits
from memcli.evaluation.datasets import haystacks
from memcli.evaluation.indexes import filled, index_path
from memcli.evaluation.runner import latest_said
from memcli.languages.base import NAMELESS
from memcli.memory import Memory
from memcli.model import Hit, Kind, Query
from memcli.providers.embedding import DEFAULT, embedder, embedder_id
from memcli.ranking.arrays import group_max, top
from memcli.store.views.associations import nodes
from memcli.store.views.memories import memories
from memcli.store.views.view import View
from memcli.strategies import strategy
from memcli.strategies.dense import Dense
from memcli.strategies.memgas import MemGAS
from memcli.strategies.sgmem import SGMem

RESULTS = Path(__file__).parent / "results" / "memory.json"
CHUNKS = {"S": Kind.SESSION, "R": Kind.ROUND, "T": Kind.TURN}
MEMORIES = {"M": Kind.SUMMARY, "F": Kind.FACT, "I": Kind.INSIGHT}
Retrieve = Callable[[Query, View, int], list[Hit]]


@dataclass(frozen=True)
class Case:
    """A question over a prepared store, with the rows of its evidence."""

    view: View
    asked: PosedQuestion
    gold: npt.NDArray[np.int64]


def cases(path: Path, cache: Path, opened: ExitStack) -> Iterator[Case]:
    """Every question with evidence; the stores stay open."""
    model = lru_cache(maxsize=1)(lambda: embedder(DEFAULT, bulk=True))
    needs = [strategy(name).needs for name in ("sgmem", "memgas")]
    for haystack in haystacks(path):
        questions = [q for q in haystack.questions if q.evidence]
        if not questions:
            continue
        store = index_path(cache, haystack.messages, embedder_id(DEFAULT))
        filled(store, haystack.messages, needs, model)
        memory = Memory(store)
        opened.enter_context(memory.store.reading())
        view = memory.view()
        bare = [(q.id, q.text, q.asked_at or latest_said(haystack)) for q in questions]
        for question, one in zip(questions, asked(bare, memory, [MemGAS()], model()), strict=True):
            yield Case(view, one, view.rows_of(sorted(question.evidence)))
        print(path.name, haystack.name, file=sys.stderr)


def rag(chunk: Kind, generated: Sequence[Kind], *, nameless: bool) -> Retrieve:
    """RAG-S, RAG-R or RAG-T, with the top K of each kind of generated memory."""
    plain = Dense() if chunk is Kind.TURN else DenseUnits(chunk)

    def retrieve(query: Query, view: View, k: int) -> list[Hit]:
        vector = query.phrasings[NAMELESS] if nameless else query.vector
        hits = plain.retrieve(replace(query, vector=vector), view, k)
        for kind in generated:
            found = memories(view, kind)
            scores = found.vectors @ vector
            hits += [Hit(found.units[i], float(scores[i])) for i in top(scores.astype(float), k)]
        return hits

    return retrieve


def sgmem(parameters: SGMem) -> Retrieve:
    """The chunks and memories of SGMem, K of each kind."""
    return lambda query, view, k: replace(parameters, top=k).retrieve(query, view, 10**6)


def context_recall(known: Sequence[Case], retrieve: Retrieve, k: int) -> float:
    """The mean share of the evidence turns that the context of K of each kind holds."""
    found = []
    for case in known:
        hits = retrieve(case.asked.query, case.view, k)
        rows = case.view.rows_of(sorted({turn for hit in hits for turn in hit.unit.sources}))
        found.append(np.isin(case.gold, rows).mean())
    return round(float(np.mean(found)), 4)


def session_recall(known: Sequence[Case], score: Callable[[Case], npt.NDArray[np.float64]]) -> dict[str, float]:
    """Fractional session recall at 3, 5 and 10 of sessions ranked by a score [sessions]."""
    found = []
    for case in known:
        order = np.argsort(-score(case), kind="stable")
        gold = np.unique(case.view.session[case.gold])
        found.append([np.isin(gold, order[:k]).mean() for k in (3, 5, 10)])
    return {f"recall@{k}": round(float(v), 4) for k, v in zip((3, 5, 10), np.mean(found, axis=0), strict=True)}


def by_memgas(parameters: MemGAS) -> Callable[[Case], npt.NDArray[np.float64]]:
    """Sessions by the order of the strategy's hits."""

    def score(case: Case) -> npt.NDArray[np.float64]:
        hits = parameters.retrieve(case.asked.query, case.view, 10**6)
        rows = case.view.rows_of([hit.unit.sources[0] for hit in hits])
        out = np.zeros(int(case.view.session[-1]) + 1)
        out[case.view.session[rows]] = -np.arange(len(rows), dtype=float) + len(rows)
        return out

    return score


def by_kind(kind: Kind, *, nameless: bool) -> Callable[[Case], npt.NDArray[np.float64]]:
    """Sessions by their best unit of one granularity."""

    def score(case: Case) -> npt.NDArray[np.float64]:
        found, sessions = _located(case.view)
        own = found.kind == kind.value
        likeness = found.cosines(_vector(case, nameless)[None, :])[0][own] + 1
        return group_max(likeness, sessions[own], int(case.view.session[-1]) + 1)

    return score


def concatenated(*, nameless: bool) -> Callable[[Case], npt.NDArray[np.float64]]:
    """Sessions by one vector each: of the session, its turns, summary and keywords together."""

    def score(case: Case) -> npt.NDArray[np.float64]:
        joined = case.view.once(_joined)
        return (joined @ _vector(case, nameless)).astype(float)

    return score


def _vector(case: Case, nameless: bool) -> npt.NDArray[np.float32]:
    return case.asked.phrasings[NAMELESS] if nameless else case.asked.vector


def _located(view: View):  # type: ignore[no-untyped-def]
    found = nodes(view)
    return found, np.searchsorted(np.unique(view.session_numbers), found.session)


def _joined(view: View) -> npt.NDArray[np.float32]:
    """The mean of the granularities' mean vectors, which is what pooling makes of their texts, each once."""
    found, sessions = _located(view)
    vectors = found.pooled(np.arange(len(found.unit)))
    out = np.zeros((int(view.session[-1]) + 1, vectors.shape[1]), dtype=np.float32)
    for kind in np.unique(found.kind):
        own = found.kind == kind
        sums = np.zeros_like(out)
        np.add.at(sums, sessions[own], vectors[own])
        out += sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
    lengths = np.linalg.norm(out, axis=1, keepdims=True)
    return np.asarray(out / np.maximum(lengths, 1e-9), dtype=np.float32)


def memgas_table(known: Sequence[Case]) -> dict[str, dict[str, float]]:
    """Session recall of MemGAS, of what it is made of, and without each of its parts."""
    kinds = (Kind.SESSION, Kind.TURN, Kind.SUMMARY, Kind.KEYWORD)
    table = {"memgas": session_recall(known, by_memgas(MemGAS()))}
    for part in ("router", "ppr", "association"):
        table[f"without {part}"] = session_recall(known, by_memgas(MemGAS(without=frozenset({part}))))
    for nameless, wording in ((True, "the question without names"), (False, "the question as it is")):
        for kind in kinds:
            table[f"{kind} alone, {wording}"] = session_recall(known, by_kind(kind, nameless=nameless))
        table[f"all four in one vector, {wording}"] = session_recall(known, concatenated(nameless=nameless))
    for alpha, temperature in product((5, 10, 15, 20, 25), (0.1, 0.2, 0.5)):
        table[f"seeds {alpha}, temperature {temperature}"] = session_recall(
            known, by_memgas(MemGAS(seeds=alpha, temperature=temperature))
        )
    return table


def sgmem_table(known: Sequence[Case]) -> dict[str, dict[str, float]]:
    """Evidence recall of contexts at K = 5 and 10: SGMem beside RAG with the same chunks and memories."""
    table = {}
    for letter, extra in product("SRT", ("", "F", "MFI")):
        chunk, generated = CHUNKS[letter], tuple(MEMORIES[e] for e in extra)
        for name, retrieve in (
            ("SGMem", sgmem(SGMem(chunk, generated))),
            ("RAG", rag(chunk, generated, nameless=False)),
            ("RAG, without names", rag(chunk, generated, nameless=True)),
        ):
            table[f"{name}-{letter}{extra}"] = {f"K={k}": context_recall(known, retrieve, k) for k in (5, 10)}
    return table


def sgmem_grid(known: Sequence[Case]) -> dict[str, dict[str, float]]:
    """The paper's parameters, one grid, for sessions alone."""
    table = {}
    for h, k, n, gamma in product((0, 1, 2), (1, 3, 5), (5, 10, 15, 20), (1.0, 1.2, 1.5)):
        if h == 0 and k != 1:
            continue  # no hop, no neighbour
        chosen = SGMem(Kind.SESSION, (), k=k, h=h, n=n, gamma=gamma, neighbour_gamma=max(gamma, 1.4))
        table[f"h={h} k={k} n={n} γ={gamma}"] = {"K=5": context_recall(known, sgmem(chosen), 5)}
    for gamma in (1.0, 1.2, 1.3, 1.4, 1.5):
        chosen = SGMem(Kind.SESSION, (), neighbour_gamma=gamma)
        table[f"neighbours from {gamma}"] = {"K=5": context_recall(known, sgmem(chosen), 5)}
    table["neighbours by BM25"] = {"K=5": context_recall(known, sgmem(SGMem(Kind.SESSION, (), neighbours="bm25")), 5)}
    return table


def main() -> None:
    """Prints and writes the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, nargs="+", required=True, help="files in LoCoMo's or LongMemEval's schema")
    parser.add_argument("--cache", type=Path, required=True, help="a folder that keeps the stores")
    parser.add_argument("--grid", action="store_true", help="also every combination of SGMem's parameters")
    arguments = parser.parse_args()
    measured = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}  # other data sets' figures stay
    for path in arguments.data:
        with ExitStack() as opened:
            known = list(cases(path, arguments.cache, opened))
            name = path.name.split(".")[0]
            tables = {"questions": len(known), "memgas": memgas_table(known), "sgmem": sgmem_table(known)}
            measured[name] = measured.get(name, {}) | tables
            if arguments.grid:
                measured[name]["grid"] = sgmem_grid(known)
    RESULTS.write_text(json.dumps(measured, indent=1, ensure_ascii=False) + "\n")
    print(json.dumps(measured, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
