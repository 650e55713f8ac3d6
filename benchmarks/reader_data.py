"""What the reader is trained on: questions, each with windows of what was said, some of which answer.

    python benchmarks/reader_data.py --data locomo.json friendsqa.json.gz longmemeval_short.json.gz ordinary/ --out FILE

A question a line: `dataset`, `group` (its conversation), `question`, and `windows`, each with `speaker`, `text` and
`before`, whether it `answers`, the `span` in "SPEAKER: text" that does, if one does (two places of characters), and
the `polarity` of what it says to a question of yes or no. The statements of `reader_statements.toml` are made into
questions too, whatever data are given; of chats in other languages (`reader_languages`) those of their own alone are.
Of chats in which something changes (`update_chats`, as `update_data.py` has them) the statement that held first answers
as well as the later one: which of them holds is for another network to say.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import unseen
from kinds import apart_and_together, is_in_languages
from reading import Case, cases, elsewhere, filled, is_asked_beside, known, stored
from unseen import Unseen
from update_data import CHATS as UPDATES

from memcli.evaluation.answers import token_f1
from memcli.evaluation.questions import GoldQuestion, Haystack
from memcli.formats import turn_id
from memcli.languages import spoken
from memcli.model import Seeks
from memcli.providers.embedding import DEFAULT, embedder
from memcli.reading.passages import Passage
from memcli.reading.windows import FORMER, before, spans
from memcli.text import content_stems, sentences
from memcli.text.times import describe

Line = dict[str, Any]
STATEMENTS = Path(__file__).with_name("reader_statements.toml")
#: Windows that do not answer, a question: the first of what was retrieved, some others, some beside what answers.
NEGATIVES, OTHERS, BESIDE = 9, 2, 1
MADE = {"fact": 40, "who": 40, "whether": 120}  # questions made of each kind of statement
NAMES = ("Ada", "Bruno", "Celia", "Dario", "Edith", "Farid", "Gudrun", "Hamish", "Imani", "Jonah", "Kirsten", "Leopold")
FILLERS = ("", "", "", "btw ", "oh and ", "so ", "ok ", "haha ", "news: ")
AFTER = ("", "", "", " lol", ". How are you?", ". Talk later", " 🙈", ". Anyway, gotta run", "!")
#: What others say between what is asked and its reply, and how often they do.
ASIDES, ASIDE = ("haha", "hm", "same here", "🙈", "I'm late, sorry", "who brings the cake?", "brb", "no way!!"), 0.25
#: What is found of a right answer must share as much with it, as token F1.
ALIKE = 0.6
LONGEST_SPAN = 14


@dataclass(frozen=True)
class Said:
    """A turn: `at` is when."""

    speaker: str
    text: str
    at: datetime | None = None
    session: str = ""


@dataclass(frozen=True)
class Asked:
    """A question with the places of the turns that answer it, and the answer as it is known: words or a pattern."""

    text: str
    gold: Sequence[int]
    answers: Sequence[str] = ()
    pattern: str = ""
    speaker: bool = False
    polarity: str = ""
    misleading: Sequence[int] = field(default=())


#: What nothing answers.
_NOTHING = Asked("", ())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--cache", type=Path, help="a folder that keeps the stores for the next run")
    unseen.add_options(parser)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        cache, fair = options.cache or Path(folder), unseen.chosen(options)
        lines = [line for path in options.data for line in _of(path, cache, fair)] + list(made(random.Random(0)))
    options.out.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    print(Counter(line["dataset"] for line in lines))


def _of(path: Path, cache: Path, fair: Unseen) -> Iterator[Line]:
    with ExitStack() as opened:
        if path.name == UPDATES.name:
            yield from _updates(path)
        elif is_in_languages(path):
            yield from map(retrieved, _in_languages(path, cache, opened))
        elif is_asked_beside(path):
            yield from map(retrieved, cases(path, cache, opened, fair))
        else:
            name, held = path.name.split(".")[0], filled(path, cache, opened, fair)
            for haystack, memory in held:
                yield from _lines(haystack, known(name, haystack, memory))
            yield from map(retrieved, elsewhere(name, held))


def _in_languages(path: Path, cache: Path, opened: ExitStack) -> Iterator[Case]:
    model = embedder(DEFAULT, bulk=True)
    for haystack in apart_and_together(path):
        memory = stored(cache / f"{path.name}-{haystack.name}.memcli", haystack, model, opened)
        yield from filter(_is_found, known(path.name, haystack, memory, english=False))


def _updates(folder: Path) -> Iterator[Line]:
    """The questions of chats in which something changes, each with the turns of its chat and some of another one."""
    for file in sorted(folder.glob("*.jsonl")):
        items = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        for number, item in enumerate(items):
            said, another = _said(item), [*_all_windows(_said(items[number - 1])[:OTHERS], _NOTHING)]
            for asked in _of_update(item):
                yield {"dataset": folder.name, "group": f"{file.stem} {number}", "question": asked.text,
                       "windows": [*_all_windows(said, asked), *another]}  # fmt: skip


def _said(item: Line) -> list[Said]:
    return [Said(speaker, text) for _, speaker, text in item["say"]]


def _all_windows(said: Sequence[Said], asked: Asked) -> Iterator[Line]:
    for turn in range(len(said)):
        yield from _windows(said, turn, asked, gold=turn in asked.gold)


def _of_update(item: Line) -> Iterator[Asked]:
    """What is asked of what was said first and what came later, and of what held before."""
    first, later, was = item["first"], item["later"], item["was"] or item["want"]
    if item["kind"] == "changed":
        yield Asked(item["question"], [first, later], (item["want"], was))
        if item.get("former"):
            yield Asked(item["former"], [first], (was,))
        if item.get("is_later"):
            yield Asked(item["is_later"], [later], polarity="yes")
    else:
        yield Asked(item["question"], [first], (was,))
        if item.get("is_first"):
            yield Asked(item["is_first"], [first], polarity="yes")


def _is_found(case: Case) -> bool:
    """Whether what answers was retrieved, or nothing does: half of what is asked in another language is not."""
    return not case.gold or any(str(each.turn) in case.gold for each in case.passages)


def retrieved(case: Case) -> Line:
    """A question with what the reader is given for it: the windows of what answers, the first others, some more."""
    asked = Asked(case.query.text, (), _answers(case.answer), case.pattern, polarity=_polarity(case))
    gold = [_line(p, asked, gold=True) for p in case.passages if str(p.turn) in case.gold]
    return _question(case, [*gold, *_others(case, asked)])


def _question(case: Case, windows: Sequence[Line]) -> Line:
    return {"dataset": case.dataset, "group": case.group, "question": case.query.text, "windows": windows}


def _others(case: Case, asked: Asked) -> list[Line]:
    """Windows that were retrieved and do not answer: the first, and some of the others."""
    others = [p for p in case.passages if str(p.turn) not in case.gold]
    drawn = random.Random(case.query.text).sample(others[NEGATIVES:], min(OTHERS, len(others[NEGATIVES:])))
    return [_line(p, asked, gold=False) for p in [*others[:NEGATIVES], *drawn]]


def _line(passage: Passage, asked: Asked, *, gold: bool) -> Line:
    window = passage.window
    span = answer(window.shown, Said(window.speaker, window.text, passage.at), asked) if gold else None
    return {"speaker": window.speaker, "text": window.text, "before": window.before, "answers": gold, "span": span,
            "polarity": asked.polarity if gold else ""}  # fmt: skip


def _polarity(case: Case) -> str:
    """Whether yes or no is right; empty where the question is not for one of these."""
    if case.category == "yes/no" and case.pattern:
        return "no" if re.match(case.pattern, "No", re.I) or "[Nn]o" in case.pattern else "yes"
    return next((word for word in ("yes", "no") if re.match(rf"(?:likely )?{word}\b", case.answer.lower())), "")


def _answers(answer: str) -> tuple[str, ...]:
    return (answer, *_items(answer)) if answer else ()


def _asked(question: GoldQuestion, places: dict[Any, int]) -> Asked | None:
    gold = sorted(places[turn] for turn in question.evidence if turn in places)
    answer = str(question.answer or "")
    if not question.answerable:
        return Asked(question.text, (), misleading=gold)
    if question.category == "quote":
        return Asked(question.text, gold)
    if len(answer.split()) > 25 or not gold:
        return None
    polarity = next((word for word in ("yes", "no") if re.match(rf"(?:likely )?{word}\b", answer.lower())), "")
    speaker = question.category == "speaker"
    return Asked(question.text, gold, (answer, *_items(answer)), speaker=speaker, polarity=polarity)


def _items(answer: str) -> list[str]:
    items = [item.strip() for item in re.split(r",\s*(?:and )?|;\s*|\s+and\s+", answer)]
    return [item for item in items if len(item) > 3] if len(items) > 1 and not re.search(r"\d{4}", answer) else []


def _lines(haystack: Haystack, found: Sequence[Case]) -> Iterator[Line]:
    """Each question with the turns that answer it, retrieved or not, some beside them, and what was retrieved."""
    places = {turn_id(message): i for i, message in enumerate(haystack.messages)}
    said = [Said(m.speaker or m.role, m.text, m.said_at, str(m.session)) for m in haystack.messages]
    for question, case in zip(haystack.questions, found, strict=True):
        asked = _asked(question, places)
        if asked is None:
            continue
        gold = [window for turn in asked.gold for window in _windows(said, turn, asked, gold=True)]
        others = [*asked.misleading, *_next_to(said, asked)]
        wrong = [window for turn in others for window in _windows(said, turn, asked, gold=False)]
        yield _question(case, [*gold, *wrong, *_others(case, asked)])


def _next_to(said: Sequence[Said], asked: Asked) -> list[int]:
    """Turns next to those that answer, in the same session."""
    near = [
        i for turn in asked.gold for i in (turn - 1, turn + 1, turn + 2)
        if 0 <= i < len(said) and said[i].session == said[turn].session and i not in asked.gold
    ]  # fmt: skip
    return random.Random(asked.text).sample(near, min(BESIDE, len(near)))


def _windows(said: Sequence[Said], turn: int, question: Asked, *, gold: bool) -> Iterator[Line]:
    """The windows of a turn: of one that answers those that may hold it, of another the likeliest."""
    spoken_ = sentences(said[turn].text) or [said[turn].text]
    own = set(content_stems(question.text))
    cut = []
    for start, end in spans(spoken_):
        text = " ".join(spoken_[start:end])
        cut.append((text, _before(said, turn, spoken_[:start])))
    shown = [(_shown(said[turn].speaker, text), thread, text) for text, thread in cut]
    found = [answer(s, said[turn], question) if gold else None for s, _, _ in shown]
    near = [len(own & set(content_stems(text))) for text, _ in cut]
    best = max(range(len(cut)), key=lambda i: (found[i] is not None, near[i]))
    for place, (_, thread, text) in enumerate(shown):
        chosen = place == best
        if chosen or found[place] is not None or (gold and len(cut) <= 4):
            answers = gold and (found[place] is not None or (chosen and (len(cut) == 1 or near[place] > 0)))
            if gold and not answers and any(f is None for f in found) and not chosen:
                continue  # nobody knows whether the rest of an answering turn answers
            yield {
                "speaker": said[turn].speaker, "text": text, "before": thread, "answers": answers,
                "span": found[place], "polarity": question.polarity if answers else "",
            }  # fmt: skip


def _shown(speaker: str, text: str) -> str:
    return f"{speaker}: {text}"


def _before(said: Sequence[Said], turn: int, own: Sequence[str]) -> str:
    former = [each for each in said[max(turn - FORMER, 0) : turn] if each.session == said[turn].session]
    return before([*((each.speaker, each.text) for each in former), *_own(said[turn], own)])


def _own(turn: Said, own: Sequence[str]) -> list[tuple[str, str]]:
    return [(turn.speaker, " ".join(own))] if own else []


def answer(shown: str, turn: Said, question: Asked) -> tuple[int, int] | None:
    """Where `shown` gives the answer: its own words, the pattern, a time that means it, or who speaks."""
    if question.polarity:
        return None
    if question.speaker:
        return (0, len(turn.speaker)) if shown.startswith(turn.speaker) else None
    if question.pattern:
        return _by_pattern(shown, question.pattern)
    return _in_time(shown, turn, question) or _verbatim(shown, question.answers) or _alike(shown, question.answers)


def _by_pattern(shown: str, pattern: str) -> tuple[int, int] | None:
    found = re.search(pattern, shown, re.I)
    if not found or found.start() == found.end():
        return None
    start, end = found.span()
    while start and shown[start - 1].isalnum():
        start -= 1
    while end < len(shown) and shown[end].isalnum():
        end += 1
    return (start, end) if len(shown[start:end].split()) <= LONGEST_SPAN else None


def _in_time(shown: str, turn: Said, question: Asked) -> tuple[int, int] | None:
    if spoken([question.text]).question(question.text, ()).seeks is not Seeks.WHEN:
        return None
    for each in spoken([shown]).times(shown, turn.at):
        if any(token_f1(describe(each), gold) >= ALIKE for gold in question.answers):
            return each.start_offset, each.end_offset
    return None


def _verbatim(shown: str, answers: Sequence[str]) -> tuple[int, int] | None:
    """Where an answer stands word for word, as in a script that is written without spaces."""
    found = [match.span() for each in answers for match in re.finditer(rf"(?<!\w){re.escape(each)}(?!\w)", shown)]
    anywhere = [(at, at + len(each)) for each in answers if not each.isascii() and (at := shown.find(each)) >= 0]
    return next(iter(found or anywhere), None)


def _alike(shown: str, answers: Sequence[str]) -> tuple[int, int] | None:
    words = [m.span() for m in re.finditer(r"\S+", shown)]
    words = [(a, b - len(shown[a:b]) + len(shown[a:b].rstrip(".,!?;:…"))) for a, b in words]
    best, place = ALIKE - 1e-9, None
    for i in range(len(words)):
        for j in range(i, min(len(words), i + LONGEST_SPAN)):
            score = max((token_f1(shown[words[i][0] : words[j][1]], gold) for gold in answers), default=0.0)
            if score > best:
                best, place = score, (words[i][0], words[j][1])
    return place


def made(drawn: random.Random) -> Iterator[Line]:
    """Questions to the statements of `reader_statements.toml`, with statements of others and of other things beside."""
    with STATEMENTS.open("rb") as stream:
        kinds = tomllib.load(stream)
    for form, rows in kinds.items():
        for number, row in enumerate(rows):
            others = [other for other in rows if other is not row]
            for _ in range(MADE[form]):
                yield {"dataset": "made", "group": f"{form} {number}"} | _FORMS[form](row, others, drawn)


def _filled(text: str, **values: str) -> str:
    for name, value in values.items():
        text = text.replace("{" + name + "}", value)
    return text


def _dressed(text: str, drawn: random.Random) -> str:
    text = drawn.choice(FILLERS) + text
    text = text[0].upper() + text[1:] if drawn.random() < 0.5 else text
    return text + drawn.choice(AFTER)


def _window(speaker: str, text: str, before: str, value: str | None, *, answers: bool, polarity: str = "") -> Line:
    shown = _shown(speaker, text)
    place = shown.find(value, 0 if value == speaker else len(speaker)) if value else -1
    span = (place, place + len(value)) if value and place >= 0 else None
    return {
        "speaker": speaker, "text": text, "before": before, "answers": answers, "span": span, "polarity": polarity
    }  # fmt: skip


def _fact(row: Line, others: Sequence[Line], drawn: random.Random) -> Line:
    person, other, third = drawn.sample(NAMES, 3)
    value, older = drawn.sample(row["values"], 2)
    slots = {"kind": drawn.choice(row.get("kinds", ["thing"])), "x": "toy", "P": person, "Q": other}
    ask = _filled(drawn.choice(row["asks"]), **slots)
    how = drawn.choice(["says", "says", "told", "replies", "replies"])
    asked = _filled(drawn.choice(row["asked"]), **slots)
    text = _dressed(_filled(drawn.choice(row[how]), v=value, **slots), drawn)
    between = [(third, drawn.choice(ASIDES))] if drawn.random() < ASIDE else []
    thread = before([(other, asked), *between]) if how == "replies" else ""
    right = _window(other if how == "told" else person, text, thread, value, answers=True)
    of_another = _dressed(_filled(drawn.choice(row["says"]), v=older, **slots), drawn)
    wrong = [
        _window(other, asked, "", None, answers=False),
        _window(person, _beside(others, drawn, slots), "", None, answers=False),
        _window(drawn.choice([person, other]), f"{older}?", before([(third, "hm")]), None, answers=False),
    ]
    if person in ask:
        wrong.append(_window(third, of_another, "", None, answers=False))
    return {"question": ask, "windows": [right, *wrong] if drawn.random() < 0.85 else wrong}


def _beside(others: Sequence[Line], drawn: random.Random, slots: dict[str, str]) -> str:
    """What is said of another matter, so dressed."""
    row = drawn.choice(others)
    kinds = row.get("kinds", ["thing"])
    said = row["says"] if "says" in row else [*row["yes"], *row["no"]]
    text = _filled(drawn.choice(said), **(slots | {"kind": drawn.choice(kinds)}))
    return _dressed(_filled(text, v=drawn.choice(list(row.get("values") or kinds))), drawn)


def _who(row: Line, others: Sequence[Line], drawn: random.Random) -> Line:
    person, other, third = drawn.sample(NAMES, 3)
    kind, another = drawn.sample(row["kinds"], 2)
    slots = {"kind": kind, "P": person, "Q": other}
    how = drawn.choice(["says", "says", "told"])
    text = _dressed(_filled(drawn.choice(row[how]), **slots), drawn)
    right = _window(other if how == "told" else person, text, "", person, answers=True)
    ask = _filled(drawn.choice(row["asks"]), **slots)
    wrong = [
        _window(third, _dressed(_filled(drawn.choice(row["says"]), **(slots | {"kind": another})), drawn), "", None,
                answers=False),
        _window(third, f"{ask[0].lower()}{ask[1:]}", "", None, answers=False),
        _window(third, f"where did the {kind} come from?", "", None, answers=False),
        _window(person, _beside(others, drawn, slots), "", None, answers=False),
    ]  # fmt: skip
    return {"question": ask, "windows": [right, *wrong] if drawn.random() < 0.85 else wrong}


def _whether(row: Line, others: Sequence[Line], drawn: random.Random) -> Line:
    person, other, third = drawn.sample(NAMES, 3)
    kind, another = drawn.sample(row["kinds"], 2)
    slots = {"kind": kind, "P": person, "Q": other}
    polarity = drawn.choice(["yes", "no"])
    opposite = {"yes": "no", "no": "yes"}[polarity]
    ask = _filled(drawn.choice(row["asks"]), **slots)
    text = _dressed(_filled(drawn.choice(row[polarity]), **slots), drawn)
    wrong = [
        _window(person, _dressed(_filled(drawn.choice(row[opposite]), **(slots | {"kind": another})), drawn), "", None,
                answers=False),
        _window(third, f"{ask}", "", None, answers=False),
        _window(other, f"could you get some {kind} too please", "", None, answers=False),
        _window(person, _beside(others, drawn, slots), "", None, answers=False),
    ]  # fmt: skip
    if person in ask:
        said = _dressed(_filled(drawn.choice(row[opposite]), **slots), drawn)
        wrong.append(_window(third, said, "", None, answers=False))
    right = _window(person, text, "", None, answers=True, polarity=polarity)
    return {"question": ask, "windows": [right, *wrong] if drawn.random() < 0.85 else wrong}


_FORMS = {"fact": _fact, "who": _who, "whether": _whether}


if __name__ == "__main__":
    main()
