"""What turns assert of their speakers: typed, dated assertions from which an ontology of each user is learned.

The tagger itself is `tagging.assertions`: whoever only reads assertions need not load its patterns.
"""

from __future__ import annotations

from .base import Assertion

__all__ = ["Assertion"]
