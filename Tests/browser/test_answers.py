"""An assistant's answer in Markdown, and the images and videos of a message: nothing is fetched unasked."""

import json
import re

import pytest
from playwright.sync_api import expect

from demo import colours
from test_history import bring, listed, put_away

ANSWER = """# A plan

Take **the early train**, see [the *timetable*](https://trains.example/table?day=6), or https://bare.example/.
Not [this](javascript:alert(1)), nor <b onclick="alert(1)">this</b>.

![The map](https://maps.example/map.png)

1. Pack
   - [x] ticket
   - [ ] tea
2. Leave

> Who is early
> sees more.

| Train | Price |
|:------|------:|
| Fast  |   30  |
| Slow  |   12  |

```swift
let seat = "window"
print(seat) // <script>alert(1)</script>
```
"""


@pytest.fixture
def asked(context):
    """The addresses outside of the demo that a page of the test has asked for. Each gets an answer from here."""
    asked = []

    def answer(route):
        asked.append(route.request.url)
        route.fulfill(body="The page behind the link", content_type="text/plain")

    context.route(re.compile(r"^https?://[^/]*\.example"), answer)
    return asked


def talk(phone, tmp_path, *messages: dict):
    """Brings a conversation along from another app, and opens it."""
    expect(phone.message).to_be_enabled()
    phone.chats.click()
    file = tmp_path / "messages.json"
    stamped = [{"timestamp": f"2024-03-01T10:0{n}:00Z", **message} for n, message in enumerate(messages)]
    file.write_text(json.dumps(stamped))
    bring(phone, file)
    put_away(phone)
    listed(phone, messages[0]["content"] or "Image").click()


QUESTION = {"role": "user", "content": "How do we get *there*?"}


def test_an_answer_is_drawn_and_a_question_stays_as_typed(alice, asked, context, tmp_path):
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    talk(alice, tmp_path, QUESTION, {"role": "assistant", "content": ANSWER})
    expect(alice.rows.nth(0).locator(".bubble")).to_have_text("How do we get *there*?")
    answer = alice.rows.nth(1)
    expect(answer.get_by_role("heading", name="A plan")).to_be_visible()
    expect(answer.locator("strong")).to_have_text("the early train")
    expect(answer.locator("ol > li")).to_have_count(2)
    expect(answer.get_by_role("checkbox", name="Done")).to_be_checked()
    expect(answer.get_by_role("checkbox", name="To do")).not_to_be_checked()
    expect(answer.locator("blockquote")).to_have_text("Who is early\nsees more.")
    expect(answer.get_by_role("columnheader")).to_have_text(["Train", "Price"])
    expect(answer.get_by_role("cell")).to_have_text(["Fast", "30", "Slow", "12"])
    expect(answer.locator(".language")).to_have_text("swift")
    # HTML and other addresses are texts.
    expect(answer.get_by_role("link")).to_have_text(["the timetable", "https://bare.example/", "The map"])
    expect(answer).to_contain_text('Not this, nor <b onclick="alert(1)">this</b>.')
    assert answer.locator("b, script, img, [href], [src], [style]").count() == 0

    answer.get_by_role("button", name="Copy").click()
    expect(answer.get_by_role("button", name="Copied")).to_be_visible()
    copied = alice.page.evaluate("navigator.clipboard.readText()")
    assert copied == 'let seat = "window"\nprint(seat) // <script>alert(1)</script>'
    assert asked == []


def test_a_link_shows_its_address_and_opens_after_a_yes(alice, asked, context, tmp_path):
    hostile = "[bank](https://bank.example@evil.example/%0A) and [b](https://b\u0430nk.example/)"
    talk(alice, tmp_path, QUESTION, {"role": "assistant", "content": ANSWER + "\n\n" + hostile})
    link = alice.rows.get_by_role("link", name="the timetable")
    link.click()
    expect(alice.dialog.locator(".address")).to_have_text("https://trains.example/table?day=6")
    expect(alice.dialog.get_by_role("button", name="Cancel")).to_be_focused()
    alice.page.keyboard.press("Escape")
    expect(alice.dialog).to_have_count(0)
    expect(link).to_be_focused()
    alice.page.keyboard.press("Enter")
    alice.dialog.get_by_role("button", name="Cancel").click()
    expect(alice.dialog).to_have_count(0)
    # What is meant to look like another host does not.
    alice.rows.get_by_role("link", name="bank").click()
    expect(alice.dialog.locator(".address")).to_have_text("https://bank.example@evil.example/%0A")
    expect(alice.dialog.locator("strong")).to_have_text("evil.example")
    alice.page.keyboard.press("Escape")
    alice.rows.get_by_role("link", name="b", exact=True).click()
    expect(alice.dialog.locator("strong")).to_have_text(re.compile(r"^xn--"))
    alice.page.keyboard.press("Escape")
    link.click(button="middle")
    link.click(modifiers=["Control"])
    assert len(context.pages) == 1 and asked == []
    with context.expect_page() as opened:
        alice.dialog.get_by_role("button", name="Open in a new tab").click()
    expect(opened.value.get_by_text("The page behind the link")).to_be_visible()
    assert opened.value.evaluate("window.opener") is None
    assert asked == ["https://trains.example/table?day=6"]
    expect(alice.dialog).to_have_count(0)


def test_what_is_drawn_of_an_answer_stays_while_it_is_written(alice):
    alice.open("Assistant")
    # Each element that is removed while the words come.
    alice.region.get_by_role("log").evaluate(
        """(log) => {
          window.gone = []
          new MutationObserver((records) => {
            for (const { removedNodes } of records)
              for (const node of removedNodes) if (node.nodeType === 1 && node.closest) window.gone.push(node.outerHTML)
          }).observe(log.querySelector(".rows"), { subtree: true, childList: true })
        }"""
    )
    alice.send("Write Markdown")
    answer = alice.rows.nth(1)
    expect(answer.get_by_role("heading", name="What I can write")).to_be_visible()
    answer.locator(".bubble").evaluate("bubble => { window.first = bubble.firstChild }")
    expect(answer.locator(".code code")).to_contain_text("try chat.send", timeout=90_000)
    expect(answer.get_by_role("time")).to_be_visible(timeout=90_000)
    expect(answer.get_by_role("cell")).to_have_text(["saved", "queued", "0"])
    assert alice.page.evaluate("window.first.isConnected")
    gone = [html for html in alice.page.evaluate("window.gone") if 'class="meta' not in html]
    drawn = [html for html in gone if re.match(r"<(p|h\d|ul|li|blockquote|div class=\"(code|table))", html)]
    # A table is a paragraph until its second line is there.
    assert len(drawn) <= 1, drawn


def test_what_was_found_is_marked_in_an_answer(alice, tmp_path):
    talk(alice, tmp_path, QUESTION, {"role": "assistant", "content": ANSWER})
    alice.chats.click()
    alice.region.get_by_role("searchbox").press_sequentially("early")
    alice.region.get_by_role("list", name="Found").get_by_role("button").first.click()
    expect(alice.rows.get_by_role("mark")).to_have_text(["early", "early"])
    expect(alice.rows.locator("strong mark")).to_have_text("early")


SIGHTS = {
    "images": ["https://pictures.example/2024/harbour.jpg", "asset-7", "javascript:alert(1)"],
    "videos": ["https://videos.example/watch?v=7"],
}


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_images_and_videos_elsewhere_are_tiles_that_ask(alice, asked, context, tmp_path, role):  # L6.1, L6.2
    talk(alice, tmp_path, QUESTION, {"role": role, "content": "", **SIGHTS})
    row = alice.rows.nth(1)
    expect(row.locator(".bubble")).to_be_hidden()
    tiles = row.get_by_role("group", name="Images and videos").get_by_role("button")
    expect(tiles).to_have_text([
        "harbour.jpgImage · pictures.example", "asset-7Image", "javascript:alert(1)Image", "videos.exampleVideo",
    ])  # fmt: skip
    for number in [1, 2]:
        tiles.nth(number).click()
        expect(alice.dialog).to_contain_text("It cannot be opened here.")
        expect(alice.dialog.get_by_role("button", name="Open in a new tab")).to_have_count(0)
        alice.dialog.get_by_role("button", name="Done").click()
    tiles.nth(3).click()
    expect(alice.dialog.locator(".address")).to_have_text("https://videos.example/watch?v=7")
    alice.page.keyboard.press("Escape")
    expect(tiles.nth(3)).to_be_focused()
    tiles.nth(0).click()
    assert asked == [] and len(context.pages) == 1
    with context.expect_page() as opened:
        alice.dialog.get_by_role("button", name="Open in a new tab").click()
    opened.value.wait_for_load_state()
    assert asked == ["https://pictures.example/2024/harbour.jpg"]


def test_an_attached_picture_opens_large(alice, tmp_path):
    file = tmp_path / "harbour.png"
    file.write_bytes(colours(1200, 620))
    alice.attach(file)
    alice.message.press("Enter")
    alice.expect_delivered(1)
    small = alice.file("harbour.png")
    small.click()
    large = alice.dialog.get_by_role("img", name="harbour.png")
    expect(large).to_be_visible()
    assert large.evaluate("picture => picture.naturalWidth") == 1200
    box, thumbnail = large.bounding_box(), small.bounding_box()
    assert box["width"] > 2 * thumbnail["width"] and box["height"] < 900
    alice.page.keyboard.press("Escape")
    expect(alice.dialog).to_have_count(0)
    expect(small).to_be_focused()
    small.click()
    alice.dialog.get_by_role("button", name="Close").click()
    expect(alice.dialog).to_have_count(0)


def test_pictures_of_answers(alice, picture, tmp_path):
    talk(
        alice, tmp_path, QUESTION, {"role": "assistant", "content": ANSWER + "\n### Then\n\nWe *walk*.\n\n---\n\nBye!"},
        {"role": "user", "content": "", **SIGHTS}, {"role": "assistant", "content": "As you see:", **SIGHTS},
    )  # fmt: skip
    answer = alice.rows.nth(1)
    answer.get_by_role("heading", name="A plan").scroll_into_view_if_needed()
    picture("60-answer")
    answer.locator(".code").scroll_into_view_if_needed()
    picture("61-table-and-code")
    answer.get_by_role("link", name="the timetable").click()
    picture("62-link")
    alice.page.keyboard.press("Escape")
    expect(answer.get_by_role("link", name="the timetable")).to_be_focused()
    alice.region.get_by_role("log").evaluate("log => log.scrollTo(0, log.scrollHeight)")
    expect(alice.region.locator(".row").last.get_by_role("time")).to_be_in_viewport()
    picture("63-tiles")
    alice.open("Bob")
    file = tmp_path / "harbour.png"
    file.write_bytes(colours(1200, 620))
    alice.attach(file)
    alice.message.press("Enter")
    alice.file("harbour.png").click()
    expect(alice.dialog.get_by_role("img")).to_be_visible()
    picture("64-picture")
    alice.page.keyboard.press("Escape")
    alice.open("Assistant")
    alice.send("Write Markdown")
    expect(alice.rows.nth(1)).to_contain_text("A quote, as", timeout=90_000)
    picture("65-streaming")
