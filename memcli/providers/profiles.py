"""The cosines that mean something with one embedder alone: what is alike, of one topic, the same thing in other words.

They were chosen with MiniLM, memcli's first embedder. Another one spreads cosines otherwise, so that for it each is put
where as large a share of random pairs of sentences lies below it as does with MiniLM.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
import numpy.typing as npt

__all__ = ["ENCODER", "LEVELS", "MINILM", "OWN", "Profile", "calibrated", "profile_of"]


@dataclass(frozen=True, slots=True)
class Profile:
    """Thresholds by name, each a cosine; those that stand here are MiniLM's.

    `neighbour`: under it, sentences are not joined. `joined`, `repeats`: sentences of one summary that are alike, and
    that say the same. `supported`: what a unit has at least with one of its sources. `one_thing`, `same_fact`: facts of
    one thing, and facts that say the same. `synonym`, `mention`: arguments of one meaning (δ, EMem §4.1), and an
    argument that a question means. `topic`, `alias`: an assertion of a topic, and two that name one thing; `margin`:
    the difference by which one is nearer to a seeded topic than to what lies beside it. `spoken_of`: a turn that a text
    speaks of.
    """

    neighbour: float = 0.3
    joined: float = 0.3
    repeats: float = 0.8
    supported: float = 0.3
    one_thing: float = 0.55
    same_fact: float = 0.7
    synonym: float = 0.9
    mention: float = 0.7
    topic: float = 0.4
    alias: float = 0.85
    margin: float = 0.09
    spoken_of: float = 0.5


MINILM = Profile()

#: Quantiles of MiniLM's cosines of random pairs of sentences of different sessions, measured on the development split
#: of LoCoMo by `python benchmarks/calibration.py --data locomo_dev.json`, which also says at which rank each threshold
#: stands: `neighbour` 0.925, `topic` 0.984, `spoken_of` 0.996, `one_thing` 0.998, the others above 0.999.
LEVELS = (0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.995)
_MINILM = (-0.0534, 0.0217, 0.0721, 0.1347, 0.2073, 0.2799, 0.3272, 0.3853, 0.4354, 0.4818)


def calibrated(strangers: npt.NDArray[np.float64]) -> Profile:
    """The profile of an embedder with these cosines of random pairs of sentences.

    A threshold goes where as large a share of the pairs lies below it as with MiniLM. Above the last quantile, which so
    many pairs cannot measure, it divides what is left up to 1, the cosine of what is the same, as with MiniLM.
    """
    return _placed(np.quantile(strangers, LEVELS).tolist())


def _placed(quantiles: Sequence[float]) -> Profile:
    """The profile of an embedder with these quantiles, at `LEVELS`."""
    own = [*quantiles, 1.0]

    def at(cosine: float) -> float:
        return float(np.interp(cosine, [*_MINILM, 1.0], own))

    found = {name: at(value) for name, value in asdict(MINILM).items()}
    return Profile(**found | {"margin": at(MINILM.topic + MINILM.margin) - at(MINILM.topic)})


#: The encoder's quantiles, measured in the same way, and those of the one before it.
_ENCODER = (-0.0471, 0.0369, 0.0915, 0.1587, 0.2375, 0.3120, 0.3605, 0.4214, 0.4573, 0.5084)
_FORMER = (-0.0584, 0.0288, 0.0811, 0.1441, 0.2186, 0.2957, 0.3408, 0.4003, 0.4405, 0.4846)
#: Their margins were chosen on what people eat and on what they otherwise avoid (tests/test_concepts.py).
ENCODER = replace(_placed(_ENCODER), margin=0.075)

#: The profiles that are known, by the embedder's id.
OWN: Mapping[str, Profile] = {
    "memcli-encoder-2": ENCODER,
    "memcli-encoder-1": replace(_placed(_FORMER), margin=0.125),
    "minilm-l6-v2-int8": MINILM,
}


def profile_of(embedder_id: str, kept: Mapping[str, float] | None) -> Profile:
    """An embedder's profile: memcli's own have theirs; of another the thresholds that a store keeps for it
    (`store.calibration`), the encoder's where it keeps none.
    """
    if embedder_id in OWN:
        return OWN[embedder_id]
    known = asdict(ENCODER)
    return Profile(**known | {name: value for name, value in (kept or {}).items() if name in known})
