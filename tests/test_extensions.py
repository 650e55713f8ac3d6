"""What other packages add: the examples, installed and used, and packages that are broken."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from memcli import extensions
from memcli.errors import UsageError
from memcli.extensions import Extensible

from .conftest import SAMPLE, Ran

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
Run = Callable[..., Ran]
#: Nothing but what is here is needed, and no network.
PIP = (sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-deps", "--no-index", "--quiet")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which pip has installed every example."""
    folder = tmp_path_factory.mktemp("examples")
    sources, target = folder / "sources", folder / "installed"
    shutil.copytree(EXAMPLES, sources)  # what building leaves behind is not left in the checkout
    packages = [str(path.parent) for path in sorted(sources.glob("*/pyproject.toml"))]
    subprocess.run([*PIP, "--target", str(target), *packages], check=True, capture_output=True)
    return target


def _runner(folder: Path) -> Run:
    def run(*arguments: str | Path, **environment: str) -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "memcli", *map(str, arguments)], capture_output=True, text=True, check=False,
            env={**os.environ, "PYTHONPATH": str(folder), **environment},
        )  # fmt: skip
        return Ran(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def run(installed: Path) -> Run:
    """Runs `memcli` in a process of its own that finds the examples."""
    return _runner(installed)


def test_a_strategy_is_used(run: Run, sample_store: Path) -> None:
    asked = ("search", "Nora's new job", "--store", sample_store, "--at", "2025-03-01", "--json", "--explain")
    ran = run(*asked, "--strategy", "recent:7")
    assert (ran.code, ran.err) == (0, "")
    for hit in json.loads(ran.out)["hits"]:
        assert hit["score"] == pytest.approx(hit["trace"]["cosine"] * hit["trace"]["freshness"], abs=1e-6)
    assert run(*asked, "--strategy", "recent:0").code == 2
    answered = run("ask", "When did Nora start her new job?", "--store", sample_store, "--strategy", "recent")
    assert answered.code in (0, 1)
    assert answered.err == ""


def test_an_embedder_fills_a_store_and_reads_it(run: Run, write: Callable[..., Path], tmp_path: Path) -> None:
    path = write(
        "a.jsonl", {"text": "I am allergic to walnuts.", "speaker": "Ada"}, {"text": "So long.", "speaker": "Bo"}
    )
    store = tmp_path / "letters.memcli"
    assert run("ingest", path, "--store", store, "--embedder", "trigrams:64").code == 0
    ran = run("search", "allergie", "--store", store, "--strategy", "dense", "-k", "1")
    assert (ran.code, "walnuts" in ran.out) == (0, True)
    assert run("doctor", "--store", store).code == 0
    assert run("ingest", path, "--store", store, "--embedder", "trigrams:3").code == 2


def test_a_store_says_where_its_embedder_is_no_longer_installed(
    run: Run, cli: Run, write: Callable[..., Path], tmp_path: Path
) -> None:
    store = tmp_path / "letters.memcli"
    run("ingest", write("a.jsonl", {"text": "Tea.", "speaker": "Ada"}), "--store", store, "--embedder", "trigrams")
    ran = cli("search", "tea", "--store", store)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("memcli: unknown embedder 'trigrams'")
    assert len(ran.err.splitlines()) == 1


def test_a_format_is_recognised_before_any_guess(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "irc.libera.#tea.weechatlog"
    log.write_text(
        "2024-05-01 09:00:00\t-->\tana (~ana@example.org) has joined #tea\n"
        "2024-05-01 09:00:07\t@ana\tthe release: it is on Friday\n"
        "2024-05-01 09:01:00\tbo\tanswer: which one?\n"
        "2024-05-01 09:01:30\t *\tana waves\n"
        "2024-02-31 09:01:30\tbo\tlost in time\n"
        "broken\n",
        encoding="utf-8",
    )
    store = tmp_path / "irc.memcli"
    ran = run("ingest", log, "--store", store, "--json")
    assert ran.code == 6  # a line of it cannot be read
    assert (json.loads(ran.out)["added"], json.loads(ran.out)["kept_out"]) == (4, 1)
    speakers = json.loads(run("speakers", "--store", store, "--json").out)
    assert {each["name"] for each in speakers["speakers"]} == {"ana", "bo"}
    assert "weechat" in run("formats").out


def test_a_language_is_ingested_and_asked(run: Run, write: Callable[..., Path], tmp_path: Path) -> None:
    """Nothing of memcli is told of it: what speaks Esperanto is read by its rules, what speaks English is not."""
    said = {"speaker": "Ana", "conversation": "eo", "timestamp": "2024-05-07T10:00:00+00:00"}
    path = write(
        "eo.jsonl",
        {**said, "text": "Hieraŭ mi adoptis katon, kaj ĝi estas tre bela."},
        {**said, "text": "La 3-an de junio 2024 mi vojaĝos al Lisbono kun mia frato."},
        {"text": "I moved to Lisbon yesterday.", "speaker": "Bo", "timestamp": "2024-06-09T10:00:00+00:00"},
    )
    store = tmp_path / "eo.memcli"
    assert run("ingest", path, "--store", store).code == 0
    at = ("--store", store, "--at", "2024-07-01", "--json")
    for question, answer in (
        ("Kiam Ana adoptis katon?", "6 May 2024"),
        ("Kiam Ana vojaĝos al Lisbono?", "3 June 2024"),
        ("When did Bo move to Lisbon?", "8 June 2024"),
    ):
        assert answer in json.loads(run("ask", question, *at).out)["answer"]


def test_a_reranker_changes_the_order(run: Run, sample_store: Path) -> None:
    asked = ("search", "When did Nora start her new job?", "--store", sample_store, "--json", "--explain", "-k", "20")
    plain, reranked = (json.loads(run(*asked, *more).out)["hits"] for more in ((), ("--reranker", "words")))
    given = [hit["trace"]["rerank"] for hit in reranked]
    assert len(set(given)) > 1
    assert [hit["id"] for hit in plain] != [hit["id"] for hit in reranked]
    assert all("rerank" not in hit["trace"] for hit in plain)
    refused = run(*asked, "--reranker", "words:large")
    assert (refused.code, len(refused.err.splitlines())) == (2, 1)


def test_what_is_installed_is_offered(run: Run, sample_store: Path) -> None:
    def completed(typed: str) -> list[str]:
        words = {"COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split()) - (not typed.endswith(" ")))}
        return run(_MEMCLI_COMPLETE="complete_bash", **words).out.splitlines()

    assert completed("memcli search tea --strategy rec") == ["recent"]
    assert completed("memcli search tea --embedder tri") == ["trigrams"]
    assert completed("memcli search tea --reranker wor") == ["words"]
    assert completed("memcli ingest a --format wee") == ["weechat"]
    for option, name in (("--strategy", "recent"), ("--reranker", "words")):
        ran = run("search", "tea", "--store", sample_store, option, "magic")
        assert (ran.code, name in ran.err) == (2, True)


# -- the pages that say how to make one --------------------------------------------------------------------------------

PAGES = Path(__file__).resolve().parents[1] / "docs" / "extending"


def _followed(page: str, folder: Path, store: Path | None = None) -> Iterator[str]:
    """Does what a page of docs/extending says, but for what needs data of one's own; what each command prints."""
    blocks = re.findall(r"```(\w+)\n(.*?)```", (PAGES / f"{page}.md").read_text(encoding="utf-8"), re.DOTALL)
    (code, project, shell) = (
        next(text for kind, text in blocks if kind == each) for each in ("python", "toml", "console")
    )
    (module,) = re.findall(r'only-include = \["(.+)"\]', project)
    source, target = folder / "source", folder / "target"
    source.mkdir()
    (source / module).write_text(code, encoding="utf-8")
    (source / "pyproject.toml").write_text(project, encoding="utf-8")
    subprocess.run([*PIP, "--target", str(target), str(source)], check=True, capture_output=True)
    shutil.copy(SAMPLE / "chats.jsonl", folder)
    environment = {**os.environ, "PYTHONPATH": str(target), "MEMCLI_STORE": str(store or folder / "own.memcli")}
    script = f'memcli() {{ "{sys.executable}" -m memcli "$@"; }}\n'
    for command in re.findall(r"^\$ (.+)$", shell, re.MULTILINE):
        if not command.startswith(("pip ", "memcli eval ")):
            done = subprocess.run(
                ["bash", "-c", script + command],
                env=environment,
                cwd=folder,
                check=True,
                capture_output=True,
                text=True,
            )
            assert "Traceback" not in done.stderr
            yield done.stdout


def test_the_page_on_strategies_can_be_followed(tmp_path: Path, sample_store: Path) -> None:
    (found,) = _followed("strategy", tmp_path, sample_store)
    assert "length" in found


def test_the_page_on_embedders_can_be_followed(tmp_path: Path) -> None:
    (_, found, counted) = _followed("embedder", tmp_path)
    assert found
    assert re.search(r"embedder +letters, 27 dimensions", counted)


def test_the_page_on_formats_can_be_followed(tmp_path: Path) -> None:
    (listed, _, _, found) = _followed("format", tmp_path)
    assert "\narrows " in listed
    assert "ana: I moved to Porto." in found


def test_the_page_on_languages_can_be_followed(tmp_path: Path) -> None:
    (*_, answer) = _followed("language", tmp_path)
    page = (PAGES / "language.md").read_text(encoding="utf-8")
    shown = page.partition('venit?" --store forum.memcli\n')[2].partition("```")[0]
    assert re.sub(r"t:\w+", "t:…", answer) == shown


def test_the_page_on_tables_can_be_followed(tmp_path: Path) -> None:
    root = PAGES.parents[1]
    for part in ("memcli", "tests", "sample_data"):
        shutil.copytree(root / part, tmp_path / part)  # with what is compiled
    shutil.copy(root / "pyproject.toml", tmp_path)
    table, step, name, module, test = re.findall(
        r"```python\n(.*?)```", (PAGES / "table.md").read_text(encoding="utf-8"), re.DOTALL
    )
    store = tmp_path / "memcli" / "store"
    _put(store / "schema.py", r"\n_JUDGED = \(\n.*?\n(?=\)  # fmt: skip\n)", table)
    _put(store / "migrations.py", r"(?=\nMIGRATIONS\b)", f"\n{step}\n")
    _put(store / "migrations.py", r"\nMIGRATIONS\b.*?\n(?=\)\n)", name)
    (store / "pins.py").write_text(module, encoding="utf-8")
    (tmp_path / "tests" / "test_pins.py").write_text(test, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    for command in (
        ("tests/stores/make.py",),
        ("-m", "pytest", "tests/test_pins.py", "tests/test_register.py", "tests/test_sql.py", "-p", "no:cacheprovider"),
    ):
        done = subprocess.run(
            [sys.executable, *command], cwd=tmp_path, env=environment, check=False, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert (tmp_path / "tests" / "stores" / f"schema-{_steps(store)}.memcli.gz").is_file()


def _put(path: Path, behind: str, text: str) -> None:
    """Puts a page's piece of code behind the one place of a file that this pattern finds."""
    source = path.read_text(encoding="utf-8")
    (place,) = re.finditer(behind, source, re.DOTALL)
    path.write_text(source[: place.end()] + text + source[place.end() :], encoding="utf-8")


def _steps(store: Path) -> int:
    """How many steps there are to the present schema."""
    (listed,) = re.findall(r"\nMIGRATIONS\b.*?\n\)\n", (store / "migrations.py").read_text(encoding="utf-8"), re.DOTALL)
    return len(re.findall(r'^    \("', listed, re.MULTILINE))


# -- what is broken ----------------------------------------------------------------------------------------------------

GROUPS = ("strategies", "embedders", "formats", "languages", "rerankers")


def _package(folder: Path, entries: Sequence[tuple[str, str]], code: str) -> Path:
    """A folder in which a package `strange` is installed that has these entry points and this code."""
    metadata = folder / "strange-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: strange\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("".join(f"[memcli.{g}]\n{e} = strange:made\n" for g, e in entries))
    (folder / "strange.py").write_text(code)
    return folder


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("raise RuntimeError('no\\nluck')", "cannot be loaded: RuntimeError: no luck"),
        ("", "cannot be loaded: AttributeError"),
        ("def made(*_): raise OSError('gone')", "cannot be used: OSError: gone"),
        ("made = 5", "cannot be used: TypeError"),
    ],
)
def test_a_broken_package_is_told_in_one_line(tmp_path: Path, sample_store: Path, code: str, said: str) -> None:
    run = _runner(_package(tmp_path / "broken", [(g, "odd") for g in GROUPS if g != "languages"], code))
    log = tmp_path / "a.txt"
    log.write_text("no transcript")
    search = ("search", "tea", "--store", sample_store)
    for arguments in (
        (*search, "--strategy", "odd"),
        (*search, "--reranker", "odd"),
        ("ingest", log, "--store", tmp_path / "new.memcli", "--embedder", "odd"),
        ("ingest", log, "--store", tmp_path / "new.memcli", "--format", "odd"),
    ):
        ran = run(*arguments)
        assert (ran.code, ran.out) == (2, ""), arguments
        (line,) = ran.err.splitlines()
        assert f"'odd' of the package strange {said}" in line
    assert run(*search).code == 0


def test_a_broken_language_is_told_in_one_line(tmp_path: Path, sample_store: Path) -> None:
    run = _runner(_package(tmp_path / "broken", [("languages", "tlh")], "raise RuntimeError('Qapla')"))
    ran = run("search", "tea", "--store", sample_store)
    assert (ran.code, ran.out) == (2, "")
    assert "'tlh' of the package strange cannot be loaded: RuntimeError: Qapla" in ran.err


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package with a strategy of memcli's own name, and one of its own, found by this process."""
    folder = _package(tmp_path / "found", [("strategies", "fused"), ("strategies", "odd")], "made = list")
    monkeypatch.syspath_prepend(str(folder))
    extensions._installed.cache_clear()
    yield folder
    extensions._installed.cache_clear()
    sys.modules.pop("strange", None)


@pytest.mark.usefixtures("found")
def test_of_two_with_one_name_memclis_own_counts() -> None:
    kinds = Extensible("memcli.strategies", {"fused": "builtins:dict"})
    assert list(kinds) == kinds.names() == ["fused", "odd"]
    assert kinds.make("fused") == {}
    assert kinds.make("odd", "ab") == ["a", "b"]
    with pytest.raises(KeyError):
        kinds.load("even")


def test_a_factorys_own_error_passes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    code = "from memcli.errors import UsageError\ndef made(): raise UsageError('own words')\n"
    monkeypatch.syspath_prepend(str(_package(tmp_path / "own", [("strategies", "odd")], code)))
    extensions._installed.cache_clear()
    try:
        with pytest.raises(UsageError, match="own words"):
            Extensible("memcli.strategies", {}).make("odd")
    finally:
        extensions._installed.cache_clear()
        sys.modules.pop("strange", None)


def test_built_in_names_ask_no_installed_package(cli: Run, sample_store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of languages alone is it asked which there are: a question does not say in which it is put."""
    asked: list[str] = []

    def note(group: str) -> dict[str, object]:
        asked.append(group)
        return {}

    monkeypatch.setattr(extensions, "_installed", note)
    assert cli("search", "tea", "--store", sample_store, "--strategy", "dense", "--embedder", "memcli").code == 0
    assert cli("ingest", SAMPLE / "chats.jsonl", "--store", sample_store.with_name("again.memcli")).code == 0
    assert set(asked) <= {"memcli.languages"}


def test_help_looks_for_no_packages() -> None:
    program = "import sys\nfrom memcli.cli.boundary import run\nrun(['search', '--help'])\n"
    program += "print('memcli.extensions' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"
