"""A strategy loads what it needs of a store, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import numpy as np
import pytest

from memcli.memory import Memory
from memcli.model import Filters
from memcli.store import rows
from memcli.store.views import lookups, view

AT = datetime(2025, 3, 1, tzinfo=UTC)
VECTORS = "select seq, data from vector where seq >="


class _Watched:
    """What a search reads of a store: its queries, and for each how many values came."""

    def __init__(self) -> None:
        self.read: list[tuple[str, int]] = []

    def columns(self, db: duckdb.DuckDBPyConnection, sql: str, parameters: object = ()) -> rows.Columns:
        found = rows.columns(db, sql, parameters)  # type: ignore[arg-type]
        self.read.append((" ".join(sql.split()), len(next(iter(found.values())))))
        return found

    def of_all(self, total: int) -> set[str]:
        """The columns of turns, sentences and edges that were read for all of them, or as good as."""
        found: set[str] = set()
        for sql, count in self.read:
            if count >= total // 2:
                found |= set(re.findall(r"\b[tduvo]\.(\w+)", sql.partition(" from ")[0]))
                found |= {"similar"} if "'similar'" in sql else set()
        return found


@contextmanager
def _watched(monkeypatch: pytest.MonkeyPatch) -> Iterator[_Watched]:
    watched = _Watched()
    with monkeypatch.context() as patch:
        for module in (view, lookups):
            patch.setattr(module, "columns", watched.columns)
        yield watched


def _loaded(store: Path, name: str, monkeypatch: pytest.MonkeyPatch, filters: Filters | None = None) -> set[str]:
    memory = Memory(store)
    with _watched(monkeypatch) as watched:
        assert memory.search("What does Theo cook?", strategy=name, at=AT, filters=filters, k=3)
    seen = memory.view()
    held = {"vectors"} if "_matrix" in vars(seen) else set()
    held |= {"sentences"} if "_sentences" in vars(seen) else set()
    return watched.of_all(seen.n) | held


def test_bm25_loads_no_vectors_sentences_or_dates(prepared_store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _loaded(prepared_store, "bm25", monkeypatch) == {"seq", "session", "length"}


def test_bm25_loads_what_a_filter_asks_for(prepared_store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    since = Filters(since=datetime(2020, 1, 1, tzinfo=UTC))
    assert _loaded(prepared_store, "bm25", monkeypatch, since) == {"seq", "session", "length", "said_at"}
    spoken = Filters(speaker="Nora")
    assert _loaded(prepared_store, "bm25", monkeypatch, spoken) == {"seq", "session", "length", "speaker"}


@pytest.mark.parametrize(
    ("name", "never"),
    [
        ("dense", {"similar", "speaker", "role", "said_at", "cues", "length"}),
        ("sgmem", {"speaker", "role", "said_at", "cues", "length", "norm"}),
        ("memgas", {"similar", "speaker", "role", "said_at", "cues", "length"}),
        ("emem", {"similar", "speaker", "role", "said_at", "cues", "length", "vectors", "sentences"}),
        ("emem-g", {"similar", "speaker", "role", "said_at", "cues", "length", "vectors", "sentences"}),
        ("ontology", {"similar", "role", "cues"}),
    ],
)
def test_a_strategy_loads_nothing_that_it_does_not_use(
    prepared_store: Path, monkeypatch: pytest.MonkeyPatch, name: str, never: set[str]
) -> None:
    assert not _loaded(prepared_store, name, monkeypatch) & never


def test_fused_loads_the_turns_in_one_query(prepared_store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = Memory(prepared_store)
    with _watched(monkeypatch) as watched:
        memory.search("What does Theo cook?", at=AT)
    of_turns = [sql for sql, _ in watched.read if "join document d" in sql and "distinct" not in sql]
    assert len(of_turns) <= 2  # their numbers for the words, and what the signals are made of
    assert {"said_at", "cues", "role", "similar", "vectors"} <= _loaded(prepared_store, "fused", monkeypatch)


@pytest.mark.parametrize("question", ["What does Theo cook?", "night shifts", "Who is Lena?"])
def test_the_cosines_of_few_turns_are_those_of_all(prepared_store: Path, question: str) -> None:
    memory = Memory(prepared_store)
    hits = memory.search(question, strategy="bm25", at=AT)
    seen = memory.view()
    found = [hit.trace["cosine"] for hit in hits]
    (vector,) = memory._encoders._loading.result().embed_questions([question])  # type: ignore[union-attr]
    every = seen.cosines(vector[None])[0]
    of_rows = seen.rows_of([hit.unit.sources[0] for hit in hits])
    assert found == pytest.approx([every[seen.owner == row].max() for row in of_rows], abs=2e-6)
    assert np.isfinite(found).all()
