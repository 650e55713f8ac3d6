"""Redaction: secrets never reach the store, and what is no secret stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memcli.formats import Message
from memcli.formats.redaction import Redactor
from memcli.memory import Memory
from tests.conftest import Ran
from tests.proportion import LINEAR, growth

Cli = Callable[..., Ran]

_PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKC\nAQEA\n-----END RSA PRIVATE KEY-----"
SECRETS = {
    "AKIAIOSFODNN7EXAMPLE": "aws access key",
    "ghp_" + "a1B2c3D4e5F6a7B8c9D0a1B2c3D4e5F6a7B8": "github token",
    "xoxb-123456789012-abcdefABCDEF": "slack token",
    "sk-ant-api03-" + "Zq9" * 12: "api key",
    "AIza" + "Sy0" * 11 + "ab": "api key",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-def_ghi": "json web token",
    _PEM: "private key",
    "ana.b+c@mail.example.co.uk": "e-mail address",
    "4111 1111 1111 1111": "card number",
    "5500-0000-0000-0004": "card number",
    "378282246310005": "card number",
}


@pytest.mark.parametrize(("secret", "kind"), SECRETS.items())
def test_a_secret_goes_whole(secret: str, kind: str) -> None:
    counts: Counter[str] = Counter()
    assert Redactor().redact(f"Here: {secret} – keep it.", counts) == f"Here: [redacted: {kind}] – keep it."
    assert counts == {kind: 1}


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("password = 'hunter2!!'", "password = '[redacted: password]'"),
        ("My password is hunter22, right?", "My password is [redacted: password], right?"),
        ('{"api_key": "abcdefgh"}', '{"api_key": "[redacted: password]"}'),
        ("git clone https://ana:s3cret@host.org/x", "git clone https://[redacted: password]@host.org/x"),
        ("AKIA\u200eIOSFODNN7EXAMPLE", "[redacted: aws access key]"),
    ],
)
def test_passwords_and_hidden_secrets(text: str, redacted: str) -> None:
    assert Redactor().redact(text, Counter()) == redacted


@pytest.mark.parametrize(
    "text",
    [
        "The password is lovely, and the token is gone.",
        "Meet me at 10:30 on 2024-05-20; the order is 1234567890123.",
        "4111 1111 1111 1112 has the wrong check digit.",
        "3.14159265358979 and 1716200000000 and 192.168.0.1",
        "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "Call me on +44 20 7946 0958.",
        "a @ b, x@y, @ana",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    counts: Counter[str] = Counter()
    assert Redactor().redact(text, counts) == text
    assert not counts


@pytest.mark.parametrize("number", ["+44 20 7946 0958", "(555) 123-4567", "555-123-4567"])
def test_telephone_numbers_where_asked_for(number: str) -> None:
    assert Redactor(phones=True).redact(f"Call {number} now.", Counter()) == "Call [redacted: phone number] now."


@given(st.lists(st.sampled_from([*SECRETS, "password: ", "token=", " ", ".", "hello", "x1"]), max_size=8).map("".join))
def test_redacting_twice_changes_nothing_more(text: str) -> None:
    redactor = Redactor(phones=True)
    once = redactor.redact(text, Counter())
    counts: Counter[str] = Counter()
    assert redactor.redact(once, counts) == once
    assert not counts


@pytest.mark.parametrize(
    "part", ["a", "eyJ", "4 ", "4", "a@", "a.", "://a:", "password ", "sk-", "-----BEGIN PRIVATE KEY-----"]
)
def test_hostile_text_takes_no_longer(part: str) -> None:
    redactor = Redactor(phones=True)
    assert growth(lambda size: redactor.redact(part * size, Counter()), 100_000 // len(part)) < LINEAR


def test_nothing_of_it_is_in_the_store(cli: Cli, tmp_path: Path, write: Callable[..., Path]) -> None:
    secrets = [*SECRETS, "s3cr3tword"]
    notes = [{"text": f"Note {i}: {secret} end.", "title": secret} for i, secret in enumerate(SECRETS)]
    path = write("a.jsonl", *notes, {"text": "my password is s3cr3tword"})
    store = tmp_path / "store" / "x.memcli"
    ran = cli("ingest", path, "--redact", "--store", store, "--embedder", "fake", "--json")
    assert ran.code == 0
    assert isinstance(ran.json, dict)
    assert ran.json["added"] == len(secrets)
    assert ran.json["redacted"]["card number"] == 6
    assert ran.json["redacted"]["password"] == 1
    data = b"".join(file.read_bytes() for file in store.parent.iterdir())
    assert not [secret for secret in secrets for line in secret.splitlines()[1:2] or [secret] if line.encode() in data]
    again = cli("ingest", path, "--redact", "--store", store, "--json")
    assert isinstance(again.json, dict)
    assert (again.json["added"], again.json["known"]) == (0, len(secrets))


def test_the_report_in_words(cli: Cli, tmp_path: Path, write: Callable[..., Path]) -> None:
    path = write("a.jsonl", {"text": "a@b.org and c@d.org, +44 20 7946 0958"})
    arguments = ("ingest", path, "--redact-phones", "--store", tmp_path / "x.memcli", "--embedder", "fake")
    ran = cli(*arguments)
    assert ran.err == "1 new message in 1 session; redacted: 2 e-mail address, 1 phone number\n"


def test_without_the_option_nothing_is_redacted_or_loaded(memory: Memory, write: Callable[..., Path]) -> None:
    report = memory.add([Message("Write to a@b.org.")])
    assert not report.redacted
    assert memory.search("write", k=1)[0].unit.text == "Write to a@b.org."
