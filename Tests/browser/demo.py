"""One process of `holdfast-lab demo`, and its page by role and name, for tests."""

import contextlib
import os
import random
import signal
import sqlite3
import struct
import subprocess
import time
import zlib
from pathlib import Path

from playwright.sync_api import Page, expect

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("HOLDFAST_LAB", ROOT / ".build/debug/holdfast-lab"))
HOLDFAST = PROGRAM.with_name("holdfast")
SCREENSHOTS = ROOT / ".artifacts/screenshots"


class Demo:
    """`holdfast-lab demo` on a folder and a port of its own."""

    def __init__(self, folder: Path, port: int, *options: str):
        self.folder = folder
        self.options = options
        self.port = port
        self.process = None
        self.url = None

    def start(self) -> str:
        self.process = subprocess.Popen(
            [PROGRAM, "demo", "--port", str(self.port), "--data", self.folder, *self.options],
            stdout=subprocess.PIPE,
            text=True,
        )
        for line in self.process.stdout:
            if line.startswith("http://"):
                self.url = line.strip()
                return self.url
        raise AssertionError(f"the demo ended with {self.process.wait()} before it printed its address")

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(timeout=90)

    def relayed(self) -> list[str]:
        """The texts of all messages that the relay has, in the order in which they came."""
        [store] = (self.folder / "relay").glob("*.sqlite")
        with contextlib.closing(sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True)) as connection:
            return [text for (text,) in connection.execute("SELECT body FROM message ORDER BY rowid")]

    def expect_draft(self, phone: str, text: str):
        """Waits until a phone has stored a draft with this text."""
        [store] = (self.folder / phone).glob("*.sqlite")
        deadline = time.monotonic() + 90
        with contextlib.closing(sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True)) as connection:
            while not connection.execute("SELECT 1 FROM draft WHERE content = ?", (text,)).fetchone():
                assert time.monotonic() < deadline, f"{phone} did not store '{text}'"
                time.sleep(0.05)

    def children(self) -> list[int]:
        return children(self.process.pid)


def children(process: int) -> list[int]:
    """The processes that a process has started, on any of its threads."""
    pids = []
    for thread in Path(f"/proc/{process}/task").iterdir():
        pids += [int(pid) for pid in (thread / "children").read_text().split()]
    return pids


class Phone:
    """One phone on the page."""

    def __init__(self, page: Page, name: str):
        self.page = page
        self.part = name.lower()
        self.region = page.get_by_role("region", name=name, exact=True)
        self.message = self.region.get_by_role("textbox", name="Message")
        self.send_button = self.region.get_by_role("button", name="Send")
        self.rows = self.region.get_by_role("log").get_by_role("listitem")
        self.airplane = self.region.get_by_role("switch", name="Airplane mode")
        self.kill = self.region.get_by_role("button", name="Kill app")
        self.launch = self.region.get_by_role("button", name="Launch app")
        self.chats = self.region.get_by_role("button", name="Chats")
        self.menu = self.region.get_by_role("menu")
        self.dialog = self.region.get_by_role("dialog")
        self.panel = self.region.get_by_role("group").filter(has_text="Engine")

    def banner(self, text: str):
        return self.region.get_by_role("status").filter(has_text=text)

    def type(self, text: str):
        # Keys that are pressed while the app starts are lost, as on a phone.
        expect(self.message).to_be_enabled()
        self.message.press_sequentially(text)

    def send(self, text: str):
        self.message.fill(text)
        self.message.press("Enter")

    def send_all(self, texts: list[str]):
        """Sends messages of alice and bob's conversation as the page does, without typing them."""
        expect(self.message).to_be_enabled()
        self.page.evaluate(
            """async ([part, texts]) => {
              for (const text of texts)
                await fetch("/intent", {
                  method: "POST", headers: { "Content-Type": "application/json" },
                  body: JSON.stringify({ part, type: "send", conversation: "alice-bob", text }),
                })
            }""",
            [self.part, texts],
        )

    def open(self, title: str):
        """Opens another conversation from the list."""
        self.chats.click()
        self.region.get_by_role("list").get_by_role("button", name=title).click()
        expect(self.region.get_by_role("heading", name=title)).to_be_visible()
        expect(self.message).to_be_enabled()

    def relaunch(self):
        self.kill.click()
        expect(self.region.get_by_text("App killed")).to_be_visible()
        self.launch.click()
        expect(self.message).to_be_enabled()

    def kill_from_outside(self):
        """Kills the app's process as a system does: without a click, so the composer keeps the focus."""
        os.kill(int(self.region.locator(".pid").inner_text().removeprefix("pid ")), signal.SIGKILL)
        expect(self.region.get_by_text("App stopped")).to_be_visible()

    def let_pass(self, days: int):
        """Closes the app, and launches it again that many days later."""
        self.region.get_by_role("button", name="Let days pass").click()
        words = "1 year passes" if days == 365 else f"{days} day"
        self.menu.get_by_role("menuitem", name=words).click()
        expect(self.region.get_by_text("App stopped")).to_be_visible()
        self.launch.click()
        expect(self.message).to_be_enabled()

    def go_offline(self):
        self.airplane.check()
        expect(self.banner("Offline")).to_be_visible()

    def row(self, text: str):
        return self.rows.filter(has_text=text)

    def tap(self, text: str):
        """The line under a message, which the keyboard reaches too."""
        self.row(text).get_by_role("button").click()

    def choose(self, text: str, action: str):
        self.tap(text)
        self.menu.get_by_role("menuitem", name=action).click()

    def actions(self, text: str):
        """The button beside a delivered message."""
        return self.row(text).get_by_role("button", name="Message actions")

    def act(self, text: str, action: str):
        """The entries in the menu of a delivered message."""
        self.actions(text).click()
        self.menu.get_by_role("menuitem", name=action).click()

    def react(self, text: str, name: str):
        self.actions(text).click()
        self.menu.get_by_role("menuitemcheckbox", name=name).click()

    def chip(self, text: str, reaction: str):
        return self.row(text).get_by_role("group", name="Reactions").get_by_role("button", name=reaction)

    def change(self, text: str, action: str):
        """The entries in the menu of the line about a change of a message."""
        self.row(text).locator(".change").click()
        self.menu.get_by_role("menuitem", name=action).click()

    def attach(self, *files: Path):
        # A file is picked for a conversation, and the page may have been told none yet.
        expect(self.region.locator("h3.title").first).not_to_be_empty()
        self.region.locator("input[type=file]").set_input_files(list(files))
        for file in files:
            expect(self.picked(file.name)).to_be_visible()

    def picked(self, name: str):
        """The button that removes a file from the composer."""
        return self.region.get_by_role("list", name="Attached").get_by_role("button", name=f"Remove {name}")

    def file(self, name: str):
        """A file in the timeline, once it is on this phone."""
        return self.region.get_by_role("log").get_by_role("link", name=name)

    def bytes(self, name: str) -> tuple[bytes, dict[str, str]]:
        """The bytes that a click on a file would open or save, with their headers."""
        address = self.file(name).evaluate("link => link.href")
        answer = self.page.request.get(address)
        assert answer.ok
        return answer.body(), answer.headers

    def second_window(self):
        """The same phone's second window, in a page of its own."""
        with self.page.context.expect_page() as opened:
            self.region.get_by_role("link", name="Second window").click()
        window = Phone(opened.value, self.region.get_attribute("aria-label"))
        expect(window.message).to_be_enabled()
        return window

    def selection(self) -> list[int]:
        return self.message.evaluate("field => [field.selectionStart, field.selectionEnd]")

    def expect_messages(self, texts: list[str], timeout: float = 90_000):
        """Expects exactly these messages, in this order, none twice."""
        expect(self.rows).to_have_count(len(texts), timeout=timeout)
        for index, text in enumerate(texts):
            expect(self.rows.nth(index)).to_contain_text(text)

    def expect_delivered(self, count: int, timeout: float = 90_000):
        """Expects the time in every row, where the badge was."""
        expect(self.rows.filter(has=self.page.get_by_role("time"))).to_have_count(count, timeout=timeout)


def png(width: int, height: int, lines: list[bytes]) -> bytes:
    """An uncompressed picture of lines of pixels, with width * height * 3 bytes and a little more."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(b"".join(b"\0" + line for line in lines), 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", body) + chunk(b"IEND", b"")


def picture(width: int, height: int) -> bytes:
    """A picture of noise, with no two equal parts."""
    dice = random.Random(width * height)
    return png(width, height, [dice.randbytes(width * 3) for _ in range(height)])


def colours(width: int, height: int) -> bytes:
    """A picture for people."""
    return png(
        width,
        height,
        [
            bytes(part for x in range(width) for part in (60 + y // 4, 120 + x // 9, 150 + y // 6))
            for y in range(height)
        ],
    )


def post(page: Page, intent: dict):
    """Posts what a button of the page would post, while something else has the focus."""
    page.evaluate(
        """(intent) => fetch("/intent", {
          method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(intent),
        })""",
        intent,
    )


class Relay:
    """The relay's controls on the page."""

    def __init__(self, page: Page):
        self.region = page.get_by_role("region", name="Relay", exact=True)
        self.kill = self.region.get_by_role("button", name="Kill relay")
        self.launch = self.region.get_by_role("button", name="Launch relay")
        self.stop = self.region.get_by_role("button", name="Stop that")

    @contextlib.contextmanager
    def frozen(self, *phones: Phone):
        """Stops the relay's process once these phones are connected to it, so that it answers nothing while the body
        runs. A connection stands this for 25 seconds."""
        for phone in phones:
            expect(phone.region.locator(".panel-link")).to_have_text("Online")
        pid = int(self.region.locator(".pid").inner_text().removeprefix("pid "))
        os.kill(pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(pid, signal.SIGCONT)

    def order(self, wish: str):
        """Orders something that the relay does at once."""
        self.region.get_by_role("button", name="Misbehave").click()
        self.region.get_by_role("menuitem", name=wish).click()

    def misbehave(self, wish: str, said: str):
        """Orders a fault, and waits until the relay confirms it."""
        self.region.get_by_role("button", name="Misbehave").click()
        self.region.get_by_role("menuitem", name=wish).click()
        expect(self.region.get_by_text(said)).to_be_visible()


def wait_until_gone(pids: list[int], seconds: float = 90):
    """Waits for the end of processes whose parents have ended. Nothing announces it."""
    deadline = time.monotonic() + seconds
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        assert time.monotonic() < deadline, f"still running: {pids}"
        time.sleep(0.05)
