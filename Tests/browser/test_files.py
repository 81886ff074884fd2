"""Files of messages: picked, uploaded to the server, and opened on the other phone."""

import re

import pytest
from playwright.sync_api import expect

from demo import picture

# The transfer object that a page's script gets for a dropped or pasted file.
TRANSFER = """(field, [kind, name, type]) => {
  const data = new DataTransfer()
  data.items.add(new File(["Just bytes"], name, { type }))
  const event = kind === "paste"
    ? new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })
    : new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true })
  field.dispatchEvent(event)
}"""


@pytest.mark.walk
def test_a_picture_picked_offline_is_uploaded_later_and_the_text_after_it_stays_after_it(alice, bob, relay, tmp_path):
    # O13.2, O13.3, O13.4, U13.1, U13.2
    file = tmp_path / "harbour.png"
    file.write_bytes(picture(1000, 900))
    alice.send("Look at this")
    bob.expect_messages(["Look at this"])
    alice.go_offline()
    alice.attach(file)
    alice.relaunch()
    expect(alice.picked("harbour.png")).to_be_visible()
    # The phone has a copy of its own.
    file.unlink()
    alice.type("The harbour at six")
    alice.message.press("Enter")
    expect(alice.picked("harbour.png")).to_have_count(0)
    alice.send("And this is after it")
    alice.relaunch()
    alice.expect_messages(["Look at this", "The harbour at six", "And this is after it"])
    expect(alice.row("The harbour").get_by_role("img", name="harbour.png")).to_be_visible()
    expect(alice.rows.filter(has_text="Queued - Will send when online")).to_have_count(2)

    relay.misbehave("Take its time", "Takes its time for")
    progress = alice.region.get_by_role("progressbar", name="Sending harbour.png")
    alice.airplane.uncheck()
    expect(progress).to_have_attribute("aria-valuenow", re.compile(r"^([3-9]\d)$"))
    alice.go_offline()
    expect(progress).to_have_count(0)
    bob.expect_messages(["Look at this"])
    # The upload resumes where it was, and not from the beginning.
    alice.row("The harbour").evaluate(
        """(row) => {
          window.seen = []
          new MutationObserver(() => window.seen.push(Number(row.querySelector(".ring").ariaValueNow)))
            .observe(row, { subtree: true, attributeFilter: ["aria-valuenow"] })
        }"""
    )
    alice.airplane.uncheck()
    expect(progress).to_have_attribute("aria-valuenow", re.compile(r"^([5-9]\d)$"))
    assert min(alice.page.evaluate("window.seen.filter((percent) => percent > 0)")) >= 25
    relay.stop.click()
    bob.expect_messages(["Look at this", "The harbour at six", "And this is after it"])
    alice.expect_delivered(3)
    expect(bob.row("The harbour").get_by_role("img", name="harbour.png")).to_be_visible()
    body, headers = bob.bytes("harbour.png")
    assert body == picture(1000, 900)
    assert headers["content-type"] == "image/png"
    assert bob.row("The harbour").get_by_role("img").evaluate("picture => picture.naturalWidth") == 1000


def test_a_file_that_is_no_picture_is_saved_and_never_run(alice, bob, tmp_path):  # O13
    file = tmp_path / "evil ⟨page⟩.html"
    file.write_text("<script>alert(1)</script>")
    alice.attach(file)
    alice.message.press("Enter")
    expect(bob.file(file.name)).to_be_visible()
    body, headers = bob.bytes(file.name)
    assert body == file.read_bytes()
    assert headers["content-type"] == "application/octet-stream"
    assert headers["content-disposition"].startswith("attachment;")
    assert headers["x-content-type-options"] == "nosniff"
    with bob.page.expect_download() as saved:
        bob.file(file.name).click()
    assert saved.value.suggested_filename == file.name


def test_files_are_pasted_dropped_and_taken_out_again(alice, bob, tmp_path):  # D1.7
    expect(alice.message).to_be_enabled()
    alice.message.evaluate(TRANSFER, ["paste", "pasted.png", "image/png"])
    expect(alice.picked("pasted.png")).to_be_visible()
    alice.message.evaluate(TRANSFER, ["drop", "dropped.txt", "text/plain"])
    expect(alice.picked("dropped.txt")).to_be_visible()
    alice.picked("pasted.png").click()
    expect(alice.picked("pasted.png")).to_have_count(0)
    alice.open("Weekend trip")
    expect(alice.picked("dropped.txt")).to_have_count(0)
    alice.open("Bob")
    expect(alice.picked("dropped.txt")).to_be_visible()
    alice.message.press("Enter")
    expect(bob.file("dropped.txt")).to_be_visible()
    assert bob.bytes("dropped.txt")[0] == b"Just bytes"
    expect(alice.message).to_have_value("")
    # A message without text is deleted with its file.
    alice.rows.get_by_role("button", name="Message actions").click()
    alice.menu.get_by_role("menuitem", name="Delete").click()
    bob.expect_messages(["Message deleted"])
    expect(bob.file("dropped.txt")).to_have_count(0)


def test_a_file_that_is_too_large_says_so_and_the_text_stays(alice, tmp_path):  # D16
    file = tmp_path / "holidays.mp4"
    file.write_bytes(bytes(20_000_001))
    alice.type("All of it")
    alice.region.locator("input[type=file]").set_input_files(file)
    expect(alice.region.get_by_role("alert").filter(has_text="over 20 MB")).to_be_visible()
    expect(alice.picked("holidays.mp4")).to_have_count(0)
    expect(alice.message).to_have_value("All of it")
    alice.message.press_sequentially(", but not in one piece")
    expect(alice.region.get_by_role("alert").filter(has_text="over 20 MB")).to_have_count(0)


def test_a_large_file_is_fetched_when_it_is_asked_for(alice, bob, tmp_path):  # O13
    file = tmp_path / "slides.pdf"
    file.write_bytes(picture(1300, 1300))
    alice.attach(file)
    alice.message.press("Enter")
    fetch = bob.region.get_by_role("button", name="Fetch slides.pdf")
    expect(fetch).to_be_visible(timeout=90_000)
    expect(bob.rows).to_contain_text("5.1 MB")
    fetch.click()
    expect(bob.file("slides.pdf")).to_be_visible(timeout=90_000)
    assert bob.bytes("slides.pdf")[0] == picture(1300, 1300)
