"""Teaches the reader when two statements are to be quoted, of which one answers, and measures it.

    python benchmarks/rivals.py --data locomo.json judge_chats/ ordinary/ --networks reader.onnx [--write]

The data, and the networks that read them, are as of `reading.py`; which windows answer, and what one answer is worth,
is judged as it ships. Measured by cross-validation over groups of the data. `--write` stores what was learned in the
package, and the figures.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import unseen
from reading import PACKAGE, Case, Outcome, ReadCase, cases, figures, fitted, outcome, read, weights

from memcli.evaluation.answers import token_f1
from memcli.languages import DEFAULT as DEFAULT_LANGUAGE
from memcli.model import Form
from memcli.providers.embedding import DEFAULT as EMBEDDER
from memcli.providers.embedding import embedder_id
from memcli.ranking import learned
from memcli.reading import confidence, relevance
from memcli.reading.confidence import Doubted
from memcli.reading.look import Look
from memcli.reading.network import Network, in_bulk
from memcli.reading.quoting import of_two
from memcli.reading.relevance import Found
from memcli.reading.rivals import NAMES, Either, rival, signals

#: What is plain, and the share, the lead and the least that say otherwise: see `Either`.
Rules = tuple[float, float, float, float]
RESULTS = Path(__file__).parent / "results" / "rivals.json"


@dataclass(frozen=True)
class Pair:
    """What the reader makes of a case, and the statement that it might quote beside it. `alone`: what is said without
    that; `first`, `second`: whether these sentences answer.
    """

    look: Look
    alone: Outcome
    other: Found
    first: bool
    second: bool

    @property
    def case(self) -> Case:
        return self.alone.case

    @property
    def signals(self) -> dict[str, float]:
        return signals(self.look, self.other, self.alone.trust)

    def told(self, either: Either) -> Outcome:
        """What is said with it."""
        before = Doubted(self.alone.form, self.alone.trust)
        found = either(self.look, before)
        if found is before:
            return self.alone
        text = "; ".join(each.text for each in of_two(self.look, self.other)[: 2 if found.rival else 1])
        right = self.first or (found.rival is not None and self.second)
        f1 = token_f1(text, self.case.answer) if self.case.answer else 0.0
        return Outcome(self.case, Form.QUOTE, text, found.trust, right, f1)


def paired(each: ReadCase) -> Pair | Outcome:
    """The case with its rival, or what is said where it has none."""
    look = each.looked(relevance.packaged())
    alone, other = outcome(each, look, confidence.packaged()), rival(look) if look else None
    if look is None or other is None:
        return alone
    case = each.case
    first, second = (
        case.is_answerable and (case.is_right(item.text) if case.pattern else str(item.turn) in case.gold)
        for item in of_two(look, other)
    )
    return Pair(look, alone, other, first, second)


def taught(pairs: Sequence[Pair], rules: Rules) -> Either:
    """What these pairs teach: every data set counts as much as any other."""
    share, rows = weights([each.case for each in pairs]), [each.signals for each in pairs]
    weight = [share[each.case.dataset] for each in pairs]
    first = fitted(rows, NAMES, [each.first for each in pairs], weight)
    second = fitted(rows, NAMES, [each.second and not each.first for each in pairs], weight)
    return Either(first, second, *rules)


def crossed(pairs: Sequence[Pair], rules: Rules) -> list[Outcome]:
    """Every case told by what the other folds teach."""
    done: list[Outcome] = []
    for fold in sorted({each.case.fold for each in pairs}):
        either = taught([each for each in pairs if each.case.fold != fold], rules)
        done += [each.told(either) for each in pairs if each.case.fold == fold]
    return done


def main() -> None:
    """Prints the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", type=Path, required=True)
    parser.add_argument("--networks", nargs="+", type=Path, required=True, help="without the first half, second")
    parser.add_argument("--apart", nargs="*", default=[], metavar="DATASET", help="that no network was trained on")
    parser.add_argument("--cache", type=Path, help="a folder that keeps the stores for the next run")
    parser.add_argument("--plain", type=float, default=0.7, help="what is worth this alone is said alone")
    parser.add_argument("--share", type=float, default=0.05, help="what a rival has to be worth")
    parser.add_argument("--ahead", type=float, default=0.1, help="what a quote has to be worth more than a value")
    parser.add_argument("--least", type=float, default=0.58, help="what one or two quotes have to be worth")
    parser.add_argument("--write", action="store_true", help="store what was learned, and the figures")
    unseen.add_options(parser)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, ExitStack() as opened, in_bulk():
        cache, fair = options.cache or Path(folder), unseen.chosen(options)
        known = [case for path in options.data for case in cases(path, cache, opened, fair)]
        networks = [Network(path) for path in options.networks]
        halves = [(case, 0 if case.dataset in options.apart else case.half) for case in known]
        reads = [
            read(case, networks[half])
            for case, half in halves
            if half < len(networks) and case.query.question.language == DEFAULT_LANGUAGE
        ]
        report([paired(each) for each in reads], options)


def report(asked: Sequence[Pair | Outcome], options: argparse.Namespace) -> None:
    """Prints, and writes, what was learned and measured."""
    rules = options.plain, options.share, options.ahead, options.least
    pairs, rest = [each for each in asked if isinstance(each, Pair)], [o for o in asked if isinstance(o, Outcome)]
    found = {
        "alone": figures([each.alone for each in pairs] + rest),
        "with a rival": figures(crossed(pairs, rules) + rest),
    }
    if options.write:
        data = " ".join(path.name for path in options.data)
        by = f"python benchmarks/rivals.py --data {data}{unseen.said(options)} --write"
        past = learned.made(by, options.data, embedder_id(EMBEDDER))
        (PACKAGE / "rivals_weights.json").write_text(learned.written(past, taught(pairs, rules).numbers()))
        RESULTS.write_text(json.dumps(found, indent=2) + "\n")
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
