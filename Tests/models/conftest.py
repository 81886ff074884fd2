"""The chat in the terminal against llama.cpp, with a network between them that fails."""

import json
import re
import subprocess
import time
import urllib.request

import pytest

from gateway import Gateway
from processes import HERE, HOLDFAST, MODEL, PATIENCE, PYTHON, WORDS, Child, Proxy


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

    def start(*options, url=None, kind=Child):
        grammar = {"grammar": f'root ::= "{WORDS}"', "cache_prompt": False, "temperature": 0}
        chat = kind(
            HOLDFAST, "chat", "--model", url or proxy.url, "--store", store, "--fields", json.dumps(grammar),
            "--silence-limit", 2, "--first-word-limit", 3, *options)
        started.append(chat)
        chat.until("what can be done")
        chat.until("\n")
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
