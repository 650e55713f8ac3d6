"""What event memory holds, and what `emem` and `emem-g` find in it: tables as JSON.

    python benchmarks/events.py --data locomo.json longmemeval.json.gz --cache DIR

The graph in figures (EMem, table 4), evidence recall through the sources of K events, the answers read from them, the
threshold of the filter, and what each part of `emem-g` is worth. Writes benchmarks/results/events.json.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from memcli.evaluation.answers import token_f1
from memcli.evaluation.asking import PosedQuestion, asked
from memcli.evaluation.baselines.units import DenseUnits
from memcli.evaluation.datasets import haystacks
from memcli.evaluation.indexes import filled, index_path
from memcli.evaluation.questions import GoldQuestion, Haystack
from memcli.evaluation.runner import latest_said
from memcli.memory import Memory
from memcli.model import Hit, Kind
from memcli.providers.embedding import DEFAULT, embedder, embedder_id
from memcli.reading.context import within
from memcli.reading.extractive import ExtractiveReader
from memcli.reading.stored import StoredTranscript
from memcli.store.rows import scalar
from memcli.store.views.events import event_graph
from memcli.store.views.view import View
from memcli.strategies import Strategy
from memcli.strategies.base import evidence, turn_hits
from memcli.strategies.dense import Dense
from memcli.strategies.emem import EMem, EMemG
from memcli.strategies.filters import Thresholds

RESULTS = Path(__file__).parent / "results" / "events.json"
KEPT = 0.95  # the share of the evidence that the filter is to keep
EVERYTHING = Thresholds(event_share=0.0)
CONTENDERS: Mapping[str, Strategy] = {
    "emem-g": EMemG(), "emem": EMem(), "dense": Dense(), "dense-sentence": DenseUnits(Kind.SENTENCE),
}  # fmt: skip
#: The whole, without each of its parts, and with the paper's parameters varied one by one.
VARIED: Mapping[str, Strategy] = {
    "emem-g": EMemG(),
    "without mentions": EMemG(arguments=0),
    "without the filter of events": EMemG(filters=EVERYTHING),
    "without the filter of arguments": EMemG(filters=Thresholds(argument_cosine=-1.0)),
    **{f"damping {d}": EMemG(damping=d) for d in (0.1, 0.3, 0.7, 0.9)},
    **{f"linked {n}": EMemG(linked=n) for n in (10, 20, 60)},
    **{f"seeds {n}": EMemG(seeds=n) for n in (5, 10)},
}
UNANSWERABLE = "5"


@dataclass(frozen=True)
class Case:
    """A question over a prepared store, with the rows of its evidence."""

    memory: Memory
    view: View
    question: GoldQuestion
    asked: PosedQuestion
    gold: frozenset[int]


def stores(path: Path, cache: Path, opened: ExitStack) -> Iterator[tuple[Haystack, Memory, View]]:
    """Every haystack with its prepared store; the stores stay open."""
    model = lru_cache(maxsize=1)(lambda: embedder(DEFAULT, bulk=True))
    for haystack in haystacks(path):
        if not any(q.evidence for q in haystack.questions):
            continue
        store = index_path(cache, haystack.messages, embedder_id(DEFAULT))
        filled(store, haystack.messages, [EMemG().needs], model)
        memory = Memory(store)
        opened.enter_context(memory.store.reading())
        print(path.name, haystack.name, file=sys.stderr)
        yield haystack, memory, memory.view()


def cases(haystack: Haystack, memory: Memory, view: View) -> list[Case]:
    """The questions of a haystack that have evidence."""
    questions = [q for q in haystack.questions if q.evidence]
    bare = [(q.id, q.text, q.asked_at or latest_said(haystack)) for q in questions]
    every = asked(bare, memory, [EMemG()], embedder(DEFAULT, bulk=True))
    return [
        Case(memory, view, question, one, frozenset(view.rows_of(sorted(question.evidence)).tolist()))
        for question, one in zip(questions, every, strict=True)
    ]


def rows(case: Case, hits: Sequence[Hit]) -> set[int]:
    """The rows of the hits' source turns."""
    return set(case.view.rows_of([turn for hit in hits for turn in hit.unit.sources]).tolist())


def recall(known: Sequence[Case], strategy: Strategy, ks: Sequence[int]) -> dict[str, dict[str, float]]:
    """The mean share of the evidence turns among the sources of the first k hits, by category and over all."""
    found: dict[str, dict[str, list[float]]] = {f"@{k}": defaultdict(list) for k in ks}
    for case in known:
        hits = strategy.retrieve(case.asked.query, case.view, max(ks))
        for k in ks:
            share = len(case.gold & rows(case, hits[:k])) / len(case.gold)
            for name in ("all", str(case.question.category)):
                found[f"@{k}"][name].append(share)
    return {k: {name: round(float(np.mean(v)), 3) for name, v in sorted(each.items())} for k, each in found.items()}


def answers(known: Sequence[Case]) -> dict[str, dict[str, float]]:
    """Token F1 of what is read from the events of `emem-g`, and from the turns that they rest on; context tokens."""
    found: dict[str, dict[str, list[float]]] = {name: defaultdict(list) for name in ("events", "turns", "tokens@10")}
    reads: Mapping[str, Callable[[View, Sequence[Hit], int], list[Hit]]] = {"events": evidence, "turns": turn_hits}
    for case in known:
        query = case.asked.query
        hits = EMemG().retrieve(query, case.view, 40)
        found["tokens@10"]["all"].append(within(evidence(case.view, hits, 10), 10**6).tokens)
        if str(case.question.category) == UNANSWERABLE or not case.question.answer:
            continue
        reader = ExtractiveReader(StoredTranscript(case.view))
        for name, of in reads.items():
            answer = reader.read(query, within(of(case.view, hits, 20), 4000).hits)
            score = token_f1("" if answer.abstained else answer.text, case.question.answer)
            for slot in ("all", str(case.question.category)):
                found[name][slot].append(score)
    return {n: {slot: round(float(np.mean(v)), 3) for slot, v in sorted(each.items())} for n, each in found.items()}


def threshold(known: Sequence[Case]) -> dict[str, float]:
    """The share of the best cosine above which KEPT of the evidence lies, and how much of all is kept then."""
    gold, every = [], []
    for case in known:
        hits = EMem(filters=EVERYTHING).retrieve(case.asked.query, case.view, 30)
        shares = [hit.score / hits[0].score for hit in hits]
        every += shares
        gold += [share for share, hit in zip(shares, hits, strict=True) if case.gold & rows(case, [hit])]
    least = float(np.quantile(gold, 1 - KEPT))
    return {"share_of_best": round(least, 3), "kept": round(float(np.mean(np.array(every) >= least)), 3)}


def statistics(memory: Memory, view: View) -> dict[str, float]:
    """One row of table 4, for one conversation."""
    graph = event_graph(view)
    with memory.store.reading() as db:
        chunks = scalar(db, "select count(*) from unit where kind = 'chunk'")
        words = scalar(db, "select avg(len(string_split(text, ' '))) from unit where kind = 'edu'")
    links, synonyms = len(graph.links[0]), len(graph.synonyms[0])
    return {
        "sessions": graph.sessions, "events": graph.n, "of them chunks": chunks, "arguments": len(graph.texts),
        "nodes": graph.n + len(graph.texts) + graph.sessions, "session degree": graph.n / graph.sessions,
        "event degree": links / graph.n + 1, "argument degree": (links + 2 * synonyms) / max(len(graph.texts), 1),
        "session-event edges": graph.n, "event-argument edges": links, "synonym edges": synonyms,
        "edges": graph.n + links + synonyms, "words an EDU": words,
    }  # fmt: skip


def covered(known: Sequence[Case]) -> float:
    """The share of the evidence turns that are a source of some event."""
    held = [(view := case.view, set(event_graph(view).rows.tolist())) for case in known]
    turns = {
        (id(view), row): row in rows_ for (view, rows_), case in zip(held, known, strict=True) for row in case.gold
    }
    return round(float(np.mean(list(turns.values()))), 4)


def measured(path: Path, cache: Path, *, parts: bool) -> dict[str, object]:
    """Everything about one file."""
    with ExitStack() as opened:
        known, tables = [], []
        for haystack, memory, view in stores(path, cache, opened):
            tables.append(statistics(memory, view))
            known += cases(haystack, memory, view)
        found: dict[str, object] = {
            "graph": {name: round(float(np.mean([t[name] for t in tables])), 1) for name in tables[0]},
            "covered": covered(known),
            "recall": {name: recall(known, strategy, (10, 30)) for name, strategy in CONTENDERS.items()},
            "answers": answers(known),
            "filter": threshold(known),
        }
        if parts:
            found["parts"] = {name: _summed(recall(known, strategy, (10, 30))) for name, strategy in VARIED.items()}
    return found


def _summed(table: Mapping[str, Mapping[str, float]]) -> dict[str, float]:
    return {**{k: of["all"] for k, of in table.items()}, "multi-hop@10": table["@10"].get("1", 0.0)}


def sample(path: Path, cache: Path, size: int) -> Iterator[str]:
    """So many events at random with what they rest on, to be read and marked: always the same ones."""
    with ExitStack() as opened:
        known = [
            (haystack, view, event_graph(view), place)
            for haystack, _, view in stores(path, cache, opened)
            for place in range(event_graph(view).n)
        ]
        chosen = np.random.default_rng(0).choice(len(known), size, replace=False)
        for number, (haystack, view, graph, place) in enumerate((known[i] for i in chosen.tolist()), start=1):
            (unit,) = graph.units(view, [place])
            turns = view.fetch(view.rows_of(unit.sources).tolist())
            yield f"{number}. {haystack.name} {unit.id} [{unit.at}] {unit.text}"
            yield from (f"      {turn.speaker}: {' '.join(turn.text.split())}" for turn in turns)


def main() -> None:
    """Measures, prints and records."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, nargs="+", required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--parts", action="store_true", help="also what the parts of emem-g are worth")
    parser.add_argument("--sample", type=int, help="print so many events of the first file to be read, and no more")
    given = parser.parse_args()
    if given.sample:
        print("\n".join(sample(given.data[0], given.cache, given.sample)))
        return
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for path in given.data:
        results[path.name.split(".")[0]] = measured(path, given.cache, parts=given.parts)
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    print(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
