"""A language model that answers in the demo. `make models` runs it, with llama.cpp."""

import json
import os
import re
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

sys.path.insert(0, str(Path(__file__).parents[1] / "models"))

pytestmark = pytest.mark.skipif("MODELS_PYTHON" not in os.environ, reason="there is no llama.cpp here")

THOUGHT = "The user greets me."
WORDS = "Grüße vom Modell, das ist eine lange Antwort 👍🏽 und hier ist ihr Ende."


@pytest.fixture(scope="session")
def llama():
    from processes import HERE, MODEL, PYTHON, Child

    server = Child(PYTHON, HERE / "llama_server.py", MODEL)
    yield server.until("\n").strip()
    server.kill()


@pytest.fixture
def proxy(llama):
    from processes import Proxy

    made = Proxy(llama)
    yield made
    made.child.kill()


@pytest.fixture(params=["device", "relay"])
def options(request, proxy):
    grammar = {"grammar": f'root ::= "<think>\\n{THOUGHT}</think>\\n\\n{WORDS}"', "cache_prompt": False, "temperature": 0}
    return ["--backend", request.param, "--assistant", proxy.url, "--assistant-fields", json.dumps(grammar),
            "--assistant-continues"]


def stall(proxy):
    """Lets the answer stand still in its middle."""
    proxy.order("cut 14003 silent")


def test_a_model_answers_with_its_reasoning_and_is_stopped_killed_continued_and_retried(alice, proxy):  # B10.1, B10.2, A6.3
    if alice.region.get_by_role("heading", name="Assistant").count() == 0:
        alice.open("Assistant (tiny)")
    alice.send("Hello")
    answer = alice.rows.nth(1)
    expect(answer.locator(".bubble")).to_have_text(WORDS)
    expect(answer.locator(".reasoning")).to_contain_text(THOUGHT)
    expect(answer.get_by_role("time")).to_be_visible()

    stall(proxy)
    alice.send("And again")
    answer = alice.rows.nth(3)
    expect(answer.locator(".bubble")).to_contain_text("Grüße", timeout=90_000)
    answer.get_by_role("button", name="Stop").click()
    expect(answer).to_contain_text("Interrupted")
    begun = answer.locator(".bubble").inner_text()
    assert WORDS.startswith(begun) and begun != WORDS
    proxy.order("pass")
    answer.get_by_role("button", name="Try again").click()
    expect(answer.locator(".bubble")).to_have_text(WORDS)
    expect(alice.rows).to_have_count(4)

    stall(proxy)
    alice.send("Once more")
    answer = alice.rows.nth(5)
    expect(answer.locator(".bubble")).to_contain_text("Grüße", timeout=90_000)
    # What has come is on disk a quarter of a second later.
    alice.page.wait_for_timeout(500)
    begun = answer.locator(".bubble").inner_text()
    proxy.order("pass")
    alice.relaunch()
    expect(answer).to_contain_text("Interrupted")
    expect(answer.locator(".bubble")).to_have_text(begun)
    answer.get_by_role("button", name="Continue").click()
    # The grammar makes the model say all of its words behind the beginning.
    expect(answer.locator(".bubble")).to_have_text(re.compile("^" + re.escape(begun) + ".*Ende[.]$", re.DOTALL))
    expect(answer.get_by_role("time")).to_be_visible()
    expect(alice.rows).to_have_count(6)


def test_another_answer_is_asked_for_and_the_earlier_one_holds(alice, proxy, picture):  # L10.5, L10.6, L10.7, A6.3
    if alice.region.get_by_role("heading", name="Assistant").count() == 0:
        alice.open("Assistant (tiny)")
    alice.send("Hello")
    answer = alice.rows.nth(1)
    expect(answer.locator(".bubble")).to_have_text(WORDS)

    def act(name):
        answer.get_by_role("button", name="Message actions").click()
        alice.menu.get_by_role("menuitem", name=name).click()

    expect(answer.get_by_role("time")).to_be_visible()
    stall(proxy)
    act("Answer again")
    expect(answer.get_by_role("button", name="Stop")).to_be_visible()
    expect(answer.locator(".bubble")).to_contain_text("Grüße", timeout=90_000)
    alice.page.wait_for_timeout(500)
    begun = answer.locator(".bubble").inner_text()
    proxy.order("pass")
    alice.relaunch()
    expect(answer).to_contain_text("Interrupted")
    expect(answer.locator(".bubble")).to_have_text(begun)
    picture("46-answer-again")
    answer.get_by_role("button", name="Keep the earlier answer").click()
    expect(answer.locator(".bubble")).to_have_text(WORDS)
    expect(answer.get_by_role("time")).to_be_visible()

    act("Answer again")
    expect(answer.get_by_role("button", name="Stop")).to_have_count(0)
    expect(answer.locator(".bubble")).to_have_text(WORDS)
    # The same words are given again, so that nothing but the menu tells the two answers apart. It is made when it is opened.
    back = alice.menu.get_by_role("menuitem", name="Bring back the earlier answer")
    for _ in range(40):
        answer.get_by_role("button", name="Message actions").click()
        if back.is_visible():
            break
        alice.page.keyboard.press("Escape")
        alice.page.wait_for_timeout(250)
    expect(back).to_be_visible()
    picture("47-earlier-answer")
    alice.page.keyboard.press("Escape")
    expect(alice.rows).to_have_count(2)


def test_pictures_of_a_model(alice, proxy, picture):
    if alice.region.get_by_role("heading", name="Assistant").count() == 0:
        alice.open("Assistant (tiny)")
    alice.send("Hello")
    expect(alice.rows.nth(1).get_by_role("time")).to_be_visible()
    stall(proxy)
    alice.send("And again")
    expect(alice.rows.nth(3).locator(".bubble")).to_contain_text("Grüße", timeout=90_000)
    picture("50-model-answering")
    alice.rows.nth(3).get_by_role("button", name="Stop").click()
    expect(alice.rows.nth(3)).to_contain_text("Interrupted")
    picture("51-model-stopped")
