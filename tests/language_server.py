"""A local endpoint that speaks the chat-completions protocol and behaves as a test tells it to."""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Body = Mapping[str, Any]
#: What to do with a request: handles it on the handler, given its body.
Behaviour = Callable[["_Handler", Body], None]


def says(text: str | None, *, prompt: int = 100, completion: int = 10, finish: str = "stop") -> Behaviour:
    """A reply with this text and these tokens; piece by piece, if so asked."""

    def behave(handler: _Handler, body: Body) -> None:
        if body.get("stream"):
            handler.stream(chunks_of(text, body, prompt, completion, finish))
            return
        handler.reply(200, completion_of(text, body, prompt, completion, finish))

    return behave


def completion_of(text: str | None, body: Body, prompt: int, completion: int, finish: str) -> dict[str, Any]:
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}],
        "usage": {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion},
    }


def chunks_of(text: str | None, body: Body, prompt: int, completion: int, finish: str) -> Iterator[Body]:
    whole = text or ""
    for start in range(0, len(whole), 4):
        yield _chunk(body, [{"index": 0, "delta": {"content": whole[start : start + 4]}, "finish_reason": None}])
    yield _chunk(body, [{"index": 0, "delta": {}, "finish_reason": finish}])
    if body.get("stream_options", {}).get("include_usage"):
        yield _chunk(body, []) | {"usage": completion_of(text, body, prompt, completion, finish)["usage"]}


def _chunk(body: Body, choices: list[Any]) -> dict[str, Any]:
    return {"id": "c", "object": "chat.completion.chunk", "created": 0, "model": body["model"], "choices": choices}


def breaks_off(text: str) -> Behaviour:
    """A stream that ends after this text, without a reason."""

    def behave(handler: _Handler, body: Body) -> None:
        handler.stream([_chunk(body, [{"index": 0, "delta": {"content": text}, "finish_reason": None}])], done=False)

    return behave


def weighs(text: str, tokens: Sequence[tuple[str, float]]) -> Behaviour:
    """This text, with these tokens and how probable each was, where that is asked for."""

    def behave(handler: _Handler, body: Body) -> None:
        found = completion_of(text, body, 1, 1, "stop")
        told = [{"token": each, "logprob": math.log(share), "bytes": list(each.encode())} for each, share in tokens]
        found["choices"][0] |= {"logprobs": {"content": told}} if body.get("logprobs") else {}
        handler.reply(200, found)

    return behave


def knows_no_weights(status: int, then: Behaviour) -> Behaviour:
    """`then`, but this status where it is asked how probable its tokens are."""

    def behave(handler: _Handler, body: Body) -> None:
        (fails(status, "logprobs are not supported") if body.get("logprobs") else then)(handler, body)

    return behave


def in_one(then: Behaviour) -> Behaviour:
    """`then`, but 400 where a stream is asked for."""

    def behave(handler: _Handler, body: Body) -> None:
        (fails(400, "streams are not supported") if body.get("stream") else then)(handler, body)

    return behave


def fails(status: int, message: str = "no", **headers: str) -> Behaviour:
    """An error with this status."""

    def behave(handler: _Handler, _: Body) -> None:
        handler.reply(status, {"error": {"message": message, "code": headers.pop("code", None)}}, headers)

    return behave


def sends(payload: bytes, content_type: str = "application/json") -> Behaviour:
    """These very bytes, with status 200."""

    def behave(handler: _Handler, _: Body) -> None:
        handler.send(200, payload, {"Content-Type": content_type})

    return behave


def only(levels: set[str], then: Behaviour) -> Behaviour:
    """`then`, where the response format is one of these ("plain" for none); 400 for every other."""

    def behave(handler: _Handler, body: Body) -> None:
        level = body.get("response_format", {}).get("type", "plain")
        (then if level in levels else fails(400, f"{level} is not supported"))(handler, body)

    return behave


def hangs(handler: _Handler, _: Body) -> None:
    """Never answers."""
    handler.endpoint.released.wait(20)
    handler.close_connection = True


def disconnects(handler: _Handler, _: Body) -> None:
    """Goes away in the middle of a reply."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')
    handler.close_connection = True


def slowly(seconds: float, then: Behaviour) -> Behaviour:
    """`then`, after a while."""

    def behave(handler: _Handler, body: Body) -> None:
        time.sleep(seconds)
        then(handler, body)

    return behave


def in_company(then: Behaviour) -> Behaviour:
    """`then`, as soon as a second one asks, however slow the machine; after a long while alone."""
    second = threading.Event()

    def behave(handler: _Handler, body: Body) -> None:
        if len(handler.endpoint.seen) > 1:
            second.set()
        second.wait(30)
        then(handler, body)

    return behave


@dataclass
class Endpoint:
    """The script, and what was seen. The last behaviour goes on for ever."""

    script: list[Behaviour]
    seen: list[Body] = field(default_factory=list)
    most_at_once: int = 0
    url: str = ""
    released: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)
    _now: int = 0

    def enter(self, body: Body) -> Behaviour:
        with self.lock:
            self.seen.append(body)
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
            return self.script.pop(0) if len(self.script) > 1 else self.script[0]

    def leave(self) -> None:
        with self.lock:
            self._now -= 1


class _Handler(BaseHTTPRequestHandler):
    endpoint: Endpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        behaviour = self.endpoint.enter(body)
        try:
            behaviour(self, body)
        except OSError:
            self.close_connection = True  # the client has gone
        finally:
            self.endpoint.leave()

    def reply(self, status: int, document: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> None:
        self.send(status, json.dumps(document).encode(), {"Content-Type": "application/json", **(headers or {})})

    def stream(self, chunks: Iterable[Body], *, done: bool = True) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        for chunk in chunks:
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            self.wfile.flush()
        if done:
            self.wfile.write(b"data: [DONE]\n\n")

    def send(self, status: int, payload: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(*script: Behaviour) -> Iterator[Endpoint]:
    """An endpoint on a port of its own for as long as the block lasts."""
    endpoint = Endpoint(list(script))
    handler = type("Handler", (_Handler,), {"endpoint": endpoint})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = False
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    endpoint.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield endpoint
    finally:
        endpoint.released.set()
        server.shutdown()
        server.server_close()
        thread.join()
