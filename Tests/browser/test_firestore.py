"""Two phones with Google's Firestore emulator between them. `make backends` runs it, with a command that has Firestore."""

import base64
import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import expect

from chromium import capture
from demo import PROGRAM, SCREENSHOTS, children

pytestmark = pytest.mark.skipif(
    "HOLDFAST_FIRESTORE_JAR" not in os.environ, reason="no emulator: make backends runs it, with a command that has Firestore")


@pytest.fixture
def options():
    return ["--backend", "firestore"]


class Firestore:
    """The emulator past the phones, as a client of anybody's making: by curl."""

    def __init__(self, port: int):
        self.documents = f"http://127.0.0.1:{port}/v1/projects/holdfast-demo/databases/(default)/documents"

    def curl(self, path: str, body: dict, account: str | None = None):
        process = subprocess.run(
            ["curl", "--silent", "--fail-with-body", "--header", f"Authorization: Bearer {token(account)}",
             "--header", "Content-Type: application/json", "--data", json.dumps(body), self.documents + path],
            capture_output=True, text=True)
        assert process.returncode == 0, process.stdout
        return json.loads(process.stdout)

    def messages(self) -> list[dict]:
        rows = self.curl(":runQuery", {"structuredQuery": {"from": [{"collectionId": "messages"}]}})
        documents = [row["document"] for row in rows if "document" in row]
        return sorted(documents, key=lambda document: document["fields"]["sentAt"]["timestampValue"])

    def texts(self) -> list[str]:
        return [document["fields"]["text"]["stringValue"] for document in self.messages()]

    def name(self, text: str) -> str:
        return next(d["name"] for d in self.messages() if d["fields"]["text"]["stringValue"] == text)

    def change(self, account: str, text: str, fields: dict, mask: list[str], *transforms: dict):
        """Changes a message as `account`, under the security rules."""
        times = [{"fieldPath": "changedAt", "setToServerValue": "REQUEST_TIME"}, *transforms]
        write = {
            "update": {"name": self.name(text), "fields": fields}, "updateMask": {"fieldPaths": mask},
            "updateTransforms": times,
        }
        self.curl(":commit", {"writes": [write]}, account)


def token(account: str | None) -> str:
    if account is None:
        return "owner"
    parts = [{"alg": "none", "typ": "JWT"}, {"aud": "holdfast-demo", "sub": account, "user_id": account,
             "iss": "https://securetoken.google.com/holdfast-demo"}]
    encoded = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
    return ".".join(encoded) + "."


def set_now(field: str) -> dict:
    return {"fieldPath": field, "setToServerValue": "REQUEST_TIME"}


@pytest.fixture
def firestore(demo):
    for child in demo.children():
        for grandchild in children(child):
            port = re.search(r"--port=(\d+)", Path(f"/proc/{grandchild}/cmdline").read_text())
            if port:
                return Firestore(int(port[1]))
    raise AssertionError("the demo has no emulator")


def test_messages_written_offline_arrive_once_and_in_order_after_a_kill(alice, bob, firestore):  # U22.2, B9.1, B9.2, B9.3
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
    shown = [text for text in bob.rows.all_inner_texts() for word in ["One", "Two", "Three"] if word in text]
    assert [next(word for word in ["One", "Two", "Three"] if word in text) for text in shown] == ["One", "Two", "Three"]
    assert firestore.texts() == ["First", "One", "Two", "Three"]


def test_changes_by_another_client_appear_on_both_phones(alice, bob, firestore):  # U22.2, B9.2
    for text in ["To edit", "To react to", "To delete"]:
        alice.send(text)
    expect(bob.row("To delete")).to_be_visible()
    firestore.change("Alice", "To edit", {"text": {"stringValue": "Edited by curl"}}, ["text"], set_now("editedAt"))
    firestore.change(
        "Bob", "To react to", {}, [],
        {"fieldPath": "reactions.Bob", "appendMissingElements": {"values": [{"stringValue": "🎉"}]}})
    firestore.change("Alice", "To delete", {"text": {"stringValue": ""}}, ["text"], set_now("deletedAt"))
    for phone in [alice, bob]:
        expect(phone.row("Edited by curl")).to_contain_text("edited")
        expect(phone.row("To react to")).to_contain_text("🎉")
        expect(phone.row("To delete")).to_have_count(0)


def test_both_sides_edit_react_and_read(alice, bob, firestore):  # U22.2
    alice.send("Hello from Firestore")
    expect(bob.row("Hello from Firestore")).to_be_visible()
    bob.send("Hello, Alice")
    expect(alice.row("Hello, Alice")).to_be_visible()
    alice.act("Hello from Firestore", "Edit")
    alice.send("Hello again")
    expect(bob.row("Hello again")).to_contain_text("edited")
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    capture(alice.page, SCREENSHOTS / "firestore.png")
