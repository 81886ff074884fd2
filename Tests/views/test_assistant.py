"""What a person lives through in examples/AssistantApp, with a model that can be held in the middle of an answer."""


def test_an_answer_that_was_cut_off_by_a_kill_is_written_anew(assistants, model):
    """U14, U21: without a server, what had arrived is there, and is tried again from its beginning."""
    model.held_at = 2
    app = assistants.begin()
    app.send("Tell me a story")
    app.see("Once upon", "Writing...", "Stop")
    app.wait(lambda: any("Once upon" in row for row in app.shown["rows"]), "the words on disk")
    assistants.relaunch()
    app.wait(lambda: app.shown["rows"], "the chat")
    app.do("select", row="assistant")
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
