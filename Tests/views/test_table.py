"""The table of the user stories in README.md, compared with the tests."""

import ast
import re

from app import ROOT

HERE = ROOT / "Tests/views"
# The columns of the table, each with the fixture of its tests.
COLUMNS = ("people", "assistants", "reader")


def rows() -> dict[str, list[str]]:
    """The cells of each story: ChatApp, AssistantApp, and both or elsewhere."""
    lines = [line for line in (HERE / "README.md").read_text().splitlines() if line.startswith("| U")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {number: columns for number, *columns in cells}


def all_tests() -> dict[str, ast.FunctionDef]:
    nodes = [node for file in HERE.glob("test_*.py") for node in ast.walk(ast.parse(file.read_text()))]
    return {node.name: node for node in nodes if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def test_each_story_has_a_test_and_each_test_is_in_its_column():
    known = all_tests()
    assert list(rows()) == [f"U{number}" for number in range(1, 25)]
    for story, cells in rows().items():
        assert "`" in "".join(cells), f"{story} has no test"
        for fixture, cell in zip(COLUMNS, cells, strict=True):
            for name in re.findall(r"`(test_\w+)`", cell):
                assert name in known, f"{story}: there is no {name}"
                assert fixture in [argument.arg for argument in known[name].args.args], f"{story}: {name}"


def test_each_test_that_names_a_story_is_in_its_row():
    named = {story: set() for story in rows()}
    for name, node in all_tests().items():
        for story in re.findall(r"\bU\d+\b", ast.get_docstring(node) or ""):
            named[story].add(name)
    listed = {story: set(re.findall(r"`(test_\w+)`", "".join(cells))) for story, cells in rows().items()}
    assert listed == named


def test_what_is_shown_elsewhere_is_there():
    for story, cells in rows().items():
        for file, name in re.findall(r"`([\w/.]+)::(test_\w+)`", "".join(cells)):
            assert f"def {name}(" in (ROOT / file).read_text(), f"{story}: {name}"
