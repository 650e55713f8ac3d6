"""The views that a memory keeps: of a store that did not change they hold for the next question, too."""

from __future__ import annotations

from ..store.connection import Store
from ..store.folder import Folder
from ..store.identity import Identity
from ..store.revision import revision
from ..store.views.view import View

__all__ = ["Views"]


class Views:
    """The last view of a store, of all of it or of one conversation."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: dict[str | None, tuple[int, View]] = {}

    def of(self, conversation: str | None, stored: Identity | None) -> View:
        """The store, or one conversation, as arrays: the ones loaded for the question before, where nothing changed."""
        with self._store.reading() as db:
            now = revision(db)
        kept = self._kept.get(conversation)
        if kept is None or kept[0] != now:
            kept = (now, View(self._store.reading, stored.dimension if stored else 1, conversation))
            self._kept = {conversation: kept}
        else:
            kept[1].hold()
            self._store.keep_open()  # who asks again will ask once more: to open the file takes longer than the search
        kept[1].gather = self._store.gather if isinstance(self._store, Folder) else None
        return kept[1]

    def forget(self) -> None:
        """Lets go of what it keeps."""
        self._kept = {}
