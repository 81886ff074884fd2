"""The database of a relay, as far as tests write it. The relay does not run meanwhile."""

import contextlib
import sqlite3
from pathlib import Path


def fill(folder: Path, numbers: range, line):
    """Messages behind the only one, as the relay would have stored them. `line` gives the text of each number."""
    [store] = folder.glob("*.sqlite")
    with contextlib.closing(sqlite3.connect(store)) as connection, connection:
        [(conversation, sender, at)] = connection.execute("SELECT conversation, sender, at FROM message")
        for number in numbers:
            message, words = f"line-{number}", line(number).lower().replace(",", "")
            connection.execute(
                'INSERT INTO message (id, conversation, sender, role, body, "order", at) VALUES (?, ?, ?, ?, ?, ?, ?)',
                (message, conversation, sender, "user", line(number), number + 1, at + number),
            )
            connection.execute("INSERT INTO searched (number, message) VALUES (?, ?)", (number + 1, message))
            connection.execute("INSERT INTO messageWords (rowid, words) VALUES (?, ?)", (number + 1, words))
            connection.execute("INSERT INTO event (conversation, message) VALUES (?, ?)", (conversation, message))
        connection.execute("UPDATE conversation SET lastOrder = ? WHERE id = ?", (numbers.stop, conversation))
