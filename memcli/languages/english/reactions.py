"""Words of feeling and filling: what is left of a sentence without them is what it tells."""

from __future__ import annotations

from ...text import content_stems, stem

__all__ = ["informative", "is_reaction", "telling_stems"]

_REACTIONS = frozenset(
    map(
        stem,
        """
    glad happy great awesome amazing cool nice good wow love loved thank thanks sorry proud excited thrilled appreciate
    support mean means lot lots feel feels feeling know think thing things really share hear heard sound sounds agree
    hope wish best luck inspire inspiring inspired lucky idea sure right fun wait keep much see yeah totally definitely
    absolutely truly stoked pumped super way day time times so something anything everything one ones kind bit
    let like look looks want say said tell told talk ya gonna pretty incredible grateful thankful words understand
    believe imagine guess bet better always never well still even back bring brings make makes makes made give gives
    gave yes ok okay people life world moment moments special great good important need take go come going went whole
    happen happened feel felt forward blast tough hard blessed honored moved nothing
    recommend highly few many able everyone someone stuff help helps""".split(),
    )
)


def informative(sentence: str, least: int = 1) -> bool:
    """Whether a sentence has at least `least` words that carry more than grammar and feeling."""
    return len(telling_stems(sentence)) >= least


def telling_stems(text: str) -> frozenset[str]:
    """The stems of `text` that carry more than grammar and feeling."""
    return frozenset(content_stems(text)) - _REACTIONS


def is_reaction(word: str) -> bool:
    """Whether a lower-case word is one of feeling and filling that says little by itself."""
    return stem(word) in _REACTIONS
