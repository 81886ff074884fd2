import os
import socket

import pytest
from playwright.sync_api import sync_playwright

from demo import Demo, Phone, Relay


@pytest.fixture(scope="session")
def browser():
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=arguments
        )
        yield browser
        browser.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def demo(tmp_path):
    demo = Demo(tmp_path / "data", free_port())
    demo.start()
    yield demo
    if demo.process.poll() is None:
        demo.stop()


@pytest.fixture
def context(browser):
    context = browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-GB")
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
