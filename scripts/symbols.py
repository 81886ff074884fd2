"""The compiler's symbol graphs of modules that are built."""

import functools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / ".build/debug"
INTERFACES = ROOT / "Tests/AppleInterfaces"
# The build's own module of the views is empty on Linux.
VIEWS = "HoldfastSwiftUI"
# What `import` of a module brings along. HoldfastCore and HoldfastNetwork are never imported by themselves.
EXPORTED = {"Holdfast": ["HoldfastCore", "HoldfastNetwork"]}


def graph(module):
    """The module's public symbols, without those that the compiler derives from other modules' protocols."""
    return graphs(module)[f"{module}.symbols.json"]


def graphs(module, *options):
    """The same, by the names of the files: with some options the compiler writes several."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as compiled:
        command = [
            "swift", "symbolgraph-extract", "-module-name", module, *(views(pathlib.Path(compiled)) if module == VIEWS else modules()),
            "-target", target(),
            "-minimum-access-level", "public", "-skip-synthesized-members", "-output-dir", folder, *options,
        ]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode:
            sys.exit(f"No symbol graph of {module}. Build the package first.\n{run.stderr}")
        return {file.name: json.loads(file.read_text()) for file in pathlib.Path(folder).glob("*.symbols.json")}


def modules():
    """The arguments by which the compiler finds the built modules."""
    return ["-I", BUILD / "Modules", *(argument for path in c_modules() for argument in ("-Xcc", f"-fmodule-map-file={path}"))]


def views(folder):
    """Compiles the views against the interfaces of Apple's systems. The arguments by which the compiler finds them, and all others."""
    arguments = ["-I", folder, *modules()]
    if (folder / f"{VIEWS}.swiftmodule").exists():
        return arguments
    for name in ["FoundationOnApple", "UniformTypeIdentifiers", "CoreTransferable", "AppKit", "SwiftUI", "QuickLook"]:
        subprocess.run(
            [
                "swiftc", "-frontend", "-compile-module-from-interface", "-explicit-interface-module-build", "-module-name", name,
                INTERFACES / f"{name}.swiftinterface", "-I", folder, "-o", folder / f"{name}.swiftmodule", "-swift-version", "6",
            ],
            check=True, capture_output=True)
    run = subprocess.run(
        [
            "swiftc", "-emit-module", "-parse-as-library", "-module-name", VIEWS, "-package-name", package_name(), "-swift-version", "6",
            "-suppress-warnings", "-target", target(), "-Xfrontend", "-import-module", "-Xfrontend", "FoundationOnApple", *arguments,
            *sorted((ROOT / f"Sources/{VIEWS}").glob("*.swift")), *(ROOT / "Tests/SwiftUIDouble/OnApple").glob("*.swift"),
            *(ROOT / "Tests/CMarkRuns").glob("*.swift"),
            "-emit-module-path", folder / f"{VIEWS}.swiftmodule",
        ],
        capture_output=True, text=True, check=False)
    if run.returncode:
        sys.exit(f"The views do not compile. Build the package first.\n{run.stderr}")
    return arguments


def package_name():
    """The name that SwiftPM gives to the package's own modules: that of the folder."""
    return re.sub(r"\W", "_", ROOT.name.lower())


def kind(symbol):
    return symbol["kind"]["identifier"].removeprefix("swift.")


def is_type(symbol):
    return kind(symbol) in {"class", "struct", "enum", "protocol", "typealias"}


@functools.cache
def c_modules():
    """The maps of the modules in C that the dependencies have. GRDB has SQLite's in several places."""
    sqlite = ROOT / ".build/checkouts/GRDB.swift/Sources/GRDBSQLite/module.modulemap"
    checkouts = (ROOT / ".build/checkouts").glob("*/**/include/module.modulemap")
    cmark = ROOT / "Lab/CMarkGFM/module.modulemap"
    return [sqlite, cmark, *BUILD.glob("*.build/module.modulemap"), *(path for path in checkouts if "GRDB.swift" not in path.parts)]


@functools.cache
def target():
    information = subprocess.run(["swift", "-print-target-info"], capture_output=True, text=True, check=True)
    return json.loads(information.stdout)["target"]["triple"]
