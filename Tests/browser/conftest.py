import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from demo import SCREENSHOTS, Demo, Phone, Relay

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from chromium import browser, capture, free_port  # noqa: E402, F401

# A machine that others use too stands still now and then. What is as expected is waited for no longer.
expect.set_options(timeout=90_000)

SIZES = {"desktop": {"width": 1280, "height": 900}, "phone": {"width": 390, "height": 844}}


def pytest_configure(config):
    config.addinivalue_line("markers", "walk: one of the tests that walk through each user story once")


def pytest_generate_tests(metafunc):
    """Tests of looks take pictures in both widths."""
    if "picture" in metafunc.fixturenames:
        metafunc.parametrize("size", SIZES)


@pytest.fixture
def options():
    """The options of the demo. A module with a demo of another kind has a fixture of its own."""
    return []


@pytest.fixture
def data(tmp_path):
    """The folder of the demo. A module whose demo goes on from another one has a fixture of its own."""
    return tmp_path / "data"


@pytest.fixture
def demo(data, options):
    demo = Demo(data, free_port(), *options)
    demo.start()
    yield demo
    if demo.process.poll() is None:
        demo.stop()


@pytest.fixture
def size():
    return "desktop"


@pytest.fixture
def context(browser, size):
    context = browser.new_context(viewport=SIZES[size], color_scheme="light", locale="en-GB")
    context.set_default_timeout(90_000)
    yield context
    context.close()


@pytest.fixture
def page(context, demo):
    """The demo's page. A test fails on any error in the page's console."""
    page = context.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if "Security Policy" in message.text else None)
    page.goto(demo.url)
    yield page
    assert errors == []


@pytest.fixture
def alice(page):
    return Phone(page, "Alice")


@pytest.fixture
def bob(page):
    return Phone(page, "Bob")


@pytest.fixture
def relay(page):
    return Relay(page)


@pytest.fixture
def picture(page, size):
    """Takes pictures of the page, or of another window, for people: one in each colour scheme."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)

    def picture(name, window=page):
        for scheme in ["dark", "light"]:
            window.emulate_media(color_scheme=scheme)
            capture(window, SCREENSHOTS / f"{size}-{scheme}-{name}.png", animations="disabled")

    return picture
