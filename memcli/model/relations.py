"""The relations that an assertion can state: how its tail stands to its head (ontology-guided memory, §3.2).

A relation reads from head to tail: Ana LIKES pottery, Ana RELATIVE_OF sister Eva, Eva LIVES_IN Rome.
"""

from __future__ import annotations

from enum import StrEnum

__all__ = [
    "AVERSIONS", "BESIDE", "DOMAINS", "GLOSSES", "GROUPS", "PREFERENCES", "RESTRICTIONS", "SEEDS", "SHAPING",
    "RelationType", "restricts",
]  # fmt: skip

#: From this confidence on an assertion may shape the graph; below it stays searchable as text alone.
SHAPING = 0.5


class RelationType(StrEnum):
    """How the tail of an assertion stands to its head."""

    LIKES = "likes"
    DISLIKES = "dislikes"
    AVOIDS = "avoids"  # also by principle: never, refuses to, does not eat
    PREFERS = "prefers"  # rather than something else; choices, "only", "tends to go for"
    INTERESTED_IN = "interested_in"
    FEARS = "fears"  # also worries
    DIET = "diet"
    ALLERGY = "allergy"  # also intolerance
    HEALTH = "health"  # conditions, and what brings them on
    BELIEVES = "believes"
    HABIT = "habit"
    USES = "uses"
    OWNS = "owns"
    HAS_PET = "has_pet"
    RELATIVE_OF = "relative_of"  # the tail is a relative of the head
    FRIEND_OF = "friend_of"  # friends, colleagues, neighbours
    IS = "is"  # what someone is beside their work: a parent, a vegan, a beginner
    WORKS_AT = "works_at"
    WORKS_AS = "works_as"
    STUDIES = "studies"
    SKILL = "skill"
    LIVES_IN = "lives_in"
    COMES_FROM = "comes_from"
    PLANS = "plans"  # a step that is meant to be taken
    GOAL = "goal"  # what it shall lead to
    NEEDS = "needs"  # also what is being looked for
    BUDGET = "budget"  # limits of money, time or distance


_R = RelationType

#: Relations that are against their tail when they are not negated.
AVERSIONS = frozenset({_R.DISLIKES, _R.AVOIDS, _R.FEARS, _R.ALLERGY})

#: Relations that limit what is open to their head when they are not negated.
RESTRICTIONS = AVERSIONS | {_R.DIET, _R.HEALTH}

#: Relations that tell what someone would want or not want: what a recommendation must respect.
PREFERENCES = frozenset(
    {
        _R.LIKES, _R.DISLIKES, _R.AVOIDS, _R.PREFERS, _R.INTERESTED_IN, _R.FEARS, _R.DIET, _R.ALLERGY, _R.HABIT,
        _R.USES, _R.NEEDS, _R.BUDGET, _R.HEALTH,
    }
)  # fmt: skip

#: What a relation bears on, whatever its tail is: whoever asks for a restaurant must be told of a nut allergy.
DOMAINS: dict[RelationType, str] = {_R.DIET: "food", _R.ALLERGY: "food"}

#: What is embedded for a domain: the things that somebody may ask for there.
GLOSSES = {"food": "food: what to eat, dishes, restaurants, recipes, snacks"}

#: What is embedded for a domain's seed, the mean of these: the things that somebody may have to do without there.
SEEDS = {
    "food": (
        "food", "an ingredient", "a dish", "vegetables and herbs", "fruit and nuts", "meat, fish and seafood",
        "bread, eggs and dairy", "coffee, tea and soft drinks", "beer, wine and alcohol", "a diet",
        "a food intolerance",
        "coeliac disease",  # the commonest illness that is treated by diet alone: the encoder knows it by name only
    ),
}  # fmt: skip

#: And what is met beside them, or limits people elsewhere, and is none of these things.
BESIDE = {
    "food": (
        "restaurants and dinner parties", "cooking and shopping", "illness and pain", "mood and fears",
        "people and places", "animals and pollen", "a hobby or a sport", "travel and machines", "medicine",
        "clothes and things",
    ),
}  # fmt: skip

#: Relations that are near enough to stand for one another when what was said leaves it open.
GROUPS: dict[RelationType, str] = {
    relation: name
    for name, relations in {
        "taste": (_R.LIKES, _R.DISLIKES, _R.AVOIDS, _R.PREFERS, _R.INTERESTED_IN, _R.FEARS),
        "body": (_R.DIET, _R.ALLERGY, _R.HEALTH),
        "belief": (_R.BELIEVES,),
        "custom": (_R.HABIT,),
        "possession": (_R.USES, _R.OWNS, _R.HAS_PET),
        "people": (_R.RELATIVE_OF, _R.FRIEND_OF),
        "work": (_R.IS, _R.WORKS_AT, _R.WORKS_AS, _R.STUDIES, _R.SKILL),
        "place": (_R.LIVES_IN, _R.COMES_FROM),
        "intent": (_R.PLANS, _R.GOAL, _R.NEEDS, _R.BUDGET),
    }.items()
    for relation in relations
}


def restricts(relation: str, negated: bool) -> bool:
    """Whether an assertion limits what is open to its head: a restriction, or a liking that is denied."""
    return not negated if relation in RESTRICTIONS else negated and relation == RelationType.LIKES
