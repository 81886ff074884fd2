#!/usr/bin/env python3
"""Compares what Tests/AppleInterfaces/SwiftUI.swiftinterface declares with what Apple declares.

    scripts/apple-declarations.py          fails when a declaration has no row, or another signature or availability
    scripts/apple-declarations.py --print  prints the rows too

A symbol's USR holds its name, labels, types and constraints, so that an equal USR is an equal signature. A row of
Tests/AppleInterfaces/declarations.json has the USR and the first systems, and where they were read: on the symbol's page
("doc"), or in Apple's SDK ("source"). Constants, cases and the bodies of primitive views have no rows: they are on the page of
their type, and a wrong one does not compile there.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
INTERFACE = ROOT / "Tests/AppleInterfaces/SwiftUI.swiftinterface"
ROWS = ROOT / "Tests/AppleInterfaces/declarations.json"
# Kinds that are on the page of their type.
PLAIN = {"swift.enum.case", "swift.type.property", "swift.associatedtype", "swift.typealias"}
# What the compiler finds by its name in a builder or a wrapper, whose page has it.
NAMES = re.compile(r"^(build\w+\(.*\)|subscript\(dynamicMember:\)|body|rawValue|init\(rawValue:\))$")
# The oldest systems of Package.swift.
OLDEST = {"iOS": 18.0, "macOS": 15.0}
# In Foundation here, and in CoreFoundation on Apple's systems.
MOVED = {"CGFloat", "CGPoint", "CGSize", "CGRect"}
FOUNDATION = {"FoundationEssentials", "FoundationInternationalization", "FoundationOnApple", "__C", "CoreFoundation"}


def symbols(folder):
    """The public symbols of the interface: USR, title and kind."""
    module = folder / "SwiftUI.swiftmodule"
    for name in ["FoundationOnApple", "UniformTypeIdentifiers", "CoreTransferable", "SwiftUI"]:
        subprocess.run(
            [
                "swiftc", "-frontend", "-compile-module-from-interface", "-explicit-interface-module-build", "-module-name", name,
                INTERFACE.parent / f"{name}.swiftinterface", "-I", folder, "-o", folder / f"{name}.swiftmodule", "-swift-version", "6",
            ],
            check=True, capture_output=True)
    info = json.loads(subprocess.run(["swiftc", "-print-target-info"], capture_output=True, check=True).stdout)
    subprocess.run(
        [
            "swift-symbolgraph-extract", "-module-name", "SwiftUI", "-I", folder, "-target",
            info["target"]["unversionedTriple"], "-output-dir", folder, "-minimum-access-level", "public",
        ],
        check=True, capture_output=True)
    graph = json.loads((folder / "SwiftUI.symbols.json").read_text())
    return [
        (symbol["identifier"]["precise"], ".".join(symbol["pathComponents"]), symbol["names"]["title"],
         symbol["kind"]["identifier"], availability(symbol))
        for symbol in graph["symbols"] if "::SYNTHESIZED::" not in symbol["identifier"]["precise"]
    ]


def availability(symbol):
    """The first systems that a symbol says it runs on. Those of its type, where it says nothing."""
    found = {}
    for item in symbol.get("availability", []):
        introduced = item.get("introduced", {})
        found[item.get("domain")] = float(f"{introduced.get('major', 0)}.{introduced.get('minor', 0)}")
    return found


def normal(usrs):
    """The demangled tree of each USR, without the differences between Linux and Apple's systems."""
    names = "\n".join("$s" + usr[2:] for usr in usrs) + "\n"
    run = subprocess.run(["swift-demangle", "-tree-only"], input=names, capture_output=True, text=True, check=True)
    blocks = re.split(r"^Demangling for \$s(\S+)\n", run.stdout, flags=re.M)[1:]
    trees = {"s:" + name: tree(text) for name, text in zip(blocks[::2], blocks[1::2])}
    return {usr: trees.get(usr, usr) for usr in usrs}


def tree(text):
    lines = []
    for line in re.sub(r"(kind=OpaqueReturnTypeParent), text=.*", r"\1", text).rstrip().split("\n"):
        name = re.fullmatch(r' *kind=Identifier, text="(\w+)"', line)
        module = name and lines and re.fullmatch(r'( *)kind=Module, text="(\w+)"', lines[-1])
        if module and name[1] in MOVED:
            lines[-1] = module[1] + "kind=Module"
            lines[-2] = re.sub("kind=(Class|Structure)", "kind=Type", lines[-2])
        elif module and module[2] in FOUNDATION:
            lines[-1] = module[1] + 'kind=Module, text="Foundation"'
            if module[2] == "__C":
                line = line.replace('"NS', '"')
        lines.append(line)
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--print", action="store_true", dest="prints")
    arguments = parser.parse_args()
    rows = json.loads(ROWS.read_text())
    with tempfile.TemporaryDirectory() as folder:
        declared = symbols(pathlib.Path(folder))
    trees = normal([row["usr"] for row in rows] + [symbol[0] for symbol in declared])
    known = {trees[row["usr"]]: row for row in rows}
    used, problems, plain = set(), [], 0
    for usr, path, title, kind, systems in declared:
        if kind in PLAIN or NAMES.match(title):
            plain += 1
            continue
        row = known.get(trees[usr])
        if not row:
            problems.append(f"{path} has no row with its signature: {usr}")
            continue
        used.add(trees[usr])
        if arguments.prints:
            print(row["decl"], row.get("doc") or row.get("source"))
        for system, oldest in OLDEST.items():
            if row[system] is None or row[system] > oldest:
                problems.append(f"{path} needs {system} {row[system]}, and the package runs on {oldest}")
            if system in systems and systems[system] < row[system]:
                problems.append(f"{path} says {system} {systems[system]}, and Apple says {row[system]}")
    problems += [f"{row['decl']} has a row, and nothing declares it" for tree, row in known.items() if tree not in used]
    print(f"SwiftUI: {len(used)} declarations have Apple's signature; {plain} constants, cases and bodies are on their types' pages")
    if problems:
        sys.exit("apple-declarations: \n" + "\n".join(sorted(problems)))


if __name__ == "__main__":
    main()
