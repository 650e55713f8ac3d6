"""The thresholds of a store's embedder: MiniLM's are known, another's are found from the store itself."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from ..providers.embedding import Embedder
from ..providers.minilm import MiniLM
from ..providers.profiles import Profile, calibrated, profile_of
from ..store import calibration
from ..store.connection import Store

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["calibrate", "is_calibrated", "profile"]


def profile(db: DuckDBPyConnection) -> Profile:
    """The thresholds to go by in this store: MiniLM's, as long as no others were found."""
    return profile_of(calibration.kept(db))


def calibrate(store: Store, embedder: Embedder) -> None:
    """Finds them once, as soon as there are sentences enough; what was made before stays. Raises StoreError."""
    if embedder.id == MiniLM.id or not store.exists:
        return
    with store.reading() as db:
        strangers = None if calibration.kept(db) else calibration.strangers(db, embedder.dimension)
    if strangers is not None:
        with store.writing() as db:
            calibration.keep(db, asdict(calibrated(strangers)))


def is_calibrated(store: Store) -> bool:
    """Whether the thresholds are those of the embedder that filled the store. Raises StoreError."""
    from ..store.identity import identity

    with store.reading() as db:
        filled = identity(db)
        return filled is None or filled.id == MiniLM.id or calibration.kept(db) is not None
