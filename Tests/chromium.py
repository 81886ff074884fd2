"""A headless Chromium for the tests that look at pages, and free ports for what they start."""

import os
import socket

import pytest
from playwright.sync_api import Error, sync_playwright


@pytest.fixture(scope="session")
def browser():
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium-headless-shell"), args=arguments
        )
        yield browser
        browser.close()


def capture(page, path, **options):
    """A picture of a page. Chromium on a busy machine sometimes has none, and has one at the next attempt."""
    for attempt in range(5):
        try:
            return page.screenshot(path=path, **options)
        except Error as error:
            if "Unable to capture" not in str(error) or attempt == 4:
                raise


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
