"""The chat in the terminal against llama.cpp, with a network between them that fails."""

import json
import os
import pathlib
import queue
import re
import subprocess
import threading
import time
import urllib.request

import pytest

from gateway import Gateway

HERE = pathlib.Path(__file__).parent
HOLDFAST = os.environ["HOLDFAST"]
PYTHON = os.environ["MODELS_PYTHON"]
MODEL = os.environ["MODELS_GGUF"]
# What the grammar lets the model say, a character at a time: with a letter, an emoji and a cluster of several bytes.
WORDS = "Grüße vom Modell, das ist eine Antwort 👍🏽 und hier ist ihr Ende."
PATIENCE = 30


class Child:
    """A process whose lines are read as they come."""

    def __init__(self, *arguments, **options):
        self.process = subprocess.Popen(
            list(map(str, arguments)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        self.said = ""
        self._pieces = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        while piece := os.read(self.process.stdout.fileno(), 65536):
            self._pieces.put(piece)
        self._pieces.put(None)

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


class Llama:
    """llama.cpp's server, with its own count of what it was asked."""

    def __init__(self):
        self.child = Child(PYTHON, HERE / "llama_server.py", MODEL)
        self.url = self.child.until("\n").strip()
        # The size of the prompt of one question, as the server counts it.
        self.tokens = self.prompt_tokens()
        self.ask("Hello?")
        self.tokens = self.prompt_tokens() - self.tokens

    def ask(self, question):
        body = {"messages": [{"role": "user", "content": question}], "max_tokens": 1, "cache_prompt": False}
        request = urllib.request.Request(f"{self.url}/v1/chat/completions", json.dumps(body).encode())
        urllib.request.urlopen(request, timeout=PATIENCE).read()

    def prompt_tokens(self):
        with urllib.request.urlopen(f"{self.url}/metrics", timeout=PATIENCE) as answer:
            return int(re.search(r"^llamacpp:prompt_tokens_total (\d+)", answer.read().decode(), re.MULTILINE)[1])


@pytest.fixture(scope="session")
def llama():
    server = Llama()
    yield server
    server.child.kill()


class Proxy:
    """holdfast proxy, which fails when it is told to."""

    def __init__(self, url):
        self.child = Child(HOLDFAST, "proxy", "--to", url.removeprefix("http://"))
        self.url = "http://" + self.child.until("\n").strip()

    def order(self, line):
        self.child.say(line)
        assert self.child.until("\n").strip() in ("ok", "done")

    def done(self):
        self.child.until("done\n")


@pytest.fixture
def gateway(llama):
    made = Gateway(llama.url)
    yield made
    made.close()


@pytest.fixture
def proxy(gateway):
    made = Proxy(gateway.url)
    yield made
    made.child.kill()


@pytest.fixture
def store(tmp_path):
    return tmp_path / "store"


@pytest.fixture
def launch(proxy, store):
    """Starts the chat."""
    started = []

    def start(*options, url=None):
        grammar = {"grammar": f'root ::= "{WORDS}"', "cache_prompt": False, "temperature": 0}
        chat = Child(
            HOLDFAST, "chat", "--model", url or proxy.url, "--store", store, "--fields", json.dumps(grammar),
            "--silence-limit", 2, "--first-byte-limit", 3, *options)
        started.append(chat)
        chat.until("what can be done\n")
        return chat

    yield start
    for chat in started:
        chat.kill()


@pytest.fixture
def rows(store, tmp_path):
    """Reads what is in the store, as who, how it stands and what it says."""

    def read():
        output = tmp_path / f"history-{time.monotonic_ns()}.json"
        subprocess.run([HOLDFAST, "export", "--store", store, "--output", output], check=True, capture_output=True)
        messages = json.loads(output.read_text())["conversations"][0]["messages"]
        return [(message["role"], message.get("status", "whole"), message.get("content", "")) for message in messages]

    return read
