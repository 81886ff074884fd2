// A drawing of the shown contents, as a page: its structure, words and states. It is not an image of Apple's layout.
import Foundation

@MainActor struct Drawing {
  let looks: Looks

  func page(_ root: Node) -> String {
    """
    <!doctype html><html lang="en" dir="\(looks.isRightToLeft ? "rtl" : "ltr")"><meta charset="utf-8">
    <title>Drawing of the views</title><style>\(Self.style)
    :root{\(looks.isDark ? Self.dark : Self.light)} .window{--text:\(looks.isLarge ? 30 : 16)px;font-size:var(--text)}</style>
    <div class="window">\(draw(root))</div>
    <p class="note">A drawing made on Linux from the tree of the views. It shows structure, words and states, and not Apple's layout.</p>
    </html>
    """
  }

  private func draw(_ node: Node) -> String {
    switch node.kind {
    case .menu, .swipe, .picker: return ""
    case .view: return node.children.map(draw).joined()
    case .text where !node.spans.isEmpty:
      let spans = node.spans.map { "<span style=\"\($0.style)\">\(escaped($0.words))</span>" }
      return tag("span", node, spans.joined(), "dir=\"auto\"")
    case .text: return tag("span", node, escaped(node.text), "dir=\"auto\"")
    case .image where node.file != nil:
      let bytes = node.file.flatMap { try? Data(contentsOf: $0) } ?? Data()
      return "<img alt=\"\" src=\"data:;base64,\(bytes.base64EncodedString())\">"
    case .image: return tag("span", node, Self.glyphs[node.name] ?? "◻︎", "title=\"\(escaped(node.name))\"")
    case .progress where !node.text.isEmpty:
      return "<progress max=\"100\" value=\"\(node.text.dropLast(2))\"></progress>"
    case .progress: return tag("div", node, "◌")
    case .field: return tag("div", node, escaped(node.shownText), "dir=\"auto\"")
    case .disclosure:
      let arrow = "<span class=\"arrow\">\(node.isSelected ? "▾" : "▸")</span>"
      return tag("div", node, arrow + "<div>" + node.children.map(draw).joined() + "</div>")
    default: return tag("div", node, node.children.map(draw).joined())
    }
  }

  private func tag(_ name: String, _ node: Node, _ content: String, _ attributes: String = "") -> String {
    let style = node.style.filter { !$0.isEmpty }.joined(separator: ";")
    let states = [
      node.isSelected ? "selected" : "", node.isDestructive ? "destructive" : "",
      node.isEnabled ? "" : "disabled", node.kind == .field && node.text.isEmpty ? "empty" : "",
      node.kind == .screen || node.kind == .box ? node.name : "", node.grows(.horizontal) ? "wide" : "",
      node.grows(.vertical) ? "tall" : "",
    ]
    let classes = ([node.kind.rawValue] + states).filter { !$0.isEmpty }.joined(separator: " ")
    return "<\(name) class=\"\(classes)\" style=\"\(escaped(style))\" \(attributes)>\(content)</\(name)>"
  }

  private func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
      .replacingOccurrences(of: "\"", with: "&quot;")
  }

  private static let glyphs = [
    "arrow.up.circle.fill": "⬆", "checkmark": "✓", "checkmark.circle.fill": "✔",
    "exclamationmark.circle": "ⓘ",
    "clock.arrow.circlepath": "↺", "plus.circle": "⊕", "doc.on.clipboard": "⎘", "doc": "▤", "photo": "▣",
    "play.rectangle": "▶",
  ]

  // The colours of iOS.
  private static let light = """
    --paper:#fff;--sheet:#f2f2f7;--ink:#000;--secondary:#8a8a8e;--accent:#007aff;--line:#d8d8dc;--field:#f2f2f7;--red:#ff3b30;\
    --orange:#ff9500;--yellow:#ffcc00;--green:#34c759;--gray:#8e8e93;color-scheme:light
    """
  private static let dark = """
    --paper:#000;--sheet:#2c2c2e;--ink:#fff;--secondary:#98989f;--accent:#0a84ff;--line:#38383a;--field:#1c1c1e;--red:#ff453a;\
    --orange:#ff9f0a;--yellow:#ffd60a;--green:#30d158;--gray:#8e8e93;color-scheme:dark
    """
  /// A view that takes all available space stretches across its parent, or takes the space left by its siblings.
  private static let style = """
    *{box-sizing:border-box}body{margin:0;background:#777;font:16px/1.3 system-ui,sans-serif}
    .window{background:var(--paper);color:var(--ink);height:760px;position:relative;overflow:hidden;justify-content:center}
    .window,.vertical,.box,.screen,.list,.scroll,.row,.sheet,.alert{display:flex;flex-direction:column;align-items:center;min-width:0;min-height:0;max-width:100%}
    .box,.row{align-items:flex-start}.horizontal,.split{display:flex;align-items:center;min-width:0;min-height:0;max-width:100%}
    .wide{align-self:stretch}.tall{flex:1 1 0}.vertical>*,.box>*,.scroll>*,.screen>*{flex-shrink:0}.tall{flex-shrink:1!important}
    .horizontal>.wide,.split>.wide{flex:1 1 0;align-self:auto}.horizontal>.tall,.split>.tall{align-self:stretch}
    .horizontal>*{flex-shrink:1}.horizontal>.button,.horizontal>.image{flex-shrink:0}
    .scroll,.list{overflow:auto;align-items:stretch}
    .screen{justify-content:center}.screen.sidebar{max-width:390px;border-inline-end:1px solid var(--line)}
    .row{padding:10px 16px;border-bottom:1px solid var(--line)}.row.selected{background:color-mix(in srgb,var(--accent) 18%,transparent)}
    .text{overflow-wrap:anywhere;white-space:pre-wrap;text-align:left}[dir=rtl] .text,.trailing-text .text{text-align:right}[dir=rtl] .trailing-text .text{text-align:left}.header .text{text-align:center}
    .header{order:-1;text-align:center;font-weight:600;padding:10px;border-bottom:1px solid var(--line);align-self:stretch}
    .button,.disclosure{min-width:0;max-width:100%}.button{color:var(--accent);display:flex;flex-direction:column;align-items:flex-start}.button.destructive{color:var(--red)}.button.disabled{color:var(--gray)}
    img{max-width:240px;max-height:240px;border-radius:8px}progress{width:100%}
    .button .image{font-size:1.7em}.image{font-weight:bold}.progress{font-size:1.6em;color:var(--secondary)}
    .field{border-radius:10px;background:var(--field);padding:8px 12px;white-space:pre-wrap;overflow-wrap:anywhere}.field.empty{color:var(--secondary)}
    .disclosure{display:flex;gap:4px}.disclosure>div{display:flex;flex-direction:column;gap:4px}
    .sheet,.alert{position:absolute;inset-inline:0;bottom:0;min-height:40%;background:var(--sheet);border-radius:16px 16px 0 0;box-shadow:0 0 0 2000px #0006;padding:20px;gap:10px}
    .alert{inset:auto 40px;top:25%;min-height:0;border-radius:16px}.alert>.text{text-align:center}.alert>.text:first-child{font-weight:600}
    .note{margin:0;padding:4px 8px;font-size:11px;color:#fff}
    @media (max-width:600px){.detail .header::before{content:"‹";position:absolute;inset-inline-start:14px;color:var(--accent);font-size:1.4em;line-height:1}
    .split>.screen:not(.selected){display:none}.screen.sidebar{max-width:none;border:0}}
    """
}

extension Node {
  /// Whether a view takes all the space that it is offered.
  fileprivate func grows(_ axis: Axis) -> Bool {
    switch kind {
    case .field, .header: axis == .horizontal
    case .scroll, .list, .split, .screen, .spacer: true
    case .row: axis == .horizontal
    case .text, .image, .progress, .button, .menu, .swipe, .sheet, .alert, .picker, .disclosure: false
    case .box where name == "fill": axis == .horizontal || children.contains { $0.grows(axis) }
    case .horizontal where axis == .vertical: children.contains { $0.kind != .spacer && $0.grows(axis) }
    case .vertical where axis == .horizontal: children.contains { $0.kind != .spacer && $0.grows(axis) }
    case .view, .box, .horizontal, .vertical: children.contains { $0.grows(axis) }
    }
  }
}
