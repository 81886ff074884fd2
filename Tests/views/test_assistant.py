"""What a person lives through in examples/AssistantApp, with a model that can be held in the middle of an answer."""

import json

from app import App
from test_stories import texts


def is_open(app: App, title: str) -> bool:
    return (app.shown.get("activity") or {}).get("title") == title


def title_is(app: App, title: str) -> bool:
    return any(row.startswith(title) for row in app.shown["rows"])


def test_an_answer_that_was_cut_off_by_a_kill_is_written_anew(assistants, model):
    """U14, U21: without a server, what had arrived is there, and is tried again from its beginning."""
    model.held_at = 2
    app = assistants.begin()
    app.send("Tell me a story")
    app.see("Once upon", "Writing...", "Stop")
    app.wait(lambda: any("Once upon" in row for row in app.shown["rows"]), "the words on disk")
    assistants.relaunch()
    app.see("Once upon", "Interrupted")
    assert "Continue" not in app.words, "this model cannot go on"
    model.held_at = None
    app.tap("Try again")
    app.see("Once upon a time.")
    app.miss("Interrupted")
    assert [request["messages"][-1]["content"] for request in model.requests] == ["Tell me a story"] * 2


def test_an_answer_that_failed_is_tried_again_or_deleted(assistants, model):
    """U21"""
    model.status = 400
    app = assistants.begin()
    app.send("Hello?")
    app.see("Try again", "Delete")
    model.status = 200
    app.tap("Try again")
    app.see("Once upon a time.")
    model.status = 400
    app.send("And then?")
    app.see("Delete")
    app.tap("Delete")
    app.miss("Try again")
    assert app.count("Once upon a time.") >= 1


def test_an_answer_is_stopped_and_given_again(assistants, model):
    """L10 on a screen"""
    model.reasoning = "A story is wanted."
    app = assistants.begin()
    app.send("Tell me a story")
    app.see("Once upon a time.")
    app.miss("Writing...")
    model.words = ["Another", " one."]
    app.choose("Answer again", "Once upon a time.")
    app.see("Another one.")
    app.miss("Writing...")
    app.choose("Bring back the earlier answer", "Another one.")
    app.see("Once upon a time.")


def test_reasoning_is_open_while_there_is_nothing_else(assistants, model):
    """B10"""
    model.reasoning = "A story is wanted."
    model.held_at = 0
    app = assistants.begin()
    app.send("Tell me a story")
    app.see("Reasoning", "A story is wanted.")
    model.go_on.set()
    app.see("Once upon a time.")
    app.miss("A story is wanted.")
    app.tap("Reasoning")
    app.see("A story is wanted.")


def test_the_timeline_follows_an_answer_that_grows(assistants, model):
    model.words = [f"line {number} of a long answer, which has many words.\n" for number in range(60)]
    app = assistants.begin()
    app.send("Tell me all")
    app.see_part("line 59")
    app.wait(lambda: app.shown["isAtEnd"], "the end of the answer")


def test_a_changed_setting_holds_for_the_next_answer_and_stops_none(assistants, model):
    """It needs no relaunch, and outlasts a kill. The key is in no file of the store."""
    model.held_at = 2
    app = assistants.begin()
    app.send("Tell me a story")
    app.see("Once upon", "Writing...")
    assistants.set(Model="llama", Key="secret-key-1")
    app.see("Model: llama", "Once upon", "Writing...")
    model.go_on.set()
    app.see("Once upon a time.")
    app.miss("Writing...")
    app.send("And then?")
    app.wait(lambda: len(model.requests) == 2, "a second question")
    assistants.relaunch()
    app.see("Model: llama")
    app.wait(lambda: "Message" in app.labels(), "the composer")
    app.send("Go on")
    app.wait(lambda: len(model.requests) == 3, "a third question")
    assert [request["model"] for request in model.requests] == ["qwen3", "llama", "llama"]
    assert model.keys == ["", "secret-key-1", "secret-key-1"]
    kept = [file for file in app.home.rglob("*") if file.is_file() and b"secret-key-1" in file.read_bytes()]
    assert [file.parent.name for file in kept] == ["holdfast-credentials"]
    assert kept[0].stat().st_mode & 0o077 == 0


def test_another_server_does_not_get_the_key(assistants):
    app = assistants.begin()
    assistants.set(Key="secret-key-1")
    app.tap(assistants.open_settings)
    app.wait(lambda: app.shown.get("sheet"), "the settings")
    assert app.field("Key") == "secret-key-1" and "secret-key-1" not in app.shown["sheet"]
    app.do("paste", label="Server", text="https://models.example/v1")
    app.wait(lambda: app.field("Key") == "", "no key")
    app.tap("Cancel")
    app.wait(lambda: not app.shown.get("sheet"), "the chats")
    app.tap(assistants.open_settings)
    app.wait(lambda: app.shown.get("sheet") and app.field("Key") == "secret-key-1", "the settings as they were")


def test_what_the_server_refuses_is_told_and_the_question_stays(assistants, model):
    """A wrong key, and an address that is none: each is changed, and the same question is asked again."""
    model.key = "right"
    app = assistants.begin()
    assistants.set(Key="wrong")
    app.send("Hello?")
    app.see_part("does not accept the key")
    assistants.set(Key="right", Server="nowhere")
    app.tap("Try again")
    app.see_part("“nowhere” is not the address of a server.")
    assistants.relaunch()
    app.see("Hello?", "Try again")
    assistants.set(Server=model.address, Key="right")
    app.tap("Try again")
    app.see("Once upon a time.")
    assert [request["messages"][-1]["content"] for request in model.requests] == ["Hello?"] * 2
    # The second one is the chat's title.
    assert texts(app, "Hello?") == ["Hello?"] * 2


def test_a_chat_has_its_first_question_as_title_until_it_is_renamed_and_is_found(assistants):
    """H18, U17"""
    app = assistants.begin()
    app.send("Where is the key")
    app.see("Once upon a time.")
    app.wait(lambda: title_is(app, "Where is the key"), "its title")
    assistants.new_chat()
    app.send("What is the tide")
    app.wait(lambda: title_is(app, "What is the tide"), "another title")
    app.choose("Rename", "Where is the key")
    app.wait(lambda: app.shown.get("sheet"), "the question")
    app.do("paste", label="Rename", text="Lost things")
    app.tap("Done")
    app.wait(lambda: title_is(app, "Lost things"), "the new title")
    assistants.relaunch()
    app.wait(lambda: title_is(app, "Lost things"), "the new title")
    app.do("paste", label="Search", text="key")
    app.see("Lost things", "me: Where is the key")
    app.tap("Lost things, me: Where is the key")
    app.do("clear", label="Search")
    app.wait(lambda: is_open(app, "Lost things"), "its chat")


def test_two_windows_with_an_answer_each_are_killed_and_come_back(assistants, model):
    """U14, U15"""
    model.held_at = 2
    app = assistants.begin()
    app.send("First question")
    app.see("Once upon", "Writing...")
    assistants.keep_place()
    app.do("window", number=2)
    app.see("No conversation chosen")
    assistants.new_chat()
    app.send("Second question")
    app.see("Once upon", "Writing...")
    app.wait(lambda: len([row for row in app.shown["rows"] if "Once upon" in row]) == 2, "the words on disk")
    assistants.relaunch()
    app.wait(lambda: is_open(app, "First question"), "the first chat")
    app.see("Interrupted")
    app.do("window", number=2)
    app.wait(lambda: is_open(app, "Second question"), "the second chat")
    model.held_at = None
    app.tap("Try again")
    app.see("Once upon a time.")
    app.do("window", number=1)
    app.see("Interrupted")


def test_a_link_and_another_device_open_their_chat(assistants):
    """R7"""
    app = assistants.begin()
    app.send("First question")
    app.see("Once upon a time.")
    first = app.shown["activity"]
    assert (first["type"], first["title"]) == ("dev.holdfast.AssistantApp.open", "First question")
    assistants.new_chat()
    app.do("open", text="assistantapp://open?conversation=" + first["userInfo"]["conversation"])
    app.see("Once upon a time.")
    app.do("open", text="assistantapp://open?conversation=nowhere")
    app.see("Conversation not found")
    app.do("continue", text=json.dumps(first))
    app.see("Once upon a time.")
    app.relaunch()
    app.do("open", text="assistantapp://open?conversation=" + first["userInfo"]["conversation"])
    app.see("Once upon a time.")


def test_a_damaged_store_of_an_assistant_is_repaired(assistants):
    """S3, V5"""
    app = assistants.begin()
    app.send("Worth saving")
    app.see("Once upon a time.")
    app.kill()
    with open(app.home / ".local/share/holdfast/assistant/store.sqlite", "r+b") as store:
        store.seek(100)
        store.write(b"\xff" * 400)
    app.start()
    app.wait(lambda: "Repair" in app.labels() and "Retry" in app.labels(), "the buttons")
    app.tap("Repair")
    app.see("Recovered messages: 2")
    app.wait(lambda: title_is(app, "Worth saving"), "the chat")


def test_a_question_with_a_file_stays_with_the_reason(assistants, model, tmp_path):
    """The model is given text alone."""
    app = assistants.begin()
    (tmp_path / "plan.txt").write_text("first, second")
    app.tap("Attach a file")
    app.do("pick", text=str(tmp_path / "plan.txt"))
    app.wait(lambda: "plan.txt" in app.labels(), "the file in the composer")
    app.send("What does it say?")
    app.see_part("text alone")
    assert app.field() == "What does it say?" and "plan.txt" in app.labels()
    assert not model.requests
ANSWER = """## Boats

Some **bold** words, and [a page](https://example.org/boats).

- one
- two

```swift
let a = 1

let b = 2
```

| City | People |
|------|-------:|
| Kiel | 3 |

![a picture](https://example.org/a.png)
"""


def test_an_answer_is_drawn_from_its_markdown_while_its_words_come(assistants, model):
    model.words = [ANSWER[start:start + 9] for start in range(0, len(ANSWER), 9)]
    model.held_at = next(place for place in range(len(model.words)) if "let b" in "".join(model.words[:place]))
    app = assistants.begin()
    app.send("What is a **boat**?")
    app.see("Boats", "Some bold words, and a page.", "•", "one", "two", "swift", "Copy", "Writing...")
    assert any(word.startswith("let a = 1\n\nlet b") for word in app.words), "an unclosed fence is code"
    assert app.shown["headings"] == ["Boats"]
    assert "What is a **boat**?" in app.words, "a person's message stays as it was typed"
    model.go_on.set()
    app.see("let a = 1\n\nlet b = 2", "City", "People", "Kiel", "3", "a picture")
    app.miss("Writing...")
    assert app.shown["links"] == ["a page", "a picture"]


def test_a_link_of_an_answer_shows_its_address_and_asks(assistants, model):
    model.words = ["A [page](https://bank.example@evil.example/a), a [call](tel:1), ", "and [code](javascript:alert(1))."]
    app = assistants.begin()
    app.send("Where?")
    app.see("A page, a call, and code.")
    app.miss("Writing...")
    assert app.shown["links"] == ["page"], "only an address in the web is a link"
    app.do("link", label="page")
    app.wait(lambda: app.shown.get("sheet"), "the question")
    assert app.shown["sheet"][:2] == ["evil.example", "https://bank.example@evil.example/a"]
    app.tap("Cancel")
    app.wait(lambda: not app.shown.get("sheet"), "the end of the question")
    assert app.shown["opened"] == []
    app.do("link", label="page")
    app.tap("Open")
    app.wait(lambda: app.shown["opened"], "the page")
    assert app.shown["opened"] == ["https://bank.example@evil.example/a"]


def test_copy_takes_the_code_and_outlasts_the_words_that_follow(assistants, model):
    model.words = ["```\nmake all\n```\n\n", "Then", " wait.\n\n", "Go", " on."]
    model.held_at = 2
    app = assistants.begin()
    app.send("How?")
    app.see("make all", "Then")
    app.tap("Copy")
    app.see("Copied")
    assert app.shown["clipboard"] == "make all"
    model.go_on.set()
    app.see("Then wait.", "Go on.", "Copied")


def test_a_text_that_is_written_right_after_send_is_another_one(assistants, model):
    """U3: the text is taken at the tap."""
    app = assistants.begin()
    app.do("paste", label="Message", text="first")
    app.tap("Send")
    app.do("paste", label="Message", text="second")
    app.see("Once upon a time.")
    assert [request["messages"][-1]["content"] for request in model.requests] == ["first"]
    assert app.field() == "second"


def test_an_answer_that_was_watched_is_not_unread(assistants):
    """U24"""
    app = assistants.begin()
    app.send("Hello?")
    app.see("Once upon a time.")
    app.miss("Writing...")
    app.wait(lambda: not app.shown["rows"][0].endswith(" 1"), "nothing that is unread")
