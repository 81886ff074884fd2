"""Changes of delivered messages, and of the contents of the composer."""

import re

from playwright.sync_api import expect

from demo import Phone


def talk(alice, bob, *texts):
    """Delivered messages from Alice, on both phones."""
    for text in texts:
        alice.send(text)
    bob.expect_messages(list(texts))
    alice.expect_delivered(len(texts))


def test_reactions_are_counted_on_both_phones_and_taken_back(alice, bob):  # O14
    talk(alice, bob, "Dinner at eight?")
    bob.react("Dinner", "Heart")
    expect(alice.chip("Dinner", "❤️ 1")).to_have_attribute("aria-pressed", "false")
    alice.chip("Dinner", "❤️").click()
    expect(alice.chip("Dinner", "❤️ 2, yours too")).to_have_attribute("aria-pressed", "true")
    expect(bob.chip("Dinner", "❤️ 2, yours too")).to_be_visible()
    alice.react("Dinner", "Thumbs up")
    expect(bob.chip("Dinner", "👍 1")).to_be_visible()

    # The menu marks one's own reactions, and removes them, as the chips do.
    bob.actions("Dinner").click()
    heart = bob.menu.get_by_role("menuitemcheckbox", name="Heart")
    expect(heart).to_have_attribute("aria-checked", "true")
    heart.click()
    expect(alice.chip("Dinner", "❤️ 1, yours too")).to_be_visible()
    alice.chip("Dinner", "❤️").click()
    expect(bob.chip("Dinner", "❤️")).to_have_count(0)
    expect(bob.chip("Dinner", "👍")).to_be_visible()


def test_an_edit_reaches_the_other_and_the_new_message_is_back(alice, bob):  # D1.3, O14
    talk(alice, bob, "Dinner at eight?")
    alice.type("Half a thou")
    alice.act("Dinner", "Edit")
    expect(alice.message).to_have_value("Dinner at eight?")
    expect(alice.message).to_be_focused()
    expect(alice.region.get_by_role("group", name="Edit message")).to_contain_text("Dinner at eight?")
    alice.message.fill("Dinner at nine?")
    alice.region.get_by_role("button", name="Save edit").click()
    expect(alice.message).to_have_value("Half a thou")
    expect(alice.message).to_be_focused()
    for phone in [alice, bob]:
        phone.expect_messages(["Dinner at nine?"])
        expect(phone.row("Dinner at nine?")).to_contain_text("edited")

    alice.act("Dinner", "Edit")
    expect(alice.message).to_have_value("Dinner at nine?")
    alice.message.fill("Something else entirely")
    alice.region.get_by_role("button", name="Cancel edit").click()
    expect(alice.message).to_have_value("Half a thou")
    alice.region.get_by_role("button", name="Undo").click()
    expect(alice.message).to_have_value("Something else entirely")
    alice.message.press("Escape")
    expect(alice.message).to_have_value("Half a thou")
    alice.expect_messages(["Dinner at nine?"])


def test_a_deleted_message_is_gone_for_everybody(alice, bob):  # O14
    talk(alice, bob, "Said too much", "Said enough")
    bob.actions("Said too much").click()
    expect(bob.menu.get_by_role("menuitem", name="Reply")).to_be_visible()
    expect(bob.menu.get_by_role("menuitem", name="Delete")).to_have_count(0)
    bob.page.keyboard.press("Escape")
    alice.act("Said too much", "Delete for everybody")
    for phone in [alice, bob]:
        phone.expect_messages(["Message deleted", "Said enough"])
        expect(phone.row("Message deleted").get_by_role("button")).to_have_count(0)


def test_changes_made_offline_wait_quietly_and_can_be_given_up(alice, bob):  # O14
    talk(alice, bob, "Edited", "Deleted", "Kept", "Liked")
    alice.go_offline()
    alice.act("Edited", "Edit")
    expect(alice.message).to_have_value("Edited")
    alice.message.fill("Edited, and better")
    alice.message.press("Enter")
    alice.act("Deleted", "Delete")
    alice.act("Kept", "Delete")
    alice.react("Liked", "Thumbs up")
    alice.expect_messages(["Edited, and better", "Message deleted", "Message deleted", "Liked"])
    for number, words in enumerate(["Edit queued", "Deletion queued", "Deletion queued", "Reaction queued"]):
        expect(alice.rows.nth(number)).to_contain_text(f"{words} - Will send when online")

    alice.relaunch()
    alice.expect_messages(["Edited, and better", "Message deleted", "Message deleted", "Liked"])
    alice.change("Liked", "Info")
    expect(alice.dialog).to_contain_text("Liked")
    expect(alice.dialog).to_contain_text("automatically when you're back online")
    alice.dialog.get_by_role("button", name="Done").click()
    alice.rows.nth(2).locator(".change").click()
    alice.menu.get_by_role("menuitem", name="Keep the message").click()
    alice.expect_messages(["Edited, and better", "Message deleted", "Kept", "Liked"])

    alice.airplane.uncheck()
    bob.expect_messages(["Edited, and better", "Message deleted", "Kept", "Liked"])
    expect(bob.chip("Liked", "👍 1")).to_be_visible()
    expect(alice.rows.locator(".change")).to_have_count(0)


def test_a_change_that_is_refused_says_why_and_is_retried_or_given_up(alice, bob, relay):  # O8.2, O14
    talk(alice, bob, "As it was", "Another")
    relay.misbehave("Refuse the next message", "Refuses the next message")
    alice.act("As it was", "Edit")
    expect(alice.message).to_have_value("As it was")
    alice.message.fill("As it should be")
    alice.message.press("Enter")
    expect(alice.row("As it was")).to_contain_text("Edit failed - Tap to retry")
    alice.row("As it was").locator(".change").click()
    expect(alice.region.get_by_text("The server refused this message on request.")).to_be_visible()
    alice.menu.get_by_role("menuitem", name="Retry").click()
    bob.expect_messages(["As it should be", "Another"])

    relay.misbehave("Refuse the next message", "Refuses the next message")
    alice.act("Another", "Delete")
    expect(alice.row("Another")).to_contain_text("Deletion failed - Tap to retry")
    alice.change("Another", "Keep the message")
    expect(alice.rows.locator(".change")).to_have_count(0)
    bob.expect_messages(["As it should be", "Another"])


def test_after_a_kill_in_an_edit_the_new_message_is_there_and_the_edit_is_offered(alice, bob):  # D1.3, D5.1
    talk(alice, bob, "Dinner at eight?")
    alice.type("Half a thou")
    alice.act("Dinner", "Edit")
    expect(alice.message).to_have_value("Dinner at eight?")
    alice.message.press("End")
    alice.message.press_sequentially(" Or at nine?")
    alice.relaunch()
    expect(alice.message).to_have_value("Half a thou")
    unfinished = alice.banner("Unfinished edit of “Dinner at eight?”")
    expect(unfinished).to_be_visible()
    unfinished.get_by_role("button", name="Continue").click()
    expect(alice.message).to_have_value("Dinner at eight? Or at nine?")
    expect(unfinished).to_be_hidden()
    alice.message.press("Enter")
    bob.expect_messages(["Dinner at eight? Or at nine?"])
    expect(alice.message).to_have_value("Half a thou")


def test_the_edit_of_a_message_that_is_deleted_becomes_a_new_one(alice, bob):  # D1
    talk(alice, bob, "Soon gone")
    alice.type("First this")
    alice.act("Soon gone", "Edit")
    expect(alice.message).to_have_value("Soon gone")
    alice.message.fill("Words worth keeping")
    alice.act("Soon gone", "Delete")
    gone = alice.region.get_by_role("group", name="The message was deleted")
    expect(gone).to_be_visible()
    gone.get_by_role("button", name="Make it new").click()
    expect(alice.message).to_have_value("First this\nWords worth keeping")
    alice.message.press("Enter")
    bob.expect_messages(["Message deleted", "First this"])


def test_a_reply_shows_what_it_answers_on_both_phones(alice, bob):  # D1.8
    talk(bob, alice, "Who brings the wine?")
    alice.act("Who brings", "Reply")
    alice.message.press_sequentially("I d")
    reply = alice.region.get_by_role("group", name="Reply to Bob")
    expect(reply).to_contain_text("Who brings the wine?")
    alice.relaunch()
    expect(alice.message).to_have_value("I d")
    expect(reply).to_be_visible()
    alice.region.get_by_role("button", name="Cancel reply").click()
    expect(reply).to_be_hidden()
    expect(alice.message).to_have_value("I d")
    alice.act("Who brings", "Reply")
    alice.send("I do")
    expect(alice.row("I do").get_by_role("group", name="Answers Bob")).to_contain_text("Who brings the wine?")
    expect(bob.row("I do").get_by_role("group", name="Answers you")).to_contain_text("Who brings the wine?")
    bob.rows.first.get_by_role("button", name="Message actions").click()
    bob.menu.get_by_role("menuitem", name="Delete").click()
    expect(alice.row("I do").get_by_role("group", name="Answers Bob")).to_contain_text("Message deleted")


def test_the_other_window_follows_what_is_typed(alice):  # D13.2
    alice.type("From one window")
    window = alice.second_window()
    expect(window.message).to_have_value("From one window")
    window.message.focus()
    window.message.press("End")
    window.message.press_sequentially(" to the other")
    expect(alice.message).to_have_value("From one window to the other")
    window.open("Weekend trip")
    expect(alice.region.get_by_role("heading", name="Bob")).to_be_visible()
    window.type("Pack the tent")
    expect(alice.message).to_have_value("From one window to the other")


def test_a_text_that_was_deleted_by_accident_is_taken_back(alice, bob):  # D18.3, D18.5
    history = alice.region.get_by_role("button", name="Earlier texts")
    alice.type("A letter that took me all evening")
    expect(history).to_be_hidden()
    # A text that was never stored is no version. Leaving the field stores it.
    alice.chats.focus()
    alice.message.press("Control+a")
    alice.message.press("Delete")
    expect(history).to_be_visible()
    alice.message.press_sequentially("Hm")
    history.click()
    expect(alice.dialog).to_contain_text("just now")
    version = alice.dialog.get_by_role("button", name="A letter that took me all evening")
    expect(version).to_be_focused()
    alice.page.keyboard.press("Enter")
    expect(alice.dialog).to_have_count(0)
    expect(alice.message).to_have_value("A letter that took me all evening")
    expect(alice.message).to_be_focused()
    alice.relaunch()
    expect(alice.message).to_have_value("A letter that took me all evening")
    alice.message.press("Enter")
    bob.expect_messages(["A letter that took me all evening"])
    expect(history).to_be_hidden()


def test_a_long_queue_says_how_far_it_is(alice, bob, relay):  # O5.7
    expect(alice.message).to_be_enabled()
    alice.go_offline()
    texts = [f"Number {number}" for number in range(24)]
    for text in texts:
        alice.send(text)
    relay.misbehave("Take its time", "Takes its time for")
    progress = alice.region.get_by_role("progressbar", name="Sending")
    expect(progress).to_have_count(0)
    alice.airplane.uncheck()
    expect(alice.region.get_by_text(re.compile(r"Sending \d+ of 24"))).to_be_visible()
    expect(progress).to_have_attribute("aria-valuetext", re.compile(r"Sending \d+ of 24"))
    relay.stop.click()
    bob.expect_messages(texts)
    expect(progress).to_have_count(0)


def test_a_refused_conversation_says_so_once_and_is_tried_again(alice, bob, relay):  # O8.6
    again = alice.region.get_by_role("button", name="Try again")
    relay.misbehave("Refuse the conversation", "Refuses the conversation")
    alice.send("First")
    alice.send("Second")
    expect(alice.banner("The server refused this conversation")).to_have_count(1)
    expect(alice.rows.filter(has_text="Queued - The conversation takes no messages")).to_have_count(2)
    alice.relaunch()
    expect(again).to_be_visible()
    alice.chats.click()
    row = alice.region.get_by_role("list").get_by_role("button", name="Bob")
    expect(row).to_contain_text("The server refused this conversation")
    expect(row.get_by_label("2 not sent")).to_be_visible()
    row.click()

    relay.misbehave("Refuse the conversation", "Refuses the conversation")
    again.click()
    expect(relay.stop).to_be_hidden()
    expect(again).to_be_visible()
    again.click()
    bob.expect_messages(["First", "Second"])
    expect(again).to_be_hidden()
    alice.expect_delivered(2)


def test_the_menu_of_a_delivered_message_by_keyboard(page, alice, bob):  # O14
    talk(alice, bob, "Older", "Newer")
    alice.message.focus()
    page.keyboard.press("Shift+Tab")
    expect(alice.region.get_by_role("button", name="Attach files")).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(alice.actions("Newer")).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(alice.actions("Older")).to_be_focused()
    page.keyboard.press("Enter")
    expect(alice.menu.get_by_role("menuitemcheckbox", name="Thumbs up")).to_be_focused()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(alice.menu.get_by_role("menuitem", name="Reply")).to_be_focused()
    page.keyboard.press("Escape")
    expect(alice.menu).to_have_count(0)
    expect(alice.actions("Older")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(alice.chip("Older", "❤️ 1, yours too")).to_be_visible()
    expect(bob.chip("Older", "❤️ 1")).to_be_visible()
    expect(alice.actions("Older")).to_be_focused()
    page.keyboard.press("Tab")
    expect(alice.chip("Older", "❤️")).to_be_focused()
    page.keyboard.press("Space")
    expect(bob.chip("Older", "❤️")).to_have_count(0)


def test_a_finger_that_rests_on_a_message_opens_its_menu(browser, demo):  # O14
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(demo.url)
    alice, bob = Phone(page, "Alice"), Phone(page, "Bob")
    talk(alice, bob, "Under my thumb")
    alice.row("Under my thumb").scroll_into_view_if_needed()
    box = alice.row("Under my thumb").locator(".bubble").bounding_box()
    point = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    finger = context.new_cdp_session(page)

    def touch(kind, *points):
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

    touch("touchStart", point)
    expect(alice.menu).to_be_visible()
    touch("touchEnd")
    item = alice.menu.get_by_role("menuitem", name="Edit")
    assert item.bounding_box()["height"] >= 44
    item.tap()
    expect(alice.message).to_have_value("Under my thumb")

    # A short tap opens no menu, and a tap beside the menu closes it.
    page.touchscreen.tap(point["x"], point["y"])
    expect(alice.menu).to_have_count(0)
    context.close()
