"""`ontology`: what people assert of themselves, matched with what they ask for (ontology-guided memory).

One module for each of the paper's parts, each with a switch (`ontology:without-PART`): on the development data the
router, the consistency term, the expansion and lifting gain nothing beyond noise (`docs/strategies/ontology.md`).
"""

from .strategy import PARTS, Ontology, variant

__all__ = ["PARTS", "Ontology", "variant"]
