#!/usr/bin/env python3
"""Makes the documentation in .build-docs/html, which opens from its folder and from a web server.

    scripts/docs.py           fails when DocC has a warning

A symbol stands under the module that a reader imports: what Holdfast exports again is in Holdfast. A link to a symbol of
another module is written as within its own, and leads there. Build the package first.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys

import symbols

SOURCES = symbols.ROOT / "Sources"
WORK = symbols.ROOT / ".build-docs"
HTML = WORK / "html"
# The modules that a reader imports.
MODULES = [
    "Holdfast", "HoldfastAssistant", "HoldfastCompletions", "HoldfastTransport", "HoldfastWebSocket", "HoldfastMatrix",
    "HoldfastCredentials", "HoldfastRescue", "HoldfastSwiftUI", "HoldfastTesting", "ChatServerTesting",
]
LINK = re.compile(r"``([A-Z]\w*)((?:/[^`]+)?)``")
# What DocC writes behind one of several functions of the same name.
DISAMBIGUATION = re.compile(r"(?<=\))-.*$")


def main():
    shutil.rmtree(WORK, ignore_errors=True)
    graphs = {module: graphs_of(module) for module in MODULES}
    homes = {name: module for module in reversed(MODULES) for name in types(graphs[module][f"{module}.symbols.json"])}
    for module in MODULES:
        prepare(module, graphs[module], homes)
    # The first pass tells each module what there is to link to in the others.
    for module in MODULES:
        convert(module, "first", [])
    warnings = []
    for module in MODULES:
        warnings += convert(module, "archives", [WORK / "first" / f"{other}.doccarchive" for other in MODULES if other != module])
    if warnings:
        sys.exit("\n".join(warnings) + f"\n{len(warnings)} warnings")
    run(
        ["docc", "merge", *(WORK / "archives" / f"{module}.doccarchive" for module in MODULES), "--output-path", HTML,
         "--synthesized-landing-page-name", "Holdfast", "--synthesized-landing-page-topics-style", "detailedGrid"])
    open_from_folder()
    print(f"Documentation: {HTML}/index.html")


def graphs_of(module):
    """The symbols under the module that a reader imports, and what the module adds to the types of others."""
    exported = symbols.EXPORTED.get(module, [])
    options = [f"-experimental-allowed-reexported-modules={','.join(exported)}"] if exported else []
    return symbols.graphs(module, "-emit-extension-block-symbols", *options)


def types(graph):
    return {
        symbol["pathComponents"][0]
        for symbol in graph["symbols"]
        if len(symbol["pathComponents"]) == 1 and symbols.is_type(symbol)
    }


def prepare(module, graphs, homes):
    """Writes the module's symbols and articles, with their links into other modules."""
    added = {
        tuple(symbol["pathComponents"]): file.removesuffix(".symbols.json").split("@")[1]
        for file, graph in graphs.items() if "@" in file
        for symbol in graph["symbols"]
    }

    def linked(text):
        def target(match):
            home = homes.get(match[1])
            if home in (None, module):
                return match[0]
            extended = added.get((match[1], *DISAMBIGUATION.sub("", match[2]).split("/")[1:]))
            return f"``{extended or '/' + home}/{match[1]}{match[2]}``"

        return LINK.sub(target, text)

    folder = WORK / "input" / module
    (folder / "symbols").mkdir(parents=True)
    for file, graph in graphs.items():
        for symbol in graph["symbols"]:
            for line in symbol.get("docComment", {}).get("lines", []):
                line["text"] = linked(line["text"])
        (folder / "symbols" / file).write_text(json.dumps(graph))
    catalog = folder / f"{module}.docc"
    catalog.mkdir()
    for page in (SOURCES / module).glob("*.docc/**/*.*"):
        if page.suffix == ".md":
            (catalog / page.name).write_text(linked(page.read_text()))
        else:
            shutil.copy(page, catalog)


def convert(module, folder, dependencies):
    """Returns the warnings."""
    output = WORK / folder / f"{module}.doccarchive"
    output.parent.mkdir(exist_ok=True)
    source = WORK / "input" / module
    converted = run(
        ["docc", "convert", source / f"{module}.docc", "--additional-symbol-graph-dir", source / "symbols",
         "--output-path", output, "--fallback-display-name", module, "--fallback-bundle-identifier", f"holdfast.{module}",
         "--enable-experimental-external-link-support",
         *(argument for dependency in dependencies for argument in ("--dependency", dependency))])
    report = converted.stdout + converted.stderr
    return [f"{module}: {part.strip()}" for part in re.split(r"^(?=warning: )", report, flags=re.M) if part.startswith("warning: ")]


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}")
    return done


# A page that is opened from a folder may fetch nothing. So each file of data is there as a script too, a link leads to the
# page's file, and everything is sought beside the page, wherever the folder lies.
SHIM = """
(() => {
  const root = location.pathname.replace(/(\\/documentation\\/.*|\\/index\\.html|\\/)$/, "");
  window.baseUrl = root + "/";
  // A web server may lead here by the page's file too, which the pages do not know.
  if (location.protocol !== "file:") {
    history.replaceState(null, "", location.href.replace("/index.html", "/"));
    return;
  }
  const waiting = {};
  window.holdfastData = (path, text) => waiting[path](text);
  window.fetch = (request) => new Promise((resolve) => {
    const address = new URL(request.url ?? request, location.href).pathname;
    const path = decodeURIComponent(address).slice(decodeURIComponent(root).length + 1)
      .replace(/\\/index\\.html\\.json$/, ".json").replace(/^data\\/index\\.json$/, "data/documentation.json");
    const script = document.createElement("script");
    waiting[path] = (text) => resolve(new Response(text, { headers: { "Content-Type": "application/json" } }));
    script.onerror = () => resolve(new Response("", { status: 404 }));
    script.src = root + "/" + path.split("/").map(encodeURIComponent).join("/") + ".js";
    document.head.append(script);
  });
  addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || link.protocol !== "file:" || event.metaKey || event.ctrlKey) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const page = link.pathname.replace(/\\/(index\\.html)?$/, "");
    if (page === location.pathname.replace(/\\/(index\\.html)?$/, "")) location.hash = link.hash;
    else location.href = "file://" + page + "/index.html" + link.hash;
  }, true);
})();
"""


def open_from_folder():
    (HTML / "js/open-from-folder.js").write_text(SHIM.lstrip())
    for page in HTML.rglob("index.html"):
        depth = len(page.relative_to(HTML).parts) - 1
        up = "../" * depth or "./"
        text = page.read_text()
        text = text.replace('<script>var baseUrl = "/"</script>', f'<script src="{up}js/open-from-folder.js"></script>')
        page.write_text(re.sub(r'(src|href)="/(js|css|favicon)', rf'\1="{up}\2', text))
    (HTML / "index.html").write_text(
        '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=documentation/index.html">'
        '<title>Holdfast</title><a href="documentation/index.html">Documentation</a>\n')
    for data in [*(HTML / "data").rglob("*.json"), *(HTML / "index").glob("*.json")]:
        path = data.relative_to(HTML).as_posix()
        data.with_name(data.name + ".js").write_text(f"holdfastData({json.dumps(path)}, {json.dumps(data.read_text())});")


if __name__ == "__main__":
    main()
