"""The thresholds of a store's embedder: those of memcli's own are known, another's are found from the store itself."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from ..providers.embedding import Embedder
from ..providers.profiles import OWN, Profile, calibrated, profile_of
from ..store import calibration
from ..store.connection import Store
from ..store.identity import identity

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["calibrate", "is_calibrated", "profile"]


def profile(db: DuckDBPyConnection) -> Profile:
    """The thresholds to go by in this store: the encoder's, as long as no others were found."""
    filled = identity(db)
    return profile_of(filled.id if filled else "", calibration.kept(db))


def calibrate(store: Store, embedder: Embedder) -> None:
    """Finds them once, as soon as there are sentences enough; what was made before stays. Raises StoreError."""
    if embedder.id in OWN or not store.exists:
        return
    with store.reading() as db:
        strangers = None if calibration.kept(db) else calibration.strangers(db, embedder.dimension)
    if strangers is not None:
        with store.writing() as db:
            calibration.keep(db, asdict(calibrated(strangers)))


def is_calibrated(store: Store) -> bool:
    """Whether the thresholds are those of the embedder that filled the store. Raises StoreError."""
    with store.reading() as db:
        filled = identity(db)
        return filled is None or filled.id in OWN or calibration.kept(db) is not None
