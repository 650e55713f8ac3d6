"""Generated memory without a language model: what a session leaves behind beside its own words.

Pure functions over one session: `summary`, `keywords` and `facts`; `insights` over facts of several. What they make is
in the words of its sources, and `verify` holds anything generated, also by a language model (`by_model`), against them.
`supersedes` says whether a fact makes an older one untrue.
"""

from .base import Generated, SessionText, Told
from .change import supersedes
from .facts import facts
from .insights import insights
from .keywords import keywords
from .summaries import summary
from .verify import verify

__all__ = ["Generated", "SessionText", "Told", "facts", "insights", "keywords", "summary", "supersedes", "verify"]
