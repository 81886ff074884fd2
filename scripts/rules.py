#!/usr/bin/env python3
"""Writes docs/rules.md: each rule of docs/rules.toml, with the tests and the mutants that cite it.

    scripts/rules.py          writes the page and prints the counts
    scripts/rules.py --check  fails if the page is out of date, a rule has no test, or a citation names no rule

A Swift test cites rules in a comment above it, a browser test in a comment behind its `def` line:

    // D10.2, S9                           clause 2 of rule D10, and rule S9 as a whole
    @Test func `a draft is deleted`() { }

    def test_the_draft_is_back(alice):  # U2.1

or at the beginning of the text in three quotes below it.

A mutant of Tests/Mutants/mutants.toml cites the rules that the worlds see broken without its guard:

    rules = ["D10"]

Other comments cite a rule as `(rule D10)`.
"""

import argparse
import collections
import dataclasses
import pathlib
import re
import sys

try:
    import tomllib
except ModuleNotFoundError:
    sys.exit("Python 3.11 or newer is needed.")

ROOT = pathlib.Path(__file__).resolve().parent.parent
CITATION = r"[A-Z]\d{1,2}(?:\.\d+)?\b"
CITATIONS = re.compile(rf"\s*({CITATION}(?:[\s,:;]+{CITATION})*)")
ATTRIBUTES = r"(?:@\w+(?:\([^()\n]*\))?[ \t]+)*"
# What stands between @Test and func: comments and texts are passed over as a whole, because they may have any word.
SKIPPED = r"""(?:[^"#/]|//[^\n]*|/(?!/)|\"{3}.*?\"{3}|\#"[^\n]*?"\#|\#(?!")|"(?:\\.|[^"\\\n])*")*?"""
SWIFT_BEGINNING = re.compile(rf"^[ \t]*{ATTRIBUTES}@Test\b", re.MULTILINE)
SWIFT_TEST = re.compile(
    rf"{SWIFT_BEGINNING.pattern}({SKIPPED})\bfunc\s+(?:`([^`\n]+)`|(\w+))", re.MULTILINE | re.DOTALL)
PYTHON_TEST = re.compile(r"^[ \t]*def[ \t]+(test_\w+)\([^()]*\)[^:\n]*:[ \t]*(?:#[^\n]*)?$", re.MULTILINE)
# A citation may go on in the next line of a comment.
SOURCE_CITATION = re.compile(rf"\brules?\s+({CITATION}(?:(?:[\s,:;#/]|and\b)+{CITATION})*)")
SOURCE_FOLDERS = ["Sources", "Lab", "Tests", "examples", "scripts", "docs"]
SOURCE_SUFFIXES = {".swift", ".py", ".sh", ".md", ".c", ".h", ".toml", ".js", ".css", ".html"}
PYTHON_TEXT = re.compile(r'[ \t]*"{3}([^"\n]*)')
PYTHON_COMMENTS = re.compile(r"(?:[ \t]*#[^\n]*\n)+")
EXPLANATION = """\
Each rule has an ID and numbered clauses, which can be tested one by one. A comment in the sources cites a rule as
`(rule D10)`. A comment above a test cites a rule as `D10`, and the second clause of that rule as `D10.2`. The names
below a clause are the tests that cite it; names below *Also* are tests that cite the rule as a whole.

A rule is **cited** when a test cites each of its clauses, and **partly cited** when tests cite the rule or some of its
clauses. A citation says what a test is meant to show, and not how well it shows it. A rule is **proved** when each of
its clauses is cited, and when a guard of the rule was also taken out and the simulated worlds noticed: below *Guarded by*
are its [mutants](../Tests/Mutants/mutants.toml), which `make mutants` runs. A **planned** rule is not implemented yet.

`scripts/rules.py` writes this page from [rules.toml](rules.toml), the tests and the mutants. Change those, and run the
script."""


@dataclasses.dataclass(frozen=True)
class Test:
    file: pathlib.Path
    line: int
    name: str
    citations: tuple


def main():
    options = arguments()
    page = options.output or options.root / "docs/rules.md"
    data = read_rules(options.rules or options.root / "docs/rules.toml")
    tests = read_tests(options.root)
    names = names_by_citation(data["rule"], tests)
    mutants = mutants_by_rule(data["rule"], options.root)
    check_sources(data["rule"], options.root)
    text = written_page(data, names, mutants)
    untested = [
        rule["id"] for rule in data["rule"] if state(rule, names, mutants) == "none" and not rule.get("planned")]
    if not options.check:
        page.write_text(text)
        return print(summary(data["rule"], names, mutants))
    if untested:
        sys.exit(f"No test cites {', '.join(untested)}. Cite each rule in a test, or mark it as planned.")
    if not page.exists() or page.read_text() != text:
        sys.exit(f"{page} is out of date. Run scripts/rules.py, and commit what it changes.")
    print(f"{page.name} is up to date. {summary(data['rule'], names, mutants)}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing, and fail if something is wrong")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="the folder that contains Tests and docs")
    parser.add_argument("--rules", type=pathlib.Path, help="the rules; docs/rules.toml by default")
    parser.add_argument("--output", type=pathlib.Path, help="the page; docs/rules.md by default")
    return parser.parse_args()


def read_rules(file):
    """The sections and rules of the file, after a check that each rule is complete."""
    data = tomllib.loads(file.read_text())
    letters = [section["letter"] for section in data["section"]]
    ids = [rule["id"] for rule in data["rule"]]
    problems = [f"{id} is there {count} times." for id, count in collections.Counter(ids).items() if count > 1]
    for rule in data["rule"]:
        if not re.fullmatch(r"[A-Z]\d{1,2}", rule["id"]) or rule["id"][0] not in letters:
            problems.append(f"{rule['id']} belongs to no section.")
        if not rule.get("title") or not rule.get("clauses"):
            problems.append(f"{rule['id']} needs a title and clauses.")
    if problems:
        sys.exit("\n".join([f"{file} has mistakes:", *problems]))
    return data


def read_tests(root):
    """All tests below Tests, in Swift and in Python."""
    files = sorted((root / "Tests").rglob("*"))
    swift = [test for file in files if file.suffix == ".swift" for test in swift_tests(file, root)]
    python = [test for file in files if file.suffix == ".py" for test in python_tests(file, root)]
    return swift + python


def swift_tests(file, root):
    text = file.read_text()
    matches = list(SWIFT_TEST.finditer(text))
    if len(matches) != len(SWIFT_BEGINNING.findall(text)):
        sys.exit(f"{file} has a @Test that scripts/rules.py cannot read.")
    for match in matches:
        lines = lines_above(text, match.start(), ("//", "@")) + match[1].splitlines()
        comments = [line.strip().removeprefix("//") for line in lines if line.strip().startswith("//")]
        yield test(file, root, text, match, match[2] or match[3], comments)


def python_tests(file, root):
    text = file.read_text()
    for match in PYTHON_TEST.finditer(text):
        below = PYTHON_COMMENTS.match(text, match.end() + 1)
        lines = lines_above(text, match.start(), ("#", "@")) + match[0].splitlines()
        lines += below[0].splitlines() if below else []
        comments = [line.partition("#")[2] for line in lines if "#" in line]
        text_below = PYTHON_TEXT.match(text, match.end() + 1)
        comments += [text_below[1]] if text_below else []
        yield test(file, root, text, match, match[1], comments)


def test(file, root, text, match, name, comments):
    citations = [id for comment in comments for id in cited(comment)]
    return Test(file.relative_to(root), text.count("\n", 0, match.start()) + 1, name, tuple(citations))


def lines_above(text, position, beginnings):
    """The comments and attributes directly above a test, without a blank line between them."""
    lines = []
    for line in reversed(text[:position].splitlines()):
        if not line.strip().startswith(beginnings):
            break
        lines.insert(0, line)
    return lines


def cited(comment):
    """The IDs that a comment begins with."""
    match = CITATIONS.match(comment)
    return re.findall(CITATION, match[1]) if match else []


def names_by_citation(rules, tests):
    """The sorted names of the tests that cite each rule and each clause."""
    known = known_ids(rules)
    names = collections.defaultdict(set)
    problems = []
    for test in tests:
        for id in test.citations:
            names[id].add(test.name)
            if id not in known:
                kind = "clause" if "." in id else "rule"
                problems.append(f"{test.file}:{test.line} cites {id}, and there is no such {kind}: {test.name}")
    if problems:
        sys.exit("\n".join(problems))
    return {id: sorted(names[id]) for id in names}


def mutants_by_rule(rules, root):
    """The names of the mutants that cite each rule, in the order of their file."""
    known = {rule["id"] for rule in rules}
    names = collections.defaultdict(list)
    for mutant in tomllib.loads((root / "Tests/Mutants/mutants.toml").read_text())["mutant"]:
        for id in mutant.get("rules", []):
            if id not in known:
                sys.exit(f"The mutant {mutant['name']} cites {id}, and there is no such rule.")
            names[id].append(mutant["name"])
    return names


def check_sources(rules, root):
    """Fails if a comment or a page cites a rule that does not exist."""
    known = known_ids(rules)
    problems = []
    for file in sorted(file for folder in SOURCE_FOLDERS for file in (root / folder).rglob("*")):
        if file.suffix not in SOURCE_SUFFIXES or any(part.startswith(".") for part in file.relative_to(root).parts):
            continue
        text = file.read_text()
        for match in SOURCE_CITATION.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            missing = [id for id in re.findall(CITATION, match[1]) if id not in known]
            problems += [f"{file.relative_to(root)}:{line} cites {id}, and there is no such rule." for id in missing]
    if problems:
        sys.exit("\n".join(problems))


def known_ids(rules):
    return {id for rule in rules for id in [rule["id"], *clause_ids(rule)]}


def clause_ids(rule):
    return [f"{rule['id']}.{number + 1}" for number in range(len(rule["clauses"]))]


def state(rule, names, mutants):
    if all(id in names for id in clause_ids(rule)):
        return "proved" if rule["id"] in mutants else "cited"
    return "partly" if any(id in names for id in [rule["id"], *clause_ids(rule)]) else "none"


def summary(rules, names, mutants):
    states = collections.Counter(state(rule, names, mutants) for rule in rules)
    planned = sum(state(rule, names, mutants) == "none" and rule.get("planned", False) for rule in rules)
    clauses = [id for rule in rules for id in clause_ids(rule)]
    return (
        f"{len(rules)} rules: {states['proved']} proved, {states['cited']} cited, {states['partly']} partly cited, "
        f"{states['none']} without a test, {planned} of them planned. Tests cite {sum(id in names for id in clauses)} of {len(clauses)} clauses."
    )


def written_page(data, names, mutants):
    blocks = ["# Rules", summary(data["rule"], names, mutants), EXPLANATION]
    for section in data["section"]:
        blocks.append(f"## {section['title']}")
        blocks += [section["text"]] if "text" in section else []
        blocks += [block(rule, names, mutants) for rule in data["rule"] if rule["id"][0] == section["letter"]]
    return "\n\n".join(blocks) + "\n"


def block(rule, names, mutants):
    """A rule with its clauses, the tests of each, and the rule's mutants."""
    parts = [f'<a id="{rule["id"].lower()}"></a>**{rule["id"]}** {rule["title"]} *{verdict(rule, names, mutants)}*']
    parts += [rule["note"]] if "note" in rule else []
    clauses = zip(clause_ids(rule), rule["clauses"])
    parts.append("\n".join(numbered(id, clause, names) for id, clause in clauses))
    parts += ["Also:\n\n" + bullets(names[rule["id"]])] if rule["id"] in names else []
    parts += ["Guarded by:\n\n" + bullets(mutants[rule["id"]])] if rule["id"] in mutants else []
    return "\n\n".join(parts)


def numbered(id, clause, names):
    """A clause with the tests that cite it, indented as Markdown wants the parts of a numbered list."""
    number = id.partition(".")[2] + ". "
    return number + "\n".join([clause] + ([bullets(names[id], " " * len(number))] if id in names else []))


def bullets(names, indent=""):
    return "\n".join(f"{indent}- `{name}`" for name in names)


def verdict(rule, names, mutants):
    words = {"none": "Planned." if rule.get("planned") else "No test.", "proved": "Proved.", "cited": "Cited."}
    count = sum(id in names for id in clause_ids(rule))
    return words.get(state(rule, names, mutants), f"Partly cited: {count} of {len(rule['clauses'])} clauses.")


if __name__ == "__main__":
    main()
