import Foundation
import Observation

public struct ButtonRole: Equatable, Sendable {
  let name: String
  public static let destructive = ButtonRole(name: "destructive")
  public static let cancel = ButtonRole(name: "cancel")
}

public struct Button<Label: View>: DrawnView {
  let role: ButtonRole?
  let action: @MainActor () -> Void
  nonisolated(unsafe) let label: Label

  @preconcurrency nonisolated public init(
    action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label
  ) {
    self.init(role: nil, action: action, label: label)
  }

  @preconcurrency nonisolated public init(
    role: ButtonRole?, action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label
  ) {
    (self.role, self.action, self.label) = (role, action, label())
  }

  func draw(in place: Place) -> [Node] {
    [
      Node(.button, label.nodes(in: place)) { node in
        node.isEnabled = place.isEnabled
        node.isDestructive = role == .destructive
        node.act = action
      }
    ]
  }
}

extension Button where Label == Text {
  @preconcurrency nonisolated public init(
    _ titleKey: LocalizedStringKey, action: @escaping @MainActor () -> Void
  ) {
    self.init(action: action) { Text(titleKey) }
  }

  @_disfavoredOverload @preconcurrency nonisolated public init<S: StringProtocol>(
    _ title: S, role: ButtonRole?, action: @escaping @MainActor () -> Void
  ) {
    self.init(role: role, action: action) { Text(verbatim: String(title)) }
  }

  @_disfavoredOverload @preconcurrency nonisolated public init<S: StringProtocol>(
    _ title: S, action: @escaping @MainActor () -> Void
  ) {
    self.init(title, role: nil, action: action)
  }
}

/// A button that opens a menu. An item closes it.
public struct Menu<Label: View, Content: View>: DrawnView {
  nonisolated(unsafe) let content: Content
  nonisolated(unsafe) let label: Label

  nonisolated public init(@ViewBuilder content: () -> Content, @ViewBuilder label: () -> Label) {
    (self.content, self.label) = (content(), label())
  }

  func draw(in place: Place) -> [Node] {
    let state = place.slot.memory as? MenuState ?? MenuState()
    place.slot.memory = state
    let button = Node(.button, label.nodes(at: .part("label"), in: place)) { node in
      node.isEnabled = place.isEnabled
      node.act = { state.isOpen = true }
    }
    let menu = Node(.menu, content.nodes(at: .part("content"), in: place))
    guard state.isOpen else { return [Node(.box, [button, menu])] }
    for item in menu.all([.button]) {
      let act = item.act
      item.act = {
        state.isOpen = false
        act?()
      }
    }
    return [Node(.box, [button]), Node(.sheet, menu.children) { $0.close = { state.isOpen = false } }]
  }
}

@MainActor @Observable private final class MenuState {
  var isOpen = false
}

public struct ButtonMenuStyle {
  nonisolated public init() {}
}

public struct PlainButtonStyle {
  nonisolated public init() {}
}

public protocol MenuStyle {}
public protocol PrimitiveButtonStyle {}
extension ButtonMenuStyle: MenuStyle {}
extension PlainButtonStyle: PrimitiveButtonStyle {}
extension MenuStyle where Self == ButtonMenuStyle { public static var button: ButtonMenuStyle { .init() } }
extension PrimitiveButtonStyle where Self == PlainButtonStyle {
  public static var plain: PlainButtonStyle { .init() }
}

public enum Visibility: Sendable {
  case automatic, visible, hidden
}

public struct TextField<Label: View>: DrawnView {
  let text: Binding<String>
  nonisolated(unsafe) let selection: Binding<TextSelection?>?
  nonisolated(unsafe) let label: Label
  let isTall: Bool

  nonisolated public init(text: Binding<String>, axis: Axis, @ViewBuilder label: () -> Label) {
    (self.text, selection, self.label, isTall) = (text, nil, label(), axis == .vertical)
  }

  nonisolated public init(
    text: Binding<String>, selection: Binding<TextSelection?>, axis: Axis, @ViewBuilder label: () -> Label
  ) {
    (self.text, self.selection, self.label, isTall) = (text, selection, label(), axis == .vertical)
  }

  func draw(in place: Place) -> [Node] {
    let prompt = label.nodes(in: place).flatMap(\.words).joined(separator: " ")
    return [
      Node(.field) { node in
        (node.name, node.text, node.isEnabled) = (prompt, text.wrappedValue, place.isEnabled)
        node.cursor = cursor(in: place)
        // The cursor comes first here, with indices of the text that follows it.
        node.write = {
          selection?.wrappedValue = TextSelection(range: $0.endIndex..<$0.endIndex)
          text.wrappedValue = $0
        }
        node.moveCursor = { offset in
          let index = text.wrappedValue.index(text.wrappedValue.startIndex, offsetBy: offset)
          selection?.wrappedValue = TextSelection(range: index..<index)
        }
      }
    ]
  }

  /// The number of characters before the cursor. A selection of another text ends an app on a device.
  private func cursor(in place: Place) -> Int? {
    guard case .selection(let range) = selection?.wrappedValue?.indices else { return nil }
    guard range.upperBound <= text.wrappedValue.endIndex else {
      place.window.problem("a selection does not fit its text")
      return nil
    }
    return text.wrappedValue.distance(from: text.wrappedValue.startIndex, to: range.lowerBound)
  }
}

public struct TextSelection: Equatable, Hashable {
  public enum Indices: Equatable, Hashable {
    case selection(Range<String.Index>)
    case multiSelection(RangeSet<String.Index>)
  }
  public var indices: Indices
  public init(range: Range<String.Index>) { indices = .selection(range) }
}

public struct KeyPress: Sendable {
  public struct Phases: OptionSet, Sendable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
    public static let down = Phases(rawValue: 1)
  }
  public enum Result: Sendable {
    case handled, ignored
  }
  public var modifiers: EventModifiers
}

public struct EventModifiers: OptionSet, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }
  public static let shift = EventModifiers(rawValue: 2)
  public static let control = EventModifiers(rawValue: 4)
  public static let option = EventModifiers(rawValue: 8)
  public static let command = EventModifiers(rawValue: 16)
}

public struct KeyEquivalent: Hashable, Sendable {
  public static let `return` = KeyEquivalent()
}

extension TextField where Label == Text {
  nonisolated public init(_ titleKey: LocalizedStringKey, text: Binding<String>) {
    self.init(text: text, axis: .horizontal) { Text(titleKey) }
  }
}

/// A field for a secret. What it holds is shown to tests, and as dots in drawings.
public struct SecureField<Label: View>: DrawnView {
  let field: TextField<Label>

  func draw(in place: Place) -> [Node] {
    let nodes = field.draw(in: place)
    for node in nodes { node.isSecret = true }
    return nodes
  }
}

extension SecureField where Label == Text {
  nonisolated public init(_ titleKey: LocalizedStringKey, text: Binding<String>) {
    field = TextField(titleKey, text: text)
  }
}

public struct DisclosureGroup<Label: View, Content: View>: DrawnView {
  let isExpanded: Binding<Bool>
  nonisolated(unsafe) let content: () -> Content
  nonisolated(unsafe) let label: Label

  nonisolated public init(
    isExpanded: Binding<Bool>, @ViewBuilder content: @escaping () -> Content, @ViewBuilder label: () -> Label
  ) {
    (self.isExpanded, self.content, self.label) = (isExpanded, content, label())
  }

  func draw(in place: Place) -> [Node] {
    let isOpen = isExpanded.wrappedValue
    let title = Node(.button, label.nodes(at: .part("label"), in: place)) { button in
      button.isEnabled = place.isEnabled
      button.act = { isExpanded.wrappedValue = !isOpen }
    }
    let below = isOpen ? content().nodes(at: .part("content"), in: place) : []
    return [Node(.disclosure, [title] + below) { $0.isSelected = isOpen }]
  }
}
