import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from app import LAB, App, wait_for_place
from model import Model

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from chromium import browser, free_port  # noqa: E402, F401


class Relay:
    """`holdfast-lab relay` with three accounts."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.port = free_port()
        self.process = None

    @property
    def address(self) -> str:
        return f"ws://127.0.0.1:{self.port}/v1/connect"

    def start(self):
        accounts = [word for name in ("alice", "bob", "carol") for word in ("--account", f"{name}:{name}-token")]
        self.process = subprocess.Popen(
            [LAB, "relay", "--misbehaves", "--port", str(self.port), "--data", self.folder, *accounts],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        assert self.process.stdout.readline(), "the relay has ended"

    def order(self, **order: str):
        """Orders something of the relay's operator, and waits until it has been carried out."""
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline(), "the relay has ended"

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()


@pytest.fixture
def relay(tmp_path):
    relay = Relay(tmp_path / "relay")
    relay.start()
    yield relay
    relay.stop()


class People:
    """Users of ChatApp, each with a phone."""

    def __init__(self, folder: Path, relay: Relay):
        self.folder = folder
        self.relay = relay
        self.apps = {}

    def log_in(self, name: str, token: str | None = None) -> App:
        app = self.phone(name)
        app.start()
        return self.fill_in(name, token)

    def phone(self, name: str) -> App:
        if name not in self.apps:
            self.apps[name] = App("ChatApp", self.folder / name)
        return self.apps[name]

    def fill_in(self, name: str, token: str | None = None, account: str | None = None) -> App:
        """Logs in. An account may have several phones, each with a name of its own."""
        app, name = self.apps[name], account or name
        app.do("clear", label="Server")
        app.type(self.relay.address, "Server")
        app.type(name, "Account")
        app.type(token or f"{name}-token", "Token")
        app.tap("Log in")
        app.wait(lambda: "Log in" not in app.words and app.words, "the chats")
        return app

    def relaunch(self, name: str) -> App:
        """The system has killed the app, and its user opens it again."""
        self.apps[name].relaunch()
        return self.fill_in(name)

    def open(self, name: str, other: str) -> App:
        """A user who begins a chat with another one, and has it open."""
        app = self.log_in(name)
        self.begin(name, other)
        return app

    def begin(self, name: str, other: str):
        app = self.apps[name]
        app.wait(lambda: "New chat" in app.words, "the chats")
        app.type(other, "Write to")
        app.tap("New chat")
        app.wait(lambda: any(other in row for row in app.shown["rows"]), f"chat with {other}")
        app.do("select", row=other)
        app.wait(lambda: app.shown.get("isAtEnd") is not None, "timeline")


@pytest.fixture
def people(tmp_path, relay):
    people = People(tmp_path, relay)
    yield people
    for app in people.apps.values():
        app.end()


@pytest.fixture
def model():
    model = Model()
    yield model
    model.stop()


class Assistants:
    """A user of AssistantApp."""

    def __init__(self, folder: Path, model: Model):
        self.app = App("AssistantApp", folder / "assistant")
        self.model = model

    def begin(self) -> App:
        self.app.start()
        self.set(Server=self.model.address)
        self.new_chat()
        return self.app

    def set(self, **fields: str):
        """Changes the settings of the model, and leaves those that are not named."""
        self.app.wait(lambda: self.open_settings in self.app.labels(), "the chats")
        self.app.tap(self.open_settings)
        for label, value in fields.items():
            self.app.do("paste", label=label, text=value)
        self.app.tap("Done")
        self.app.wait(lambda: not self.app.shown.get("sheet"), "the chats")

    @property
    def open_settings(self) -> str:
        return next((label for label in self.app.labels() if label and label.startswith("Model: ")), "Model: …")

    def new_chat(self):
        before = len(self.app.shown["rows"])
        self.app.tap("New chat")
        self.app.wait(lambda: len(self.app.shown["rows"]) > before, "a chat")
        self.app.see("No messages yet")

    def relaunch(self):
        """The system has killed the app, and its user opens it again, at the chat that was open."""
        self.keep_place()
        self.app.relaunch()

    def keep_place(self):
        """Waits until the chat that is open is stored as this window's place."""
        self.app.wait(lambda: self.app.shown.get("activity"), "an open chat")
        wait_for_place(self.app, "assistant", self.app.shown["activity"]["userInfo"]["conversation"])


@pytest.fixture
def assistants(tmp_path, model):
    assistants = Assistants(tmp_path, model)
    yield assistants
    assistants.app.end()
