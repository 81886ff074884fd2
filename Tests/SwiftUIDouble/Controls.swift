import Foundation

public struct LocalizedStringKey: Equatable, ExpressibleByStringInterpolation {
  let text: String
  public init(_ value: String) { text = value }
  public init(stringLiteral value: String) { text = value }
}

public struct Text: DrawnView, Equatable, Sendable {
  let content: String
  var style = ""

  nonisolated public init(_ key: LocalizedStringKey) { content = key.text }
  @_disfavoredOverload nonisolated public init<S: StringProtocol>(_ content: S) {
    self.content = String(content)
  }
  nonisolated public init(verbatim content: String) { self.content = content }

  /// A moment, as the drawings show it: always in the same words.
  nonisolated public init(_ date: Date, style: DateStyle) { content = style.isDate ? "1 March 2026" : "9:41" }

  public struct DateStyle: Sendable {
    let isDate: Bool
    public static let time = DateStyle(isDate: false)
    public static let date = DateStyle(isDate: true)
  }

  nonisolated public func bold() -> Text { styled("font-weight:bold") }
  nonisolated public func italic() -> Text { styled("font-style:italic") }

  nonisolated private func styled(_ style: String) -> Text {
    var text = self
    text.style += style + ";"
    return text
  }

  func draw(in place: Place) -> [Node] {
    [
      Node(.text) { node in
        node.text = content
        node.style = [style]
      }
    ]
  }
}

public struct Image: DrawnView, Equatable, Sendable {
  let symbol: String
  var file: URL?
  nonisolated public init(systemName: String) { symbol = systemName }

  init(file: URL) { (symbol, self.file) = ("", file) }

  public func resizable() -> Image { self }

  func draw(in place: Place) -> [Node] {
    [
      Node(.image) { node in
        (node.name, node.file) = (symbol, file)
      }
    ]
  }
}

/// A picture of a file, which is there at once.
public struct AsyncImage<Content: View>: DrawnView {
  let url: URL?
  nonisolated(unsafe) let content: (AsyncImagePhase) -> Content

  nonisolated public init(
    url: URL?, transaction: Transaction, @ViewBuilder content: @escaping (AsyncImagePhase) -> Content
  ) {
    (self.url, self.content) = (url, content)
  }

  func draw(in place: Place) -> [Node] {
    let file = url.flatMap { FileManager.default.isReadableFile(atPath: $0.path) ? $0 : nil }
    return content(file.map { .success(Image(file: $0)) } ?? .empty).nodes(in: place)
  }
}

public enum AsyncImagePhase: Sendable {
  case empty
  case success(Image)
  public var image: Image? { if case .success(let image) = self { image } else { nil } }
}

public struct Transaction {
  nonisolated public init() {}
}

public struct ProgressView<Label: View, CurrentValueLabel: View>: DrawnView {
  let fraction: Double?
  nonisolated public init() where Label == EmptyView, CurrentValueLabel == EmptyView { fraction = nil }
  nonisolated public init(value: Double?) where Label == EmptyView, CurrentValueLabel == EmptyView {
    fraction = value
  }
  func draw(in place: Place) -> [Node] {
    [Node(.progress) { $0.text = fraction.map { "\(Int($0 * 100)) %" } ?? "" }]
  }
}

public struct Spacer: DrawnView {
  nonisolated public init() {}
  func draw(in place: Place) -> [Node] { [Node(.spacer)] }
}

// Stacks.

public struct HStack<Content: View>: DrawnView {
  nonisolated(unsafe) let content: Content
  let alignment: VerticalAlignment
  let spacing: CGFloat?

  nonisolated public init(
    alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
  ) {
    (self.alignment, self.spacing, self.content) = (alignment, spacing, content())
  }

  func draw(in place: Place) -> [Node] {
    [Node(.horizontal, content.nodes(in: place)) { $0.style = ["gap:\(Int(spacing ?? 8))px"] }]
  }
}

public struct VStack<Content: View>: DrawnView {
  nonisolated(unsafe) let content: Content
  let alignment: HorizontalAlignment
  let spacing: CGFloat?

  nonisolated public init(
    alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content
  ) {
    (self.alignment, self.spacing, self.content) = (alignment, spacing, content())
  }

  func draw(in place: Place) -> [Node] {
    [
      Node(.vertical, content.nodes(in: place)) {
        $0.style = ["gap:\(Int(spacing ?? 8))px", "align-items:\(alignment.name)"]
      }
    ]
  }
}

// What scrolls.

/// A scrolled content, and the part of it that shows. A layout would measure: here each line is as high as any other.
@MainActor final class Scroller {
  private static let line: CGFloat = 24
  private static let shown: CGFloat = 600
  private var height: CGFloat = 0
  private var offset: CGFloat = 0
  /// The views that are scrolled, each with its upper and lower edge.
  private var targets: [(id: AnyHashable, edges: ClosedRange<CGFloat>, words: [String])] = []
  /// Called when the content has moved, with the place of who asked.
  private var watchers: [ObjectIdentifier: () -> Void] = [:]
  /// Called when it has come to rest.
  private var resting: [ObjectIdentifier: () -> Void] = [:]

  private var end: CGFloat { max(0, height - Self.shown) }
  var isAtEnd: Bool { offset >= end }
  var visible: [AnyHashable] { seen.map(\.id) }
  /// The words of the uppermost view that can be seen.
  var top: [String] { seen.first?.words ?? [] }
  private var seen: [(id: AnyHashable, edges: ClosedRange<CGFloat>, words: [String])] {
    targets.filter { $0.edges.overlaps(offset...offset + Self.shown - 1) }
  }

  /// Content that grows leaves its reader where they are: what is new is below.
  func measure(_ content: Node) {
    targets = []
    height = 0
    content.walk { node in
      if let id = node.identity {
        let lower = height + node.height(Self.line)
        targets.append((id, height...max(height, lower - 1), node.words))
        height = lower
        return false
      }
      if node.kind == .text || node.kind == .button { height += node.height(Self.line) }
      return node.kind != .button
    }
    offset = min(offset, end)
  }

  func watch(_ slot: Slot, in window: WindowEngine, _ look: @escaping () -> Void) {
    let key = ObjectIdentifier(slot)
    if watchers[key] == nil { slot.onRemoval.append { [weak self] in self?.watchers[key] = nil } }
    watchers[key] = look
    window.afterLayout(of: slot, look)
  }

  private func move(to place: CGFloat) {
    offset = min(max(0, place), end)
    for look in watchers.values { look() }
    for end in resting.values { end() }
  }

  func watchRest(_ slot: Slot, _ end: @escaping () -> Void) {
    let key = ObjectIdentifier(slot)
    if resting[key] == nil { slot.onRemoval.append { [weak self] in self?.resting[key] = nil } }
    resting[key] = end
  }

  /// The reader scrolls up a little, or to the end.
  func scroll(toEnd: Bool) { move(to: toEnd ? end : offset - 300) }

  func scroll(to id: AnyHashable, _ anchor: UnitPoint?) {
    guard let edges = targets.first(where: { $0.id == id })?.edges else { return }
    switch anchor {
    case UnitPoint.bottom: move(to: edges.upperBound + 1 - Self.shown)
    case UnitPoint.center: move(to: (edges.lowerBound + edges.upperBound - Self.shown) / 2)
    default: move(to: edges.lowerBound)
    }
  }

  var geometry: ScrollGeometry {
    ScrollGeometry(
      contentSize: CGSize(width: 390, height: height),
      visibleRect: CGRect(x: 0, y: offset, width: 390, height: Self.shown))
  }
}

public enum ScrollPhase: Equatable, Sendable {
  case idle, interacting
}

public struct ScrollGeometry: Equatable, Sendable {
  public let contentSize: CGSize
  public let visibleRect: CGRect
}

public struct ScrollView<Content: View>: DrawnView {
  nonisolated(unsafe) let content: Content
  nonisolated public init(@ViewBuilder content: () -> Content) { self.content = content() }

  func draw(in place: Place) -> [Node] {
    let node = Node(.scroll, content.nodes(in: place))
    if let scroller = place.scroller {
      node.scroller = scroller
      place.window.afterLayout(of: place.slot) {
        scroller.measure(node)
      }
    }
    return [node]
  }
}

public struct ScrollViewProxy {
  let scroller: Scroller
  let place: Place

  /// What is scrolled to is looked for once the views stand.
  @MainActor public func scrollTo<ID: Hashable>(_ id: ID, anchor: UnitPoint? = nil) {
    place.window.afterLayout(of: place.slot) { scroller.scroll(to: AnyHashable(id), anchor) }
  }
}

public struct ScrollViewReader<Content: View>: DrawnView {
  nonisolated(unsafe) let content: (ScrollViewProxy) -> Content
  nonisolated public init(@ViewBuilder content: @escaping (ScrollViewProxy) -> Content) {
    self.content = content
  }

  func draw(in place: Place) -> [Node] {
    let scroller = place.slot.memory as? Scroller ?? Scroller()
    place.slot.memory = scroller
    var inner = place
    inner.scroller = scroller
    return content(ScrollViewProxy(scroller: scroller, place: inner)).nodes(in: inner)
  }
}

public struct List<SelectionValue: Hashable, Content: View>: DrawnView {
  nonisolated(unsafe) let content: Content
  nonisolated(unsafe) let selection: Binding<SelectionValue?>?

  nonisolated public init(selection: Binding<SelectionValue?>?, @ViewBuilder content: () -> Content) {
    (self.selection, self.content) = (selection, content())
  }

  func draw(in place: Place) -> [Node] {
    let rows = content.nodes(in: place).flatMap(\.parts).map { part in
      Node(.row, [part]) { row in
        guard let selection, let tag = part.all([.box]).lazy.compactMap(\.tag).first?.base as? SelectionValue
        else { return }
        row.isSelected = selection.wrappedValue == tag
        row.act = { selection.wrappedValue = tag }
      }
    }
    return [
      Node(.list, rows) { list in
        guard let selection else { return }
        list.isSelected = selection.wrappedValue != nil
        list.close = { selection.wrappedValue = nil }
      }
    ]
  }
}

extension List where SelectionValue == Never {
  nonisolated public init(@ViewBuilder content: () -> Content) { self.init(selection: nil, content: content) }
}

extension Node {
  /// A layout knows widths. Here a line has forty characters.
  fileprivate func height(_ line: CGFloat) -> CGFloat {
    words.reduce(0) { $0 + line * CGFloat(1 + $1.count / 40) }
  }

  /// The views of a builder, without what only groups them.
  fileprivate var parts: [Node] { kind == .view ? children.flatMap(\.parts) : [self] }
}

public struct NavigationSplitView<Sidebar: View, Content: View, Detail: View>: DrawnView {
  nonisolated(unsafe) let sidebar: Sidebar
  nonisolated(unsafe) let detail: Detail

  nonisolated public init(@ViewBuilder sidebar: () -> Sidebar, @ViewBuilder detail: () -> Detail)
  where Content == EmptyView {
    (self.sidebar, self.detail) = (sidebar(), detail())
  }

  /// Where there is room for one alone, the detail covers the list once a row of that is selected.
  func draw(in place: Place) -> [Node] {
    let first = Node(.screen, sidebar.nodes(at: .part("sidebar"), in: place)) { $0.name = "sidebar" }
    let second = Node(.screen, detail.nodes(at: .part("detail"), in: place)) { $0.name = "detail" }
    let list = first.all([.list]).first { $0.close != nil }
    (first.isSelected, second.isSelected) = (list?.isSelected != true, list?.isSelected == true)
    second.close = list?.close
    return [Node(.split, [first, second])]
  }
}

// What a person touches.

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
