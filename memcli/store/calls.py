"""Replies of language models that were paid for, kept in the store so that none is paid for twice."""

from __future__ import annotations

import threading

from ..errors import StoreMissing
from .connection import Store
from .rows import scalar

__all__ = ["StoredCalls"]


class StoredCalls:
    """The store's `call` table, one short transaction a call. Safe to share between threads."""

    def __init__(self, store: Store) -> None:
        self._store = store
        # For reading as well: threads that open and close one file in turn would wait for each other, and a database
        # in memory has but one connection.
        self._lock = threading.Lock()

    def get(self, key: str) -> str | None:
        """The response kept under `key`. Raises StoreError; that there is no store yet is no error."""
        try:
            with self._lock, self._store.reading() as db:
                found = scalar(db, "select response from call where key = ?", [key])
        except StoreMissing:
            return None
        return None if found is None else str(found)

    def put(self, key: str, model: str, request: str, response: str) -> None:
        """Keeps a response; one that is kept under `key` already stays. Raises StoreError."""
        with self._lock, self._store.writing() as db:
            db.execute(
                "insert into call select ?, ?, ?, ?, now() where not exists (select 1 from call where key = ?)",
                [key, model, request, response, key],
            )
