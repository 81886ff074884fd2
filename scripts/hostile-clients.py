#!/usr/bin/env python3
"""Attacks a relay with the sockets of one account, and looks at what that costs the others.

    scripts/hostile-clients.py                          every attack, for three seconds each
    scripts/hostile-clients.py --seconds 30             for half a minute each
    scripts/hostile-clients.py --only searches,pings    some of them

For each attack a relay is started anew. Alice writes to Bob four times a second, and Mallory attacks meanwhile. A case
fails when a message does not arrive, when the relay holds more than 200 MB, or when its folder has more than twice the
quota. The table has the longest time that a message took: it depends on the machine, and fails nothing.
"""

import argparse
import base64
import contextlib
import hashlib
import json
import os
import pathlib
import resource
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
HOLDFAST = os.environ.get("HOLDFAST", str(ROOT / ".build/debug/holdfast"))
QUOTA = 60_000_000
MEMORY = 200 << 20


class Client:
    """One WebSocket (RFC 6455), as far as an attack needs it."""

    def __init__(self, port, token, hello=True, after=None):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.bytes = b""
        lines = ["GET /v1/connect HTTP/1.1", "Host: 127.0.0.1", "Upgrade: websocket", "Connection: Upgrade",
                 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
                 f"Authorization: Bearer {token}"]
        self.socket.sendall("\r\n".join(lines + ["", ""]).encode())
        while b"\r\n\r\n" not in self.bytes:
            self.receive()
        head, self.bytes = self.bytes.split(b"\r\n\r\n", 1)
        if not head.startswith(b"HTTP/1.1 101"):
            raise ConnectionError(head.split(b"\r\n")[0].decode())
        if hello:
            self.send(type="hello", version=1, **({} if after is None else {"after": after}))

    def receive(self):
        data = self.socket.recv(1 << 16)
        if not data:
            raise ConnectionError("closed")
        self.bytes += data

    def send(self, **frame):
        self.write(1, json.dumps(frame).encode())

    def write(self, opcode, payload):
        # The mask is zero, which changes nothing.
        self.socket.sendall(self.frame(opcode, payload))

    @staticmethod
    def frame(opcode, payload):
        size = len(payload)
        length = (struct.pack("!B", 0x80 | size) if size < 126 else struct.pack("!BH", 0xFE, size) if size < 1 << 16
                  else struct.pack("!BQ", 0xFF, size))
        return bytes([0x80 | opcode]) + length + bytes(4) + payload

    def take(self, count):
        while len(self.bytes) < count:
            self.receive()
        taken, self.bytes = self.bytes[:count], self.bytes[count:]
        return taken

    def read(self):
        """The next message. Control frames are passed over."""
        message = b""
        while True:
            first, size = self.take(2)
            if size == 126:
                size = struct.unpack("!H", self.take(2))[0]
            elif size == 127:
                size = struct.unpack("!Q", self.take(8))[0]
            payload = self.take(size)
            if first & 15 == 8:
                raise ConnectionError("closed")
            if first & 15 > 8:
                continue
            message += payload
            if first & 0x80:
                return json.loads(message)

    def until(self, wanted):
        """The first message for which `wanted` holds."""
        while True:
            frame = self.read()
            if frame["type"] == "failure":
                raise ConnectionError(frame["code"])
            if wanted(frame):
                return frame

    def close(self):
        with contextlib.suppress(OSError):
            self.socket.close()


def message(number, conversation, members, text, predecessor=None, **more):
    frame = {"id": number, "conversation": conversation, "role": "user", "body": text, "at": 0, "handover": 1, **more}
    if predecessor is None:
        frame["members"] = members
    else:
        frame["predecessor"] = predecessor
    return frame


class Relay:
    """A relay in a process of its own, with three accounts."""

    def __init__(self, folder, descriptors=None):
        self.folder = pathlib.Path(folder) / "data"
        accounts = pathlib.Path(folder) / "accounts"
        accounts.write_text("".join(f"{name}:{name}-token\n" for name in ("alice", "bob", "mallory")))
        accounts.chmod(0o600)
        self.process = subprocess.Popen(
            [HOLDFAST, "relay", "--data", self.folder, "--accounts-file", accounts,
             "--account-quota", str(QUOTA // 1_000_000)],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            preexec_fn=descriptors and (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))))
        line = self.process.stdout.readline().decode()
        self.port = int(line.rsplit(":", 1)[1].split("/")[0])

    def client(self, name, **options):
        return Client(self.port, f"{name}-token", **options)

    def memory(self):
        """The most that the process has held."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) << 10

    def disk(self):
        return sum(file.stat().st_size for file in self.folder.rglob("*") if file.is_file())

    def holds(self, text):
        return any(text in file.read_bytes() for file in self.folder.rglob("*") if file.is_file())

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise


class Conversation:
    """Alice writes to Bob, until it is ended. Knows how long each message took."""

    def __init__(self, relay):
        self.relay, self.times, self.error = relay, [], None
        self.is_over = threading.Event()
        self.alice, self.bob = relay.client("alice"), relay.client("bob")
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def run(self):
        try:
            number, last = 0, None
            while not self.is_over.is_set():
                number += 1
                began = time.monotonic()
                identity = f"m{number}"
                sent = message(identity, "pair", ["alice", "bob"], f"word {number}", last)
                self.alice.send(type="send", messages=[sent])
                last = identity
                self.bob.until(lambda frame: any(
                    item.get("message", {}).get("id") == identity for item in frame.get("items", [])))
                self.times.append(time.monotonic() - began)
                self.is_over.wait(0.25)
        except (OSError, ConnectionError) as error:
            self.error = error

    def end(self):
        self.is_over.set()
        self.thread.join()
        for client in (self.alice, self.bob):
            client.close()
        if self.error:
            raise AssertionError(f"Alice and Bob were disconnected: {self.error}")
        return max(self.times), len(self.times)


def attack(clients, seconds, step):
    """Takes a step with each client in a thread of its own, for some seconds. A client that is thrown out has ended."""
    end = time.monotonic() + seconds

    def run(client):
        with contextlib.suppress(OSError, ConnectionError):
            while time.monotonic() < end:
                step(client)

    threads = [threading.Thread(target=run, args=(client,)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def fill(relay, count, text):
    """Mallory's own messages, as many as the burst of an account allows."""
    client, last = relay.client("mallory"), None
    for start in range(0, count, 500):
        ids = [f"f{number}" for number in range(start, start + 500)]
        client.send(type="send", messages=[
            message(identity, "own", ["mallory"], text, before) for identity, before in zip(ids, [last] + ids)])
        last = ids[-1]
        client.until(lambda frame: frame["type"] == "receipts")
    return client


def searches(relay, seconds):
    fill(relay, 4_000, "a ab abc and any a").close()
    clients = [relay.client("mallory") for _ in range(32)]

    def search(client):
        client.send(type="search", number=1, query="a " * 16, limit=200)
        client.send(type="search", number=2, query="ab abc", conversation="pair", limit=200)
        time.sleep(0.02)

    attack(clients, seconds, search)
    return clients


def pings(relay, seconds):
    clients = [relay.client("mallory") for _ in range(4)]
    flood = Client.frame(9, bytes(125)) * 500
    attack(clients, seconds, lambda client: client.socket.sendall(flood))
    return clients


def lazy_readers(relay, seconds):
    fill(relay, 4_000, "x" * 1_500).close()
    clients = [relay.client("mallory") for _ in range(60)]
    for client in clients:
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)

    def ask(client):
        client.send(type="sync")
        time.sleep(0.05)

    attack(clients, seconds, ask)
    return clients


def streams(relay, seconds):
    alice = relay.client("alice")
    alice.send(type="send", messages=[message("s1", "answers", ["alice", "bob"], "a question")])
    alice.until(lambda frame: frame["type"] == "receipts")
    for number in range(3):
        alice.send(type="piece", id="answer", conversation="answers", role="assistant", sequence=number,
                   text=f"part {number} ")
    mallory = fill(relay, 500, "own")
    counts = {}

    def flood(client):
        number = counts[client] = counts.get(client, -1) + 1
        client.send(type="piece", id=f"flood{number % 8}", conversation="own", role="assistant", sequence=number // 8,
                    text="" if number % 3 else "x")

    attack([mallory], seconds, flood)
    alice.send(type="piece", id="answer", conversation="answers", role="assistant", sequence=3, text="end")
    late, parts = relay.client("bob"), []
    while "end" not in parts:
        frame = late.read()
        if frame["type"] == "piece" and frame["id"] == "answer":
            parts.append(frame["text"])
    assert parts == ["part 0 ", "part 1 ", "part 2 ", "end"], f"Bob's new device has {parts}"
    return [alice, mallory, late]


def messages(relay, seconds):
    clients = [relay.client("mallory") for _ in range(4)]
    for index, client in enumerate(clients):
        client.send(type="send", messages=[message(f"b{index}-0", f"big{index}", ["mallory"], "first")])
    counts = {}

    def write(client):
        index = clients.index(client)
        number = counts[index] = counts.get(index, 0) + 1
        client.send(type="send", messages=[
            message(f"b{index}-{number}-{part}", f"big{index}", ["mallory"], "y" * 90_000, f"b{index}-0")
            for part in range(8)])
        client.read()

    attack(clients, seconds, write)
    return clients


def uploads(relay, seconds):
    clients = [relay.client("mallory") for _ in range(4)]
    state = {}

    def write(client):
        number, offset = state.get(client, (0, 0))
        name = hashlib.sha256(f"{clients.index(client)} {number}".encode()).hexdigest()
        client.send(type="upload", checksum=name, total=20 << 20, offset=offset,
                    data=base64.b64encode(bytes(48_000)).decode())
        frame = client.until(lambda frame: frame["type"] in ("uploaded", "uploadRefused"))
        state[client] = (number, frame["bytes"]) if frame["type"] == "uploaded" else (number + 1, 0)

    attack(clients, seconds, write)
    return clients


def frames(relay, seconds):
    clients = [relay.client("mallory") for _ in range(8)]
    blank = Client.frame(1, b'{"type":"ping"' + b" " * 1_000_000 + b"}")
    attack(clients, seconds, lambda client: client.socket.sendall(blank))
    return clients


def silent_sockets(relay, seconds):
    sockets = []
    for _ in range(700):
        with contextlib.suppress(OSError):
            one = socket.socket()
            one.settimeout(0.2)
            one.connect(("127.0.0.1", relay.port))
            sockets.append(one)
    newcomer = relay.client("bob")
    newcomer.until(lambda frame: frame["type"] == "welcome")
    newcomer.close()
    for one in sockets:
        one.close()
    return []


def deleted_text(relay, _):
    """What is deleted is in no file a minute later, while the relay runs. A busy machine gets four."""
    client, secret = relay.client("mallory"), "wherethetreasureis"
    client.send(type="send", messages=[message("d1", "own", ["mallory"], secret)])
    client.until(lambda frame: frame["type"] == "receipts")
    assert relay.holds(secret.encode()), "The text is in no file before it is deleted."
    client.send(type="send", messages=[
        message("d2", "own", ["mallory"], "", "d1", operation={"kind": "delete", "target": "d1"})])
    client.until(lambda frame: frame["type"] == "receipts")
    for _ in range(240):
        if not relay.holds(secret.encode()):
            return [client]
        time.sleep(1)
    raise AssertionError("Four minutes after it was deleted, the text is still in a file.")


ATTACKS = [searches, pings, lazy_readers, streams, messages, uploads, frames, silent_sockets, deleted_text]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    names = [name for name in options.only.split(",") if name]
    chosen = [one for one in ATTACKS if not names or one.__name__ in names]
    if len(chosen) < len(set(names)):
        parser.error(f"the attacks are {', '.join(one.__name__ for one in ATTACKS)}")
    print(f"{'attack':18}{'messages':>9}{'slowest':>10}{'memory':>9}{'disk':>9}", flush=True)
    failed = []
    for one in chosen:
        with tempfile.TemporaryDirectory() as folder:
            relay = Relay(folder, descriptors=400 if one is silent_sockets else None)
            problem, slowest, count, clients = None, 0, 0, []
            try:
                talk = Conversation(relay)
                try:
                    clients = one(relay, options.seconds)
                finally:
                    slowest, count = talk.end()
            except (AssertionError, OSError) as error:
                problem = str(error) or type(error).__name__
            memory, disk = relay.memory(), relay.disk()
            for client in clients:
                client.close()
            relay.stop()
        if memory > MEMORY:
            problem = problem or f"the relay held {memory >> 20} MB"
        if disk > 2 * QUOTA:
            problem = problem or f"the folder has {disk >> 20} MB"
        print(f"{one.__name__:18}{count:9}{slowest * 1000:7.0f} ms{memory >> 20:6} MB{disk >> 20:6} MB", flush=True)
        if problem:
            failed.append(one.__name__)
            print(f"  failed: {one.__name__}: {problem}", flush=True)
    print(f"relay: {len(chosen) - len(failed)} cases passed, {len(failed)} failed")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
