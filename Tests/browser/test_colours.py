"""The colours, the icon and the movements by which people tell the states apart."""

import re

from playwright.sync_api import expect


def colour(page, name):
    """A colour of the page's palette, as the browser computes it."""
    return page.evaluate(
        """name => {
          const probe = document.body.appendChild(document.createElement("i"))
          probe.style.color = `var(--${name})`
          const colour = getComputedStyle(probe).color
          probe.remove()
          return colour
        }""",
        name,
    )


def test_a_message_on_its_way_is_gray(alice, relay):  # O3.1
    with relay.frozen(alice):
        alice.send("On its way")
        status = alice.row("On its way").get_by_text("Sending...")
        expect(status).to_have_css("color", colour(alice.page, "quiet"))
    red, green, blue = map(int, re.findall(r"\d+", colour(alice.page, "quiet")))
    assert max(red, green, blue) - min(red, green, blue) < 32, "It is a gray."
    alice.expect_delivered(1)


def test_a_queued_message_is_yellow_and_its_time_fades_in(alice):  # O3.2, O3.6
    alice.go_offline()
    alice.send("Wait here")
    status = alice.row("Wait here").get_by_text("Queued - Will send when online")
    expect(status).to_have_css("background-color", colour(alice.page, "yellow"))
    expect(status).to_have_css("color", colour(alice.page, "on-yellow"))
    alice.airplane.uncheck()
    alice.expect_delivered(1)
    expect(alice.row("Wait here").locator(".meta.fades")).to_have_count(1)
    expect(alice.row("Wait here").locator(".meta.fades > :first-child")).not_to_have_css("animation-name", "none")


def test_a_failed_message_is_red_with_an_icon(alice, relay):  # O3.4
    relay.misbehave("Refuse the next message", "Refuses the next message")
    alice.send("No")
    status = alice.row("No").get_by_text("Failed - Tap to retry")
    expect(status).to_have_css("color", colour(alice.page, "red"))
    icon = status.evaluate("""status => {
      const { content, backgroundColor } = getComputedStyle(status, "::before")
      return [content, backgroundColor]
    }""")
    assert icon == ['"!"', colour(alice.page, "red")]


def test_the_banner_slides_in_below_the_bar_in_the_colour_of_its_state(alice):  # N2.1, N2.2, N2.5
    banner = alice.region.locator(".banner")
    expect(banner).to_have_css("height", "0px")
    assert "grid-template-rows" in banner.evaluate("banner => getComputedStyle(banner).transitionProperty")
    alice.go_offline()
    expect(banner).to_have_css("background-color", colour(alice.page, "yellow"))
    expect(banner).not_to_have_css("height", "0px")
    bar = alice.region.locator(".chat-bar").bounding_box()
    alice.page.wait_for_function(
        "banner => banner.getAnimations().length === 0", arg=banner.element_handle())
    shown = banner.bounding_box()
    log = alice.region.get_by_role("log").bounding_box()
    assert abs(shown["y"] - (bar["y"] + bar["height"])) < 2
    assert log["y"] >= shown["y"] + shown["height"] - 1
    alice.airplane.uncheck()
    expect(alice.banner("Connected")).to_be_visible()
    expect(banner).to_have_css("background-color", colour(alice.page, "green"))
