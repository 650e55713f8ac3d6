"""Words of every script: marks stay inside them, widths are folded, and what is written without spaces is cut.

Chinese, Japanese, Thai, Lao, Burmese and Khmer are cut into overlapping pairs of characters (Nie et al. 2000), which
find a word of two characters and take nothing for it that shares one. Kanji, hiragana and katakana are cut apart, and
what is grammar in Chinese and Japanese is left out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

__all__ = ["normalized", "words"]

_WIDE = re.compile(r"[\uff01-\uffef]")
_KANA = re.compile(r"[\u3040-\u30ff]")
#: A run of characters of one unspaced script; what stands between such runs.
_RUN = re.compile(
    r"[\u3400-\u9fff\uf900-\ufaff\u3005]+|[\u3040-\u309f]+|[\u30a0-\u30ff]+|[\u0e00-\u0e7f]+|[\u0e80-\u0eff]+"
    r"|[\u1000-\u109f]+|[\u1780-\u17ff]+"
)
#: Han characters that are words of grammar, where no kana stands beside them.
_PARTICLES = re.compile(r"[的了是在吗呢吧我你您他她它们這这那就也很把被跟對对啊呀哦]|什么|什麼|哪里|哪裡|多少")
#: Hiragana that is grammar; it is cut alike in what is asked and in what is stored.
_GRAMMAR = re.compile(
    r"どこ|いつ|だれ|なに|なん|どんな|どの|どれ|いくら|いくつ|でした|です|でしょう|ました|ません|ます|ください|している"
    r"|して|した|する|って|った|ている|いる|いた|ある|あった|ない|から|まで|より|けど|ので|のに|こと|もの|もう|とても"
    r"|すごく|だった|れる|られ|その|この|あの|そう|[はがをにでとのもへやかねよなだ]"
)
#: What is left out of Arabic, Persian and Hebrew: vowel marks and the stretching of a line.
_VOWELS = re.compile(r"[\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]")
_ARABIC = str.maketrans("أإآٱىیک", "ااااييك")
_PERSIAN = str.maketrans("يك", "یک")
_SEMITIC = re.compile(r"[\u0590-\u06ff]")
#: Where marks stand below 0xAC00: ideographs and symbols have none, and are most of it.
_MARKED = (range(0x300, 0x2100), range(0x2CE0, 0x3100), range(0xA660, 0xAC00))


@lru_cache(maxsize=1)
def _word() -> re.Pattern[str]:
    """A word with its marks: those of the Indic scripts are vowels, and no letters to `re`. Joiners stay in it."""
    marks = "".join(chr(code) for codes in _MARKED for code in codes if unicodedata.category(chr(code))[0] == "M")
    letter = rf"[^\W_][{marks}\u200c\u200d]*"
    return re.compile(rf"(?:{letter})+(?:['’](?:{letter})+)*")


def normalized(text: str, language: str) -> str:
    """`text` in small letters of usual width, Arabic, Persian and Hebrew without marks and in one spelling."""
    if _WIDE.search(text):
        text = unicodedata.normalize("NFKC", text)
    low = (text.replace("I", "ı") if language == "tr" else text).replace("İ", "i").lower()
    return _VOWELS.sub("", low).translate(_PERSIAN if language == "fa" else _ARABIC) if _SEMITIC.search(low) else low


def words(text: str, language: str) -> list[str]:
    """The words of `text` in order."""
    chinese = not _KANA.search(text)
    found: list[str] = []
    for word in _word().findall(normalized(text, language)):
        found.extend(_cut(word, chinese=chinese) if _RUN.search(word) else (word.replace("\u200c", ""),))
    return found


def _cut(word: str, *, chinese: bool) -> Iterator[str]:
    """The pairs of each run of an unspaced script, and what stands between the runs whole."""
    end = 0
    for run in _RUN.finditer(word):
        yield from filter(None, (word[end : run.start()],))
        grammar = _PARTICLES if chinese else _GRAMMAR
        for part in grammar.split(run[0]):
            yield from _pairs(part)
        end = run.end()
    yield from filter(None, (word[end:],))


def _pairs(run: str) -> Iterator[str]:
    """Overlapping pairs of characters, each with the marks that belong to it; a character that stands alone, alone."""
    signs = re.findall(r".[\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]*", run) if "\u0e00" <= run[:1] <= "\u0e7f" else list(run)
    if len(signs) == 1 and not "\u3040" <= run <= "\u309f":  # one of hiragana is an ending
        yield signs[0]
    yield from (first + second for first, second in pairwise(signs))
