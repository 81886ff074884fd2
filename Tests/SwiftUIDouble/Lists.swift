import Foundation

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
  /// The views of a builder, without mere groups.
  fileprivate var parts: [Node] { kind == .view ? children.flatMap(\.parts) : [self] }
}

public struct NavigationSplitView<Sidebar: View, Content: View, Detail: View>: DrawnView {
  nonisolated(unsafe) let sidebar: Sidebar
  nonisolated(unsafe) let detail: Detail
  let visibility: Binding<NavigationSplitViewVisibility>

  nonisolated public init(
    columnVisibility: Binding<NavigationSplitViewVisibility>, @ViewBuilder sidebar: () -> Sidebar,
    @ViewBuilder detail: () -> Detail
  ) where Content == EmptyView {
    (self.sidebar, self.detail, visibility) = (sidebar(), detail(), columnVisibility)
  }

  /// If there is room for only one, the detail covers the list once a row of it is selected.
  func draw(in place: Place) -> [Node] {
    let first = Node(.screen, sidebar.nodes(at: .part("sidebar"), in: place)) { $0.name = "sidebar" }
    let second = Node(.screen, detail.nodes(at: .part("detail"), in: place)) { $0.name = "detail" }
    let list = first.all([.list]).first { $0.close != nil }
    (first.isSelected, second.isSelected) = (list?.isSelected != true, list?.isSelected == true)
    second.close = list?.close
    return [
      Node(.split, visibility.wrappedValue == .detailOnly ? [second] : [first, second]) { split in
        split.isSelected = visibility.wrappedValue != .detailOnly
        split.act = { visibility.wrappedValue = split.isSelected ? .detailOnly : .all }
      }
    ]
  }
}

public enum NavigationSplitViewVisibility: Sendable {
  case detailOnly, doubleColumn, all, automatic
}
