"""The documentation: what it names exists, and what it links to is there."""

from __future__ import annotations

import builtins
import importlib
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from pkgutil import iter_modules, walk_packages
from types import ModuleType

import pytest

import memcli
from memcli import evaluation

ROOT = Path(__file__).resolve().parents[1]
PAGES = (*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), ROOT / "sample_data" / "README.md")
#: What a page has somebody make does not exist, and the history may name what is gone.
NAMING = [page for page in PAGES if page.parent.name != "extending" and page.name != "CHANGELOG.md"]
#: A name in a page is memcli's where its first part is a module of one of these.
HOMES = (memcli, evaluation)
MODULES = {module.name: home for home in reversed(HOMES) for module in iter_modules(home.__path__)}
DOTTED = re.compile(r"(?:memcli\.)?([a-z_]+(?:\.\w+)*)(?:\(\))?")
ENDINGS = "json|jsonl|html|md|txt|toml|zip|wal|gz|py"


def _named(page: Path) -> Iterator[str]:
    """What stands as code in a page's sentences and tables."""
    text = re.sub(r"^ *```.*?^ *```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    yield from re.findall(r"`([^`\n]+)`", text)


def _name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", NAMING, ids=_name)
def test_modules_and_functions_exist(page: Path) -> None:
    wrong = []
    for name in _named(page):
        found = DOTTED.fullmatch(name)
        dotted = found[1] if found else ""
        ours = dotted.split(".")[0] in MODULES and not re.search(rf"\.(?:{ENDINGS})$", name)
        if ours and not _exists(dotted):
            wrong.append(name)
    assert wrong == []


def _exists(dotted: str) -> bool:
    """Whether it is a module of memcli, or something in one."""
    thing: object = MODULES[dotted.split(".", maxsplit=1)[0]]
    for part in dotted.split("."):
        if isinstance(thing, ModuleType) and not hasattr(thing, part):
            try:
                thing = importlib.import_module(f"{thing.__name__}.{part}")
                continue
            except ModuleNotFoundError:
                return False
        elif not hasattr(thing, part):
            return part in getattr(thing, "__annotations__", {})
        thing = getattr(thing, part)
    return True


@pytest.mark.parametrize("page", NAMING, ids=_name)
def test_classes_have_what_is_named_of_them(page: Path) -> None:
    """Of `Class.member` a class of this name has one, in memcli or in a benchmark."""
    wrong = []
    for name in _named(page):
        found = re.fullmatch(r"(_?[A-Z]\w*[a-z]\w*)\.(\w+)", name)
        if found and not hasattr(builtins, found[1]) and not _has(found[1], found[2]):
            wrong.append(name)
    assert wrong == []


def _has(name: str, member: str) -> bool:
    every = (getattr(module, name, None) for module in _modules())
    known = [each for each in every if isinstance(each, type)]
    return any(hasattr(each, member) or member in each.__annotations__ for each in known) or any(
        re.search(rf"^class {name}\b.*?^    def {member}\b", text, re.DOTALL | re.MULTILINE) for text in _benchmarks()
    )


def _modules() -> Iterator[ModuleType]:
    for each in walk_packages(memcli.__path__, "memcli."):
        if not each.name.endswith("__main__"):
            yield importlib.import_module(each.name)


def _benchmarks() -> Iterator[str]:
    return (path.read_text(encoding="utf-8") for path in (ROOT / "benchmarks").glob("*.py"))


@pytest.mark.parametrize("page", NAMING, ids=_name)
def test_files_exist(page: Path) -> None:
    """A path with a folder is one of the repository, of `memcli/` or of a folder in it."""
    wrong = []
    for name in _named(page):
        for path in re.findall(rf"(?<![\w/~.:-])\w+(?:/\w[\w-]*)*/[\w-]+\.(?:{ENDINGS})\b", name):
            folders = [ROOT, ROOT / "memcli", *ROOT.glob("memcli/*/")]
            if not any((folder / path).exists() for folder in folders):
                wrong.append(path)
        ours = re.fullmatch(r"([a-z_]+)/(?:[a-z_]+/)*", name)
        if ours and ours[1] in MODULES and not (ROOT / "memcli" / name).is_dir():
            wrong.append(name)
    assert wrong == []


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_links_lead_somewhere(page: Path) -> None:
    wrong = []
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        there = (page.parent / path) if path else page
        if not there.exists() or (anchor and anchor not in _anchors(there)):
            wrong.append(target)
    assert wrong == []


def _anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and the site make them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("figure", ["turn recall@10", "turn recall@20", "session recall@10"])
def test_the_readme_has_the_figures_that_were_measured(figure: str) -> None:
    measured = json.loads((ROOT / "benchmarks" / "results" / "fused.json").read_text(encoding="utf-8"))
    sets = [measured["cross_validated"][name] for name in ("locomo", "implicit_preference", "longmemeval_s")]
    (row,) = re.findall(rf"^\| {figure}, `fused`[^|]*\|(.*)\|$", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert [float(each) for each in row.split("|")] == [round(each[figure], 3) for each in sets]


def test_the_version_is_the_latest_release() -> None:
    (latest, *_) = re.findall(
        r"^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d{2}-\d{2}$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE
    )
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert latest == memcli.__version__ == project["version"]
