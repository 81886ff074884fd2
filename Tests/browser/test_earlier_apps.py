"""What people bring along from the apps that they had before."""

import json
import subprocess
import time
from pathlib import Path

import pytest
from playwright.sync_api import expect

from conftest import free_port
from demo import HOLDFAST, Demo, Phone, Relay
from test_history import bring, listed, put_away

WINTER, SUMMER = 1_704_880_800, 1_720_000_800
# Longer than a message takes that leaves at once.
WHILE = 1_500


def node(name: str, parent: str | None, role: str = "", text: str = "", at: int = 0, **fields) -> dict:
    """A node of a conversation's tree. One without a role has no message."""
    content = {"content_type": "text", "parts": [text]}
    message = {"id": name, "author": {"role": role}, "create_time": at, "content": content, **fields}
    return {"id": name, "parent": parent, "children": [], "message": message if role else None}


def talk(name: str, title: str, at: int, *nodes: dict, leaf: str) -> dict:
    tree = {"mapping": {node["id"]: node for node in nodes}, "current_node": leaf}
    return {"id": name, "conversation_id": name, "title": title, "create_time": at, "update_time": at + 60, **tree}


def conversations() -> list[dict]:
    """An export of ChatGPT, in which a question was asked anew, and an answer was written again."""
    hidden = {"metadata": {"is_visually_hidden_from_conversation": True}}
    bread = talk(
        "bread", "Baking bread", WINTER,
        node("b0", None),
        node("b1", "b0", "system", "", **hidden),
        node("b2", "b1", "user", "How do I bake bred?", WINTER),
        node("b3", "b2", "assistant", "Do you mean bread?", WINTER + 1),
        node("b4", "b1", "user", "How do I bake bread?", WINTER + 20),
        node("b5", "b4", "assistant", "Buy a loaf.", WINTER + 30),
        node("b6", "b4", "assistant", "Flour, water, salt and patience.", WINTER + 40),
        leaf="b6",
    )  # fmt: skip
    tomatoes = talk(
        "tomatoes", "Tomatoes on a balcony", SUMMER,
        node("t0", None),
        node("t1", "t0", "user", "Which tomatoes grow on a balcony?", SUMMER),
        node("t2", "t1", "assistant", "Small ones, in the sun.", SUMMER + 5),
        leaf="t2",
    )  # fmt: skip
    return [bread, tomatoes]


def rows(phone: Phone) -> list[str]:
    """Each conversation of the list, in its order."""
    return phone.region.get_by_role("list").locator(".conversation .name").all_inner_texts()


def test_conversations_of_another_app_come_along_once_and_stay_here(alice, bob, demo, tmp_path):  # U19.1, U19.2
    expect(bob.message).to_be_enabled()
    alice.send("The one message from here")
    bob.expect_messages(["The one message from here"])
    alice.chats.click()
    file, copy = tmp_path / "conversations.json", tmp_path / "conversations (1).json"
    for place in [file, copy]:
        place.write_text(json.dumps(conversations()))
    sheet = bring(alice, file)
    expect(sheet.locator(".sentence")).to_have_text("4 messages and 2 new conversations came in.")
    put_away(alice)
    for again in [file, copy]:
        sheet = bring(alice, again)
        expect(sheet.get_by_role("heading", name="Nothing new")).to_be_visible()
        expect(sheet.locator(".sentence")).to_have_text("4 messages were here already.")
        put_away(alice)

    # They stand by their dates below those from here, and nothing of them is unread or waits.
    assert rows(alice) == ["Bob", "Weekend trip", "Assistant (built in)", "Tomatoes on a balcony", "Baking bread"]
    for title, date in [("Tomatoes on a balcony", "3 Jul 2024"), ("Baking bread", "10 Jan 2024")]:
        expect(listed(alice, title).get_by_role("time")).to_have_text(date)
    expect(alice.region.locator(".badges")).to_have_count(0)

    # The branch that was shown is on the screen.
    listed(alice, "Baking bread").click()
    alice.expect_messages(["How do I bake bread?", "Flour, water, salt and patience."])
    expect(alice.rows.nth(1)).not_to_have_class("mine")
    expect(alice.region.get_by_text("Wednesday, 10 January 2024")).to_be_visible()
    alice.relaunch()
    alice.expect_messages(["How do I bake bread?", "Flour, water, salt and patience."])

    # What is written later leaves, and nothing that was imported does.
    alice.open("Bob")
    alice.send("And one more")
    bob.expect_messages(["The one message from here", "And one more"])
    assert demo.relayed() == ["The one message from here", "And one more"]


@pytest.fixture
def left(browser, tmp_path) -> Path:
    """The export of an app that ended with a failed message, two that waited and half a reply."""
    demo = Demo(tmp_path / "before", free_port())
    demo.start()
    page = browser.new_page()
    page.goto(demo.url)
    alice, bob, relay = Phone(page, "Alice"), Phone(page, "Bob"), Relay(page)
    expect(bob.message).to_be_enabled()
    alice.open("Assistant")
    alice.send("Is anybody there?")
    expect(alice.rows.nth(1)).to_contain_text("You wrote: “Is anybody there?”. I am built into", timeout=90_000)
    alice.relaunch()
    alice.open("Bob")
    alice.send("Arrived before")
    bob.expect_messages(["Arrived before"])
    relay.misbehave("Refuse the next message", "Refuses the next message")
    alice.send("Failed before")
    expect(alice.row("Failed before")).to_contain_text("Failed - Tap to retry")
    alice.go_offline()
    for number in [1, 2]:
        alice.send(f"Waited before, number {number}")
    expect(alice.banner("Offline - 2 messages queued")).to_be_visible()
    page.close()
    file = tmp_path / "history.json"
    # The app may run meanwhile.
    subprocess.run([HOLDFAST, "export", "--store", demo.folder / "alice", "--output", file], check=True)
    demo.stop()
    return file


WAITED = ["Waited before, number 1", "Waited before, number 2"]


def test_what_waited_in_an_export_is_asked_about_and_leaves_once(alice, bob, demo, left):
    # O8.1, O16.1, O16.2, O16.3, U14.2, U19.1, U19.2
    expect(bob.message).to_be_enabled()
    alice.chats.click()
    sheet = bring(alice, left)
    expect(sheet.locator(".sentence")).to_have_text(
        "2 messages came in. 2 messages wait to be sent. 1 message had failed, and can be sent again. "
        "1 reply was cut off, and can be continued or retried."
    )
    sheet.get_by_role("button", name="Done").click()
    expect(alice.dialog).to_contain_text("2 messages have waited for long")
    expect(alice.dialog).to_contain_text("Nothing is sent before you decide.")
    alice.page.wait_for_timeout(WHILE)
    assert demo.relayed() == []
    alice.dialog.get_by_role("button", name="Keep waiting").click()
    expect(alice.dialog).to_have_count(0)

    # The same file under another name asks nothing new, and sends nothing.
    sheet = bring(alice, left.rename(left.with_name("history (1).json")))
    expect(sheet.get_by_role("heading", name="Nothing new")).to_be_visible()
    expect(sheet.locator(".sentence")).to_have_text("6 messages were here already.")
    put_away(alice)
    listed(alice, "Bob").click()
    alice.expect_messages(["Arrived before", "Failed before", *WAITED])
    expect(alice.rows.filter(has_text="Held - Tap to decide")).to_have_count(2)
    alice.tap(WAITED[1])
    alice.dialog.get_by_role("button", name="Send now").click()
    bob.expect_messages(WAITED)

    # What had failed is retried, edited or deleted.
    alice.tap("Failed before")
    for name in ["Retry", "Edit", "Delete"]:
        expect(alice.menu.get_by_role("menuitem", name=name)).to_be_visible()
    expect(alice.region.get_by_text("It had failed before it was imported.")).to_be_visible()
    alice.page.keyboard.press("Escape")
    alice.open("Assistant")
    reply = alice.rows.nth(1)
    expect(reply).to_contain_text("Interrupted")
    expect(reply.locator(".reply-act")).to_have_text(["Continue", "Try again", "Delete"])

    # Once they have left, the file brings nothing and sends nothing either.
    alice.chats.click()
    expect(bring(alice, left.with_name("history (1).json"))).to_contain_text("6 messages were here already.")
    put_away(alice)
    alice.region.get_by_role("list").get_by_role("button", name="Bob").click()
    expect(alice.message).to_be_enabled()
    alice.relaunch()
    alice.page.wait_for_timeout(WHILE)
    assert demo.relayed() == WAITED
    alice.choose("Failed before", "Retry")
    bob.expect_messages([*WAITED, "Failed before"])
    assert demo.relayed() == [*WAITED, "Failed before"]


def queue(*texts: str) -> str:
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return json.dumps(
        [{"id": f"q{n}", "chatID": "old-chat", "text": text, "timestamp": now} for n, text in enumerate(texts)]
    )


def test_a_queue_whose_people_are_not_known_waits_and_says_so(alice, bob, demo, tmp_path):  # H10.2, O8.6, U19.1
    file = tmp_path / "queue.json"
    file.write_text(queue("One for the choir", "Another for the choir"))
    expect(bob.message).to_be_enabled()
    alice.chats.click()
    sheet = bring(alice, file)
    expect(sheet.locator(".sentence")).to_have_text("1 new conversation came in. 2 messages wait to be sent.")
    expect(sheet.get_by_role("list", name="Notes").get_by_role("listitem")).to_have_text(
        ["2 messages wait until it is known who takes part in their conversation."]
    )
    put_away(alice)
    unknown = "It is not known yet who takes part in this conversation."
    row = listed(alice, "One for the choir")
    expect(row).to_contain_text(unknown)
    expect(row.get_by_label("2 not sent")).to_be_visible()
    row.click()
    expect(alice.banner(unknown)).to_be_visible()
    expect(alice.rows.filter(has_text="Queued - Not known yet for whom")).to_have_count(2)
    alice.choose("Another", "Info")
    expect(alice.dialog).to_contain_text(unknown)
    alice.dialog.get_by_role("button", name="Done").click()
    alice.page.wait_for_timeout(WHILE)
    assert demo.relayed() == []
    alice.region.get_by_role("button", name="Try again").click()
    alice.expect_delivered(2)
    expect(alice.banner(unknown)).to_have_count(0)
    assert demo.relayed() == ["One for the choir", "Another for the choir"]


def test_an_entry_that_stays_behind_or_is_read_in_some_way_is_told_in_words(alice, tmp_path):  # H9.4, U19
    expect(alice.message).to_be_enabled()
    alice.chats.click()
    file = tmp_path / "conversations.json"
    damaged = [*conversations(), {"id": "lost", "title": "Lost"}]
    del damaged[0]["mapping"]["b6"]["message"]["content"]
    damaged[1]["mapping"]["t2"]["message"]["create_time"] = "once"
    file.write_text(json.dumps(damaged))
    problems = bring(alice, file).get_by_role("list", name="What could not be imported").get_by_role("listitem")
    expect(problems).to_have_text(
        [
            "Conversation 1, message 7It is not in a form that is known here.",
            "Conversation 2, message 3Its date cannot be read. It shows that of the one before it.",
            "Conversation 3It has no messages in a form that is known here.",
        ]
    )
    put_away(alice)
    file = tmp_path / "messages.json"
    file.write_text(json.dumps(noted()))
    notes = bring(alice, file).get_by_role("list", name="Notes").get_by_role("listitem")
    expect(notes).to_have_text(
        [
            "2 messages have no date, and show that of the one before them or that of the import.",
            "1 date has no time zone, and was read as UTC.",
            "1 date lies before 1990 or in the future, and stays as it is.",
        ]
    )


def noted() -> list[dict]:
    """Messages that are read in full, and in ways that the file does not fully say."""
    undated = [{"role": "user", "content": f"Hello, {name}"} for name in ["you", "world"]]
    dated = [
        {"role": "user", "content": "By which clock?", "timestamp": "2024-03-01T10:00:00"},
        {"role": "assistant", "content": "By an old one.", "timestamp": "1955-03-01T10:00:00Z"},
    ]
    return undated + dated


def test_pictures_of_what_comes_along(alice, bob, left, picture, tmp_path):
    expect(bob.message).to_be_enabled()
    alice.chats.click()
    file = tmp_path / "conversations.json"
    damaged = [*conversations(), {"id": "lost", "title": "Lost"}]
    damaged[1]["mapping"]["t2"]["message"]["create_time"] = "once"
    file.write_text(json.dumps(damaged))
    bring(alice, file)
    picture("50-another-app")
    put_away(alice)
    file.write_text(json.dumps(noted()))
    bring(alice, file)
    picture("51-notes")
    put_away(alice)
    file.write_text(queue("One for the choir", "Another for the choir"))
    bring(alice, file)
    picture("52-queue")
    put_away(alice)
    picture("53-list")
    listed(alice, "One for the choir").click()
    expect(alice.rows).to_have_count(2)
    picture("54-not-known-for-whom")
    alice.chats.click()
    bring(alice, left).get_by_role("button", name="Done")
    picture("55-own-export")
    alice.dialog.get_by_role("button", name="Done").click()
    expect(alice.dialog).to_contain_text("waited for long")
    picture("56-question")
    alice.dialog.get_by_role("button", name="Keep waiting").click()
    listed(alice, "Bob").click()
    expect(alice.rows).to_have_count(4)
    picture("57-held-and-failed")
