"""Pictures of the demo for people to look at, in both widths and both colour schemes."""

import re

import pytest
from playwright.sync_api import expect

from demo import SCREENSHOTS, Phone, Relay

SIZES = {"desktop": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844}}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_pictures(browser, demo, size, scheme):
    context = browser.new_context(viewport=SIZES[size], color_scheme=scheme, locale="en-GB")
    page = context.new_page()
    page.goto(demo.url)
    alice, bob = Phone(page, "Alice"), Phone(page, "Bob")
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)

    def picture(name):
        page.screenshot(path=SCREENSHOTS / f"{size}-{scheme}-{name}.png", animations="disabled")

    expect(alice.message).to_be_enabled()
    picture("1-empty")
    alice.send("Are you on the train already?")
    bob.expect_messages(["Are you"])
    bob.send("Yes! Window seat, and the sea is on our side all the way until the tunnels begin 🌊")
    bob.send("🎉")
    bob.send("שלום, מה שלומך? وقت العشاء")
    alice.expect_messages(["Are you", "Yes", "🎉", "שלום"])
    alice.send("https://example.org/" + "a-very-long-path-without-a-break" * 3)
    bob.expect_messages(["Are you", "Yes", "🎉", "שלום", "https"])

    alice.airplane.check()
    alice.send("Tunnel now")
    alice.send("Tell Kim that dinner is at eight, and that I bring the wine")
    expect(alice.banner("Offline - 2 messages queued")).to_be_visible()
    alice.type("One more thing, it is")
    page.evaluate("document.fonts.ready")
    picture("2-offline")

    bob.region.get_by_role("button", name="Chats").click()
    alice.kill.click()
    expect(alice.region.get_by_text("App killed")).to_be_visible()
    picture("3-killed")

    alice.launch.click()
    expect(alice.banner("Recovered draft")).to_be_visible()
    picture("4-relaunched")
    alice.airplane.uncheck()
    expect(alice.banner("Connected")).to_be_visible()
    picture("5-connected")
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_pictures_of_what_lies_over_the_screen(browser, demo, size, scheme):
    context = browser.new_context(viewport=SIZES[size], color_scheme=scheme, locale="en-GB")
    page = context.new_page()
    page.goto(demo.url)
    alice, bob, relay = Phone(page, "Alice"), Phone(page, "Bob"), Relay(page)
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)

    def picture(name):
        page.screenshot(path=SCREENSHOTS / f"{size}-{scheme}-{name}.png", animations="disabled")

    alice.send("Dinner at eight?")
    bob.expect_messages(["Dinner"])
    alice.go_offline()
    alice.send("I bring the wine")
    alice.tap("I bring the wine")
    expect(alice.menu).to_be_visible()
    picture("6-menu")
    alice.menu.get_by_role("menuitem", name="Info").click()
    expect(alice.dialog).to_contain_text("automatically")
    picture("7-info")
    alice.dialog.get_by_role("button", name="Done").click()
    relay.misbehave("Refuse the next message", "Refuses the next message")
    alice.airplane.uncheck()
    expect(alice.row("I bring the wine")).to_contain_text("Failed - Tap to retry")
    alice.tap("I bring the wine")
    expect(alice.menu).to_be_visible()
    picture("8-failed")
    alice.menu.get_by_role("menuitem", name="Edit").click()
    relay.misbehave("Answer 503", "Answers 503 for")
    relay.misbehave("Lose the next 3 receipts", "Loses the next 3 receipts")
    picture("9-misbehaving")
    relay.stop.click()
    alice.go_offline()
    alice.message.press("Enter")
    alice.send("See you in an hour")
    alice.let_pass(3)
    alice.airplane.uncheck()
    expect(alice.dialog).to_contain_text("2 messages have waited for long")
    expect(alice.banner("Connected")).to_have_count(0)
    picture("10-question")
    alice.dialog.get_by_role("button", name="Keep waiting").click()
    alice.chats.click()
    expect(alice.region.get_by_role("button", name="Weekend trip")).to_be_visible()
    picture("11-list")
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_pictures_of_what_is_done_with_messages(browser, demo, size, scheme):
    context = browser.new_context(viewport=SIZES[size], color_scheme=scheme, locale="en-GB")
    page = context.new_page()
    page.goto(demo.url)
    alice, bob, relay = Phone(page, "Alice"), Phone(page, "Bob"), Relay(page)
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)

    def picture(name):
        page.screenshot(path=SCREENSHOTS / f"{size}-{scheme}-{name}.png", animations="disabled")

    alice.send("Dinner at eight?")
    bob.expect_messages(["Dinner"])
    bob.send("Yes, gladly! Shall I bring something?")
    alice.expect_messages(["Dinner", "Yes"])
    bob.react("Dinner", "Heart")
    alice.chip("Dinner", "❤️").click()
    alice.react("Yes", "Thumbs up")
    expect(bob.chip("Yes", "👍")).to_be_visible()
    alice.actions("Dinner").click()
    picture("12-actions")
    alice.menu.get_by_role("menuitem", name="Reply").click()
    alice.message.press_sequentially("A thought of some length")
    expect(alice.region.get_by_role("group", name="Reply to yourself")).to_be_visible()
    picture("13-reply")
    alice.region.get_by_role("button", name="Cancel reply").click()
    alice.act("Dinner", "Edit")
    expect(alice.message).to_have_value("Dinner at eight?")
    alice.message.fill("Dinner at half past eight?")
    picture("14-edit")
    alice.go_offline()
    alice.message.press("Enter")
    expect(alice.row("half past")).to_contain_text("Edit queued")
    alice.chip("Yes", "👍").click()
    expect(alice.row("Yes")).to_contain_text("Removal of a reaction queued")
    picture("15-changes")
    alice.airplane.uncheck()
    expect(bob.row("half past")).to_contain_text("edited")
    bob.act("Yes", "Delete")
    expect(alice.row("Message deleted")).to_be_visible()
    alice.message.fill("")
    alice.region.get_by_role("button", name="Earlier texts").click()
    expect(alice.dialog).to_be_visible()
    picture("16-earlier-texts")
    alice.dialog.get_by_role("button", name="A thought").click()
    expect(alice.message).to_have_value("A thought of some length")
    relay.misbehave("Refuse the conversation", "Refuses the conversation")
    alice.message.press("Enter")
    again = alice.region.get_by_role("button", name="Try again")
    expect(again).to_be_visible()
    picture("17-refused")
    again.click()
    expect(again).to_be_hidden()
    alice.go_offline()
    for number in range(20):
        alice.send(f"Number {number}")
    relay.misbehave("Take its time", "Takes its time")
    alice.airplane.uncheck()
    expect(alice.region.get_by_text(re.compile(r"Sending \d+ of 20"))).to_be_visible()
    picture("18-drain")
    context.close()


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_wider_than_the_window(browser, demo, size):
    context = browser.new_context(viewport=SIZES[size])
    page = context.new_page()
    page.goto(demo.url)
    expect(Phone(page, "Bob").message).to_be_enabled()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()


def test_picture_for_the_readme(browser, demo):
    """The picture that the README shows is a copy of this one: docs/demo.png."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-GB", device_scale_factor=1.5)
    page = context.new_page()
    page.goto(demo.url)
    alice, bob = Phone(page, "Alice"), Phone(page, "Bob")
    alice.send("Are you on the train already?")
    bob.expect_messages(["Are you"])
    bob.send("Yes! Window seat, and the sea is on our side all the way until the tunnels begin 🌊")
    alice.expect_messages(["Are you", "Yes"])
    alice.airplane.check()
    alice.send("In the tunnel now")
    alice.send("Tell Kim that dinner is at eight")
    alice.send("I bring the wine 🍷")
    expect(alice.banner("Offline - 3 messages queued")).to_be_visible()
    alice.type("And if you co")
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=SCREENSHOTS / "readme.png", animations="disabled")
    context.close()
