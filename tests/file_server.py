"""A server on this machine that has files, and may break off."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class served:  # noqa: N801
    """Serves these bytes by path, from where a Range header says; stops after `breaks` bytes of the first reply."""

    def __init__(self, files: Mapping[str, bytes], breaks: int | None = None) -> None:
        self.ranges: list[str | None] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked = self.headers.get("Range")
                outer.ranges.append(asked)
                whole = files[self.path]
                start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0
                self.send_response(206 if asked else 200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(whole) - start))
                self.end_headers()
                self.wfile.write(whole[start:][: breaks if len(outer.ranges) == 1 else None])

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def __enter__(self) -> tuple[str, list[str | None]]:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{self._server.server_port}", self.ranges

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
