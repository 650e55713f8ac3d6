"""The toolbox for llm, with the real llm and a model that calls one tool."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import llm
import pytest

from memcli.memory import Memory

PLUGIN = Path(__file__).resolve().parents[1] / "examples" / "llm-tools-memcli" / "llm_tools_memcli.py"


@pytest.fixture(scope="module")
def plugin() -> Any:
    spec = importlib.util.spec_from_file_location("llm_tools_memcli", PLUGIN)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def caller(name: str, arguments: dict[str, Any]) -> Any:
    """A model that calls this tool once, and then repeats what it was told."""

    class Caller(llm.Model):
        model_id = "caller"
        supports_tools = True

        def execute(self, prompt: Any, stream: bool, response: Any, conversation: Any) -> Iterator[str]:
            if prompt.tool_results:
                yield prompt.tool_results[0].output
            else:
                response.add_tool_call(llm.ToolCall(name=name, arguments=arguments))
                yield ""

    return Caller()


def test_a_model_finds_and_remembers(plugin: Any, tmp_path: Path) -> None:
    store = tmp_path / "a.memcli"
    Memory(store, embedder="fake").remember("The kettle is in the shed", speaker="Ann")
    tools = [plugin.Memcli(store=str(store))]
    told = caller("Memcli_search", {"query": "kettle"}).chain("Where is it?", tools=tools).text()
    assert json.loads(told.split("\n")[2])["hits"][0]["speaker"] == "Ann"
    caller("Memcli_remember", {"text": "We sold the kettle"}).chain("Keep that", tools=tools).text()
    assert len(Memory(store).search("kettle")) == 2


def test_a_model_asks_who_somebody_is_and_what_was_talked_about(plugin: Any, tmp_path: Path) -> None:
    store = tmp_path / "a.memcli"
    Memory(store, embedder="fake").remember("I live in Porto now", speaker="Ann")
    box = plugin.Memcli(store=str(store))
    everybody, card, told = (json.loads(each.split("\n")[2]) for each in (box.who(), box.who("Ann"), box.recap()))
    assert [each["name"] for each in everybody["speakers"]] == ["Ann"]
    assert [each["value"] for each in card["card"]["holds"]] == ["Porto"]
    assert told["parts"][0]["told"][0]["speaker"] == "Ann"
    assert box.recap("soonish").startswith("no date: 'soonish' (")


def test_it_may_be_read_only_and_tells_mistakes(plugin: Any, tmp_path: Path) -> None:
    box = plugin.Memcli(store=str(tmp_path / "none.memcli"), read_only=True)
    assert box.remember("x") == "this memory is read-only"
    assert "no store at" in box.search("x")
