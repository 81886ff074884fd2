"""Drawings of each screen, light and dark, from right to left and in large type. They are drawings of what the views show, made by a
browser: look at them in .artifacts/drawings."""

import contextlib
import subprocess

import pytest
from app import DRAWINGS, ROOT, App, picture
from chromium import capture
from test_stories import wait_for_place

LOOKS = {
    "light": {},
    "dark": {"isDark": True},
    "right-to-left": {"isRightToLeft": True},
    "large": {"isLarge": True},
}


@pytest.fixture
def draw(browser, request):
    """Draws what an app shows, in each look, and checks that nothing of it is cut off at its sides."""

    def draw(app: App, name: str, width: int = 390, looks=tuple(LOOKS)):
        DRAWINGS.mkdir(parents=True, exist_ok=True)
        assert not app.unnamed(), "each control has a name"
        for look in looks:
            html = app.do("draw", looks={**{"isDark": False, "isRightToLeft": False, "isLarge": False}, **LOOKS[look]})
            page = browser.new_page(viewport={"width": width, "height": 790})
            page.set_content(html)
            page.evaluate("for (const one of document.querySelectorAll('.scroll')) one.scrollTop = one.scrollHeight")
            capture(page, DRAWINGS / f"{name}-{look}.png")
            wide = page.evaluate(
                "[...document.querySelectorAll('.text')].filter(one => one.getBoundingClientRect().width > 0 &&"
                " (one.getBoundingClientRect().right > innerWidth + 1 || one.getBoundingClientRect().left < -1))"
                ".map(one => one.textContent)"
            )
            page.close()
            assert not wide, f"{name} in {look} is cut off: {wide}"

    return draw


def conversation(people, relay):
    """Two who talk, an answer with its quote, a reaction, and what waits in a tunnel."""
    alice = people.open("alice", "bob")
    bob = people.open("bob", "alice")
    alice.send("Shall we meet at the harbour at six? I bring the bread and the cheese.")
    bob.see_part("harbour")
    bob.choose("👍", "harbour")
    bob.choose("Reply", "harbour")
    bob.send("Yes! And I bring the wine.")
    alice.see_part("wine")
    bob.send("🎉")
    alice.see("🎉", "👍")
    file = people.folder / "harbour.png"
    file.write_bytes(picture())
    bob.tap("Attach a file")
    bob.do("pick", text=str(file))
    bob.wait(lambda: "harbour.png" in bob.labels(), "the picture in the composer")
    bob.send("This is where I am")
    alice.wait(lambda: "harbour.png" in alice.labels(), "the picture")
    return alice, bob


def test_a_conversation_and_what_waits_in_a_tunnel(people, relay, draw):
    alice, bob = conversation(people, relay)
    draw(alice, "conversation")
    draw(alice, "split", width=1000)
    alice.do("back")
    alice.see("No conversation chosen")
    draw(alice, "list")
    alice.do("select", row="bob")
    alice.wait(lambda: alice.shown.get("isAtEnd") is not None, "timeline")
    relay.stop()
    alice.send("I am in the train, and write this in a tunnel.")
    alice.see("Queued - Will send when online")
    alice.see_part("Reconnecting")
    alice.choose("Reply", "wine")
    alice.type("Which one?")
    draw(alice, "tunnel")
    alice.choose("Info", "in the train")
    alice.wait(lambda: "The server cannot be reached." in alice.shown.get("sheet", []), "why")
    draw(alice, "why")


def test_a_draft_that_was_recovered(people, draw):
    alice = people.open("alice", "bob")
    alice.type("half a thought")
    alice.see("Draft:")
    people.relaunch("alice")
    alice.wait(lambda: alice.shown["rows"], "the chat")
    alice.do("select", row="bob")
    alice.see_part("Recovered draft")
    draw(alice, "draft")


def test_a_search(people, draw):
    alice = people.open("alice", "bob")
    alice.send("The key is under the third stone.")
    alice.do("back")
    alice.see("No conversation chosen")
    alice.type("key", "Search")
    alice.see_part("third stone")
    draw(alice, "search")


def test_an_answer_of_a_model(assistants, model, draw):
    model.reasoning = "A short story is wanted, about the sea."
    model.words = ["The", " sea", " was", " calm", " that", " morning."]
    app = assistants.begin()
    app.send("Tell me a story")
    app.see("The sea was calm that morning.")
    app.miss("Writing...")
    model.held_at = 3
    app.send("And then?")
    app.see("Writing...", "The sea was")
    app.tap("Reasoning") if app.count("Reasoning") == 1 else None
    draw(app, "assistant")
    assistants.relaunch()
    app.see("Interrupted")
    draw(app, "interrupted")
    app.tap(assistants.open_settings)
    app.wait(lambda: app.shown.get("sheet"), "the settings")
    draw(app, "settings")


@pytest.mark.parametrize(
    "language, look, send, queued",
    [("de", "light", "Senden", "Wartet – geht online raus"),
     ("ar", "right-to-left", "إرسال", "في الانتظار – ستُرسل عند الاتصال")],
)
def test_another_language(people, relay, draw, language, look, send, queued):
    """V3, V4: all words of the screen but the app's own."""
    alice = people.phone("alice")
    alice.speak(language)
    alice.start()
    people.fill_in("alice")
    people.begin("alice", "bob")
    relay.stop()
    field = {"de": "Nachricht", "ar": "رسالة"}[language]
    alice.type({"de": "Ich bin im Zug.", "ar": "أنا في القطار."}[language], field)
    alice.tap(send)
    alice.see(queued)
    alice.wait(lambda: any("…" in word for word in alice.words), "the banner")
    own = {"Write to", "New chat", "bob", "9:41", "1 March 2026", "1"}
    english = [word for word in alice.words if word not in own and word.isascii() and language == "ar"]
    assert not english
    draw(alice, f"language-{language}", looks=[look])


# What goes wrong.


def test_refused_credentials(people, draw):
    alice = people.log_in("alice", "another token")
    people.begin("alice", "bob")
    alice.send("Does this go?")
    alice.see("Queued - Will send when signed in", "Signed out - Messages will send when signed in")
    draw(alice, "signed-out")


def test_a_removed_conversation(people, draw):
    alice = people.open("alice", "nobody")
    alice.send("Is anybody there?")
    alice.see("A member of this conversation has no account on the server.")
    draw(alice, "refused")
    alice.do("choose", label="Delete", row="nobody")
    alice.see("“nobody” deleted", "No conversations yet")
    draw(alice, "removed")


def test_messages_that_cannot_be_read(people, draw):
    """V5: a store whose table of messages is damaged never looks like an empty one."""
    alice = people.open("alice", "bob")
    for number in range(30):
        alice.send(f"line {number} " + "x" * 300)
    alice.wait(lambda: not any("Queued" in word or "Sending" in word for word in alice.words), "an empty queue")
    wait_for_place(alice, "alice", "alice-bob")
    alice.kill()
    with contextlib.closing(alice.store("alice")) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        [[size]] = connection.execute("PRAGMA page_size")
        [[last]] = connection.execute("SELECT max(rootpage) FROM sqlite_master")
    with open(alice.home / ".local/share/holdfast/alice/store.sqlite", "r+b") as file:
        content = file.read()
        for page in range(len(content) // size):
            # A leaf of a table (https://sqlite.org/fileformat.html, 1.6). Opening the store makes a table, for which SQLite
            # moves the page behind the last table away, and would find that damaged.
            leaf = content[page * size : (page + 1) * size]
            if leaf[0] == 0x0D and b"x" * 300 in leaf and page + 1 != last + 1:
                file.seek(page * size)
                file.write(b"\xff" * size)
    people.log_in("alice")
    alice.see("The messages could not be read.", "Load again")
    assert "No messages yet" not in alice.words
    draw(alice, "failed-read")


def test_a_device_that_is_locked(people, tmp_path, draw):
    """S6. What tells of the unlocking is Apple's alone."""
    people.open("alice", "bob").send("before")
    alice = people.apps["alice"]
    alice.kill()
    library, flag = tmp_path / "protected_files.so", tmp_path / "locked"
    source = ROOT / "Tests/Preloaded/protected_files.c"
    subprocess.run(["clang", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    flag.touch()
    alice.environment = {
        "LD_PRELOAD": str(library),
        "PROTECTED_FOLDER": str(alice.home / ".local/share/holdfast/alice"),
        "PROTECTED_WHILE": str(flag),
    }
    people.log_in("alice")
    alice.see_part("Unlock this device")
    draw(alice, "locked")


def test_a_disk_that_is_full(people, draw):
    """S4: what was typed stays in the composer, and goes once there is room."""
    space = ["unshare", "--user", "--map-root-user", "--mount"]
    if subprocess.run([*space, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True).returncode:
        pytest.skip("this machine permits no mount namespaces")
    alice = people.phone("alice")
    disk = alice.home / ".local"
    disk.mkdir(parents=True)
    alice.wrapper = [*space, "sh", "-c", f'mount -t tmpfs -o size=4m none "{disk}" && exec "$0"']
    people.open("alice", "bob")
    # The process sees its own disk, and a test sees it through the process.
    fill = f"/proc/{alice.process.pid}/root{disk}/fill"
    with contextlib.suppress(OSError), open(fill, "wb", buffering=0) as file:
        while True:
            file.write(b"\0" * 4096)
    alice.do("paste", label="Message", text="no room for this " * 5_000)
    alice.tap("Send")
    full = "The disk is full. Free some space and try again."
    alice.wait(lambda: alice.count(full) == 2, "why it was not sent, and why the window's place is not kept")
    alice.do("clear", label="Message")
    alice.send("One more thing")
    draw(alice, "full-disk")


def test_messages_that_have_waited_for_days(people, relay, draw):
    """O16"""
    alice = people.open("alice", "bob")
    relay.stop()
    alice.send("see you tonight")
    alice.see("Queued - Will send when online")
    wait_for_place(alice, "alice", "alice-bob")
    alice.kill()
    alice.age("alice", days=3)
    relay.start()
    people.log_in("alice")
    alice.wait(lambda: alice.shown.get("sheet"), "the question")
    draw(alice, "held")
