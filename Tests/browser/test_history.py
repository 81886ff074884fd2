"""What was written long ago: found again, deleted for good, and brought along from elsewhere."""

import re

from playwright.sync_api import expect

from demo import Phone


def search(phone: Phone):
    return phone.region.get_by_role("searchbox", name="Search messages")


def hits(phone: Phone):
    return phone.region.get_by_role("list", name="Found").get_by_role("button")


def look_for(phone: Phone, word: str, text: str):
    """Types a word, and gives the one message that is found by it."""
    search(phone).fill(word)
    expect(hits(phone)).to_have_count(1)
    expect(hits(phone)).to_contain_text(text)
    return hits(phone)


def test_a_word_of_a_year_ago_is_found_in_every_language(alice, bob):  # U17, H8
    turkish, chinese, emoji = "Yarın İSTANBUL'da ışık gösterisi var", "我们周末在北京大学见面", "Look, a seal 🦭!"
    expect(alice.message).to_be_enabled()
    alice.send(turkish)
    bob.expect_messages([turkish])
    bob.send(chinese)
    alice.expect_messages([turkish, chinese])
    for number in range(160):
        alice.send(f"Line number {number}")
    alice.expect_delivered(100, timeout=40_000)
    alice.open("Weekend trip")
    alice.send(emoji)
    alice.expect_delivered(1)
    alice.let_pass(365)
    expect(alice.row(emoji).get_by_role("mark")).to_have_count(0)
    alice.chats.click()

    # Upper and lower case, the dots of the i, and a part of what has no spaces.
    for word, marked in [("istanbul", ["İSTANBUL"]), ("IŞIK", ["ışık"]), ("yarin göst", ["Yarın", "gösterisi"])]:
        found = look_for(alice, word, "You: ")
        expect(found.get_by_role("mark")).to_have_text(marked)
        expect(found.get_by_role("time")).to_have_text(re.compile(r"\d+ \w+ 20\d\d"))
    found = look_for(alice, "🦭", "Weekend trip")
    expect(found.get_by_role("mark")).to_have_text(["🦭"])
    found = look_for(alice, "大学", "Bob: ")
    expect(found.get_by_role("mark")).to_have_text(["大学"])

    # It opens where the word is, far above what is loaded otherwise.
    found.click()
    expect(alice.region.get_by_role("heading", name="Bob")).to_be_visible()
    expect(alice.row(chinese)).to_be_in_viewport(ratio=1)
    expect(alice.row(chinese).get_by_role("mark")).to_have_text(["大学"])
    expect(alice.region.get_by_role("log").get_by_role("mark")).to_have_count(1)
    newest = alice.region.get_by_role("button", name="New messages")
    newest.click()
    expect(alice.row("Line number 159")).to_be_in_viewport()
    expect(newest).to_be_hidden()

    # What was found is there again, and another message of the same conversation is gone to as well.
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
    alice.chats.click()
    found = alice.region.locator(".found-words")
    search(alice).press_sequentially("zeppelin")
    expect(found).to_have_text("Nothing found for “zeppelin”")
    alice.region.get_by_role("button", name="Clear the search").click()
    expect(search(alice)).to_be_focused()
    expect(search(alice)).to_have_value("")
    expect(alice.region.get_by_role("button", name="Weekend trip")).to_be_visible()

    search(alice).press_sequentially("lightho")
    expect(hits(alice)).to_have_count(2)
    expect(found).to_have_text("2 messages")
    # It goes on while messages come.
    bob.send("No lighthouse here")
    expect(hits(alice)).to_have_count(3)
    alice.page.keyboard.press("ArrowDown")
    expect(hits(alice).first).to_be_focused()
    alice.page.keyboard.press("ArrowDown")
    expect(hits(alice).nth(1)).to_be_focused()
    opened = hits(alice).nth(1).get_attribute("data-message")
    alice.page.keyboard.press("Enter")
    expect(alice.region.locator(f"[data-message='{opened}'] mark")).to_have_text(["lighthouse"])
    expect(alice.region.get_by_role("log")).to_be_focused()
    alice.chats.press("Enter")
    expect(hits(alice).nth(1)).to_be_focused()
    alice.page.keyboard.press("Escape")
    expect(search(alice)).to_be_focused()
    expect(hits(alice)).to_have_count(0)
    # Another window has its own search, and a relaunch begins with none.
    search(alice).fill("nowhere")
    expect(found).to_have_text("Nothing found for “nowhere”")
    second = alice.second_window()
    second.chats.click()
    expect(search(second)).to_have_value("")
