"""Two phones with Synapse, a Matrix homeserver, between them. `make backends` runs it, after scripts/matrix.sh."""

import json
import re
import subprocess
import urllib.parse
from pathlib import Path

import pytest
from playwright.sync_api import expect

from chromium import capture
from demo import ROOT, SCREENSHOTS

pytestmark = pytest.mark.skipif(
    not (ROOT / ".build-matrix/bin/python").exists(), reason="Synapse is not installed: scripts/matrix.sh")


@pytest.fixture
def options():
    return ["--backend", "matrix"]


class Homeserver:
    """Synapse past the phones, as another client does: by curl."""

    def __init__(self, port: int):
        self.base = f"http://127.0.0.1:{port}/_matrix/client"
        self.count = 0
        self.tokens = {}

    def curl(self, method: str, path: str, body: dict | None = None, account: str | None = None):
        command = ["curl", "--silent", "--fail-with-body", "--request", method, self.base + path]
        if account:
            command += ["--header", f"Authorization: Bearer {self.token(account)}"]
        if body is not None:
            command += ["--header", "Content-Type: application/json", "--data", json.dumps(body)]
        process = subprocess.run(command, capture_output=True, text=True)
        assert process.returncode == 0, process.stdout
        return json.loads(process.stdout)

    def token(self, account: str) -> str:
        if account not in self.tokens:
            login = {"type": "m.login.password", "identifier": {"type": "m.id.user", "user": account}, "password": account}
            self.tokens[account] = self.curl("POST", "/v3/login", login)["access_token"]
        return self.tokens[account]

    def room(self, conversation: str) -> str:
        """The room that names the conversation for which it was created."""
        for room in self.curl("GET", "/v3/joined_rooms", account="alice")["joined_rooms"]:
            state = self.curl("GET", f"/v3/rooms/{quoted(room)}/state", account="alice")
            if any(event["content"].get("id") == conversation for event in state):
                return room
        raise AssertionError(f"no room was created for {conversation}")

    def events(self, room: str) -> list[dict]:
        page = self.curl("GET", f"/v3/rooms/{quoted(room)}/messages?dir=b&limit=200", account="alice")
        return page["chunk"][::-1]

    def messages(self, room: str) -> dict[str, str]:
        """The events of the messages, by their first texts."""
        return {
            event["content"]["body"]: event["event_id"]
            for event in self.events(room)
            if event["type"] == "m.room.message" and "body" in event["content"] and "m.new_content" not in event["content"]
        }

    def send(self, account: str, room: str, type: str, content: dict):
        self.count += 1
        self.curl("PUT", f"/v3/rooms/{quoted(room)}/send/{type}/curl-{self.count}", content, account)

    def redact(self, account: str, room: str, event: str):
        self.count += 1
        self.curl("PUT", f"/v3/rooms/{quoted(room)}/redact/{quoted(event)}/curl-{self.count}", {}, account)


def quoted(part: str) -> str:
    return urllib.parse.quote(part, safe="")


@pytest.fixture
def homeserver(demo):
    for child in demo.children():
        port = re.search(r"matrix_server.*--port\0(\d+)", Path(f"/proc/{child}/cmdline").read_text())
        if port:
            log = json.loads((demo.folder / "matrix/server/homeserver.yaml").read_text())
            return Homeserver(log["listeners"][0]["port"])
    raise AssertionError("the demo has no homeserver")


@pytest.mark.walk
def test_messages_written_offline_arrive_once_and_in_order_after_a_kill(alice, bob, homeserver):  # U22.1, B8.3
    alice.send("First")
    expect(bob.row("First")).to_be_visible()
    alice.go_offline()
    for text in ["One", "Two", "Three"]:
        alice.send(text)
        expect(alice.row(text)).to_contain_text("Queued")
    alice.kill_from_outside()
    alice.launch.click()
    alice.airplane.uncheck()
    expect(bob.rows.filter(has_text=re.compile("One|Two|Three"))).to_have_count(3)
    expect(alice.region.get_by_text("Queued")).to_have_count(0)
    assert list(homeserver.messages(homeserver.room("alice-bob"))) == ["First", "One", "Two", "Three"]


def test_a_server_that_is_killed_loses_nothing(alice, bob, page, homeserver):  # U22.1, B8.3
    alice.send("Before")
    expect(bob.row("Before")).to_be_visible()
    server = page.get_by_role("region", name="Synapse")
    server.get_by_role("button", name="Kill Synapse").click()
    expect(server.get_by_text("Killed")).to_be_visible()
    expect(alice.banner("Reconnecting")).to_be_visible()
    alice.send("Meanwhile")
    server.get_by_role("button", name="Launch Synapse").click()
    expect(bob.row("Meanwhile")).to_be_visible(timeout=60_000)
    expect(alice.banner("Reconnecting")).to_have_count(0)
    assert list(homeserver.messages(homeserver.room("alice-bob"))) == ["Before", "Meanwhile"]


def test_changes_by_another_client_appear_on_both_phones(alice, bob, homeserver):  # U22.1, B8.3
    for text in ["To edit", "To react to", "To delete"]:
        alice.send(text)
    expect(bob.row("To delete")).to_be_visible()
    room = homeserver.room("alice-bob")
    events = homeserver.messages(room)
    new = {"msgtype": "m.text", "body": "Edited by curl"}
    homeserver.send("alice", room, "m.room.message", {
        "msgtype": "m.text", "body": "* Edited by curl", "m.new_content": new,
        "m.relates_to": {"rel_type": "m.replace", "event_id": events["To edit"]}})
    homeserver.send("bob", room, "m.reaction", {
        "m.relates_to": {"rel_type": "m.annotation", "event_id": events["To react to"], "key": "🎉"}})
    homeserver.redact("alice", room, events["To delete"])
    # The server takes somebody else's edit too.
    homeserver.send("bob", room, "m.room.message", {
        "msgtype": "m.text", "body": "* Forged", "m.new_content": {"msgtype": "m.text", "body": "Forged"},
        "m.relates_to": {"rel_type": "m.replace", "event_id": events["To react to"]}})
    homeserver.send("bob", room, "m.room.message", {"msgtype": "m.text", "body": "Written by curl"})
    for phone in [alice, bob]:
        expect(phone.row("Written by curl")).to_be_visible()
        expect(phone.row("Edited by curl")).to_contain_text("edited")
        expect(phone.row("To react to")).to_contain_text("🎉")
        expect(phone.row("To delete")).to_have_count(0)
        expect(phone.row("Forged")).to_have_count(0)


def test_both_sides_edit_react_and_read_and_nothing_of_a_deletion_stays(alice, bob, page, homeserver):  # U22.1, B8.3
    alice.send("Hello from Matrix")
    expect(bob.row("Hello from Matrix")).to_be_visible()
    bob.send("Hello, Alice")
    expect(alice.row("Hello, Alice")).to_be_visible()
    alice.act("Hello from Matrix", "Edit")
    alice.send("A secret")
    expect(bob.row("A secret")).to_contain_text("edited")
    expect(alice.region.get_by_role("heading", name="Bob")).to_be_visible()
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    capture(page, SCREENSHOTS / "matrix.png")
    alice.act("A secret", "Delete for everybody")
    expect(bob.row("A secret")).to_have_count(0)
    expect(alice.region.get_by_text("Queued")).to_have_count(0)
    events = json.dumps(homeserver.events(homeserver.room("alice-bob")))
    assert "A secret" not in events and "Hello from Matrix" not in events


def test_an_encrypted_room_is_refused_with_a_sentence(alice, bob, homeserver):  # B8.4
    alice.send("In plain text")
    expect(bob.row("In plain text")).to_be_visible()
    room = homeserver.room("alice-bob")
    content = {"algorithm": "m.megolm.v1.aes-sha2"}
    homeserver.curl("PUT", f"/v3/rooms/{quoted(room)}/state/m.room.encryption", content, "alice")
    expect(alice.region.get_by_text("This room is encrypted").first).to_be_visible()
    alice.send("Not for the server")
    expect(alice.row("Not for the server")).to_be_visible()
    assert "Not for the server" not in json.dumps(homeserver.events(room))
