"""The chat with a language model of the article *An assistant in ten minutes*, built and run."""

import os
import pathlib

from processes import WORDS, Child

ROOT = pathlib.Path(__file__).parents[2]


def test_the_program_is_in_the_article_and_has_at_most_35_lines():
    program = (ROOT / "examples/ModelChat/Sources/main.swift").read_text()
    assert len([line for line in program.splitlines() if line]) <= 35
    assert program in (ROOT / "Sources/Holdfast/Holdfast.docc/AssistantInTenMinutes.md").read_text()


def test_the_program_survives_a_kill_in_the_middle_of_an_answer(gateway, proxy, store, rows):
    # The program sends no grammar, and a model without one says letters at random to its limit.
    gateway.fields = {"grammar": f'root ::= "{WORDS}"', "cache_prompt": False, "temperature": 0}

    def launch():
        return Child(os.environ["MODEL_CHAT"], store, proxy.url, "tiny", env={**os.environ, "MODEL_KEY": "sk-1"})

    chat = launch()
    chat.say("Hello?")
    chat.until(WORDS)
    proxy.order("cut 3003 silent")
    chat.say("And again?")
    chat.until("Grüße")
    proxy.done()
    while not rows()[3][2].startswith("Grüße"):
        pass
    chat.kill()
    begun = rows()[3]
    assert begun[1] == "interrupted" and WORDS.startswith(begun[2])
    chat = launch()
    chat.say("retry")
    said = chat.finish()
    # What is in a pipe comes at the end.
    assert f"me Hello? \nassistant {WORDS} \nme And again? \nassistant {begun[2]} Interrupted\n" in said
    assert [text for _, _, text in rows()] == ["Hello?", WORDS, "And again?", WORDS]
    # One for each question, and the one that its user wanted.
    assert (gateway.answered, gateway.keys) == (3, {"Bearer sk-1"})
