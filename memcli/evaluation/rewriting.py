"""What a language model writes for a question before it is asked, for the baselines `hyde` and `multi-query`.

Nothing is sent but the question. It is done where the questions are embedded, so that the processes that ask need no
model; replies are kept as the judge's are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from ..providers.language import LanguageModel, ModelMessage, Schema
from ..providers.prompts import fenced, prompt, tidy
from ..providers.structured import strings
from .baselines.rewritten import HYDE, MULTI_QUERY, phrasing

__all__ = ["MOST", "Rewriter"]

#: How many texts are taken of a reply: one hypothetical answer, three other wordings.
MOST: Mapping[str, int] = {HYDE: 1, MULTI_QUERY: 3}
_PROMPTS = {HYDE: "hypothetical_answer", MULTI_QUERY: "rewordings"}
_LONGEST_REPLY = 256  # tokens
_AT_ONCE = 4


class Rewriter:
    """Asks a language model for other texts of questions, a call a question and baseline. `baselines`: of `MOST`."""

    def __init__(self, model: LanguageModel, baselines: Sequence[str]) -> None:
        self.id = model.id
        self.endpoint = model.endpoint
        self._model = model
        self._prompts = {name: prompt("memcli.evaluation", _PROMPTS[name]) for name in baselines}

    def written(self, questions: Sequence[str]) -> list[dict[str, str]]:
        """For each question what was written for it, under the names of `Query.phrasings`.

        Raises ModelUnavailable, BudgetSpent.
        """
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            return list(threads.map(self._of, questions))

    def _of(self, question: str) -> dict[str, str]:
        return {
            phrasing(name, number): text
            for name in self._prompts
            for number, text in enumerate(self._texts(name, question)[: MOST[name]])
        }

    def _texts(self, baseline: str, question: str) -> list[str]:
        asked = self._prompts[baseline]
        schema = Schema(asked.name, {"texts": strings(MOST[baseline])})
        text = asked.fill(question=fenced(tidy(question)))
        reply = self._model.complete([ModelMessage("user", text)], schema, most=_LONGEST_REPLY)
        return [said for said in map(tidy, reply["texts"]) if said]
