import Foundation

/// A scrolled content, and its visible part. A real layout would measure: here all lines have the same height.
@MainActor final class Scroller {
  private static let line: CGFloat = 24
  private static let shown: CGFloat = 600
  private var height: CGFloat = 0
  private var offset: CGFloat = 0
  /// The scroll targets, each with its upper and lower edge.
  private var targets: [(id: AnyHashable, edges: ClosedRange<CGFloat>, words: [String])] = []
  /// The edges of the scroll targets, by their nodes.
  private var places: [ObjectIdentifier: ClosedRange<CGFloat>] = [:]
  /// Called when the content has moved, by the place of the caller.
  private var watchers: [ObjectIdentifier: () -> Void] = [:]
  /// Called when the scrolling has ended.
  private var resting: [ObjectIdentifier: () -> Void] = [:]

  private var end: CGFloat { max(0, height - Self.shown) }
  var isAtEnd: Bool { offset >= end }
  var isAtStart: Bool { offset == 0 }
  /// The targets of which at least this part is visible.
  func visible(_ threshold: Double) -> [AnyHashable] {
    seen.filter { target in
      let height = target.edges.upperBound + 1 - target.edges.lowerBound
      let part = min(target.edges.upperBound + 1, offset + Self.shown) - max(target.edges.lowerBound, offset)
      return part >= height * threshold
    }.map(\.id)
  }
  /// The words of the uppermost visible view.
  var top: [String] { seen.first?.words ?? [] }
  private var seen: [(id: AnyHashable, edges: ClosedRange<CGFloat>, words: [String])] {
    targets.filter { $0.edges.overlaps(offset...offset + Self.shown - 1) }
  }

  /// Content that grows keeps the reader's position: new content is below.
  func measure(_ content: Node) {
    (targets, places) = ([], [:])
    height = 0
    content.walk { node in
      if let id = node.identity {
        let lower = height + node.height(Self.line)
        targets.append((id, height...max(height, lower - 1), node.words))
        places[ObjectIdentifier(node)] = height...max(height, lower - 1)
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

  /// Scrolls a little, or to the end.
  func scroll(_ direction: String?) {
    switch direction {
    case "end": move(to: end)
    case "start": move(to: 0)
    case "down": move(to: offset + 300)
    default: move(to: offset - 300)
    }
  }

  func scroll(to id: AnyHashable, _ anchor: UnitPoint?) {
    guard let edges = targets.first(where: { $0.id == id })?.edges else { return }
    switch anchor {
    case let anchor?:
      move(to: edges.lowerBound + anchor.y * (edges.upperBound + 1 - edges.lowerBound - Self.shown))
    case nil: move(to: edges.lowerBound)
    }
  }

  /// The frame of a scroll target in the visible part.
  func frame(of node: Node) -> CGRect? {
    guard let edges = places[ObjectIdentifier(node)] else { return nil }
    return CGRect(
      x: 0, y: edges.lowerBound - offset, width: 390, height: edges.upperBound + 1 - edges.lowerBound)
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

public struct NamedCoordinateSpace: CoordinateSpaceProtocol {}
public protocol CoordinateSpaceProtocol {}
extension CoordinateSpaceProtocol where Self == NamedCoordinateSpace {
  public static var scrollView: NamedCoordinateSpace { NamedCoordinateSpace() }
}

public struct GeometryProxy {
  fileprivate let frame: CGRect
  fileprivate let scroller: CGRect

  init(frame: CGRect, scroller: CGRect) { (self.frame, self.scroller) = (frame, scroller) }

  public func frame(in space: some CoordinateSpaceProtocol) -> CGRect { frame }
  public func bounds(of space: NamedCoordinateSpace) -> CGRect? { CGRect(origin: .zero, size: scroller.size) }
}

public struct ScrollView<Content: View>: DrawnView {
  nonisolated(unsafe) let content: Content
  let axes: Axis.Set
  nonisolated public init(_ axes: Axis.Set = .vertical, @ViewBuilder content: () -> Content) {
    (self.axes, self.content) = (axes, content())
  }

  func draw(in place: Place) -> [Node] {
    guard axes.contains(.vertical) else {
      return [Node(.box, content.nodes(in: place)) { $0.style = ["overflow-x:auto"] }]
    }
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

  /// The target is looked up once the views are placed.
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

extension Node {
  /// A real layout knows widths. Here a line has forty characters.
  fileprivate func height(_ line: CGFloat) -> CGFloat {
    words.reduce(0) { $0 + line * CGFloat(1 + $1.count / 40) }
  }
}
