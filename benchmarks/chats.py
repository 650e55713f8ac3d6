"""Made-up chats with questions, as haystacks: `reader_chats/*.txt` and `judge_chats/*.txt`, one file a store.

From the first the reader's network and the weights of `fused` are learned, from the second only what answers are worth.

A line begins a conversation (`# title`) or a session (`@ 2024-03-05`), is a message (`Rosa: text`), or asks about the
message before it (`? question = answer`, several questions in a row with ` | ` between them). The answer is words of
the message, `yes` or `no`, `@` for who speaks, or `~` for the message as it stands. `! question` has no answer in its
conversation.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from memcli.evaluation.questions import GoldQuestion, Haystack
from memcli.formats import Message, turn_id

#: How long after the last message the questions are asked.
_LATER = timedelta(days=10)
_MINUTE = timedelta(minutes=1)
_ROLES = ("user", "assistant")


def named(name: str) -> Path:
    """The file of this name, of `judge_chats` if it has one."""
    here = Path(__file__).parent
    return next(path for folder in ("judge_chats", "reader_chats") if (path := here / folder / f"{name}.txt").exists())


def haystack(path: Path) -> Haystack:
    """The chats of a file and what is asked of them."""
    lines = path.read_text(encoding="utf-8").splitlines()
    messages = list(_messages(lines))
    asked_at = max(message.said_at for message in messages if message.said_at) + _LATER
    return Haystack(path.stem, messages, list(_questions(lines, messages, asked_at)))


def _messages(lines: list[str]) -> Iterator[Message]:
    title, at = "", datetime.min
    for line in lines:
        mark, _, rest = line.partition(" ")
        if mark == "#":
            title = rest
        elif mark == "@":
            at = datetime.fromisoformat(rest).replace(hour=9, tzinfo=UTC)
        elif mark not in ("?", "!"):
            at += _MINUTE
            yield _message(line, title, at)


def _message(line: str, title: str, at: datetime) -> Message:
    name, _, text = line.partition(": ")
    who = ("", name) if name in _ROLES else (name, "")
    return Message(text, *who, said_at=at, conversation=title, session=f"{title} {at:%Y-%m-%d}", id=f"{title} {at}")


def _questions(lines: list[str], messages: list[Message], asked_at: datetime) -> Iterator[GoldQuestion]:
    place = -1
    for number, line in enumerate(lines):
        mark, _, rest = line.partition(" ")
        if mark == "!":
            yield GoldQuestion(f"{number}", rest, "unanswerable", "", frozenset(), asked_at, answerable=False)
        elif mark == "?":
            texts, _, answer = rest.rpartition(" = ")
            for variant, text in enumerate(texts.split(" | ")):
                yield _question(f"{number}.{variant}", text, answer, messages[place], asked_at)
        elif mark not in ("#", "@"):
            place += 1


def _question(name: str, text: str, answer: str, message: Message, asked_at: datetime) -> GoldQuestion:
    kind = {"@": "speaker", "~": "quote"}.get(answer, "span")
    words = {"@": message.speaker, "~": message.text}.get(answer, answer)
    return GoldQuestion(name, text, kind, words, frozenset(filter(None, [turn_id(message)])), asked_at)
