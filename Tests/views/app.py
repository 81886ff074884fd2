"""An example app that runs without a screen: a real process, driven by lines of JSON."""

import contextlib
import json
import os
import queue
import shutil
import signal
import sqlite3
import struct
import subprocess
import threading
import time
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APPS = ROOT / os.environ.get("VIEW_APPS", ".build/view-double")
LAB = Path(os.environ.get("HOLDFAST_LAB", ROOT / ".build/debug/holdfast-lab"))
DRAWINGS = ROOT / ".artifacts/drawings"

# Generous: what is waited for comes in milliseconds, and a busy machine is not a fault.
LIMIT = 30


def picture(width: int = 160, height: int = 100) -> bytes:
    """A PNG of one colour that changes from left to right."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    row = b"\0" + b"".join(bytes((column * 255 // width, 120, 200)) for column in range(width))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(row * height)) + chunk(b"IEND", b"")


class Refused(Exception):
    """What was to be touched is not there, or is disabled."""


class App:
    """One of the example apps, with a home of its own. `shown` is what a person sees now."""

    def __init__(self, name: str, home: Path):
        self.name = name
        self.program = APPS / name
        self.home = home
        self.process = None
        self.shown = {}
        # What the program is started by, and what its environment has in addition.
        self.wrapper = []
        self.environment = {}

    def store(self, account: str) -> sqlite3.Connection:
        file = self.home / f".local/share/holdfast/{account}/store.sqlite"
        return sqlite3.connect(file, isolation_level=None, timeout=10)

    def speak(self, language: str):
        """The app has texts in this language alone, and so speaks it."""
        folder = self.home.parent / f"{self.name}-{language}"
        (folder / f"{language}.lproj").mkdir(parents=True)
        for name in (self.name, "libSwiftUI.so"):
            shutil.copy(APPS / name, folder)
        self.program = folder / self.name

    def age(self, account: str, days: int):
        """What waits was written some days earlier. The app does not run meanwhile."""
        past = days * 24 * 60 * 60 * 1_000_000
        with contextlib.closing(self.store(account)) as connection:
            connection.execute("UPDATE outbox SET enqueuedAt = enqueuedAt - ?", [past])
            connection.execute("UPDATE message SET createdAt = createdAt - ?", [past])

    def bring(self, file: Path, account: str):
        """An import of the account's command line. The app does not run meanwhile."""
        store = self.home / f".local/share/holdfast/{account}"
        subprocess.run([LAB.with_name("holdfast"), "import", file, "--store", store], check=True, capture_output=True)

    def start(self):
        self.home.mkdir(exist_ok=True)
        temporary = self.home / "tmp"
        temporary.mkdir(exist_ok=True)
        self.environment.setdefault("TMPDIR", str(temporary))
        self.shown = {}
        self.process = subprocess.Popen(
            [*self.wrapper, self.program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=open(self.home / "log", "a"),
            text=True,
            env={**os.environ, **self.environment, "HOME": str(self.home)},
        )
        self.lines = queue.Queue()
        threading.Thread(target=self._read, args=(self.process.stdout, self.lines), daemon=True).start()
        self.wait(lambda: self.shown, "a first screen")
        return self

    @staticmethod
    def _read(stream, lines):
        for line in stream:
            lines.put(line)
        lines.put(None)

    def kill(self):
        """The system takes the process, without a word."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def relaunch(self):
        self.kill()
        return self.start()

    def end(self):
        if self.process and self.process.poll() is None:
            self.kill()

    # What is done.

    def _next(self, deadline: float):
        """Reads one line. Gives an answer, or None when the screen has changed."""
        try:
            line = self.lines.get(timeout=max(0, deadline - time.monotonic()))
        except queue.Empty:
            raise TimeoutError from None
        assert line is not None, f"the app has ended with {self.process.wait()}: {(self.home / 'log').read_text()[-2000:]}"
        kind, content = line.split(" ", 1)
        if kind == "answer":
            return json.loads(content)
        self.shown = json.loads(content)
        assert not self.shown["problems"], self.shown["problems"]
        return None

    def do(self, act: str, **details):
        print(json.dumps({"act": act, **details}), file=self.process.stdin, flush=True)
        deadline = time.monotonic() + LIMIT
        while (answer := self._next(deadline)) is None:
            pass
        if problem := answer.get("problem"):
            raise Refused(f"{problem} Shown: {self.shown['words']}")
        return answer.get("drawing")

    def tap(self, label: str):
        self.do("tap", label=label)

    def type(self, text: str, into: str = "Message"):
        self.do("type", label=into, text=text)

    def choose(self, label: str, row: str):
        """An item of the menu of the row with these words. The list may tell of a message before its row is there."""
        deadline = time.monotonic() + LIMIT
        while True:
            try:
                return self.do("choose", label=label, row=row)
            except Refused:
                try:
                    self._next(deadline)
                except TimeoutError:
                    pass
                if time.monotonic() > deadline:
                    raise

    def send(self, text: str):
        """At once: each letter of a typed text is a drawing of the whole screen."""
        self.do("paste", label="Message", text=text)
        self.tap("Send")

    # What is seen.

    def wait(self, condition, what: str):
        deadline = time.monotonic() + LIMIT
        while not condition():
            try:
                self._next(deadline)
            except TimeoutError:
                raise AssertionError(f"no {what}: {json.dumps(self.shown, ensure_ascii=False)}") from None

    @property
    def words(self) -> list[str]:
        return self.shown.get("words", [])

    def count(self, words: str) -> int:
        return self.words.count(words)

    def see(self, *words: str):
        self.wait(lambda: all(word in self.words for word in words), f"{words}")

    def see_part(self, part: str):
        self.wait(lambda: any(part in word for word in self.words), part)

    def miss(self, *words: str):
        self.wait(lambda: not any(word in self.words for word in words), f"absence of {words}")

    def cursor(self, label: str = "Message") -> int | None:
        [field] = [one for one in self.shown["controls"] if one["kind"] == "field" and one["label"] == label]
        return field.get("cursor")

    def field(self, label: str = "Message") -> str:
        [field] = [one for one in self.shown["controls"] if one["kind"] == "field" and one["label"] == label]
        return field["value"]

    def labels(self) -> list[str]:
        return [one.get("label") for one in self.shown["controls"]]

    def unnamed(self) -> list:
        """What an assistive technology could name by a symbol alone."""
        return [one for one in self.shown["controls"] if not one.get("label")]


def stored_place(app: App, account: str) -> str:
    with contextlib.closing(app.store(account)) as connection:
        return "".join(state.decode() for (state,) in connection.execute("SELECT state FROM scene"))


def wait_for_place(app: App, account: str, part: str):
    """A window's place is stored a moment after it changed."""
    deadline = time.monotonic() + 20
    while part not in stored_place(app, account):
        assert time.monotonic() < deadline, stored_place(app, account)
        time.sleep(0.05)
