"""What embedders and rerankers make of other libraries, with an error that says what to do where that fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import ModelUnavailable

if TYPE_CHECKING:
    from openai import OpenAI

__all__ = ["first_line", "openai_client", "sentence_transformers"]

_TIMEOUT = 60.0


def sentence_transformers(kind: str, model: str) -> Any:
    """The model called so of the class `kind` of sentence-transformers (Reimers & Gurevych 2019), by hub name or path.

    Raises ModelUnavailable where the library or the model is not there.
    """
    try:
        import sentence_transformers as library
    except ImportError as error:
        raise ModelUnavailable(
            "sentence-transformers is not installed", "pip install 'memcli[sentence-transformers]'"
        ) from error
    try:
        return getattr(library, kind)(model)
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
