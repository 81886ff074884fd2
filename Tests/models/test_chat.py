"""The chat in the terminal, killed and started again."""

import json
import pathlib
import signal
import subprocess
import termios

import pytest

from processes import HERE, HOLDFAST, MODEL, PYTHON, WORDS, AtTerminal, Child


def test_a_chat_that_is_killed_in_the_middle_of_an_answer_has_what_had_come(launch, proxy, rows):
    chat = launch("--continues")
    proxy.order("cut 3003 silent")
    chat.say("Hello?")
    chat.until("Grüße")
    proxy.done()
    # What has come is on disk a quarter of a second later.
    while not rows()[1][2].startswith("Grüße"):
        pass
    chat.kill()
    chat = launch("--continues")
    said = chat.until("[r]etry?\n")
    assert "me: Hello?" in said and "assistant: Grüße" in said
    assert "Interrupted. [c]ontinue, [r]etry?" in said
    begun = rows()[1][2]
    assert 0 < len(begun) < len(WORDS) and WORDS.startswith(begun)
    chat.say("c")
    chat.until(WORDS)
    chat.finish()
    # The grammar makes the model say all of its words behind the beginning, which stands there once.
    assert [text for _, _, text in rows()] == ["Hello?", WORDS]


def test_a_chat_that_is_killed_before_the_first_word_says_so(launch, proxy, rows):
    chat = launch()
    proxy.order("hole")
    chat.say("Hello?")
    while len(rows()) < 2:
        pass
    chat.kill()
    proxy.order("pass")
    chat = launch()
    assert "The app ended before the reply began. [r]etry?" in chat.until("[r]etry?\n")
    chat.say("r")
    chat.until(WORDS)
    chat.finish()
    assert [text for _, _, text in rows()] == ["Hello?", WORDS]


def test_an_answer_is_stopped_and_begun_anew(launch, proxy, rows):
    chat = launch()
    proxy.order("delay 20")
    proxy.order("cut 3003 silent")
    chat.say("Hello?")
    chat.until("Grüße")
    chat.say("/stop")
    assert "Interrupted." in chat.until("[r]etry?\n")
    proxy.order("pass")
    chat.say("/retry")
    chat.until(WORDS)
    chat.finish()
    assert [text for _, _, text in rows()] == ["Hello?", WORDS]


def test_a_whole_answer_is_given_again_and_holds_through_a_kill(launch, proxy, rows):
    chat = launch("--continues")
    chat.say("Hello?")
    chat.until(WORDS)
    proxy.order("cut 3003 silent")
    chat.say("/again")
    chat.until("Grüße")
    proxy.done()
    chat.kill()
    assert [text for _, _, text in rows()] == ["Hello?", WORDS], "What it said holds."
    proxy.order("pass")
    chat = launch("--continues")
    chat.until("[k]eep the earlier answer?\n")
    chat.say("k")
    chat.until(f"assistant: {WORDS}\n")
    chat.say("/again")
    chat.until(WORDS)
    chat.say("/earlier")
    chat.until(f"assistant: {WORDS}\n")
    chat.say("/cost")
    chat.until("Costs: 3 requests, ")
    chat.say("/earlier")
    chat.finish()
    assert [text for _, _, text in rows()] == ["Hello?", WORDS]


def test_the_commands_find_and_show_and_choose(launch):
    chat = launch()
    chat.say("Hello?")
    chat.until(WORDS)
    chat.say("/search Antwort")
    assert "assistant: " in chat.until("\n") + chat.until("Ende.\n")
    chat.say("/history 1")
    chat.until(f"assistant: {WORDS}\n")
    chat.say("/model")
    chat.until("tiny answers.\n")
    chat.say("/model gpt-9")
    chat.until("gpt-9 answers from now on. The server does not list it.\n")
    chat.say("/nothing")
    chat.until("There is no command /nothing.")
    chat.say("/retry please")
    chat.until("/retry stands alone in its line.")
    chat.say("/quit")
    assert chat.process.wait(30) == 0


def test_what_is_pasted_is_one_question_and_no_command(launch, rows):
    chat = launch()
    chat.say("Why? \x1b[200~one\ntwo\r\n/quit\x1b[201~")
    chat.until(WORDS)
    chat.say("\x1b[200~/quit\x1b[201~")
    chat.until(WORDS)
    chat.say("\x1b[200~never\nended")
    chat.finish()
    assert [text for _, _, text in rows()] == ["Why? one\ntwo\n/quit", WORDS, "/quit", WORDS]


@pytest.mark.parametrize("end", ["key", "quit", "interrupt", "termination"])
def test_a_terminal_gives_what_is_pasted_whole_and_becomes_what_it_was(launch, gateway, rows, end):
    chat = launch(kind=AtTerminal)
    assert not chat.mode()[3] & termios.ICANON
    chat.until("> ")
    # The model itself takes no question of this size, and the system's own editing would keep 4095 bytes of its first line.
    gateway.refusals = [(401, {}, b"{}")]
    pasted = "x" * 10_000 + "\n/quit\n    ü"
    chat.paste(pasted)
    chat.press("yz\x7f\x7f\r")
    chat.until("does not accept the key. [r]etry?")
    chat.until("> ")
    if end == "key":
        chat.press("\x04")
    elif end == "quit":
        chat.press("/quit\r")
    else:
        chat.process.send_signal(signal.SIGINT if end == "interrupt" else signal.SIGTERM)
    assert chat.process.wait(30) == (130 if end == "interrupt" else 0)
    chat.until("\x1b[?2004l")
    assert chat.mode()[3] & termios.ICANON and chat.mode()[3] & termios.ECHO
    assert rows()[0][2] == pasted


def test_a_question_may_begin_like_a_command(launch, proxy, rows):
    chat = launch()
    proxy.order("cut 3003 silent")
    chat.say("Hello?")
    chat.until("[r]etry?\n")
    proxy.order("pass")
    questions = ["r or python, which one?", "/etc/hosts — what is in it?", " /help"]
    for question in questions:
        chat.say(question)
        chat.until(WORDS)
    chat.finish()
    assert [text for _, _, text in rows()[2::2]] == [question.strip() for question in questions]


def test_a_model_that_the_server_does_not_list_is_asked(launch, gateway, rows):
    chat = launch("--name", "gpt-9")
    gateway.refusals = [(404, {}, b'{"error":{"code":"model_not_found"}}')]
    chat.say("Hello?")
    assert "no model “gpt-9” at this address. It has tiny." in chat.until("[r]etry?\n")
    chat.say("r")
    chat.until(WORDS)
    chat.finish()
    assert [text for _, _, text in rows()] == ["Hello?", WORDS]


def fails(*options, code=1):
    run = subprocess.run([HOLDFAST, "chat", *map(str, options)], capture_output=True, text=True, timeout=60, input="")
    assert run.returncode == code, run
    return run.stderr


def test_what_is_wrong_is_said_before_anything_is_asked(llama, tmp_path):
    store = ["--store", tmp_path / "store"]
    assert "cannot be reached" in fails("--model", "http://127.0.0.1:9", *store)
    assert "no address of a server" in fails("--model", "llama", *store, code=64)
    assert "There is no key file" in fails("--model", llama.url, "--key-file", tmp_path / "none", *store, code=2)
    key = tmp_path / "key"
    key.write_text("sk-1\n")
    key.chmod(0o644)
    assert "chmod 600" in fails("--model", llama.url, "--key-file", key, *store, code=2)
    assert not (tmp_path / "store").exists()


def test_a_key_is_taken_or_refused_and_is_nowhere_in_the_store(tmp_path):
    server = Child(PYTHON, HERE / "llama_server.py", MODEL, "--key", "sk-the-right-one")
    url = server.until("\n").strip()
    key = tmp_path / "key"
    key.touch(0o600)
    store = tmp_path / "store"
    try:
        for wrong in ("sk-the-wrong-one", "two words"):
            key.write_text(wrong)
            said = fails("--model", url, "--name", "tiny", "--key-file", key, "--store", store)
            assert "key" in said and wrong not in said
        key.write_text("sk-the-right-one\n")
        fields = json.dumps({"grammar": 'root ::= "Yes."', "temperature": 0})
        chat = Child(HOLDFAST, "chat", "--model", url, "--key-file", key, "--store", store, "--fields", fields)
        chat.until("what can be done\n")
        chat.say("Hello?")
        chat.until("Yes.")
        chat.finish()
        for file in pathlib.Path(store).rglob("*"):
            assert file.is_dir() or b"sk-the-right-one" not in file.read_bytes()
    finally:
        server.kill()
