"""Language models in this process, and fetching them: with a stand-in for llama.cpp, and a server on this machine."""

from __future__ import annotations

import json
import math
import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from memcli.errors import BudgetSpent, ModelUnavailable, UsageError
from memcli.providers import local, offers, servers
from memcli.providers.chances import CHANCE
from memcli.providers.language import ModelMessage, Schema, language_model, short_name
from memcli.providers.local import LocalModel
from memcli.providers.metering import Budget
from memcli.providers.offers import ModelOffer
from memcli.providers.sizes import is_small
from memcli.store.calls import StoredCalls
from memcli.store.connection import Store
from tests.conftest import Ran
from tests.file_server import served

SCHEMA = Schema("answer", {"answer": {"type": "string"}, "from": {"type": "array", "items": {"enum": ["A", "B"]}}})
ASKED = [ModelMessage("user", "What is the cat called?")]
REPLY = {"answer": "Miso", "from": ["A"]}


class Llama:
    """What memcli uses of xllamacpp: it says what it is told to, a few letters at a time."""

    def __init__(self) -> None:
        self.says = json.dumps(REPLY)
        self.finish = "stop"
        self.refuses = ""
        self.params: list[Any] = []
        self.requests: list[Mapping[str, Any]] = []

    def CommonParams(self) -> Any:
        return SimpleNamespace(model=SimpleNamespace(), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace())

    def Server(self, params: Any) -> Llama:
        if b"damaged" in Path(params.model.path).read_bytes():
            raise RuntimeError("Failed to init server, please check the input params.")
        self.params.append(params)
        return self

    def json_schema_to_grammar(self, schema: Mapping[str, Any]) -> str:
        return json.dumps(schema)

    def handle_chat_completions(self, request: Mapping[str, Any], hear: Callable[[Mapping[str, Any]], bool]) -> None:
        self.requests.append(request)
        if self.refuses:
            hear({"error": {"message": self.refuses}})
            return
        for start in range(0, len(self.says), 4):
            piece = self.says[start : start + 4]
            told = {"content": [{"token": piece, "logprob": -0.1, "bytes": list(piece.encode())}]}
            choice = {"delta": {"content": piece}, "finish_reason": None}
            with suppress(BaseException):  # as native code does
                if hear({"choices": [choice | ({"logprobs": told} if request.get("logprobs") else {})]}):
                    return
        hear({"choices": [{"delta": {}, "finish_reason": self.finish}]})
        usage = {"prompt_tokens": 50, "completion_tokens": 9}
        hear({"choices": [], "usage": usage, "timings": {"prompt_per_second": 100.0, "predicted_per_second": 12.5}})


@pytest.fixture
def llama(monkeypatch: pytest.MonkeyPatch) -> Iterator[Llama]:
    made = Llama()
    monkeypatch.setitem(sys.modules, "xllamacpp", made)
    local.engine.cache_clear()
    yield made
    local.engine.cache_clear()


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    """A model of the user's own, called tiny."""
    folder = tmp_path / "data" / "memcli" / "models"
    folder.mkdir(parents=True)
    (folder / "tiny.gguf").write_bytes(b"GGUF and so on")
    return folder / "tiny.gguf"


def test_a_model_by_name_or_path_is_loaded_once_and_bounded(llama: Llama, weights: Path) -> None:
    by_name, by_path = language_model("gguf:tiny"), language_model(f"gguf:{weights}")
    assert (by_name.id, by_name.endpoint) == ("gguf:tiny", "this machine")
    assert [dict(model.complete(ASKED, SCHEMA)) for model in (by_name, by_path)] == [REPLY, REPLY]
    (params,) = llama.params
    assert params.model.path == str(weights)
    assert (params.n_ctx, params.n_parallel, params.cache_ram_mib) == (8192, 1, 256)
    assert 1 <= params.cpuparams.n_threads <= 8
    usage = by_name.meter.read()
    assert (usage.calls, usage.prompt_tokens, usage.completion_tokens) == (1, 50, 9)


def test_nobody_else_can_ask_it(llama: Llama, weights: Path) -> None:
    language_model("gguf:tiny").complete(ASKED, SCHEMA)
    (params,) = llama.params
    if os.name == "posix":
        assert not Path(params.hostnames[0]).parent.exists()
    assert len(params.api_keys[0]) > 30
    assert params.endpoint_slots is params.endpoint_props is False


def test_how_probable_an_answer_is(llama: Llama, weights: Path) -> None:
    weighing = Schema(SCHEMA.name, SCHEMA.properties, weighed="answer")
    reply = language_model("gguf:tiny").complete(ASKED, weighing)
    # of the pieces of four letters the third to the fifth write the value and its quotes
    assert reply == {**REPLY, CHANCE: pytest.approx(math.exp(-0.3))}
    assert llama.requests[-1]["logprobs"] is True
    assert language_model("gguf:tiny").complete(ASKED, SCHEMA) == REPLY
    assert "logprobs" not in llama.requests[-1]


def test_the_form_is_the_grammar_of_the_reply(llama: Llama, weights: Path) -> None:
    language_model("gguf:tiny").complete(ASKED, SCHEMA, most=20)
    (request,) = llama.requests
    form = json.loads(request["grammar"])
    assert form["properties"]["from"]["maxItems"] == 2
    assert form["x-guidance"]["whitespace_flexible"] is False
    assert request["max_tokens"] == 20
    assert request["messages"] == [{"role": "user", "content": "What is the cat called?"}]


def test_a_reply_is_heard_kept_and_never_written_twice(llama: Llama, weights: Path, tmp_path: Path) -> None:
    calls = StoredCalls(Store(tmp_path / "calls.memcli"))
    heard: list[str] = []
    for _ in range(2):
        model = language_model("gguf:tiny", calls=calls)
        model.complete(ASKED, SCHEMA, watch=heard.append)
    assert len(llama.requests) == 1
    assert heard[0] == '{"an'
    assert heard[-1] == heard[-2] == json.dumps(REPLY)
    assert model.meter.read().cached == 1
    weights.write_bytes(b"GGUF of another make")
    language_model("gguf:tiny", calls=calls).complete(ASKED, SCHEMA)
    assert len(llama.requests) == 2


def test_a_reply_that_was_cut_off_is_mended_once(llama: Llama, weights: Path) -> None:
    llama.says, llama.finish = '{"answer": "Mi', "length"
    with pytest.raises(ModelUnavailable, match="form asked for") as raised:
        language_model("gguf:tiny").complete(ASKED, SCHEMA)
    assert raised.value.hint == "raise max_tokens"
    assert len(llama.requests) == 2


def test_a_reply_that_goes_round_is_not_mended(llama: Llama, weights: Path) -> None:
    llama.says, llama.finish = '{"answer": "' + "Mira lives in Graz and has a cat called Otto. " * 9, "length"
    with pytest.raises(ModelUnavailable, match="form asked for") as raised:
        language_model("gguf:tiny").complete(ASKED, SCHEMA)
    assert raised.value.hint == "it said the same over and over; try another model"
    assert len(llama.requests) == 1


def test_a_request_that_it_refuses(llama: Llama, weights: Path) -> None:
    llama.refuses = "request (9000 tokens) exceeds the available context size (8192 tokens)"
    with pytest.raises(ModelUnavailable, match="9000 tokens"):
        language_model("gguf:tiny").complete(ASKED, SCHEMA)


def test_an_interrupt_passes_through_native_code(llama: Llama, weights: Path) -> None:
    def interrupt(_: str) -> None:
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        language_model("gguf:tiny").complete(ASKED, SCHEMA, watch=interrupt)


def test_a_budget_holds(llama: Llama, weights: Path) -> None:
    with pytest.raises(BudgetSpent):
        language_model("gguf:tiny", budget=Budget(tokens=10)).complete(ASKED, SCHEMA)
    assert llama.params == []


@pytest.mark.parametrize(
    ("name", "said"),
    [("gguf:other", "there is no model 'other'"), ("gguf:/etc/hostname", "no model in the GGUF format")],
)
def test_a_model_that_is_none(llama: Llama, weights: Path, name: str, said: str) -> None:
    with pytest.raises(ModelUnavailable, match=said):
        language_model(name)


def test_a_damaged_file(llama: Llama, weights: Path) -> None:
    weights.write_bytes(b"GGUF damaged")
    with pytest.raises(ModelUnavailable, match=r"cannot load tiny\.gguf"):
        language_model("gguf:tiny").complete(ASKED, SCHEMA)


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch, weights: Path) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    local.engine.cache_clear()
    with pytest.raises(ModelUnavailable) as raised:
        language_model("gguf:tiny").complete(ASKED, SCHEMA)
    assert raised.value.hint == "pip install 'memcli[local]'"


# Names


def test_short_names_of_servers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    found = [language_model(name) for name in ("ollama:llama3.2:1b", "lmstudio:phi", "openai:tiny", "tiny")]
    assert [(model.id, model.endpoint) for model in found] == [
        ("ollama:llama3.2:1b", "http://127.0.0.1:11434/v1"), ("lmstudio:phi", "http://127.0.0.1:1234/v1"),
        ("openai:tiny", "http://127.0.0.1:9/v1"), ("openai:tiny", "http://127.0.0.1:9/v1"),
    ]  # fmt: skip
    keys = [model._client.api_key for model in found if not isinstance(model, LocalModel)]
    assert keys == ["ollama", "lmstudio", "sk-secret", "sk-secret"]
    for model in found:
        model.close()
    assert short_name("llama3:8b") == "openai:llama3:8b"
    assert short_name("gguf:~/models/qwen2.5-1.5b.gguf") == short_name("gguf:qwen2.5-1.5b") == "gguf:qwen2.5-1.5b"
    with pytest.raises(UsageError):
        language_model("ollama:")


@pytest.mark.parametrize(
    ("name", "small"),
    [
        ("gguf:qwen2.5-1.5b-instruct-q4_k_m", True), ("ollama:llama3.2:1b", True), ("openai:gpt-5", False),
        ("ollama:qwen3:30b-a3b", False), ("gguf:SmolLM2-135M", True), ("lmstudio:phi-4-14B", False),
        ("ollama:mixtral:8x7b", False), ("gguf:tiny", True),
    ],
)  # fmt: skip
def test_how_large_a_model_is(weights: Path, name: str, small: bool) -> None:
    assert is_small(name) is small


def test_what_servers_offer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "SERVERS", {})
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with served({"/v1/models": b'{"object": "list", "data": [{"id": "b"}, {"id": "a"}]}'}) as (url, _):
        monkeypatch.setenv("OPENAI_BASE_URL", f"{url}/v1")
        assert servers.servers() == [servers.Server("openai", f"{url}/v1", ["a", "b"])]
    assert servers.servers() == []
    monkeypatch.setenv("OPENAI_BASE_URL", "https://models.invalid/v1")
    assert servers.servers() == []


# Fetching


WHOLE = b"GGUF" + bytes(range(256)) * 8


def listed(url: str) -> ModelOffer:
    return ModelOffer("toy", "MIT", len(WHOLE), sha256(WHOLE).hexdigest(), f"{url}/toy", "1 thousand")


def test_the_list_is_sound() -> None:
    assert all(
        each.url.startswith("https://") and "/resolve/main/" not in each.url for each in offers.offers().values()
    )
    assert all(
        len(each.sha256) == 64 and each.bytes > 1e8 and each.licence == "Apache-2.0"
        for each in offers.offers().values()
    )
    assert [each.bytes for each in offers.offers().values()] == sorted(each.bytes for each in offers.offers().values())
    with pytest.raises(UsageError, match="the list has no model 'x'"):
        offers.offer("x")


# The command


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str | None]]:
    """The project's list has one model, at a server on this machine; no other server runs."""
    with served({"/toy": WHOLE}) as (url, ranges):
        monkeypatch.setattr(offers, "offers", lambda: {"toy": listed(url)})
        monkeypatch.setattr(servers, "SERVERS", {})
        monkeypatch.delenv("OPENAI_API_KEY", raising=False)
        yield ranges


def test_fetching_by_the_command(cli: Callable[..., Ran], toy: list[str | None], tmp_path: Path) -> None:
    assert cli("models").out.startswith("toy ")
    refused = cli("models", "get", "toy")
    assert (refused.code, toy) == (2, [])
    assert "MIT, 2.1 kB" in refused.err
    assert sha256(WHOLE).hexdigest() in refused.err
    assert cli("models", "get", "toy", "--yes").out == "gguf:toy\n"
    assert (tmp_path / "data" / "memcli" / "models" / "toy.gguf").read_bytes() == WHOLE
    assert "is there already" in cli("models", "get", "toy", "--yes").err
    found = cli("models", "--json").json
    assert found["models"] == [{"name": "gguf:toy", "bytes": 2052, "licence": "MIT"}]
    assert (found["offered"], found["servers"], len(toy)) == ([], [], 1)


def test_checking_by_the_command(cli: Callable[..., Ran], llama: Llama, weights: Path) -> None:
    lines = cli("models", "check", "gguf:tiny").out.splitlines()
    assert lines[0].startswith("gguf:tiny: 14 B, loaded in ")
    assert lines[-1].startswith("reads 100 tokens a second and writes 12, on ")
    assert cli("models", "check", "tiny", "--json").json["reply_tokens_a_second"] == 12.5


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["get"], 2),
        (["check"], 2),
        (["check", "ollama:x"], 2),
        (["check", "gone"], 5),
        (["get", "gone"], 2),
        (["mend"], 2),
    ],
)
def test_what_the_command_refuses(cli: Callable[..., Ran], arguments: list[str], code: int) -> None:
    ran = cli("models", *arguments)
    assert (ran.code, ran.out, ran.err.count("\n")) == (code, "", 1)


def test_a_local_answer_end_to_end(
    cli: Callable[..., Ran], llama: Llama, weights: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = tmp_path / "chat.jsonl"
    said = {"text": "My cat is called Miso.", "speaker": "Ada", "timestamp": "2024-05-20T10:00:00", "session": "s"}
    chat.write_text(json.dumps(said) + "\n")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")  # nobody is there
    store = tmp_path / "s.memcli"
    assert cli("ingest", chat, "--store", store, "--embedder", "fake").code == 0
    sure = cli("ask", "What is Ada's cat called?", "--store", store, "--model", "gguf:tiny", "--json").json
    assert (sure["answer"], sure["model"], sure["usage"]) == ("Miso", None, None)  # a small model is not asked
    found = cli("ask", "Who keeps Ada company of an evening?", "--store", store, "--model", "gguf:tiny", "--json").json
    assert (found["answer"], found["model"], found["fallback"]) == ("Miso", "gguf:tiny", None)
    assert found["quote"] == "Ada, 20 May 2024: “My cat is called Miso.”"
    ran = cli("ask", "What is Ada's cat called?", "--store", store, "--model", "gguf:gone", "--json")
    assert "there is no model 'gone'" in ran.json["fallback"]
    assert cli("ask", "Who?", "--store", store, "--model", "gguf:tiny", "--prompt-style", "odd").code == 2
