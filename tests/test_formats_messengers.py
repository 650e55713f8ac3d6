"""Slack, Telegram and Discord: names, replies, links, marks of media, and what is left out."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from memcli.formats import Message, Problem, SessionSplitter

from .formats import messages, put, records, sample, zipped

# -- Slack ------------------------------------------------------------------------------------------------------------


def _slack_zip(folder: Path, said: list[dict[str, Any]], **lists: Any) -> Path:
    members = {f"{name}.json": json.dumps(value) for name, value in lists.items()}
    return put(folder, "export.zip", zipped(members | {"general/2023-11-14.json": json.dumps(said)}))


def _slack(text: str, **changes: Any) -> dict[str, Any]:
    return {"type": "message", "user": "U1", "text": text, "ts": "1700000060.000200"} | changes


def test_of_slack_names_replies_and_files(tmp_path: Path) -> None:
    members = {
        str(path.relative_to(sample("slack"))): path.read_bytes() for path in sorted(sample("slack").rglob("*.json"))
    }
    found = messages(put(tmp_path, "slack.zip", zipped(members)))
    assert found == messages(sample("slack"))
    text = "@Bo Li launch moved to Friday (https://ex.org) & budget is 4k"
    at = datetime(2023, 11, 14, 22, 14, 20, 200, tzinfo=UTC)
    assert found[0] == Message(text, "Ana Silva", "", at, "general", id="1700000060.000200")
    reply = found[1]
    assert (reply.speaker, reply.text, reply.session, reply.title) == (
        "Bo Li",
        "ok :thumbsup:",
        "thread 1700000060.000200",
        text,
    )
    assert [(each.speaker, each.text) for each in found[2:]] == [
        ("deploybot", "deployed"),
        ("Ana Silva", "[file: plan.pdf]"),
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<@U1> and <@U9|nick> and <@U8>", "@Ana Silva and @nick and @U8"),
        ("<#C1|general> <#C2>", "#general #C2"),
        ("<!here> <!channel> <!subteam^S1|@team>", "@here @channel @team"),
        ("<!date^1392734382^{date}|18 Feb 2014>", "18 Feb 2014"),
        ("<https://ex.org> <https://ex.org|https://ex.org>", "https://ex.org https://ex.org"),
        ("<mailto:a@ex.org|a@ex.org>", "a@ex.org"),
        ("1 &lt; 2 &amp;&amp; 3 &gt; 2", "1 < 2 && 3 > 2"),
        ("a <b", "a <b"),
    ],
)
def test_what_slack_writes_in_brackets(tmp_path: Path, text: str, shown: str) -> None:
    users = [{"id": "U1", "profile": {"real_name": "Ana Silva"}}]
    [message] = messages(_slack_zip(tmp_path, [_slack(text)], users=users))
    assert message.text == shown


def test_of_slack_who_spoke_where_the_users_are_not_told(tmp_path: Path) -> None:
    said = [
        _slack("a", user_profile={"real_name": "Ana"}),
        _slack("b", user=None, bot_profile={"name": "bot"}),
        _slack("c"),
        _slack("", attachments=[{"title": "Build", "text": "failed"}], subtype="bot_message", username="ci"),
    ]
    found = messages(_slack_zip(tmp_path, said))
    assert [(each.speaker, each.text) for each in found] == [
        ("Ana", "a"),
        ("bot", "b"),
        ("U1", "c"),
        ("ci", "Build\nfailed"),
    ]


def test_of_slack_service_messages_are_left_out(tmp_path: Path) -> None:
    kinds = ["channel_join", "channel_leave", "channel_topic", "pinned_item", "tombstone", "huddle_thread"]
    said = [_slack("noise", subtype=kind) for kind in kinds] + [_slack("said", subtype="me_message")]
    assert [each.text for each in messages(_slack_zip(tmp_path, said))] == ["said"]


def test_a_direct_conversation_of_slack_is_named_by_who_is_in_it(tmp_path: Path) -> None:
    members = {
        "users.json": json.dumps([{"id": "U1", "real_name": "Ana"}, {"id": "U2", "name": "bo"}]),
        "dms.json": json.dumps([{"id": "D1", "members": ["U1", "U2"]}]),
        "D1/2023-11-14.json": json.dumps([_slack("psst")]),
    }
    [message] = messages(put(tmp_path, "export.zip", zipped(members)))
    assert (message.conversation, message.speaker) == ("Ana, bo", "Ana")


def test_replies_of_slack_do_not_draw_the_channel_into_their_session(tmp_path: Path) -> None:
    said = [
        _slack("a"),
        _slack("reply", ts="1700000070.000100", thread_ts="1700000060.000200"),
        _slack("b", ts="1700000080.000100"),
    ]
    splitter = SessionSplitter("export.zip", lambda _: {}, lambda _: None)
    pieces = [piece for each in messages(_slack_zip(tmp_path, said)) for piece in splitter.feed(each)]
    pieces.extend(splitter.flush())
    assert sorted([turn.text for turn in turns] for _, turns in pieces) == [["a", "b"], ["reply"]]


# -- Telegram ---------------------------------------------------------------------------------------------------------


def test_of_telegram_a_chat() -> None:
    found = messages(sample("telegram/result.json"))
    at = datetime(2024, 1, 15, 10, 30, tzinfo=UTC)
    assert found[0] == Message("Hello", "Ana", "", at, "Bo", id="1:2")
    assert [(each.speaker, each.text) for each in found[1:]] == [
        ("Bo", "see https://ex.org and bring cash"),
        ("user3", "[image]"),
    ]


def _telegram(*said: dict[str, Any], **chat: Any) -> dict[str, Any]:
    made = [{"id": i, "type": "message", "from": "Ana", "from_id": "user1", "date": "2024-01-15T10:30:00"} | each
            for i, each in enumerate(said)]  # fmt: skip
    return {"name": "Bo", "type": "personal_chat", "id": 1, "messages": made} | chat


def test_the_whole_account_of_telegram(tmp_path: Path) -> None:
    chats = [
        _telegram({"text": "a"}),
        _telegram({"text": "b"}, id=2),
        _telegram({"text": "c"}, type="saved_messages", name=None),
        _telegram({"text": "d"}, name=None, id=4),
    ]
    account = {"about": "…", "personal_information": {"first_name": "Ana"}, "chats": {"about": "…", "list": chats},
               "left_chats": {"list": [_telegram({"text": "e"}, name="Left", id=5)]}}  # fmt: skip
    found = messages(put(tmp_path, "result.json", account))
    assert [(each.conversation, each.text, each.id) for each in found] == [
        ("Bo", "a", "1:0"),
        ("Bo", "b", "2:0"),
        ("Saved Messages", "c", "1:0"),
        ("chat 4", "d", "4:0"),
        ("Left", "e", "5:0"),
    ]


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ({"text": ["see ", {"type": "text_link", "text": "this", "href": "https://ex.org"}]}, "see this (https://ex.org)"),
        ({"text": "", "text_entities": [{"type": "plain", "text": "from entities"}]}, "from entities"),
        ({"text": "look", "photo": "photos/1.jpg"}, "look\n[image]"),
        ({"media_type": "sticker", "sticker_emoji": "😀", "file": "s.webp"}, "[sticker] 😀"),
        ({"media_type": "voice_message", "file": "v.ogg"}, "[voice message]"),
        ({"file": "files/plan.pdf"}, "[file: plan.pdf]"),
        ({"file": "(File not included.)", "mime_type": "video/mp4"}, "[video]"),
        ({"text": "news", "forwarded_from": "Cleo"}, "[forwarded from Cleo]\nnews"),
        ({"poll": {"question": "When?", "answers": [{"text": "a"}, {"text": "b"}]}}, "[poll] When?\n- a\n- b"),
        ({"contact_information": {"first_name": "Bo", "last_name": "Li"}}, "[contact] Bo Li"),
        ({"location_information": {"latitude": 1}, "place_name": "Cafe"}, "[location] Cafe"),
    ],
)  # fmt: skip
def test_text_and_media_of_telegram(tmp_path: Path, said: dict[str, Any], text: str) -> None:
    [message] = messages(put(tmp_path, "result.json", _telegram(said)))
    assert message.text == text


@pytest.mark.parametrize(
    ("date", "instant", "at"),
    [
        ("2024-07-15T12:30:00", 1721039400, datetime(2024, 7, 15, 12, 30, tzinfo=timezone(timedelta(hours=2)))),
        ("2024-07-15T12:30:00", None, datetime(2024, 7, 15, 12, 30)),
        ("2024-07-15T12:30:07", 1721039400, datetime(2024, 7, 15, 10, 30, tzinfo=UTC)),
        ("soon", 1721039400, datetime(2024, 7, 15, 10, 30, tzinfo=UTC)),
    ],
)
def test_the_offset_of_telegram_is_what_the_clock_differs_by(
    tmp_path: Path, date: str, instant: int | None, at: datetime
) -> None:
    said = {"text": "hi", "date": date, "date_unixtime": instant and str(instant)}
    [message] = messages(put(tmp_path, "result.json", _telegram(said)))
    assert message.said_at == at
    assert message.said_at.utcoffset() == at.utcoffset()


def test_broken_parts_of_telegram(tmp_path: Path) -> None:
    chat = _telegram({"text": "a", "date": "soon"}, {"text": "b"})
    chat["messages"].insert(1, 7)
    found = records(put(tmp_path, "result.json", json.dumps(chat)[:-3]))
    assert [each.text for each in found if isinstance(each, Message)] == ["a"]
    problems = [each for each in found if isinstance(each, Problem)]
    assert [(each.reason.partition(":")[0], each.kept_out) for each in problems] == [
        ("date not understood", False),
        ("not an object", True),
        ("broken JSON, the rest is not read", True),
    ]
    assert problems[1].where.endswith("result.json: Bo, message 2")


# -- Discord ----------------------------------------------------------------------------------------------------------


def test_of_discord_a_direct_conversation_and_a_channel() -> None:
    first, second = messages(sample("discord/discord_chat_exporter.json"))
    at = datetime(2024, 1, 15, 10, 30, 0, 123000, tzinfo=UTC)
    assert first == Message("Hello", "Ana", "", at, "bo", id="1001")
    assert (second.speaker, second.text) == ("bo", "hi\n[image]")
    channel = messages(sample("chatpack/discord_export.json"))
    assert {each.conversation for each in channel} == {"Test Server / general"}
    assert len(channel) == 7


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ({"content": "x", "type": "GuildMemberJoin"}, None),
        ({"content": "Started a call", "type": "Call"}, None),
        ({"content": "", "embeds": [{"title": "News", "description": "it rains"}]}, "News\nit rains"),
        ({"content": "https://x", "embeds": [{"title": "a preview"}]}, "https://x"),
        ({"content": "", "stickers": [{"name": "wave"}]}, "[sticker] wave"),
        ({"content": "", "forwardedMessage": {"content": "said elsewhere"}}, "[forwarded]\nsaid elsewhere"),
        ({"content": "", "attachments": [{"fileName": "plan.pdf"}]}, "[file: plan.pdf]"),
    ],
)
def test_content_of_discord(tmp_path: Path, said: dict[str, Any], text: str | None) -> None:
    base = {"id": "1", "type": "Default", "timestamp": "2024-01-15T10:30:00+01:00", "author": {"name": "ana"}}
    export = {"guild": {"name": "G"}, "channel": {"name": "c"}, "messages": [base | said, base | {"content": "last"}]}
    found = messages(put(tmp_path, "c.json", export))
    assert [each.text for each in found] == [*([text] if text else []), "last"]
    assert found[-1].said_at == datetime(2024, 1, 15, 10, 30, tzinfo=timezone(timedelta(hours=1)))
