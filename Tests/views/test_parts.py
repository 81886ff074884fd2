"""The views of the module one by one, in Parts/PartsApp.swift: an app with a timeline, rows, a list and a composer of its own."""

import pytest
from app import App
from test_stories import wait_for_place


@pytest.fixture
def parts(tmp_path):
    app = App("PartsApp", tmp_path / "parts").start()
    app.see("Begin")
    app.tap("Begin")
    yield app
    app.end()


def test_a_timeline_of_the_apps_own_shows_rows_and_carries_out_their_actions(parts):
    """The row, the status, its menu, the sheet, the composer and the explanation are used without ConversationScreen."""
    parts.tap("timeline")
    parts.see("No messages yet")
    parts.send("hello")
    parts.see("own: hello")
    parts.see_part("Queued")
    parts.tap("alice, hello, Queued - Will send when online")
    parts.tap("Info")
    parts.wait(lambda: "Done" in parts.labels(), "the sheet")
    parts.tap("Done")
    parts.wait(lambda: "Done" not in parts.labels(), "the timeline")
    parts.tap("alice, hello, Queued - Will send when online")
    parts.tap("Edit")
    parts.miss("own: hello")
    parts.wait(lambda: parts.field() == "hello", "the text in the composer")


def test_rows_and_a_composer_of_the_apps_own_stand_in_the_screen(parts):
    parts.tap("screen")
    parts.tap("Send a greeting")
    parts.see("greetings", "of mine")
    parts.tap("alice, greetings, Queued - Will send when online")
    parts.wait(lambda: {"Cancel", "Copy greetings"} <= set(parts.labels()), "both parts of the menu")
    parts.tap("Cancel")
    parts.miss("greetings")


def test_a_list_with_rows_of_the_apps_own_opens_conversations(parts):
    parts.tap("list")
    parts.see("chat bob", "chat carol", "none open")
    parts.do("select", row="chat carol")
    parts.see("open: work")


def test_the_app_around_a_window_opens_its_conversation_and_sees_it(parts):
    parts.tap("root")
    parts.see("none open")
    parts.tap("Open work")
    parts.see("open: work", "above work")
    parts.do("select", row="bob")
    parts.see("open: trip", "above trip")
    wait_for_place(parts, "parts", "trip")
    parts.relaunch()
    parts.see("none open")
    parts.tap("root")
    # The window comes back to where it was, and tells the app.
    parts.see("open: trip", "above trip")
