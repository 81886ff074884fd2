"""Conversations on one device, without a server."""

import re

import pytest
from playwright.sync_api import expect


@pytest.fixture
def options():
    return ["--backend", "device"]


@pytest.mark.walk
def test_a_chat_with_an_assistant_needs_no_server(alice, demo):  # L1.1, L1.2, U21.1, U21.2
    assert len(demo.children()) == 1
    expect(alice.page.get_by_role("region", name="Relay")).to_have_count(0)
    expect(alice.page.get_by_role("region", name="Bob")).to_have_count(0)
    expect(alice.region.get_by_role("heading", name="Assistant")).to_be_visible()
    expect(alice.message).to_be_enabled()
    alice.send("Is anybody there?")
    expect(alice.rows.first.get_by_role("time")).to_be_visible()
    reply = alice.rows.nth(1)
    expect(reply).to_contain_text("You wrote: “Is anybody there?”. I am built into", timeout=90_000)
    alice.relaunch()
    expect(reply).to_contain_text("Interrupted")
    reply.get_by_role("button", name="Continue").click()
    expect(reply.get_by_role("time")).to_be_visible(timeout=90_000)
    expect(reply.locator(".bubble")).to_contain_text("and never two.")
    expect(reply).not_to_have_class(re.compile("mine"))
    alice.send("Please fail")
    failed = alice.rows.nth(3)
    expect(failed).to_contain_text("The assistant has failed, as you asked.")
    alice.relaunch()
    failed.get_by_role("button", name="Delete").click()
    expect(alice.rows).to_have_count(3)
    alice.send("Fail at first")
    alice.rows.nth(4).get_by_role("button", name="Try again").click()
    expect(alice.rows.nth(4).get_by_role("time")).to_be_visible(timeout=90_000)
    demo.stop()
    demo.start()
    expect(alice.message).to_be_enabled(timeout=90_000)
    expect(alice.rows).to_have_count(5)
    expect(alice.rows.get_by_role("time")).to_have_count(5)


def test_a_whole_answer_is_given_again_and_the_earlier_one_stays(alice):  # L10.5, L10.6, A6.3
    alice.send("Fail at first")
    answer = alice.rows.nth(1)
    answer.get_by_role("button", name="Try again").click()
    expect(answer.get_by_role("time")).to_be_visible(timeout=90_000)
    earlier = answer.locator(".bubble").text_content()

    def again():
        answer.get_by_role("button", name="Message actions").click()
        alice.menu.get_by_role("menuitem", name="Answer again").click()
        expect(answer).to_contain_text("The assistant has failed, as you asked.")

    again()
    expect(answer.locator(".bubble")).to_have_text(earlier)
    alice.relaunch()
    expect(answer).to_contain_text("The assistant has failed, as you asked.")
    answer.get_by_role("button", name="Keep the earlier answer").click()
    expect(answer.get_by_role("time")).to_be_visible()
    expect(answer.locator(".bubble")).to_have_text(earlier)

    again()
    answer.get_by_role("button", name="Try again").click()
    answer.get_by_role("button", name="Stop").click()
    # It may have been whole before it was stopped, and its words may be these.
    expect(answer.get_by_role("time").or_(answer.get_by_text("Interrupted")).first).to_be_visible()
    if answer.get_by_text("Interrupted").is_visible():
        answer.get_by_role("button", name="Try again").click()
    else:
        again()
        answer.get_by_role("button", name="Try again").click()
    expect(answer.get_by_role("button", name="Stop")).to_be_visible()
    expect(answer.get_by_role("time")).to_be_visible(timeout=90_000)
    expect(answer.get_by_text("edited")).to_have_count(0)
    answer.get_by_role("button", name="Message actions").click()
    alice.menu.get_by_role("menuitem", name="Bring back the earlier answer").click()
    expect(answer.locator(".bubble")).to_have_text(earlier)
    expect(alice.rows).to_have_count(2)


def test_a_message_on_this_device_is_delivered_edited_and_deleted_at_once(alice):  # L1.1
    alice.open("Notes")
    alice.send("Buy gas")
    expect(alice.row("Buy gas").get_by_role("time")).to_be_visible()
    expect(alice.region.get_by_text("Queued")).to_have_count(0)
    alice.act("Buy gas", "Edit")
    alice.send("Buy gas for the stove")
    expect(alice.row("Buy gas for the stove")).to_contain_text("edited")
    alice.relaunch()
    alice.act("Buy gas for the stove", "Delete for everybody")
    expect(alice.rows).to_have_count(0)
    alice.relaunch()
    expect(alice.rows).to_have_count(0)


def test_pictures_without_a_server(alice, picture):
    expect(alice.message).to_be_enabled()
    alice.send("Is anybody there?")
    expect(alice.rows.nth(1)).to_contain_text("answer says what", timeout=90_000)
    picture("38-device")
    alice.chats.click()
    expect(alice.region.get_by_role("button", name="Notes")).to_be_visible()
    picture("39-device-list")
