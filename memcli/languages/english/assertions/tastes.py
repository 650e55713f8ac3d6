"""Typed patterns of taste: what somebody likes, prefers, avoids, fears and is interested in; negation turns them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....relations import RelationType as R
from ..negation import NEGATED_VERB
from .rules import MIDDLE, Found, rule

__all__ = ["RULES", "tastes"]

_PAST = re.compile(r"\bused to\b|\bdid not use to\b", re.IGNORECASE)
_ENDED = re.compile(r"\b(?:no longer|not \w* ?any ?more)\b", re.IGNORECASE)
_WISH = re.compile(r"\bwould(?: \w+)?(?: \w+)? (?:love|like|hate|prefer)\b", re.IGNORECASE)

_FEELING = re.compile(
    rf"\b(?:I|we) (?P<mid>{MIDDLE})(?:(?P<likes>lov(?:e|ed|ing)|ador(?:e|ed)|lik(?:e|ed)|enjoy(?:ed|ing)?|cherish|"
    r"treasured?|relish|appreciate|valued?|admired?)|(?P<prefers>prefer(?:red)?|favou?r)|"
    r"(?P<hates>dislik(?:e|ed)|hat(?:e|ed)|despise|detest|loathe|resent)|"
    r"(?P<avoids>avoid(?:ing|ed)?|steer (?:clear|away) (?:of|from)|(?:stay|keep|shy|turn) away from|refrain from|"
    r"abstain from|stay clear of|boycott|keep off|stay off|skip|refuse(?: to)?)|(?P<fears>fear|dread))"
    r" (?P<tail>\S.*)",
    re.IGNORECASE,
)
_UNBEARABLE = re.compile(
    rf"\b(?:I|we) {MIDDLE}(?<=not )(?:really )?(?:stand|bear|tolerate|handle|stomach|abide|trust|take|care for|"
    r"agree with|support|believe in)\b (?P<tail>\S.*)",
    re.IGNORECASE,
)
_OVER = re.compile(
    r"\s(?:over|rather than|instead of|as opposed to|more than|compared to)\s+(?P<other>\S.*)", re.IGNORECASE
)
_NOT_TO = re.compile(
    r"^not to\s+(?:be |have |use )?|^(?:to )?(?:avoid(?:ing)?|stay(?:ing)? away from|not)\s+", re.IGNORECASE
)
_TO_VERB = re.compile(r"^(?:to|that|how|the way)\s+", re.IGNORECASE)
_NO_TASTE = re.compile(
    r"^(?:to (?:know|see|hear|ask|learn|get|think|make sure|say|thank|point|add|have|confirm|share|talk|mention|"
    r"find)\b|"
    r"(?:it|that|this)\b(?=[.,!]|$| (?:is|you|I|we|they|so|too|when|for|in|about|a lot|and|how)\b)|what\b|(?:(?:how|"
    r"the way) (?:it|you|they|he|she|this|that|much|your))\b|every moment|"
    r"(?:the |all |these |all the |those |any )?(?:kind |great |nice |helpful |advice |detailed )*(?:words|support|"
    r"help|tips|advice|encouragement|suggestions?|"
    r"info|information|offer|feedback|recommendations?|response|concern|insights?|time|effort|efforts|kindness|invite|"
    r"clarification|explanation)\b|"
    r"(?:you|your|hearing|seeing you|knowing|if|when|a (?:lot|challenge)|with|for you)\b|to\b.*\byou)",
    re.IGNORECASE,
)

_DOES = (
    r"(?:use|us(?:ing)|buy|eat|wear|watch|read|drink|drive|book|consume|purchase|choose|stay (?:in|at)|shop (?:at|for|"
    r"in)|"
    r"listen to|play|work with|trust|travel (?:by|on|with)|fly with|fly|go for|go to|visit|rent|order|support|"
    r"cook with|"
    r"cook|attend|take|own|dine at|dine in|ride|apply|participate in|engage in)"
)
_DONE = _DOES.replace("(?:use|", "(?:", 1)
_BAD = (
    r"uncomfortable|anxious|nervous|sick|nauseous|uneasy|sad|angry|stressed|dizzy|itchy|tired|frustrated|"
    r"claustrophobic|"
    r"irritable|overwhelmed|mad|cringe|bloated|ill|break out|sleepy|drowsy|hesitant|gag|retch"
)
_GOOD = (
    r"strong|confident|powerful|energized|motivated|focused|grounded|going|feel (?:strong|confident|connected|"
    r"close)|happy|smile|feel (?:good|great|alive|calm|relaxed|at peace|free|better|happy)|calm|laugh|relaxed"
)
_POOR = (
    r"boring|annoying|frustrating|distracting|disorienting|overwhelming|impractical|ineffective|uncomfortable|"
    r"unpleasant|stressful|demotivating|childish|gimmicky|intrusive|irritating|overrated|tedious|unappealing|"
    r"dull|disgusting|intimidating|inconvenient|unreliable|too \w+|difficult|hard|exhausting|confusing|unhelpful|"
    r"claustrophobic|off-putting|distasteful|repulsive|tiring|nauseating|cumbersome|unnecessary|less \w+|cringe"
)
_FINE = (
    r"awesome|amazing|incredible|wonderful|fantastic|delicious|beautiful|fascinating|interesting|intriguing|relaxing|"
    r"enjoyable|fun|calming|inspiring|soothing|therapeutic|great|cool|rewarding|comforting|exciting|lovely|magical|"
    r"captivating|perfect|useful|helpful|peaceful|more (?:engaging|comfortable|effective|enjoyable|relaxing)"
)
_THING = (
    r"(?P<tail>(?!.*\b(?:must|would|could)\b)(?!(?:it|that|this|they|those|these|he|she|you|your|there|what|"
    r"which|I|we)\b)\S[^,;?]{1,80}?)"
)

_GENERAL = (
    r"(?P<tail>(?!(?:it|that|this|those|these|they|you|your|he|she|his|her|their|what|there|everything|things|here|"
    r"who|which|one|all|everyone|I|we|"
    r"life|some|any|someone|nothing|something|and|but|so|the (?:photo|pic|picture|view|result|energy))\b)"
    r"(?!.*\b(?:you|your|is|are|was|were|I)\b.* (?:is|are|means?|can)\b)[^,;?]{3,50}?)"
)

RULES = (
    rule(R.PREFERS, "only exclusively solely strictly", rf"\b(?:I|we) {MIDDLE}(?:only|exclusively|solely|"
         rf"strictly) {_DOES} {{X}}", 0.85,
         strength=0.95),
    rule(R.PREFERS, "exclusively only", rf"{{I}}{_DOES} (?:only|exclusively|nothing but) {{X}}", 0.8, strength=0.95),
    rule(R.AVOIDS, "never", rf"\b(?:I|we) (?:\w+ly |would |will |am |have )?never (?:ever )?{_DOES} {{X}}", 0.75,
         strength=0.95),
    rule(R.AVOIDS, "no", r"(?:^|[,;] )(?:(?:so|and|but|sorry|please),? )*no (?:more )?(?P<tail>[^,;?]{2,40}?) "
         r"(?:for (?:me|us)\b|(?:for (?:me|us) )?(?:from (?:now|today) on|any ?more|ever again)\b)", 0.75),
    rule(R.AVOIDS, "not cannot", rf"\b(?:I|we) (?:\w+ly )?(?:do not|will not|cannot|would not|am not able to) "
         rf"(?:\w+ly |even |ever |really |want to |like to )*{_DOES} {{X}}", 0.65),
    rule(R.PREFERS, "stick gravitate opt lean leaning sticking favor favour look",
         r"{I}(?:stick(?:ing)? (?:to|with)|gravitate (?:towards?|to)|opt(?:ing)? for|lean(?:ing)? towards?|"
         r"tend to (?:choose|go for|go with|stay at|stay in|book|use|buy|pick|wear)|look for) {X}", 0.7),
    rule(R.PREFERS, "tend usually", r"{I}(?:tend to|usually|typically|generally|mostly|always) "
         r"(?:go for|choose|go with|opt for|pick|book|select|buy) {X}", 0.75),
    rule(R.PREFERS, "preference preferences", r"{I}(?:have|with)?(?: \w+){0,4} preferences? (?:for|towards?|of) {X}",
         0.9),
    rule(R.PREFERS, "preference preferences", r"\b(?:my|our)(?: \w+){0,2} preferences? (?:is|are|would be) (?:for |"
         r"to )?{X}", 0.8),
    rule(R.DISLIKES, "aversion dislike hatred distaste disdain problem issue issues contempt disinterest",
         r"\b(?:I|we) (?:\w+ly |also |do |generally )*(?:have|hold|developed|feel)(?: \w+){0,4} (?:aversion|dislike|"
         r"hatred|distaste|"
         r"disdain|contempt|disinterest|disgust) (?:to|towards?|of|for|against|in) {X}", 0.9, strength=0.9),
    rule(R.FEARS, "fear phobia anxiety fears worries worry", r"{I}(?:have|suffer from)?(?: \w+){0,4} (?:fear|phobia|"
         r"fears|phobias|"
         r"anxiety|worries|concerns) (?:of|about|around) {X}", 0.85, strength=0.9),
    rule(R.FEARS, "phobia fear fears", r"\bdue to (?:my|a|an)(?: \w+){0,2} (?:fear|phobia) of {X}", 0.75),
    rule(R.DISLIKES, "interest", r"{I}have (?:no|zero|little)(?: \w+)? (?:interest|desire) (?:in|to|for) {X}", 0.85),
    rule(R.INTERESTED_IN, "interest", r"{I}have (?:an?|always had an|had an|developed an)?(?: \w+){0,2} interest in "
         r"{X}", 0.85),
    rule(R.LIKES, "passion love spot weakness thing taste knack appreciation",
         r"{I}have (?:an?|always had an?|such an?)?(?: \w+){0,2} (?:passion|love|soft spot|weakness|taste|thing|"
         r"appreciation|"
         r"fondness|obsession) (?:for|of|with) {X}", 0.8),
    rule(R.LIKES, "passion love",
         r"\b(?:my|our)(?: \w+)? (?:passion|love|obsession|fondness) (?:for|of|with|is) {X}", 0.75),
    rule(R.DISLIKES, "appeal", r"(?P<tail>[^,;?]{2,80}?) (?:do|does|did|would) not (?:really |quite |"
         r"particularly )?appeal to (?:me|us)", 0.75),
    rule(R.DISLIKES, "thing tea jam cup style", r"(?:^|, )(?P<tail>[^,;?]{2,60}?) (?:is|"
         r"are) (?:just )?not (?:really )?(?:my (?:thing|"
         r"cup of tea|jam|style|favou?rite)|for me|to my (?:taste|liking))\b", 0.8),
    rule(R.LIKES,
         "hobby hobbies thing jam go-to passion favorite favourite fave faves favorites", r"^(?P<tail>[^,;?]{2,60}?) "
             r"(?:is|"
         r"are|has been|has always been|have "
         r"always been) (?:\w+ly |also |kind of |one of |always |still |just )*(?:my|our) (?:\w+ )?(?:thing|jam|go-to|"
         r"passion|favou?rites?|fave|"
         r"faves|(?:main |favou?rite )?hobb(?:y|ies)|happy place|escape|outlet|comfort)\b", 0.8),
    rule(R.LIKES, "favorite favourite fave favorites favourites go-to", r"\b(?:my|our)(?: (?:all-time|absolute|"
         r"personal|current|new|other|usual|"
         r"\w+))? ?(?:favou?rites?|fave|go-to) (?:[\w-]+ ){0,4}?(?:is|are|was|has to be|would be|would have to be|"
         r"include) {X}", 0.85,
         strength=0.9),
    rule(R.LIKES, "favorite favourite fave favorites favourites", r"\b(?:one of|some of)? ?my(?: all-time|"
         r" absolute)? (?:favou?rite|fave) "
         r"(?!(?:is|are|was|has|would|part|thing|one|about|of)\b){X}", 0.65, strength=0.9),
    rule(R.DISLIKES, "makes make making gives give made", rf"^{_THING} (?:\w+ly )?(?:makes?|made|gets?|"
         rf"leaves?) me (?:feel )?"
         rf"(?:\w+ly |so |a bit |very |really |super )*(?:{_BAD})\b", 0.75),
    rule(R.LIKES, "makes make brings bring gives helps help made keeps calms cheers",
         rf"^{_THING} (?:\w+ly |always |just )*(?:(?:makes?|made|helps?|keeps?) (?:me|us) (?:feel )?(?:\w+ly |so |"
         rf"a bit )*(?:{_GOOD}|"
         r"relax|unwind|de-stress|sane|grounded|happy)|(?:brings?|gives?) (?:me|us) (?:\w+ )?(?:joy|peace|happiness|"
         r"comfort|energy|"
         r"so much)|calms me|cheers me|(?:is|are) (?:so |such |really |a )*(?:calming|relaxing|therapy|therapeutic|"
         r"a stress reliever) for me)", 0.7),
    rule(R.DISLIKES, "find", rf"{{I}}(?:find|found|think|feel) (?:that )?{_THING} (?:to be |is |are |"
         rf"can be )?(?:\w+ly |a bit |quite |so |too )*(?:{_POOR})\b",
         0.65),
    rule(R.INTERESTED_IN, "find", rf"{{I}}(?:find|found) {_THING} (?:to be |is |are )?(?:\w+ly |so |"
         rf"quite )*(?:{_FINE})\b", 0.65),
    rule(R.INTERESTED_IN, "fascinating interesting intriguing amazing incredible inspiring", r"\b(?:it is|I find it) "
         r"(?:\w+ly |"
         r"so |always |"
         r"really )*(?:fascinating|interesting|intriguing|"
         r"amazing) (?:to (?:see|learn|think about|hear|read about)|how|that) (?:how |that |about )?{X}", 0.6),
    rule(R.DISLIKES, "find hard difficult struggle", r"{I}find it (?:\w+ly )?(?:hard|difficult|challenging|"
         r"frustrating|annoying|stressful|uncomfortable) "
         r"(?:to (?:\w+ )?(?:engaged|focused|interested|motivated)? ?(?:in|with|on)?|when) ?{X}", 0.5),
    rule(R.DISLIKES, "frustrating annoying hate sad", r"\b(?:it is|is) (?:\w+ly |so )*(?:frustrating|annoying|sad|"
         r"upsetting|infuriating) (?:to see|when|"
         r"that|how) {X}", 0.55),
    rule(R.LIKES, "is are was were",
         r"^(?P<tail>(?:the|my|our)\s(?!other|rest|energy|view|event|photo|pic|picture)[^,;?]{2,50}?(?= (?:is|are)\b)|"
         r"\w+ing\s(?!you|.*\b(?:must|would|could) have)[^,;?]{2,60}?) "
         rf"(?:is|are|was|were|has been|have been) (?:\w+ly |so |such an? |just |an? |also |truly )*(?:{_FINE}|blast|"
         rf"joy)\b", 0.5),
    rule(R.LIKES, "is are can", rf"^{_GENERAL} (?:is|are|can be) (?:always |just |such an? |so |truly |really |an? |"
         rf"real |pretty |super |definitely |"
         rf"the |also |such |my )*(?:{_FINE}|the best|best|a blast|mood-booster|stress reliever|escape|"
         rf"therapy)\b(?! (?:to see|to hear|that you|of you))", 0.5),
    rule(R.LIKES, "means mean", rf"^{_GENERAL} (?:really |always )*means? (?:so much|a lot|the world|"
         rf"everything) to (?:me|us)\b", 0.65),
    rule(R.LIKES, "i we", r"^(?:(?:it|this|that|there|here|one) (?:is|are) (?:one of |based on )?)?(?P<tail>(?!what\b|"
         r"that\b|"
         r"this\b|how\b|if\b|and\b|so\b|when\b|but\b|because\b|yes\b|oh\b|well\b|also\b)"
         r"(?:[\w'-]+ ){1,6}?)(?:that |which )?(?:I|we) (?:really |always |absolutely |just |both |all |still |"
         r"truly )*(?:love|enjoy|adore)(?: (?:so much|the most|a lot|to death|doing|most))?$", 0.6),
    rule(R.LIKES, "top", r"^(?P<tail>[^,;?]{2,60}?) (?:is|are) (?:at|near|on) the top of my list", 0.8, strength=0.9),
    rule(R.LIKES, "nothing", r"\bthere is nothing (?:quite )?(?:like|better than) {X}", 0.65),
    rule(R.LIKES, "pick choice", r"^(?P<tail>[^,;?]{2,50}?) (?:is|are) (?:\w+ly )?my (?:top |first |"
         r"number one )(?:pick|choice)", 0.75),
    rule(R.INTERESTED_IN, "cannot", r"\b(?:I|we) cannot wait (?:for|until|till) {X}", 0.55),
    rule(R.FEARS, "worry worried", r"{I}worry (?:about|that|whether) {X}", 0.65),
    rule(R.DISLIKES, "disappointed regret complain bothers bother annoys hate irritates bugs worries scares",
         r"^(?P<tail>[^,;?]{2,60}?) (?:\w+ly )?(?:bothers?|annoys?|irritates?|bugs?|scares?|disgusts?) me\b", 0.75),
    rule(R.INTERESTED_IN, "interests fascinates intrigues inspires", r"^(?P<tail>(?!what|it|that|"
         r"this)[^,;?]{2,60}?) (?:\w+ly |always )*(?:interests?|fascinates?|intrigues?|"
         r"inspires?) me\b", 0.75),
    rule(R.INTERESTED_IN, "looking forward excited stoked pumped thrilled", r"{I}(?:look(?:ing)? forward to|"
         r"excited (?:about|for)|"
         r"stoked (?:about|for)|pumped (?:about|for)|thrilled (?:about|with)) {X}", 0.6),
    rule(R.INTERESTED_IN, "sound sounds seem seems", rf"^(?:(?:the|those|these|a|an|that)\s)?{_THING} (?:sounds?|"
         rf"seems?) (?:\w+ly |so |like )*(?:interesting|intriguing|"
         r"fascinating|amazing|awesome|fun|great|lovely|perfect|cool)\b", 0.55),
    rule(R.INTERESTED_IN, "heard",
         r"\b(?:I|we) have heard (?:\w+ )?(?:great|good|amazing|wonderful) things about {X}", 0.6),
    rule(R.INTERESTED_IN, "caring care", r"{I}(?:started )?(?:care|caring) (?:\w+ |a lot )?about {X}", 0.65),
)  # fmt: skip

_STATES = tuple(
    rule(relation, cues, rf"\b(?:I|we) (?P<mid>{MIDDLE}(?:am|was|were|become|became|got|get|feel|felt|"
         rf"be)? ?{MIDDLE})(?:{words}) {{X}}", confidence)
    for relation, cues, words, confidence in (
        (R.LIKES, "fan fond into keen passionate crazy obsessed sucker drawn partial addicted hooked devoted love "
            "lover enthusiast",
         r"(?:big |huge |massive |biggest |the |an? )*fan of|fond of|into|keen on|passionate about|crazy about|"
         r"obsessed with|"
         r"sucker for|drawn to|partial to|addicted to|hooked on|devoted to|in love with|(?:an? )?lover of|"
         r"enthusiastic about|big on", 0.8),
        (R.DISLIKES, "opposed against averse uninterested tired sick uncomfortable bothered off skeptical sceptical "
            "reluctant hesitant "
         "disgusted repulsed wary indifferent",
         r"(?:vehemently )?opposed to|against|averse to|uninterested in|tired of|sick of|fed up with|"
         r"uncomfortable (?:with|in|around|on|using)|"
         r"bothered by|turned off by|put off by|sk?ceptical (?:of|about)|reluctant to|hesitant (?:to|about)|"
         r"disgusted by|repulsed by|"
         r"wary of|not comfortable (?:with|using|in)|annoyed by|frustrated (?:with|by)", 0.8),
        (R.FEARS, "afraid scared terrified worried nervous anxious concerned claustrophobic phobic petrified",
         r"afraid of|scared of|terrified of|worried (?:about|that)|nervous (?:about|of)|anxious about|"
         r"concerned (?:about|that|with)|"
         r"petrified of|phobic of", 0.75),
        (R.INTERESTED_IN, "interested curious open fascinated intrigued impressed inspired captivated",
         r"interested in|curious (?:about|to (?:know|learn|hear|read) more about)|open to|fascinated (?:by|with)|"
         r"intrigued by|impressed (?:by|with)|inspired by|"
         r"captivated by", 0.75),
    )
)  # fmt: skip
_INTEREST = re.compile(
    r"^(?:learning|hearing|knowing|reading|finding out|learn)(?: (?:more|a bit|a lot))?(?: about|"
    r" of)?\s+(?:how (?:to )?)?|^how (?:to )?",
    re.IGNORECASE,
)


def tastes(text: str, low: frozenset[str]) -> Iterator[Found]:
    """What a clause tells of its speaker's taste; `low` holds its lower-case words."""
    felt = _FEELING.search(text)
    if felt is not None:
        yield from _felt(felt)
    if "not" in low or "cannot" in low:
        hated = _UNBEARABLE.search(text)
        if hated is not None:
            yield Found(R.DISLIKES, hated["tail"], 0.8, strength=0.9)
    for state in _STATES:
        if not state.cues.isdisjoint(low) and (match := state.pattern.search(text)):
            yield from _in_state(state.relation, match, state.confidence)


def _felt(match: re.Match[str]) -> Iterator[Found]:
    mid, tail = match["mid"].lower(), match["tail"]
    if match["likes"] and _NO_TASTE.match(tail):
        return
    negated, past = bool(NEGATED_VERB.search(mid)), bool(_PAST.search(mid))
    kind = str(match.lastgroup and next(k for k in ("likes", "prefers", "hates", "avoids", "fears") if match[k]))
    if _WISH.search(match[0]) and kind == "likes":
        yield from _wished(tail, negated=negated)
        return
    if kind == "likes" and negated and not _ENDED.search(mid):
        yield Found(R.DISLIKES, tail, 0.45 if past else 0.85)
        return
    if past:
        yield Found(_RELATIONS[kind], tail, 0.45, negated=not negated)
        return
    shunned = _NOT_TO.match(tail)
    if kind == "prefers" and not negated and shunned:
        yield Found(R.AVOIDS, tail[shunned.end() :], 0.9)
        return
    if kind == "avoids" and re.search(r"\bprefer", mid):
        negated = False
    yield from _compared(_RELATIONS[kind], tail, _CONFIDENCES[kind], negated=negated)


_RELATIONS = {"likes": R.LIKES, "prefers": R.PREFERS, "hates": R.DISLIKES, "avoids": R.AVOIDS, "fears": R.FEARS}
_CONFIDENCES = {"likes": 0.8, "prefers": 0.9, "hates": 0.9, "avoids": 0.9, "fears": 0.8}


def _wished(tail: str, *, negated: bool) -> Iterator[Found]:
    """ "I would love to see the fjords": a wish, which is a plan at the least."""
    wish = _TO_VERB.match(tail)
    if wish and not negated:
        yield Found(R.PLANS, tail[wish.end() :], 0.55)
    elif negated:
        yield Found(R.DISLIKES, tail, 0.6)
    else:
        yield Found(R.LIKES, tail, 0.45)


def _compared(relation: R, tail: str, confidence: float, *, negated: bool) -> Iterator[Found]:
    """ "Tea over coffee" prefers the one and not the other."""
    over = _OVER.search(tail)
    if over is None or negated or relation not in (R.PREFERS, R.LIKES):
        yield Found(relation, _TO_VERB.sub("", tail), confidence, negated)
        return
    yield Found(R.PREFERS, _TO_VERB.sub("", tail[: over.start()]), confidence)
    yield Found(R.PREFERS, over["other"], confidence - 0.1, negated=True)


def _in_state(relation: R, match: re.Match[str], confidence: float) -> Iterator[Found]:
    mid, tail = match["mid"].lower(), match["tail"]
    negated, past = bool(NEGATED_VERB.search(mid)), bool(_PAST.search(mid))
    if relation is R.INTERESTED_IN:
        tail = _INTEREST.sub("", tail)
    if past:
        yield Found(relation, tail, 0.45, negated=not negated)
    elif relation in (R.LIKES, R.INTERESTED_IN) and negated and not _ENDED.search(mid):
        yield Found(R.DISLIKES, tail, confidence)
    else:
        yield Found(relation, tail, confidence, negated)
