"""Pictures of the search, of deletions and of an import, in both widths and both colour schemes."""

import json

from playwright.sync_api import expect

from test_history import bring, clear, delete, history, hits, listed, more, put_away, search


def test_pictures_of_what_was_written_long_ago(page, alice, bob, picture, tmp_path):
    alice.send("The lighthouse is open until six, and the keeper says that the stairs are steep")
    bob.expect_messages(["The lighthouse"])
    bob.send("Lighthouse at noon, then 北京 noodles 🍜")
    alice.expect_messages(["The lighthouse", "Lighthouse"])
    alice.open("Weekend trip")
    long = "We take the early train, walk along the harbour, and have lunch there. " * 2
    alice.send(long + "In the afternoon comes the lighthouse, and then the long way back along the beach.")
    alice.expect_delivered(1)
    alice.let_pass(365)
    alice.chats.click()
    picture("28-list")
    search(alice).press_sequentially("lighth")
    expect(hits(alice)).to_have_count(3)
    page.keyboard.press("ArrowDown")
    picture("29-found")
    hits(alice).filter(has_text="keeper").click()
    expect(alice.row("keeper").get_by_role("mark")).to_be_visible()
    picture("30-opened-where-it-is")
    alice.chats.click()
    search(alice).fill("zeppelin")
    expect(alice.region.get_by_text("Nothing found")).to_be_visible()
    picture("31-not-found")
    alice.region.get_by_role("button", name="Clear the search").click()
    alice.region.get_by_role("button", name="Conversation actions").first.click()
    picture("32-conversation-menu")
    page.keyboard.press("Escape")
    clear(alice, "Bob")
    expect(alice.region.get_by_role("alertdialog")).to_be_visible()
    picture("32b-clear-messages")
    alice.region.get_by_role("button", name="Cancel").click()
    delete(alice, "Weekend trip")
    expect(alice.region.get_by_role("button", name="Undo")).to_be_visible()
    picture("33-undo")
    file = tmp_path / "history.json"
    old = history(30)
    for number in [3, 8]:
        old["conversations"][0]["messages"][number]["content"] = number == 3
    file.write_text(json.dumps(old))
    bring(alice, file)
    picture("34-imported")
    put_away(alice)
    expect(listed(alice, "Old letters")).to_be_visible()
    more(alice, "Delete all conversations…")
    expect(alice.region.get_by_role("alertdialog")).to_be_visible()
    picture("35-delete-all")
    alice.region.get_by_role("button", name="Delete all", exact=True).click()
    expect(alice.region.get_by_text("No conversations yet")).to_be_visible()
    picture("36-no-conversations")
