"""Learns what sentences of other languages assert: makes `memcli/indexing/ontology/relations.json`.

    pip install 'memcli[multilingual]' scikit-learn
    python benchmarks/train_relations.py [--write]

It learns from `relation_messages/CODE.txt`, messages that were written to tell one thing of who says them, or only to
seem to (`relation | message`, or `none`), and from `relation_marks/FOLDER/CODE.txt`, in which a reader marked what
the messages of a chat assert of their own speakers (`line | speaker | relation | words`, `not` before a relation that
is denied): of `reader_languages` and `judge_languages`. A regression is learned for each of the relations of
`memcli.indexing.ontology.relating`, under which those are counted that are like it. Its probabilities are then made
those of chats: by one line through the logits of each half of the marked files, as the other half and the messages
know them, and those of the five chats of `tests/languages` whose languages were looked at, both counting alike. What is
told of all ten is printed: the languages of the other five are in nothing that was learned from.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from languages import SEEN
from sklearn.linear_model import LogisticRegression

from memcli.indexing.ontology.relating import RELATIONS, Classifier
from memcli.model.relations import RelationType
from memcli.providers.embedding import embedder, embedder_id
from memcli.ranking import learned
from memcli.text import sentences

Floats = npt.NDArray[np.float64]
#: Gives the vectors [n, d] of sentences.
Embed = Callable[[Sequence[str]], Floats]
HERE = Path(__file__).resolve().parent
MESSAGES, MARKS = HERE / "relation_messages", HERE / "relation_marks"
LEARNED = ("reader_languages", "judge_languages")
TEN = HERE.parent / "tests" / "languages" / "chats"
WEIGHTS = HERE.parent / "memcli" / "indexing" / "ontology" / "relations.json"
_R = RelationType
#: What counts under another relation.
LIKE = {
    _R.WORKS_AT: _R.WORKS_AS, _R.ALLERGY: _R.HEALTH, _R.AVOIDS: _R.DIET, _R.PREFERS: _R.LIKES, _R.FEARS: _R.DISLIKES,
    _R.INTERESTED_IN: _R.LIKES, _R.GOAL: _R.PLANS,
}  # fmt: skip
#: How far weights are held back, and what a written message counts for the relations that it was not written for.
C, BESIDE = 0.2, 0.5
#: Vectors have a length of one: numbers of a size to be learned from.
SCALE = 5.0
#: From this chance on a sentence's likeliest relation is kept, as by memcli; others that are told of.
KEPT = 0.4
EMBEDDER = "multilingual"
COMMAND = "python benchmarks/train_relations.py --write"
LEVELS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)


@dataclass(frozen=True)
class Told:
    """Sentences, each of a file, with which of `RELATIONS` it asserts, and how much it counts [n, relations]."""

    files: Sequence[str]
    texts: Sequence[str]
    right: Floats
    weights: Floats

    def of(self, kept: npt.NDArray[np.bool_]) -> Told:
        """Some of them."""
        places = np.flatnonzero(kept).tolist()
        files, texts = ([of[place] for place in places] for of in (self.files, self.texts))
        return Told(files, texts, self.right[kept], self.weights[kept])


def main() -> None:
    """Learns, prints what it is worth, and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="make the weights that ship")
    parser.add_argument("--cache", type=Path, help="a file that keeps the vectors")
    options = parser.parse_args()
    vectors = embedded(options.cache)
    written, marked, apart = messages(), marks(LEARNED), marks(("languages",))
    crossed = np.zeros(marked.right.shape)
    halves = np.array([sum(name.encode()) % 2 for name in marked.files], bool)
    for half in (halves, ~halves):
        crossed[half] = logits(vectors(marked.texts)[half], *learn(vectors, written, marked.of(~half)))
    bias, weights = learn(vectors, written, marked)
    seen = np.array([name.partition("/")[2] in SEEN for name in apart.files])
    own = logits(vectors(apart.texts)[seen], bias, weights)
    slope, shift = line([(crossed, marked.right), (own, apart.right[seen])])
    classifier = Classifier(slope * bias + shift, slope * weights)
    report("marked chats, crossed", 1 / (1 + np.exp(-(slope * crossed + shift))), marked)
    found = classifier(vectors(apart.texts))
    for name, kept in (("ten chats", seen | True), ("languages looked at", seen), ("languages kept aside", ~seen)):
        report(name, found[kept], apart.of(kept))
    if options.write:
        write(classifier)


# -- what is learned from --------------------------------------------------------------------------------------------


def messages() -> Told:
    """The messages that were written for it, whole."""
    lines = [(path.stem, *each.partition(" | ")[::2]) for path in sorted(MESSAGES.glob("*.txt"))
             for each in path.read_text(encoding="utf-8").splitlines()]  # fmt: skip
    right = np.array([[float(relation == each) for each in RELATIONS] for _, relation, _ in lines])
    weights = np.where((right > 0) | (right.sum(1, keepdims=True) == 0), 1.0, BESIDE)
    return Told([name for name, _, _ in lines], [text for _, _, text in lines], right, weights)


def marks(folders: Sequence[str]) -> Told:
    """The sentences of the marked chats."""
    rows = [row for folder in folders for path in sorted((MARKS / folder).glob("*.txt")) for row in _sentences(path)]
    right = np.array([[float(each in told) for each in RELATIONS] for _, _, told in rows])
    return Told([name for name, _, _ in rows], [text for _, text, _ in rows], right, np.ones(right.shape))


def _sentences(path: Path) -> Iterator[tuple[str, str, set[RelationType]]]:
    """The file, each sentence of its chat, and what that asserts. Raises ValueError where a mark is not of its line."""
    marked = defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        place, who, relation, words = (cell.strip() for cell in line.split(" | "))
        marked[int(place)].append((who, relation, words))
    for number, speaker, text in said(path):
        for who, _, words in marked[number]:
            if who != speaker or words not in text:
                raise ValueError(f"{path}: {speaker} does not say {words!r} in line {number}")
        for sentence in sentences(text):
            told = {_counted(relation) for _, relation, words in marked[number] if words in sentence}
            yield f"{path.parent.name}/{path.stem}", sentence, {each for each in told if each}


def said(path: Path) -> Iterator[tuple[int, str, str]]:
    """The number of the line, who says it and what, of the messages of the chat that a file marks."""
    if path.parent.name == "languages":
        for number, line in enumerate((TEN / f"{path.stem}.jsonl").read_text(encoding="utf-8").splitlines(), start=1):
            message = json.loads(line)
            yield number, message["speaker"], message["text"]
        return
    for number, line in enumerate((HERE / path.parent.name / path.name).read_text(encoding="utf-8").splitlines(), 1):
        speaker, colon, text = line.partition(": ")
        if colon and line[0] not in "#@?!":
            yield number, speaker, text


def _counted(relation: str) -> RelationType | None:
    """The one of `RELATIONS` that a mark counts under; none for what is denied, or is told apart by nothing."""
    if relation.startswith("not "):
        return None
    found = LIKE.get(RelationType(relation), RelationType(relation))
    return found if found in RELATIONS else None


# -- learning --------------------------------------------------------------------------------------------------------


def learn(vectors: Embed, written: Told, marked: Told) -> tuple[Floats, Floats]:
    """The bias of each relation, and its weights, for vectors of length one."""
    rows = SCALE * np.concatenate([vectors(written.texts), vectors(marked.texts)])
    right = np.concatenate([written.right, marked.right])
    weights = np.concatenate([written.weights, marked.weights])
    models = [
        LogisticRegression(C=C, max_iter=500).fit(rows, right[:, n], sample_weight=weights[:, n])
        for n in range(len(RELATIONS))
    ]
    return np.array([each.intercept_[0] for each in models]), SCALE * np.array([each.coef_[0] for each in models])


def logits(rows: Floats, bias: Floats, weights: Floats) -> Floats:
    """What they make of vectors [n, d]: [n, relations]."""
    found: Floats = rows @ weights.T + bias
    return found


def line(sets: Sequence[tuple[Floats, Floats]]) -> tuple[float, float]:
    """Slope and shift that make logits those of how often they are right (Platt 1999), each set counting alike."""
    found = np.concatenate([logits.ravel() for logits, _ in sets])
    right = np.concatenate([each.ravel() for _, each in sets])
    weights = np.concatenate([np.full(each.size, 1 / each.size) for _, each in sets])
    model = LogisticRegression(C=1e6).fit(found.reshape(-1, 1), right, sample_weight=weights * len(right))
    return float(model.coef_[0, 0]), float(model.intercept_[0])


def report(name: str, found: Floats, told: Told) -> None:
    """How much of what is asserted is found, and how much of what is found is asserted, from several chances on."""
    best = found * (found == found.max(1, keepdims=True))
    print(f"{name}: {len(told.texts)} sentences, {int(told.right.sum())} assertions")
    for least in LEVELS:
        taken = best >= least
        hits = (taken & (told.right > 0)).sum()
        print(f"  from {least}: {hits} of {taken.sum()} right, {hits / told.right.sum():.2f} found")
    for n, relation in enumerate(RELATIONS):
        taken, there = best[:, n] >= KEPT, told.right[:, n] > 0
        print(f"    {relation}: {(taken & there).sum()} of {taken.sum()} right, {there.sum()} there")


def embedded(cache: Path | None) -> Embed:
    """Embeds sentences as a store does, each once; `cache` keeps them for the next run."""
    kept: dict[str, npt.NDArray[np.float32]] = {}
    if cache and cache.exists():
        with np.load(cache) as file:
            kept = dict(zip(file["texts"].tolist(), file["vectors"], strict=True))
    model = embedder(EMBEDDER)

    def embed(texts: Sequence[str]) -> Floats:
        new = [text for text in dict.fromkeys(texts) if text not in kept]
        if new:
            kept.update(zip(new, model.embed_passages(new), strict=True))
            if cache:
                np.savez(cache, texts=np.array(list(kept)), vectors=np.array(list(kept.values())))
        return np.array([kept[text] for text in texts], np.float64)

    return embed


def write(classifier: Classifier) -> None:
    """Makes the file that ships."""
    data = [MESSAGES, *(MARKS / folder for folder in LEARNED)]
    past = learned.made(COMMAND, data, embedder_id(EMBEDDER))
    weights = [learned.significant(row, 4) for row in classifier.weights]
    found = learned.inputs(RELATIONS, bias=learned.significant(classifier.bias), weights=weights)
    WEIGHTS.write_text(learned.written(past, {"relations": found}), encoding="utf-8")


if __name__ == "__main__":
    main()
