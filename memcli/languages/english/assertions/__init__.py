"""What a turn asserts of who says it: typed patterns over clauses (ontology-guided memory, §3.2)."""

from .clauses import spoken_of
from .tagging import assertions

__all__ = ["assertions", "spoken_of"]
