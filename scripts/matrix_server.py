"""Runs Synapse, a Matrix homeserver, on this machine alone: for the suite, for the demo and for tests.

    .build-matrix/bin/python scripts/matrix_server.py FOLDER [--port N] [--user NAME]... [--admin NAME]

Prints 127.0.0.1:PORT once it answers and the accounts exist, each with its name as its password. It ends with its input, so that it ends with
its parent, however that ends. What it keeps is in FOLDER, and a start on the same folder goes on there. `scripts/matrix.sh` installs
it.
"""

import argparse
import hashlib
import hmac
import json
import os
import socket
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

SECRET = "on-this-machine-alone"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--port", type=int, default=0, help="0 chooses a free port")
    parser.add_argument("--user", action="append", default=[], help="an account that exists from the start")
    parser.add_argument("--admin", help="an account that may ask the server anything")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    port = options.port or free_port()
    config = write_config(options.folder, port)
    threading.Thread(target=end_with_input, daemon=True).start()
    threading.Thread(target=announce, args=(port, options.user, options.admin), daemon=True).start()
    from synapse.app import homeserver

    sys.argv = ["synapse", "-c", str(config)]
    homeserver.main()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def write_config(folder: Path, port: int) -> Path:
    # As good as no limit: what is tested is what arrives, and not how soon.
    free = {"per_second": 100_000, "burst_count": 100_000}
    config = {
        "server_name": "localhost",
        "listeners": [{
            "port": port, "type": "http", "bind_addresses": ["127.0.0.1"], "tls": False,
            "resources": [{"names": ["client"], "compress": False}],
        }],
        "database": {"name": "sqlite3", "args": {"database": str(folder / "homeserver.db")}},
        "media_store_path": str(folder / "media"),
        "signing_key_path": str(folder / "signing.key"),
        "pid_file": str(folder / "homeserver.pid"),
        "registration_shared_secret": SECRET,
        "macaroon_secret_key": SECRET,
        "form_secret": SECRET,
        "bcrypt_rounds": 4,
        "trusted_key_servers": [],
        "report_stats": False,
        "presence": {"enabled": False},
        "max_upload_size": "50M",
        "rc_message": free, "rc_registration": free, "rc_admin_redaction": free, "rc_joins_per_room": free,
        "rc_login": {"address": free, "account": free, "failed_attempts": free},
        "rc_joins": {"local": free, "remote": free},
        "rc_invites": {"per_room": free, "per_user": free, "per_issuer": free},
        "rc_media_create": free, "rc_room_creation": free,
        "log_config": str(folder / "log.json"),
    }
    (folder / "log.json").write_text(json.dumps({
        "version": 1, "handlers": {"errors": {"class": "logging.StreamHandler", "stream": "ext://sys.stderr"}},
        "root": {"level": os.environ.get("HOLDFAST_MATRIX_LOG", "ERROR"), "handlers": ["errors"]}, "disable_existing_loggers": False,
    }))
    if not Path(config["signing_key_path"]).exists():
        from signedjson.key import generate_signing_key, write_signing_keys

        with open(config["signing_key_path"], "w") as file:
            write_signing_keys(file, [generate_signing_key("a_1")])
    path = folder / "homeserver.yaml"
    path.write_text(json.dumps(config))
    return path


def end_with_input():
    while os.read(0, 4096):
        pass
    os._exit(0)


def announce(port: int, users: list[str], admin: str | None):
    base = f"http://127.0.0.1:{port}"
    while True:
        try:
            urllib.request.urlopen(f"{base}/_matrix/client/versions", timeout=5).close()
            break
        except OSError:
            time.sleep(0.05)
    try:
        for user in users:
            register(base, user, is_admin=False)
        if admin:
            register(base, admin, is_admin=True)
    except Exception as error:
        os.write(2, f"matrix_server: an account could not be made: {error}\n".encode())
        os._exit(1)
    # Synapse takes `print` for its log.
    os.write(1, f"127.0.0.1:{port}\n".encode())


def register(base: str, user: str, is_admin: bool):
    """Makes an account, unless it exists."""
    url = f"{base}/_synapse/admin/v1/register"
    nonce = json.load(urllib.request.urlopen(url, timeout=60))["nonce"]
    parts = [nonce, user, user, "admin" if is_admin else "notadmin"]
    mac = hmac.new(SECRET.encode(), "\0".join(parts).encode(), hashlib.sha1).hexdigest()
    body = {"nonce": nonce, "username": user, "password": user, "admin": is_admin, "mac": mac}
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    try:
        urllib.request.urlopen(request, timeout=60).close()
    except urllib.error.HTTPError as error:
        if json.load(error).get("errcode") != "M_USER_IN_USE":
            raise


if __name__ == "__main__":
    main()
