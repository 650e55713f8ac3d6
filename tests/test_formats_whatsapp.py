"""WhatsApp: the order of day and month, clocks, marks of direction, lines of WhatsApp's own, media, and memory."""

from __future__ import annotations

import io
import sys
import tracemalloc
from datetime import datetime
from pathlib import Path

import pytest

from memcli.formats import Message, Problem, Source, read
from memcli.memory import Memory

from .formats import messages, put, records, sample, zipped


def _texts(path: Path) -> list[tuple[str, str]]:
    return [(message.speaker, message.text) for message in messages(path)]


def test_of_android_lines_of_a_message_are_one_and_lines_of_whatsapps_own_none() -> None:
    found = messages(sample("whatsapp/android_24h_dmy.txt"))
    assert [(each.speaker, each.text, each.said_at) for each in found] == [
        ("Ana", "Hello!\nsecond line of the same message", datetime(2024, 1, 15, 10, 30)),
        ("Bo", "[media]", datetime(2024, 1, 15, 10, 31)),
        ("Bo", "note: colon inside", datetime(2024, 1, 15, 10, 33)),
    ]


def test_of_ios() -> None:
    found = messages(sample("whatsapp/ios_12h_mdy.txt"))
    assert [(each.speaker, each.text, each.said_at) for each in found] == [
        ("Ana", "Hello!", datetime(2024, 1, 15, 10, 30, 7)),
        ("Bo", "[image]", datetime(2024, 1, 15, 10, 31)),
        ("Cleo", "unsaved contact", datetime(2024, 1, 15, 13, 5)),
    ]


@pytest.mark.parametrize(
    ("dates", "first"),
    [
        (["03/04/2024", "25/04/2024"], (2024, 4, 3)),  # a number above 12 is a day, wherever in the file
        (["03/04/2024", "04/25/2024"], (2024, 3, 4)),
        (["1/2/24", "2/2/24", "3/2/24"], (2024, 2, 1)),  # time goes forward: either reading may, days in steps of one
        (["2/1/24", "2/2/24", "1/3/24"], (2024, 1, 2)),  # as months first it would go back
        (["1/31/24", "2/1/24"], (2024, 1, 31)),
        (["03.04.24"], (2024, 4, 3)),
        (["2024-04-03"], (2024, 4, 3)),
        (["2024/4/3"], (2024, 4, 3)),
        (["3. 4. 2024"], (2024, 4, 3)),
        (["32/04/03"], (2032, 4, 3)),
    ],
)
def test_the_order_of_day_and_month_is_inferred_from_the_whole_file(
    tmp_path: Path, dates: list[str], first: tuple[int, int, int]
) -> None:
    text = "".join(f"{date}, 10:30 - Ana: hi\n" for date in dates)
    assert messages(put(tmp_path, "chat.txt", text))[0].said_at == datetime(*first, 10, 30)


@pytest.mark.parametrize(
    ("stamp", "hour"),
    [
        ("15/01/2024, 22:30 - ", 22),
        ("15/01/2024 22.30 - ", 22),
        ("15/01/2024, 10:30 pm - ", 22),
        ("15/01/2024, 10:30\u202fPM - ", 22),
        ("15/01/2024, 10:30\u00a0p.\u00a0m. - ", 22),
        ("15/01/2024, 12:30 am - ", 0),
        ("15/01/2024, 12:30 PM - ", 12),
        ("[15.01.24, 22:30:00] ", 22),
        ("\u200e[15/01/2024, 10:30:00 PM] ", 22),
        ("١٥\u200f/١\u200f/٢٠٢٤، ١٠:٣٠ م - ", 22),
        ("15.01.24, 22:30:00: ", 22),
        ("2024/1/15 下午10:30 - ", 22),
        ("2024. 1. 15. 오후 10:30 - ", 22),
    ],
)
def test_clocks_of_the_world(tmp_path: Path, stamp: str, hour: int) -> None:
    [message] = messages(put(tmp_path, "chat.txt", f"{stamp}Ana: hi\n"))
    assert message.said_at == datetime(2024, 1, 15, hour, 30)
    assert (message.speaker, message.text) == ("Ana", "hi")


def test_an_american_clock_suggests_american_dates(tmp_path: Path) -> None:
    assert messages(put(tmp_path, "chat.txt", "3/4/24, 1:00 PM - Ana: hi\n"))[0].said_at == datetime(2024, 3, 4, 13)
    assert messages(put(tmp_path, "chat.txt", "3/4/24, 13:00 - Ana: hi\n"))[0].said_at == datetime(2024, 4, 3, 13)


@pytest.mark.parametrize(
    "line",
    [
        "15/01/2024, 10:30 - Ana created group “Trip: Rome”",
        "15/01/2024, 10:30 - Ana added Bo",
        "15/01/2024, 10:30 - Ana: This message was deleted",
        "15/01/2024, 10:30 - Ana: You deleted this message.",
        "[15/01/2024, 10:30:00] Trip: \u200eAna added Bo",
        "\u200e[15/01/2024, 10:30:00] Ana: \u200eMissed voice call",
        "[15/01/2024, 10:30:00] Ana: \u200eThis message was deleted.",
    ],
)
def test_lines_of_whatsapps_own(tmp_path: Path, line: str) -> None:
    assert _texts(put(tmp_path, "chat.txt", f"{line}\n15/01/2024, 10:31 - Bo: hi\n")) == [("Bo", "hi")]


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("<Media omitted>", "[media]"),
        ("<Medien ausgeschlossen>", "[media]"),
        ("IMG-20240115-WA0001.jpg (file attached)\na caption", "[image]\na caption"),
        ("plan.pdf (file attached)", "[file: plan.pdf]"),
        ("\u200eimage omitted", "[image]"),
        ("\u200evideo omitted", "[video]"),
        ("\u200eGIF omitted", "[gif]"),
        ("\u200eContact card omitted", "[contact]"),
        ("\u200e<attached: 00000012-AUDIO-2024-01-15.opus>", "[audio]"),
        ("\u200e<Anhang: 00000013-plan.pdf>", "[file: plan.pdf]"),
        ("plan.pdf • \u200e3 pages \u200edocument omitted", "[file: plan.pdf]"),
        ("\u200ePOLL:\nWhen?\nOPTION: now (1 vote)", "POLL:\nWhen?\nOPTION: now (1 vote)"),
        ("\u200eLocation: https://maps.google.com/?q=1,2", "Location: https://maps.google.com/?q=1,2"),
        ("see you <This message was edited>", "see you"),
        ("nos vemos <Se editó este mensaje.>", "nos vemos"),
        ("tot zo <Dit bericht is bewerkt>", "tot zo"),
        ("до встречи <Сообщение изменено>", "до встречи"),
        ("görüşürüz <Bu mesaj düzenlendi>", "görüşürüz"),
        ("sampai jumpa <Pesan ini diedit>", "sampai jumpa"),
        ("a\n\u200eb <ההודעה נערכה>", "a\nb"),
        ("the <edit> tag", "the <edit> tag"),
        ("live location shared", "[location]"),
        ("\u200eLive-Standort wird geteilt", "[location]"),
        ("a < b and <i>c</i>", "a < b and <i>c</i>"),
        ("ok \u2068@Bo\u2069", "ok @Bo"),
        ("null", "null"),
        ("", None),
    ],
)
def test_media_and_marks(tmp_path: Path, said: str, text: str | None) -> None:
    path = put(tmp_path, "chat.txt", f"[15/01/2024, 10:30:00] Ana: {said}\n[15/01/2024, 10:31:00] Bo: hi\n")
    assert _texts(path) == [*([("Ana", text)] if text else []), ("Bo", "hi")]


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("WhatsApp Chat with Ana Silva.txt", "Ana Silva"),
        ("WhatsApp Chat with Ana (2).txt", "Ana"),
        ("WhatsApp-Chat mit Ana.txt", "Ana"),
        ("Conversa do WhatsApp com Ana.txt", "Ana"),
        ("WhatsApp Chat - Ana/_chat.txt", "Ana"),
        ("ana.txt", "ana"),
    ],
)
def test_the_chat_is_named_by_the_file(tmp_path: Path, place: str, name: str) -> None:
    assert messages(put(tmp_path, place, "15/01/2024, 10:30 - Ana: hi\n"))[0].conversation == name


def test_in_a_zip_the_chat_is_named_by_the_zip(tmp_path: Path) -> None:
    text = "[15/01/2024, 10:30:00] Ana: hi\n"
    path = put(tmp_path, "WhatsApp Chat - Ana.zip", zipped({"_chat.txt": text, "1.jpg": b"\xff\xd8\x00"}))
    assert messages(path)[0].conversation == "Ana"


def test_the_same_words_twice_in_a_minute_are_two_messages(tmp_path: Path) -> None:
    path = put(tmp_path, "chat.txt", "15/01/2024, 10:30 - Ana: ok\n" * 3)
    memory = Memory(tmp_path / "store", embedder="fake")
    assert [memory.ingest([path]).added for _ in range(2)] == [3, 0]


def test_what_was_stored_with_words_of_whatsapps_own_does_not_come_twice(tmp_path: Path) -> None:
    said = ("nos vemos <Se editó este mensaje.>", "live location shared", "see you <This message was edited>", "bye")
    text = "".join(f"[15/01/2024, 10:3{n}:00] Ana: {each}\n" for n, each in enumerate(said))
    found = messages(put(tmp_path, "chat.txt", text))
    assert [each.text for each in found] == ["nos vemos", "[location]", "see you", "bye"]
    assert [each.id for each in found] == [  # what version 0.2.0 made of them
        "1dd87e21e53c51d1", "0bd1aafaa2d03982", "b37fdb65229ab473", "17586a0abd3d5464",
    ]  # fmt: skip


def test_what_a_newer_export_tells_about_the_order_of_dates_makes_nothing_new(tmp_path: Path) -> None:
    memory = Memory(tmp_path / "store", embedder="fake")
    old = "01/02/2024, 10:30 - Ana: one\n"
    assert memory.ingest([put(tmp_path, "chat.txt", old)]).added == 1
    assert memory.ingest([put(tmp_path, "chat.txt", old + "02/25/2024, 10:30 - Ana: two\n")]).added == 1


def test_a_date_that_is_none_is_told_once_and_the_messages_are_kept(tmp_path: Path) -> None:
    stamps = {"a": "31/01/2024, 10:30", "b": "31/02/2024, 10:30", "c": "32/02/2024, 10:30", "d": "31/01/2024, 25:30"}
    text = "".join(f"{stamp} - Ana: {said}\n" for said, stamp in stamps.items())
    found = records(put(tmp_path, "chat.txt", text))
    assert [(each.text, each.said_at is None) for each in found if isinstance(each, Message)] == [
        ("a", False), ("b", True), ("c", True), ("d", True),
    ]  # fmt: skip
    [problem] = [each for each in found if isinstance(each, Problem)]
    assert not problem.kept_out


def test_from_a_pipe_it_is_read_once_and_inferred_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    data = b"03/04/2024, 10:30 - Ana: hi\n04/25/2024, 10:30 - Bo: ho\n"
    monkeypatch.setattr(sys, "stdin", type("Stdin", (), {"closed": False, "buffer": io.BytesIO(data)})())
    found = [record for record in read(Source(None)) if isinstance(record, Message)]
    assert [each.said_at for each in found] == [datetime(2024, 3, 4, 10, 30), datetime(2024, 4, 25, 10, 30)]


def test_a_message_of_10_mb_is_one_message(tmp_path: Path) -> None:
    path = put(tmp_path, "chat.txt", "15/01/2024, 10:30 - Ana: " + "word " * 2**21 + "\n" + "line\n" * 1000)
    [message] = messages(path)
    assert len(message.text) > 10 * 2**20


def test_invalid_utf8_is_told_once(tmp_path: Path) -> None:
    found = records(put(tmp_path, "chat.txt", b"15/01/2024, 10:30 - Ana: caf\xe9\n\xff\n"))
    [problem] = [each for each in found if isinstance(each, Problem)]
    assert problem.where.endswith("chat.txt:1")
    assert problem.reason.startswith("invalid UTF-8")
    assert not problem.kept_out


def test_memory_is_flat_in_the_number_of_lines(tmp_path: Path) -> None:
    peaks = []
    for count in (3_000, 30_000):
        lines = (f"0{i % 9 + 1}/02/2024, 10:{i // 9 % 60:02} - Ana: text {i}\n" for i in range(count))
        source = Source(put(tmp_path, "chat.txt", "".join(lines)))
        tracemalloc.start()
        assert sum(1 for _ in read(source)) == count
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.1 * peaks[0] < 4 * 2**20
