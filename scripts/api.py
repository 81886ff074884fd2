#!/usr/bin/env python3
"""Writes docs/api.txt: every public symbol of the package's libraries, with a heading for each library.

    scripts/api.py            writes the page
    scripts/api.py --check    fails when the page is out of date, when a symbol has no documentation comment, or when
                              there are more types, or more functions of ChatClient, than the limits below

The first part is what an app sees behind `import Holdfast`, and the second what only the author of a transport sees, behind
`import HoldfastTransport`. The limits are theirs.

The symbols come from the compiler's symbol graph, so build the package first.
"""

import argparse
import concurrent.futures
import sys

import symbols as symbol_graphs

PAGE = symbol_graphs.ROOT / "docs/api.txt"
MODULES = [*symbol_graphs.EXPORTED["Holdfast"], "Holdfast"]
TRANSPORT = "HoldfastTransport"
# The other products. HoldfastSwiftUI needs Apple's systems, and HoldfastFirestore its trait: both are empty in this build.
OTHERS = [
    "ChatServer", "ChatServerTesting", "HoldfastAssistant", "HoldfastCompletions", "HoldfastCredentials", "HoldfastMatrix",
    "HoldfastRescue", "HoldfastTesting", "HoldfastWebSocket",
]
# Types that stand alone, and all types with those that are nested in others.
MOST_TYPES = (66, 113)
MOST_TRANSPORT_TYPES = (19, 31)
MOST_CLIENT_FUNCTIONS = 29
# Requirements of the standard library's protocols, whose documentation is theirs.
WITNESSES = {
    "init(from:)", "encode(to:)", "hash(into:)", "==(_:_:)", "description", "debugDescription", "customMirror",
    "rawValue", "init(rawValue:)", "init(stringLiteral:)", "id", "unownedExecutor", "allCases", "hashValue", "<(_:_:)",
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args()

    with concurrent.futures.ThreadPoolExecutor() as pool:
        names = [*MODULES, TRANSPORT, *OTHERS]
        modules = dict(zip(names, pool.map(lambda module: symbol_graphs.graph(module)["symbols"], names)))
    symbols = ordered(symbol for module in MODULES for symbol in modules[module])
    transport = ordered(modules[TRANSPORT])
    types, transport_types = count(symbols), count(transport)
    functions = {
        s["pathComponents"][1]
        for s in symbols
        if s["pathComponents"][0] == "ChatClient" and symbol_graphs.kind(s) in {"method", "type.method"}
    }
    parts = ", ".join(f"{module} {said(count(modules[module]))}" for module in MODULES)
    summary = f"Behind `import Holdfast`: {said(types)} types ({parts}), {len(functions)} functions of ChatClient."
    summary_of_transport = f"Behind `import {TRANSPORT}`: {said(transport_types)} types."
    page = (
        f"{summary} {summary_of_transport} The second number counts nested types too. Behind them are {', '.join(OTHERS)}."
        f" HoldfastSwiftUI and HoldfastFirestore are not here. Made by scripts/api.py from the symbol graph.\n\n"
        f"{''.join(map(line, symbols))}\n\n## {summary_of_transport}\n\n{''.join(map(line, transport))}"
    )
    for module in OTHERS:
        page += f"\n\n## Behind `import {module}`: {said(count(modules[module]))} types.\n\n"
        page += "".join(map(line, ordered(modules[module])))

    problems = [
        f"{'.'.join(s['pathComponents'])} has no documentation comment"
        for s in symbols + transport
        if not is_documented(s)
    ]
    for found, most, what in [(types, MOST_TYPES, "Holdfast"), (transport_types, MOST_TRANSPORT_TYPES, TRANSPORT)]:
        if any(number > limit for number, limit in zip(found, most)):
            problems.append(f"{said(found)} public types behind `import {what}`; at most {said(most)} are wanted")
    if len(functions) > MOST_CLIENT_FUNCTIONS:
        problems.append(f"{len(functions)} functions of ChatClient; at most {MOST_CLIENT_FUNCTIONS} are wanted")
    if options.check and (not PAGE.exists() or PAGE.read_text() != page):
        problems.append("docs/api.txt is out of date; run scripts/api.py and look at the difference")
    if not options.check:
        PAGE.write_text(page)
    if problems:
        sys.exit("\n".join(problems))
    print(f"docs/api.txt {'is up to date' if options.check else 'is written'}. {summary} {summary_of_transport}")


def ordered(symbols):
    return sorted(symbols, key=lambda symbol: (symbol["pathComponents"], declaration(symbol)))


def count(symbols):
    """The types that stand alone, and all types."""
    types = [s for s in symbols if symbol_graphs.is_type(s)]
    return sum(len(s["pathComponents"]) == 1 for s in types), len(types)


def said(numbers):
    return f"{numbers[0]}/{numbers[1]}"


def declaration(symbol):
    return "".join(fragment["spelling"] for fragment in symbol["declarationFragments"])


def is_documented(symbol):
    return "docComment" in symbol or symbol["pathComponents"][-1] in WITNESSES


def line(symbol):
    depth = len(symbol["pathComponents"]) - 1
    text = " ".join(declaration(symbol).split())
    return ("\n" if depth == 0 else "") + "  " * depth + text + "\n"


if __name__ == "__main__":
    main()
