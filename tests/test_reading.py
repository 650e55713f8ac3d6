"""The extractive reader over a small transcript held in memory."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import numpy.typing as npt
import pytest

from memcli.languages.english.questions import parse
from memcli.model import Answer, Hit, Kind, Query, Seeks, SessionId, Turn, TurnId, Unit, UnitId
from memcli.ranking import learned
from memcli.reading import NOTHING, ExtractiveReader, build_context, confidence, evidence, spans
from memcli.reading.change import newest
from memcli.reading.confidence import Confidence
from memcli.reading.network import Network
from memcli.reading.passages import Passage, gather
from memcli.reading.spans import NAMES, Candidate, best_candidates, candidates
from memcli.reading.temporal import when
from memcli.text import content_stems, sentences, stems, token_estimate

ASKED = datetime(2024, 6, 1, 12, 0)
VECTOR = np.ones(1, dtype=np.float32)


class FakeTranscript:
    """Turns in one session; a sentence's cosine is the share of the question's stems in it."""

    def __init__(self, question: str, said: Sequence[tuple[str, datetime | None, str]]) -> None:
        self.question = set(content_stems(question))
        self.turns = [
            Turn(TurnId(f"t{n}"), SessionId("s"), n, speaker, "user", at, text)
            for n, (speaker, at, text) in enumerate(said)
        ]

    def around(self, turn_id: TurnId, before: int, after: int) -> Sequence[Turn]:
        place = int(turn_id[1:])
        return self.turns[max(0, place - before) : place + after + 1]

    def sentences(
        self, turn_ids: Sequence[TurnId], vector: npt.NDArray[np.float32]
    ) -> Mapping[TurnId, Sequence[tuple[str, float]]]:
        return {t: [(s, self._cosine(s)) for s in sentences(self.turns[int(t[1:])].text)] for t in turn_ids}

    def _cosine(self, sentence: str) -> float:
        return len(self.question & set(stems(sentence))) / max(1, len(self.question))

    def speakers(self) -> frozenset[str]:
        return frozenset(t.speaker for t in self.turns)

    def rarity(self, stems: Sequence[str]) -> Mapping[str, float]:
        return {s: math.log(1 + (len(self.turns) - self._df(s) + 0.5) / (self._df(s) + 0.5)) for s in stems}

    def _df(self, stem: str) -> int:
        return sum(stem in stems(t.text) for t in self.turns)

    def hits(self) -> list[Hit]:
        ranked = sorted(self.turns, key=lambda t: -self._cosine(t.text))
        return [
            Hit(Unit(UnitId(f"u{t.id}"), Kind.TURN, t.text, (t.id,), t.said_at, t.speaker), self._cosine(t.text))
            for t in ranked
        ]


def ask(question: str, *said: tuple[str, datetime | None, str], judged: bool = False) -> Answer:
    transcript = FakeTranscript(question, said)
    reader = ExtractiveReader(transcript) if judged else ExtractiveReader(transcript, judge=_passing())
    return reader.read(Query(parse(question, tuple(transcript.speakers())), VECTOR, ASKED), transcript.hits())


def _passing() -> Confidence:
    """A judge that lets every answer pass."""
    width = len(confidence.NAMES)
    zeros = np.zeros(width, dtype=np.float32)
    return Confidence(confidence.NAMES, zeros, zeros + 1, zeros, 0.0, 0.0)


def at(year: int, month: int, day: int) -> datetime:
    return datetime(year, month, day, 10, 0)


CHAT = (
    ("Ines", at(2023, 5, 8), "I saw Anna at the harbour yesterday, we ate grilled sardines."),
    ("Tomas", at(2023, 5, 8), "Lovely! I have been learning the accordion for three years."),
    ("Ines", at(2023, 6, 20), "My sister Clara adopted two kittens last week."),
    ("Tomas", at(2023, 7, 15), "On Friday I moved my workshop to Porto."),
)


@pytest.mark.parametrize(
    ("question", "seeks"),
    [
        ("When did I last see Anna?", Seeks.WHEN),
        ("What year did we move?", Seeks.WHEN),
        ("In which month was the party?", Seeks.WHEN),
        ("How long ago did Jo leave?", Seeks.WHEN),
        ("How long have you played?", Seeks.LENGTH),
        ("How many weeks did it take?", Seeks.LENGTH),
        ("How many kittens are there?", Seeks.COUNT),
        ("How often do I swim?", Seeks.OFTEN),
        ("Who fixed the roof?", Seeks.WHO),
        ("Where is my passport?", Seeks.WHERE),
        ("What city does Jo live in?", Seeks.WHERE),
        ("Why did we stop?", Seeks.WHY),
        ("Do I still have the blue car?", Seeks.YES_NO),
        ("How did it go?", Seeks.HOW),
        ("Which road is shorter?", Seeks.WHICH),
        ("What's my sister's name?", Seeks.WHAT),
    ],
)
def test_the_kind_of_answer(question: str, seeks: Seeks) -> None:
    assert parse(question, ()).seeks is seeks


@pytest.mark.parametrize(
    ("question", "speakers", "about"),
    [
        ("What does Ines play?", ("Ines", "Tomas"), "Ines"),
        ("Where is Ines's boat?", ("Ines", "Tomas"), "Ines"),
        ("Did Tom call Ines?", ("Ines", "Tomas"), "Tomas"),
        ("Where does Clara live?", ("Ines", "Tomas"), None),
        ("Where did I park?", ("user", "assistant"), "user"),
        ("Where did Ines park?", ("user", "assistant"), None),
        ("How did Maria do?", ("Maria Lopez", "Jo"), "Maria Lopez"),
        ("how is the user doing", ("user", "assistant"), None),
    ],
)
def test_whom_a_question_is_about(question: str, speakers: tuple[str, ...], about: str | None) -> None:
    assert parse(question, speakers).about == about


def test_a_question_for_several_things_is_listing() -> None:
    assert parse("What instruments does Ines play?", ()).listing
    assert parse("What are my hobbies?", ()).listing
    assert not parse("What does Ines play?", ()).listing
    assert not parse("What was the name of the ship?", ()).listing


def test_the_name_of_a_speaker_carries_no_weight() -> None:
    assert parse("What boat does Ines sail?", ("Ines",)).stems == ("boat", "sail")


def test_the_noun_that_is_asked_for() -> None:
    assert parse("What kind of boats do we own?", ()).head == "boat"
    assert parse("Where is it?", ()).head == ""


def test_yesterday_is_counted_from_the_day_it_was_said() -> None:
    answer = ask("When did Ines see Anna at the harbour?", *CHAT)
    assert (answer.text, answer.citations, answer.abstained) == ("7 May 2023", ("t0",), False)


def test_a_weekday_is_named_with_the_day_it_hangs_on() -> None:
    assert ask("When did Tomas move his workshop?", *CHAT).text == "the Friday before 15 July 2023"


def test_a_year_is_answered_where_a_year_is_asked_for() -> None:
    assert ask("What year did Tomas move his workshop?", *CHAT).text == "2023"


def test_the_date_of_the_turn_answers_where_it_names_none() -> None:
    said = (("Ines", at(2023, 3, 2), "The boat sank!"), ("Tomas", at(2023, 4, 2), "I baked bread."))
    assert ask("When had the boat sank?", *said).text == "2 March 2023"


def test_a_question_that_names_a_month_prefers_what_was_then() -> None:
    said = (
        ("Ines", at(2023, 3, 2), "We went camping yesterday."),
        ("Ines", at(2023, 8, 9), "We went camping yesterday."),
    )
    assert ask("When did Ines go camping in August 2023?", *said).text == "8 August 2023"
    assert ask("When did Ines go camping in March 2023?", *said).text == "1 March 2023"


def test_how_long() -> None:
    assert ask("How long has Tomas been learning the accordion?", *CHAT).text == "three years"


def test_how_many() -> None:
    assert ask("How many kittens did Clara adopt?", *CHAT).text == "two"


def test_where() -> None:
    assert "Porto" in ask("Where did Tomas move his workshop?", *CHAT).text


def test_yes_and_no() -> None:
    said = (("user", at(2023, 3, 2), "I sold the blue car."), ("user", at(2023, 3, 3), "I still have the red bike."))
    assert ask("Do I still have the blue car?", said[0]).text == "No"
    assert ask("Do I still have the red bike?", said[1]).text == "Yes"


def test_an_answer_without_dates() -> None:
    said = (("user", None, "My sister is called Clara."),)
    assert "Clara" in ask("What is my sister called?", *said).text
    assert ask("When was my sister called?", *said).abstained


def test_no_hits_is_an_abstention() -> None:
    transcript = FakeTranscript("", ())
    answer = ExtractiveReader(transcript).read(Query(parse("Who?", ()), VECTOR, ASKED), [])
    assert answer == Answer(NOTHING, (), 0.0, abstained=True)


def test_it_is_silent_about_what_memory_does_not_hold() -> None:
    answer = ask("What submarine did Ines captain in Antarctica?", *CHAT, judged=True)
    assert (answer.text, answer.abstained) == (NOTHING, True)
    assert 0 <= answer.confidence < 0.5


def test_it_is_surer_of_the_one_who_said_it() -> None:
    right = ask("How long has Tomas been learning the accordion?", *CHAT, judged=True)
    wrong = ask("How long has Ines been learning the accordion?", *CHAT, judged=True)
    assert right.confidence > wrong.confidence
    assert not right.abstained


def _passage(text: str, moment: datetime | None, speaker: str = "user") -> Passage:
    return Passage(text, TurnId(text), speaker, moment, 0, 1.0, 0.9, 1.0, 1.0, 0.0, 1.0, text)


def _whole(text: str, part: str, moment: datetime | None, speaker: str = "user") -> Candidate:
    start = text.index(part)
    return Candidate(_passage(text, moment, speaker), start, start + len(part), 0, 0)


def test_the_newest_statement_holds_and_the_older_one_is_kept() -> None:
    question = parse("Where do I live?", ("user",))
    old = _whole("I live in Portland.", "Portland", at(2023, 1, 1))
    new = _whole("I live in Seattle.", "Seattle", at(2024, 3, 1))
    assert newest(question, [(0.9, old), (0.85, new)]) == (new, old)
    assert newest(question, [(0.9, new), (0.85, old)]) == (new, old)


@pytest.mark.parametrize(
    ("text", "part", "moment", "speaker", "score"),
    [
        ("I live in Seattle.", "Seattle", at(2023, 1, 3), "user", 0.85),  # within days: no change
        ("I live in Seattle.", "Seattle", at(2024, 3, 1), "assistant", 0.85),  # somebody else
        ("I live in Seattle.", "Seattle", at(2024, 3, 1), "user", 0.3),  # a poor candidate
        ("I live in Seattle.", "Seattle", None, "user", 0.85),  # no date
        ("Paint the fence in Seattle.", "Seattle", at(2024, 3, 1), "user", 0.85),  # about something else
        ("I live in old Portland.", "old Portland", at(2024, 3, 1), "user", 0.85),  # the same value
    ],
)
def test_what_is_no_change(text: str, part: str, moment: datetime | None, speaker: str, score: float) -> None:
    question = parse("Where do I live?", ("user",))
    old = _whole("I live in Portland.", "Portland", at(2023, 1, 1))
    assert newest(question, [(0.9, old), (score, _whole(text, part, moment, speaker))]) == (old, None)


def test_what_is_past_does_not_change() -> None:
    question = parse("Where did I live?", ("user",))
    old = _whole("I live in Portland.", "Portland", at(2023, 1, 1))
    new = _whole("I live in Seattle.", "Seattle", at(2024, 3, 1))
    assert newest(question, [(0.9, old), (0.85, new)]) == (old, None)


def test_a_changed_fact_is_answered_with_what_was_before() -> None:
    said = (("user", at(2023, 1, 1), "I live in Portland."), ("user", at(2024, 3, 1), "I live in Seattle."))
    answer = ask("Where do I live?", *said)
    assert "Seattle (before: " in answer.text
    assert answer.text.endswith("Portland, until March 2024)")
    assert answer.citations == ("t1", "t0")


def test_candidates_stay_within_a_clause_and_match_their_rows() -> None:
    found, rows = candidates(parse("What did I eat?", ()), _passage("I ate soup. Then bread, cheese!", None))
    texts = {c.text for c in found}
    assert {"soup", "bread, cheese"} <= texts
    assert not any("soup" in t and "bread" in t for t in texts)
    assert rows.shape == (len(found), len(NAMES))


def test_a_passage_without_words_has_no_candidates() -> None:
    found, rows = candidates(parse("What?", ()), _passage("… !!", None))
    assert found == []
    assert rows.shape == (0, len(NAMES))


@pytest.mark.parametrize(
    "text", ["What boat does Ines sail?", "What did she eat at the harbour?", "Who adopted kittens?"]
)
def test_the_best_candidates_are_those_of_whole_rows(text: str) -> None:
    question, network = parse(text, ("Ines", "Tomas")), spans.packaged()
    passages = [_passage(said, moment, speaker) for speaker, moment, said in CHAT]
    passages.insert(1, _passage("… !!", None))
    found = best_candidates(question, passages, network)
    expected = [(rows, each) for rows, each in ((r, c) for c, r in (candidates(question, p) for p in passages)) if each]
    assert len(found) == len(expected) == len(CHAT)
    for (score, best), (rows, each) in zip(found, expected, strict=True):
        scores = network(rows)
        assert score == pytest.approx(float(scores.max()), abs=1e-5)
        assert best == each[int(np.argmax(scores))]


def test_no_passage_has_no_best_candidate() -> None:
    assert best_candidates(parse("What?", ()), [_passage("… !!", None)], spans.packaged()) == []


def test_one_moment_is_of_another_day_elsewhere() -> None:
    """Two times that are equal are not said on the same day: what was found for one must not answer for the other."""
    question, late = parse("When did it rain?", ()), datetime(2023, 5, 8, 23, 30, tzinfo=UTC)
    for moment, day in ((late, "7 May 2023"), (late.astimezone(timezone(timedelta(hours=2))), "8 May 2023")):
        found = when(question, Query(question, VECTOR, ASKED), [_passage("It rained yesterday.", moment)])
        assert found is not None
        assert found.text == day


def test_coverage_is_the_share_of_the_questions_weight() -> None:
    question = "What boat did Ines sail?"
    transcript = FakeTranscript(question, [("Tomas", None, "A boat?"), ("Ines", None, "I sail it. A nice boat.")])
    asked = parse(question, tuple(transcript.speakers()))
    passages = gather(asked, Query(asked, VECTOR, ASKED), transcript.hits(), transcript)
    sail = next(p for p in passages if p.text == "I sail it.")
    # df(boat) = 2 of 2 turns, df(sail) = 1: log(1 + .5/2.5) = 0.1823 and log(1 + 1.5/1.5) = 0.6931
    assert sail.covered == pytest.approx(0.6931 / (0.6931 + 0.1823), abs=1e-3)
    assert sail.turn_covered == pytest.approx(1)
    assert sail.asked == pytest.approx(0.1823 / (0.6931 + 0.1823), abs=1e-3)
    assert sail.by_asked == 1


def test_the_network_and_the_judge_by_hand() -> None:
    one = np.ones(2, dtype=np.float32)
    net = Network(
        ["a", "b"], one * 0, one, np.array([[1.0, -1.0], [0.0, 2.0]]), np.array([0.0, 1.0]), np.array([1.0, 0.5]), 0.25
    )
    # hidden: [1·3, -3 + 2·2 + 1] = [3, 2]; output: 3 + 0.5·2 + 0.25
    assert net(np.array([[3.0, 2.0]], dtype=np.float32)) == pytest.approx([4.25])
    judge = Confidence(["a", "b"], one, one * 2, np.array([1.0, -1.0]), 0.5, 0.3)
    # ((3 - 1) / 2) - ((1 - 1) / 2) + 0.5 = 1.5
    assert judge({"b": 1.0, "a": 3.0}) == pytest.approx(1 / (1 + math.exp(-1.5)))


def test_what_the_reader_has_learned_survives_json() -> None:
    network = Network.of(json.loads(learned.written({}, spans.packaged().numbers())), NAMES)
    assert all(
        np.array_equal(getattr(network, field), getattr(spans.packaged(), field)) for field in ("mean", "hidden")
    )
    judge = Confidence.of(json.loads(learned.written({}, confidence.packaged().numbers())))
    assert judge.weights.tolist() == confidence.packaged().weights.tolist()
    assert judge.threshold == confidence.packaged().threshold


def test_context_keeps_the_best_that_fit_oldest_first() -> None:
    transcript = FakeTranscript("kittens accordion", CHAT)
    hits = transcript.hits()
    everything = build_context(hits, 1000)
    lines = everything.text.splitlines()
    assert "[2023-05-08 10:00] Ines: I saw Anna at the harbour yesterday, we ate grilled sardines." in lines[:2]
    assert lines[3] == "[2023-07-15 10:00] Tomas: On Friday I moved my workshop to Porto."
    assert len(lines) == len(everything.hits) == 4
    first = build_context(hits, token_estimate("[2023-05-08 10:00] Tomas: " + CHAT[1][2]))
    assert first.hits == (hits[0],)
    assert build_context(hits, 3).hits == ()


def test_a_context_never_costs_more_than_it_may() -> None:
    hits = FakeTranscript("kittens accordion", CHAT).hits()
    for budget in range(0, 120, 7):
        context = build_context(hits, budget)
        assert token_estimate(context.text) <= context.tokens <= budget


def test_context_takes_turns_with_and_without_dates_and_zones() -> None:
    said = (("a", datetime(2023, 1, 1, tzinfo=UTC), "one"), ("b", None, "two\nlines"), ("", at(2022, 1, 1), "three"))
    context = build_context(FakeTranscript("", said).hits(), 100)
    assert context.text.splitlines() == ["b: two lines", "[2022-01-01 10:00] three", "[2023-01-01 00:00] a: one"]


def test_evidence_resolves_dates_and_puts_citations_first() -> None:
    hits = FakeTranscript("accordion", CHAT).hits()
    lines = evidence(hits, (TurnId("t2"),))
    assert [line.turn for line in lines] == ["t2", "t1", "t0", "t3"]
    assert lines[0].dates == (("last week", "12–18 June 2023"),)
    assert lines[1].dates == (("for three years", "since 2020"),)
    assert (lines[0].speaker, lines[0].at) == ("Ines", at(2023, 6, 20))


def test_english_names_the_classes_of_words_that_the_network_was_trained_with() -> None:
    from memcli.languages.english import answers
    from memcli.reading import spans

    assert set(answers.WORD_CLASSES) == set(spans._CLASS_NAMES)
