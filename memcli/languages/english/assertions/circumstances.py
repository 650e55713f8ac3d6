"""Typed patterns of circumstances: family, pets, friends, possessions, home, work, study, skills, health, beliefs."""

from __future__ import annotations

from collections.abc import Iterator

from ....relations import RelationType as R
from .clauses import FRIENDS, KIN, PETS
from .rules import Found, rule

__all__ = ["RULES", "circumstances"]

_NAME = r"(?:,? (?:named |called )?(?-i:[A-Z][\w-]+)(?= |$|[,.!?'])(?!'s (?:a|the|been)))?"
_OWNED = (
    r"car|truck|van|bike|bicycle|motorcycle|scooter|suv|laptop|computer|pc|phone|smartphone|iphone|tablet|ipad|camera|"
    r"lens|guitar|piano|violin|keyboard|drums|ukulele|house|apartment|condo|garden|greenhouse|boat|rv|racket|racquet|"
    r"tank|aquarium|studio|store|shop|bakery|restaurant|business|startup|company|farm|cabin|telescope|printer|grill|"
    r"tv|headphones|watch|smartwatch|tripod|sofa|couch|bookshelf|library|collection|console|controller|kayak|tent|"
    r"backyard|kitchen|closet|flooring|oven|mixer|espresso machine|sewing machine|jacket|necklace|ring|dress|boots|"
    r"sneakers|shoes|handbag|bag|backpack|trunk|closet|balcony|board|painting|paintings|journal|desk|bookcase|fridge|"
    r"notebook|album|mug|puzzle|dvd|yard|blog|podcast|channel|fern|succulents?|plants?"
)
_NOT_OWNED = (
    r"(?:picture|photo|pic|family|team|group|history|list|background|bunch|tooth|view|room|responsibilit\w+|challenge|"
    r"theory|surgery|crush|time|lot|question|idea|ideas|chance|feeling|problem|trouble|doubt|plan|plans|issue|issues|"
    r"concern|concerns|fun|"
    r"blast|kids?|child|children|son|daughter|sister|brother|friend|friends|dog|cat|puppy|kitten|turtles?|pet|pets|"
    r"interest|allergy|fear|aversion|dislike|passion|love|phobia|preference|job|news|day|week|trip|meeting|class|exam|"
    r"appointment|conversation|chat|talk|look|go|try|way|hard time|something|anything|everything|nothing|things?|"
    r"experience|moment|memories|memory|success|progress|no|to|been|some|you|it|that|this|great|good|one|good time|"
    r"better|used|back|into|out|off|up|over|ready|started|home|married|engaged|lost|sick|hurt|stuck|together|involved|"
    r"tired|bored|excited|hooked|rid|so|really|the|more|enough|many|much|few|couple|bit|strong|tendency|need|budget|"
    r"goal|deadline|degree|background|condition|disease|diabetes|asthma|headache|habit|impact|event|interview|"
    r"performance|game|tournament|party|session|sense|confidence|support|feedback|response|call|email|message|offer)"
)
_OCCUPATION = (
    r"(?:nurse|doctor|chef|cook|lawyer|attorney|clerk|judge|pilot|cashier|athlete|freelancer|entrepreneur|"
    r"(?:fire|police|sales|post)(?:man|woman|person|fighter)|police officer|officer|firefighter|teacher|professor|"
    r"tutor|writer|"
    r"author|blogger|baker|farmer|driver|trucker|designer|developer|engineer|programmer|manager|owner|officer|worker|"
    r"painter|photographer|plumber|carpenter|builder|trainer|dancer|singer|lecturer|researcher|landscaper|hairdresser|"
    r"welder|lawyer|composer|filmmaker|organizer|counselor|counsellor|instructor|actor|doctor|contractor|editor|"
    r"director|advisor|realtor|translator|artist|therapist|scientist|dentist|pharmacist|journalist|economist|"
    r"psychologist|biologist|pianist|guitarist|barista|receptionist|stylist|specialist|analyst|consultant|accountant|"
    r"assistant|librarian|musician|electrician|technician|physician|veterinarian|vet|mechanic|architect|agent|"
    r"intern|coach|realtor|server|waiter|waitress|bartender|paramedic|soldier|veteran|secretary|banker|planner|"
    r"gamer|streamer|volunteer|educator|supervisor|administrator|marketer|bookkeeper|retiree|janitor|nanny)"
)
_IDENTITY = (
    r"(?:student|mom|mum|mother|dad|father|parent|grandmother|grandfather|grandparent|vegan|vegetarian|pescatarian|"
    r"beginner|minimalist|introvert|extrovert|christian|muslim|buddhist|jew|hindu|atheist|immigrant|widow|widower|"
    r"senior|"
    r"trans woman|trans man|environmentalist|morning person|night owl|perfectionist|homebody|foodie|bookworm|freshman|"
    r"sophomore|newbie|newlywed|survivor|dog person|cat person|enthusiast|lover|collector|runner|hiker|traveler|"
    r"swimmer|reader)s?"
)
_HEALTH = (
    r"asthma|diabetes|celiac(?: disease)?|coeliac|ibs|arthritis|migraines?|headaches?|back pain|insomnia|adhd|dyslexia|"
    r"depression|anxiety|autism|eczema|psoriasis|acne|high blood pressure|hypertension|vertigo|epilepsy|cancer|"
    r"(?:a |an )?(?:\w+ )?(?:heart|autoimmune|medical|health|skin|chronic|mental health|kidney|thyroid) (?:condition|"
    r"disease|"
    r"disorder|issues?|problems?)|tinnitus|fibromyalgia|carpal tunnel|motion sickness|(?:a )?(?:bad|sore|"
    r"weak) (?:back|knees?|"
    r"shoulder|ankle|hip)|sensitive skin|gerd|lupus|anemia"
)
_DIETS = (
    r"vegan|vegetarian|pescatarian|keto|ketogenic|paleo|plant-based|halal|kosher|gluten-free|dairy-free|low-carb|"
    r"raw vegan|"
    r"mediterranean|low-fodmap|lactose-free|carnivore|flexitarian|sugar-free|low-sodium|raw food|whole30"
)

# How bad something is, in the words that come before it; they are no part of it.
_GRADE = (
    r"(?:\w+ly|very|really|so|quite|rather|pretty|severe|serious|bad|terrible|horrible|mild|slight|strong|"
    r"intense|extreme|deadly|food|new|lifelong)"
)
_GRADED = rf"(?P<tail>(?!(?:[\w-]+ )?{_GRADE}\b)[\w-]+(?: [\w-]+)?)"

_ALWAYS = (
    rule(R.RELATIVE_OF, "", rf"\b(?:my|our) (?:(?:little|big|older|younger|late|old|own|dear|two|three|"
         rf"\d+[- ]year[- ]old|whole|youngest|"
         rf"eldest|oldest|new|ex-?|twin|great|step|\w+ly) ){{0,4}}(?P<tail>(?:{KIN})\b{_NAME})", 0.8),
    rule(R.HAS_PET, "", rf"\b(?:my|our) (?:\w+ ){{0,2}}?(?P<tail>(?:{PETS})\b(?! (?:plant|shelter|show|person|bowl|"
         rf"stor|video|food|toy|park|treat|tank|painting|drawing|costume|figurine|ears|hair|tattoo|theme|mask|plush|"
         rf"toys)){_NAME})", 0.8),
    rule(R.FRIEND_OF, "", rf"\b(?:my|our|a) (?:\w+ ){{0,1}}?(?P<tail>(?:{FRIENDS})\b,?(?: (?:named |"
         rf"called )?(?-i:[A-Z][\w-]+))(?= |$|[,.!?']))", 0.75),
    rule(R.FRIEND_OF, "", rf"\b(?:my|our) (?:\w+ ){{0,1}}?(?P<tail>{FRIENDS})\b(?! of)", 0.55),
    rule(R.OWNS, "my our", rf"\b(?:my|our) (?P<tail>(?:(?!(?:{KIN}|{FRIENDS}|favou?rite|dream|first|next|new|local|"
         rf"city|own|per|of|and|for|to|in|on|with|from|is|was|are|the)\b)[\w-]+ ){{0,3}}?(?:{_OWNED})s?)\b(?!'s)"
         r"(?! (?:trip|class|event|idea|party|game|is at|lesson|list|store|needs))", 0.6),
    rule(R.LIVES_IN, "my our city hometown town", r"\b(?:my|our) (?:city|home ?town|town|neighbou?rhood|address|"
         r"location) is (?:in )?{X}", 0.85),
    rule(R.WORKS_AS, "as", rf"^(?!.*\b(?:your?|lost|left|quit)\b.* as an?\b).*?\bas (?:an? |the )(?P<tail>(?:[\w-]+ "
         rf"){{0,4}}?{_OCCUPATION})\b", 0.75),
    rule(R.IS, "as", rf"\bas (?:an? )(?P<tail>(?:[\w-]+ ){{0,2}}?{_IDENTITY})\b", 0.7),
    rule(R.WORKS_AS, "and as", rf"\bas an? (?:[\w-]+ ){{1,3}}and (?:an? )?(?P<tail>(?:[\w-]+ )?{_OCCUPATION})\b", 0.7),
    rule(R.WORKS_AT, "at in as", rf"\bas an? (?:[\w-]+ ){{0,5}}(?:{_OCCUPATION}|working) (?:at|for|in) {{X}}", 0.65),
    rule(R.WORKS_AS, "like", rf"\ban? (?P<tail>(?:[\w-]+ )?{_OCCUPATION}) like (?:me|myself)\b", 0.75),
    rule(R.STUDIES, "my our", r"\b(?:my|our) (?P<tail>(?!(?:next|first|own|last|new|other|online|cooking|yoga|dance|"
         r"exercise|fitness)\b)[\w-]+(?: [\w-]+)?) "
         r"(?:class|course|degree|thesis|major|studies|homework)\b", 0.6),
    rule(R.IS, "like", r"\ban? (?P<tail>(?!(?:lot|person|guy|girl|thing|bit|day|group|team)\b)[\w-]+) like (?:me|"
         r"myself)\b", 0.6),
    rule(R.HEALTH, "my our", rf"\b(?:my|our) (?P<tail>(?:[\w-]+ )?(?:{_HEALTH}))\b", 0.75),
    rule(R.DIET, "my", rf"\bmy (?:strict |new |current )?(?P<tail>(?:{_DIETS})(?: diet| lifestyle)?)\b", 0.75),
    rule(R.ALLERGY, "allergy allergies intolerance", rf"\b(?:my|our) (?:{_GRADE} )*{_GRADED} (?:allerg(?:y|ies)|"
         rf"intolerance)\b", 0.8),
    rule(R.ALLERGY, "allergy allergies intolerance", r"\b(?:my|our) (?:allerg(?:y|ies)|intolerance) to {X}", 0.8),
)  # fmt: skip

RULES = (
    rule(R.RELATIVE_OF, "", rf"{{I}}have (?:(?:an?|two|three|four|five|\d+|little|young|older|younger|beautiful|great|"
         rf"big|small|large|supportive|wonderful|lovely|amazing|twin|teenage|"
         rf"grown) ){{0,3}}(?P<tail>(?:{KIN})\b{_NAME})(?!-)", 0.75),
    rule(R.HAS_PET, "", rf"{{I}}(?:have|adopted|got|own|rescued|found|named) (?:an?|this|that|two|three|four|some|\d+|"
         rf"another|"
         rf"my|our|the) (?:[\w-]+ ){{0,3}}?(?P<tail>(?:{PETS})\b{_NAME})", 0.75),
    rule(R.FRIEND_OF, "friends",
         r"{I}(?:am|was|were|have been|became) (?:\w+ )?friends with (?P<tail>(?-i:[A-Z]\w+))", 0.8),
    rule(R.OWNS, "own", r"{I}own {X}", 0.85),
    rule(R.OWNS, "bought purchased ordered owned inherited acquired",
         r"{I}(?:\w+ly )?(?:(?:went out and )?(?:bought|purchased|ordered|inherited|acquired)(?: myself)?|"
         r"have owned) {X}", 0.6),
    rule(R.OWNS, "got picked get", rf"{{I}}(?:\w+ly )?(?:went out and )?(?:got|picked up)(?: myself| me)? (?:an?|the|"
         rf"two|three|my|our|some) (?!(?:\w+ ){{0,2}}?{_NOT_OWNED}\b)"
         rf"(?=(?:new|brand new|vintage|used|physical|second-hand)\b|(?:[\w'-]+ ){{0,4}}(?:{_OWNED})\b|.*\b(?:store|"
         rf"shop|sale|market|online|amazon|ebay)\b){{X}}", 0.55),
    rule(R.OWNS, "have", rf"\b(?:I|we) (?:\w+ly |also |still |already )*have (?:an?|two|three|four|five|"
         rf"\d+) (?!(?:\w+ ){{0,3}}?{_NOT_OWNED}\b){{X}}", 0.55),
    rule(R.OWNS, "have own", rf"\b(?:I|we) (?:\w+ly )?(?:do not|cannot) (?:\w+ )?(?:have|own) (?:an?|"
         rf"any) (?!(?:\w+ ){{0,2}}?{_NOT_OWNED}\b){{X}}", 0.65, negated=True),
    rule(R.OWNS, "have", rf"\b(?:I|we) (?:\w+ly |also |still |already )*have (?:some|a lot of|lots of|plenty of|"
         rf"tons of|"
         rf"a bunch of|a collection of|several|over \d[\d,]*|a few) "
         rf"(?!(?:\w+ ){{0,2}}?(?:{_NOT_OWNED}|work|respect|energy|experiences?|suggestions|thoughts|questions|tips|"
         rf"free|recommendations|money|help|difficult\w*|doubts|options|people|going|ground|other)\b){{X}}", 0.5),
    rule(R.OWNS, "spent", r"{I}spent (?:around |about |over )?[$€£][\d,.]+ on {X}", 0.55),
    rule(R.USES, "use using", r"{I}(?:use|using|rely on|relying on) {X}", 0.6),
    rule(R.WORKS_AT, "work working works", r"{I}work(?:ing|ed)? (?:\w+-time )?(?:at|for|in) (?!(?:my|the) (?:garden|"
         r"project|kitchen)|a (?:team|group)|progress|general)"
         r"{X}", 0.75),
    rule(R.WORKS_AT, "job", r"{I}(?:lost|left|quit) (?:my|a) job (?:at|with) {X}", 0.7, negated=True),
    rule(R.WORKS_AS, "job", r"{I}(?:lost|left|quit) (?:my|a) job as {X}", 0.7, negated=True),
    rule(R.WORKS_AT, "job", r"{I}(?:got|have|started|landed) (?:my|a)(?: new)? job (?:at|with|in) {X}", 0.75),
    rule(R.WORKS_AS, "work working", r"{I}work(?:ing|ed)? as {X}", 0.85),
    rule(R.WORKS_AT, "er ward office clinic hospital", r"\b(?:in|at) the (?P<tail>(?:ER|ICU|\w+ ward|clinic|hospital|"
         r"office))\b", 0.5),
    rule(R.WORKS_AS, "am", rf"\b(?:I|we) am (?:\w+ly |also |just |now )*(?:an? )(?P<tail>(?:[\w-]+ "
         rf"){{0,4}}?{_OCCUPATION})\b(?! of you)", 0.85),
    rule(R.IS, "am", rf"\b(?:I|we) am (?:\w+ly |also |just |now |pretty much |"
         rf"more of )*(?:an? )?(?P<tail>(?:[\w-]+ ){{0,2}}?{_IDENTITY})\b", 0.8),
    rule(R.WORKS_AT, "volunteer volunteering volunteered", r"{I}(?:volunteer(?:ing)?|have been volunteering) (?:at|"
         r"for|with) {X}", 0.75),
    rule(R.WORKS_AT, "volunteer",
         r"\b(?:at|for) (?P<tail>(?:the |a |an )?[\w' -]{2,40}?) where I (?:volunteer|work)\b", 0.8),
    rule(R.STUDIES, "study studying majoring studied degree major", r"{I}(?:study(?:ing)?|major(?:ing)? in|"
         r"taking a (?:class|course) (?:in|on)|learning to) {X}", 0.7),
    rule(R.STUDIES, "degree major phd masters master's thesis", r"{I}(?:pursuing|doing|have|finishing|"
         r"getting) (?:an? |my )?(?:\w+ )?(?:degree|major|phd|master's|masters|thesis) (?:in|on) {X}", 0.8),
    rule(R.STUDIES, "learning learn", r"{I}(?:learning|taking lessons in) (?!more|a lot|about|how|so much|that|from|"
         r"new){X}", 0.6),
    rule(R.SKILL, "good can skilled experienced fluent teach teaching speak great proficient expert familiar",
         r"{I}(?:am |was )?(?:\w+ )?(?:good at|skilled (?:in|at)|experienced (?:in|with)|fluent in|proficient (?:in|"
         r"with)|familiar with|"
         r"speak|teach(?:ing)?(?: \w+)? how to|teach) (?!you){X}", 0.65),
    rule(R.SKILL, "bad terrible new", r"\b(?:I|we) am (?:\w+ly |so |pretty |quite )*(?:bad at|terrible at|awful at|"
         r"no good at|new to) (?!this\b|the (?:area|city|town)){X}", 0.65, negated=True),
    rule(R.SKILL, "trouble struggle struggling", r"{I}(?:having trouble with|struggling with|struggle with) {X}",
         0.45, negated=True),
    rule(R.LIVES_IN, "live living moved move based moving reside", r"{I}(?:live|living|reside|based|moved|"
         r"settled) (?:\w+ly )?(?:in|to|near|at) (?!together|the moment){X}", 0.8),
    rule(R.COMES_FROM, "from", r"{I}(?:am |was |were |come |came )?(?:\w+ly )?(?:from|born (?:and raised )?in|"
         r"raised in|grew up in|hail from) "
         r"(?P<tail>(?-i:(?:the |a )?(?:small )?(?:[A-Z]|town|farm|village))[\w ,'-]*)", 0.75),
    rule(R.COMES_FROM, "grew", r"{I}grew up (?:in|on|near) {X}", 0.8),
    rule(R.ALLERGY, "allergic intolerant allergy", r"{I}(?:am |be )?(?:allergic|intolerant|sensitive|"
         r"hypersensitive) to {X}", 0.9),
    rule(R.ALLERGY, "allergy allergies intolerance sensitivity", r"{I}(?:have|suffer from) (?:\w+ "
         r"){0,3}?(?:allerg(?:y|ies)|intolerance|sensitivity) to {X}", 0.9),
    rule(R.ALLERGY, "allergy allergies intolerance", rf"{{I}}(?:have|suffer from) (?:an? |{_GRADE} )*{_GRADED} "
         rf"(?:allerg(?:y|ies)|intolerance)", 0.9),
    rule(R.ALLERGY, "intolerant lactose-intolerant gluten-intolerant", r"{I}(?:am )?(?P<tail>lactose|"
         r"gluten)[ -]intolerant", 0.9),
    rule(R.DIET, "diet lifestyle keto vegan", r"{I}(?:follow|adhere to|eat|on|maintain|keep|stick to|adopted|started|"
         r"trying|need to eat|eating)(?: to eat)? (?:an? |the |my )?"
         r"(?:strict |mostly |new )*(?P<tail>[\w -]{2,40}? (?:diet|lifestyle))\b", 0.9),
    rule(R.DIET, "vegan vegetarian keto gluten-free dairy-free plant-based pescatarian halal kosher paleo",
         rf"{{I}}(?:am|became|become|go|went|going|eat|keep|follow|cook|eating|have gone) "
         rf"(?:\w+ly |an? |strict |mostly )*(?P<tail>{_DIETS})\b(?! (?:options|beauty))", 0.85),
    rule(R.HEALTH, "", rf"{{I}}(?:have|suffer from|suffering from|struggle with|deal with|dealing with|get|"
         rf"(?:was |were )?diagnosed(?: with| as)?|developed|got) "
         rf"(?:\w+ly |really |bad |severe |mild |some |chronic )*(?P<tail>(?:{_HEALTH})\b.*)", 0.75),
    rule(R.BELIEVES, "believe convinced", r"{I}(?:believe|convinced) (?:in |that )(?!you|this|it\b|I can){X}", 0.65),
    rule(R.BELIEVES, "important", r"\bit is (?:\w+ly |so |really |super )?important (?:to (?:me )?|that ){X}", 0.5),
)  # fmt: skip


def circumstances(text: str, low: frozenset[str]) -> Iterator[Found]:
    """What a clause takes for granted of its speaker, be it in a question or not: relatives, pets, belongings, work."""
    if low.isdisjoint(("my", "our", "as", "like", "a")):
        return
    for known in _ALWAYS:
        if known.cues and known.cues.isdisjoint(low):
            continue
        for match in known.pattern.finditer(text):
            yield Found(known.relation, match["tail"], known.confidence, strength=0.6, presupposed=True)
