"""memcli's own encoder: the weights that ship against those that they were made of."""

from __future__ import annotations

import importlib
import json
import os
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memcli.errors import ModelUnavailable
from memcli.formats import turn_id
from memcli.providers import encoder, onnx, profiles
from memcli.providers.embedding import DEFAULT, SUCCESSORS, embedder, embedder_id, name_of
from memcli.providers.encoder import Encoder
from memcli.providers.minilm import MiniLM
from memcli.providers.vectors import Vectors

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
REFERENCE = json.loads((Path(__file__).parent / "encoder_reference.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def model() -> Encoder:
    return Encoder()


def test_it_agrees_with_its_weights_in_float32(model: Encoder) -> None:
    """The reference was made once with torch (benchmarks/quantise_encoder.py)."""
    cosines = (model.embed_passages(REFERENCE["texts"]) * np.array(REFERENCE["vectors"])).sum(axis=1)
    assert cosines.min() > 0.95
    assert cosines.mean() > 0.98


@settings(max_examples=25, deadline=None)
@given(st.lists(st.text(max_size=60), max_size=8))
def test_a_vector_depends_on_its_text_alone(texts: list[str]) -> None:
    for embed in (_MODEL.embed_passages, _MODEL.embed_questions):
        assert np.array_equal(embed(texts), np.array([embed([text])[0] for text in texts]).reshape(-1, 384))


_MODEL = Encoder()


def test_many_texts_by_many_threads_have_the_vectors_that_each_has_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2})
    texts = [f"I planted {n} trees in the {n % 7}th garden." for n in range(300)]
    assert np.array_equal(
        Encoder(bulk=True).embed_passages(texts), Encoder(bulk=True).embed_passages(texts[::-1])[::-1]
    )


def test_optimising_the_graph_changes_hardly_anything(model: Encoder) -> None:
    bulk = Encoder(bulk=True).embed_passages(REFERENCE["texts"])
    assert float((bulk * model.embed_passages(REFERENCE["texts"])).sum(axis=1).min()) > 0.995


def test_a_network_that_is_asked_often_is_prepared_for_it_and_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = REFERENCE["texts"][:4]
    once, made = Encoder().embed_questions(texts), Mock(wraps=onnx._made)
    monkeypatch.setattr(onnx, "_made", made)
    monkeypatch.setattr(onnx, "_OFTEN", 2)
    often = Encoder()
    assert [np.array_equal(often.embed_questions(texts), once) for _ in range(2)] == [True, True]
    assert [call.args[1] for call in made.call_args_list] == [onnx._ONCE, onnx._AGAIN]


def test_odd_texts(model: Encoder) -> None:
    rows = model.embed_passages(["", " ", "\x00", "a" * 100_000, "😀" * 3000])
    assert rows.shape == (5, 384)
    assert np.linalg.norm(rows, axis=1).tolist() == pytest.approx([1.0] * 5, abs=1e-5)
    assert model.embed_passages([]).shape == (0, 384)


def test_damaged_weights_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder, "_SHA256", "0" * 64)
    monkeypatch.setattr(encoder, "_SIZE", 1)
    with pytest.raises(ModelUnavailable, match=r"encoder\.onnx are damaged"):
        Encoder().embed_passages(["Bristol"])
    with pytest.raises(ModelUnavailable, match=r"questions\.onnx are damaged"):
        Encoder().embed_questions(["where?"])


def test_questions_find_more_by_the_network_that_was_trained_for_them(
    model: Encoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of chats that neither network has seen: the evidence of each second question, asked in other words, mostly."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    chats = importlib.import_module("chats").haystack(BENCHMARKS / "judge_memories" / "memories18.txt")
    turns = [turn_id(message) for message in chats.messages]
    vectors = model.embed_passages([message.text for message in chats.messages])
    asked = [question for question in chats.questions if question.evidence][1::2]

    def found(rows: Vectors) -> int:
        nearest = np.argsort(-(rows @ vectors.T), axis=1)[:, :5]
        return sum(
            bool(question.evidence & {turns[i] for i in row}) for question, row in zip(asked, nearest, strict=True)
        )

    texts = [question.text for question in asked]
    assert found(model.embed_questions(texts)) > found(model.embed_passages(texts)) + len(asked) / 50


def test_a_statement_of_taste_lies_where_it_would_if_it_were_said(model: Encoder) -> None:
    """Strategies embed such statements as questions, to look for what is like them."""
    tastes = [f"I don't like, I avoid, I prefer: {what}" for what in ("hotels in Rome", "a film for tonight", "cheese")]
    assert ((model.embed_questions(tastes) * model.embed_passages(tastes)).sum(1) > 0.9).all()


def test_both_of_memclis_own_are_known_by_name_and_by_id() -> None:
    assert embedder_id(DEFAULT) == Encoder.id
    assert name_of(Encoder()) == DEFAULT
    assert embedder_id("minilm") == MiniLM.id
    assert name_of(embedder("minilm")) == "minilm"
    assert set(profiles.OWN) == {Encoder.id, MiniLM.id, *SUCCESSORS}
    assert set(SUCCESSORS.values()) == {Encoder.id}


def test_a_question_in_other_words_is_nearer_than_with_the_original(model: Encoder) -> None:
    """What it was trained for, on sentences that it was not trained on."""
    question, answer = "Which town does Nora live in these days?", "Moved into the new flat in Bristol at last!"
    besides = ["Nora, which one do you like?", "What a town!", "These days I am so tired."]

    def margin(one: Encoder | MiniLM) -> float:
        cosines = one.embed_passages([answer, *besides]) @ one.embed_questions([question])[0]
        return float(cosines[0] - cosines[1:].mean())

    assert margin(model) > margin(MiniLM())
