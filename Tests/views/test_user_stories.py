"""The user stories of docs/rules.md with 400 messages, two windows and kills, on both apps. README.md lists the tests of all
stories."""

import contextlib
import json
import time

import pytest
from app import App, stored_place, wait_for_place
from relay_store import fill
from test_stories import texts, wait_for_draft, wait_for_empty_outbox

ALL = 400
# The texts of three languages, by their numbers.
WORDS = {50: "Yarın İSTANBUL'da ışık gösterisi var", 200: "我们周末在北京大学见面", 350: "Look, a seal 🦭!"}


def line(number: int) -> str:
    return f"line {number} ."


LINES = [WORDS.get(number, line(number)) for number in range(ALL)]


def scroll_up(app: App, label: str = "up"):
    """Scrolls by less than a screen, or to the start, and loads what is offered there."""
    if "Earlier messages" in app.labels() and app.shown["isAtStart"]:
        app.tap("Earlier messages")
    app.do("scroll", label=label)


class Reader:
    """Somebody who uses one of the two apps, with two chats and without a message."""

    def __init__(self, app: App, account: str, chats: list[str], launch):
        self.app, self.account, self.chats = app, account, chats
        # Opens the app, and logs in where that is needed.
        self.launch = launch

    def relaunch(self):
        self.app.kill()
        self.launch()

    def bring(self, name: str, content):
        """An import of the command line, while the app does not run."""
        file = self.app.home.parent / name
        file.write_text(json.dumps(content))
        self.app.bring(file, self.account)

    def bring_lines(self):
        """A chat of 400 messages, three of them with words of other languages."""
        self.app.kill()
        messages = [
            {"role": "user", "content": text, "timestamp": 1_700_000_000 + number} for number, text in enumerate(LINES)
        ]
        self.bring("lines.json", {"id": "lines", "title": "Lines", "messages": messages})
        self.launch()
        self.open("Lines")

    def open(self, row: str):
        self.app.wait(lambda: any(row in shown for shown in self.app.shown["rows"]), row)
        self.app.do("select", row=row)
        self.app.wait(lambda: self.app.shown.get("isAtEnd") is not None, "timeline")

    def say(self, text: str):
        self.app.send(text)
        self.app.see(text)
        self.app.wait(lambda: self.app.field() == "", "an empty composer")

    def scroll_up(self, times: int) -> str:
        """Scrolls, and returns the uppermost line."""
        for _ in range(times):
            scroll_up(self.app)
        return next(word for word in self.app.shown["top"] if word in LINES)

    def wait_for_line(self, text: str):
        """The line is stored as a window's place."""
        wait_for_place(self.app, self.account, self.id(text))

    def id(self, text: str) -> str:
        with contextlib.closing(self.app.store(self.account)) as connection:
            [(id,)] = connection.execute("SELECT id FROM message WHERE body = ?", [text]).fetchall()
        return id

    def wait_for_top(self, text: str):
        self.app.wait(lambda: text in self.app.shown["top"], f"{text} at the upper edge")


@pytest.fixture(params=["ChatApp", "AssistantApp"])
def reader(request) -> Reader:
    if request.param == "ChatApp":
        people = request.getfixturevalue("people")
        people.open("alice", "carol")
        people.begin("alice", "bob")
        return Reader(people.apps["alice"], "alice", ["bob", "carol"], lambda: people.log_in("alice"))
    assistants = request.getfixturevalue("assistants")
    app = assistants.begin()
    for title in ("First chat", "Second chat"):
        app.do("choose", label="Rename", row="assistant")
        app.wait(lambda: app.shown.get("sheet"), "the question")
        app.do("paste", label="Rename", text=title)
        app.tap("Done")
        app.wait(lambda title=title: any(title in row for row in app.shown["rows"]), title)
        if title == "First chat":
            assistants.new_chat()
    return Reader(app, "assistant", ["Second chat", "First chat"], app.start)


def test_two_windows_show_their_lines_of_400_messages_after_a_kill(reader):
    """U1, U2, U15: and what was being written."""
    reader.bring_lines()
    app = reader.app
    first = reader.scroll_up(16)
    reader.wait_for_line(first)
    app.do("window", number=2)
    reader.open("Lines")
    second = reader.scroll_up(3)
    assert first != second
    app.do("paste", label="Message", text="half a thought " * 40)
    app.do("cursor", label="Message", number=100)
    reader.wait_for_line(second)
    wait_for_draft(app, reader.account, "half a thought " * 40)
    reader.relaunch()
    reader.wait_for_top(first)
    app.wait(lambda: app.field() == "half a thought " * 40, "the draft")
    app.see("Recovered draft • just now")
    app.do("window", number=2)
    reader.wait_for_top(second)
    app.wait(lambda: app.field() == "half a thought " * 40 and app.cursor() == 100, "the draft and its cursor")


def test_words_of_three_languages_are_found_among_400_messages(reader):
    """U17: a search hit is opened at its message."""
    reader.bring_lines()
    app = reader.app
    for word, number in (("istanbul", 50), ("大学", 200), ("🦭", 350)):
        text = WORDS[number]
        app.do("paste", label="Search", text=word)
        app.wait(lambda text=text: any(text in (label or "") for label in app.labels()), text)
        app.tap(next(label for label in app.labels() if label and text in label))
        app.do("clear", label="Search")
        app.wait(lambda text=text: text in app.words and not app.shown["isAtEnd"], text)


def test_a_history_that_is_imported_twice_is_there_once(reader):
    """U19"""
    reader.bring_lines()
    reader.bring_lines()
    assert len([row for row in reader.app.shown["rows"] if row.startswith("Lines")]) == 1
    with contextlib.closing(reader.app.store(reader.account)) as connection:
        rows = connection.execute("SELECT body, count(*) FROM message GROUP BY body").fetchall()
    assert len(rows) == ALL and {count for _, count in rows} == {1}
    reader.app.see(line(ALL - 1))


def test_each_of_two_chats_keeps_its_text_and_a_sent_one_does_not_come_back(reader):
    """U3, U4, U5: after kills as well."""
    app, (one, other) = reader.app, reader.chats
    reader.open(one)
    app.do("paste", label="Message", text="half of one")
    reader.open(other)
    assert app.field() == ""
    app.do("paste", label="Message", text="half of the other")
    wait_for_draft(app, reader.account, "half of one")
    wait_for_draft(app, reader.account, "half of the other")
    reader.relaunch()
    reader.open(one)
    app.wait(lambda: app.field() == "half of one", "the first draft")
    app.tap("Discard")
    assert app.field() == ""
    app.tap("Undo")
    app.wait(lambda: app.field() == "half of one", "the first draft")
    reader.open(other)
    app.wait(lambda: app.field() == "half of the other", "the other draft")
    app.tap("Send")
    app.wait(lambda: app.field() == "" and "half of the other" in app.words, "its message")
    reader.relaunch()
    reader.open(other)
    app.see("half of the other")
    assert app.field() == ""


def test_a_reply_in_one_window_and_an_edit_in_another_leave_each_other_alone(reader):
    """U20: a kill in the middle of both loses nothing."""
    app = reader.app
    reader.open(reader.chats[0])
    reader.say("Dinner at eight?")
    reader.say("Who brings the wine?")
    app.wait(lambda: sum("Edit" in menu and "Reply" in menu for menu in app.shown["menus"]) == 2, "both were sent")
    app.choose("Reply", "wine")
    app.do("paste", label="Message", text="I do, a bottle of red")
    reader_of_edit(app, reader)
    app.do("paste", label="Message", text="Dinner at nine?")
    app.do("window", number=1)
    assert app.field() == "I do, a bottle of red"
    wait_for_draft(app, reader.account, "Dinner at nine?")
    wait_for_draft(app, reader.account, "I do, a bottle of red")
    reader.relaunch()
    reader.open(reader.chats[0])
    app.wait(lambda: app.field() == "I do, a bottle of red" and "Reply" in app.words, "the reply")
    app.tap("Continue")
    app.wait(lambda: app.field() == "Dinner at nine?", "the edit")
    app.tap("Send")
    app.see("Dinner at nine?", "Edited")
    app.wait(lambda: app.field() == "I do, a bottle of red" and "Reply" in app.words, "the reply again")
    app.tap("Send")
    app.wait(lambda: app.field() == "" and "I do, a bottle of red" in app.words, "its message")


def reader_of_edit(app: App, reader: Reader):
    """The second window, with the first message in its composer."""
    app.do("window", number=2)
    reader.open(reader.chats[0])
    app.choose("Edit", "Dinner")
    app.wait(lambda: app.field() == "Dinner at eight?", "the edit")


def test_a_chat_that_the_other_window_deletes_is_told(reader):
    """U16: at once, and after a kill."""
    app, (one, other) = reader.app, reader.chats
    reader.open(one)
    app.do("window", number=2)
    reader.open(other)
    app.do("swipe", label="Delete", row=one)
    app.see(f"“{one}” deleted")
    app.do("window", number=1)
    app.see("Conversation not found", "No conversation chosen")
    app.tap("Done")
    app.miss("Conversation not found")
    app.tap("Undo")
    app.wait(lambda: any(one in row for row in app.shown["rows"]), "the chat")
    reader.open(one)
    wait_for_place(app, reader.account, app.shown["activity"]["userInfo"]["conversation"])
    app.do("window", number=2)
    app.do("swipe", label="Delete", row=one)
    app.see(f"“{one}” deleted")
    reader.relaunch()
    app.see("Conversation not found", "No conversation chosen")


def test_one_chat_is_deleted_and_undone_and_all_are_gone_for_good(reader):
    """U18"""
    app, (one, _) = reader.app, reader.chats
    reader.open(one)
    reader.say("keepsake")
    app.do("choose", label="Delete", row=one)
    app.see(f"“{one}” deleted")
    app.tap("Undo")
    app.wait(lambda: any(one in row for row in app.shown["rows"]), "the chat")
    app.tap("Delete all conversations")
    app.wait(lambda: app.shown.get("sheet"), "the question")
    assert app.shown["sheet"][0] == "Delete all 2 conversations?"
    app.tap("Delete")
    app.see("No conversations yet")
    reader.relaunch()
    app.see("No conversations yet")
    deadline = time.monotonic() + 20
    with contextlib.closing(app.store(reader.account)) as connection:
        while connection.execute("SELECT count(*) FROM message").fetchone() != (0,):
            assert time.monotonic() < deadline, "messages are still there"
            time.sleep(0.05)


# What needs a server.


def fill_relay(people, relay):
    """The relay has 400 messages of alice and bob. Alice's phone does not run, and has the first one alone."""
    alice = people.open("alice", "bob")
    alice.send(line(0))
    wait_for_empty_outbox(alice, "alice")
    alice.kill()
    relay.stop()
    fill(relay.folder, range(1, ALL), line)
    relay.start()


def test_older_messages_of_400_come_from_the_server_and_offline_it_says_so(people, relay):
    """U23: a new phone has the newest messages alone. What it has read is there after a kill, in the tunnel."""
    fill_relay(people, relay)
    phone = people.phone("alice's new phone")
    phone.start()
    people.fill_in("alice's new phone", account="alice")
    phone.wait(lambda: any("bob" in row for row in phone.shown["rows"]), "the chat")
    phone.do("select", row="bob")
    phone.see(line(ALL - 1))
    wait_for_place(phone, "alice", "alice-bob")
    relay.stop()
    read_up_to(phone, lambda: "More messages load when you are online" in phone.words)
    assert line(0) not in phone.words
    relay.start()
    read_up_to(phone, lambda: line(0) in phone.words)
    relay.stop()
    phone.relaunch()
    people.fill_in("alice's new phone", account="alice")
    phone.wait(lambda: phone.shown.get("isAtEnd") is not None, "timeline")
    read_up_to(phone, lambda: line(0) in phone.words)


def read_up_to(app: App, condition):
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, app.shown
        scroll_up(app, "start")


def test_in_a_tunnel_400_messages_are_read_and_three_are_written(people, relay):
    """U6, U7, U8: each is there at once with its state, and a kill in the tunnel loses none."""
    fill_relay(people, relay)
    alice = people.log_in("alice")
    alice.wait(lambda: any(line(ALL - 1) in row for row in alice.shown["rows"]), "the newest line")
    alice.do("select", row="bob")
    alice.see(line(ALL - 1))
    wait_for_place(alice, "alice", "alice-bob")
    relay.stop()
    alice.see_part("Reconnecting")
    for _ in range(5):
        scroll_up(alice)
    alice.wait(lambda: not alice.shown["isAtEnd"], "earlier lines")
    wanted = ["first", "second", "third"]
    for count, text in enumerate(wanted, 1):
        alice.send(text)
        alice.wait(lambda text=text: texts(alice, text) == [text], f"{text} at once")
        alice.wait(lambda count=count: alice.count("Queued - Will send when online") == count, "its state")
    alice.wait(lambda: any(row.endswith(" 3") for row in alice.shown["rows"]), "how many wait")
    people.relaunch("alice")
    alice.wait(lambda: texts(alice, *wanted) == wanted, "the three")
    alice.see_part("Reconnecting")
    relay.start()
    alice.see("Connected")
    bob = people.log_in("bob")
    bob.wait(lambda: any("third" in row for row in bob.shown["rows"]), "the chat")
    bob.do("select", row="alice")
    bob.wait(lambda: texts(bob, *wanted) == wanted, "the three, in order and once")
    alice.wait(lambda: not any("Queued" in word for word in alice.words), "an empty queue")


def test_two_windows_send_while_app_and_relay_are_killed(people, relay):
    """U11: nothing is lost or doubled in either chat."""
    alice = people.open("alice", "bob")
    bob, carol = people.open("bob", "alice"), people.open("carol", "alice")
    wait_for_place(alice, "alice", "alice-bob")
    alice.do("window", number=2)
    people.begin("alice", "carol")
    wait_for_place(alice, "alice", "alice-carol")
    to_bob, to_carol = [f"to bob {number}" for number in range(8)], [f"to carol {number}" for number in range(8)]
    for number in range(8):
        for window, text in ((1, to_bob[number]), (2, to_carol[number])):
            alice.do("window", number=window)
            alice.wait(lambda: "Message" in alice.labels(), "the composer")
            alice.send(text)
        if number in (2, 5):
            people.relaunch("alice")
        if number == 3:
            relay.stop()
            relay.start()
    bob.wait(lambda: texts(bob, *to_bob) == to_bob, "each message, once and in order")
    carol.wait(lambda: texts(carol, *to_carol) == to_carol, "each message, once and in order")


def test_a_failed_message_is_edited_or_deleted(people, relay):
    """U10"""
    alice = people.open("alice", "bob")
    bob = people.open("bob", "alice")
    wait_for_place(alice, "alice", "alice-bob")
    relay.stop()
    alice.send("to be changed")
    alice.send("to be deleted")
    alice.wait(lambda: alice.count("Queued - Will send when online") == 2, "two that wait")
    alice.kill()
    with contextlib.closing(alice.store("alice")) as connection:
        connection.execute("UPDATE outbox SET parkedCode = 'rejected', parkedExplanation = 'The server said no.'")
    relay.start()
    people.log_in("alice")
    alice.wait(lambda: alice.count("The server said no.") == 2, "two that failed, and why")
    alice.choose("Delete", "to be deleted")
    alice.wait(lambda: not texts(alice, "to be deleted"), "no second message")
    alice.choose("Edit", "to be changed")
    alice.wait(lambda: alice.field() == "to be changed", "its text in the composer")
    alice.do("paste", label="Message", text="changed")
    alice.tap("Send")
    bob.wait(lambda: texts(bob, "to be changed", "changed", "to be deleted") == ["changed"], "the changed one alone")


def wait_for_two_places(app: App, part: str):
    deadline = time.monotonic() + 20
    while stored_place(app, "alice").count(f'"conversation":"{part}"') < 2:
        assert time.monotonic() < deadline, stored_place(app, "alice")
        time.sleep(0.05)


def test_old_messages_are_asked_about_in_each_window_and_answered_once(people, relay):
    """U12"""
    alice = people.open("alice", "bob")
    wait_for_place(alice, "alice", "alice-bob")
    relay.stop()
    alice.send("see you tonight")
    alice.see("Queued - Will send when online")
    alice.do("window", number=2)
    alice.wait(lambda: alice.shown["rows"], "the chat")
    alice.do("select", row="bob")
    wait_for_two_places(alice, "alice-bob")
    alice.kill()
    alice.age("alice", days=3)
    relay.start()
    people.log_in("alice")
    alice.wait(lambda: alice.shown.get("sheet"), "the question")
    alice.do("window", number=2)
    alice.wait(lambda: alice.shown.get("sheet"), "the question")
    alice.tap("Send now")
    alice.wait(lambda: not alice.shown.get("sheet"), "no question")
    wait_for_empty_outbox(alice, "alice")
    alice.do("window", number=1)
    alice.wait(lambda: not alice.shown.get("sheet"), "no question")
    assert texts(alice, "see you tonight") == ["see you tonight"]


def test_what_was_read_on_the_other_phone_is_no_longer_unread(people):
    """U24: two phones of one account."""
    bob = people.open("bob", "alice")
    alice = people.log_in("alice")
    phone = people.phone("alice's other phone")
    phone.start()
    people.fill_in("alice's other phone", account="alice")
    bob.send("one")
    bob.send("two")
    for one in (alice, phone):
        one.wait(lambda one=one: any(row.endswith(" 2") for row in one.shown["rows"]), "two that are unread")
    alice.do("select", row="bob")
    phone.wait(lambda: phone.shown["rows"] and not phone.shown["rows"][0].endswith(" 2"), "none that is unread")


def test_a_queue_that_is_imported_twice_goes_out_once(people):
    """U19"""
    alice = people.open("alice", "bob")
    bob = people.open("bob", "alice")
    wait_for_place(alice, "alice", "alice-bob")
    alice.kill()
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    wanted = [f"Waited elsewhere, number {number}" for number in range(3)]
    queue = [
        {"id": f"q{number}", "chatID": "alice-bob", "text": text, "timestamp": now, "retryCount": 2}
        for number, text in enumerate(wanted)
    ]
    file = people.folder / "queue.json"
    file.write_text(json.dumps(queue))
    alice.bring(file, "alice")
    alice.bring(file, "alice")
    people.log_in("alice")
    bob.wait(lambda: texts(bob, *wanted) == wanted, "each, once and in order")
    wait_for_empty_outbox(alice, "alice")
    alice.kill()
    alice.bring(file, "alice")
    people.log_in("alice")
    alice.wait(lambda: "Message" in alice.labels(), "the chat")
    alice.send("And one from here")
    bob.see("And one from here")
    assert texts(bob, *wanted) == wanted


def test_a_reader_stays_at_a_line_when_the_other_window_sends(reader):
    """U15: "Newest messages" is offered instead."""
    reader.bring_lines()
    app = reader.app
    app.do("window", number=2)
    reader.open("Lines")
    top = reader.scroll_up(3)
    app.do("window", number=1)
    reader.say("and another")
    app.do("window", number=2)
    app.wait(lambda: "Newest messages" in app.labels(), "the button")
    assert top in app.shown["top"]
