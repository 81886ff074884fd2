// A drawing of what is shown, as a page: its structure, words and states. It is no picture of Apple's layout.
import Foundation

@MainActor struct Drawing {
  let looks: Looks

  func page(_ root: Node) -> String {
    """
    <!doctype html><html lang="en" dir="\(looks.isRightToLeft ? "rtl" : "ltr")"><meta charset="utf-8">
    <title>Drawing of the views</title><style>\(Self.style)
    :root{\(looks.isDark ? Self.dark : Self.light)} .screen{font-size:\(looks.isLarge ? 30 : 16)px}</style>
    <div class="window">\(draw(root))</div>
    <p class="note">A drawing made on Linux from the tree of the views. It shows structure, words and states, and not Apple's layout.</p>
    </html>
    """
  }

  private func draw(_ node: Node, _ label: String? = nil) -> String {
    let label = node.label ?? (node.kind == .box || node.kind == .view ? label : nil)
    let inner = node.children.map { draw($0, label) }.joined()
    let style = node.style.filter { !$0.isEmpty }.joined(separator: ";")
    let attributes = style.isEmpty ? "" : " style=\"\(escaped(style))\""
    switch node.kind {
    case .view, .menu: return node.kind == .menu ? "" : inner
    case .text: return "<span class=\"text\" dir=\"auto\"\(attributes)>\(escaped(node.text))</span>"
    case .image:
      return "<span class=\"glyph\" title=\"\(escaped(node.name))\">\(Self.glyphs[node.name] ?? "◻︎")</span>"
    case .progress: return "<div class=\"progress\">◌</div>"
    case .spacer: return "<div class=\"spacer\"></div>"
    case .field:
      let isEmpty = node.text.isEmpty
      return
        "<div class=\"field\(isEmpty ? " empty" : "")\" dir=\"auto\">\(escaped(isEmpty ? node.name : node.text))</div>"
    case .button:
      let isPlain = node.all([.image]).count > 0
      return
        "<div class=\"button\(node.isEnabled ? "" : " disabled")\(node.isDestructive ? " destructive" : "")\(isPlain ? " plain" : "")\"\(attributes)>\(inner)</div>"
    case .disclosure:
      return
        "<div class=\"disclosure\"><span class=\"arrow\">\(node.isSelected ? "▾" : "▸")</span><div>\(inner)</div></div>"
    case .screen: return "<div class=\"screen \(node.name)\(node.isSelected ? " front" : "")\">\(inner)</div>"
    default:
      let kinds = [node.kind.rawValue, node.isSelected ? "selected" : "", node.name].filter { !$0.isEmpty }
      return "<div class=\"\(kinds.joined(separator: " "))\"\(attributes)>\(inner)</div>"
    }
  }

  private func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
      .replacingOccurrences(of: "\"", with: "&quot;")
  }

  private static let glyphs = [
    "arrow.up.circle.fill": "⬆", "checkmark": "✓", "checkmark.circle.fill": "✔",
    "exclamationmark.circle": "ⓘ",
    "plus.circle": "⊕", "doc": "▤", "photo": "▣",
  ]

  private static let light = """
    --paper:#fff;--ink:#000;--secondary:#6b6b70;--accent:#007aff;--line:#d8d8dc;--field:#f2f2f7;--red:#d70015;\
    --orange:#b25000;--green:#248a3d;--gray:#8e8e93;color-scheme:light
    """
  private static let dark = """
    --paper:#000;--ink:#fff;--secondary:#98989f;--accent:#0a84ff;--line:#38383a;--field:#1c1c1e;--red:#ff6961;\
    --orange:#ff9f0a;--green:#30d158;--gray:#636366;color-scheme:dark
    """
  private static let style = """
    *{box-sizing:border-box}body{margin:0;background:#777;font:16px/1.3 system-ui,sans-serif}
    .window,.split{display:flex}.window{background:var(--paper);color:var(--ink);height:760px;width:100%;position:relative;overflow:hidden}
    .window>.vertical,.window>.box,.window>.split{flex:1;min-height:0}.split{min-height:0;align-self:stretch}
    .screen{display:flex;flex-direction:column;min-height:0;min-width:0;flex:1}.screen.sidebar{max-width:390px;border-inline-end:1px solid var(--line)}
    .screen>*{flex:1;min-height:0}.screen.detail>.text{place-self:center;flex:none;margin:auto}
    .vertical{display:flex;flex-direction:column;min-height:0;min-width:0;max-width:100%}.horizontal{display:flex;align-items:center;max-width:100%;min-width:0}
    .box{display:flex;flex-direction:column;min-height:0;min-width:0;align-items:inherit;max-width:100%}
    .box.wide{align-self:stretch}.horizontal>.box.wide,.horizontal>.box:has(.field),.horizontal>.field,.spacer{flex:1}
    .vertical>.box:has(>.horizontal),.vertical>.horizontal{align-self:stretch}
    .vertical>.box:has(.list),.vertical>.box:has(.scroll),.vertical>.list,.vertical>.scroll{flex:1;align-self:stretch}
    .box>.vertical,.box>.box,.box>.horizontal{align-self:stretch}.screen>.box>*{flex:none}.screen>.box>.vertical,.screen>.box>.box{flex:1}
    .vertical>.box:has(.composer){flex:none}
    .scroll,.list{overflow:auto;display:flex;flex-direction:column;min-height:0;flex:1;align-self:stretch}
    .row{padding:10px 16px;border-bottom:1px solid var(--line)}.row.selected{background:color-mix(in srgb,var(--accent) 18%,transparent)}
    .text{overflow-wrap:anywhere;white-space:pre-wrap}.header{order:-1;text-align:center;font-weight:600;padding:10px;border-bottom:1px solid var(--line);align-self:stretch;flex:none!important}
    .button{color:var(--accent);padding:4px 8px}.button.destructive{color:var(--red)}.button.disabled{color:var(--gray)}.button.plain .glyph{font-size:1.6em}
    .field{border-radius:10px;background:var(--field);padding:8px 12px;min-width:60px;white-space:pre-wrap;overflow-wrap:anywhere}.field.empty{color:var(--secondary)}
    .glyph{font-weight:bold}.progress{font-size:1.6em;color:var(--secondary)}
    .disclosure{display:flex;gap:2px}.sheet,.alert{position:absolute;inset-inline:0;bottom:0;min-height:40%;background:var(--field);border-radius:16px 16px 0 0;box-shadow:0 0 0 2000px #0006;padding:20px;display:flex;flex-direction:column;gap:10px;align-items:center}
    .alert{inset:auto 40px;top:25%;min-height:0;border-radius:16px}.alert>.text{text-align:center}
    .note{margin:0;padding:4px 8px;font-size:11px;color:#fff}
    @media (max-width:600px){.screen:not(.front){display:none}.screen.sidebar{max-width:none;border:0}}
    """
}
