"""What --redact finds of a list of made-up secrets, and what it misses: `docs/reliability.md` counts them.

The expressions of detect-secrets that find one are tried alone; its guesses by entropy are not used.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
from detect_secrets.plugins.base import RegexBasedDetector

from memcli.formats.redaction import Redactor

# Put together here, so that no scanner takes this file for a leak.
_MIXED, _HEX = "aB3dE5gH7jK9mN1p" * 8, "0123456789abcdef" * 4
BY_DETECT_SECRETS = {
    "AWS access key": "AKIA" + "Q3EXAMPLE7XYZ2WL",
    "AWS secret key, named": f'aws_secret_access_key = "{_MIXED[:40]}"',
    "GitHub token": "ghp_" + _MIXED[:36],
    "GitLab token": "glpat-" + _MIXED[:20],
    "Slack token": "xoxb-" + f"1234567890-{_MIXED[:24]}",
    "Slack webhook": "https://hooks.slack.com/services/" + f"T00000000/B00000000/{_MIXED[:24]}",
    "Discord token": f"M{_MIXED[:23]}.{_MIXED[:6]}.{_MIXED[:27]}",
    "Telegram token": f"123456789:AA{_MIXED[:33]}",
    "Stripe secret key": "sk_live_" + _MIXED[:24],
    "Stripe restricted key": "rk_live_" + _MIXED[:24],
    "Twilio account": "AC" + _HEX[:32],
    "Twilio key": "SK" + _HEX[:32],
    "SendGrid key": f"SG.{_MIXED[:22]}.{_MIXED[:43]}",
    "Mailchimp key": _HEX[:32] + "-us12",
    "PyPI token": "pypi-AgEIcHlwaS5vcmc" + _MIXED[:84],
    "OpenAI key of 2023": f"sk-{_MIXED[:20]}T3BlbkFJ{_MIXED[:20]}",
    "Azure storage key": f"AccountKey={_MIXED[:86]}==",
    "Square secret": "sq0csp-" + _MIXED[:43],
    "Artifactory token": "AKC" + _MIXED[:20],
    "Cloudant password, named": f"cloudant_password = {_HEX}",
    "JSON web token": f"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.{_MIXED[:43]}",
    "private key": f"-----BEGIN OPENSSH PRIVATE KEY-----\n{_MIXED}\n-----END OPENSSH PRIVATE KEY-----",
    "password in an address": "postgres://ana:" + "tr0ub4dor@db.example.org/x",
}
BY_MEMCLI_ALONE = {
    "GitHub token, fine-grained": f"github_pat_{_MIXED[:22]}_{_MIXED[:59]}",
    "OpenAI project key": "sk-proj-" + _MIXED[:48],
    "Anthropic key": "sk-ant-api03-" + _MIXED[:64],
    "Hugging Face token": "hf_" + _MIXED[:34],
    "Google key": "AIza" + _MIXED[:35],
    "Google OAuth token": "ya29." + _MIXED[:40],
    "npm token": "npm_" + _MIXED[:36],
    "DigitalOcean token": "dop_v1_" + _HEX,
    "Shopify token": "shpat_" + _HEX[:32],
    "password that is called so": "my password is tr0ub4dor",
    "card number": "4111 1111 1111 1111",
    "e-mail address": "ana@example.org",
}
MISSED = {
    "AWS secret key without a name": _MIXED[:40],
    "hexadecimal key without a name": _HEX[:40],
    "password without a name": "It is tr0ub4dor, do not tell.",
    "password that is called so in German": "Das Passwort ist tr0ub4dor.",
    "PIN": "The PIN is 4711.",
    "recovery code": "a1b2c-3d4e5",
    "IBAN": "DE89 3704 0044 0532 0130 00",
    "social security number": "078-05-1120",
    "seed phrase": "witch collapse practice feed shame open despair creek road again ice least",
    "Bitcoin key": "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ",
}


def _is_known_to_detect_secrets(text: str) -> bool:
    detectors: dict[str, Any] = get_mapping_from_secret_type_to_class()
    return any(
        pattern.search(text)
        for kind, detector in detectors.items()
        if issubclass(detector, RegexBasedDetector) and kind != "Public IP (ipv4)"
        for pattern in detector().denylist
    )


def _redacted(text: str) -> str:
    return Redactor().redact(f"Here: {text}\nThat is it.", Counter())


@pytest.mark.parametrize("secret", [*BY_DETECT_SECRETS, *BY_MEMCLI_ALONE])
def test_it_is_found_whole(secret: str) -> None:
    text = (BY_DETECT_SECRETS | BY_MEMCLI_ALONE)[secret]
    assert _is_known_to_detect_secrets(text) is (secret in BY_DETECT_SECRETS)
    left = _redacted(text)
    assert "[redacted: " in left
    assert not [part for part in (_MIXED[:16], _HEX[:16], "tr0ub4dor", "1111", "ana@") if part in left]


@pytest.mark.parametrize("secret", MISSED)
def test_it_is_missed(secret: str) -> None:
    assert not _is_known_to_detect_secrets(MISSED[secret])
    assert MISSED[secret] in _redacted(MISSED[secret])


def test_the_counts_in_the_documentation() -> None:
    assert (len(BY_DETECT_SECRETS), len(BY_MEMCLI_ALONE), len(MISSED)) == (23, 12, 10)
