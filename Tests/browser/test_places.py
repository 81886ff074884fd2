"""The place to which each window returns."""


import shutil

import pytest
from playwright.sync_api import expect

from chromium import free_port
from demo import Demo, Phone
from test_history import delete

# The message at the upper edge of the list, and its part above the edge, in hundredths.
AT_EDGE = """(log) => {
  const edge = log.getBoundingClientRect().top
  for (const row of log.querySelectorAll("li.row")) {
    const { top, bottom, height } = row.getBoundingClientRect()
    if (bottom > edge) return [row.dataset.message, Math.round((100 * (edge - top)) / height)]
  }
}"""


def edge(phone: Phone):
    return phone.region.get_by_role("log").evaluate(AT_EDGE)


def scroll_to(phone: Phone, text: str, part: float):
    """Scrolls until this part of a message is above the upper edge, and waits until the app knows it.

    What it was told a moment before, when the last messages came, is another place.
    """
    row = phone.row(text)
    message = row.get_attribute("data-message")

    def tells(answer):
        told = answer.request.post_data or ""
        return '"type":"scroll"' in told and f'"message":"{message}"' in told

    with phone.page.expect_response(tells):
        row.evaluate(
            """(row, part) => {
              const log = row.closest("[role=log]")
              const { top, height } = row.getBoundingClientRect()
              log.scrollTop += top - log.getBoundingClientRect().top + part * height
            }""",
            part,
        )


def expect_edge(phone: Phone, where):
    """Expects the same message, and the same part of it except for a pixel or two."""
    log = phone.region.get_by_role("log")
    phone.page.wait_for_function(
        f"""([log, message, part]) => {{
          const found = ({AT_EDGE})(log)
          return found && found[0] === message && Math.abs(found[1] - part) <= 8
        }}""",
        arg=[log.element_handle(), *where],
    )


def relaunch(phone: Phone):
    phone.kill.click()
    expect(phone.region.get_by_text("App killed")).to_be_visible()
    phone.launch.click()
    expect(phone.kill).to_be_enabled()


@pytest.fixture(scope="session")
def talked(browser, tmp_path_factory):
    """The folder of a demo that has ended, with more than a page of messages. It takes most of a minute to make."""
    demo = Demo(tmp_path_factory.mktemp("talked") / "data", free_port())
    page = browser.new_page()
    page.goto(demo.start())
    alice = Phone(page, "Alice")
    expect(alice.message).to_be_enabled()
    alice.send_all([f"Line number {number}, which says something" for number in range(130)])
    expect(Phone(page, "Bob").rows.last).to_contain_text("Line number 129", timeout=90_000)
    alice.expect_delivered(100, timeout=90_000)
    # A place is stored a moment after it changed. One in the middle would show fewer messages to those who use the folder.
    expect(alice.rows.last).to_be_in_viewport()
    page.wait_for_timeout(2_000)
    page.close()
    demo.stop()
    return demo.folder


@pytest.fixture
def data(request, tmp_path):
    """A copy of the folder of `talked` for a test of a long talk."""
    data = tmp_path / "data"
    if "long_talk" in request.fixturenames:
        shutil.copytree(request.getfixturevalue("talked"), data)
    return data


@pytest.fixture
def long_talk(alice, bob):
    """More than a page of messages, the last of which is shown."""
    expect(alice.message).to_be_enabled()
    expect(bob.rows.last).to_contain_text("Line number 129", timeout=90_000)
    alice.expect_delivered(100, timeout=90_000)


@pytest.mark.walk
def test_the_same_conversation_line_and_sheet_in_each_window(alice, bob, long_talk):  # R1.1, R3.2, U15.1, U15.2
    second = alice.second_window()
    second.open("Weekend trip")
    alice.region.get_by_role("button", name="Earlier messages").click()
    expect(alice.rows).to_have_count(130)
    scroll_to(alice, "Line number 7,", 0.5)
    place = edge(alice)
    # New messages do not move the reader.
    bob.send("Meanwhile")
    expect(alice.region.get_by_role("button", name="New messages")).to_be_visible()
    alice.go_offline()
    second.send("Waits in the tunnel")
    second.choose("Waits in the tunnel", "Info")
    expect(second.dialog).to_contain_text("automatically when you're back online")
    # Autosave stores the place, without any key.
    alice.page.wait_for_timeout(1500)

    relaunch(alice)

    expect(alice.message).to_be_enabled()
    expect(alice.region.get_by_role("heading", name="Bob")).to_be_visible()
    expect_edge(alice, place)
    expect(second.region.get_by_role("heading", name="Weekend trip")).to_be_visible()
    expect(second.dialog).to_contain_text("automatically when you're back online")
    expect(second.dialog).to_contain_text("Waits in the tunnel")
    second.dialog.get_by_role("button", name="Done").click()
    expect(second.dialog).to_have_count(0)

    # From there the end is two steps away.
    newer = alice.region.get_by_role("button", name="New messages")
    expect(newer).to_be_visible()
    newer.click()
    expect(alice.row("Meanwhile")).to_be_in_viewport()
    expect(newer).to_be_hidden()


def test_the_list_goes_to_the_message_that_is_sent_and_to_no_other(alice, bob, long_talk):  # O2.6, O2.7
    for offline in [False, True]:
        if offline:
            alice.go_offline()
        scroll_to(alice, "Line number 60,", 0.25)
        place = edge(alice)
        if not offline:
            bob.send("From somebody else")
            expect(alice.region.get_by_role("button", name="New messages")).to_be_visible()
            expect_edge(alice, place)
        text = "Written in the tunnel" if offline else "Written at the top"
        alice.send(text)
        expect(alice.row(text)).to_be_in_viewport(ratio=1)
        expect(alice.rows.last).to_contain_text(text)


# Notes where the list of messages is at each of its steps, from now on.
WATCH = """(log) => {
  window.places = []
  log.addEventListener("scroll", () => window.places.push(log.scrollTop))
}"""
# Those places, once the list rests at its end.
PLACES_AT_END = """(log) => log.scrollHeight - log.clientHeight - log.scrollTop < 2 && window.places"""


def places_on_the_way_to(phone: Phone, text: str) -> list[float]:
    """Sends a message with an earlier one on the screen, and returns where the list was before it came to the end."""
    log = phone.region.get_by_role("log")
    log.evaluate(WATCH)
    phone.send(text)
    expect(phone.row(text)).to_be_in_viewport(ratio=1)
    places = phone.page.wait_for_function(PLACES_AT_END, arg=log.element_handle()).json_value()
    expect(phone.region.get_by_role("button", name="New messages")).to_be_hidden()
    return [place for place in places if place < places[-1] - 2]


def test_the_list_moves_to_a_sent_message_in_sight(alice, long_talk):  # O2.7
    scroll_to(alice, "Line number 90,", 0.25)
    places = places_on_the_way_to(alice, "Written at the top")
    assert len(set(places)) > 2 and places == sorted(places)
    # So it does from the end to the new end.
    places = places_on_the_way_to(alice, "Written at the end")
    assert len(places) > 0 and places == sorted(places)


def test_the_list_jumps_to_a_sent_message_where_less_motion_is_preferred(alice, long_talk):  # O2.7
    alice.page.emulate_media(reduced_motion="reduce")
    scroll_to(alice, "Line number 90,", 0.25)
    assert places_on_the_way_to(alice, "Written at the top") == []


def test_a_reader_who_turns_back_is_not_taken_to_the_end(page, alice, long_talk):  # O2.7, R3.2
    scroll_to(alice, "Line number 60,", 0.25)
    log = alice.region.get_by_role("log")
    log.hover()
    # The wheel turns at the first step on the way to the end.
    log.evaluate(
        """(log) => log.addEventListener("scroll", () => {
          log.dispatchEvent(new WheelEvent("wheel", { deltaY: -1 }))
          log.scrollTop = log.scrollTop
        }, { once: true })"""
    )
    alice.send("Written at the top")
    alice.expect_delivered(alice.rows.count())
    expect(alice.row("Written at the top")).not_to_be_in_viewport()


def test_a_page_that_is_opened_anew_shows_the_line_that_was_left(alice, bob, long_talk):  # R3.2, U15.1
    scroll_to(alice, "Line number 60,", 0.25)
    place = edge(alice)
    alice.page.reload()
    expect(alice.message).to_be_enabled()
    expect_edge(alice, place)
    # A larger font leaves the same line at the edge.
    alice.page.wait_for_timeout(1500)
    alice.kill.click()
    expect(alice.region.get_by_text("App killed")).to_be_visible()
    alice.page.evaluate("document.documentElement.style.fontSize = '22px'")
    alice.launch.click()
    expect(alice.message).to_be_enabled()
    expect_edge(alice, place)


def test_the_list_and_the_panel_come_back_as_they_were_left(alice):  # R1, U15.1
    expect(alice.message).to_be_enabled()
    panel = alice.region.locator("details.panel")
    was_open = panel.evaluate("panel => panel.open")
    panel.locator("summary").click()
    alice.chats.click()
    expect(alice.region.get_by_role("heading", name="Chats")).to_be_visible()
    alice.page.wait_for_timeout(1500)
    panel.evaluate("(panel, isOpen) => { panel.open = isOpen }", was_open)
    relaunch(alice)
    expect(alice.region.get_by_role("list").get_by_role("button", name="Bob")).to_be_enabled()
    expect(alice.region.get_by_role("heading", name="Chats")).to_be_visible()
    assert panel.evaluate("panel => panel.open") is not was_open


@pytest.mark.walk
def test_what_another_window_deletes_is_told_and_the_list_is_shown(alice):  # R5.1, U16.1
    second = alice.second_window()
    alice.open("Weekend trip")
    second.chats.click()
    delete(second, "Weekend trip")
    expect(alice.banner("Conversation not found")).to_be_visible()
    expect(alice.region.get_by_role("heading", name="Chats")).to_be_visible()
    expect(second.banner("Conversation not found")).to_have_count(0)
    # It can still be brought back, and is opened as before.
    alice.region.get_by_role("button", name="Undo").click()
    alice.region.get_by_role("list").get_by_role("button", name="Weekend trip").click()
    expect(alice.message).to_be_enabled()
    expect(alice.banner("Conversation not found")).to_have_count(0)


def test_what_was_deleted_meanwhile_is_told_and_the_list_is_shown(alice, relay):  # R5.1, U16.1
    second = alice.second_window()
    alice.open("Weekend trip")
    alice.send("Who brings the tent?")
    alice.expect_delivered(1)
    # Autosave stores the place.
    alice.page.wait_for_timeout(1500)
    alice.kill.click()
    expect(alice.region.get_by_text("App killed")).to_be_visible()
    relay.order("Delete “Weekend trip” for everyone")
    alice.launch.click()

    expect(alice.banner("Conversation not found")).to_be_visible()
    expect(alice.region.get_by_role("heading", name="Chats")).to_be_visible()
    expect(second.message).to_be_enabled()
    expect(second.region.get_by_role("heading", name="Bob")).to_be_visible()
    expect(second.region.get_by_text("Conversation not found")).to_have_count(0)
    alice.region.get_by_role("list").get_by_role("button", name="Bob").click()
    expect(alice.message).to_be_enabled()
    expect(alice.region.get_by_text("Conversation not found")).to_have_count(0)



def test_what_is_not_sent_stays_when_a_conversation_is_deleted_for_everyone(alice, bob, relay):  # B5.2, R5.1, U16.1
    alice.open("Weekend trip")
    alice.send("Who brings the tent?")
    alice.expect_delivered(1)
    alice.go_offline()
    alice.send("I can bring gas")
    alice.type("And a stove, if")
    relay.order("Delete “Weekend trip” for everyone")
    alice.airplane.click()
    refusal = "This conversation was deleted. What you wrote and did not send is still here."
    expect(alice.banner(refusal)).to_be_visible()
    alice.expect_messages(["I can bring gas"])
    expect(alice.message).to_have_value("And a stove, if")
    alice.relaunch()
    alice.expect_messages(["I can bring gas"])
    expect(alice.message).to_have_value("And a stove, if")
    expect(alice.banner(refusal)).to_be_visible()
    # Bob had written nothing: he has nothing left of it.
    expect(bob.region.get_by_role("list").get_by_role("button", name="Weekend trip")).to_have_count(0)


def test_a_conversation_goes_on_under_the_id_that_the_server_gives_it(alice, bob, relay):  # B5.1, D15.1, D15.3
    alice.open("Weekend trip")
    alice.send("Who brings the tent?")
    alice.expect_delivered(1)
    alice.go_offline()
    alice.send("I can bring gas")
    alice.type("And a stove, if")
    relay.order("Give “Weekend trip” another ID")
    alice.airplane.click()
    alice.expect_delivered(2)
    expect(alice.message).to_have_value("And a stove, if")
    bob.open("Weekend trip")
    bob.expect_messages(["Who brings the tent?", "I can bring gas"])
    bob.send("I have one")
    alice.expect_messages(["Who brings the tent?", "I can bring gas", "I have one"])
    alice.relaunch()
    expect(alice.message).to_have_value("And a stove, if")
    alice.expect_messages(["Who brings the tent?", "I can bring gas", "I have one"])
