"""The command line as a person, a script and a careless caller meet it."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer

from memcli import __version__
from memcli.cli.app import app
from memcli.cli.boundary import _addressed
from memcli.memory import Memory
from tests.conftest import SAMPLE, Ran

Cli = Callable[..., Ran]
HOSTILE = "\x1b]0;owned\x07\x1b[31mred [bold]not bold[/bold] '); drop table turn; -- <script>alert(1)</script>"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "cli.memcli"


@pytest.fixture
def filled(cli: Cli, store: Path, write: Callable[..., Path]) -> Path:
    path = write(
        "a.jsonl",
        {"text": "I moved to Porto in May.", "speaker": "Ada", "timestamp": "2024-05-20T10:00:00+01:00", "id": "1",
         "session": "s", "conversation": "c"},
        {"text": "Lovely! My cat is called Miso.", "speaker": "Bo", "timestamp": "2024-05-20T10:01:00+01:00", "id": "2",
         "session": "s", "conversation": "c"},
    )  # fmt: skip
    assert cli("ingest", path, "--store", store, "--embedder", "fake").code == 0
    return store


def test_ingest_reports(cli: Cli, store: Path) -> None:
    ran = cli("ingest", SAMPLE / "chats.jsonl", "--store", store, "--embedder", "fake", "--json")
    assert ran.code == 0
    assert ran.json == {"messages": 468, "added": 468, "known": 0, "sessions": 42, "problems": [], "kept_out": 0}
    again = cli("ingest", SAMPLE / "chats.jsonl", "--store", store)
    assert (again.code, again.out) == (0, "")
    assert again.err == "0 new messages in 0 sessions; 468 known already\n"


def test_bad_lines_are_named_counted_and_kept_out(cli: Cli, store: Path, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(b'{"text": "One."}\n{"text": \n{"text": "Two."}\n\xff\xfe\n{"speaker": "x"}\n')
    ran = cli("ingest", path, "--store", store, "--embedder", "fake", "--json")
    assert ran.code == 6
    report = ran.json
    assert isinstance(report, dict)
    assert (report["added"], report["kept_out"]) == (2, 3)
    assert [p["where"] for p in report["problems"]] == [f"{path}:{n}" for n in (2, 4, 5)]
    assert len(ran.err.splitlines()) == 3
    assert all(line.startswith(f"memcli: {path}:") for line in ran.err.splitlines())


def test_strict_refuses_the_whole_file(cli: Cli, store: Path, tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text('{"text": "One."}\nnonsense\n')
    ran = cli("ingest", path, "--store", store, "--embedder", "fake", "--strict")
    assert ran.code == 6
    assert ran.err.startswith(f"memcli: {path}:2: ")
    assert cli("search", "One", "--store", store).code in {1, 3}  # nothing of the file is stored


def test_search_golden_json(cli: Cli, filled: Path) -> None:
    ran = cli(
        "search",
        "Where did Ada move?",
        "-k",
        "1",
        "--at",
        "2024-06-01",
        "--strategy",
        "bm25",
        "--store",
        filled,
        "--json",
    )
    assert ran.code == 0
    document = ran.json
    assert isinstance(document, dict)
    (hit,) = document.pop("hits")
    assert document.pop("asked_at").startswith("2024-06-01T00:00:00")
    assert document == {"query": "Where did Ada move?", "strategy": "bm25"}
    assert hit.pop("score") > 0
    assert hit.pop("session").startswith("s:")
    assert hit.pop("turns") == [hit.pop("id")]
    assert hit == {
        "rank": 1, "kind": "turn", "said_at": "2024-05-20T10:00:00+01:00", "speaker": "Ada", "role": "",
        "text": "I moved to Porto in May.", "conversation": "c", "position": 0, "source": "a.jsonl",
    }  # fmt: skip


def test_search_jsonl_is_one_record_a_line(cli: Cli, filled: Path) -> None:
    ran = cli("search", "cat Porto", "--store", filled, "--jsonl", "--explain")
    records = [json.loads(line) for line in ran.out.splitlines()]
    assert [r["rank"] for r in records] == [1, 2]
    assert all("cosine" in r["trace"] for r in records)


def test_search_plain_lines(cli: Cli, filled: Path) -> None:
    ran = cli("search", "What is the cat called?", "--store", filled, "-k", "1")
    assert ran.code == 0
    assert "2024-05-20 10:01" in ran.out
    assert "Bo: Lovely! My cat is called Miso." in ran.out
    assert "\x1b" not in ran.out


def test_search_reads_the_question_from_stdin(cli: Cli, filled: Path) -> None:
    assert cli("search", "-", "--store", filled, stdin="cat\n").code == 0


@pytest.mark.parametrize("command", ["ask", "search"])
@pytest.mark.parametrize("question", ["\0\033\n", "\u200b", "\u202e\u00ad ", "", "\x7f"])
def test_a_question_without_a_visible_sign_is_empty(cli: Cli, filled: Path, command: str, question: str) -> None:
    ran = cli(command, "-", "--store", filled, stdin=question)
    assert (ran.code, ran.out, ran.err) == (2, "", "memcli: the question is empty (ask something)\n")


def test_an_answer_has_a_form_and_its_sentence(cli: Cli, sample_store: Path) -> None:
    ran = cli("ask", "What is Nora's phone number?", "--store", sample_store, "--json", "--no-record")
    assert ran.code == 0
    assert (ran.json["form"], ran.json["answer"][:12]) == ("value", "07700 900871")
    assert ran.json["quote"].startswith("Nora, ")
    assert "07700 900871" in ran.json["quote"]


def test_who_is_careful_says_less_than_who_is_bold(cli: Cli, sample_store: Path) -> None:
    questions = (
        "Where does Theo's dentist live?",
        "What is Nora's phone number?",
        "When is the train to Lisbon?",
        "Why is it so?",
    )
    codes = {
        flag: [cli("ask", asked, flag, "--store", sample_store, "--no-record").code for asked in questions]
        for flag in ("--careful", "--bold")
    }
    assert set(codes["--bold"]) <= {0, 1}
    assert all(careful >= bold for careful, bold in zip(codes["--careful"], codes["--bold"], strict=True))
    assert sum(codes["--careful"]) > sum(codes["--bold"])


def test_careful_and_bold_contradict_each_other(cli: Cli, filled: Path) -> None:
    ran = cli("ask", "cat", "--careful", "--bold", "--store", filled)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "memcli: --careful and --bold contradict each other (give one of them)\n"


def test_nothing_found_is_exit_code_1(cli: Cli, filled: Path) -> None:
    ran = cli("search", "zebra", "--strategy", "bm25", "--store", filled)
    assert (ran.code, ran.out, ran.err) == (1, "", "nothing found\n")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["search", "x"], 3, "no store at"),
        (["search", "x", "--store", "{bad}"], 3, "cannot be read as a memcli store"),
        (["search", "", "--store", "{filled}"], 2, "the question is empty"),
        (["search", "x", "--strategy", "magic", "--store", "{filled}"], 2, "unknown strategy"),
        (["search", "x", "--since", "whenever", "--store", "{filled}"], 2, "no date"),
        (["search", "x", "-k", "0", "--store", "{filled}"], 2, "-k"),
        (["search"], 2, "Missing"),
        (["fly"], 2, "No such command"),
        (["ingest", "nowhere.jsonl", "--store", "{new}"], 6, "nowhere.jsonl"),
        (["ingest", "{empty}", "--store", "{new}", "--embedder", "fake"], 6, "empty"),
        (["ingest", "{folder}", "--store", "{new}"], 6, "no transcripts"),
        (["ingest", "{bad}", "--store", "{new}", "--embedder", "fake"], 6, "format"),
        (["ingest", "{good}", "--format", "fax", "--store", "{new}", "--embedder", "fake"], 2, "fax"),
        (["ingest", "{good}", "--embedder", "magic", "--store", "{new}"], 2, "unknown embedder"),
        (["ingest", "{good}", "--store", "{new}", "--embedder", "sentence-transformers:x"], 5, "sentence-transformers"),
        (["compact", "--store", "{new}"], 3, "no store at"),
    ],
)  # fmt: skip
def test_every_failure_is_one_line_with_its_code(
    cli: Cli, filled: Path, tmp_path: Path, arguments: list[str], code: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    places = {"filled": filled, "new": tmp_path / "new.memcli", "folder": tmp_path / "folder", "bad": tmp_path / "bad",
              "empty": tmp_path / "empty", "good": tmp_path / "a.jsonl"}  # fmt: skip
    places["folder"].mkdir()
    places["bad"].write_bytes(b"\x00\x01garbage" * 999)
    places["empty"].write_bytes(b"")
    ran = cli(*(a.format(**places) for a in arguments))
    assert ran.code == code, ran.err
    assert said in ran.err
    assert len(ran.err.splitlines()) == 1
    assert "Traceback" not in ran.err
    assert ran.out == ""


def test_hostile_text_reaches_no_terminal_and_no_sql(cli: Cli, store: Path, write: Callable[..., Path]) -> None:
    path = write("h.jsonl", {"text": HOSTILE, "speaker": HOSTILE, "conversation": HOSTILE, "session": HOSTILE})
    assert cli("ingest", path, "--store", store, "--embedder", "fake").code == 0
    for arguments in (
        ["search", "red bold script"],
        ["search", "red", "--conversation", HOSTILE],
        ["ask", "what is red"],
    ):
        ran = cli(*arguments, "--store", store)
        assert "\x1b" not in ran.out + ran.err
        assert "\x07" not in ran.out + ran.err
    assert "[bold]not bold[/bold]" in cli("search", "red", "--store", store).out
    assert cli("search", "red", "--store", store, "--json").code == 0


def test_in_80_columns_the_list_of_commands_is_whole(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    listed = cli("--help").out.partition("Commands:\n")[2].partition("\n\n")[0].splitlines()
    assert len(listed) > 20
    assert all(line.endswith(".") and not line.endswith("...") and line[2] != " " for line in listed), listed


def test_without_a_command_there_is_help(cli: Cli) -> None:
    shown = cli()
    assert (shown.code, shown.err) == (2, "")
    assert shown.out == cli("--help").out


def test_every_command_is_made_under_its_name() -> None:
    tree: Any = typer.main.get_command(app)
    assert len(tree.commands) > 20
    assert all(command.name == name and command.callback for name, command in tree.commands.items())
    assert "nothing" not in tree.commands


def test_version_and_help_load_nothing_heavy() -> None:
    for flag in ("--version", "--help"):
        program = f"import sys\nfrom memcli.cli.boundary import run\nrun([{flag!r}])\nprint(*sys.modules)"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        loaded = set(done.stdout.splitlines()[-1].split())
        heavy = {"numpy", "duckdb", "onnxruntime", "tokenizers", "igraph", "hnswlib", "openai", "orjson"}
        assert not loaded & heavy
    assert (
        __version__
        in subprocess.run(
            [sys.executable, "-m", "memcli", "--version"], capture_output=True, text=True, check=True
        ).stdout
    )


def test_a_search_loads_only_what_it_uses(filled: Path) -> None:
    arguments = ["search", "cat", "--json", "--store", str(filled)]
    program = f"import sys\nfrom memcli.cli.boundary import run\nrun({arguments!r})\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert '"rank": 1' in done.stdout  # it did search
    assert "duckdb" in loaded
    assert not loaded & {"igraph", "hnswlib", "openai", "sklearn", "scipy", "sentencex", "ijson", "rich", "torch"}
    assert "memcli.cli.search" in loaded
    assert not loaded & {"memcli.cli.ingest", "memcli.cli.doctor"}  # nor what other commands take


@pytest.mark.parametrize("given", [{}, {"OPENBLAS_NUM_THREADS": "2"}])
def test_blas_has_no_threads_that_spin_unless_somebody_asks_for_them(filled: Path, given: dict[str, str]) -> None:
    arguments = ["memcli", "search", "cat", "--json", "--store", str(filled)]
    asked = "print(*(p['num_threads'] for p in threadpool_info() if p['internal_api'] == 'openblas'))"
    program = f"""import atexit, sys
from threadpoolctl import threadpool_info
from memcli.__main__ import main
sys.argv = {arguments!r}
atexit.register(lambda: {asked})
main()"""
    inherited = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={**inherited, **given}
    )
    threads = [int(each) for each in done.stdout.splitlines()[-1].split()]  # none where numpy has another BLAS
    wanted = min(int(given.get("OPENBLAS_NUM_THREADS", 1)), len(os.sched_getaffinity(0)))
    assert all(each == wanted for each in threads)


def test_a_closed_pipe_is_quiet(filled: Path) -> None:
    done = subprocess.run(
        f"{sys.executable} -m memcli search cat --store {filled} --json | head -c 1", shell=True, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.stderr == ""
    assert done.stdout == "{"


def test_a_closed_pipe_is_no_error(filled: Path) -> None:
    """Of lines for people, which rich writes."""
    command = f"set -o pipefail; {sys.executable} -m memcli who --store {filled} | head -c 0"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_live_stream_is_stored_while_it_waits(tmp_path: Path) -> None:
    """What `tail -f chats.jsonl | memcli ingest -` does: the second message comes while the pipe stays open."""
    store = tmp_path / "live.memcli"
    command = [sys.executable, "-m", "memcli", "ingest", "-", "--store", str(store), "--embedder", "fake"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None
    for text in ("First message.", "Second message."):
        process.stdin.write(json.dumps({"text": text, "speaker": "Ada"}).encode() + b"\n")
        process.stdin.flush()
        assert _stored(store, text), f"{text} was not stored while the stream was open"
    _, err = process.communicate()
    assert process.returncode == 0
    assert b"2 new messages in 1 session" in err


def _stored(store: Path, text: str) -> bool:
    for _ in range(100):
        time.sleep(0.1)
        if store.exists():
            with Memory(store).store.reading() as db:
                if db.execute("select count(*) from turn where text = ?", [text]).fetchone() == (1,):
                    return True
    return False


def test_a_terminal_gets_a_progress_bar_and_a_pipe_does_not(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "memcli", "ingest", str(SAMPLE / "chats.jsonl"), "--embedder", "fake", "--store"]
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [*command, str(tmp_path / "a.memcli")], stderr=follower, env={**os.environ, "TERM": "xterm"}
    ) as process:
        os.close(follower)
        shown = _drained(leader)  # while it runs: a terminal holds four kilobytes, and then waits to be read
    assert process.returncode == 0
    assert "468 new messages" in shown
    assert "stored" in shown
    assert "/s" in shown
    piped = subprocess.run([*command, str(tmp_path / "b.memcli")], capture_output=True, text=True, check=True)
    assert piped.stderr == "468 new messages in 42 sessions\n"


def test_a_terminal_gets_two_statements_on_lines_of_their_own(sample_store: Path) -> None:
    command = [sys.executable, "-m", "memcli", "ask", "What did Theo buy?", "--no-record", "--store", str(sample_store)]
    leader, follower = pty.openpty()
    with subprocess.Popen(command, stdout=follower, env={**os.environ, "TERM": "xterm"}) as process:
        os.close(follower)
        lines = re.sub(r"\x1b\[[\d;]*m|\r", "", _drained(leader)).split("\n")
    assert process.returncode == 0
    second = next(place for place, line in enumerate(lines) if line.startswith("or Theo, 10 February 2024: “A 1974"))
    first = " ".join(line.rstrip() for line in lines[:second])  # wrapped, however wide it is, between words
    assert first.startswith("Theo, 10 February 2024: “Well, I have news to cheer you up. Last Saturday I drove")
    assert first.endswith(" bought a caravan.”")
    piped = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "bought a caravan.”; or Theo, 10 February 2024: “A 1974" in piped.stdout.splitlines()[0]


def _drained(leader: int) -> str:
    shown = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(leader)
    return shown.decode(errors="replace")


def test_the_store_comes_from_flag_environment_file_default(
    cli: Cli, filled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f'store = "{filled}"\nstrategy = "bm25"\n')
    assert cli("search", "cat").code == 3
    monkeypatch.setenv("MEMCLI_CONFIG", str(config))
    ran = cli("search", "cat", "--json")
    assert ran.code == 0
    assert isinstance(ran.json, dict)
    assert ran.json["strategy"] == "bm25"
    monkeypatch.setenv("MEMCLI_STORE", str(tmp_path / "none.memcli"))
    assert cli("search", "cat").code == 3
    assert cli("search", "cat", "--store", filled).code == 0
    config.write_text("colour = 1\n")
    assert cli("search", "cat", "--store", filled).code == 2


def test_a_plain_search_loads_nothing_that_only_makes_memory(filled: Path) -> None:
    script = f"""
import sys
from memcli.cli.boundary import run
for command in ("search", "ask"):
    run([command, "cat", "--store", {str(filled)!r}])
heavy = ("memcli.indexing.memories.runner", "memcli.indexing.transcript.indexer", "memcli.evaluation",
         "memcli.providers.language", "openai", "igraph", "nltk", "tiktoken")
sys.exit(",".join(name for name in heavy if name in sys.modules) or 0)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        (["a", "--ray"], ["a", "--ray=local"]),
        (["--ray", "--json", "a"], ["--ray=local", "--json", "a"]),
        (["a", "--ray", "auto"], ["a", "--ray", "auto"]),
        (["--ray", "10.0.0.1:6379", "a"], ["--ray", "10.0.0.1:6379", "a"]),
        (["--ray", "ray://head:10001", "a"], ["--ray", "ray://head:10001", "a"]),
        (["--ray", "exports/", "b"], ["--ray=local", "exports/", "b"]),
        (["a"], ["a"]),
        ([], []),
    ],
)
def test_an_address_may_be_left_out(given: list[str], taken: list[str]) -> None:
    assert _addressed(given) == taken
