import Foundation

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

/// The controls of a form are below each other here.
public struct Form<Content: View>: DrawnView {
  nonisolated(unsafe) let content: Content

  public init(@ViewBuilder content: () -> Content) { self.content = content() }

  func draw(in place: Place) -> [Node] { VStack(alignment: .leading) { content }.draw(in: place) }
}

/// A table: its rows are one below the other. Columns are not aligned here.
public struct Grid<Content: View>: DrawnView {
  nonisolated(unsafe) let content: Content

  nonisolated public init(
    alignment: Alignment = .center, horizontalSpacing: CGFloat? = nil, verticalSpacing: CGFloat? = nil,
    @ViewBuilder content: () -> Content
  ) {
    self.content = content()
  }

  func draw(in place: Place) -> [Node] { [Node(.vertical, content.nodes(in: place))] }
}

public struct GridRow<Content: View>: DrawnView {
  nonisolated(unsafe) let content: Content

  nonisolated public init(alignment: VerticalAlignment? = nil, @ViewBuilder content: () -> Content) {
    self.content = content()
  }

  func draw(in place: Place) -> [Node] {
    [Node(.horizontal, content.nodes(in: place)) { $0.style = ["gap:12px"] }]
  }
}

public struct Divider: DrawnView {
  nonisolated public init() {}
  func draw(in place: Place) -> [Node] {
    [Node(.box) { $0.style = ["border-top:1px solid var(--line);align-self:stretch"] }]
  }
}
