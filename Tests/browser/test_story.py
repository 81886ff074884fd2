"""The demo's story: nothing is lost, and nothing arrives twice."""

import re

import pytest
from playwright.sync_api import expect

from demo import Phone, Relay


@pytest.mark.walk
def test_three_queued_messages_and_a_draft_survive_a_kill(alice, bob):
    # D5.1, D10.2, O3.2, O3.3, O11.1, O11.2, N2.2, N2.3, N2.5, N2.6, U2.1, U7.1, U7.2, U7.3, U8.1, U8.2
    alice.send("Hello Bob")
    bob.expect_messages(["Hello Bob"])
    alice.expect_delivered(1)

    alice.airplane.check()
    expect(alice.banner("Offline - Messages will send when reconnected")).to_be_visible()
    queued = ["In the tunnel now", "It is dark in here", "See you at eight 🙂"]
    for text in queued:
        alice.send(text)
    alice.expect_messages(["Hello Bob", *queued])
    expect(alice.rows.filter(has_text="Queued - Will send when online")).to_have_count(3)
    expect(alice.banner("Offline - 3 messages queued")).to_be_visible()
    bob.expect_messages(["Hello Bob"])

    alice.type("And if you co")
    alice.kill.click()
    expect(alice.region.get_by_text("App killed")).to_be_visible()
    expect(alice.message).to_be_disabled()

    alice.launch.click()
    expect(alice.message).to_be_enabled()
    alice.expect_messages(["Hello Bob", *queued])
    expect(alice.message).to_have_value("And if you co")
    expect(alice.banner("Recovered draft")).to_be_visible()
    expect(alice.banner("Offline - 3 messages queued")).to_be_visible()
    expect(alice.airplane).to_be_checked()

    alice.airplane.uncheck()
    expect(alice.banner("Connected")).to_be_visible()
    bob.expect_messages(["Hello Bob", *queued])
    alice.expect_delivered(4)
    expect(alice.banner("Connected")).to_have_count(0)
    expect(alice.message).to_have_value("And if you co")


@pytest.mark.walk
def test_the_relay_is_killed_while_thirty_messages_go_out(alice, bob, relay):  # N2.4, U11.2
    texts = [f"Number {number} of thirty" for number in range(1, 31)]
    alice.airplane.check()
    expect(alice.banner("Offline")).to_be_visible()
    for text in texts:
        alice.send(text)
    expect(alice.banner("Offline - 30 messages queued")).to_be_visible()

    alice.airplane.uncheck()
    expect(alice.rows.get_by_role("time").first).to_be_visible()
    relay.kill.click()
    expect(relay.launch).to_be_enabled()
    expect(alice.banner("Reconnecting...")).to_be_visible()
    relay.launch.click()

    bob.expect_messages(texts, timeout=90_000)
    alice.expect_delivered(30)
    alice.expect_messages(texts)


POST = """(intent) => fetch("/intent", {
  method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(intent),
})"""


def test_the_relay_is_killed_in_the_middle_of_draining(page, alice, bob, relay):  # O6.3, N2.4, U11.2
    """Slows the relay down, so that it is killed after it has passed on some of the messages, on any machine."""
    texts = queue_many(alice)
    relay.misbehave("Take its time", "Takes its time for")
    alice.airplane.uncheck()
    expect(bob.row(texts[10])).to_be_visible(timeout=90_000)
    relay.kill.click()
    expect(relay.launch).to_be_enabled()
    expect(alice.banner("Reconnecting...")).to_be_visible()
    assert 10 < bob.rows.count() < len(texts)
    expect_all_once(relay, alice, bob, texts)


@pytest.mark.parametrize("delay", [80, 250])
def test_the_relay_is_killed_at_full_speed(page, alice, bob, relay, delay):  # N2.4, U11.2
    """Kills the relay some milliseconds after the network is back: before, between or after the frames."""
    texts = queue_many(alice)
    page.evaluate(
        f"""async (delay) => {{
          await ({POST})({{ part: "alice", type: "airplane", isOn: false }})
          await new Promise((done) => setTimeout(done, delay))
          await ({POST})({{ part: "relay", type: "kill" }})
        }}""",
        delay,
    )
    expect(alice.banner("Reconnecting...")).to_be_visible()
    expect_all_once(relay, alice, bob, texts)


def queue_many(phone: Phone, count: int = 300) -> list[str]:
    """Sends messages on a phone in airplane mode, as its page sends them."""
    expect(phone.message).to_be_enabled()
    phone.go_offline()
    texts = [f"Number {number} of many" for number in range(count)]
    phone.send_all(texts)
    expect(phone.banner(f"Offline - {count} messages queued")).to_be_visible(timeout=90_000)
    return texts


def expect_all_once(relay: Relay, alice: Phone, bob: Phone, texts: list[str]):
    """Starts the relay, and expects the newest messages at the end of both pages, in order."""
    relay.launch.click()
    newest = texts[-100:]
    expect(bob.rows.last).to_contain_text(newest[-1], timeout=60_000)
    bob.expect_messages(newest)
    alice.expect_messages(newest)
    alice.expect_delivered(len(newest))


def test_what_is_typed_is_what_is_sent_however_fast(alice, bob):  # O4.1, U6
    texts = [f"fast {number}" for number in range(10)]
    for text in texts:
        alice.type(text)
        alice.message.press("Enter")
    bob.expect_messages(texts)
    expect(alice.message).to_have_value("")

    alice.type("first line")
    alice.message.press("Shift+Enter")
    alice.type("second line")
    alice.send_button.click()
    expect(bob.rows.last).to_contain_text("first line\nsecond line", use_inner_text=True)
    expect(alice.message).to_have_value("")
    expect(alice.message).to_be_focused()


def test_the_list_and_back(alice):  # D12.1, D12.2, U1
    alice.send("Hello Bob")
    alice.type("half a tho")
    alice.region.get_by_role("button", name="Chats").click()
    alice.region.get_by_role("button", name="Bob").click()
    expect(alice.message).to_have_value("half a tho")
    alice.expect_messages(["Hello Bob"])


def test_a_reader_of_old_messages_is_not_moved(alice, bob):  # R3.2
    for number in range(20):
        alice.send(f"Message {number}")
    expect(bob.rows).to_have_count(20)
    log = bob.region.get_by_role("log")
    expect(bob.rows.last).to_be_in_viewport()
    log.hover()
    bob.page.mouse.wheel(0, -5000)
    expect(bob.rows.first).to_be_in_viewport()

    alice.send("And one more")
    newer = bob.region.get_by_role("button", name="New messages")
    expect(newer).to_be_visible()
    expect(bob.rows.first).to_be_in_viewport()
    newer.click()
    expect(bob.rows.last).to_be_in_viewport()
    expect(newer).to_be_hidden()


def test_the_keyboard_is_enough(page, alice, bob):
    alice.airplane.focus()
    page.keyboard.press("Space")
    expect(alice.banner("Offline")).to_be_visible()
    page.keyboard.press("Tab")
    expect(alice.kill).to_be_focused()
    page.keyboard.press("Enter")
    expect(alice.launch).to_be_focused()
    page.keyboard.press("Enter")
    expect(alice.kill).to_be_focused()
    expect(alice.message).to_be_enabled()
    page.keyboard.press("Tab")
    expect(alice.region.get_by_role("button", name="Chats")).to_be_focused()
    page.keyboard.press("Enter")
    expect(alice.region.get_by_role("button", name="Bob")).to_be_focused()
    page.keyboard.press("Enter")
    expect(alice.message).to_be_focused()
    page.keyboard.type("By keyboard alone")
    page.keyboard.press("Enter")
    expect(alice.banner("Offline - 1 message queued")).to_be_visible()


def test_a_text_that_is_refused_comes_back(alice, bob):  # D7.3, O2.2
    too_long = "x" * 150_000
    alice.message.fill(too_long)
    alice.message.press("Enter")
    alice.type("typed meanwhile")
    expect(alice.region.get_by_role("alert")).to_be_visible()
    # On a line of its own when the refusal came during the typing.
    expect(alice.message).to_have_value(re.compile(r"^x+\n?typed meanwhile$"))
    assert alice.message.input_value().count("x") == len(too_long)
    expect(alice.rows).to_have_count(0)
    alice.send("short")
    bob.expect_messages(["short"])


@pytest.mark.walk
def test_a_recovered_draft_is_discarded_and_brought_back(alice):  # D10.1, D10.5, D10.7, U4.1, U4.2
    def relaunch():
        alice.kill.click()
        expect(alice.region.get_by_text("App killed")).to_be_visible()
        alice.launch.click()
        expect(alice.message).to_be_enabled()

    discard = alice.region.get_by_role("button", name="Discard")
    alice.type("Half a thought")
    relaunch()
    expect(alice.message).to_have_value("Half a thought")
    expect(alice.banner("Recovered draft • just now")).to_be_visible()

    discard.click()
    expect(alice.message).to_have_value("")
    expect(alice.banner("Draft discarded")).to_be_visible()
    alice.region.get_by_role("button", name="Undo").click()
    expect(alice.message).to_have_value("Half a thought")
    expect(alice.banner("Draft discarded")).to_have_count(0)

    # The restored draft is stored, and the discarded one is gone for good.
    relaunch()
    expect(alice.message).to_have_value("Half a thought")
    discard.click()
    expect(alice.message).to_have_value("")
    relaunch()
    expect(alice.message).to_have_value("")
    expect(discard).to_have_count(0)
