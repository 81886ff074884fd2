"""What the page shows before something was read for the first time, and after a read that has failed."""

import json
import subprocess

import pytest
from playwright.sync_api import expect

from demo import ROOT, Phone

# Draws a third phone, Carol, as the page draws a phone that says this. It starts from what Alice's phone says.
CAROL = """async () => {
  const { promise, resolve } = Promise.withResolvers()
  const events = new EventSource("/events")
  events.onmessage = ({ data }) => {
    const state = JSON.parse(data)
    if (state.part === "alice" && state.snapshot?.list.rows.length > 0) resolve(state)
  }
  const state = await promise
  events.close()
  const { Device } = await import("/device.js")
  const section = document.getElementById("phone").content.firstElementChild.cloneNode(true)
  document.querySelector("main").append(section)
  const carol = new Device("carol", "Carol", section)
  window.showCarol = (snapshot) => carol.show({ ...state, snapshot: { ...state.snapshot, ...snapshot } })
}"""


@pytest.fixture
def carol(page, alice):
    expect(alice.message).to_be_enabled()
    page.evaluate(CAROL)
    return Phone(page, "Carol")


def show(carol: Phone, **snapshot):
    carol.page.evaluate("(snapshot) => showCarol(snapshot)", snapshot)


def intent_of(page, act) -> dict:
    """What the page posts when this is done."""
    with page.expect_request("**/intent") as posted:
        act()
    return json.loads(posted.value.post_data)


NO_ROWS = {"rows": [], "hasMore": False, "undoable": [], "note": "No conversations"}
LOADING = {"isLoading": True, "isAlone": False}
LOCKED = "The store is protected until the device is unlocked. It opens then."


def noted(note):
    """What stands in the place of rows that were read."""
    return {"isLoading": False, "isAlone": False, "note": note}


def failed(what, why, is_alone=True):
    """What stands in the place of rows that could not be read, or above those of an earlier read."""
    return {"isLoading": False, "isAlone": is_alone, "failure": f"The {what} could not be read.", "reason": why}


SHAPES = """(view) => getComputedStyle(view, "::after").content !== "none" """


def test_a_list_shows_shapes_until_it_is_read(carol):  # H7.4
    show(carol, conversation=None, list=NO_ROWS, conversations=[], listContent=LOADING)
    view = carol.region.locator(".list-view")
    assert view.evaluate(SHAPES)
    expect(carol.region.get_by_text("No conversations")).to_be_hidden()
    show(carol, conversation=None, list=NO_ROWS, conversations=[], listContent=noted("No conversations"))
    assert not view.evaluate(SHAPES)
    expect(carol.region.get_by_text("No conversations")).to_be_visible()


def test_a_conversation_shows_shapes_until_it_is_read(page, carol):  # H7.4
    unread = page.evaluate("() => ({ id: 'new', title: '', rows: [], hasOlder: false, hasNewer: false, note: 'No messages yet' })")
    log = carol.region.get_by_role("log")
    show(carol, conversation=unread, messages=[], content=LOADING)
    assert log.evaluate(SHAPES)
    expect(carol.region.get_by_text("No messages yet")).to_be_hidden()
    show(carol, conversation=unread, messages=[], content=noted("No messages yet"))
    assert not log.evaluate(SHAPES)
    expect(carol.region.get_by_text("No messages yet")).to_be_visible()


def test_a_list_that_cannot_be_read_says_so_and_is_read_again(page, carol):  # V5.1, V5.2
    show(carol, conversation=None, list=NO_ROWS, conversations=[], listContent=failed("conversations", "The disk failed."))
    alert = carol.region.get_by_role("alert")
    expect(alert).to_have_text("The conversations could not be read. The disk failed.")
    expect(carol.region.get_by_text("No conversations")).to_be_hidden()
    again = carol.region.get_by_role("button", name="Try again")
    assert intent_of(page, again.click) == {"part": "carol", "type": "reload"}
    # An earlier read's rows stay, and the words are above them.
    show(carol, conversation=None, listContent=failed("conversations", "The disk failed.", is_alone=False))
    expect(alert).to_be_visible()
    expect(carol.region.get_by_role("button", name="Weekend trip")).to_be_visible()
    show(carol, conversation=None)
    expect(alert).to_have_count(0)


@pytest.fixture
def device_lock(tmp_path, monkeypatch):
    """A file that locks Alice's device while it exists: her app can then read no byte of its files."""
    library, lock = tmp_path / "protected_files.so", tmp_path / "locked"
    source = ROOT / "Tests/Preloaded/protected_files.c"
    subprocess.run(["clang", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    monkeypatch.setenv("LD_PRELOAD", str(library))
    monkeypatch.setenv("PROTECTED_FOLDER", str((tmp_path / "data/alice").resolve()))
    monkeypatch.setenv("PROTECTED_WHILE", str(lock))
    return lock


@pytest.fixture
def lockable(device_lock, request):
    """The demo's page, of a demo that was started on the lockable device."""
    request.getfixturevalue("page")
    return device_lock


def test_a_conversation_that_a_locked_device_hides_is_not_shown_as_empty(lockable, alice, bob):  # V5.1, V5.2
    bob.open("Weekend trip")
    for number in range(20):
        bob.send(f"Plan {number} " + "and so on " * 500)
    bob.chats.click()
    expect(bob.region.get_by_label("not sent")).to_have_count(0)
    alice.chats.click()
    expect(alice.region.get_by_role("button", name="Weekend trip")).to_contain_text("Plan 19")
    alice.region.get_by_role("button", name="Bob").click()
    # An app that was launched anew remembers no pages.
    alice.relaunch()
    expect(alice.panel).to_contain_text("Online")
    lockable.touch()
    alice.chats.click()
    alice.region.get_by_role("list").get_by_role("button", name="Weekend trip").click()
    alert = alice.region.get_by_role("alert").filter(has_text="The messages could not be read.")
    expect(alert).to_contain_text("protected until the device is unlocked")
    expect(alice.region.get_by_text("No messages yet")).to_be_hidden()
    expect(alice.region.get_by_text("Conversation not found")).to_have_count(0)
    again = alice.region.get_by_role("button", name="Try again")
    again.click()
    expect(again).to_be_focused()
    expect(alert).to_be_visible()
    button = again.element_handle()
    lockable.unlink()
    # The place of the window, which could not be stored either, may be stored first: that commit reads again too.
    button.dispatch_event("click")
    expect(alert).to_have_count(0)
    expect(alice.rows).to_have_count(20)
    expect(alice.rows.last).to_contain_text("Plan 19")
    expect(alice.message).to_be_focused()


def test_pictures_of_what_is_not_read(carol, picture):
    show(carol, conversation=None, list=NO_ROWS, conversations=[], listContent=LOADING)
    carol.region.scroll_into_view_if_needed()
    carol.page.locator("#alice").evaluate("(phone) => phone.remove()")
    picture("42-list-loading")
    show(carol, conversation=None, list=NO_ROWS, conversations=[], listContent=failed("conversations", LOCKED))
    picture("43-list-unreadable")
    show(carol, conversation=None, listContent=failed("conversations", LOCKED, is_alone=False))
    picture("44-list-partly-unreadable")
    show(carol, content=failed("messages", LOCKED, is_alone=False))
    picture("45-conversation-unreadable")
