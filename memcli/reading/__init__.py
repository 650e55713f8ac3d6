"""Reading: ranked hits into a context, a short answer and its evidence."""

from __future__ import annotations

from memcli.reading.context import EvidenceLine, build_context, evidence, within
from memcli.reading.extractive import NOTHING, ExtractiveReader, Reader
from memcli.reading.passages import Transcript

__all__ = ["NOTHING", "EvidenceLine", "ExtractiveReader", "Reader", "Transcript", "build_context", "evidence", "within"]
