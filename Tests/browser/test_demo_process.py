"""The demo as a program: it leaves no process behind, and its page stays open after it."""

import os
import signal
import subprocess

import pytest
from playwright.sync_api import expect

from demo import PROGRAM, wait_until_gone


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_signal_ends_everything(demo, number):
    children = demo.children()
    assert len(children) == 3
    assert demo.stop(number) == 0
    wait_until_gone(children)


def test_a_crash_leaves_no_orphans(demo):
    children = demo.children()
    assert demo.stop(signal.SIGKILL) == -signal.SIGKILL
    wait_until_gone(children)


def test_the_page_goes_on_when_the_demo_is_started_again(demo, page, alice, bob):
    alice.send("Before")
    bob.expect_messages(["Before"])
    demo.stop()
    expect(page.get_by_role("alert").filter(has_text="The demo is not running.")).to_be_visible()
    expect(alice.message).to_be_disabled()
    demo.start()
    expect(alice.message).to_be_enabled(timeout=90_000)
    expect(page.get_by_role("alert")).to_have_count(0)
    alice.send("After")
    bob.expect_messages(["Before", "After"])


def test_an_app_that_ends_by_itself_is_told_from_one_that_was_killed(demo, alice):
    expect(alice.message).to_be_enabled()
    text = alice.region.get_by_text("pid").inner_text()
    os.kill(int(text.removeprefix("pid ")), signal.SIGKILL)
    expect(alice.region.get_by_text("App stopped")).to_be_visible()
    expect(alice.region.get_by_text("It ended with signal 9.")).to_be_visible()
    alice.launch.click()
    expect(alice.message).to_be_enabled()


def test_a_port_in_use_is_an_error_that_says_so(demo, tmp_path):
    second = subprocess.run(
        [PROGRAM, "demo", "--port", str(demo.port), "--data", tmp_path / "other"],
        capture_output=True,
        text=True,
        timeout=90,
    )
    assert second.returncode != 0
    assert f"Port {demo.port} is in use" in second.stderr


def test_fresh_empties_a_demo_folder_and_no_other(demo, tmp_path):
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "thesis.txt").write_text("years of work")
    refused = subprocess.run(
        [PROGRAM, "demo", "--port", "1", "--fresh", "--data", precious],
        capture_output=True,
        text=True,
        timeout=90,
    )
    assert refused.returncode != 0
    assert "is not a folder of a demo" in refused.stderr
    assert (precious / "thesis.txt").read_text() == "years of work"
