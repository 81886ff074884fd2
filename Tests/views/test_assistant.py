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
