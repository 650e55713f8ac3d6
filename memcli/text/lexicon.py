"""Stems and function words of the languages beside English.

Stems are Snowball's, Korean words lose their particles; function words are those of the package `stop-words`, with what
it lacks of questions.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from . import STOPWORDS
from . import stem as english_stem

__all__ = ["SNOWBALL", "asking_words", "content_stems", "function_words", "indexed", "stem"]

#: The algorithm of each language that Snowball has one for.
SNOWBALL = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "eo": "esperanto",
    "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish",
    "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian",
    "ne": "nepali", "nl": "dutch", "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish", "yi": "yiddish",
}  # fmt: skip
#: What the package calls otherwise.
_LISTED = {"no": "nb"}
#: Words of questions, and some others of grammar, that its lists lack.
_MORE = {
    "ar": "اين متي كم لماذا كيف هل من ما ماذا اسم هو هي يوم",
    "de": "wo wann wer wem wen wessen wie viel viele welche welcher welches welchen warum wieso heißt mal schon",
    "en": "where when who whom whose what which why how does did are were could would should",
    "es": "dónde cuándo cuánto cuánta cuántos cuántas cómo quién quiénes cuál cuáles qué llama",
    "fr": "où quand qui que quoi combien comment pourquoi quel quelle quels quelles est appelle lieu",
    "hi": "कहाँ कहां कब कौन क्या कितना कितने कितनी क्यों कैसे",
    "it": "dove quando chi che cosa cos quanto quanta quanti quante come perché qual quale quali è chiama",
    "ko": "어디 어디서 어디에 언제 누구 누가 무엇 뭐 뭘 왜 어떻게 몇 얼마 이름",
    "nl": "waar wanneer wie wat welke hoe hoeveel waarom heet",
    "pl": "gdzie kiedy kto kogo komu co jak jaki jaka jakie ile dlaczego który która które czy nazywa",
    "pt": "onde quando quem que qual quais quanto quanta quantos quantas como porque chama",
    "ru": "где когда кто кого кому что какой какая какое какие сколько почему как зовут куда откуда чей",
    "tr": "nerede nereye nereden nere ne zaman kim kimin kimde kime neye hangi kaç nasıl neden niye adı mi mı mu mü",
}
#: What stands behind a Korean noun, the longest first; of those of one syllable, some are no ends of other words.
_PARTICLES = re.compile(
    r"(?<=.)(?:에서는|에게서|으로는|에서|에게|한테|께서|부터|까지|으로|이랑|하고|처럼|보다|마다|은|는|을|를|에)$"
    r"|(?<=..)(?:이|가|의|도|로|와|과|만|랑)$"
)
#: Contractions of the Romance languages: "l'alloggio", "d'Anna".
_ELIDED = re.compile(r"^(?:[cdjlmnst]|qu|dell|nell|sull|dall|all|un|quell|gli|com)'(?=.)")


class _Stemmers(threading.local):
    """One each a thread: a Snowball stemmer holds the word that it is at."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def of(self, language: str) -> Any:
        if language not in self._made:
            from Stemmer import Stemmer

            self._made[language] = Stemmer(SNOWBALL[language], 0)
        return self._made[language]


_STEMMERS = _Stemmers()


@lru_cache(maxsize=65536)
def stem(word: str, language: str) -> str:
    """The stem of one lower-case word of a language; the word, where there are no rules."""
    if language == "ko":
        return _PARTICLES.sub("", word)
    bare = _ELIDED.sub("", word) if "'" in word else word
    if "'" in bare:  # Turkish writes what follows a name behind an apostrophe
        bare = bare.partition("'")[0] or bare
    if language not in SNOWBALL:
        return bare
    found: str = _STEMMERS.of(language).stemWord(bare)
    return found


@lru_cache
def function_words(language: str) -> frozenset[str]:
    """Words that carry grammar in a language; nothing where none are known."""
    from stop_words import LANGUAGE_MAPPING, get_stop_words

    code = _LISTED.get(language, language)
    listed = get_stop_words(code, cache=False) if code in LANGUAGE_MAPPING else []
    return frozenset(word.lower() for word in listed) | asking_words(language)


@lru_cache
def asking_words(language: str) -> frozenset[str]:
    """Words that ask in a language, with a few others of grammar."""
    return frozenset(_MORE.get(language, "").split())


def content_stems(words: Sequence[str], language: str) -> list[str]:
    """The stems of the words that are not function words, in order."""
    little = _little(language)
    return [stem(word, language) for word in words if word not in little]


def indexed(words: Sequence[str], language: str, *, content: bool = False) -> list[str]:
    """The stem of each word by its language, and by English where that is another; `content`: of content words."""
    little = _little(language) if content else frozenset()
    found: list[str] = []
    for word in words:
        if word not in little:
            own, other = stem(word, language), english_stem(word)
            found.extend((own, other) if other != own and word not in STOPWORDS else (own,))
    return found


@lru_cache
def _little(language: str) -> frozenset[str]:
    """The function words as they are cut and spelt in a text: those of unspaced scripts pair by pair."""
    from . import scripts

    cut = (scripts.words(each, language) for each in function_words(language))
    return frozenset(spelt[0] for spelt in cut if len(spelt) == 1)
