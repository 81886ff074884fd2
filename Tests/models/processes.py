"""The processes of these tests, with what they say."""

import os
import pathlib
import pty
import queue
import subprocess
import termios
import threading
import time

HERE = pathlib.Path(__file__).parent
HOLDFAST = os.environ["HOLDFAST"]
LAB = os.environ["HOLDFAST_LAB"]
PYTHON = os.environ["MODELS_PYTHON"]
MODEL = os.environ["MODELS_GGUF"]
# What the grammar lets the model say, a character at a time: with a letter, an emoji and a cluster of several bytes.
WORDS = "Grüße vom Modell, das ist eine Antwort 👍🏽 und hier ist ihr Ende."
PATIENCE = 30


class Child:
    """A process whose lines are read as they come."""

    def __init__(self, *arguments, **options):
        options = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE) | options
        self.process = subprocess.Popen(list(map(str, arguments)), **options)
        self.said = ""
        self._pieces = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        while piece := os.read(self.output(), 65536):
            self._pieces.put(piece)
        self._pieces.put(None)

    def output(self):
        return self.process.stdout.fileno()

    def say(self, line):
        self.process.stdin.write((line + "\n").encode())
        self.process.stdin.flush()

    def until(self, text, patience=PATIENCE):
        """Waits for a text in what it says from now on, and returns what came in front of it, with it."""
        end, raw = time.monotonic() + patience, b""
        while text not in self.said:
            try:
                piece = self._pieces.get(timeout=max(0, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no {text!r} in {self.said!r}") from None
            assert piece is not None, f"it ended without {text!r}: {self.said!r}, {self.process.stderr.read().decode()!r}"
            raw += piece
            try:
                self.said, raw = self.said + raw.decode(), b""
            except UnicodeDecodeError:
                continue
        before, _, self.said = self.said.partition(text)
        return before + text

    def finish(self):
        """Ends its input, and returns the rest of what it says."""
        self.process.stdin.close()
        self.process.wait(PATIENCE)
        rest = b""
        while (piece := self._pieces.get(timeout=PATIENCE)) is not None:
            rest += piece
        return self.said + rest.decode()

    def kill(self):
        self.process.kill()
        self.process.wait(PATIENCE)


class AtTerminal(Child):
    """A process at a terminal of its own, which says between marks what was pasted."""

    def __init__(self, *arguments):
        self.leader, self.follower = pty.openpty()
        super().__init__(*arguments, stdin=self.follower, stdout=self.follower)

    def output(self):
        return self.leader

    def press(self, keys):
        os.write(self.leader, keys.encode())

    def paste(self, text):
        self.press("\x1b[200~" + text.replace("\n", "\r") + "\x1b[201~")

    def mode(self):
        return termios.tcgetattr(self.follower)


class Proxy:
    """holdfast-lab proxy, which fails when it is told to."""

    def __init__(self, url):
        self.child = Child(LAB, "proxy", "--to", url.removeprefix("http://"))
        self.url = "http://" + self.child.until("\n").strip()

    def order(self, line):
        self.child.say(line)
        assert self.child.until("\n").strip() in ("ok", "done")

    def done(self):
        self.child.until("done\n")
