"""Old messages: found again, deleted for good, and imported."""

import json
import re
import time
from pathlib import Path

import pytest
from playwright.sync_api import expect

from demo import Phone


def search(phone: Phone):
    return phone.region.get_by_role("searchbox", name="Search messages")


def hits(phone: Phone):
    return phone.region.get_by_role("list", name="Found").get_by_role("button")


# Collects everything that an element says from now on.
SAID = """element => {
  const said = []
  new MutationObserver(() => said.push(element.textContent)).observe(element, { childList: true, characterData: true, subtree: true })
  return said
}"""


def look_for(phone: Phone, word: str, text: str):
    """Types a word, and returns the one message that it finds."""
    search(phone).fill(word)
    expect(hits(phone)).to_have_count(1)
    expect(hits(phone)).to_contain_text(text)
    return hits(phone)


@pytest.mark.walk
def test_a_word_of_a_year_ago_is_found_in_every_language(alice, bob):  # H8.1, H8.3, H8.4, U17.1, U17.2
    turkish, chinese, emoji = "Yarın İSTANBUL'da ışık gösterisi var", "我们周末在北京大学见面", "Look, a seal 🦭!"
    expect(alice.message).to_be_enabled()
    alice.send(turkish)
    bob.expect_messages([turkish])
    bob.send(chinese)
    alice.expect_messages([turkish, chinese])
    alice.send_all([f"Line number {number}" for number in range(160)])
    alice.expect_delivered(100, timeout=90_000)
    alice.open("Weekend trip")
    alice.send(emoji)
    alice.expect_delivered(1)
    alice.let_pass(365)
    expect(alice.row(emoji).get_by_role("mark")).to_have_count(0)
    alice.chats.click()

    # Upper and lower case, the dots of the i, and a part of a text without spaces.
    for word, marked in [("istanbul", ["İSTANBUL"]), ("IŞIK", ["ışık"]), ("yarin göst", ["Yarın", "gösterisi"])]:
        found = look_for(alice, word, "You: ")
        expect(found.get_by_role("mark")).to_have_text(marked)
        expect(found.get_by_role("time")).to_have_text(re.compile(r"\d+ \w+ 20\d\d"))
    found = look_for(alice, "🦭", "Weekend trip")
    expect(found.get_by_role("mark")).to_have_text(["🦭"])
    found = look_for(alice, "大学", "Bob: ")
    expect(found.get_by_role("mark")).to_have_text(["大学"])

    # The conversation opens at the word, far above the rows that are loaded otherwise.
    found.click()
    expect(alice.region.get_by_role("heading", name="Bob")).to_be_visible()
    expect(alice.row(chinese)).to_be_in_viewport(ratio=1)
    expect(alice.row(chinese).get_by_role("mark")).to_have_text(["大学"])
    expect(alice.region.get_by_role("log").get_by_role("mark")).to_have_count(1)
    newest = alice.region.get_by_role("button", name="New messages")
    newest.click()
    expect(alice.row("Line number 159")).to_be_in_viewport()
    expect(newest).to_be_hidden()

    # The hits are there again, and another message of the same conversation can be opened as well.
    alice.chats.click()
    expect(search(alice)).to_have_value("大学")
    look_for(alice, "istanbul", "You: ").click()
    expect(alice.row(turkish)).to_be_in_viewport(ratio=1)
    expect(alice.row(turkish).get_by_role("mark")).to_have_text(["İSTANBUL"])


def test_the_search_by_keyboard_and_what_is_nowhere(alice, bob):  # U17
    expect(alice.message).to_be_enabled()
    alice.send("The lighthouse is open")
    alice.send("Another lighthouse, <b>not</b> a link")
    bob.expect_messages(["The lighthouse", "Another"])
    second = alice.second_window()
    second.chats.click()
    alice.chats.click()
    found = alice.region.locator(".found-words")
    said = alice.page.evaluate_handle(SAID, found.element_handle())
    search(alice).press_sequentially("zeppelin")
    expect(found).to_have_text("Nothing found for “zeppelin”")
    alice.region.get_by_role("button", name="Clear the search").click()
    expect(search(alice)).to_be_focused()
    expect(search(alice)).to_have_value("")
    expect(alice.region.get_by_role("button", name="Weekend trip")).to_be_visible()

    search(alice).press_sequentially("lightho")
    expect(hits(alice)).to_have_count(2)
    expect(found).to_have_text("2 messages")
    # "Nothing found" is not shown before the search has run.
    assert not [words for words in said.json_value() if "Nothing found for “l" in words]
    # The search continues while messages arrive.
    bob.send("No lighthouse here")
    expect(hits(alice)).to_have_count(3)
    search(alice).press("ArrowDown")
    expect(hits(alice).first).to_be_focused()
    alice.page.keyboard.press("ArrowDown")
    expect(hits(alice).nth(1)).to_be_focused()
    opened = hits(alice).nth(1).get_attribute("data-message")
    alice.page.keyboard.press("Enter")
    expect(alice.region.locator(f".row[data-message='{opened}'] mark")).to_have_text(["lighthouse"])
    expect(alice.region.get_by_role("log")).to_be_focused()
    alice.chats.press("Enter")
    expect(hits(alice).nth(1)).to_be_focused()
    alice.page.keyboard.press("Escape")
    expect(search(alice)).to_be_focused()
    expect(hits(alice)).to_have_count(0)
    # Another window has its own search.
    search(alice).fill("nowhere")
    expect(found).to_have_text("Nothing found for “nowhere”")
    expect(search(second)).to_have_value("")
    expect(listed(second, "Weekend trip")).to_be_visible()


def listed(phone: Phone, title: str):
    return phone.region.get_by_role("list").get_by_role("button", name=title)


def delete(phone: Phone, title: str):
    row = phone.region.get_by_role("listitem").filter(has=phone.page.get_by_role("button", name=title))
    row.get_by_role("button", name="Conversation actions").click()
    phone.menu.get_by_role("menuitem", name="Delete").click()


def more(phone: Phone, item: str):
    phone.region.get_by_role("button", name="More", exact=True).click()
    phone.menu.get_by_role("menuitem", name=item).click()


def is_stored(folder: Path, word: str) -> bool:
    """Whether a word is in the bytes of any file of a phone."""
    return any(word.encode() in file.read_bytes() for file in folder.rglob("*") if file.is_file())


def wait_until_erased(folder: Path, *words: str, seconds: float = 20):
    """Waits for the erasing after Undo, which shows only in the files."""
    deadline = time.monotonic() + seconds
    while left := [word for word in words if is_stored(folder, word)]:
        assert time.monotonic() < deadline, f"still in the files: {left}"
        time.sleep(0.2)


def rename(phone: Phone, title: str, new: str):
    row = phone.region.get_by_role("listitem").filter(has=phone.page.get_by_role("button", name=title))
    row.get_by_role("button", name="Conversation actions").click()
    phone.menu.get_by_role("menuitem", name="Rename…").click()
    field = phone.region.get_by_role("dialog", name="Rename").get_by_role("textbox", name="Title")
    expect(field).to_be_focused()
    expect(field).to_have_value(title)
    field.fill(new)
    phone.page.keyboard.press("Enter")


def ask_in_new_chat(phone: Phone, question: str):
    more(phone, "New chat with the assistant")
    expect(phone.message).to_be_enabled()
    phone.send(question)
    expect(phone.rows).to_have_count(2)
    expect(phone.region.get_by_role("button", name="Earlier messages")).to_have_count(0)
    phone.chats.click()


def test_a_chat_with_the_assistant_has_its_question_as_title_and_can_be_renamed(alice):  # H18.1, H18.2, H18.3, L3.1
    alice.chats.click()
    ask_in_new_chat(alice, "Why is the sky blue?")
    ask_in_new_chat(alice, "And the sea? Answer in one line, please, and no more than that.")
    expect(listed(alice, "Why is the sky blue?")).to_be_visible()
    expect(listed(alice, "And the sea? Answer in one line, please,…")).to_be_visible()
    rename(alice, "Why is the sky blue?", "Colours")
    expect(listed(alice, "Colours")).to_be_visible()
    listed(alice, "Colours").click()
    expect(alice.region.get_by_role("heading", name="Colours")).to_be_visible()
    alice.relaunch()
    alice.chats.click()
    expect(listed(alice, "Colours")).to_be_visible()
    # Escape leaves it as it is, and no title brings the question back.
    row = alice.region.get_by_role("listitem").filter(has=alice.page.get_by_role("button", name="Colours"))
    row.get_by_role("button", name="Conversation actions").click()
    alice.menu.get_by_role("menuitem", name="Rename…").click()
    alice.page.keyboard.press("Escape")
    expect(listed(alice, "Colours")).to_be_visible()
    rename(alice, "Colours", "")
    expect(listed(alice, "Why is the sky blue?")).to_be_visible()


@pytest.mark.walk
def test_a_conversation_is_deleted_and_undone_and_all_are_gone_for_good(alice, bob, demo):
    # H5.1, H5.2, H5.3, H5.4, S9.1, S9.2, U18.1, U18.2, U18.3
    folder = demo.folder / "alice"
    expect(alice.message).to_be_enabled()
    alice.send("Quicksilver arrives")
    bob.expect_messages(["Quicksilver arrives"])
    alice.open("Weekend trip")
    alice.send("Marzipan arrives")
    alice.expect_delivered(1)
    alice.go_offline()
    alice.send("Nutmeg waits")
    alice.type("Cinnamon is half written")
    alice.chats.click()
    expect(listed(alice, "Weekend trip")).to_contain_text("Cinnamon")

    # Undo brings back everything: sent messages, waiting messages, and the draft.
    undo = alice.region.get_by_role("button", name="Undo")
    delete(alice, "Weekend trip")
    expect(listed(alice, "Weekend trip")).to_have_count(0)
    expect(alice.region.get_by_text("“Weekend trip” deleted")).to_be_visible()
    expect(undo).to_be_focused()
    undo.press("Enter")
    expect(listed(alice, "Weekend trip")).to_be_focused()
    expect(undo).to_have_count(0)
    expect(alice.region.get_by_label("1 not sent")).to_be_visible()
    listed(alice, "Weekend trip").click()
    alice.expect_messages(["Marzipan arrives", "Nutmeg waits"])
    expect(alice.message).to_have_value("Cinnamon is half written")
    alice.chats.click()

    # Without Undo the conversation is gone, in the files too, and nothing else is.
    delete(alice, "Weekend trip")
    expect(undo).to_be_visible()
    expect(undo).to_have_count(0, timeout=12_000)
    expect(listed(alice, "Bob")).to_be_focused()
    wait_until_erased(folder, "Marzipan", "Nutmeg", "Cinnamon")
    assert is_stored(folder, "Quicksilver")

    # All conversations are deleted only after a question, and Cancel is its default answer.
    listed(alice, "Bob").click()
    alice.send("Saffron waits")
    alice.type("Vanilla is half written")
    alice.chats.click()
    question = alice.region.get_by_role("alertdialog", name="Delete all 2 conversations?")
    more(alice, "Delete all conversations…")
    expect(question).to_contain_text("2 messages will be gone from this device")
    expect(question).to_contain_text("1 message was never sent: nobody else has it")
    expect(question).to_contain_text("1 draft goes too")
    expect(question.get_by_role("button", name="Cancel")).to_be_focused()
    alice.page.keyboard.press("Enter")
    expect(question).to_have_count(0)
    expect(listed(alice, "Bob")).to_be_visible()
    expect(alice.region.get_by_role("button", name="More", exact=True)).to_be_focused()
    more(alice, "Delete all conversations…")
    question.get_by_role("button", name="Delete all").click()
    expect(alice.region.get_by_text("No conversations yet")).to_be_visible()
    expect(undo).to_have_count(0)
    wait_until_erased(folder, "Quicksilver", "Saffron", "Vanilla")

    # They stay deleted: none of their messages is sent, and none comes back from the server.
    alice.airplane.uncheck()
    bob.send("Is anybody there?")
    listed(alice, "Bob").click()
    alice.expect_messages(["Is anybody there?"])
    bob.expect_messages(["Quicksilver arrives", "Is anybody there?"])
    assert not any(is_stored(folder, word) for word in ["Quicksilver", "Saffron", "Vanilla", "Marzipan", "Nutmeg"])


def clear(phone: Phone, title: str):
    row = phone.region.get_by_role("listitem").filter(has=phone.page.get_by_role("button", name=title))
    row.get_by_role("button", name="Conversation actions").click()
    phone.menu.get_by_role("menuitem", name="Clear messages…").click()


def test_a_conversation_is_emptied_behind_a_question_and_stays(alice, bob, demo):  # L7.1, L7.2, L7.3, L7.4
    folder = demo.folder / "alice"
    expect(alice.message).to_be_enabled()
    alice.send("Quicksilver arrives")
    bob.expect_messages(["Quicksilver arrives"])
    alice.expect_delivered(1)
    alice.go_offline()
    alice.send("Nutmeg waits")
    alice.type("Half written")
    alice.chats.click()

    # Cancel is the default answer.
    question = alice.region.get_by_role("alertdialog", name="Clear the messages?")
    clear(alice, "Bob")
    expect(question).to_contain_text("2 messages will be gone from this device")
    expect(question).to_contain_text("1 message was never sent: nobody else has it")
    expect(question).to_contain_text("The conversation stays.")
    expect(question.get_by_role("button", name="Cancel")).to_be_focused()
    alice.page.keyboard.press("Enter")
    expect(question).to_have_count(0)

    # Undo brings the messages back.
    undo = alice.region.get_by_role("button", name="Undo")
    clear(alice, "Bob")
    question.get_by_role("button", name="Clear messages").click()
    expect(alice.region.get_by_text("Messages of “Bob” cleared")).to_be_visible()
    expect(alice.region.get_by_label("1 not sent")).to_have_count(0)
    undo.click()
    expect(alice.region.get_by_label("1 not sent")).to_be_visible()
    listed(alice, "Bob").click()
    alice.expect_messages(["Quicksilver arrives", "Nutmeg waits"])
    alice.chats.click()

    # Without Undo they are gone, in the files too. The conversation is there, with its draft.
    clear(alice, "Bob")
    question.get_by_role("button", name="Clear messages").click()
    expect(undo).to_be_visible()
    expect(undo).to_have_count(0, timeout=12_000)
    wait_until_erased(folder, "Quicksilver", "Nutmeg")
    listed(alice, "Bob").click()
    alice.expect_messages([])
    expect(alice.message).to_have_value("Half written")
    alice.airplane.uncheck()
    bob.send("Is anybody there?")
    alice.expect_messages(["Is anybody there?"])
    bob.expect_messages(["Quicksilver arrives", "Is anybody there?"])


def test_what_is_written_while_the_question_is_read_is_not_deleted_unasked(alice, bob):  # H5.2, U18.2
    alice.send("One of two")
    bob.expect_messages(["One of two"])
    bob.chats.click()
    more(bob, "Delete all conversations…")
    question = bob.region.get_by_role("alertdialog", name="Delete all 3 conversations?")
    expect(question).to_contain_text("1 message will be gone")
    alice.send("Two of two")
    expect(bob.region.get_by_text("Two of two")).to_have_count(1)
    question.get_by_role("button", name="Delete all").click()
    expect(question).to_contain_text("2 messages will be gone")
    question.get_by_role("button", name="Delete all").click()
    expect(bob.region.get_by_text("No conversations yet")).to_be_visible()


def history(count: int, conversation: str = "letters") -> dict:
    """A file of another app, in the format of rule H9."""
    messages = [
        {
            "id": f"letter-{number}",
            "role": "user" if number % 2 == 0 else "assistant",
            "content": f"Letter number {number} from before",
            "timestamp": f"2024-03-01T10:{number // 60 % 60:02}:{number % 60:02}Z",
        }
        for number in range(count)
    ]
    times = {"createdAt": messages[0]["timestamp"], "updatedAt": messages[-1]["timestamp"]}
    return {
        "conversations": [{"id": conversation, "title": "Old letters", **times, "messages": messages}],
        "activeConversationID": conversation,
    }


def bring(phone: Phone, file: Path):
    """Picks a file, and returns the sheet with the report."""
    with phone.page.expect_file_chooser() as chooser:
        more(phone, "Import history…")
    chooser.value.set_files(file)
    done = phone.dialog.get_by_role("button", name="Done")
    expect(done).to_be_focused(timeout=300_000)
    expect(phone.dialog).to_contain_text(file.name)
    return phone.dialog


def put_away(phone: Phone):
    phone.dialog.get_by_role("button", name="Done").click()
    expect(phone.dialog).to_have_count(0)


@pytest.mark.walk
def test_an_old_history_and_an_old_queue_come_along_once(alice, bob, demo, tmp_path):
    # H9.1, H10.2, H10.5, U19.1, U19.2
    old, queue = tmp_path / "history.json", tmp_path / "queue.json"
    old.write_text(json.dumps(history(30)))
    queue.write_text(
        json.dumps(
            [
                {"id": f"q{number}", "chatID": "alice-bob", "text": f"Waited elsewhere, number {number}",
                 "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "retryCount": 2}
                for number in range(3)
            ]
        )
    )  # fmt: skip
    expect(alice.message).to_be_enabled()
    alice.chats.click()
    sheet = bring(alice, old)
    expect(sheet.get_by_role("heading", name="Imported")).to_be_visible()
    expect(sheet).to_contain_text("30 messages and 1 new conversation came in.")
    put_away(alice)
    expect(alice.region.get_by_role("button", name="More", exact=True)).to_be_focused()
    sheet = bring(alice, old)
    expect(sheet.get_by_role("heading", name="Nothing new")).to_be_visible()
    expect(sheet).to_contain_text("30 messages were here already.")
    put_away(alice)

    # A longer copy of the same file adds its new messages.
    old.write_text(json.dumps(history(32)))
    expect(bring(alice, old)).to_contain_text("2 messages came in. 30 messages were here already.")
    put_away(alice)
    listed(alice, "Old letters").click()
    alice.expect_messages([f"Letter number {number} from before" for number in range(32)])
    alice.chats.click()

    # Unsent messages of another outbox are sent once, also when the file is imported again.
    expect(bring(alice, queue)).to_contain_text("3 messages wait to be sent.")
    put_away(alice)
    expected = [f"Waited elsewhere, number {number}" for number in range(3)]
    bob.expect_messages(expected)
    expect(bring(alice, queue)).to_contain_text("3 messages were here already.")
    put_away(alice)
    listed(alice, "Bob").click()
    alice.send("And one from here")
    bob.expect_messages([*expected, "And one from here"])
    alice.expect_messages([*expected, "And one from here"])
    alice.relaunch()
    alice.expect_messages([*expected, "And one from here"])
    # No copy of the file stays in the demo's folder.
    assert [file for file in (demo.folder / "picked").iterdir()] == []


def test_a_damaged_file_says_what_is_missing_and_another_file_that_it_is_none(alice, tmp_path):  # H9.4, U19
    expect(alice.message).to_be_enabled()
    alice.chats.click()
    damaged = tmp_path / "damaged.json"
    whole = history(30)
    whole["conversations"][0]["messages"][7]["content"] = True
    damaged.write_text(json.dumps(whole))
    sheet = bring(alice, damaged)
    expect(sheet).to_contain_text("29 messages and 1 new conversation came in. 1 entry could not be imported in full:")
    problems = sheet.get_by_role("list", name="What could not be imported").get_by_role("listitem")
    expect(problems).to_have_count(1)
    expect(problems).to_contain_text("Conversation 1, message 8")
    put_away(alice)

    for text in ["A shopping list", "", '{"milk": 2}']:
        other = tmp_path / "other.json"
        other.write_text(text)
        sheet = bring(alice, other)
        expect(sheet.get_by_role("heading", name="Not imported")).to_be_visible()
        expect(sheet).to_contain_text("The file has no conversations, messages or drafts in a form that is known here.")
        put_away(alice)
    expect(listed(alice, "Old letters")).to_have_count(1)


def test_a_long_file_says_how_far_it_is_and_can_be_stopped_and_gone_on_with(alice, tmp_path):  # U19, H9
    long = tmp_path / "long.json"
    count = 60_000
    long.write_text(json.dumps(history(count)))
    expect(alice.message).to_be_enabled()
    alice.chats.click()
    with alice.page.expect_file_chooser() as chooser:
        more(alice, "Import history…")
    chooser.value.set_files(long)
    bar = alice.dialog.get_by_role("progressbar", name="Imported")
    alice.page.wait_for_function("(bar) => bar.value > 0.02 && bar.value < 1", arg=bar.element_handle())
    alice.dialog.get_by_role("button", name="Stop").click()
    expect(alice.dialog.get_by_role("heading", name="Stopped")).to_be_visible()
    put_away(alice)
    expect(bring(alice, long)).to_contain_text(re.compile(r"\d+ messages came in. \d+ messages were here already."))
    came, here = map(int, re.findall(r"(\d+) messages", alice.dialog.locator(".sentence").inner_text()))
    assert came > 0 and here > 0 and came + here == count
