"""What `memcli eval` costs, as ratios to embedding the data's sentences: `python benchmarks/evaluation.py --data FILE`.

Every contender over every question, first with nothing cached, then again; and BM25 over sessions beside bm25s.
Writes benchmarks/results/evaluation.json.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bm25s
import numpy as np

from memcli.evaluation.datasets import haystacks
from memcli.evaluation.metrics import recall
from memcli.formats import turn_id
from memcli.providers.embedding import embedder
from memcli.text import STOPWORDS, sentences, stem

RESULTS = Path(__file__).parent / "results" / "evaluation.json"
CUTS = (3, 5, 10)
#: The contenders that need nothing but what was said.
SAID = "none,random,recency,bm25-session,bm25,dense-session,dense-round,dense-sentence,dense,fused"
EVAL = (sys.executable, "-m", "memcli", "eval", "locomo", "--json")


def embedding_seconds(data: Path) -> tuple[int, float]:
    """How many distinct sentences there are, and how long the bare embedder takes for them."""
    texts = list({s for h in haystacks(data) for m in h.messages for s in sentences(m.text)})
    model = embedder(bulk=True)
    start = time.perf_counter()
    model.embed_passages(texts)
    return len(texts), time.perf_counter() - start


def command_seconds(data: Path, cache: Path, strategies: str) -> tuple[float, dict[str, Any]]:
    """One `memcli eval` as a process of its own."""
    command = [*EVAL, "--data", str(data), "--strategy", strategies]
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, check=True, env=os.environ | {"MEMCLI_CACHE": str(cache)})
    return time.perf_counter() - start, json.loads(done.stdout)


def bm25s_recall(data: Path, stopwords: Sequence[str] | str) -> dict[str, float]:
    """Session recall of bm25s with its own tokenizer, Snowball stems and these stop words."""

    def tokens(texts: list[str]) -> Any:
        return bm25s.tokenize(
            texts, stopwords=stopwords, stemmer=lambda words: [stem(w) for w in words], show_progress=False,
            return_ids=False,
        )  # fmt: skip

    found: list[list[float]] = []
    for haystack in haystacks(data):
        texts: dict[str | None, str] = {}
        for message in haystack.messages:
            texts[message.session] = f"{texts.get(message.session, '')}\n{message.text}"
        index = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
        index.index(tokens(list(texts.values())), show_progress=False)
        session = {turn_id(message): message.session for message in haystack.messages}
        for question in (q for q in haystack.questions if q.evidence):
            ranked, _ = index.retrieve(
                tokens([question.text]), corpus=list(texts), k=min(10, len(texts)), show_progress=False
            )
            gold = {session[turn] for turn in question.evidence}
            found.append([recall(ranked[0].tolist(), gold, k) for k in CUTS])
    return {f"recall@{k}": round(float(v), 4) for k, v in zip(CUTS, np.mean(found, axis=0), strict=True)}


def main() -> None:
    """Prints and writes the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a file in LoCoMo's schema")
    data = parser.parse_args().data
    count, embedding = embedding_seconds(data)
    with tempfile.TemporaryDirectory() as folder:
        first, _ = command_seconds(data, Path(folder), SAID)
    with tempfile.TemporaryDirectory() as folder:
        everything, document = command_seconds(data, Path(folder), "all")
        again, _ = command_seconds(data, Path(folder), "all")
    ours = document["strategies"]["bm25-session"]["session"]
    measured = {
        "questions": document["n"],
        "contenders": len(document["strategies"]),
        "sentences": count,
        "first_run_over_embedding": round(first / embedding, 2),
        "with_generated_memory_over_embedding": round(everything / embedding, 2),
        "second_run_over_first": round(again / everything, 3),
        "second_run_seconds_under_60": again < 60,
        "bm25_session": {f"recall@{k}": round(ours[f"recall@{k}"], 4) for k in CUTS},
        "bm25s_same_stopwords": bm25s_recall(data, list(STOPWORDS)),
        "bm25s_own_stopwords": bm25s_recall(data, "en"),
    }
    RESULTS.write_text(json.dumps(measured, indent=2) + "\n")
    print(json.dumps(measured, indent=2))


if __name__ == "__main__":
    main()
