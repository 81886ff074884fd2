import Foundation

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
}

public struct TextField<Label: View>: DrawnView {
  let text: Binding<String>
  nonisolated(unsafe) let label: Label
  let isTall: Bool

  nonisolated public init(text: Binding<String>, axis: Axis, @ViewBuilder label: () -> Label) {
    (self.text, self.label, isTall) = (text, label(), axis == .vertical)
  }

  func draw(in place: Place) -> [Node] {
    let prompt = label.nodes(in: place).flatMap(\.words).joined(separator: " ")
    return [
      Node(.field) { node in
        (node.name, node.text, node.isEnabled) = (prompt, text.wrappedValue, place.isEnabled)
        node.write = { text.wrappedValue = $0 }
      }
    ]
  }
}

extension TextField where Label == Text {
  nonisolated public init(_ titleKey: LocalizedStringKey, text: Binding<String>) {
    self.init(text: text, axis: .horizontal) { Text(titleKey) }
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
