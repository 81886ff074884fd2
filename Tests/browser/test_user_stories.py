"""The user stories of docs/rules.md that test_story.py does not cover."""

import inspect
import re

import pytest
from playwright.sync_api import expect

from demo import post


@pytest.mark.walk
def test_the_walk_leaves_out_no_story(request):
    if request.config.option.markexpr != "walk" or request.config.option.keyword:
        pytest.skip("This is not the whole walk.")
    sources = [inspect.getsource(item.function) for item in request.session.items if item.get_closest_marker("walk")]
    cited = {int(number) for source in sources for number in re.findall(r"\bU(\d+)\b", source)}
    assert set(range(1, 25)) <= cited


@pytest.mark.walk
def test_a_long_message_is_there_with_its_cursor_after_switching_away(alice):  # U1.1
    text = "\n".join(f"Line {number} of a long letter 🙂" for number in range(60))
    expect(alice.message).to_be_enabled()
    alice.message.fill(text)
    alice.message.evaluate("field => field.setSelectionRange(700, 712)")
    alice.open("Weekend trip")
    expect(alice.message).to_have_value("")
    alice.open("Bob")
    expect(alice.message).to_have_value(text)
    assert alice.selection() == [700, 712]


@pytest.mark.walk
def test_a_kill_in_the_middle_of_a_word_loses_only_what_came_after_the_last_pause(alice):  # D2.1, U2.1
    text = "I was just going to tell you about the stove"
    alice.type(text)
    # The user thinks for a second, and goes on.
    alice.page.wait_for_timeout(1_000)
    alice.type(" that we have to bri")
    alice.kill_from_outside()
    alice.launch.click()
    expect(alice.banner("Recovered draft")).to_be_visible()
    back = alice.message.input_value()
    assert back.startswith(text) and (text + " that we have to bri").startswith(back)


@pytest.mark.walk
def test_a_reply_that_a_kill_cuts_off_is_continued_or_retried(alice):  # H3.2, H3.3, H3.4, U14.1, U14.2
    alice.open("Assistant")
    alice.send("Is anybody there?")
    reply = alice.rows.nth(1)
    expect(reply).to_contain_text("You wrote: “Is anybody there?”. I am built into", timeout=90_000)
    expect(reply).to_contain_text("Writing...")
    alice.relaunch()
    expect(reply).to_contain_text("Interrupted")
    expect(reply.get_by_text("There is no model here to understand it")).to_have_count(1)
    cut = reply.locator(".bubble").inner_text()
    assert cut.startswith("You wrote") and len(cut) < 400
    reply.get_by_role("button", name="Continue").click()
    expect(reply).to_contain_text("Writing...")
    assert reply.locator(".bubble").inner_text().startswith(cut)
    alice.relaunch()
    expect(reply).to_contain_text("Interrupted")
    longer = reply.locator(".bubble").inner_text()
    assert longer.startswith(cut)
    reply.get_by_role("button", name="Try again").click()
    expect(reply.locator(".bubble")).to_be_hidden()
    expect(reply.get_by_role("time")).to_be_visible(timeout=90_000)
    whole = reply.locator(".bubble").inner_text()
    assert whole.startswith(longer) and whole.endswith("and never two.")
    expect(alice.rows).to_have_count(2)
    alice.expect_delivered(2)
    alice.relaunch()
    expect(alice.rows).to_have_count(2)
    assert reply.locator(".bubble").inner_text() == whole


def test_a_reply_that_a_kill_cuts_off_is_deleted(alice):  # L4.4
    alice.open("Assistant")
    alice.send("Is anybody there?")
    reply = alice.rows.nth(1)
    expect(reply).to_contain_text("You wrote: “Is anybody there?”. I am built into", timeout=90_000)
    alice.relaunch()
    expect(reply).to_contain_text("Interrupted")
    reply.get_by_role("button", name="Delete").click()
    expect(alice.rows).to_have_count(1)
    expect(alice.rows).to_contain_text(["Is anybody there?"])


def test_a_reply_that_fails_before_its_first_word_is_retried_or_deleted(alice):  # L4.1, L4.2, L4.3
    alice.open("Assistant")
    alice.send("Please fail")
    reply = alice.rows.nth(1)
    expect(reply).to_contain_text("The assistant has failed, as you asked.")
    expect(reply).to_contain_text("Failed")
    expect(reply.locator(".bubble")).to_be_hidden()
    expect(reply.locator(".reply-act")).to_have_text(["Try again", "Delete"])
    alice.relaunch()
    expect(reply).to_contain_text("The assistant has failed, as you asked.")
    reply.get_by_role("button", name="Delete").click()
    expect(alice.rows).to_have_count(1)
    alice.send("Fail at first")
    alice.rows.last.get_by_role("button", name="Try again").click()
    expect(alice.rows.last).to_contain_text("You wrote: “Fail at first”", timeout=90_000)
    expect(alice.rows.last).not_to_have_class(re.compile("mine"))


def test_a_request_that_a_kill_interrupts_is_followed_up_with_the_relay(alice, bob):  # P1.1, P1.2, P1.3
    expect(bob.message).to_be_enabled()
    alice.send("@assistant Is anybody there?")
    waiting = alice.banner("Waiting for the answer of the other phone's assistant")
    expect(waiting).to_be_visible()
    # Bob's phone answers, and goes on while Alice's app is gone.
    answer = alice.rows.nth(1)
    expect(answer).to_contain_text("You wrote", timeout=90_000)
    alice.kill.click()
    expect(alice.region.get_by_text("App killed")).to_be_visible()
    alice.airplane.check()
    alice.launch.click()
    expect(alice.banner("Interrupted - The relay is asked once this phone is online")).to_be_visible()
    # The relay says that the answer is being written.
    alice.airplane.uncheck()
    expect(waiting).to_be_visible()
    expect(answer).to_contain_text("Writing...")
    expect(bob.banner("Waiting for the answer")).to_have_count(0)
    expect(answer.get_by_role("time")).to_be_visible(timeout=90_000)
    expect(waiting).to_have_count(0)
    expect(alice.banner("Interrupted")).to_have_count(0)
    expect(alice.rows).to_have_count(2)


def test_an_answer_that_nobody_gives_is_waited_for_until_the_user_stops(alice, bob):  # P1.1
    bob.kill.click()
    expect(bob.region.get_by_text("App killed")).to_be_visible()
    alice.send("@assistant Is anybody there?")
    alice.expect_delivered(1)
    alice.relaunch()
    interrupted = alice.banner("Interrupted - The relay knows nothing of an answer yet")
    expect(interrupted).to_be_visible()
    alice.region.get_by_role("button", name="Stop waiting").click()
    expect(interrupted).to_have_count(0)
    expect(alice.message).to_be_focused()


def test_a_list_names_the_assistant(alice):  # L3.1, L3.2
    alice.open("Assistant")
    alice.send("Hello")
    expect(alice.rows.nth(1)).to_contain_text("You wrote", timeout=90_000)
    expect(alice.rows.nth(1)).not_to_have_class(re.compile("mine"))
    alice.chats.click()
    expect(alice.region.get_by_role("button", name="Assistant")).to_contain_text("assistant: You wrote", timeout=90_000)


@pytest.mark.walk
def test_a_sent_text_never_comes_back_to_the_composer(alice, bob):  # U3.1
    alice.type("Said and done")
    alice.message.press("Enter")
    bob.expect_messages(["Said and done"])
    alice.go_offline()
    alice.type("Said, and not yet gone")
    alice.message.press("Enter")
    for look in [lambda: alice.open("Weekend trip"), lambda: alice.open("Bob"), alice.relaunch]:
        look()
        expect(alice.message).to_have_value("")
    alice.airplane.uncheck()
    bob.expect_messages(["Said and done", "Said, and not yet gone"])
    alice.expect_delivered(2)
    expect(alice.message).to_have_value("")


@pytest.mark.walk
def test_two_conversations_keep_their_own_half_written_texts(alice, bob):  # D12.2, U5.1
    alice.type("Half a word to Bo")
    alice.open("Weekend trip")
    alice.type("Half a plan for the wee")
    alice.open("Bob")
    expect(alice.message).to_have_value("Half a word to Bo")
    alice.relaunch()
    expect(alice.message).to_have_value("Half a word to Bo")
    alice.open("Weekend trip")
    expect(alice.message).to_have_value("Half a plan for the wee")
    alice.message.press("Enter")
    alice.open("Bob")
    expect(alice.message).to_have_value("Half a word to Bo")
    expect(alice.rows).to_have_count(0)
    bob.open("Weekend trip")
    bob.expect_messages(["Half a plan for the wee"])


@pytest.mark.walk
def test_a_message_is_there_at_once_with_its_state(page, alice, bob, relay):  # O3.1, O3.2, O3.3, U6.1
    alice.send("First")
    bob.expect_messages(["First"])
    post(page, {"part": "relay", "type": "unavailable", "seconds": 600})
    expect(relay.region.get_by_text("Answers 503 for")).to_be_visible()
    alice.send("Asked for patience")
    expect(alice.row("Asked for patience")).to_contain_text("Waiting to retry")
    expect(alice.message).to_have_value("")
    alice.go_offline()
    expect(alice.row("Asked for patience")).to_contain_text("Queued - Will send when online")
    relay.stop.click()
    alice.airplane.uncheck()
    bob.expect_messages(["First", "Asked for patience"])
    alice.expect_delivered(2)
    with relay.frozen(alice):
        alice.send("On its way")
        expect(alice.row("On its way")).to_contain_text("Sending...")
    bob.expect_messages(["First", "Asked for patience", "On its way"])
    alice.expect_delivered(3)


@pytest.mark.walk
def test_a_queued_message_is_cancelled_edited_or_explained(alice, bob):  # O9.1, O9.2, O9.3, O9.4, U9.1, U9.2, U9.3
    expect(alice.message).to_be_enabled()
    alice.go_offline()
    for text in ["Cancelled", "Edited", "Explained"]:
        alice.send(text)

    alice.choose("Explained", "Info")
    expect(alice.dialog).to_contain_text("This message will send automatically when you're back online")
    alice.dialog.get_by_role("button", name="Done").click()
    expect(alice.dialog).to_have_count(0)

    alice.choose("Cancelled", "Cancel")
    alice.expect_messages(["Edited", "Explained"])
    expect(alice.banner("Offline - 2 messages queued")).to_be_visible()

    alice.choose("Edited", "Edit")
    alice.expect_messages(["Explained"])
    expect(alice.message).to_have_value("Edited")
    expect(alice.message).to_be_focused()
    alice.message.press("End")
    alice.message.press_sequentially(", and better")
    alice.message.press("Enter")
    alice.airplane.uncheck()
    bob.expect_messages(["Explained", "Edited, and better"])
    alice.expect_delivered(2)


def test_a_tap_counts_whose_message_changes_its_status_under_the_finger(page, alice, relay):  # U9.1
    expect(alice.message).to_be_enabled()
    alice.go_offline()
    alice.send("Tapped")
    post(page, {"part": "relay", "type": "unavailable", "seconds": 600})
    expect(relay.region.get_by_text("Answers 503 for")).to_be_visible()
    alice.row("Tapped").get_by_role("button").hover()
    page.mouse.down()
    post(page, {"part": "alice", "type": "airplane", "isOn": False})
    expect(alice.panel).to_contain_text("The server is not available at the moment.")
    page.mouse.up()
    expect(alice.menu.get_by_role("menuitem", name="Info")).to_be_visible()


def test_info_follows_what_happens_while_it_is_open(page, alice, bob, relay):  # O17.1, O17.2, U9.3
    alice.send("First")
    bob.expect_messages(["First"])
    alice.go_offline()
    alice.send("Waiting")
    alice.choose("Waiting", "Info")
    expect(alice.dialog).to_contain_text("automatically when you're back online")
    post(page, {"part": "relay", "type": "unavailable", "seconds": 600})
    expect(relay.region.get_by_text("Answers 503 for")).to_be_visible()
    alice.airplane.uncheck()
    expect(alice.dialog).to_contain_text("The server is not available at the moment.")
    expect(alice.dialog).to_contain_text(re.compile(r"Next attempt\s*in \d+ min"))
    expect(alice.panel).to_contain_text("The server is not available at the moment. Next attempt in")
    relay.stop.click()
    # The server had asked for a wait of ten minutes. A network that comes back ends it.
    alice.go_offline()
    alice.airplane.uncheck()
    expect(alice.dialog).to_contain_text("The message has been delivered.")
    alice.dialog.press("Escape")
    expect(alice.dialog).to_have_count(0)
    bob.expect_messages(["First", "Waiting"])


def test_a_cancel_that_comes_too_late_says_so(page, alice, bob):  # O9.5
    expect(alice.message).to_be_enabled()
    alice.go_offline()
    alice.send("Gone before you know")
    alice.tap("Gone before you know")
    cancel = alice.menu.get_by_role("menuitem", name="Cancel")
    expect(cancel).to_be_visible()
    post(page, {"part": "alice", "type": "airplane", "isOn": False})
    bob.expect_messages(["Gone before you know"])
    alice.expect_delivered(1)
    cancel.click()
    expect(alice.banner("The message has been delivered")).to_be_visible()
    alice.expect_messages(["Gone before you know"])
    expect(alice.banner("The message has been delivered")).to_have_count(0, timeout=90_000)


@pytest.mark.walk
def test_a_failed_message_says_why_and_is_retried_edited_or_deleted(alice, bob, relay):
    # O3.4, O8.1, O8.2, O8.3, U10.1, U10.2, U10.3
    expect(alice.message).to_be_enabled()
    alice.go_offline()
    for text in ["Retried", "Edited", "Deleted", "Behind them"]:
        alice.send(text)
    relay.misbehave("Refuse the next message", "Refuses the next message")
    relay.misbehave("Refuse the next message", "Refuses the next 2 messages")
    relay.misbehave("Refuse the next message", "Refuses the next 3 messages")
    alice.airplane.uncheck()
    bob.expect_messages(["Behind them"])
    expect(alice.rows.filter(has_text="Failed - Tap to retry")).to_have_count(3)
    expect(relay.stop).to_be_hidden()

    alice.relaunch()
    expect(alice.rows.filter(has_text="Failed - Tap to retry")).to_have_count(3)
    alice.tap("Deleted")
    expect(alice.region.get_by_text("The server refused this message on request.")).to_be_visible()
    alice.menu.get_by_role("menuitem", name="Delete").click()
    expect(alice.row("Deleted")).to_have_count(0)
    alice.choose("Edited", "Edit")
    expect(alice.message).to_have_value("Edited")
    alice.message.press("End")
    alice.message.press_sequentially(" anew")
    alice.message.press("Enter")
    bob.expect_messages(["Behind them", "Edited anew"])
    alice.choose("Retried", "Retry")
    bob.expect_messages(["Behind them", "Edited anew", "Retried"])
    alice.expect_messages(["Behind them", "Edited anew", "Retried"])
    alice.expect_delivered(3)


def test_messages_whose_receipts_are_lost_arrive_once(alice, bob, relay):  # O6.2, U11
    expect(alice.message).to_be_enabled()
    relay.misbehave("Lose the next 3 receipts", "Loses the next 3 receipts")
    texts = [f"Number {number}" for number in range(6)]
    for text in texts:
        alice.send(text)
    bob.expect_messages(texts, timeout=90_000)
    alice.expect_messages(texts)
    alice.expect_delivered(len(texts), timeout=90_000)


@pytest.mark.walk
def test_messages_from_three_days_ago_are_asked_about(alice, bob):  # O16.1, O16.2, O16.3, U12.1
    def reconnect():
        alice.go_offline()
        alice.airplane.uncheck()

    alice.send("Now")
    bob.expect_messages(["Now"])
    alice.go_offline()
    alice.send("See you in an hour")
    alice.send("At the usual place")
    alice.let_pass(3)
    expect(alice.region.get_by_text("3 days later")).to_be_visible()
    expect(alice.banner("Offline - 2 messages queued")).to_be_visible()
    alice.airplane.uncheck()
    expect(alice.dialog).to_contain_text("2 messages have waited for long")
    expect(alice.rows.filter(has_text="Held - Tap to decide")).to_have_count(2)
    bob.expect_messages(["Now"])

    alice.dialog.get_by_role("button", name="Keep waiting").click()
    expect(alice.dialog).to_have_count(0)
    reconnect()
    expect(alice.dialog).to_be_visible()
    alice.dialog.get_by_role("button", name="Back to composer").click()
    expect(alice.message).to_have_value("See you in an hour\nAt the usual place")
    alice.expect_messages(["Now"])

    alice.go_offline()
    alice.send("Still true")
    alice.let_pass(3)
    alice.airplane.uncheck()
    expect(alice.dialog).to_contain_text("1 message has waited for long")
    alice.dialog.get_by_role("button", name="Keep waiting").click()
    # A tap on a held message asks again.
    alice.tap("Still true")
    alice.dialog.get_by_role("button", name="Send now").click()
    bob.expect_messages(["Now", "Still true"])
    alice.expect_delivered(2)


def test_a_draft_of_eight_days_asks_to_be_kept_until_it_changes(alice):  # D11.1, D11.2
    alice.type("An old thought")
    alice.let_pass(8)
    expect(alice.message).to_have_value("An old thought")
    expect(alice.banner("Draft from 8 days ago - keep it?")).to_be_visible()
    alice.region.get_by_role("button", name="Keep").click()
    expect(alice.banner("keep it?")).to_have_count(0)
    alice.let_pass(8)
    expect(alice.message).to_have_value("An old thought")
    expect(alice.banner("keep it?")).to_have_count(0)
    alice.type(", and more")
    alice.let_pass(8)
    expect(alice.banner("Draft from 8 days ago - keep it?")).to_be_visible()
    alice.region.get_by_role("button", name="Discard").click()
    expect(alice.message).to_have_value("")


def test_the_menu_of_a_message_by_keyboard(page, alice):  # O9.1
    expect(alice.message).to_be_enabled()
    alice.go_offline()
    alice.send("By keyboard alone")
    line = alice.row("By keyboard alone").get_by_role("button")
    line.focus()
    page.keyboard.press("Enter")
    expect(alice.menu.get_by_role("menuitem", name="Info")).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(alice.menu.get_by_role("menuitem", name="Edit")).to_be_focused()
    page.keyboard.press("Escape")
    expect(alice.menu).to_have_count(0)
    expect(line).to_be_focused()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    expect(alice.dialog.get_by_role("button", name="Done")).to_be_focused()
    page.keyboard.press("Escape")
    expect(alice.dialog).to_have_count(0)
    expect(alice.message).to_be_focused()


def test_the_panel_says_how_the_outbox_is_doing(alice, bob):  # O17.3
    expect(alice.panel).to_contain_text("Online")
    expect(alice.panel).to_contain_text("Empty")
    alice.send("Measured")
    bob.expect_messages(["Measured"])
    expect(alice.panel).to_contain_text("of 1 message")
    alice.go_offline()
    alice.send("Waiting")
    expect(alice.panel).to_contain_text("1 waiting")
    expect(alice.panel).to_contain_text(re.compile(r"waits for \d+ s"))
    expect(alice.panel).to_contain_text("automatically when you're back online")
    alice.airplane.uncheck()
    expect(alice.panel).to_contain_text("of 2 messages")
    expect(alice.panel).to_contain_text("Empty")


@pytest.mark.walk
def test_an_unsent_reply_and_an_edit_in_two_windows_leave_each_other_alone(alice, bob, demo):  # D1.3, D13.2, U20.1
    alice.send("Dinner at eight?")
    bob.expect_messages(["Dinner at eight?"])
    bob.send("Who brings the wine?")
    alice.expect_messages(["Dinner at eight?", "Who brings the wine?"])
    alice.act("Who brings", "Reply")
    alice.message.press_sequentially("I do, a bottle of re")
    window = alice.second_window()
    window.act("Dinner", "Edit")
    expect(window.message).to_have_value("Dinner at eight?")
    window.message.fill("Dinner at nine?")
    expect(alice.message).to_have_value("I do, a bottle of re")
    alice.message.press_sequentially("d")
    expect(window.message).to_have_value("Dinner at nine?")

    # A kill of the app in the middle of both loses nothing.
    window.message.press("End")
    window.message.press_sequentially(" Or ten?")
    demo.expect_draft("alice", "Dinner at nine? Or ten?")
    alice.relaunch()
    expect(alice.message).to_have_value("I do, a bottle of red")
    expect(alice.region.get_by_role("group", name="Reply to Bob")).to_be_visible()
    expect(window.message).to_be_enabled()
    window.region.get_by_role("button", name="Continue").click()
    expect(window.message).to_have_value("Dinner at nine? Or ten?")

    window.message.press("Enter")
    bob.expect_messages(["Dinner at nine? Or ten?", "Who brings the wine?"])
    # The second window shows the new message again, which is that of the first window.
    expect(window.message).to_have_value("I do, a bottle of red")
    expect(alice.message).to_have_value("I do, a bottle of red")
    alice.message.press("Enter")
    bob.expect_messages(["Dinner at nine? Or ten?", "Who brings the wine?", "I do, a bottle of red"])
    expect(window.message).to_have_value("")
