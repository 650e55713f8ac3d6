"""Makes `memcli/providers/multilingual_means.npy`: the mean vector of questions, and that of passages.

    python benchmarks/multilingual_means.py DIR …

Each DIR holds chats/ and questions.jsonl, as benchmarks/languages.py reads them. Each language counts the same. Of
tests/languages, only the languages that were looked at are taken.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from languages import OWN, SEEN

from memcli import Memory
from memcli.languages import recognition
from memcli.providers.multilingual import Multilingual

#: Texts of a language at most.
MOST = 400


def questions(folder: Path) -> Iterator[tuple[str, str]]:
    """The language and the words of each question."""
    for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if row.get("chat", "") in SEEN or "chat" not in row:
            yield recognition.recognized(row["question"]), row["question"]


def passages(folder: Path) -> Iterator[tuple[str, str]]:
    """The language and the words of each turn."""
    with tempfile.TemporaryDirectory() as place:
        memory = Memory(Path(place) / "chats.memcli", embedder="fake")
        own = [folder / "chats" / f"{code}.jsonl" for code in SEEN]
        memory.ingest(own if folder == OWN else [folder / "chats"])
        with memory.store.reading() as db:
            rows = db.execute(
                "select coalesce(s.language, 'en'), t.text from turn t left join spoken s on s.turn = t.seq"
            ).fetchall()
    yield from rows


def balanced(found: Sequence[tuple[str, str]]) -> Mapping[str, list[str]]:
    """Distinct texts by language, those languages that have enough of them."""
    texts: dict[str, list[str]] = defaultdict(list)
    for code, text in dict.fromkeys(found):
        texts[code].append(text)
    return {code: each[:MOST] for code, each in texts.items() if len(each) >= 5}


def mean(model: Multilingual, found: Mapping[str, list[str]], *, asked: bool) -> npt.NDArray[np.float32]:
    """The mean of the languages' means."""
    means = [model.raw(texts, asked=asked).mean(axis=0) for texts in found.values()]
    balance: npt.NDArray[np.float32] = np.mean(means, axis=0, dtype=np.float32)
    return balance


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    folders = [OWN if folder.resolve() == OWN.resolve() else folder for folder in parser.parse_args().folders]
    target = Path(__file__).parent.parent / "memcli" / "providers" / "multilingual_means.npy"
    if not target.exists():
        np.save(target, np.zeros((2, Multilingual.dimension), dtype=np.float32))
    model = Multilingual()
    asked = balanced([each for folder in folders for each in questions(folder)])
    said = balanced([each for folder in folders for each in passages(folder)])
    print({code: len(texts) for code, texts in asked.items()}, {code: len(texts) for code, texts in said.items()})
    np.save(target, np.stack([mean(model, asked, asked=True), mean(model, said, asked=False)]))


if __name__ == "__main__":
    main()
