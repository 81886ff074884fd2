"""A headless Chromium for the tests that look at pages, and free ports for what they start."""

import os
import socket

import pytest
from playwright.sync_api import sync_playwright


@pytest.fixture(scope="session")
def browser():
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium-headless-shell"), args=arguments
        )
        yield browser
        browser.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
