"""The people, topics and things of a memory, as the page of its graph shows them first."""

from __future__ import annotations

from pathlib import Path

import pytest

from memcli.formats import Message
from memcli.memory import Memory
from memcli.store.graph import Node, Subgraph
from memcli.store.overview import PERSON, THING, TOPIC, _names, overview

FIRST = (PERSON, TOPIC, THING)


def shown(memory: Memory, limit: int = 1500) -> Subgraph:
    with memory.store.reading() as db:
        return overview(db, limit)


@pytest.fixture(scope="module")
def whole(sample_store: Path) -> Subgraph:
    return shown(Memory(sample_store))


@pytest.fixture(scope="module")
def told() -> Memory:
    """Ann and Bo speak of Otley in three sessions, Bo alone of Café Nero in two, of Lidl in one."""
    memory = Memory(None, embedder="fake")
    said = [
        ("1", "Ann", "We drove to Otley for the market today."),
        ("1", "Bo", "I know that Otley has a fine old market."),
        ("2", "Ann", "The bus from Otley came late, and so did I."),
        ("2", "Bo", "Then let us meet at Café Nero on the corner."),
        ("2", "Bo", "I left my umbrella at Café Nero, by the door."),
        ("3", "Bo", "Again at Café Nero with tea and a book."),
        ("3", "Bo", "My aunt moved to Otley with her two dogs."),
        ("3", "Bo", "Eggs from Lidl, milk from Lidl, bread from Lidl."),
        ("3", "Bo", "The shop called Lidl was shut, so was that other Lidl."),
        ("3", "Bo", "They say that Lidl opens late."),
        ("1", "Bo", "See you again in August, or on Monday."),
        ("2", "Bo", "Or not in August, but on Monday."),
        ("3", "Bo", "No, after all in August, on Monday."),
    ]
    memory.add(Message(text, who, session=session, id=str(at)) for at, (session, who, text) in enumerate(said))
    return memory


def of_kind(graph: Subgraph, *kinds: str) -> list[Node]:
    return [node for node in graph.nodes if node.kind in kinds]


def test_things_are_named_in_several_sessions(told: Memory) -> None:
    found = {node.id: node.text for node in of_kind(shown(told), THING)}
    assert found == {
        "thing Otley": "Otley\n4 sentences in 3 sessions",
        "thing Café Nero": "Café Nero\n3 sentences in 2 sessions",
    }


def test_people_are_joined_by_what_they_share_and_speak_of(told: Memory) -> None:
    graph = shown(told)
    counts: dict[tuple[str, str], float] = {
        (e.src, e.dst): e.weight for e in graph.edges if e.relation in ("talks with", "speaks of")
    }
    assert counts["person Bo", "person Ann"] == 2  # sessions
    assert counts["person Ann", "thing Otley"] == counts["person Bo", "thing Otley"] == 2  # sentences
    assert counts["person Bo", "thing Café Nero"] == 3
    assert ("person Ann", "thing Café Nero") not in counts
    assert of_kind(graph, PERSON)[0].text == "Bo\n11 turns"


def test_each_sentence_is_joined_to_what_it_is_about_and_to_who_said_it(told: Memory) -> None:
    graph = shown(told)
    text = {node.id: node.text for node in graph.nodes}
    about = {text[e.src] for e in graph.edges if (e.dst, e.relation) == ("thing Café Nero", "about")}
    assert about == {
        "Then let us meet at Café Nero on the corner.",
        "I left my umbrella at Café Nero, by the door.",
        "Again at Café Nero with tea and a book.",
    }
    said_by = {text[e.src]: e.dst for e in graph.edges if e.relation == "said by"}
    assert said_by["We drove to Otley for the market today."] == "person Ann"


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("Otley is a town.", []),  # every sentence begins with a capital
        ("we saw Café Nero, Otley and Tom's New York flat", ["Café Nero", "Otley", "Tom", "New York"]),
        ("so I said: I'm in Leeds", ["Leeds"]),
        ("先月、京都に引っ越しました", []),
    ],
)
def test_names_are_words_with_a_capital_inside_a_sentence(sentence: str, names: list[str]) -> None:
    assert list(_names(sentence)) == names


def test_topics_are_told_of_in_several_sessions(whole: Subgraph) -> None:
    topics = of_kind(whole, TOPIC)
    assert topics
    for topic in topics:
        name, counted = topic.text.splitlines()
        assert 1 <= len(name.split(", ")) <= 3
        assert topic.degree >= 3
        assert f"{topic.degree:,} sentences in " in counted


def test_a_limit_leaves_out_sentences_and_no_edge_hangs(whole: Subgraph, sample_store: Path) -> None:
    few = shown(Memory(sample_store), limit=len(of_kind(whole, *FIRST)) + 7)
    assert of_kind(few, *FIRST) == of_kind(whole, *FIRST)
    assert len(of_kind(few, "sentence")) == 7
    for graph in (few, whole):
        ids = {node.id for node in graph.nodes}
        assert len(ids) == len(graph.nodes) == graph.total_nodes - graph.left_out
        assert all({edge.src, edge.dst} <= ids for edge in graph.edges)


def test_an_empty_store_has_none() -> None:
    memory = Memory(None, embedder="fake")
    memory.add([])
    assert shown(memory).nodes == ()
