import Foundation

/// A part of the drawing: it can be seen and touched.
@MainActor final class Node {
  enum Kind: String {
    case view, box
    case horizontal, vertical, scroll, list, row, screen, split
    case text, image, spacer, progress, button, field, disclosure
    case menu, swipe, sheet, alert, picker, header
  }

  let kind: Kind
  var children: [Node]
  /// A view's type, an image's symbol, or a field's prompt.
  var name = ""
  /// The words of a text, or the contents of a field.
  var text = ""
  /// The words of an assistive technology, if they differ.
  var label: String?
  /// The label of the boxes around the node, once it was looked up.
  var given: String?
  /// The parts of a text, each with its declarations of CSS, and the words of its links, each with what a tap does.
  var spans: [(words: String, style: String)] = []
  var links: [(words: String, open: () -> Void)] = []
  var isHeading = false
  var isHidden = false
  /// Whether the contents of a field are not for the eyes of others.
  var isSecret = false
  var isCombined = false
  var isEnabled = true
  var isDestructive = false
  var isSelected = false
  /// Declarations of CSS for the drawing.
  var style: [String] = []
  var tag: AnyHashable?
  var identity: AnyHashable?
  var scroller: Scroller?
  /// An image's file.
  var file: URL?
  /// Receives the picked files.
  var pick: (([URL]) -> Void)?
  /// Receives a file that is dropped.
  var drop: ((URL) -> Void)?
  var act: (() -> Void)?
  var write: ((String) -> Void)?
  /// The number of characters before a field's cursor.
  var cursor: Int?
  var moveCursor: ((Int) -> Void)?
  var pressReturn: ((KeyPress) -> KeyPress.Result)?
  var focus: ((Bool) -> Void)?
  var close: (() -> Void)?

  /// The words that a field shows.
  var shownText: String {
    text.isEmpty ? name : isSecret ? String(repeating: "•", count: text.count) : text
  }

  init(_ kind: Kind, _ children: [Node] = [], _ set: (Node) -> Void = { _ in }) {
    (self.kind, self.children) = (kind, children)
    set(self)
  }

  /// Visits this node and all nodes below it, parents first. Nodes below one for which `visit` returns false are
  /// skipped.
  func walk(_ visit: (Node) -> Bool) {
    guard visit(self) else { return }
    for child in children { child.walk(visit) }
  }

  func all(_ kinds: Set<Kind>) -> [Node] {
    var found: [Node] = []
    walk { node in
      if kinds.contains(node.kind) { found.append(node) }
      return true
    }
    return found
  }

  /// The shown words, from top to bottom. Menus, sheets and alerts are not part of the screen.
  var words: [String] {
    var words: [String] = []
    walk { node in
      switch node.kind {
      case .menu, .swipe: return false
      case .sheet, .alert: return node === self
      case .text where !node.text.isEmpty: words.append(node.text)
      case .field: words.append(node.shownText)
      default: break
      }
      return true
    }
    return words
  }

  /// The words of an assistive technology for the node. Nil: only a symbol's name, which should not be read out.
  var spoken: String? {
    var said: [String] = []
    walk { node in
      if node.isHidden || node.kind == .menu || node.kind == .swipe || (node.kind == .sheet && node !== self)
      {
        return false
      }
      if let label = node.label {
        said.append(label)
        return false
      }
      switch node.kind {
      case .text: said.append(node.text)
      case .field: said.append(node.name)
      default: break
      }
      return true
    }
    return said.isEmpty ? nil : said.joined(separator: ", ")
  }
}
