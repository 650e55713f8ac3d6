"""Teaches the reader what its answers are worth, and measures it.

    python benchmarks/reading.py --data locomo.json ordinary/ --networks HALF0.onnx HALF1.onnx [--write]

The data are what `kinds.stores` knows, or folders of chats with questions (`reader_data.py`). The k-th network was
trained without the k-th half of them (`train_reader.py --half k`), and reads that half alone: what is learned here, how
likely a window answers and what an answer is worth, is learned from answers to unseen questions in the network's
language, and measured by cross-validation over groups of these. `--apart` names data sets that no network was trained
on: all of them is read, by the first. `--beside NETWORK DATASET` has a data set that the network which ships was
trained on read by another, trained without it, its logits stretched to those of the first: what ships is the mean of
several, each of which has seen a part of these data sets alone. `--left-out NETWORK DATASET` reads all of a data set
with a network that never saw it, and judges it by what the others teach. `--write` stores what was learned in the
package.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import unseen
from kinds import QUESTIONS, folder, stores
from unseen import Unseen

from memcli.evaluation.answers import token_f1
from memcli.evaluation.questions import GoldQuestion, Haystack
from memcli.languages import DEFAULT as DEFAULT_LANGUAGE
from memcli.languages import spoken
from memcli.memory import Memory
from memcli.model import Caution, Filters, Form, Query, Seeks
from memcli.providers.embedding import DEFAULT as EMBEDDER
from memcli.providers.embedding import Embedder, embedder_id
from memcli.ranking import learned
from memcli.reading import confidence, relevance
from memcli.reading.advice import Known
from memcli.reading.advising import known_of
from memcli.reading.confidence import Confidence, signals
from memcli.reading.extractive import found_in
from memcli.reading.judge import Judge
from memcli.reading.look import Look
from memcli.reading.network import Finding, Network, in_bulk
from memcli.reading.passages import Passage
from memcli.reading.quoting import quoted
from memcli.reading.relevance import Found
from memcli.reading.shortlist import to_read
from memcli.reading.stored import StoredTranscript
from memcli.reading.unread import is_readable
from memcli.strategies import DEFAULT, strategy
from memcli.text.times import describe

Floats = npt.NDArray[np.float64]
PACKAGE = Path(__file__).parent.parent / "memcli" / "reading"
RESULTS = Path(__file__).parent / "results" / "reading.json"
ASKED_AT = datetime(2026, 11, 22, tzinfo=UTC)
#: When questions are asked of which nobody knows it: after all that was said.
LATER = datetime(2024, 6, 1, tzinfo=UTC)
DEPTH = 20
FOLDS = 10
#: Every how-manieth question is asked of another haystack as well.
ELSEWHERE = 3
#: An answer of a known one's words is right if it shares as much with it, as token F1.
RIGHT = 0.5


@dataclass(frozen=True)
class Case:
    """A question with the passages that are read for it, and `further` ones that are where none of these answers.
    `gold`: the turns that answer; none where silence does.

    `group`: what it is held out with, a conversation; of a chat of many the question alone. `fold`: groups left out at
    once. `known`: what advice has to respect.
    """

    dataset: str
    group: str
    fold: int
    query: Query
    answer: str
    pattern: str
    wrong: str
    category: str
    gold: frozenset[str]
    passages: Sequence[Passage]
    known: Sequence[Known] = ()
    further: Sequence[Passage] = ()

    @property
    def half(self) -> int:
        """Which half of the data it is of."""
        return half_of(self.dataset, self.group)

    @property
    def is_answerable(self) -> bool:
        return bool(self.answer or self.pattern)

    @cached_property
    def answers(self) -> Sequence[str]:
        """The known answer; where a time is asked for, also the days that it means, said when it was said."""
        if self.query.question.seeks is not Seeks.WHEN:
            return [self.answer]
        said = [passage.at for passage in self.passages if str(passage.turn) in self.gold]
        found = [each for at in said for each in spoken([self.answer]).times(self.answer, at)]
        return [self.answer, *map(describe, found)]

    def is_right(self, text: str) -> bool:
        """Whether these words are a right answer, whatever held before it."""
        said = text.split("(before", maxsplit=1)[0]
        if not self.pattern:
            return any(token_f1(said, answer) >= RIGHT for answer in self.answers)
        stale = self.wrong and re.search(self.wrong, said, re.I)
        return bool(re.search(self.pattern, text, re.I | re.S)) and not stale

    def is_right_quote(self, look: Look, text: str) -> bool:
        """Whether the sentence that is quoted answers."""
        if self.pattern:
            return self.is_right(text)
        return bool(self.gold) and (look.cited or look.found)[0].passage.turn in self.gold


def half_of(dataset: str, group: str) -> int:
    """Which half of the data a conversation is of; a network is trained without one of them."""
    return zlib.crc32(f"{dataset} {group}".encode()) % 2


def cases(path: Path, cache: Path, opened: ExitStack, fair: Unseen) -> Iterator[Case]:
    """The questions of a file or a folder, retrieved through memcli's public interface."""
    if is_asked_beside(path):
        memory = stored(cache / f"{path.name}.memcli", folder(path / "questions.jsonl"), fair.of(path)(""), opened)
        for beside in filter(Path.exists, (path / name for name in QUESTIONS)):
            for line in beside.read_text(encoding="utf-8").splitlines():
                yield _own(path.name, json.loads(line), memory)
    else:
        name, held = path.name.split(".")[0], filled(path, cache, opened, fair)
        for haystack, memory in held:
            yield from known(name, haystack, memory)
        yield from elsewhere(name, held)


def is_asked_beside(path: Path) -> bool:
    """Whether it is a folder of chats whose questions stand beside them."""
    return (path / "questions.jsonl").exists()


def filled(path: Path, cache: Path, opened: ExitStack, fair: Unseen) -> list[tuple[Haystack, Memory]]:
    """The haystacks of a file, each with a store of its own."""
    model_of, held = fair.of(path), []
    for index, haystack in enumerate(stores(path)):
        store = cache / f"{path.name}-{index}-{haystack.name}.memcli"
        held.append((haystack, stored(store, haystack, model_of(haystack.name), opened)))
        print(haystack.name, file=sys.stderr)
    return held


def known(dataset: str, haystack: Haystack, memory: Memory, *, english: bool = True) -> list[Case]:
    """A case for each question of a haystack. `english`: of the windows that are read as English alone."""
    return [_known(dataset, haystack.name, question, memory, english=english) for question in haystack.questions]


def elsewhere(dataset: str, held: Sequence[tuple[Haystack, Memory]]) -> Iterator[Case]:
    """Some questions of each haystack, asked of the next one where the same people speak: silence is right."""
    for (haystack, _), (other, memory) in zip(held, [*held[1:], *held[:1]], strict=True):
        absent = _names(haystack) - _names(other)
        for question in haystack.questions[::ELSEWHERE]:
            if haystack is not other and not absent & set(re.findall(r"\w+", question.text)):
                without = replace(question, answerable=False, category="elsewhere", past_only=False)
                yield _known(dataset, haystack.name, without, memory)


def _names(haystack: Haystack) -> set[str]:
    """Of the people who speak, word by word; an assistant and its user have none."""
    return {word for message in haystack.messages for word in re.findall(r"[A-Z]\w+", message.speaker or "")}


def _known(dataset: str, group: str, question: GoldQuestion, memory: Memory, *, english: bool = True) -> Case:
    at = question.asked_at or LATER
    answer = str(question.answer) if question.answerable else ""
    gold = frozenset(str(turn) for turn in question.evidence) if answer else frozenset()
    query, passages, further, known = _read(
        memory, question.text, at, Filters(until=at if question.past_only else None), english=english
    )
    return Case(dataset, group, zlib.crc32(group.encode()) % FOLDS, query, answer, "", "",
                str(question.category), gold, passages, known, further)  # fmt: skip


def stored(store: Path, haystack: Haystack, model: Embedder, opened: ExitStack) -> Memory:
    """The store of a haystack, filled where it is not there yet, and held open."""
    memory = Memory(store, embedder=model)
    if not memory.store.exists:
        memory.add(haystack.messages)
    opened.enter_context(memory.store.reading())
    return memory


def _own(dataset: str, row: dict[str, Any], memory: Memory) -> Case:
    arguments = row["args"]
    at = datetime.fromisoformat(arguments[arguments.index("--at") + 1]) if "--at" in arguments else ASKED_AT
    query, passages, further, known = _read(memory, row["question"], at.replace(tzinfo=UTC), Filters())
    gold = {str(p.turn) for p in (*passages, *further) if row["evidence"] and re.search(row["evidence"], p.turn_text)}
    group = row["question"]
    kind = row["kind"] if row["lang"] == "en" else f"language {row['lang']}"
    return Case(dataset, group, zlib.crc32(group.encode()) // 2 % FOLDS, query, "", row["answer"],
                row.get("wrong", ""), kind, frozenset(gold), passages, known, further)  # fmt: skip


def _read(
    memory: Memory, question: str, at: datetime, filters: Filters, *, english: bool = True
) -> tuple[Query, list[Passage], list[Passage], list[Known]]:
    chosen = strategy(DEFAULT)
    query, view = memory.query(question, filters, at, chosen)
    hits = chosen.retrieve(query, view, DEPTH)
    transcript = StoredTranscript(view)
    read, more = to_read(query.question, query, hits, transcript)
    # What the network for English cannot read, the one for other languages learns from.
    passages, further = ([p for p in part if not english or is_readable(query.question, p)] for part in (read, more))
    return query, passages, further, known_of(query, transcript)


@dataclass(frozen=True)
class ReadCase:
    """A case with what the network found in its passages."""

    case: Case
    findings: Sequence[Finding]

    def looked(self, judge: Judge) -> Look | None:
        """What the reader makes of it, not yet doubted."""
        rows = relevance.signals(self.case.passages, self.findings)
        found = [Found(p, f, judge(row)) for p, f, row in zip(self.case.passages, self.findings, rows, strict=True)]
        ordered = sorted(found, key=lambda each: -each.trust)
        return found_in(self.case.query.question, ordered, self.case.known) if found else None


def read(case: Case, network: Network) -> ReadCase:
    """The case as the network reads it: with all the passages that it had to read."""
    passages, findings = relevance.read_on(case.query.question, case.passages, case.further, network)
    return ReadCase(replace(case, passages=passages, further=()), findings)


def stretched(reads: Sequence[ReadCase], like: Sequence[ReadCase]) -> list[ReadCase]:
    """These with the logits' mean and spread that another network has of the same windows: judges are of its logits."""
    own, others = (np.array([f.answers for each in those for f in each.findings]) for those in (reads, like))
    factor = float(others.std() / own.std())
    shift = float(others.mean()) - factor * float(own.mean())
    return [
        replace(each, findings=[replace(f, answers=factor * f.answers + shift) for f in each.findings])
        for each in reads
    ]


def fitted(
    rows: Sequence[dict[str, float]], names: Sequence[str], right: Sequence[bool], weight: Sequence[float]
) -> Judge:
    """The regression that foretells `right`."""
    from sklearn.linear_model import LogisticRegression

    table = np.array([learned.in_order(row, names) for row in rows], np.float32)
    mean, scale = table.mean(0), table.std(0) + 1e-3
    model = LogisticRegression(C=0.1, max_iter=2000).fit((table - mean) / scale, np.array(right), sample_weight=weight)
    return Judge(names, mean, scale, model.coef_[0], float(model.intercept_[0]))


def weights(asked: Sequence[Case]) -> dict[str, float]:
    """How much a question of each data set counts: every set, a kind of chat of its own, as much as any other."""
    names = [each.dataset for each in asked]
    return {name: len(names) / names.count(name) / len(set(names)) for name in set(names)}


def train_relevance(reads: Sequence[ReadCase]) -> Judge:
    """Which windows answer."""
    share = weights([each.case for each in reads])
    rows, right, weight = [], [], []
    for each in reads:
        case = each.case
        if not case.is_answerable or case.gold:
            rows += relevance.signals(case.passages, each.findings)
            right += [str(p.turn) in case.gold for p in case.passages]
            weight += [share[case.dataset]] * len(case.passages)
    return fitted(rows, relevance.NAMES, right, weight)


def train_confidence(looks: Sequence[tuple[ReadCase, Look]], sure: Sureness) -> Confidence:
    """What values and quotes are worth."""
    share = weights([each.case for each, _ in looks])
    of_value = [(each, look) for each, look in looks if look.text]
    value = fitted(
        [signals(look) for _, look in of_value], confidence.NAMES,
        [each.case.is_answerable and each.case.is_right(look.text) for each, look in of_value],
        [share[each.case.dataset] for each, _ in of_value],
    )  # fmt: skip
    quote = fitted(
        [signals(look) for _, look in looks], confidence.NAMES,
        [each.case.is_answerable and each.case.is_right_quote(look, quoted(look)) for each, look in looks],
        [share[each.case.dataset] for each, _ in looks],
    )  # fmt: skip
    return Confidence(value, quote, sure.preferred, dict(zip(Caution, sure.thresholds, strict=True)))


@dataclass(frozen=True)
class Sureness:
    """From which probability on a value is preferred to its sentence, and an answer given: careful, usual, bold."""

    preferred: float
    thresholds: Sequence[float]


@dataclass(frozen=True)
class Outcome:
    """What was said to a case: `text` is empty for silence."""

    case: Case
    form: Form
    text: str
    trust: float
    right: bool
    f1: float


def outcome(each: ReadCase, look: Look | None, doubt: Confidence) -> Outcome:
    """The answer, judged."""
    case = each.case
    if look is None:
        return Outcome(case, Form.NONE, "", 0.0, False, 0.0)
    doubted, quote = doubt(look), quoted(look)
    text = look.text if doubted.form is Form.VALUE else quote
    right = case.is_answerable and (
        case.is_right(text) if doubted.form is Form.VALUE else case.is_right_quote(look, quote)
    )
    form = doubted.form if doubted.trust >= doubt.thresholds[Caution.USUAL] else Form.NONE
    return Outcome(case, form, text, doubted.trust, right, token_f1(text, case.answer) if case.answer else 0.0)


#: What the reader makes of each case before it is doubted.
Looked = Sequence[tuple[ReadCase, Look | None]]


def looked_at(reads: Sequence[ReadCase]) -> Looked:
    """What the reader makes of every case, its windows judged by what the other folds teach."""
    found: list[tuple[ReadCase, Look | None]] = []
    for fold in sorted({each.case.fold for each in reads}):
        judge = train_relevance([each for each in reads if each.case.fold != fold])
        found += [(each, each.looked(judge)) for each in reads if each.case.fold == fold]
    return found


def doubting(looked: Looked, sure: Sureness) -> Confidence:
    """What these looks teach: a doubt of answers by judges that had not seen them (stacking, Wolpert 1992)."""
    return train_confidence([(each, look) for each, look in looked if look], sure)


def crossed(looked: Looked, sure: Sureness) -> list[Outcome]:
    """Every case judged by what the other folds teach."""
    done: list[Outcome] = []
    for fold in sorted({each.case.fold for each, _ in looked}):
        doubt = doubting([pair for pair in looked if pair[0].case.fold != fold], sure)
        done += [outcome(*pair, doubt) for pair in looked if pair[0].case.fold == fold]
    return done


def judged(taught: Looked, asked: Sequence[ReadCase], sure: Sureness) -> list[Outcome]:
    """The cases `asked`, judged by what `taught` teaches."""
    judge, doubt = train_relevance([each for each, _ in taught]), doubting(taught, sure)
    return [outcome(each, each.looked(judge), doubt) for each in asked]


def figures(done: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    """For each data set and each category: right, wrong, silent and F1, as shares of what can be answered or not."""
    found = {}
    groups = {name: [o for o in done if o.case.dataset == name] for name in sorted({o.case.dataset for o in done})}
    for name, ours in list(groups.items()):
        for category in sorted({o.case.category for o in ours}):
            groups[f"{name}: {category}"] = [o for o in ours if o.case.category == category]
    for name, ours in groups.items():
        can = [o for o in ours if o.case.is_answerable]
        cannot = [o for o in ours if not o.case.is_answerable]
        spoken = [o for o in ours if o.form is not Form.NONE]
        found[name] = {
            "questions": len(ours),
            "right": _mean([o.right and o.form is not Form.NONE for o in can]),
            "wrong": _mean([not o.right and o.form is not Form.NONE for o in can]),
            "silent": _mean([o.form is Form.NONE for o in can]),
            "silent_where_it_must_be": _mean([o.form is Form.NONE for o in cannot]),
            "right_when_it_speaks": _mean([o.right for o in spoken]),
            "values": _mean([o.form is Form.VALUE for o in spoken]),
            "f1": _mean([o.f1 if o.form is not Form.NONE else 0.0 for o in can]),
            "calibration_error": calibration_error(ours),
        }
    return found


def reliability(done: Sequence[Outcome], bins: int = 10) -> list[tuple[float, float, int]]:
    """For each tenth of confidence that has answers: the mean confidence, the share that is right, how many."""
    groups = [[o for o in done if min(int(o.trust * bins), bins - 1) == place] for place in range(bins)]
    return [(_mean([o.trust for o in group]), _mean([o.right for o in group]), len(group)) for group in groups if group]


def calibration_error(done: Sequence[Outcome]) -> float:
    """The expected calibration error: how far confidence is from the share that is right, over tenths of confidence."""
    return round(sum(n * abs(said - right) for said, right, n in reliability(done)) / max(len(done), 1), 4)


def _mean(values: Sequence[float | bool]) -> float:
    return round(float(np.mean(values)), 4) if values else 0.0


def main(given: Sequence[str] | None = None) -> None:
    """Prints the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", type=Path, required=True)
    parser.add_argument("--networks", nargs="+", type=Path, required=True, help="without the first half, second")
    parser.add_argument("--apart", nargs="*", default=[], metavar="DATASET", help="that no network was trained on")
    parser.add_argument("--beside", nargs=2, metavar=("NETWORK", "DATASET"), action="append", default=[])
    parser.add_argument("--left-out", nargs=2, metavar=("NETWORK", "DATASET"), action="append", default=[])
    parser.add_argument("--asked", nargs="*", type=Path, default=[], help="data that teach nothing, read by --network")
    parser.add_argument("--network", type=Path, help="the network that ships, for --asked")
    parser.add_argument("--cache", type=Path, help="a folder that keeps the stores for the next run")
    parser.add_argument("--preferred", type=float, default=0.6)
    parser.add_argument("--thresholds", nargs=3, type=float, default=[0.7, 0.53, 0.25], help="careful, usual, bold")
    parser.add_argument("--write", action="store_true", help="store what was learned, and the figures")
    unseen.add_options(parser)
    options = parser.parse_args(given)
    sure = Sureness(options.preferred, options.thresholds)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as opened, in_bulk():
        cache, fair = options.cache or Path(folder), unseen.chosen(options)
        known = [case for path in options.data for case in cases(path, cache, opened, fair)]
        networks = [Network(path) for path in options.networks]
        known = [case for case in known if case.query.question.language == DEFAULT_LANGUAGE]
        beside = {name: Network(Path(path)) for path, name in options.beside}
        halves = [(c, 0 if c.dataset in options.apart else c.half) for c in known if c.dataset not in beside]
        reads = [read(case, networks[half]) for case, half in halves if half < len(networks)]
        for name, network in beside.items():
            seen = [case for case in known if case.dataset == name]
            reads += stretched([read(case, network) for case in seen], [read(case, networks[0]) for case in seen])
        looked = looked_at(reads)
        done = crossed(looked, sure)
        found: dict[str, object] = {"crossed": figures(done), "reliability": reliability(done)}
        for network, name in options.left_out:
            whole = Network(Path(network))
            apart = [read(case, whole) for case in known if case.dataset == name]
            rest = [each for each in reads if each.case.dataset != name]
            found[f"left out: {name}"] = figures(judged(looked_at(rest), apart, sure))
        for path in options.asked:
            apart = [read(case, Network(options.network)) for case in cases(path, cache, opened, fair)]
            found[f"never seen: {path.name}"] = figures(judged(looked, apart, sure))
        if options.write:
            _write(looked, options, sure)
            RESULTS.write_text(json.dumps(found, indent=2) + "\n")
    print(json.dumps(found, indent=2))


def _write(looked: Looked, options: argparse.Namespace, sure: Sureness) -> None:
    """What all cases teach, into the package."""
    by = f"python benchmarks/reading.py --data {' '.join(p.name for p in options.data)}{unseen.said(options)} --write"
    past = learned.made(by, options.data, embedder_id(EMBEDDER))
    judge, doubt = train_relevance([each for each, _ in looked]), doubting(looked, sure)
    (PACKAGE / "relevance_weights.json").write_text(learned.written(past, judge.numbers()))
    (PACKAGE / "confidence_weights.json").write_text(learned.written(past, doubt.numbers()))


if __name__ == "__main__":
    main()
