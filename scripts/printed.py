#!/usr/bin/env python3
"""Compiles every block of Swift that is printed: in the pages, and in the documentation comments of the sources.

    scripts/printed.py               type-checks all blocks, and names those that do not compile
    scripts/printed.py --self-test   breaks one block, and fails unless it is named

A block is a piece of an app: it uses values that it does not declare. Tests/Printed has them, and what SwiftUI has beyond
Tests/AppleInterfaces. Each block stands in a function of its own. The compiler's messages have the printed place.

The package's modules are used as they were built, so build first.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass

from symbols import ROOT, package_name, target, views

PRELUDE = ROOT / "Tests/Printed"
MODULES = [
    "ChatServer", "ChatServerTesting", "Foundation", "FoundationNetworking", "Holdfast", "HoldfastAssistant", "HoldfastCompletions", "HoldfastCredentials", "HoldfastMatrix", "HoldfastRelay", "HoldfastRescue",
    "HoldfastStore", "HoldfastSwiftUI", "HoldfastTesting", "HoldfastTransport", "HoldfastWebSocket", "Observation", "Simulator", "SwiftUI", "Synchronization", "Testing",
]
# What a name stands for in some files, where the prelude means something else by it.
MEANINGS = {
    "Sources/Holdfast/Engine/Composers/": {"chat": "ConversationID", "composer": "DraftComposer"},
    "Sources/Holdfast/Engine/Windows/SceneActivity.swift": {"chat": "ConversationModel"},
    "Sources/Holdfast/Handles/ConversationHandle+Storing.swift": {"answer": "FinishedMessage"},
    "Sources/Holdfast/Presentation/ConversationListModel.swift": {"model": "ConversationListModel"},
    "Sources/Holdfast/Presentation/ConversationModel.swift": {"model": "ConversationModel"},
    "Sources/Holdfast/Presentation/SearchModel.swift": {"model": "SearchModel"},
    "Sources/HoldfastSwiftUI/ConversationScreen.swift": {"open": "OpenConversation"},
    "Sources/HoldfastSwiftUI/MessageSheets.swift": {"message": "MessageID"},
    "Sources/HoldfastSwiftUI/Message": {"message": "ShownMessage"},
    "Sources/HoldfastSwiftUI/SearchResultList.swift": {"search": "SearchModel", "open": "(ChatPlace) -> Void"},
    "Sources/HoldfastTesting/Faults/FaultyTransport.swift": {"chat": "ConversationID"},
}
# Whose blocks are for the package's own targets. Every other block is an app's, and sees what is public.
INTERNAL = ("Lab/Simulator/", "Sources/HoldfastRelay/", "Sources/HoldfastStore/")
# Checked by another script, or in another way.
ELSEWHERE = {
    # By its first line. scripts/type-check-apple.sh compares it with Tests/AppleInterfaces/SceneView.swift.
    "Sources/Holdfast/Presentation/SceneModel.swift": "enum Sheet: Codable, Hashable, Identifiable {",
}


@dataclass
class Block:
    path: str
    line: int
    text: str

    @property
    def place(self):
        return f"{self.path}:{self.line}"

    @property
    def is_file(self):
        """Whether the block declares what stands at the level of a file."""
        return re.search(r"^(@main|@Suite|@Test|extension|protocol)\b", self.text, re.MULTILINE)

    @property
    def is_internal(self):
        return self.path.startswith(INTERNAL)

    @property
    def is_manifest(self):
        return self.text.startswith((".package(", "// swift-tools-version"))

    def source(self, number):
        """The file that is compiled. The lines of the block keep their numbers."""
        lines = [f"{'@testable ' * (self.is_internal and module == 'HoldfastStore')}import {module}" for module in MODULES]
        text, before, after = self.text, "", ""
        text = re.sub(r"^ *(import \w+)$", "", text, flags=re.MULTILINE)
        text = text.replace("#Preview {", "preview {")
        if self.is_manifest:
            lines = ["import PackageDescription"]
            if text.startswith("."):
                text = f"let dependency: Package.Dependency = {text}"
        elif not self.is_file:
            meanings = next((names for path, names in MEANINGS.items() if self.path.startswith(path)), {})
            parameters = ", ".join(f"_ {name}: {meaning}" for name, meaning in meanings.items())
            before, after = f"@MainActor func block{number}({parameters}) async throws {{", "}"
            text = re.sub(r"\$([a-z]\w*)", r"bound(\1)", text)
            # A modifier stands alone: it belongs to a view that is not printed.
            text = re.sub(r"(\A|(?<=[^\s}.]\n))(?=\.)", "page", text)
        place = f'#sourceLocation(file: "{self.path}", line: {self.line})'
        return "\n".join([*lines, before, place, text, "#sourceLocation()", after, ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--self-test", action="store_true", help="break one block")
    options = parser.parse_args()
    blocks = [block for path in printed_files() for block in blocks_of(path)]
    if options.self_test:
        broken = next(block for block in blocks if "client.send(" in block.text)
        broken.text = broken.text.replace("client.send(", "client.sent(")
        problems = check(blocks)
        if len(problems) != 1 or broken.path not in problems[0]:
            sys.exit(f"The broken block of {broken.place} was not named: {problems}")
        print(f"A broken block is named: {problems[0].splitlines()[0]}")
        return
    problems = check(blocks)
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(blocks)} printed blocks of {len({block.path for block in blocks})} files compile.")


def printed_files():
    run = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "*.md", "Sources/*.swift", "Lab/*.swift"], cwd=ROOT, capture_output=True,
        text=True, check=True)
    return [path for path in run.stdout.split() if (ROOT / path).exists()]


def blocks_of(path):
    """The blocks of a page, or of the documentation comments of a source."""
    start, kept = None, []
    for number, line in enumerate((ROOT / path).read_text().splitlines(), 1):
        if path.endswith(".swift"):
            comment = re.match(r"\s*/// ?(.*)", line)
            if not comment:
                start = None
                continue
            line = comment[1]
        if start is None:
            if line.strip() == "```swift":
                start, kept = number + 1, []
        elif line.strip() == "```":
            if kept[:1] != [ELSEWHERE.get(path)]:
                yield Block(path, start, "\n".join(kept))
            start = None
        else:
            kept.append(line)


def check(blocks):
    """The problems, one text for each block that does not compile."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        command = compiler(folder)
        prelude = sorted(PRELUDE.glob("*.swift"))
        together, internal = [], []
        said = ""
        for number, block in enumerate(blocks):
            file = folder / f"Block{number}.swift"
            file.write_text(block.source(number))
            if block.is_manifest:
                said += typecheck([*compiler(folder, manifest=True), file])
            elif block.is_file:
                others = [path for path in prelude if f"struct {path.stem}:" not in block.text]
                said += typecheck([*command, "-parse-as-library", *others, file])
            else:
                (internal if block.is_internal else together).append(file)
        package = ["-package-name", package_name()]
        said += typecheck([*command, "-parse-as-library", *prelude, *together])
        said += typecheck([*command, *package, "-parse-as-library", *prelude, *PRELUDE.glob("Internals/*.swift"), *internal])
    found = {}
    for line in said.splitlines():
        match = re.match(r"(?:\S*/)?((?:[^\s:]+/)*[^\s:/]+):(\d+):\d+: error: (.*)", line)
        if not match:
            continue
        owner = next(
            (
                block
                for block in blocks
                if line.startswith(block.path) or f"/{block.path}:" in line
                if block.line <= int(match[2]) <= block.line + block.text.count("\n") + 1
            ),
            None)
        key = owner.place if owner else line
        found.setdefault(key, []).append(line)
    return ["\n".join(dict.fromkeys(lines)) for lines in found.values()]


def compiler(folder, manifest=False):
    if manifest:
        swiftc = pathlib.Path(subprocess.run(["which", "swiftc"], capture_output=True, text=True, check=True).stdout.strip())
        interface = swiftc.resolve().parent.parent / "lib/swift/pm/ManifestAPI"
        return ["swiftc", "-typecheck", "-parse-as-library", "-I", interface, "-package-description-version", "6.2.0"]
    common = [
        "-swift-version", "6", "-suppress-warnings", "-diagnostic-style", "llvm", "-target", target(), *views(folder),
    ]
    return ["swiftc", "-typecheck", "-whole-module-optimization", "-module-name", "Printed", *common]


def typecheck(command):
    run = subprocess.run([str(part) for part in command], cwd=ROOT, capture_output=True, text=True, check=False)
    if "<unknown>:0: error:" in run.stderr or run.returncode and "error:" not in run.stderr:
        sys.exit(f"The modules cannot be used. Build the package first.\n{run.stderr}")
    return run.stderr


if __name__ == "__main__":
    main()
