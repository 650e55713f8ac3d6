"""Messenger and Instagram, Signal, iMessage, Gemini and e-mail: what is kept, how it is mended, what is left out."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memcli.errors import InputUnreadable
from memcli.formats import Message, Problem, detect, read, sources
from memcli.formats.detection import recognise
from memcli.formats.html_text import html_text

from .formats import imessage, messages, put, records, sample, zipped

# -- Messenger --------------------------------------------------------------------------------------------------------


def test_of_messenger_bytes_that_were_written_as_characters() -> None:
    found = messages(sample("messenger/message_1.json"))
    assert [(each.speaker, each.text) for each in found] == [
        ("Ana Silva", "see this\nhttps://ex.org/a"), ("Zoë Müller", "café at nine 🎉"), ("Ana Silva", "[image]"),
    ]  # fmt: skip
    assert {each.conversation for each in found} == {"Zoë Müller"}
    assert found[0].said_at == datetime(2023, 11, 14, 22, 14, 20, tzinfo=UTC)


def test_of_messenger_encrypted_chats_are_written_as_they_are() -> None:
    found = messages(sample("messenger/encrypted.json"))
    assert [(each.speaker, each.text) for each in found] == [
        ("Ana Silva", "[file: plan.pdf]"), ("Bo Li", "crème brûlée at 8"),
    ]  # fmt: skip
    assert found[0].conversation == "Bo Li"


def _messenger(*said: Any, **chat: Any) -> dict[str, Any]:
    return {"participants": [{"name": "Bo"}], "messages": list(said), "title": "Bo"} | chat


def _written(text: str, at: Any = 1700000000000, **changes: Any) -> dict[str, Any]:
    return {"sender_name": "Bo", "timestamp_ms": at, "content": text} | changes


def test_of_messenger_the_zip_with_what_is_broken_in_it(tmp_path: Path) -> None:
    chat = _messenger(
        _written("b", 1700000002000), "odd", _written("a"), _written("c", "soon"), thread_path="inbox/bo_1"
    )
    path = put(tmp_path, "facebook.zip", zipped({"messages/inbox/bo_1/message_1.json": json.dumps(chat)}))
    found = records(path)
    assert sorted(each.text for each in found if isinstance(each, Message)) == ["a", "b", "c"]
    assert [each.text for each in found if isinstance(each, Message) and each.said_at] == ["a", "b"]
    assert [each.kept_out for each in found if isinstance(each, Problem)] == [True, False]


@pytest.mark.parametrize(
    ("said", "text"),
    [
        (_written("x", videos=[{"uri": "a.mp4"}]), "x\n[video]"),
        (_written("", sticker={"uri": "s.png"}), "[sticker]"),
        (_written("", files=[{"uri": "messages/files/plan.pdf"}]), "[file: plan.pdf]"),
        (_written("https://ex.org", share={"link": "https://ex.org"}), "https://ex.org"),
        (_written("naïve"), "naïve"),
    ],
)
def test_what_messenger_sends_beside_text(tmp_path: Path, said: dict[str, Any], text: str) -> None:
    [message] = messages(put(tmp_path, "message_1.json", _messenger(said)))
    assert message.text == text


@pytest.mark.parametrize(
    ("sender", "text"),
    [
        ("Ana Silva", "Reacted ❤️ to your message "),
        ("Ana Silva", "Liked a message"),
        ("Ana Silva", "Ana left the group."),
        ("Ana Silva", "Ana Silva named the group Boat: crew!"),
        ("Ana Silva", "Ana called you."),
        ("Ana Silva", "You sent an attachment."),
        ("Ana Silva", "Bo missed your video chat."),
        ("Zoë Müller", "Zoë hat einen Anhang gesendet."),
        ("Zoë Müller", "Reaccionó con 😂 a tu mensaje"),
        ("Zoë Müller", "A aimé un message"),
        ("Zoë Müller", 'Ha messo "Mi piace" a un messaggio'),
        ("Zoë Müller", "Curtiu uma mensagem"),
        ("Zoë Müller", "Zoë heeft de groep verlaten."),
    ],
)
def test_what_messenger_itself_writes_is_left_out(tmp_path: Path, sender: str, text: str) -> None:
    people = [{"name": "Bo"}, {"name": "Ana Silva"}, {"name": "Zoë Müller"}]
    said = [_written("hello", 1700000002000), _written(text, sender_name=sender)]
    chat = json.dumps(_messenger(*said, participants=people), ensure_ascii=False)
    as_characters = chat.encode().decode("latin-1")
    encrypted = {"participants": [each["name"] for each in people], "threadName": "Bo_7", "messages": [
        {"isUnsent": False, "media": [], "senderName": sender, "text": text, "timestamp": 1700000000000},
        {"isUnsent": False, "media": [], "senderName": "Bo", "text": "hello", "timestamp": 1700000002000},
    ]}  # fmt: skip
    for name, content in (("message_1.json", as_characters), ("encrypted.json", json.dumps(encrypted))):
        assert [each.text for each in messages(put(tmp_path, name, content))] == ["hello"]


@pytest.mark.parametrize(
    "text",
    [
        "I liked a message he sent",
        "Liked a message, then the line went dead",
        "Liked a message\nor two",
        "Cy left the group.",  # a person tells of another
        "Reacted badly to your message",
        "You missed a call from mum.",
        "You sent an attachment. Which one?",
    ],
)
def test_what_a_person_wrote_to_messenger_stays(tmp_path: Path, text: str) -> None:
    [message] = messages(put(tmp_path, "message_1.json", _messenger(_written(text))))
    assert message.text == text


@pytest.mark.parametrize(
    "changes",
    [
        {"type": "Call", "call_duration": 0},
        {"call_duration": 61},
        {"type": "Subscribe"},
        {"users": [{"name": "Cy"}]},
    ],
)
def test_of_messenger_calls_and_who_came_are_left_out_in_any_words(tmp_path: Path, changes: dict[str, Any]) -> None:
    chat = _messenger(_written("hello", 1700000002000), _written("Бо і Ана тепер разом.", **changes))
    assert [each.text for each in messages(put(tmp_path, "message_1.json", chat))] == ["hello"]


def test_of_messenger_what_stands_beside_its_own_words_is_kept(tmp_path: Path) -> None:
    share = {"link": "https://ex.org/boat", "share_text": "A boat for two"}
    [message] = messages(put(tmp_path, "message_1.json", _messenger(_written("Bo sent an attachment.", share=share))))
    assert message.text == "A boat for two\nhttps://ex.org/boat"


# -- Signal -----------------------------------------------------------------------------------------------------------


def test_of_signal_export_a_message_a_line() -> None:
    found = messages(sample("signal/Ana_Silva/data.json"))
    assert [(each.speaker, each.text, each.conversation) for each in found] == [
        ("Me", "hello Ana", "Ana_Silva"), ("Ana", "hi!\n[image]", "Ana_Silva"),
    ]  # fmt: skip
    assert found[1].said_at == datetime(2024, 1, 15, 10, 31, 5)


def test_of_signal_xml_texts_pictures_and_no_drafts() -> None:
    found = messages(sample("signal/messages.xml"))
    assert [(each.speaker, each.text, each.conversation) for each in found] == [
        ("Ana Silva", "are you & Bo in?", "Ana Silva"), ("me", "yes, at 8", "Ana Silva"),
        ("+447700900999", "look\n[image]", "+447700900999"),
    ]  # fmt: skip


def test_of_signal_xml_what_was_read_before_it_breaks_off(tmp_path: Path) -> None:
    whole = sample("signal/messages.xml").read_text(encoding="utf-8")
    found = records(put(tmp_path, "a.xml", whole[: whole.index("yes, at 8")]))
    assert [each.text for each in found if isinstance(each, Message)] == ["are you & Bo in?"]
    assert next(each.reason for each in found if isinstance(each, Problem)).startswith("broken XML")


def test_xml_that_unfolds_is_refused(tmp_path: Path) -> None:
    bomb = (
        '<!DOCTYPE smses [<!ENTITY a "aaaaaaaaaa">]><smses><sms address="1" date="1705314600000" body="&a;"/></smses>'
    )
    found = records(put(tmp_path, "a.xml", bomb), format_name="signal")
    assert [type(each) for each in found] == [Problem]


# -- Gemini -----------------------------------------------------------------------------------------------------------


def test_of_gemini_prompts_with_their_answers_the_oldest_first() -> None:
    found = messages(sample("gemini/My Activity.json"))
    assert [(each.role, each.text.splitlines()[0]) for each in found] == [
        ("user", "name a whale"), ("assistant", "The blue whale & its kin."),
        ("user", "how deep is the ocean?"), ("assistant", "About 3,700 metres on average."),
    ]  # fmt: skip
    assert found[3].text.endswith("\n- Pacific: 4,280\n- Arctic: 1,205")
    assert len({each.id for each in found}) == 4


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>a</p><p>b<br/>c</p>", "a\n\nb\nc"),
        ("<script>x()</script>a &lt; b&nbsp;c", "a < b c"),
        ("<ol><li>one</li><li>two", "- one\n- two"),
        ("a<blockquote>b</blockquote>c", "a\n> b\nc"),
        ("<p>a\n  b", "a b"),
    ],
)
def test_html_as_it_is_seen(html: str, text: str) -> None:
    assert html_text(html) == text


# -- e-mail -----------------------------------------------------------------------------------------------------------


def test_of_mail_what_each_wrote_without_quotes_and_signatures() -> None:
    first, second = messages(sample("mail/thread.mbox"))
    assert first.text == ("Boat in May\nShall we take the café's boat on 4 May?\nFrom eight in the morning, I mean.")
    assert (first.speaker, first.conversation, first.id) == ("Ana Silva", "Boat in May", "<1@example.org>")
    assert first.said_at is not None
    assert first.said_at.utcoffset() == timedelta(hours=1)
    assert (second.speaker, second.text) == ("Li, Bo", "Yes! 85 euros for the day.\n[file: prices.pdf]")
    assert second.conversation == "Boat in May"


def test_of_mail_html_and_a_prefix_of_another_language() -> None:
    [message] = messages(sample("mail/one.eml"))
    assert (message.speaker, message.text, message.conversation) == ("cy", "I come too,\nwith cake.", "Boat in May")


_HEADERS = "From: Ana <ana@ex.org>\nDate: Mon, 15 Jan 2024 10:30:00 +0000\nMessage-ID: <a@ex.org>\nSubject: Re: x\n"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("yes\n\n> do you?\n\nno\n\n> or not?\n", "yes\n\n\nno"),
        ("Ja, gern!\n\nAm 15.01.2024 um 10:30 schrieb Bo <bo@ex.org>:\n\n> Kommst du?\n", "Ja, gern!"),
        ("Bien sûr.\n\nLe 15 janv. 2024 à 10:30, Bo <bo@ex.org> a écrit :\n\n> Tu viens ?\n", "Bien sûr."),
    ],
)
def test_of_mail_what_is_quoted_in_any_place_and_language(tmp_path: Path, body: str, text: str) -> None:
    [message] = messages(put(tmp_path, "a.eml", f"{_HEADERS}Content-Type: text/plain; charset=utf-8\n\n{body}"))
    assert message.text == text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            "Please bring:\n\n- bread\n- cheese\n\nSee you there.",
            "Please bring:\n\n- bread\n- cheese\n\nSee you there.",
        ),
        ("Come at 8.\nTake the bus to the harbour.", "Come at 8.\nTake the bus to the harbour."),
        ("Hi Bo,\nThanks, that helps.\nI come at 8.", "Hi Bo,\nThanks, that helps.\nI come at 8."),
        ("I come at 8.\n\nBest regards,\nAna Silva\n+44 7700 900123", "I come at 8."),
        ("I come at 8.\n\nThanks, Ana", "I come at 8."),
        ("Jeg kommer kl. 8.\n\nHilsen fra Ana\nRådhuset", "Jeg kommer kl. 8."),
        ("Ich komme um 8.\n\nViele Grüße\nAna", "Ich komme um 8."),
        ("Ik kom om 8.\n\nMet vriendelijke groeten,\nAna", "Ik kom om 8."),
        ("I come at 8.\n\nSent from my iPhone", "I come at 8."),
        ("I come at 8.\n--\nAna", "I come at 8."),
    ],
)
def test_of_mail_what_is_a_signature_and_what_is_not(tmp_path: Path, body: str, text: str) -> None:
    [message] = messages(put(tmp_path, "a.eml", f"{_HEADERS}Content-Type: text/plain; charset=utf-8\n\n{body}\n"))
    assert message.text == text


_HEADER_OF_ANOTHER = (
    "From: Bo Li <bo@ex.org>\nDate: Mon, 15 Jan 2024\nSubject: x\nTo: Ana <ana@ex.org>,\n Cy <cy@ex.org>\n"
)


@pytest.mark.parametrize(
    ("subject", "body"),
    [
        ("Fwd: x", f"Look!\n\n---------- Forwarded message ---------\n{_HEADER_OF_ANOTHER}\nIt costs 85.\n"),
        ("x", f"Look!\n\n-------- Weitergeleitete Nachricht --------\n{_HEADER_OF_ANOTHER}\n\nIt costs 85.\n"),
        (
            "Fwd: x",
            "Look!\n\nBegin forwarded message:\n\n> From: Bo Li <bo@ex.org>\n> Subject: x\n> \n> It costs 85.\n",
        ),
        ("Fwd: x", "Look!\n\n> Begin forwarded message:\n> \n> From: Bo Li <bo@ex.org>\n> \n> It costs 85.\n"),
        ("FW: x", f"Look!\n\n{_HEADER_OF_ANOTHER}\nIt costs 85.\n"),
        (
            "WG: x",
            "Look!\n\n________________________________\nVon: Bo Li\nGesendet: Montag\nBetreff: x\n\nIt costs 85.\n",
        ),
        (
            "Fwd: x",
            f"Look!\n\n---------- Forwarded message ---------\n{_HEADER_OF_ANOTHER}\nIt costs 85.\n\n"
            "On Mon, Jan 15, 2024 at 10:30 AM Ana <ana@ex.org> wrote:\n> how much?\n",
        ),
    ],
)
def test_of_mail_what_is_forwarded_with_who_wrote_it(tmp_path: Path, subject: str, body: str) -> None:
    headers = _HEADERS.replace("Subject: Re: x", f"Subject: {subject}")
    [message] = messages(put(tmp_path, "a.eml", f"{headers}Content-Type: text/plain; charset=utf-8\n\n{body}"))
    assert message.text.removeprefix("x\n") == "Look!\nforwarded, from Bo Li:\nIt costs 85."


@pytest.mark.parametrize(
    "body",
    [
        f"yes\n\nOn Mon, Jan 15, 2024 at 10:30 AM Bo <bo@ex.org> wrote:\n\n---------- Forwarded message ---------\n"
        f"{_HEADER_OF_ANOTHER}\nIt costs 85.\n",
        "yes\n\n> ---------- Forwarded message ---------\n> From: Bo Li <bo@ex.org>\n> \n> It costs 85.\n",
        f"yes\n\n{_HEADER_OF_ANOTHER}\nIt costs 85.\n",
    ],
)
def test_of_mail_what_a_reply_quotes_of_a_forward_is_no_forward(tmp_path: Path, body: str) -> None:
    headers = _HEADERS.replace("Re: x", "Re: Fwd: x")
    [message] = messages(put(tmp_path, "a.eml", f"{headers}Content-Type: text/plain; charset=utf-8\n\n{body}"))
    assert message.text == "yes"


def test_of_mail_one_that_was_forwarded_as_a_file(tmp_path: Path) -> None:
    inner = "From: Bo Li <bo@ex.org>\nSubject: Boat\n\nIt costs 85.\n"
    mixed = (
        f'{_HEADERS}MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary="b"\n\n--b\n\nLook!\n--b\n'
        f"Content-Type: message/rfc822\n\n{inner}\n--b--\n"
    )
    assert [each.text for each in messages(put(tmp_path, "a.eml", mixed))] == [
        "Look!\nforwarded, from Bo Li:\nIt costs 85."
    ]
    report = mixed.replace("multipart/mixed", "multipart/report")
    assert [each.text for each in messages(put(tmp_path, "a.eml", report))] == ["Look!"]


@pytest.mark.parametrize(
    ("labels", "is_kept"),
    [
        ("Inbox,Opened", True),
        ("Spam,Unread", False),
        ("Archived,Trash", False),
        ("=?UTF-8?Q?Papierkorb,Ge=C3=B6ffnet?=", False),
        ("Anti-Spam", True),
    ],
)
def test_of_mail_what_gmail_threw_away_is_left_out(tmp_path: Path, labels: str, *, is_kept: bool) -> None:
    mail = f"From 1@xxx Mon Jan 15 10:30:00 +0000 2024\nX-Gmail-Labels: {labels}\n{_HEADERS}\nhello\n\n"
    other = f"From 2@xxx Mon Jan 15 10:30:00 +0000 2024\n{_HEADERS}\nbye\n\n"
    found = messages(put(tmp_path, "All mail.mbox", mail + other))
    assert [each.text for each in found] == ["hello", "bye"][not is_kept :]


def test_of_mail_one_that_cannot_be_read_costs_no_other(tmp_path: Path) -> None:
    broken = "From x Mon Jan 15 10:30:00 2024\nFrom: Bo <bo@ex.org>\nDate: soon\nMessage-ID: <b@ex.org>\n\nlater\n\n"
    odd = f"From x Mon Jan 15 10:30:00 2024\n{_HEADERS}Content-Type: text/plain; charset=nothing\n\nhello\n\n"
    found = records(put(tmp_path, "a.mbox", broken + odd))
    assert next(each.text for each in found if isinstance(each, Message)) == "later"
    assert "date not understood" in next(each.reason for each in found if isinstance(each, Problem))


def test_a_note_with_a_sender_is_no_mail() -> None:
    assert detect(b"From: Ana\nhello\nAna: a\nBo: b\nAna: c\nBo: d\n").name == "plain"


# -- notes ------------------------------------------------------------------------------------------------------------

_NOTE = """---
tags: [boat]
created: 2024-05-03
---
# Boats
Bought the [[Curlew|red dinghy]] from [[Tomas]].

## Mooring
Berth 14, 300 a year.
```
# no heading
```
### Empty
"""


def test_notes_by_file_and_heading(tmp_path: Path) -> None:
    put(tmp_path, "sailing/boats.md", _NOTE)
    put(tmp_path, "sailing/2024-06-01.md", "Sailed to Porto.")
    put(tmp_path, "sailing/.obsidian/app.md", "hidden")
    put(tmp_path, "sailing/photo.jpg", b"\xff\xd8")
    found = [each for source in sources([tmp_path], None, "notes") for each in read(source, "notes")]
    assert [(each.text, each.said_at, each.session) for each in found if isinstance(each, Message)] == [
        ("Sailed to Porto.", datetime(2024, 6, 1), "2024-06-01.md"),
        ("Boats\nBought the red dinghy from Tomas.", datetime(2024, 5, 3), "boats.md"),
        ("Boats › Mooring\nBerth 14, 300 a year.\n```\n# no heading\n```", datetime(2024, 5, 3), "boats.md"),
    ]
    assert {(each.speaker, each.conversation) for each in found if isinstance(each, Message)} == {("me", "sailing")}


_ORG_NOTE = """#+TITLE: Boats
#+DATE: <2024-05-03 Fri>

For the summer.
* Boats
:PROPERTIES:
:ID:       7
:CATEGORY:
:END:
Bought [[id:7][red dinghy]] [[file:photos/dinghy.png]], see [[https://ex.org]].
** TODO Mooring
Berth 14, *not* 15.
:LOGBOOK:
CLOCK: [2024-05-03 Fri 10:00]--[2024-05-03 Fri 11:00] =>  1:00
  :END:
* Crew
Ana
:skipper:
Bo
"""


def test_of_org_notes_by_heading(tmp_path: Path) -> None:
    found = messages(put(tmp_path, "sailing/boats.org", _ORG_NOTE), format_name="notes")
    assert [each.text for each in found] == [
        "For the summer.",
        "Boats\nBought red dinghy [image], see https://ex.org.",
        "Boats › TODO Mooring\nBerth 14, *not* 15.",
        "Crew\nAna\n:skipper:\nBo",
    ]
    assert {each.said_at for each in found} == {datetime(2024, 5, 3)}


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("![[photos/dinghy.png]]", "[image]"),
        ("![[dinghy.png|300]] afloat", "[image] afloat"),
        ("![[song.mp3]]", "[audio]"),
        ("![[plan.pdf#page=2]]", "[file: plan.pdf]"),
        ("![[Crew]] and ![[Version 1.2]]", "Crew and Version 1.2"),
        ("[[dinghy.png]]", "dinghy.png"),
        ("![](photos/dinghy.png) afloat", "[image] afloat"),
        ('![the dinghy](https://ex.org/d.jpg?w=300 "Mine")', "[image] the dinghy"),
        ("![](https://ex.org/badge), ![](plan.pdf)", "[image], [file: plan.pdf]"),
        ("[a link](https://ex.org), wow!", "[a link](https://ex.org), wow!"),
        ("`![](a.png)`", "`![](a.png)`"),
        ("a %%not this%% b", "a  b"),
        ("a\n%%\n# not this\n%%\nb", "a\n\nb"),
        ("50 %% of it", "50 %% of it"),
        ("`a %% b` and `%%`", "`a %% b` and `%%`"),
        ("a\n```dataview\nTABLE x\n```\nb", "a\n\nb"),
        ("a\n```python\nx %% y %% z\n```", "a\n```python\nx %% y %% z\n```"),
        ("a\n```dataview\nTABLE x", "a\n```dataview\nTABLE x"),  # which never ends
    ],
)
def test_of_obsidian_what_it_shows(tmp_path: Path, written: str, shown: str) -> None:
    [message] = messages(put(tmp_path, "sailing/boats.md", written), format_name="notes")
    assert message.text == shown


def test_of_plain_text_what_obsidian_would_hide_is_kept(tmp_path: Path) -> None:
    [message] = messages(put(tmp_path, "boats.txt", "a %% b %% c"), format_name="notes")
    assert message.text == "a %% b %% c"


def test_of_notes_what_is_hidden_within_their_folder_or_empty_is_left_out(tmp_path: Path) -> None:
    vault = tmp_path / ".notes"
    put(tmp_path, ".notes/boats.md", _NOTE)
    put(tmp_path, ".notes/.trash/sailing/old.md", "thrown away")
    put(tmp_path, ".notes/Untitled.md", "")
    passed_over: list[Path] = []
    assert [source.path for source in sources([vault], passed_over.append, "notes")] == [vault / "boats.md"]
    assert {path.name for path in passed_over} == {"old.md", "Untitled.md"}


def test_a_note_is_no_transcript_unless_it_is_asked_for(tmp_path: Path) -> None:
    put(tmp_path, "a.md", _NOTE)
    with pytest.raises(InputUnreadable, match="no transcripts"):
        list(sources([tmp_path]))


# -- iMessage ---------------------------------------------------------------------------------------------------------

_START = 726_000_000  # seconds after 2001


def _archive(text: str) -> bytes:
    data = text.encode()
    size = bytes([len(data)]) if len(data) < 128 else b"\x81" + len(data).to_bytes(2, "little")
    head = b"\x04\x0bstreamtyped\x81\xe8\x03\x84\x01@\x84\x84\x84\x12NSAttributedString\x00\x84\x84\x08NSObject\x00"
    return (
        head + b"\x85\x92" + b"\x84\x84\x84\x08NSString\x01\x94\x84\x01+" + size + data + b"\x86\x84\x02iI\x01\x05\x92"
    )


def _database(path: Path, rows: list[tuple[Any, ...]]) -> Path:
    path.write_bytes(imessage(rows))
    return path


def test_of_imessage_texts_archives_files_and_no_reactions(tmp_path: Path) -> None:
    long = "é" * 100
    path = _database(
        tmp_path / "chat.db",
        [
            ("hello", None, _START * 10**9, 0, 0, 1),
            (None, _archive("typed stream"), (_START + 60) * 10**9, 1, 0, 1),
            ("\ufffc", None, (_START + 120) * 10**9, 0, 0, 2),
            (None, _archive(long), (_START + 180) * 10**9, 0, 0, 2),
            ("Liked “hello”", None, (_START + 240) * 10**9, 1, 2001, 1),
        ],
    )
    before = path.read_bytes()
    found = messages(path)
    assert [(each.speaker, each.text, each.conversation) for each in found] == [
        ("+447700900123", "hello", "+447700900123"), ("me", "typed stream", "+447700900123"),
        ("+447700900123", "[image]", "Boat crew"), ("+447700900123", long, "Boat crew"),
    ]  # fmt: skip
    assert found[0].said_at == datetime(2001, 1, 1, tzinfo=UTC) + timedelta(seconds=_START)
    assert path.read_bytes() == before


def test_of_imessage_seconds_as_older_systems_have_them(tmp_path: Path) -> None:
    [message] = messages(_database(tmp_path / "sms.db", [("a", None, _START, 0, 0, 1)]))
    assert message.said_at == datetime(2001, 1, 1, tzinfo=UTC) + timedelta(seconds=_START)


def test_a_database_whose_schema_stands_elsewhere_is_read_where_it_is_named(tmp_path: Path) -> None:
    path = _database(tmp_path / "chat.db", [("a", None, _START, 0, 0, 1)])
    head = path.read_bytes()[:100] + b"\x00" * 4000  # a schema of a hundred columns begins on a page of its own
    assert detect(head).name == "imessage"
    assert recognise(head) is None


def test_a_database_of_something_else_is_no_imessage(tmp_path: Path) -> None:
    path = _database(tmp_path / "chat.db", [("a", None, _START, 0, 0, 1)])
    data = bytearray(path.read_bytes())
    data[100:3000] = b"\xff" * 2900
    [problem] = records(put(tmp_path, "broken.db", bytes(data)), format_name="imessage")
    assert isinstance(problem, Problem)
    assert "not a database of Messages" in problem.reason


def test_a_database_whose_fault_cannot_be_worded_is_said_to_have_one(tmp_path: Path) -> None:
    whole = imessage([("a", None, _START, 0, 0, 1)])
    data = whole.replace(b"CREATE TABLE message (", b"CR\x80ATE TABLE message (")  # SQLite's error quotes it as it is
    assert data != whole
    [problem] = records(put(tmp_path, "broken.db", data), format_name="imessage")
    assert isinstance(problem, Problem)
    assert "not a database of Messages" in problem.reason
