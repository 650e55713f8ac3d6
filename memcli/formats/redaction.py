"""Secrets out of what was said, before anything of it is stored, embedded or hashed.

Keys and tokens of known services are found by the expressions of detect-secrets (Apache-2.0, Yelp), each taken as a
whole and with whatever of a token follows; its guesses by entropy are left alone, since they take hashes and file names
for secrets. Its newest expressions are of 2024, so that the prefixes of newer keys stand here, and what it has not:
whole private keys, passwords that are called so, card numbers with a right check digit, e-mail addresses, telephone
numbers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from ..text import clean

__all__ = ["Redactor"]

_Pattern = tuple[str, re.Pattern[str], Callable[[str], bool]]

_KEY_BLOCK = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----.*?(?:-----END [A-Z0-9 ]{1,60}-----|\Z)", re.S
)
_NEW_KEYS = re.compile(
    r"(?<![\w-])(?:(?:sk|pk|rk)[-_][\w-]{16,}|AIza[\w-]{35}|github_pat_\w{22,}|glpat-[\w-]{20,}|hf_[A-Za-z0-9]{30,}"
    r"|xox[abprse]-[\w-]{10,}|ya29\.[\w-]{20,}|npm_[A-Za-z0-9]{36}|dop_v1_[0-9a-f]{64}|shp[a-z]{2}_[0-9a-f]{32})"
)
_IN_ADDRESS = re.compile(r"(?<=://)[^\s/@:{}]{0,200}:[^\s/@{}]{1,200}(?=@)")
_WEB_TOKEN = re.compile(r"(?<![\w-])eyJ[\w=-]+\.[\w=-]+")
_PASSWORD = re.compile(
    r"(?<!\w)(?:pass(?:word|wd|phrase|code)?|pwd|api[ _-]?key|access[ _-]?key|secret(?:[ _-]?key)?|(?:auth[ _-]?)?token"
    r"|credentials?)[\"']?[ \t]{0,3}(?:[:=]|\bis[ \t]*:?[ \t]+(?=[\"'`]|\S{0,60}\d))[ \t]{0,3}[\"'`]?"
    r"(?P<secret>[^\s\"'`,;]{4,200})",
    re.IGNORECASE,
)
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w-])")
_CARD = re.compile(r"(?<![\w.,-])[2-6](?:[ -]?\d){12,18}(?![\w-]|[.,]\d)")
_PHONE = re.compile(
    r"(?<![\w.,+-])(?:\+\d{1,3}(?:[ ./-]?\(?\d{1,5}\)?){2,6}|\(?0?\d{3}\)?[ .-]\d{3}[ .-]\d{4})(?!\w|[.,-]\d)"
)
_TOKEN_TAIL = re.compile(r"[\w\-+/=]*(?:\.[\w\-+/=]+)*")
_ENDS_OPEN = re.compile(r"[\w\-+/=.]\Z")
_WINDOW = re.compile(r"(?s).{1,2000}(?=\s|\Z)|.{1,2000}")
_MARK = "[redacted: "


class Redactor:
    """Puts `[redacted: KIND]` in the place of each secret; with `phones`, of telephone numbers, too."""

    def __init__(self, *, phones: bool = False) -> None:
        self._patterns: list[_Pattern] = [
            ("private key", _KEY_BLOCK, _any),
            ("password", _IN_ADDRESS, _any),
            ("json web token", _WEB_TOKEN, _any),
            ("api key", _NEW_KEYS, _any),
            ("password", _PASSWORD, lambda found: not found.startswith(_MARK.rstrip())),
            ("e-mail address", _EMAIL, _any),
            ("card number", _CARD, _checks),
        ]
        if phones:
            self._patterns.append(("phone number", _PHONE, lambda found: 7 <= sum(map(str.isdigit, found)) <= 15))

    def redact(self, text: str, counts: Counter[str]) -> str:
        """`text`, clean, without its secrets; `counts` hears how many of which kind there were."""
        text = clean(text)  # a control character within a secret must not hide it: it would be stored without
        while (once := self._pass(text, counts)) != text:  # what is left may show more, where two stood side by side
            text = once
        return text

    def _pass(self, text: str, counts: Counter[str]) -> str:
        first, *others = self._patterns
        text = _without(text, [first], counts)
        # Some of the services' expressions take quadratic time; no token holds white space.
        text = "".join(_without(window, _services(), counts) for window in _WINDOW.findall(text))
        return _without(text, others, counts)


def _without(text: str, patterns: Sequence[_Pattern], counts: Counter[str]) -> str:
    for kind, pattern, is_one in patterns:
        text = "".join(_parts(text, kind, pattern, is_one, counts))
    return text


def _parts(
    text: str, kind: str, pattern: re.Pattern[str], is_one: Callable[[str], bool], counts: Counter[str]
) -> Iterator[str]:
    done = 0
    for found in pattern.finditer(text):
        start, end = found.span("secret") if "secret" in pattern.groupindex else found.span()
        if start < done or not is_one(text[start:end]):
            continue
        if pattern not in (_EMAIL, _CARD, _PHONE, _KEY_BLOCK, _IN_ADDRESS) and _ENDS_OPEN.search(text[start:end]):
            tail = _TOKEN_TAIL.match(text, end)
            end = tail.end() if tail else end
        counts[kind] += 1
        yield f"{text[done:start]}{_MARK}{kind}]"
        done = end
    yield text[done:]


def _any(_found: str) -> bool:
    return True


def _checks(found: str) -> bool:
    """Whether the last digit is the check digit of the others (Luhn, US patent 2950048)."""
    digits = [int(digit) for digit in found if digit.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


@lru_cache(maxsize=1)
def _services() -> tuple[_Pattern, ...]:
    """The expressions of detect-secrets for what services hand out, with its names for them."""
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    from detect_secrets.plugins.base import RegexBasedDetector

    detectors: dict[str, Any] = get_mapping_from_secret_type_to_class()
    return tuple(
        (kind.lower(), pattern, _any)
        for kind, detector in sorted(detectors.items())
        if issubclass(detector, RegexBasedDetector) and kind not in _NO_SECRETS
        for pattern in detector().denylist
    )


#: Addresses of machines are no secrets; of private keys it has the first line alone; the others take it quadratic time.
_NO_SECRETS = ("Public IP (ipv4)", "Private Key", "JSON Web Token", "Basic Auth Credentials")
