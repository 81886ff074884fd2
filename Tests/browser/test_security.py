"""Only the page that was opened with the printed address may use the demo."""

import http.client
import json
from urllib.parse import urlsplit

import pytest


class Client:
    def __init__(self, demo):
        self.port = demo.port
        self.session = urlsplit(demo.url).query.removeprefix("session=")

    def ask(self, method, path, *, host=None, origin=None, token=True, body=None, kind="application/json"):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        headers = {"Host": host or f"127.0.0.1:{self.port}"}
        if origin:
            headers["Origin"] = origin
        if token:
            headers["Cookie"] = f"holdfast-{self.port}={self.session if token is True else token}"
        if body is not None:
            headers["Content-Type"] = kind
        connection.request(method, path, body=json.dumps(body) if body is not None else None, headers=headers)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()


@pytest.fixture
def client(demo):
    return Client(demo)


INTENT = {"part": "alice", "type": "rest", "conversation": "alice-bob"}


def test_the_page_itself_may(client):
    origin = f"http://127.0.0.1:{client.port}"
    assert client.ask("GET", "/app.js")[0] == 200
    assert client.ask("GET", "/", host=f"localhost:{client.port}")[0] == 200
    assert client.ask("POST", "/intent", origin=origin, body=INTENT)[0] == 200


@pytest.mark.parametrize("path", ["/", "/app.js", "/events", "/?session=", "/?session=" + "0" * 64])
def test_nothing_is_served_without_the_token(client, path):
    assert client.ask("GET", path, token=False)[0] == 403
    assert client.ask("GET", path, token="0" * 64)[0] == 403


def test_no_intent_is_taken_without_the_token(client):
    assert client.ask("POST", "/intent", token=False, body=INTENT)[0] == 403


@pytest.mark.parametrize("host", ["attacker.example", "127.0.0.1", "localhost:1", "0.0.0.0:8181"])
def test_a_foreign_host_is_refused(client, host):
    assert client.ask("GET", "/", host=host)[0] == 403
    assert client.ask("POST", "/intent", host=host, body=INTENT)[0] == 403


@pytest.mark.parametrize("origin", ["https://attacker.example", "http://127.0.0.1:1", "null"])
def test_a_foreign_origin_is_refused(client, origin):
    assert client.ask("POST", "/intent", origin=origin, body=INTENT)[0] == 403
    assert client.ask("GET", "/events", origin=origin)[0] == 403


def test_the_page_may_run_its_own_scripts_only(client):
    _, headers, body = client.ask("GET", f"/?session={client.session}", token=False)
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "script-src 'self'" in policy and "unsafe" not in policy
    assert "HttpOnly" in headers["Set-Cookie"] and "SameSite=Strict" in headers["Set-Cookie"]
    assert b"<script>" not in body and b"style=" not in body


@pytest.mark.parametrize("body", [{}, [], {"part": "eve", "type": "kill"}, {"part": "alice", "type": "network"}])
def test_what_is_no_intent_is_refused(client, body):
    assert client.ask("POST", "/intent", body=body)[0] == 400


@pytest.mark.parametrize("kind", ["attach", "importHistory"])
def test_no_path_comes_from_a_browser(client, kind):
    intent = {**INTENT, "type": kind, "file": "/etc/passwd", "name": "passwd"}
    assert client.ask("POST", "/intent", body=intent)[0] == 400


@pytest.mark.parametrize(
    "path", ["/file?part=alice&conversation=alice-bob&name=a.txt", "/history?part=alice&name=a.json"]
)
def test_a_file_is_taken_from_the_page_itself_only(client, path):
    foreign = "https://attacker.example"
    assert client.ask("POST", path, body="x", token=False)[0] == 403
    assert client.ask("POST", path, body="x", origin=foreign)[0] == 403
    # Another page's form can send this type without asking. It cannot send the type of the demo's page.
    assert client.ask("POST", path, body="x")[0] == 415
    octets = "application/octet-stream"
    assert client.ask("POST", path, body="x", kind=octets)[0] == 200
    assert client.ask("POST", "/file?part=eve&conversation=c&name=a.txt", body="x", kind=octets)[0] == 400
    for short in ["/file?part=alice", "/history?part=alice", "/history?part=eve&name=a.json"]:
        assert client.ask("POST", short, body="x", kind=octets)[0] == 400
    assert client.ask("GET", "/file?part=alice&checksum=" + "0" * 64, token=False)[0] == 403


@pytest.mark.parametrize("checksum", ["", "0" * 64, "../../accounts", "%2e%2e%2faccounts"])
def test_only_what_is_on_a_screen_is_given_out(client, checksum):
    assert client.ask("GET", f"/file?part=alice&checksum={checksum}")[0] == 404


@pytest.mark.parametrize("path", ["/../Package.swift", "/Page/app.js", "/%2e%2e/app.js", "/secret.js"])
def test_no_path_leads_out_of_the_page(client, path):
    assert client.ask("GET", path)[0] == 404
