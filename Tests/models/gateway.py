"""An HTTP server in front of a model's, which refuses when a test tells it to, as services and their gateways do."""

import http.client
import http.server
import json
import threading


class Gateway:
    def __init__(self, url):
        self.target = url.removeprefix("http://")
        # What the next answers are in place of the model's: a status, headers and a body.
        self.refusals = []
        # Fields that the server does not take. It names one at a time.
        self.refused = []
        # Fields that each request gets on its way, and the keys that came.
        self.fields, self.keys = {}, set()
        self.answered = 0
        gateway = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                self.forward(None)

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                gateway.keys.add(self.headers["Authorization"])
                if gateway.fields:
                    body = json.dumps({**json.loads(body), **gateway.fields}).encode()
                if gateway.refusals:
                    return self.refuse(*gateway.refusals.pop(0))
                for name in gateway.refused:
                    if name in json.loads(body):
                        detail = [{"type": "extra_forbidden", "loc": ["body", name], "msg": "Extra inputs are not permitted"}]
                        return self.refuse(422, {"Content-Type": "application/json"}, json.dumps({"detail": detail}).encode())
                gateway.answered += 1
                self.forward(body)

            def refuse(self, status, headers, body):
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def forward(self, body):
                connection = http.client.HTTPConnection(gateway.target)
                connection.request(self.command, self.path, body, {"Content-Type": "application/json"})
                answer = connection.getresponse()
                self.send_response(answer.status)
                self.send_header("Content-Type", answer.headers["Content-Type"])
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                try:
                    while piece := answer.read1(65536):
                        self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
                        self.wfile.flush()
                    self.wfile.write(b"0\r\n\r\n")
                except OSError:
                    # Who asked has gone, and the model is left alone too.
                    self.close_connection = True
                finally:
                    connection.close()

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()
