"""Older messages, which a phone does not have and its server gives (rules B6, U23)."""

import contextlib
import shutil

import pytest
from playwright.sync_api import Error, expect

from chromium import capture
from demo import SCREENSHOTS, Phone
from relay_store import fill

NEWEST = 100
ALL = 260


def line(number: int) -> str:
    return f"Line number {number}, which says something"


def lines(phone: Phone) -> list[str]:
    return phone.region.get_by_role("log").locator(".bubble").all_inner_texts()


def scroll_up(phone: Phone):
    """Scrolls to the upper end, as a reader does."""
    phone.region.get_by_role("log").hover()
    phone.page.mouse.wheel(0, -100_000)


def show_earlier(phone: Phone):
    """Taps the button above the rows, if there is one: what the reader comes near loads by itself."""
    with contextlib.suppress(Error):
        phone.region.get_by_role("button", name="Earlier messages").click(timeout=1_000)


def above(phone: Phone, text: str):
    return phone.region.get_by_role("log").get_by_role("status").filter(has_text=text)


@pytest.fixture
def new_phone(demo, page, alice, bob) -> Phone:
    """Bob's new phone: the relay has more of his conversation with Alice than it is told at first."""
    expect(alice.message).to_be_enabled()
    alice.send(line(0))
    bob.expect_messages([line(0)])
    demo.stop()
    fill(demo.folder / "relay", range(1, ALL), line)
    shutil.rmtree(demo.folder / "bob")
    demo.start()
    page.reload()
    expect(bob.message).to_be_enabled()
    expect(bob.rows.last).to_contain_text(f"Line number {ALL - 1},")
    return bob


@pytest.mark.walk
def test_older_messages_come_from_the_server_when_the_reader_scrolls_up(new_phone):  # B6.1, B6.4, H7.2, U23.1
    bob = new_phone
    expect(bob.rows).to_have_count(NEWEST)
    assert lines(bob)[0].startswith(f"Line number {ALL - NEWEST},")
    scroll_up(bob)
    expect(bob.rows).to_have_count(2 * NEWEST)
    # The reader's line has not moved.
    expect(bob.row(f"Line number {ALL - NEWEST},")).to_be_in_viewport()
    scroll_up(bob)
    expect(bob.rows).to_have_count(ALL)
    assert [int(line.split(",")[0].removeprefix("Line number ")) for line in lines(bob)] == list(range(ALL))
    scroll_up(bob)
    expect(bob.region.get_by_role("button", name="Earlier messages")).to_be_hidden()
    # It is on the phone now: it is there after a launch, in the tunnel.
    bob.go_offline()
    bob.relaunch()
    for _ in range(3):
        show_earlier(bob)
    expect(bob.row("Line number 0,")).to_be_attached()


@pytest.mark.walk
def test_offline_it_says_so_and_what_was_asked_for_comes_afterwards(new_phone):  # B6.1, U23.2
    bob = new_phone
    bob.go_offline()
    scroll_up(bob)
    expect(above(bob, "More messages load when you are online")).to_be_visible()
    expect(bob.rows).to_have_count(NEWEST)
    bob.airplane.uncheck()
    expect(above(bob, "More messages")).to_be_hidden()
    scroll_up(bob)
    expect(bob.row(f"Line number {ALL - NEWEST - 1},")).to_be_attached()


def test_a_search_hit_that_is_not_here_is_marked_and_leads_to_it(new_phone):  # B6.3, B6.6, U17, U23.1
    bob = new_phone
    bob.chats.click()
    field = bob.region.get_by_role("searchbox", name="Search messages")
    hits = bob.region.get_by_role("list", name="Found").get_by_role("listitem")
    field.fill("number 7 says")
    # The seventh, and the seventies.
    expect(hits).to_have_count(11)
    expect(hits.filter(has_text="On the server")).to_have_count(11)
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    capture(bob.page, SCREENSHOTS / "found-on-the-server.png")
    bob.go_offline()
    field.fill("number 8 says")
    expect(bob.region.get_by_text("Only messages on this device are found while you are offline")).to_be_visible()
    expect(hits).to_have_count(0)
    bob.airplane.uncheck()
    field.fill("number 7 says")
    hits.filter(has_text="Line number 7,").get_by_role("button").click()
    expect(bob.row("Line number 7,")).to_be_in_viewport()


def test_a_quote_of_a_message_that_is_not_here_leads_to_it(new_phone, alice):  # B6.3, U23.1
    bob = new_phone
    for _ in range(2):
        alice.region.get_by_role("button", name="Earlier messages").click()
    expect(alice.rows).to_have_count(ALL)
    alice.choose("Line number 7,", "Reply")
    alice.send("I mean this one")
    answer = bob.row("I mean this one")
    expect(answer).to_be_visible()
    answer.get_by_role("group", name="Answers").get_by_role("button").click()
    sought = bob.row("Line number 7,")
    expect(sought).to_be_in_viewport()
    # All between is there too.
    texts = lines(bob)
    first = texts.index("Line number 7, which says something")
    assert [text.split(",")[0] for text in texts[first:first + 50]] == [f"Line number {n}" for n in range(7, 57)]
    bob.region.get_by_role("button", name="New messages").click()
    expect(answer).to_be_in_viewport()


def test_a_phone_that_is_killed_while_it_reads_back_goes_on(new_phone):  # B6.5, U23.1
    bob = new_phone
    scroll_up(bob)
    bob.kill.click()
    expect(bob.region.get_by_text("App killed")).to_be_visible()
    bob.launch.click()
    expect(bob.kill).to_be_enabled()
    expect(bob.rows.last).to_contain_text(f"Line number {ALL - 1},")
    for _ in range(6):
        if bob.rows.count() == ALL:
            break
        scroll_up(bob)
        show_earlier(bob)
    expect(bob.rows).to_have_count(ALL)
    assert [int(line.split(",")[0].removeprefix("Line number ")) for line in lines(bob)] == list(range(ALL))
