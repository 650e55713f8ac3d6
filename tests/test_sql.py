"""Only the store knows SQL: nothing beside it has a statement, or runs one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import memcli

ROOT = Path(memcli.__file__).parent
#: What reads another program's database, with that one's tables.
FOREIGN = ROOT / "formats" / "imessage.py"
OUTSIDE = sorted(path for path in ROOT.rglob("*.py") if "store" not in path.relative_to(ROOT).parts and path != FOREIGN)
#: What runs a statement: methods of a connection, and functions of `store.rows`.
RUNNING = {"execute", "executemany", "sql", "fetchall", "fetchone", "fetchnumpy"}
OF_ROWS = {"append", "columns", "scalar"}
STATEMENT = re.compile(
    r"\s*(select\s.*\bfrom|with \w+ as \(|insert into|delete from|update \w+ set|create (temp )?table)\b",
    re.DOTALL,
)


def _sql(source: str) -> Iterator[str]:
    """Where a module runs SQL or holds a statement, in words."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in RUNNING:
            yield f"{node.lineno}: .{node.func.attr}()"
        elif isinstance(node, ast.ImportFrom) and (node.module or "").endswith("store.rows"):
            yield from (f"{node.lineno}: {name.name}" for name in node.names if name.name in OF_ROWS)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and STATEMENT.match(node.value):
            yield f"{node.lineno}: {node.value[:40]}"


@pytest.mark.parametrize("path", OUTSIDE, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_the_store_knows_sql(path: Path) -> None:
    assert not list(_sql(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize(
    "source",
    [
        "db.execute('vacuum')",
        "rows = db.cursor().sql(text).fetchall()",
        "from ..store.rows import scalar, transaction",
        "SQL = f'select count(*) from {table}'",
        "SQL = 'update meta set value = 1'",
    ],
)
def test_sql_is_told(source: str) -> None:
    assert list(_sql(source))


def test_what_is_no_sql_is_let_be() -> None:
    assert not list(_sql('"""Select what comes from the store."""\nfrom ..store.rows import transaction\nrun(db)'))


def test_every_result_is_read_to_its_end() -> None:
    """One that is not keeps its connection from the next statement."""
    root = Path(memcli.__file__).parent
    assert [str(path) for path in root.rglob("*.py") if ".fetchone()" in path.read_text(encoding="utf-8")] == []
