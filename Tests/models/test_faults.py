"""Answers under faults: each is whole, interrupted or failed with its reason, and none is asked for twice by itself."""

import json

import pytest

from processes import WORDS

EVENTS = {"Content-Type": "text/event-stream"}
DELTA = b'data: {"choices":[{"index":0,"delta":{"content":"Gr"},"finish_reason":null}]}\n\n'
OVERLOADED = b'data: {"error":{"type":"overloaded_error","message":"busy"}}\n\n'
BROKEN = b'data: {"error":{"type":"server_error","message":"broken"}}\n\n'

# What goes wrong: an order to the proxy, or refusals of a gateway. Then how the answer stands, what the chat says, and how
# many generations the model has begun.
CASES = {
    "nothing": (None, [], "whole", None, 1),
    "a reset before the first byte": ("half 40", [], "whole", None, 1),
    "a lost answer": ("lose", [], "whole", None, 2),
    "a cut in the head": ("cut 20", [], "whole", None, 2),
    "a cut behind a word": ("cut 1500", [], "interrupted", "Interrupted.", 1),
    "a cut in the middle of a word": ("cut 3003", [], "interrupted", "Interrupted.", 1),
    "a cut in the middle of an emoji": ("emoji", [], "interrupted", "Interrupted.", 1),
    "a clean end in the middle": ("cut 3003 close", [], "interrupted", "Interrupted.", 1),
    "a cut before the end": ("end", [], "interrupted", "Interrupted.", 1),
    "silence in the middle": ("cut 3003 silent", [], "interrupted", "Interrupted.", 1),
    "silence before the first byte": ("lose silent", [], "failed", "said nothing for 3 seconds", 1),
    "a busy server": (None, [(429, {"Retry-After": "1"}, b"")], "whole", None, 1),
    "a server that stays busy": (None, [(429, {}, b"")] * 4, "failed", "too much to do", 0),
    "a server that wants an hour": (None, [(429, {"Retry-After": "3600"}, b"")], "failed", "too much to do", 0),
    "no money": (None, [(429, {}, b'{"error":{"code":"insufficient_quota"}}')], "failed", "nothing left", 0),
    "a server that fails": (None, [(500, {}, b"oh")], "whole", None, 1),
    "a wrong key": (None, [(401, {}, b"{}")], "failed", "does not accept the key", 0),
    "an overload inside a 200": (None, [(200, EVENTS, OVERLOADED)], "whole", None, 1),
    "an error inside a 200": (None, [(200, EVENTS, BROKEN)], "failed", "server_error", 0),
    "an error behind a word": (None, [(200, EVENTS, DELTA + BROKEN)], "failed", "server_error", 0),
    "an overload behind a word": (None, [(200, EVENTS, DELTA + OVERLOADED)], "failed", "too much to do", 0),
    "a page of a portal": (None, [(200, {"Content-Type": "text/html"}, b"<html>")], "failed", "no answer of a model", 0),
}


@pytest.fixture(scope="session")
def places(llama):
    """Where in the bytes of a whole answer its emoji and its end stand."""
    import urllib.request

    body = {
        "messages": [{"role": "user", "content": "Hello?"}], "stream": True, "cache_prompt": False, "temperature": 0,
        "stream_options": {"include_usage": True}, "grammar": f'root ::= "{WORDS}"', "model": "tiny",
    }
    request = urllib.request.Request(f"{llama.url}/v1/chat/completions", json.dumps(body).encode())
    stream = urllib.request.urlopen(request, timeout=30).read()
    # The head, and the framing of each chunk, are a little longer in the gateway's answer: any place from here on is inside.
    return {"emoji": stream.index("👍".encode()) + 2, "end": stream.index(b'"finish_reason":"stop"') - 400}


@pytest.mark.parametrize("name", CASES)
def test_an_answer_under_a_fault(name, llama, gateway, proxy, launch, rows, places):
    order, refusals, state, sentence, generations = CASES[name]
    chat = launch()
    before = llama.prompt_tokens()
    gateway.refusals = list(refusals)
    if order in places:
        order = f"cut {places[order]}"
    if order:
        proxy.order(order)
    chat.say("Hello?")
    if sentence:
        assert sentence in chat.until("[r]etry?\n", patience=60)
    else:
        chat.until(WORDS)
    proxy.order("pass")

    (_, _, question), (_, found, text) = rows()
    assert question == "Hello?"
    assert found in ((state, "delivered", "sent", "complete") if state == "whole" else (state,)), (found, text)
    assert WORDS.startswith(text)
    assert (text == WORDS) == (state == "whole")
    assert llama.prompt_tokens() - before == generations * llama.tokens

    # One answer, after one request that its user wanted.
    if state != "whole":
        before = llama.prompt_tokens()
        chat.say("r")
        chat.until(WORDS)
        assert llama.prompt_tokens() - before == llama.tokens
    # Every request is counted, also one that was refused or never arrived.
    lost = 1 if order and order.startswith("half") else 0
    requests = generations + len(refusals) + lost + (0 if state == "whole" else 1)
    chat.say("/cost")
    chat.until(f"Costs: {requests} requests, ")
    chat.finish()
    assert [text for _, _, text in rows()] == ["Hello?", WORDS]
