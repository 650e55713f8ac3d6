"""What is public is what `__all__` says, and it is documented."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import memcli

ROOT = Path(__file__).resolve().parents[1]
MODULES = sorted(m.name for m in pkgutil.walk_packages(memcli.__path__, "memcli.") if m.name != "memcli.__main__")


def _place(entry: str) -> tuple[int, str]:
    """Constants come first, then classes, then all else, each in the order of the alphabet."""
    return (0 if entry.isupper() and len(entry) > 1 else 1 if entry[:1].isupper() else 2), entry


@pytest.mark.parametrize("name", ["memcli", *MODULES])
def test_all_names_exist_are_sorted_and_documented(name: str) -> None:
    module = importlib.import_module(name)
    assert (module.__doc__ or "").strip(), f"{name} has no docstring"
    public = getattr(module, "__all__", [])
    holds = [thing for entry, thing in vars(module).items() if entry[0] != "_" and not inspect.ismodule(thing)]
    if not name.endswith((".cli", "__init__")) and name.count(".") > 1 and holds:
        assert public, f"{name} has no __all__"
    assert list(public) == sorted(set(public), key=_place)
    if public:
        here = [n for n, thing in vars(module).items() if getattr(thing, "__module__", "") == name and n[0] != "_"]
        made = {n for n in here if inspect.isfunction(getattr(module, n)) or inspect.isclass(getattr(module, n))}
        assert made <= set(public)
    for entry in public:
        thing = getattr(module, entry)
        if inspect.isfunction(thing) or inspect.isclass(thing):
            assert (thing.__doc__ or "").strip(), f"{name}.{entry} has no docstring"


def test_a_prompt_completes_what_comes_late_and_is_not_flooded_by_a_report() -> None:
    assert set(memcli.__all__) <= set(dir(memcli))
    assert "s:1" not in repr(memcli.Report(sessions={"s:1"}))


def test_the_command_line_is_documented() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "generate_cli.py", "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_functions_stay_small() -> None:
    import ast

    lengths = []
    for path in (ROOT / "memcli").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lengths.append((node.end_lineno or 0) - node.lineno + 1)
                assert lengths[-1] <= 60, f"{path}: {node.name}"
    lengths.sort()
    assert lengths[len(lengths) // 2] <= 10
    assert lengths[len(lengths) * 9 // 10] < 30


def test_unknown_names_raise() -> None:
    with pytest.raises(AttributeError):
        _ = memcli.nothing
