"""What servers of models do that others do not: refuse a field, take a shorter prompt, think between tags or without an end."""

import json

import pytest

from processes import HERE, HOLDFAST, MODEL, PYTHON, Child


@pytest.fixture(scope="module")
def narrow():
    """llama.cpp with room for 512 tokens, which are letters."""
    server = Child(PYTHON, HERE / "llama_server.py", MODEL, "--context", "512")
    yield server.until("\n").strip()
    server.kill()


@pytest.fixture
def chat(store):
    """Starts the chat with a model that says these words."""
    started = []

    def start(url, words, *options, **fields):
        body = {"grammar": f'root ::= "{words}"', "cache_prompt": False, "temperature": 0, **fields}
        chat = Child(HOLDFAST, "chat", "--model", url, "--store", store, "--fields", json.dumps(body), *options)
        started.append(chat)
        chat.until("what can be done\n")
        return chat

    yield start
    for chat in started:
        chat.kill()


def test_a_conversation_that_no_longer_fits_goes_on_with_its_newest_messages(narrow, chat, rows):
    talk = chat(narrow, "Yes.")
    for number in range(5):
        talk.say(f"{number}: " + "word " * 20)
        talk.until("Yes.")
    said = talk.until("were left out.")
    assert "longer than the model takes" in said
    talk.say("And now?")
    talk.until("Yes.")
    talk.say("/cost")
    # One request was refused, and the questions behind it keep to what was learned.
    talk.until("Costs: 7 requests, ")
    talk.finish()
    assert [text for role, _, text in rows() if role == "assistant"] == ["Yes."] * 6


def test_a_field_that_is_refused_is_left_out_once(gateway, chat, rows):
    gateway.refused = ["stream_options", "top_k"]
    talk = chat(gateway.url, "Yes.", top_k=3)
    for count in (3, 4):
        talk.say("Hello?")
        talk.until("Yes.")
        talk.say("/cost")
        talk.until(f"Costs: {count} requests, ")
    talk.finish()
    assert gateway.answered == 2


def test_a_thought_between_tags_is_none_of_the_answer(llama, chat, rows):
    talk = chat(llama.url, "<think>Hm.</think>Yes.", reasoning_format="none")
    talk.say("Hello?")
    talk.until("Yes.")
    talk.finish()
    assert [text for _, _, text in rows()] == ["Hello?", "Yes."]


def test_a_limit_within_the_thought_is_said_to_a_person(llama, chat, rows):
    talk = chat(llama.url, "<think>Hm, let me see.</think>Yes.", max_tokens=9)
    talk.say("Hello?")
    assert "reached its limit while it was still thinking" in talk.until("[r]etry?\n")
    talk.finish()


@pytest.mark.parametrize("api", ["chat", "responses", "messages"])
def test_each_api_goes_on_with_a_conversation(api, llama, chat, rows):
    # llama.cpp passes no grammar over from messages.
    limit = {"chat": "max_tokens", "responses": "max_output_tokens", "messages": "max_tokens"}[api]
    talk = chat(llama.url, "Yes.", "--api", api, "--system", "Be brief.", **{limit: 16})
    for count in (2, 4):
        talk.say("Hello?")
        while len(rows()) < count or rows()[-1][1] == "streaming":
            pass
    talk.finish()
    assert [role for role, _, _ in rows()] == ["user", "assistant"] * 2
    assert all(status not in ("failed", "interrupted") for _, status, _ in rows()), rows()
