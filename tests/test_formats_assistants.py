"""ChatGPT, Claude.ai, Claude Code and Codex: what is kept, what is left out, and branches."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memcli.formats import Message, Problem
from memcli.memory import Memory

from .formats import chatgpt, messages, node, put, records, sample, zipped


def _shown(path: Path, **how: Any) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in messages(path, **how)]


# -- ChatGPT ----------------------------------------------------------------------------------------------------------


def test_of_chatgpt_the_branch_that_is_shown_without_tools_and_thoughts() -> None:
    instructions, first, *rest = messages(sample("chatgpt/conversations.json"))
    assert (instructions.text, instructions.session) == (
        "I live in Lisbon and I am vegetarian.\nBe brief.",
        "custom instructions",
    )
    begun = datetime(2023, 11, 14, 22, 13, 20, tzinfo=UTC)
    text = "My daughter Ines turns six on 3 May. Dinner ideas?"
    assert first == Message(text, "user", "user", begun, "ChatGPT", "c-1", "u1", "Birthday dinner", begun)
    assert [(each.id, each.role, each.text) for each in rest] == [
        ("a1", "assistant", "How about a mushroom lasagne?"),
        ("u2", "user", "[image]\nHow many people are in this photo, and what is 17*3?"),
        ("a2", "assistant", "Four people; 17*3 = 51."),
    ]


def test_of_chatgpt_all_branches() -> None:
    path = sample("chatgpt/conversations.json")
    current, everything = messages(path), messages(path, all_branches=True)
    assert [each.id for each in everything if each not in current] == ["a1old"]
    assert len(everything) == len(current) + 1


def test_an_edited_message_of_chatgpt_is_new_and_what_came_before_it_is_not(tmp_path: Path) -> None:
    before = [node("u1", None, "hello"), node("a1", "u1", "hi", "assistant"), node("u2", "a1", "my cat is Tom")]
    edited = [node("u2b", "a1", "my cat is Tim"), node("a2", "u2b", "noted", "assistant")]
    memory = Memory(tmp_path / "store", embedder="fake")
    assert memory.ingest([put(tmp_path, "1.json", [chatgpt(*before)])]).added == 3
    newer = put(tmp_path, "2.json", [chatgpt(*before, *edited)])
    assert [text for _, text in _shown(newer)] == ["hello", "hi", "my cat is Tim", "noted"]
    assert memory.ingest([newer]).added == 2
    assert memory.ingest([newer], all_branches=True).added == 0


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ({"content_type": "text", "parts": ["a", "", "b"]}, "a\nb"),
        ({"content_type": "multimodal_text", "parts": ["a", {"content_type": "image_asset_pointer"}]}, "a\n[image]"),
        ({"content_type": "multimodal_text", "parts": [
            {"content_type": "audio_transcription", "text": "spoken"},
            {"content_type": "real_time_user_audio_video_asset_pointer"}]}, "spoken"),
        ({"content_type": "code", "language": "python", "text": "1 + 1"}, "1 + 1"),
        ({"content_type": "text", "parts": ["Old\ue200cite\ue202turn0search1\ue201 Rome【3†source】."]}, "Old Rome."),
        ({"content_type": "thoughts", "thoughts": [{"content": "hm"}]}, None),
        ({"content_type": "reasoning_recap", "content": "Thought for 3 s"}, None),
        ({"content_type": "execution_output", "text": "51"}, None),
        ({"content_type": "text", "parts": [None, 5, {"x": 1}]}, None),
        ({}, None),
    ],
)  # fmt: skip
def test_content_of_chatgpt(tmp_path: Path, content: dict[str, Any], text: str | None) -> None:
    chat = chatgpt(node("a", None, "first"), node("b", "a", "", content=content))
    assert [said for _, said in _shown(put(tmp_path, "c.json", [chat]))] == ["first", *([text] if text else [])]


@pytest.mark.parametrize(
    "changes",
    [
        {"recipient": "python"},
        {"recipient": "bio"},
        {"author": {"role": "tool", "name": "browser"}},
        {"author": {"role": "system"}},
        {"metadata": {"is_visually_hidden_from_conversation": True}},
        {"channel": "analysis"},
    ],
)
def test_what_chatgpt_does_not_show_is_left_out(tmp_path: Path, changes: dict[str, Any]) -> None:
    chat = chatgpt(node("a", None, "first"), node("b", "a", "hidden", **changes), node("c", "b", "last"))
    assert [text for _, text in _shown(put(tmp_path, "c.json", [chat]))] == ["first", "last"]


def test_files_given_to_chatgpt_are_named(tmp_path: Path) -> None:
    attachments = [{"name": "plan.pdf", "mimeType": "application/pdf"}, {"name": "x.png", "mime_type": "image/png"}]
    chat = chatgpt(node("a", None, "read this", metadata={"attachments": attachments}))
    assert _shown(put(tmp_path, "c.json", [chat])) == [("user", "read this\n[file: plan.pdf]")]


def test_a_tree_of_chatgpts_that_is_broken_is_still_read(tmp_path: Path) -> None:
    loop = [node("a", "b", "one"), node("b", "a", "two")]
    path = put(tmp_path, "c.json", [chatgpt(*loop, current_node="b"), chatgpt(*loop, current_node="gone")])
    assert sorted(text for _, text in _shown(path)) == ["one", "one", "two", "two"]
    astray = chatgpt(node("a", None, "one"), node("b", "nowhere", "two"), current_node=None)
    assert [text for _, text in _shown(put(tmp_path, "d.json", [astray]))] == ["one"]


def test_custom_instructions_are_one_message_however_many_chats_repeat_them(tmp_path: Path) -> None:
    def chat(id_: str) -> dict[str, Any]:
        context = {"content_type": "user_editable_context", "user_profile": "I am Ana.", "user_instructions": ""}
        return chatgpt(node("c", None, "", content=context), node(id_, "c", id_), conversation_id=id_)

    path = put(tmp_path, "c.json", [chat("x"), chat("y")])
    assert [text for _, text in _shown(path)] == ["I am Ana.", "x", "y"]
    memory = Memory(tmp_path / "store", embedder="fake")
    assert memory.ingest([path]).added == 3
    assert memory.ingest([put(tmp_path, "c.json", [chat("z"), chat("x"), chat("y")])]).added == 1


def test_a_zip_of_shards(tmp_path: Path) -> None:
    shards = {
        f"conversations-{i:03}.json": json.dumps([chatgpt(node("a", None, f"shard {i}"), conversation_id=f"c{i}")])
        for i in range(3)
    }
    path = put(tmp_path, "chatgpt.zip", zipped({**shards, "chat.html": "<html>", "user.json": '{"id": "u"}'}))
    assert [text for _, text in _shown(path)] == ["shard 0", "shard 1", "shard 2"]
    assert {message.session for message in messages(path)} == {"c0", "c1", "c2"}


def test_broken_parts_of_chatgpts_export(tmp_path: Path) -> None:
    good = chatgpt(node("a", None, "good"))
    whole = json.dumps([good, 5, {"title": "no mapping"}, good | {"conversation_id": "d"}])
    found = records(put(tmp_path, "c.json", whole[:-9]))
    assert [each.text for each in found if isinstance(each, Message)] == ["good"]
    assert [each.reason.partition(":")[0] for each in found if isinstance(each, Problem)] == [
        "not an object",
        "no messages in it",
        "broken JSON, the rest is not read",
    ]


# -- Claude.ai --------------------------------------------------------------------------------------------------------


def test_of_claude_what_was_said_with_files_without_thoughts_and_tools() -> None:
    first, second, third = messages(sample("claude_ai/conversations.json"))
    begun = datetime(2025, 3, 2, 10, 0, 0, 123456, tzinfo=UTC)
    assert first == Message(
        "Plan a weekend in Porto. I get seasick, so no boats.\n[file: budget.txt]\nhotel max 120 EUR",
        "user", "user", datetime(2025, 3, 2, 10, 0, 1, tzinfo=UTC), "Claude", "conv-1", "m1", "Trip planning", begun,
    )  # fmt: skip
    assert (second.role, second.text) == ("assistant", "Day one: Ribeira on foot.")
    assert third.text == "[image]"


def _claude(*said: tuple[str, str, str], **changes: Any) -> list[Any]:
    nobody = "00000000-0000-4000-8000-000000000000"
    made = [{"uuid": i, "parent_message_uuid": p or nobody, "sender": "human", "text": t} for i, p, t in said]
    return [{"uuid": "c", "name": "T", "chat_messages": made} | changes]


def test_branches_of_claude(tmp_path: Path) -> None:
    said = [("a", "", "hello"), ("b", "a", "old"), ("c", "a", "new"), ("d", "c", "end")]
    path = put(tmp_path, "c.json", _claude(*said))
    assert [text for _, text in _shown(path)] == ["hello", "new", "end"]
    assert len(_shown(path, all_branches=True)) == 4
    path = put(tmp_path, "c.json", _claude(*said, current_leaf_message_uuid="b"))
    assert [text for _, text in _shown(path)] == ["hello", "old"]
    path = put(tmp_path, "c.json", _claude(*said, ("e", "gone", "whose parent is missing")))
    assert len(_shown(path)) == 5


def test_of_a_long_pasted_text_the_beginning(tmp_path: Path) -> None:
    chat = _claude(("a", "", "read"))
    chat[0]["chat_messages"][0]["attachments"] = [{"file_name": "book.txt", "extracted_content": "word " * 10_000}]
    [(_, text)] = _shown(put(tmp_path, "c.json", chat))
    assert text.startswith("read\n[file: book.txt]\nword word")
    assert text.endswith(" …")
    assert len(text) < 4100


# -- Claude Code and Codex --------------------------------------------------------------------------------------------


def test_of_claude_code_what_was_typed_and_answered() -> None:
    first, second, third = messages(sample("claude_code/s1.jsonl"))
    at = datetime(2026, 1, 1, 10, tzinfo=UTC)
    text = "Why does the parser drop tabs? Use pytest, never unittest."
    assert first == Message(text, "user", "user", at, "proj", "s1", "u1", "Parser drops tabs")
    assert (second.role, second.text, second.id) == ("assistant", "split() collapses whitespace.", "msg_2")
    assert third.text == "Fix it (sibling branch after a rewind)."


def _line(type_: str, id_: str, content: Any, **changes: Any) -> str:
    message = {"role": type_, "content": content} | ({"id": id_} if type_ == "assistant" else {})
    made = {"type": type_, "uuid": f"uuid-{id_}-{len(str(content))}", "sessionId": "s", "cwd": "C:\\work\\proj"}
    return json.dumps(made | {"timestamp": "2026-01-01T10:00:00Z", "message": message} | changes)


def test_lines_of_one_answer_are_joined_though_results_come_between(tmp_path: Path) -> None:
    result = [{"type": "tool_result", "tool_use_id": "t", "content": "SECRET"}]
    lines = [
        _line("user", "u1", "go"),
        _line("assistant", "m1", [{"type": "thinking", "thinking": "SECRET"}]),
        _line("assistant", "m1", [{"type": "text", "text": "first"}]),
        _line("assistant", "m1", [{"type": "tool_use", "name": "Read", "input": {"x": "SECRET"}}]),
        _line("user", "r1", result),
        _line("assistant", "m1", [{"type": "text", "text": "second"}]),
        _line("assistant", "m2", [{"type": "text", "text": "third"}]),
    ]
    path = put(tmp_path, "s.jsonl", "\n".join(lines))
    assert _shown(path) == [("user", "go"), ("assistant", "first\nsecond"), ("assistant", "third")]
    assert {message.conversation for message in messages(path)} == {"proj"}


@pytest.mark.parametrize(
    ("content", "changes"),
    [
        ("noise", {"isMeta": True}),
        ("noise", {"isSidechain": True}),
        ("noise", {"isCompactSummary": True}),
        ("noise", {"type": "system"}),
        ("<command-name>/clear</command-name>", {}),
        ("<local-command-stdout>noise</local-command-stdout>", {}),
        ("[Request interrupted by user]", {}),
        ([{"type": "text", "text": "<system-reminder>noise</system-reminder>"}], {}),
        ([{"type": "tool_result", "content": [{"type": "text", "text": "noise"}]}], {}),
        (None, {}),
    ],
)
def test_what_nobody_typed_is_left_out(tmp_path: Path, content: Any, changes: dict[str, Any]) -> None:
    lines = [_line("user", "u1", "typed"), _line("user", "u2", content, **changes)]
    assert _shown(put(tmp_path, "s.jsonl", "\n".join(lines))) == [("user", "typed")]


def test_reminders_are_cut_out_of_what_was_typed(tmp_path: Path) -> None:
    text = "<system-reminder>a</system-reminder>one <system-reminder>b</system-reminder>two<system-reminder>"
    path = put(tmp_path, "s.jsonl", _line("user", "u", [{"type": "text", "text": text}, {"type": "image"}]))
    assert _shown(path) == [("user", "one two<system-reminder>\n[image]")]


def test_of_codex_what_was_typed_and_answered() -> None:
    first, second = messages(next(sample("codex").glob("*.jsonl")))
    at = datetime(2026, 1, 2, 3, 4, 4, tzinfo=UTC)
    session = "11111111-1111-4111-8111-111111111111"
    assert first == Message("List the files; I prefer ripgrep.", "user", "user", at, "project", session)
    assert (second.role, second.text) == ("assistant", "a.txt and b.txt.")


def test_the_oldest_rollouts_and_those_of_subagents(tmp_path: Path) -> None:
    item = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "yes"}]}
    old = "\n".join(map(json.dumps, [{"id": "s", "timestamp": "2025-01-01T00:00:00Z"}, item, item]))
    assert _shown(put(tmp_path, "old.jsonl", old)) == [("user", "yes"), ("user", "yes")]
    assert Memory(tmp_path / "store", embedder="fake").ingest([tmp_path / "old.jsonl"]).added == 2
    meta = {"type": "session_meta", "payload": {"id": "s", "source": {"subagent": "review"}}}
    side = "\n".join(map(json.dumps, [meta, {"type": "response_item", "payload": item}]))
    assert records(put(tmp_path, "side.jsonl", side)) == [Problem(str(tmp_path / "side.jsonl"), "no messages in it")]
    assert _shown(tmp_path) == [("user", "yes"), ("user", "yes")]  # in a folder, that is no problem
