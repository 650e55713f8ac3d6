"""What models are made of, other libraries, with an error that says what to do where that fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from ..errors import ModelUnavailable

if TYPE_CHECKING:
    from openai import OpenAI

__all__ = ["first_line", "library", "loading", "openai_client"]

_TIMEOUT = 60.0


def library(name: str, extra: str = "") -> Any:
    """The library called so as pip calls it, one of memcli's extras, or of `extra`. Raises ModelUnavailable."""
    try:
        return import_module(name.replace("-", "_"))
    except ImportError as error:
        raise ModelUnavailable(f"{name} is not installed", f"pip install 'memcli[{extra or name}]'") from error


@contextmanager
def loading(model: str) -> Iterator[None]:
    """Where a library loads the model called so, by its hub's name or path. Raises ModelUnavailable where it cannot."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise ModelUnavailable(
            f"cannot load {model}: {first_line(error)}", "give a local path, or check the name"
        ) from error


def openai_client(endpoint: str, retries: int) -> OpenAI:
    """A client for the `endpoint` that OPENAI_BASE_URL names. Raises ModelUnavailable without OPENAI_API_KEY."""
    import openai

    try:
        return openai.OpenAI(timeout=_TIMEOUT, max_retries=retries)
    except openai.OpenAIError as error:
        raise ModelUnavailable(f"no key for the {endpoint} endpoint", "set OPENAI_API_KEY") from error


def first_line(error: Exception) -> str:
    """What an error says, on one line."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
