#!/usr/bin/env python3
"""Follows the article *Get started* word by word: its files, its commands, in an empty folder.

    scripts/start.py

The package's address is that of this checkout. The time of the download is left out: the dependencies are resolved first. It ends
with a chat that was killed in the middle of an answer, and has its question and the words that had come.
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
ARTICLE = ROOT / "Sources/Holdfast/Holdfast.docc/GetStarted.md"
FOLDER = ROOT / ".build/start"
# What the examples build of the package, the article's package builds too. The link in the folder is for the article's commands;
# SwiftPM is told the place itself, because what it keeps has the path that it was called with.
SHARED = ROOT / ".build/examples/device"
ADDRESS = re.compile(r'\.package\(url: "https://github\.com/holdfast-chat/holdfast", branch: "main"\)')
# How many words are waited for before the kill, and how long at most.
WORDS = 4
PATIENCE = 60


def main():
    article = ARTICLE.read_text()
    manifest, program = blocks(article, "swift")
    make, run, kill, again = blocks(article, "sh")
    (question,) = blocks(article, "text")

    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    shell(make, FOLDER)
    package = FOLDER / "Chat"
    changed, count = ADDRESS.subn(f'.package(name: "holdfast", path: "{ROOT}")', manifest)
    if count != 1:
        sys.exit("The article's package depends on something else than holdfast's main branch.")
    (package / "Package.swift").write_text(changed)
    (package / "Sources/main.swift").write_text(program)
    SHARED.mkdir(parents=True, exist_ok=True)
    (package / ".build").symlink_to(SHARED)
    shell("swift package resolve", package)

    build, start = run.strip().splitlines()
    began = time.monotonic()
    shell(build, package)
    built = time.monotonic() - began

    chat = subprocess.Popen(
        ["bash", "-c", f"exec {start}"], cwd=package, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    chat.stdin.write(question + "\n")
    chat.stdin.flush()
    words = said(chat, WORDS)
    # The article's command ends every process of this name. Here it ends the one that it means.
    if kill.strip() != "pkill -9 -x Chat":
        sys.exit(f"The article kills in another way: {kill}")
    chat.send_signal(signal.SIGKILL)
    chat.wait()

    second = subprocess.run(
        ["bash", "-c", f"exec {again.strip()}"], cwd=package, input="", capture_output=True, text=True, timeout=PATIENCE, check=True)
    lines = second.stdout.strip().splitlines()
    # The last word may be of the last quarter of a second.
    kept = " ".join(words[:-1])
    if len(lines) != 2 or question not in lines[0] or kept not in lines[1] or "nterrupted" not in lines[1]:
        sys.exit(f"The killed chat shows {lines}, and not the question and '{kept}…' as interrupted.")
    print(f"The start article ends with a chat that lost nothing: '{lines[1]}'. Its build took {built:.0f} s.")


def blocks(article, language):
    return [block.rstrip("\n") for block in re.findall(rf"^```{language}\n(.*?)^```$", article, re.MULTILINE | re.DOTALL)]


def shell(command, folder):
    environment = {**os.environ, "SWIFTPM_BUILD_DIR": str(SHARED)}
    done = subprocess.run(
        ["bash", "-c", f"set -e; {command}"], cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{command}\n{done.stdout}{done.stderr}")


def said(chat, count):
    """The first words that the chat says."""
    words = []
    deadline = time.monotonic() + PATIENCE
    while len(words) < count and time.monotonic() < deadline:
        line = chat.stdout.readline()
        if not line:
            sys.exit(f"The chat ended after {words}.")
        words.append(line.strip())
    return words


if __name__ == "__main__":
    main()
