"""What is unread, and what was read on the other phone."""

import pytest
from playwright.sync_api import expect


def ticks(phone, text):
    return phone.row(text).get_by_role("img")


@pytest.mark.walk
def test_a_message_is_delivered_and_then_read_by_the_other_phone(alice, bob):  # B13.2, U24.2
    bob.chats.click()
    alice.send("Are you there?")
    expect(ticks(alice, "Are you there?")).to_have_accessible_name("Delivered")
    bob.region.get_by_role("list").get_by_role("button", name="Alice").click()
    expect(ticks(alice, "Are you there?")).to_have_accessible_name("Read")
    expect(bob.rows.get_by_role("img")).to_have_count(0)


@pytest.mark.walk
def test_a_list_counts_what_is_unread_until_it_is_opened(alice, bob):  # B13.3, U24.1
    bob.chats.click()
    conversation = bob.region.get_by_role("list").get_by_role("button", name="Alice")
    for number in range(3):
        alice.send(f"Message {number}")
    expect(conversation.get_by_label("3 unread")).to_be_visible()
    # Autosave stores the place.
    bob.page.wait_for_timeout(1500)
    bob.kill.click()
    expect(bob.region.get_by_text("App killed")).to_be_visible()
    bob.launch.click()
    expect(conversation).to_be_enabled()
    expect(conversation.get_by_label("3 unread")).to_be_visible()
    conversation.click()
    expect(bob.rows).to_have_count(3)
    bob.chats.click()
    expect(conversation.get_by_label("unread")).to_have_count(0)


def test_a_mark_of_a_phone_that_is_killed_before_it_could_tell_is_told_later(alice, bob):  # B13.1, U24.2
    bob.chats.click()
    alice.send("Read me")
    conversation = bob.region.get_by_role("list").get_by_role("button", name="Alice")
    expect(conversation.get_by_label("1 unread")).to_be_visible()
    bob.airplane.check()
    expect(bob.banner("Offline")).to_be_visible()
    conversation.click()
    expect(bob.rows).to_have_count(1)
    bob.chats.click()
    expect(conversation.get_by_label("unread")).to_have_count(0)
    bob.kill.click()
    expect(bob.region.get_by_text("App killed")).to_be_visible()
    expect(ticks(alice, "Read me")).to_have_accessible_name("Delivered")
    bob.launch.click()
    bob.airplane.uncheck()
    expect(ticks(alice, "Read me")).to_have_accessible_name("Read", timeout=90_000)


def test_a_conversation_that_is_drawn_again_under_the_mouse_is_opened(alice, bob):  # B13.3
    alice.chats.click()
    conversation = alice.region.get_by_role("list").get_by_role("button", name="Bob")
    conversation.hover()
    alice.page.mouse.down()
    bob.send("While the button is down")
    expect(conversation.get_by_label("1 unread")).to_be_visible()
    alice.page.mouse.up()
    expect(alice.region.get_by_role("heading", name="Bob")).to_be_visible()


def test_pictures_of_reading(alice, bob, picture):
    bob.chats.click()
    alice.send("Are you there?")
    alice.send("I have the stove")
    expect(bob.region.get_by_label("2 unread")).to_be_visible()
    picture("40-unread")
    bob.region.get_by_role("list").get_by_role("button", name="Alice").click()
    expect(ticks(alice, "I have the stove")).to_have_accessible_name("Read")
    picture("41-read")
