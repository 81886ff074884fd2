"""A language model that says what a test wants, as OpenAI's chat completions stream it."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Model:
    """Answers each request with `words`, one by one. It stops before the word `held_at`, until it is let go on."""

    def __init__(self):
        self.words = ["Once", " upon", " a", " time."]
        self.reasoning = None
        self.held_at = None
        self.go_on = threading.Event()
        self.requests = []
        self.status = 200
        # The key that a request must have. None: any request is answered.
        self.key = None
        self.keys = []
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_POST(self):
                model.requests.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                model.keys.append((self.headers.get("Authorization") or "").removeprefix("Bearer "))
                status = 401 if model.key and model.keys[-1] != model.key else model.status
                self.send_response(status)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.end_headers()
                if status == 200:
                    model._answer(self.wfile)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/v1"

    def _answer(self, out):
        def say(delta, end=None):
            event = {"choices": [{"index": 0, "delta": delta, "finish_reason": end}]}
            out.write(f"data: {json.dumps(event)}\n\n".encode())
            out.flush()

        try:
            if self.reasoning:
                say({"reasoning_content": self.reasoning})
            for number, word in enumerate(self.words):
                if number == self.held_at:
                    self.go_on.wait(60)
                say({"content": word})
            say({}, "stop")
            out.write(b"data: [DONE]\n\n")
        except OSError:
            pass  # The app has been killed.

    def stop(self):
        self.go_on.set()
        self.server.shutdown()
