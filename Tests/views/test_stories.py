"""What a person lives through in examples/ChatApp: the app, the relay and the store are the real ones, and so is kill -9."""

import contextlib
import json
import time
from pathlib import Path

import pytest
from app import App, Refused, picture, wait_for_place


def wait_for_draft(app: App, account: str, text: str):
    deadline = time.monotonic() + 20
    with contextlib.closing(app.store(account)) as connection:
        while not connection.execute("SELECT count(*) FROM draft WHERE content = ?", [text]).fetchone()[0]:
            assert time.monotonic() < deadline, "the draft was not stored"
            time.sleep(0.05)


def wait_for_empty_outbox(app: App, account: str):
    deadline = time.monotonic() + 20
    with contextlib.closing(app.store(account)) as connection:
        while connection.execute("SELECT count(*) FROM outbox").fetchone()[0] > 0:
            assert time.monotonic() < deadline, "the message was not delivered"
            time.sleep(0.05)


def texts(app: App, *wanted: str) -> list[str]:
    """Which of these are shown in the timeline, in its order. The list's excerpts come first, and are left out."""
    timeline = app.words[app.words.index("1 March 2026"):] if "1 March 2026" in app.words else []
    return [word for word in timeline if word in wanted]


def test_each_chat_keeps_its_own_draft(people):
    """U1, U5: what I was writing is there when I return."""
    alice = people.open("alice", "bob")
    alice.type("for bob, half")
    people.begin("alice", "carol")
    assert alice.field() == ""
    alice.type("for carol")
    alice.do("select", row="bob")
    alice.wait(lambda: alice.field() == "for bob, half", "bob's draft")
    alice.type(" and more")
    alice.do("select", row="carol")
    alice.wait(lambda: alice.field() == "for carol", "carol's draft")
    alice.do("select", row="bob")
    alice.wait(lambda: alice.field() == "for bob, half and more", "bob's draft")


def test_a_draft_is_there_after_the_app_was_killed(people):
    """U2, U4: with a quiet line, which discards it and brings it back."""
    alice = people.open("alice", "bob")
    wait_for_place(alice, "alice", "alice-bob")
    alice.type("half a thou")
    alice.see("Draft:")
    people.relaunch("alice")
    alice.see("Recovered draft • just now")
    assert alice.field() == "half a thou"
    alice.tap("Discard")
    alice.see("Draft discarded")
    assert alice.field() == ""
    alice.tap("Undo")
    alice.wait(lambda: alice.field() == "half a thou", "the draft")


def test_the_cursor_comes_back_with_the_draft_and_goes_with_the_text(people):
    """U1, D9: a field whose selection belongs to another text ends its app."""
    alice = people.open("alice", "bob")
    wait_for_place(alice, "alice", "alice-bob")
    alice.do("focus", label="Message")
    alice.type("half 👩‍👩‍👧 a thought")
    alice.do("cursor", label="Message", number=6)
    alice.see("Draft:")
    people.relaunch("alice")
    alice.wait(lambda: alice.field() == "half 👩‍👩‍👧 a thought", "the draft")
    assert alice.cursor() == 6
    alice.tap("Send")
    assert (alice.field(), alice.cursor()) == ("", None)
    alice.type("next")
    assert alice.cursor() == 4
    people.begin("alice", "carol")
    assert (alice.field(), alice.cursor()) == ("", None)
    alice.do("select", row="bob")
    alice.wait(lambda: alice.field() == "next", "the other draft")


def test_return_sends_on_a_hardware_keyboard_and_shift_return_is_a_new_line(people):
    alice = people.open("alice", "bob")
    alice.type("one")
    alice.do("return", label="Message", text="shift")
    alice.type("two")
    assert alice.field() == "one\ntwo"
    alice.do("return", label="Message")
    alice.wait(lambda: texts(alice, "one\ntwo") == ["one\ntwo"], "its message")
    assert alice.field() == ""


def test_two_windows_write_one_draft(people):
    """D13"""
    alice = people.open("alice", "bob")
    alice.do("focus", label="Message")
    alice.type("typed here")
    alice.do("window", number=2)
    alice.wait(lambda: alice.shown["rows"], "the chat")
    alice.do("select", row="bob")
    alice.wait(lambda: alice.shown.get("isAtEnd") is not None and alice.field() == "typed here", "the same draft")
    alice.type(" and there")
    alice.do("window", number=1)
    alice.wait(lambda: alice.field() == "typed here and there", "both windows have one draft")


def test_a_sent_text_does_not_come_back_to_the_composer(people):
    """U3, U6"""
    alice = people.open("alice", "bob")
    wait_for_place(alice, "alice", "alice-bob")
    alice.send("hello bob")
    alice.wait(lambda: texts(alice, "hello bob") == ["hello bob"], "it is there")
    assert alice.field() == ""
    people.relaunch("alice")
    alice.see("1 March 2026")
    assert texts(alice, "hello bob") == ["hello bob"]
    assert alice.field() == ""


def test_what_is_written_in_a_tunnel_goes_by_itself(people, relay):
    """U7, U8, U9: three wait, one is cancelled, one is edited, one says why. Then the others go, in order, once."""
    alice = people.open("alice", "bob")
    bob = people.open("bob", "alice")
    alice.send("before")
    bob.see("before")
    relay.stop()
    for text in ("first", "second", "thrid"):
        alice.send(text)
    alice.see_part("Reconnecting")
    alice.wait(lambda: alice.count("Queued - Will send when online") == 3, "three that wait")
    alice.tap("alice, second, Queued - Will send when online")
    assert alice.shown["sheet"] == ["Info", "Edit", "Cancel"]
    alice.tap("Info")
    alice.wait(lambda: alice.shown.get("sheet") == ["The server cannot be reached.", "Done"], "why")
    alice.tap("Done")
    alice.wait(lambda: not alice.shown.get("sheet"), "the timeline")
    alice.tap("alice, second, Queued - Will send when online")
    alice.tap("Cancel")
    alice.wait(lambda: not texts(alice, "second"), "no second")
    alice.choose("Edit", "thrid")
    alice.wait(lambda: alice.field() == "thrid", "its text in the composer")
    alice.do("clear", label="Message")
    alice.type("third")
    alice.tap("Send")
    relay.start()
    bob.wait(lambda: texts(bob, "first", "second", "thrid", "third") == ["first", "third"], "both, in order")
    alice.wait(lambda: not any("Queued" in word for word in alice.words), "an empty queue")
    alice.see("Connected")


def test_a_failed_message_says_why_and_holds_up_no_other(people, relay):
    """U10"""
    alice = people.open("alice", "bob")
    wait_for_place(alice, "alice", "alice-bob")
    bob = people.open("bob", "alice")
    relay.stop()
    alice.send("refused")
    alice.wait(lambda: alice.count("Queued - Will send when online") == 1, "one that waits")
    alice.kill()
    with contextlib.closing(alice.store("alice")) as connection:
        connection.execute("UPDATE outbox SET parkedCode = 'rejected', parkedExplanation = 'The server said no.'")
    relay.start()
    people.log_in("alice")
    alice.see("The server said no.", "Failed - Tap to retry")
    assert ["Retry", "Edit", "Delete"] in alice.shown["menus"]
    alice.send("behind it")
    bob.see("behind it")
    assert not texts(bob, "refused")
    alice.tap("alice, refused, Failed - Tap to retry")
    alice.tap("Retry")
    bob.wait(lambda: texts(bob, "refused", "behind it") == ["behind it", "refused"], "both")
    alice.miss("The server said no.")


def test_nothing_is_lost_or_doubled_when_all_are_killed_while_messages_go_out(people, relay):
    """U11"""
    alice = people.open("alice", "bob")
    wait_for_place(alice, "alice", "alice-bob")
    bob = people.open("bob", "alice")
    wanted = [f"message {number}" for number in range(30)]
    for number, text in enumerate(wanted):
        alice.send(text)
        if number in (8, 20):
            people.relaunch("alice")
            alice.wait(lambda: alice.shown.get("isAtEnd") is not None, "timeline")
        if number == 14:
            relay.stop()
            relay.start()
    bob.wait(lambda: texts(bob, *wanted) == wanted, "each message, once and in order")
    alice.wait(lambda: texts(alice, *wanted) == wanted, "each message")
    alice.wait(lambda: not any("Queued" in word or "Sending" in word for word in alice.words), "an empty queue")


@pytest.mark.parametrize("answer", ["Send now", "Back to the composer"])
def test_messages_of_three_days_ago_are_asked_about(people, relay, answer):
    """U12"""
    alice = people.open("alice", "bob")
    wait_for_place(alice, "alice", "alice-bob")
    bob = people.open("bob", "alice")
    relay.stop()
    alice.send("see you tonight")
    alice.see("Queued - Will send when online")
    alice.kill()
    alice.age("alice", days=3)
    relay.start()
    people.log_in("alice")
    alice.wait(lambda: alice.shown.get("sheet"), "the question")
    alice.tap(answer)
    alice.wait(lambda: not alice.shown.get("sheet"), "no question")
    if answer == "Send now":
        bob.see("see you tonight")
    else:
        alice.wait(lambda: alice.field() == "see you tonight", "the text in the composer")
        assert not texts(bob, "see you tonight")


def test_i_come_back_to_the_line_that_i_read(people):
    """U15"""
    alice = people.open("alice", "bob")
    bob = people.open("bob", "alice")
    for number in range(40):
        bob.send(f"line {number}")
    alice.see("line 39")
    alice.wait(lambda: alice.shown["isAtEnd"], "the newest line")
    alice.do("scroll", label="up")
    alice.do("scroll", label="up")
    alice.wait(lambda: not alice.shown["isAtEnd"], "an earlier line")
    top = alice.shown["top"]
    bob.send("line 40")
    alice.see("Newest messages")
    assert alice.shown["top"] == top, "what I read stays"
    wait_for_place(alice, "alice", '"anchor"')
    people.relaunch("alice")
    alice.wait(lambda: alice.shown.get("top") == top, f"the line {top}")
    bob.send("line 41")
    alice.see("Newest messages")
    alice.tap("Newest messages")
    alice.wait(lambda: alice.shown["isAtEnd"] and "Newest messages" not in alice.words, "the newest line")


def test_an_edit_that_a_kill_interrupted_is_continued_or_dropped(people):
    """D1"""
    alice = people.open("alice", "bob")
    wait_for_place(alice, "alice", "alice-bob")
    alice.send("eight o'clock")
    alice.send("at the harbour")
    wait_for_empty_outbox(alice, "alice")
    alice.wait(lambda: ["👍", "❤️", "😂", "Reply", "Edit", "Delete for everybody"] in alice.shown["menus"], "both arrived")
    alice.choose("Edit", "eight")
    alice.type(" sharp")
    wait_for_draft(alice, "alice", "eight o'clock sharp")
    people.relaunch("alice")
    alice.see("Unfinished edit", "eight o'clock")
    assert alice.field() == ""
    alice.tap("Continue")
    alice.wait(lambda: alice.field() == "eight o'clock sharp", "the edit")
    people.relaunch("alice")
    alice.see("Unfinished edit")
    alice.tap("Discard")
    alice.miss("Unfinished edit")
    alice.choose("Edit", "harbour")
    alice.wait(lambda: alice.field() == "at the harbour", "another edit")
    alice.do("clear", label="Message")
    alice.type("at the beach")
    alice.tap("Send")
    alice.see("at the beach", "Edited")
    assert texts(alice, "eight o'clock") == ["eight o'clock"]


def test_an_earlier_text_comes_back(people):
    """D18"""
    alice = people.open("alice", "bob")
    long = "A long text that took a while to write, about the harbour, the bread and the cheese."
    alice.do("paste", label="Message", text=long)
    alice.see("Draft:")
    people.relaunch("alice")
    alice.wait(lambda: alice.shown["rows"], "the chat")
    alice.do("select", row="bob")
    alice.wait(lambda: alice.field() == long, "the draft")
    alice.do("clear", label="Message")
    alice.type("no")
    alice.wait(lambda: "Earlier texts" in alice.labels(), "the button")
    alice.tap("Earlier texts")
    alice.wait(lambda: long in (alice.shown.get("sheet") or []), "the text")
    alice.tap(f"{long}, 9:41")
    alice.wait(lambda: alice.field() == long, "the text in the composer")


def test_a_refused_chat_is_tried_again(people, relay):
    """O8"""
    alice = people.open("alice", "bob")
    alice.send("before")
    wait_for_empty_outbox(alice, "alice")
    relay.order(type="refuseConversation", conversation="alice-bob")
    alice.send("refused")
    alice.wait(lambda: "Retry" in alice.labels(), "the button")
    relay.order(type="behave")
    alice.tap("Retry")
    wait_for_empty_outbox(alice, "alice")
    alice.wait(lambda: "Retry" not in alice.labels(), "no refusal")


def test_a_store_that_does_not_open_has_a_button_and_a_damaged_one_is_repaired(people):
    """S3, V5"""
    alice = people.open("alice", "bob")
    alice.send("worth saving")
    wait_for_empty_outbox(alice, "alice")
    alice.kill()
    file = alice.home / ".local/share/holdfast/alice/store.sqlite"
    with open(file, "r+b") as store:
        store.seek(100)
        store.write(b"\xff" * 400)
    people.log_in("alice")
    alice.wait(lambda: "Repair" in alice.labels() and "Retry" in alice.labels(), "the buttons")
    alice.tap("Retry")
    alice.wait(lambda: "Repair" in alice.labels(), "the button")
    alice.tap("Repair")
    alice.see("1 message was recovered.")
    alice.wait(lambda: any("bob" in row for row in alice.shown["rows"]), "the chat")
    alice.tap("Done")
    alice.miss("1 message was recovered.")


def test_four_hundred_messages_are_read_in_both_directions(people):
    """U15, U17"""
    alice = people.open("alice", "bob")
    alice.kill()
    lines = [
        {"role": "user", "content": f"line {number} ." + (" key" if number == 150 else ""), "timestamp": 1_700_000_000 + number}
        for number in range(400)
    ]
    (people.folder / "lines.json").write_text(json.dumps({"id": "lines", "title": "Lines", "messages": lines}))
    alice.bring(people.folder / "lines.json", "alice")
    people.log_in("alice")
    alice.type("key", "Search")
    alice.see("alice: line 150 . key")
    alice.tap("Lines, alice: line 150 . key")
    alice.do("clear", label="Search")
    alice.wait(lambda: "line 150 . key" in alice.words and not alice.shown["isAtEnd"], "its place")
    seen = set()
    for _ in range(60):
        seen |= set(alice.words)
        if alice.shown["isAtEnd"] and "line 399 ." in alice.words:
            break
        before = alice.shown["top"]
        alice.do("scroll", label="down")
        alice.wait(lambda: alice.shown["top"] != before or alice.shown["isAtEnd"], "further lines")
    assert {f"line {number} ." for number in range(151, 400)} <= seen
    assert "Newest messages" not in alice.words
    # And back to the first one.
    for _ in range(200):
        if "line 0 ." in alice.words:
            break
        top = alice.shown["top"][-1]
        if "Earlier messages" in alice.labels() and alice.shown["isAtStart"]:
            alice.tap("Earlier messages")
            alice.wait(lambda: alice.shown["top"][-1] == top, "the line that was read")
        alice.do("scroll", label="up")
    assert "line 0 ." in alice.words


def test_i_come_back_to_the_sheet_that_was_open(people, relay):
    """U15"""
    alice = people.open("alice", "bob")
    relay.stop()
    alice.send("waits")
    alice.see("Queued - Will send when online")
    alice.choose("Info", "waits")
    alice.wait(lambda: alice.shown.get("sheet"), "the sheet")
    wait_for_place(alice, "alice", '"info"')
    people.relaunch("alice")
    alice.wait(lambda: alice.shown.get("sheet") == ["The server cannot be reached.", "Done"], "the sheet")
    alice.tap("Done")
    wait_for_place(alice, "alice", '"path":[]')
    alice.wait(lambda: not alice.shown.get("sheet"), "no sheet")


def test_two_windows_are_killed_and_each_comes_back(people):
    """R2, U15: each has its own chat and columns."""
    alice = people.open("alice", "bob")
    alice.send("to bob")
    alice.do("window", number=2)
    alice.see("No conversation chosen")
    people.begin("alice", "carol")
    alice.send("to carol")
    alice.do("columns")
    alice.wait(lambda: not alice.shown["hasList"], "the chat alone")
    alice.do("window", number=1)
    alice.see("to bob")
    assert alice.shown["hasList"] and "to carol" not in texts(alice, "to bob", "to carol")
    wait_for_place(alice, "alice", "alice-bob")
    wait_for_place(alice, "alice", "detailOnly")
    people.relaunch("alice")
    alice.wait(lambda: texts(alice, "to bob", "to carol") == ["to bob"], "the first window's chat")
    alice.do("window", number=2)
    alice.wait(lambda: "to carol" in alice.words and not alice.shown["hasList"], "the second window's chat")
    # The system deletes a window's scene when its user ends the app. The place is there all the same.
    (alice.home / ".scene-1").unlink()
    (alice.home / ".scene-2").unlink()
    people.relaunch("alice")
    alice.wait(lambda: "to carol" in alice.words or "to bob" in alice.words, "the place that was left last")
    alice.do("window", number=2)
    alice.see("No conversation chosen")


def test_a_link_a_notification_and_another_device_open_their_place(people):
    """R7: what is not ours changes nothing, and a chat that does not exist is said."""
    alice = people.open("alice", "bob")
    bob = people.open("bob", "alice")
    for number in range(40):
        bob.send(f"line {number}")
    alice.see("line 39")
    people.begin("alice", "carol")
    alice.see("No messages yet")
    offered = alice.shown["activity"]
    assert (offered["type"], offered["title"]) == ("dev.holdfast.ChatApp.open", "carol")
    assert offered["userInfo"] == {"conversation": "alice-carol", "version": "1"}
    alice.do("open", text="chatapp://open?conversation=alice-bob")
    alice.see("line 38", "line 39")
    alice.do("open", text="otherapp://open?conversation=alice-carol")
    alice.do("open", text="chatapp://open?conversation=alice-bob&conversation=alice-carol")
    alice.see("line 38", "line 39")
    alice.do("continue", text=json.dumps(offered))
    alice.see("No messages yet")
    alice.miss("line 38")
    with contextlib.closing(alice.store("alice")) as connection:
        [(earlier,)] = connection.execute("SELECT id FROM message WHERE body = 'line 5'").fetchall()
    alice.do("notification", text=json.dumps({"conversation": "alice-bob", "id": earlier}))
    alice.wait(lambda: "line 5" in alice.words and not alice.shown["isAtEnd"], "the message of the notification")
    alice.do("open", text="chatapp://open?conversation=nowhere")
    alice.see("Conversation not found")
    # A link that launches the app waits until the chats are there.
    alice.relaunch()
    alice.do("open", text="chatapp://open?conversation=alice-carol")
    people.fill_in("alice")
    alice.see("No messages yet")


def test_what_was_open_and_is_gone_is_told(people, relay):
    """U16: the chat was deleted for everyone while the app was away."""
    alice = people.open("alice", "bob")
    alice.send("on the server")
    wait_for_empty_outbox(alice, "alice")
    wait_for_place(alice, "alice", "alice-bob")
    alice.kill()
    relay.order(type="remove", conversation="alice-bob")
    people.log_in("alice")
    alice.see("Conversation not found", "No conversation chosen")
    alice.tap("Done")
    alice.miss("Conversation not found")


def test_a_chat_is_swiped_away_and_comes_back(people):
    """U18, H5"""
    alice = people.open("alice", "bob")
    alice.send("keep me")
    alice.do("swipe", label="Delete", row="bob")
    alice.see("“bob” deleted", "No conversation chosen")
    alice.tap("Undo")
    alice.wait(lambda: any("keep me" in row for row in alice.shown["rows"]), "the chat")


def test_images_of_a_message_are_tiles_and_an_address_is_opened_after_a_question(people):
    """L6: nothing is fetched unasked."""
    alice = people.open("alice", "bob")
    alice.kill()
    images = ["https://pictures.example/harbour.png", "data:image/png;base64,AAAA"]
    message = {"role": "user", "content": "", "timestamp": 1_700_000_000, "images": images}
    (people.folder / "pictures.json").write_text(json.dumps({"id": "p", "title": "Pictures", "messages": [message]}))
    alice.bring(people.folder / "pictures.json", "alice")
    people.log_in("alice")
    alice.wait(lambda: any("Pictures" in row for row in alice.shown["rows"]), "the chat")
    alice.do("select", row="Pictures")
    alice.see("harbour.png", "image/png")
    with pytest.raises(Refused, match="disabled"):
        alice.tap("Image, image/png")
    alice.tap("Image, harbour.png")
    alice.wait(lambda: images[0] in (alice.shown.get("sheet") or []), "the whole address")
    assert not alice.shown["opened"]
    alice.tap("Open")
    alice.wait(lambda: alice.shown["opened"] == images[:1], "the browser")


def test_a_deleted_chat_comes_back_with_undo(people):
    """U18: nobody is told that what they have deleted is gone."""
    alice = people.open("alice", "bob")
    alice.send("keep me")
    alice.do("choose", label="Delete", row="bob")
    alice.see("“bob” deleted", "No conversation chosen")
    assert "Conversation not found" not in alice.words
    alice.tap("Undo")
    alice.wait(lambda: any("keep me" in row for row in alice.shown["rows"]), "the chat")
    alice.do("select", row="bob")
    alice.wait(lambda: texts(alice, "keep me") == ["keep me"], "its message")


def test_all_is_deleted_after_a_question(people, relay):
    """U18: what was deleted is gone, also after a kill."""
    alice = people.open("alice", "bob")
    alice.send("first")
    people.begin("alice", "carol")
    relay.stop()
    alice.send("never sent")
    alice.see("Queued - Will send when online")
    alice.tap("Delete all conversations")
    alice.wait(lambda: alice.shown.get("sheet"), "the question")
    question = alice.shown["sheet"]
    assert question[0] == "Delete all 2 conversations?", question
    assert "1 message was never sent: nobody else has it." in question[1], question
    alice.tap("Cancel")
    alice.wait(lambda: not alice.shown.get("sheet"), "no question")
    assert len([row for row in alice.shown["rows"] if "bob" in row or "carol" in row]) == 2
    alice.tap("Delete all conversations")
    alice.wait(lambda: alice.shown.get("sheet"), "the question")
    alice.tap("Delete")
    alice.see("No conversations yet")
    people.relaunch("alice")
    alice.see("No conversations yet")


def test_a_chat_is_renamed_where_it_is_listed(people):
    """H18.2"""
    alice = people.open("alice", "bob")
    alice.do("choose", label="Rename", row="bob")
    alice.wait(lambda: alice.shown.get("sheet"), "the question")
    assert alice.shown["sheet"][:2] == ["Rename", "bob"]
    alice.type("Holiday", into="Rename")
    alice.tap("Done")
    alice.wait(lambda: any("Holiday" in row for row in alice.shown["rows"]), "its title")
    people.relaunch("alice")
    alice.wait(lambda: any("Holiday" in row for row in alice.shown["rows"]), "its title")


def test_the_messages_of_a_chat_are_cleared_after_a_question(people):
    alice = people.open("alice", "bob")
    alice.send("to be cleared")
    alice.wait(lambda: texts(alice, "to be cleared") == ["to be cleared"], "its message")
    alice.do("choose", label="Clear the messages", row="bob")
    alice.wait(lambda: alice.shown.get("sheet"), "the question")
    assert alice.shown["sheet"][0] == "Clear the messages?"
    alice.tap("Clear the messages")
    alice.see("Messages of “bob” cleared", "No messages yet")
    alice.tap("Undo")
    alice.wait(lambda: texts(alice, "to be cleared") == ["to be cleared"], "its message")


def test_what_is_unread_is_counted_and_what_was_read_is_told(people):
    """U24"""
    alice = people.open("alice", "bob")
    bob = people.log_in("bob")
    alice.send("one")
    alice.send("two")
    bob.wait(lambda: any(row.endswith(" 2") for row in bob.shown["rows"]), "two that are unread")
    bob.do("select", row="alice")
    bob.wait(lambda: bob.shown["rows"] and not bob.shown["rows"][0].endswith(" 2"), "none that is unread")
    alice.wait(
        lambda: [one["label"] for one in alice.shown["controls"]].count("Read by bob") == 2, "both were read"
    )


def test_a_text_that_is_too_long_stays_with_its_writer(people):
    """V5: what cannot be sent is told, and is not taken away."""
    alice = people.open("alice", "bob")
    long = "long " * 30_000
    alice.do("paste", label="Message", text=long)
    alice.tap("Send")
    alice.see_part("100000 are allowed. Shorten it.")
    assert alice.field() == long


def test_a_message_is_found_and_opened(people):
    """U17 on a screen: a tap on what was found opens its place."""
    alice = people.open("alice", "bob")
    alice.send("where is the key")
    for number in range(60):
        alice.send(f"line {number}")
    alice.type("key", "Search")
    alice.see("bob", "alice: where is the key")
    alice.tap("bob, alice: where is the key")
    alice.do("clear", label="Search")
    alice.wait(lambda: any("where is the key" in word for word in alice.shown["top"]) or not alice.shown["isAtEnd"], "its place")


def test_a_button_that_can_do_nothing_is_disabled(people):
    alice = people.open("alice", "bob")
    with pytest.raises(Refused, match="Send is disabled"):
        alice.tap("Send")
    assert not alice.unnamed()


def test_a_picture_that_is_attached_offline_goes_later_and_the_text_after_it(people, relay, tmp_path):
    """U13"""
    alice = people.open("alice", "bob")
    wait_for_place(alice, "alice", "alice-bob")
    bob = people.open("bob", "alice")
    relay.stop()
    (tmp_path / "harbour.png").write_bytes(picture())
    alice.tap("Attach a file")
    alice.do("pick", text=str(tmp_path / "harbour.png"))
    alice.wait(lambda: "harbour.png" in alice.labels(), "the picture in the composer")
    alice.send("Look at this")
    alice.wait(lambda: texts(alice, "Look at this") == ["Look at this"], "its message")
    alice.send("and come soon")
    people.relaunch("alice")
    alice.see("Look at this", "and come soon")
    relay.start()
    bob.wait(lambda: texts(bob, "Look at this", "and come soon") == ["Look at this", "and come soon"], "both, in order")
    bob.wait(lambda: "harbour.png" in bob.labels(), "the picture")
    alice.wait(lambda: not any("Queued" in word or "pload" in word for word in alice.words), "an empty queue")


def test_a_picture_is_pasted_and_a_file_is_dropped(people, tmp_path):
    """U13: what is pasted or dropped is a copy, and no other copy stays."""
    alice = people.open("alice", "bob")
    with pytest.raises(Refused, match="Paste is disabled"):
        alice.tap("Paste")
    (tmp_path / "harbour.png").write_bytes(picture())
    alice.do("clipboard", text=str(tmp_path / "harbour.png"))
    alice.tap("Paste")
    alice.wait(lambda: "harbour.png" in alice.labels(), "the picture in the composer")
    (tmp_path / "plan.txt").write_text("first, second")
    alice.do("drop", text=str(tmp_path / "plan.txt"))
    alice.see("plan.txt")
    (tmp_path / "plan.txt").unlink()
    alice.send("both")
    bob = people.open("bob", "alice")
    bob.see("both", "plan.txt")
    assert not list(Path(alice.environment["TMPDIR"]).iterdir())
    alice.send("and now only words")
    bob.see("and now only words")
    alice.wait(lambda: not any("Sending" in word or "Queued" in word for word in alice.words), "an empty queue")
    alice.choose("Edit", row="and now only words")
    alice.do("drop", text=str(tmp_path / "harbour.png"))
    alice.see("Edit")
    assert alice.labels().count("harbour.png") == 1, "an edit takes no file"


def test_a_file_that_was_picked_is_taken_out_again(people, tmp_path):
    """D18"""
    alice = people.open("alice", "bob")
    (tmp_path / "plan.txt").write_text("first, second")
    alice.tap("Attach a file")
    alice.do("pick", text=str(tmp_path / "plan.txt"))
    alice.wait(lambda: "Delete" in alice.labels(), "the file in the composer")
    alice.tap("plan.txt")
    alice.wait(lambda: alice.shown.get("sheet") == ["plan.txt"], "the system's viewer")
    alice.do("close")
    alice.tap("Delete")
    alice.miss("plan.txt")
    alice.tap("Attach a file")
    alice.do("pick", text=str(tmp_path / "nothing there"))
    alice.see_part("The file")
