"""Runs many bots on Synapse as others run it: on PostgreSQL, with two worker processes behind one address. Workers and bots are killed at random.

    scripts/matrix-scale.sh [--bots 200] [--rooms 50] [--messages 100] [--pause 8] [--kills 30] [--seed N]

Each bot is a `ChatClient` with a store of its own, and sends so many messages. At the end the messages are counted in the server's database, and each bot's
rows are compared with it. The exit code is 1 when one is lost, doubled or out of order.
"""

import argparse
import collections
import getpass
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import matrix_server as server

ROOT = Path(__file__).resolve().parents[1]
LAB = Path(os.environ.get("HOLDFAST_LAB", ROOT / ".build/debug/holdfast-lab"))
# The processes that the bots share.
PROCESSES = 8
# What a worker may answer (https://element-hq.github.io/synapse/latest/workers.html).
WORKERS = "|".join([
    "sync$", "account/whoami$", "login$", "createRoom$", "joined_rooms$", "join/",
    "rooms/[^/]+/(messages|context|event|state|send|redact|join|joined_members|members|relations)", "directory/room/",
])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bots", type=int, default=200)
    parser.add_argument("--rooms", type=int, default=50)
    parser.add_argument("--messages", type=int, default=100, help="of each bot")
    parser.add_argument("--pause", type=float, default=8, help="seconds between two messages of a bot")
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="holdfast-scale-"))
    folder.chmod(0o755)
    stage = Stage(folder, options)
    is_right = False
    try:
        stage.start()
        stage.run()
        is_right = stage.judge()
    finally:
        stage.stop()
        if is_right:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            print(f"The logs are in {folder}.")
    sys.exit(0 if is_right else 1)


class Stage:
    def __init__(self, folder: Path, options):
        self.folder, self.options = folder, options
        self.dice = random.Random(options.seed)
        self.ports = {name: server.free_port() for name in ["main", "replication", "one", "two", "redis", "postgres", "front"]}
        self.processes: dict[str, subprocess.Popen] = {}
        self.late: list[int] = []
        self.done: set[int] = set()
        self.rows: dict[int, list[str]] = {}
        self.problems: list[str] = []
        self.kills = collections.Counter()
        self.lock = threading.Lock()

    # MARK: The server

    def start(self):
        self.start_postgres()
        self.spawn("redis", ["redis-server", "--port", str(self.ports["redis"]), "--save", "", "--bind", "127.0.0.1"])
        self.config = self.write_config()
        self.spawn("main", [sys.executable, "-m", "synapse.app.homeserver", "-c", self.config])
        base = f"http://127.0.0.1:{self.ports['main']}"
        wait(f"{base}/_matrix/client/versions")
        for worker in ["one", "two"]:
            self.start_worker(worker)
        for worker in ["one", "two"]:
            wait(f"http://127.0.0.1:{self.ports[worker]}/health")
        self.start_front()
        print(f"{self.options.bots} accounts are made.", flush=True)
        for bot in range(self.options.bots):
            server.register(base, f"bot{bot}", is_admin=False)

    def start_postgres(self):
        """PostgreSQL with a cluster of its own. It does not run as root."""
        binaries = max(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
        data = self.folder / "postgres"
        data.mkdir()
        as_owner = []
        if getpass.getuser() == "root":
            shutil.chown(data, "postgres")
            as_owner = ["runuser", "-u", "postgres", "--"]
        subprocess.run(
            [*as_owner, binaries / "initdb", "-D", data, "-U", "synapse", "--auth", "trust", "--encoding", "UTF8", "--locale", "C"],
            check=True, stdout=subprocess.DEVNULL)
        self.spawn("postgres", [
            *as_owner, binaries / "postgres", "-D", data, "-p", str(self.ports["postgres"]), "-k", data, "-h", "127.0.0.1"])
        while self.psql("SELECT 1", "postgres", check=False) is None:
            time.sleep(0.1)
        self.psql("CREATE DATABASE synapse", "postgres")

    def psql(self, query: str, database: str = "synapse", check: bool = True) -> str | None:
        process = subprocess.run(
            ["psql", "-h", "127.0.0.1", "-p", str(self.ports["postgres"]), "-U", "synapse", "-d", database, "-qAt", "-c", query],
            capture_output=True, text=True)
        if process.returncode:
            if check:
                raise RuntimeError(process.stderr)
            return None
        return process.stdout

    def write_config(self) -> str:
        path = server.write_config(self.folder, self.ports["main"])
        config = json.loads(path.read_text())
        config["database"] = {"name": "psycopg2", "args": {
            "user": "synapse", "dbname": "synapse", "host": "127.0.0.1", "port": self.ports["postgres"], "cp_min": 3, "cp_max": 10}}
        config["listeners"].append({
            "port": self.ports["replication"], "type": "http", "bind_addresses": ["127.0.0.1"],
            "resources": [{"names": ["replication"]}]})
        config["redis"] = {"enabled": True, "host": "127.0.0.1", "port": self.ports["redis"]}
        config["instance_map"] = {"main": {"host": "127.0.0.1", "port": self.ports["replication"]}}
        config["worker_replication_secret"] = server.SECRET
        path.write_text(json.dumps(config))
        return str(path)

    def start_worker(self, name: str):
        path = self.folder / f"{name}.yaml"
        path.write_text(json.dumps({
            "worker_app": "synapse.app.generic_worker", "worker_name": name,
            "worker_listeners": [{
                "type": "http", "port": self.ports[name], "bind_addresses": ["127.0.0.1"],
                "resources": [{"names": ["client", "health"]}]}],
            "worker_log_config": str(self.folder / "log.json")}))
        self.spawn(name, [sys.executable, "-m", "synapse.app.generic_worker", "-c", self.config, "-c", str(path)])

    def start_front(self):
        """One address. An account's requests go to one worker, and to the other one while that is down."""
        (self.folder / "front").mkdir()
        path = self.folder / "nginx.conf"
        path.write_text(f"""
            daemon off; pid {self.folder}/front/pid; error_log {self.folder}/front/errors; worker_processes 1;
            events {{ worker_connections 8192; }}
            http {{
              access_log {self.folder}/front/requests; client_body_temp_path {self.folder}/front/body; proxy_temp_path {self.folder}/front/proxy;
              fastcgi_temp_path {self.folder}/front/fastcgi; uwsgi_temp_path {self.folder}/front/uwsgi; scgi_temp_path {self.folder}/front/scgi;
              upstream workers {{ hash $http_authorization consistent;
                server 127.0.0.1:{self.ports['one']} fail_timeout=1s; server 127.0.0.1:{self.ports['two']} fail_timeout=1s; }}
              server {{ listen 127.0.0.1:{self.ports['front']}; client_max_body_size 50m; proxy_read_timeout 90s; proxy_next_upstream error;
                location ~ ^/_matrix/client/(r0|v1|v3)/({WORKERS}) {{ proxy_pass http://workers; }}
                location / {{ proxy_pass http://127.0.0.1:{self.ports['main']}; }} }}
            }}
            """)
        self.spawn("front", ["nginx", "-c", str(path)])
        wait(f"http://127.0.0.1:{self.ports['front']}/_matrix/client/versions")

    def spawn(self, name: str, command: list, **more):
        log = open(self.folder / f"{name}.log", "ab")
        self.processes[name] = subprocess.Popen(command, stdin=more.pop("stdin", subprocess.DEVNULL), stdout=more.pop("stdout", log), stderr=log, **more)

    # MARK: The bots

    def start_bots(self, number: int):
        share = -(-self.options.bots // PROCESSES)
        first = number * share
        options = self.options
        name = f"bots-{number}"
        self.spawn(name, [
            LAB, "matrix-bots", "--server", f"127.0.0.1:{self.ports['front']}", "--data", self.folder / "stores",
            "--first", str(first), "--count", str(min(share, options.bots - first)), "--bots", str(options.bots),
            "--rooms", str(options.rooms), "--messages", str(options.messages), "--pause", str(options.pause),
        ], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self.listen, args=(self.processes[name],), daemon=True).start()

    def listen(self, process: subprocess.Popen):
        for line in process.stdout:
            # A process that was killed leaves half a line.
            if not line.endswith("\n"):
                return
            kind, _, rest = line.rstrip("\n").partition(" ")
            with self.lock:
                if kind == "LATE":
                    self.late.append(int(rest))
                elif kind == "DONE":
                    self.done.add(int(rest))
                elif kind == "ROWS":
                    bot, _, ids = rest.partition(" ")
                    self.rows[int(bot)] = ids.split(",") if ids else []
                else:
                    self.problems.append(line)

    def run(self):
        (self.folder / "stores").mkdir()
        started = time.monotonic()
        for name in self.bot_processes():
            self.start_bots(int(name.removeprefix("bots-")))
        expected = self.options.messages * self.options.pause
        gap = expected * 0.9 / max(1, self.options.kills)
        next_kill, told = started + gap, 0
        while len(self.done) < self.options.bots:
            time.sleep(0.5)
            now = time.monotonic()
            if now >= next_kill and self.kills.total() < self.options.kills:
                self.kill_one()
                next_kill = now + gap * self.dice.uniform(0.5, 1.5)
            if now - told > 30:
                told = now
                print(f"{now - started:5.0f} s: {self.sent()} of {self.total()} messages, {self.kills.total()} kills, "
                      f"{len(self.done)} bots are done", flush=True)
            if now - started > expected * 4 + 600:
                self.problems.append("It took too long.")
                break
            self.revive()
        self.seconds = time.monotonic() - started
        self.memory = {name: memory(process.pid) for name, process in self.processes.items() if process.poll() is None}

    def total(self) -> int:
        return self.options.bots * self.options.messages

    def sent(self) -> int:
        return int(self.psql("SELECT count(*) FROM events WHERE type = 'm.room.message'") or 0)

    def kill_one(self):
        """Kills a process, which is started again half a second later."""
        name = self.dice.choice(["one", "two"] if self.dice.random() < 0.4 else self.bot_processes())
        self.kills["worker" if name in ("one", "two") else "bots"] += 1
        self.processes[name].kill()
        self.processes[name].wait()

    def revive(self):
        for name, process in list(self.processes.items()):
            if process.poll() is None:
                continue
            if name in ("one", "two"):
                self.start_worker(name)
            elif name.startswith("bots-"):
                with self.lock:
                    self.done -= self.bots_of(int(name.removeprefix("bots-")))
                self.start_bots(int(name.removeprefix("bots-")))
            else:
                raise RuntimeError(f"{name} has ended with {process.returncode}; see {self.folder}/{name}.log")

    def bot_processes(self) -> list[str]:
        return [f"bots-{number}" for number in range(PROCESSES) if self.bots_of(number)]

    def bots_of(self, number: int) -> set[int]:
        share = -(-self.options.bots // PROCESSES)
        return set(range(number * share, min((number + 1) * share, self.options.bots)))

    # MARK: The outcome

    def record(self) -> dict[int, list[tuple[str, str]]]:
        """The messages of each room in the server's order, with their senders, from its database."""
        rooms = collections.defaultdict(list)
        rows = self.psql("""
            SELECT events.room_id, sender, json::jsonb -> 'content' ->> 'dev.holdfast.id' FROM events JOIN event_json USING (event_id)
            WHERE events.type = 'm.room.message' ORDER BY stream_ordering""")
        for line in rows.splitlines():
            _, sender, id = line.split("|")
            rooms[int(id.split("-")[1]) % self.options.rooms].append((sender, id))
        return rooms

    def judge(self) -> bool:
        record = self.record()
        there = [id for room in record.values() for _, id in room]
        count = collections.Counter(there)
        expected = {f"bot-{bot}-{number}" for bot in range(self.options.bots) for number in range(1, self.options.messages + 1)}
        lost, doubled = len(expected - set(count)), sum(number - 1 for number in count.values())
        reordered = 0
        for room in record.values():
            last = collections.Counter()
            for sender, id in room:
                number = int(id.split("-")[2])
                reordered += number < last[sender]
                last[sender] = max(last[sender], number)
        different = self.compare_rows(record)
        self.print_table(len(there))
        print(f"{len(expected)} sent, {len(there)} on the server: {lost} lost, {doubled} doubled, {reordered} reordered; "
              f"{different} of {self.options.bots} bots show something else")
        for problem in self.problems[:10]:
            print(problem)
        return not (lost or doubled or reordered or different or self.problems)

    def compare_rows(self, record) -> int:
        """Asks each bot for its rows until they are the server's, for a minute."""
        wanted = {room: [id for _, id in messages] for room, messages in record.items()}
        deadline = time.monotonic() + 60
        while True:
            self.rows = {}
            for name in self.bot_processes():
                pipe = self.processes[name].stdin
                pipe.write("rows\n")
                pipe.flush()
            while len(self.rows) < self.options.bots and time.monotonic() < deadline:
                time.sleep(0.2)
            different = [
                bot for bot in range(self.options.bots) if self.rows.get(bot) != wanted.get(bot % self.options.rooms, [])]
            if not different or time.monotonic() > deadline:
                return len(different)
            time.sleep(2)

    def print_table(self, there: int):
        late = sorted(self.late) or [0]
        bots = self.options.bots
        requests = (self.folder / "front/requests").read_text().splitlines()
        syncs = sum("/sync?" in line for line in requests)
        synapse = sum(self.memory.get(name, (0, 0))[0] for name in ["main", "one", "two"])
        mine = [value for name, value in self.memory.items() if name.startswith("bots-")]

        def percentile(part: float) -> str:
            return f"{late[min(len(late) - 1, int(len(late) * part))] / 1000:,.0f} ms"

        print()
        print(f"| {bots} bots, {self.options.rooms} rooms, {self.kills['worker']} kills of workers, {self.kills['bots']} of bots' processes | |")
        print("|---|---|")
        print(f"| messages a second | {there / self.seconds:.1f} |")
        print(f"| from the tap to another bot's row, p50 and p99 | {percentile(0.5)}, {percentile(0.99)} of {len(late)} |")
        print(f"| memory of a bot | {sum(rss for rss, _ in mine) / bots:.1f} MB |")
        print(f"| written to disk by a bot's process, for each of its messages and those that it receives | {sum(written for _, written in mine) * 1000 / max(1, there * bots / self.options.rooms):.1f} KB |")
        print(f"| syncs of a bot, in a minute | {syncs / bots / (self.seconds / 60):.1f} |")
        print(f"| requests for each message, syncs among them | {len(requests) / max(1, there):.1f} |")
        print(f"| memory of Synapse's three processes | {synapse:.0f} MB |")
        print()

    def stop(self):
        for name, process in reversed(self.processes.items()):
            if process.poll() is None:
                process.send_signal(signal.SIGINT if name == "postgres" else signal.SIGKILL)
        for process in self.processes.values():
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()


def memory(pid: int) -> tuple[float, float]:
    """Resident and written megabytes of a process."""
    status = Path(f"/proc/{pid}/status").read_text()
    resident = int(status.split("VmRSS:")[1].split()[0]) / 1024
    written = int(Path(f"/proc/{pid}/io").read_text().split("write_bytes:")[1].split()[0]) / 1e6
    return resident, written


def wait(url: str):
    import urllib.request

    deadline = time.monotonic() + 120
    while True:
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


if __name__ == "__main__":
    main()
