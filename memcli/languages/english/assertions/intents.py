"""Typed patterns of intents and customs: plans, goals, needs, limits, and what somebody keeps doing."""

from __future__ import annotations

from ....relations import RelationType as R
from .rules import rule

__all__ = ["RULES"]

_STEP = (
    r"(?!(?:\w+ly |also |just )*(?:you|it|that|this|know|ask|see|hear|be|have a|let|keep|never|always|miss|think|"
    r"remember|say|tell|admit|mention|understand|"
    r"wait|share|thank|add|point|confirm|clarify|find out|continue|make sure|make this|like|love|just|talk|need|want|"
    r"go (?:with|for)|choose|stick with|"
    r"look into (?:it|that|them|those|this|these)|pass on|not|post|support|do (?:my best|it|that|this)|give (?:it|"
    r"that|this|you|up)|take (?:it|care)|get (?:it|there|to)|"
    r"cheer|root|show|bring it|discuss|learn more|stop|provide|write a|create a (?:chat|story|list)|in|of|on|to|for|"
    r"about|with)\b)"
)
_MONEY = r"[$€£]\s?\d[\d,.]*(?:k| million| dollars| euros)?|\d[\d,.]* (?:dollars|euros|pounds|bucks)"

RULES = (
    rule(R.PLANS, "planning plan plans", rf"{{I}}(?:planning|plan|have plans) (?:to|on) {_STEP}{{X}}", 0.75),
    rule(R.PLANS, "planning organizing organising hosting preparing arranging throwing prepping", r"{I}(?:planning|"
         r"organi[sz]ing|hosting|preparing|prepping|arranging|throwing) (?:for )?"
         r"(?!to\b|on\b|for\b){X}", 0.7),
    rule(R.PLANS, "thinking considering", rf"{{I}}(?:was |were )?(?:thinking (?:of|about)|considering|"
         rf"considered) {_STEP}(?=\w+ing\b|an?\b|some\b){{X}}", 0.6),
    rule(R.PLANS, "thinking considering", r"{I}(?:thinking about) (?=ways|how to){X}", 0.55),
    rule(R.PLANS, "going", rf"{{I}}going to (?:try to |start |definitely |finally )*{_STEP}{{X}}", 0.6),
    rule(R.PLANS, "will", rf"(?:^|[,:] ?|\b(?:think|believe|hope|guess|that|and|so|but|then|now|maybe|know|say|said|"
         rf"sure) )(?:I|we) will (?:\w+ly |also |just |probably |try to |have to |be sure to |finally |start |"
         rf"try and )*(?<!probably )"
         rf"(?!(?:check|consider|look|have|give|use|research|take a|go with|choose|take|try) (?:it|them|that|those|"
         rf"this|these|the \w+ (?:one|option))\b){_STEP}{{X}}", 0.55),
    rule(R.PLANS, "hoping hope intend aim excited stoked pumped thrilled ready cannot eager determined",
         rf"\b(?:I|we) (?:am |have been |"
         rf"was )?(?:\w+ly |also |super |so )*(?:hoping to|hope to|intend to|aim to|excited to|stoked to|pumped to|"
         rf"thrilled to|"
         rf"ready to|cannot wait to|eager to|set to|about to|determined to|keen to) {_STEP}{{X}}", 0.6),
    rule(R.PLANS, "going participating attending visiting traveling travelling taking heading moving launching "
         "starting "
         "opening getting booking",
         r"\b(?:I|we) (?:am|will be) (?:\w+ly |also |now )*(?:participating in|attending|visiting|travel(?:l)?ing to|"
         r"heading (?:out |over |off |back )?to|going (?:on|to) (?=an?\b|the\b)|launching|opening|getting (?!better|"
         r"worse|ready|used|there|back|into|started)|booking|"
         r"signing up for|joining) {X}", 0.6),
    rule(R.PLANS, "attend join", r"\bto (?:attend|join) (?=an?\b){X}", 0.5),
    rule(R.GOAL, "goal goals dream dreams mission aim objective", r"\b(?:my|our|the)(?: \w+){0,2} (?:goal|goals|dream|"
         r"mission|aim|objective) (?:is|are|was|has always been|for \w+ is) "
         r"(?:to )?{X}", 0.85),
    rule(R.GOAL, "want wanted", rf"{{I}}(?:want|wanted) to {_STEP}(?:be able to )?{{X}}", 0.6),
    rule(R.GOAL, "made inspired motivated", rf"\b(?:made|inspired|motivated|encouraged) (?:me|us)(?: to|"
         rf" want to) (?:want to )?{_STEP}{{X}}", 0.6),
    rule(R.GOAL, "trying try working looking training saving meaning attempting striving", rf"\b(?:I|we) (?:am |"
         rf"have been )(?:\w+ly |also |just |always )*(?:trying to|working towards?|looking to|training for|"
         rf"saving (?:up )?for|meaning to|"
         rf"attempting to|striving to) {_STEP}{{X}}", 0.65),
    rule(R.GOAL, "passionate", r"{I}passionate about (?=\w+ing){X}", 0.6),
    rule(R.NEEDS, "need needs require", rf"{{I}}(?<!all )(?:need|require)(?: to)? (?!(?:help|your|some help|advice|"
         rf"more info\w*|you|it|that|a \d+|further|to know|someone to)\b){_STEP}{{X}}", 0.65),
    rule(R.NEEDS, "looking searching market hunting seeking shopping lookout need", r"{I}(?:looking for|searching for|"
         r"in the market for|hunting for|seeking|shopping for|on the lookout for|in need of) "
         r"(?![^,.?]{0,60}\b(?:advice|tips|suggestions?|recommendations?)\b)(?!(?:some |any |more |a few |an? |your |"
         r"\w+ )?(?:help|ideas|information|info|guidance|resources|examples?|ways)\b){X}", 0.65),
    rule(R.NEEDS, "looking upgrade", r"{I}looking (?:to (?:buy|get|upgrade|replace|rent|purchase)|at getting) {X}",
         0.65),
    rule(R.BUDGET, "", rf"^(?!.*\b(?:costs?|spent|paid|bought|discount|worth|sold|earned|made|raised|"
         rf"over)\b).*?\b(?P<tail>(?:under|below|less than|up to|within|at most|no more than|maximum of|"
         rf"max) (?:{_MONEY}))", 0.7),
    rule(R.BUDGET, "budget", rf"\bbudget (?:is|of|for \w+ is) (?:around |about |under |only )*(?P<tail>{_MONEY})",
         0.85),
    rule(R.BUDGET, "budget", rf"(?P<tail>{_MONEY}) (?:\w+ )?budget\b", 0.8),
    rule(R.BUDGET, "budget", r"{I}(?:on|have|working with|with)(?: \w+)? (?P<tail>(?:tight|limited|small|low|modest|"
         r"student|shoestring) budget)", 0.75),
    rule(R.BUDGET, "afford", r"{I}(?:not |cannot )(?:really )?afford {X}", 0.7),
    rule(R.BUDGET, "willing", r"{I}willing to (?P<tail>(?:spend|pay|travel|drive|commute|wait|walk) \S.*)", 0.7),
    rule(R.HABIT, "usually always often typically regularly normally tend frequently sometimes generally",
         r"\b(?:I|we) (?:am |also |do |still )*(?:usually|always|often|typically|regularly|normally|frequently|"
         r"tend to|generally|like to) "
         r"(?!(?:\w+ly )?(?:prefer|avoid|like|love|enjoy|dislike|hate|want|wanted|find|feel|have|had|am|been|be|try|"
         r"choose|need|go for|look|looking|think|wonder|know|think|thought|get|say|forget|fear|"
         r"tell|here|there|believe|remember|appreciate|a|the|on|ready|up|interested|curious|excited|fascinated|end|"
         r"away|thinking)\b)(?:to )?{X}", 0.65),
    rule(R.HABIT, "always", r"\b(?:I|we) am always (?:looking (?:to|for)|trying to) {X}", 0.65),
    rule(R.HABIT, "every", r"\b(?:I|we) (?!need|want|have|had|look|think)(?P<tail>\w+ (?:[\w' -]+ )?every (?:day|"
         r"morning|week|weekend|night|month|year|evening|\w+day))\b", 0.7),
    rule(R.HABIT, "been", r"\b(?:I|we) have (?:\w+ly |also |always |just |recently )*been (?:\w+ly |"
         r"also )*(?!(?:thinking|enjoying|loving|liking|meaning|wondering|feeling|looking|doing|trying|having|going|"
         r"to|really|told|in|on|a|"
         r"an|there|considering|getting|working|using|"
         r"planning|seeing|hearing|waiting|wanting|struggling|busy|so|very|through|told|able|hoping|noticing|dealing|"
         r"being|putting|missing|needing|keeping (?!up)|asked|reflecting|meeting)\b)"
         r"(?P<tail>\w+ing \S.*)", 0.6),
    rule(R.HABIT, "trying doing playing reading watching writing listening practicing training building growing "
         "painting running",
         r"\b(?:I|we) (?:am|are) (?:\w+ly |also |now |just |always |still )*(?P<tail>(?:trying out|playing|reading|"
         r"watching|"
         r"writing|listening to|practicing|training|building|growing|"
         r"painting|running) \S.*)", 0.55),
    rule(R.HABIT, "tendency", r"{I}have (?:a|the) (?:\w+ )?tendency to {X}", 0.7),
    rule(R.HABIT, "joined", r"\b(?:I|we) (?:\w+ly |have |just |also )*joined (?P<tail>(?:an?|the|"
         r"my) (?:[\w'-]+ ){0,4}?(?:gym|club|group|class|team|church|league|"
         r"choir|band|community|program|organization|studio))\b", 0.6),
    rule(R.HABIT, "play paint run write draw bake cook collect practice coach hike grow sew knit swim dance sing watch",
         r"\b(?:I|we) (?:also |mostly |mainly |still |both |all |even )*(?:play|paint|run|write|draw|bake|cook|"
         r"collect|practice|coach|hike|grow|sew|knit|swim|"
         r"dance|sing|watch) (?!you|it\b|that\b|this\b|out\b|into\b|up\b|and\b|some\b|an?\b|them\b){X}", 0.55),
    rule(R.PLANS, "off", r"{I}off to (?=an?\b|the\b|(?-i:[A-Z])){X}", 0.55),
    rule(R.GOAL, "wanting", rf"{{I}}(?<=been )wanting to {_STEP}{{X}}", 0.65),
    rule(R.PLANS, "signed sign", r"{I}(?:signed|signing|sign) up for {X}", 0.6),
    rule(R.PLANS, "decided", rf"{{I}}decided to {_STEP}{{X}}", 0.55),
    rule(R.PLANS, "should", r"\b(?:I|we) (?:\w+ly )?should (?:\w+ly )?(?=(?:start|get|buy|make|learn|take up|sign up|"
         r"visit|plan|prepare)\b){X}", 0.5),
    rule(R.HABIT, "active", r"{I}(?:been )?(?:pretty |very |quite |really )?active in {X}", 0.65),
    rule(R.HABIT, "been", r"\b(?:I|we) have been on an? (?P<tail>[\w -]+ (?:spree|kick|streak|journey|binge))\b", 0.7),
    rule(R.HABIT, "started", r"\b(?:I|we) (?:\w+ly |have |already |just |also )*started (?P<tail>(?!thinking|looking|"
         r"feeling|caring|to|"
         r"noticing|working)\w+ing \S.*)", 0.6),
    rule(R.PLANS, "working work", r"{I}(?:starting to |trying to )?work(?:ing)? on {X}", 0.55),
)  # fmt: skip
