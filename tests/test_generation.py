"""Generated memory in the store: made once, checked, kept up to date, superseded and not lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memcli.indexing.memories.runner import Generator
from memcli.indexing.prepare import kept_up, lacking
from memcli.memory import Memory
from memcli.model import Filters, Kind
from memcli.model.generated import Generated
from memcli.providers.fakes import FakeEmbedder
from memcli.store import graph
from memcli.store.views.memories import memories
from memcli.strategies import strategy

Write = Callable[..., Path]


def said(session: str, *texts: str, day: int = 1, speaker: str = "Ada") -> list[dict[str, object]]:
    return [
        {"session": session, "speaker": speaker if i % 2 == 0 else "Bo", "text": text,
         "timestamp": f"2024-05-{day:02d}T10:{i:02d}:00"}
        for i, text in enumerate(texts)
    ]  # fmt: skip


@pytest.fixture
def filled(memory: Memory, write: Write) -> Memory:
    memory.ingest([write("a.jsonl",
        *said("s1", "I moved to Porto yesterday.", "How nice!", "I bought a red boat.", day=2),
        *said("s2", "I love my red boat.", "Good for you.", "My sister Lena visits me in June.", day=9),
    )])  # fmt: skip
    memory.prepare(["sgmem"])
    return memory


def rows(memory: Memory, what: str = "*") -> list[tuple[object, ...]]:
    with memory.store.reading() as db:
        return db.execute(
            f"""select {what} from unit u join memory m on m.unit = u.seq where u.kind <> 'assertion'
                order by u.kind, u.id"""
        ).fetchall()


def test_every_unit_rests_on_turns_of_the_store(filled: Memory) -> None:
    with filled.store.reading() as db:
        units = db.execute(
            """select u.kind, u.text, count(t.seq) from unit u join memory m on m.unit = u.seq
               left join source o on o.unit = u.seq left join turn t on t.seq = o.turn group by all"""
        ).fetchall()
    assert {kind for kind, _, _ in units} >= {"summary", "fact", "keyword"}
    assert all(sources > 0 for _, _, sources in units)
    assert any("Ada moved to Porto on 1 May 2024" in text for _, text, _ in units)


def test_what_is_made_is_made_once(filled: Memory) -> None:
    before = rows(filled)
    needs = [strategy("sgmem").needs]
    assert lacking(filled.store, needs) == []
    model = FakeEmbedder()
    assert Generator(filled.store, model).run() == 0
    assert model.embedded == []
    assert rows(filled) == before


def test_an_ingest_keeps_up_what_was_asked_for_once(filled: Memory, write: Write) -> None:
    filled.ingest([write("b.jsonl", *said("s3", "I sold my red boat last week.", day=20))])
    facts = [text for kind, text in rows(filled, "u.kind, u.text") if kind == "fact"]
    assert any("sold" in str(text) for text in facts)
    assert {kind for needs in kept_up(filled.store) for kind in needs.kinds} >= {Kind.FACT, Kind.SENTENCE}


def test_nothing_is_generated_that_nobody_asked_for(memory: Memory, write: Write) -> None:
    memory.ingest([write("a.jsonl", *said("s1", "I moved to Porto yesterday."))])
    assert rows(memory) == []
    memory.search("Porto", strategy="sgmem")
    assert rows(memory)


def test_a_session_that_grows_is_read_again(filled: Memory, write: Write) -> None:
    before = {text for kind, text in rows(filled, "u.kind, u.text") if kind == "fact"}
    filled.ingest([write("c.jsonl", *said("s1", "x", "y", "z", "u", "I adopted a grey cat.", day=2)[4:])])
    after = {text for kind, text in rows(filled, "u.kind, u.text") if kind == "fact"}
    assert before < after
    assert any("cat" in str(text) for text in after - before)
    with filled.store.reading() as db:
        assert (
            db.execute("select count(*) from memory").fetchall()
            == db.execute(
                "select count(*) from unit where kind in ('summary', 'keyword', 'fact', 'insight', 'assertion')"
            ).fetchall()
        )


def test_a_fact_that_changed_says_until_when_it_held(memory: Memory, write: Write) -> None:
    memory.ingest(
        [write("a.jsonl", *said("s1", "I live in Porto.", day=2), *said("s2", "I live in Lisbon now.", day=9))]
    )
    memory.prepare(["sgmem"])
    units = {unit.text: unit for unit in memories(memory.view(), Kind.FACT).units}
    old = next(text for text in units if "Porto" in text)
    assert old.endswith("(until 9 May 2024)")
    assert not next(text for text in units if "Lisbon" in text).endswith(")")


def test_an_insight_takes_up_the_older_one(memory: Memory, write: Write) -> None:
    for day in (2, 9, 16):
        memory.ingest([write(f"{day}.jsonl", *said(f"s{day}", "I love sailing my boat.", day=day))])
        memory.prepare(["sgmem"])
    stored = rows(memory, "u.kind, m.support, m.replaced_by is null")
    assert [(s, now) for kind, s, now in stored if kind == "insight"].count((3, True)) == 1
    assert [(s, now) for kind, s, now in stored if kind == "insight"].count((2, False)) == 1
    shown = memories(memory.view(), Kind.INSIGHT).units
    assert len(shown) == 1
    assert "3 sessions" in shown[0].text
    assert len(shown[0].sources) == 3


def test_what_its_sources_do_not_support_is_kept_and_not_given(
    memory: Memory, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    def invented(text: object) -> list[Generated]:
        turn = text.turns[0]  # type: ignore[attr-defined]
        return [Generated(Kind.FACT, "Ada won 700 euros in Vienna", (turn.id,), turn.said_at, "Ada")]

    monkeypatch.setattr("memcli.languages.english.facts.facts", invented)
    memory.ingest([write("a.jsonl", *said("s1", "I moved to Porto yesterday."))])
    memory.prepare(["sgmem"])
    ((supported, reason),) = [r[1:] for r in rows(memory, "u.kind, m.supported, m.reason") if r[0] == "fact"]
    assert supported is False
    assert reason
    assert memories(memory.view(), Kind.FACT).supported.tolist() == [False]
    assert all("Vienna" not in hit.unit.text for hit in memory.search("Vienna", strategy="sgmem"))
    asked_for = memory.search("Vienna", strategy="sgmem", filters=Filters(unsupported=True))
    assert any("Vienna (unsupported: " in hit.unit.text for hit in asked_for)
    with memory.store.reading() as db:
        shown = graph.whole(db)
    assert any(node.text.startswith("[unsupported: ") for node in shown.nodes)


def test_another_embedder_generates_again(filled: Memory, tmp_path: Path) -> None:
    path = filled.store.path
    assert path is not None

    class Other(FakeEmbedder):
        id = "other"

    Memory(path, embedder=Other()).ingest([], re_embed=True)
    again = Memory(path, embedder=Other())
    assert again.search("boat", strategy="sgmem")
