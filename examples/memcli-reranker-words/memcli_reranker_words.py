"""A reranker for memcli without a model: texts that hold more of the question's words come first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log

from memcli.errors import UsageError
from memcli.text import content_stems

__all__ = ["Words", "words"]


class Words:
    """Scores a text by the share of the question's words that it holds, rare ones (among these texts) counting more."""

    def rerank(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """A score for each text, from 0 to 1."""
        asked = set(content_stems(question))
        held = [asked & set(content_stems(text)) for text in texts]
        count = Counter(stem for each in held for stem in each)
        weight = {stem: log(1 + len(texts) / (1 + count[stem])) for stem in asked}
        whole = sum(weight.values()) or 1.0
        return [sum(weight[stem] for stem in sorted(each)) / whole for each in held]


def words(model: str) -> Words:
    """`words`. Raises UsageError where a model is named."""
    if model:
        raise UsageError("the reranker words has no models", "--reranker words")
    return Words()
