"""`memcli config`: what is in force, from where, and setting it; and the hooks of agents."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memcli.config import in_force, save, settings
from memcli.errors import UsageError

from .conftest import Ran

Cli = Callable[..., Ran]


def test_where_a_value_comes_from(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('model = "small"\nspeaker = "Ana"\n')
    environment = {"MEMCLI_CONFIG": str(file), "MEMCLI_SPEAKER": "Bo"}
    found = {each.name: (each.value, each.source) for each in in_force(environment)}
    assert found["model"] == ("small", str(file))
    assert found["speaker"] == ("Bo", "MEMCLI_SPEAKER")
    assert found["record"] == ("yes", "default")


def test_what_is_set_is_read_and_the_rest_stays(tmp_path: Path) -> None:
    environment = {"MEMCLI_CONFIG": str(tmp_path / "new" / "config.toml")}
    path = save("model", 'a "b" \\ ü', environment)
    path.write_text("# mine\n" + path.read_text(), encoding="utf-8")
    save("speaker", "Ana", environment)
    save("speaker", "Bo", environment)
    chosen = settings(environment=environment)
    assert (chosen.model, chosen.speaker) == ('a "b" \\ ü', "Bo")
    assert path.read_text(encoding="utf-8").count("speaker") == 1
    save("model", None, environment)
    assert settings(environment=environment).model == ""
    assert "# mine" in path.read_text(encoding="utf-8")


def test_a_link_stays_a_link_and_nobody_else_may_read_what_was_private(tmp_path: Path) -> None:
    real, link = tmp_path / "real.toml", tmp_path / "config.toml"
    real.write_text('speaker = "Ana"\n')
    real.chmod(0o640)
    link.symlink_to(real)
    save("speaker", "Bo", {"MEMCLI_CONFIG": str(link)})
    assert link.is_symlink()
    assert (real.read_text(), real.stat().st_mode & 0o777) == ('speaker = "Bo"\n', 0o640)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["config.toml", "real.toml"]


def test_a_broken_file_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("model = [")
    with pytest.raises(UsageError):
        save("model", "x", {"MEMCLI_CONFIG": str(file)})
    assert file.read_text() == "model = ["


def test_the_command(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMCLI_CONFIG", str(tmp_path / "config.toml"))
    monkeypatch.delenv("MEMCLI_RECORD", raising=False)
    assert any(line.split() == ["strategy", "fused", "default"] for line in cli("config").out.splitlines())
    assert cli("config", "strategy", "bm25").out.split() == ["strategy", "bm25", str(tmp_path / "config.toml")]
    (one,) = cli("config", "strategy", "--json").json["settings"]
    assert one["value"] == "bm25"
    assert cli("config", "strategy", "--unset").out.split()[1] == "fused"


@pytest.mark.parametrize(
    "arguments",
    [
        ("colour",), ("colour", "red"), ("record", "maybe"), ("strategy", "nope"), ("embedder", "nope"),
        ("sensitive", "money"), ("--unset",), ("model", "x", "--unset"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_not_set(
    arguments: tuple[str, ...], cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMCLI_CONFIG", str(tmp_path / "config.toml"))
    assert cli("config", *arguments).code == 2
    assert not (tmp_path / "config.toml").exists()


def test_hooks_for_agents(cli: Cli, tmp_path: Path) -> None:
    shown = cli("import-hook", "claude-code", "--store", tmp_path / "my store.memcli")
    (hook,) = shown.json["hooks"]["SessionEnd"][0]["hooks"]
    assert hook["command"] == f"memcli ingest ~/.claude/projects --store '{tmp_path}/my store.memcli' 2>/dev/null"
    assert "~/.claude/settings.json" in shown.err
    assert "Stop" in cli("import-hook", "codex").json["hooks"]
    assert cli("import-hook", "clippy").code == 2
