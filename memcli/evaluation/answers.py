"""Scores of a short answer against the gold one, by the words that they share. All are in [0, 1].

None of them knows what a sentence means: "in May" and "5/2023" share nothing. They are comparable, and that is all.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nltk.stem.porter import PorterStemmer

__all__ = ["answer_scores", "bleu", "locomo_f1", "rouge_l", "token_f1"]

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_LOCOMO_ARTICLES = re.compile(r"\b(?:a|an|the|and)\b")
_WORD = re.compile(r"[a-z0-9]+")

#: LoCoMo's categories with a rule of their own.
MULTI_HOP, OPEN_DOMAIN, ADVERSARIAL = "1", "3", "5"


def token_f1(given: str, gold: str) -> float:
    """The harmonic mean of precision and recall in words, as SQuAD counts it (Rajpurkar et al. 2016).

    Lower case, without punctuation and articles; two empty answers agree.
    """
    return _f1(_plain(given, _ARTICLES), _plain(gold, _ARTICLES))


def locomo_f1(given: str, gold: str, category: str, *, abstained: bool = False) -> float:
    """LoCoMo's own F1 (Maharana et al. 2024): words as NLTK's Porter stems, with a rule for three of its categories.

    Category 1: gold and given are lists, parted by commas; the mean over the gold items of the best match of each.
    Category 3: of the gold answer only what is before a semicolon. Category 5: 1 where the reader abstained.
    """
    if category == ADVERSARIAL:
        return float(abstained)
    if abstained:
        return 0.0
    if category == MULTI_HOP:
        items = [_stemmed(item) for item in given.split(",")]
        wanted = [_stemmed(item) for item in gold.split(",")]
        return sum(max(_f1(item, want) for item in items) for want in wanted) / len(wanted)
    return _f1(_stemmed(given), _stemmed(gold.partition(";")[0] if category == OPEN_DOMAIN else gold))


def bleu(given: str, gold: str, order: int) -> float:
    """BLEU up to n-grams of `order` with equal weights (Papineni et al. 2002, section 2.3), of a single sentence.

    An order without a match counts as 0.1 matches (Chen & Cherry 2014, smoothing 1); no word in common is 0.
    """
    from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

    weights = (1 / order,) * order
    found = sentence_bleu([_tokens(gold)], _tokens(given), weights, smoothing_function=SmoothingFunction().method1)
    return float(found)


def rouge_l(given: str, gold: str) -> float:
    """F1 of the longest common subsequence of words (Lin 2004, section 3), without stemming."""
    said, wanted = _WORD.findall(given.lower()), _WORD.findall(gold.lower())
    common = _common_subsequence(said, wanted)
    return 2 * common / (len(said) + len(wanted)) if common else 0.0


def answer_scores(given: str, gold: str, category: str) -> Mapping[str, float]:
    """Every score of an answer to a question that has one, by the name that it has in a record."""
    return {
        "f1": token_f1(given, gold),
        "locomo_f1": locomo_f1(given, gold, category),
        "bleu1": bleu(given, gold, 1),
        "bleu4": bleu(given, gold, 4),
        "rouge_l": rouge_l(given, gold),
    }


def _f1(given: Sequence[str], gold: Sequence[str]) -> float:
    if not given or not gold:
        return float(given == gold)
    common = sum((Counter(given) & Counter(gold)).values())
    return 2 * common / (len(given) + len(gold))


def _plain(text: str, articles: re.Pattern[str]) -> list[str]:
    return articles.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def _stemmed(text: str) -> list[str]:
    return [_porter(word) for word in _plain(text, _LOCOMO_ARTICLES)]


@lru_cache(maxsize=65536)
def _porter(word: str) -> str:
    stemmed: str = _stemmer().stem(word)
    return stemmed


@lru_cache(maxsize=1)
def _stemmer() -> PorterStemmer:
    """The one of the official script: NLTK's, which extends the published algorithm."""
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer()


def _tokens(text: str) -> list[str]:
    return re.findall(r"\w+|[^\w\s]", text.lower())


def _common_subsequence(first: Sequence[str], second: Sequence[str]) -> int:
    lengths = [0] * (len(second) + 1)
    for word in first:
        diagonal = 0
        for at, other in enumerate(second, start=1):
            diagonal, lengths[at] = lengths[at], diagonal + 1 if word == other else max(lengths[at], lengths[at - 1])
    return lengths[-1]
