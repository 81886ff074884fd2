@_exported import CoreTransferable
import Foundation

// Files that are dropped and pasted.
extension View {
  /// The items are reported once they were read, and not at all if they are of another type.
  nonisolated public func dropDestination<T: Transferable>(
    for payloadType: T.Type = T.self, action: @escaping (_ items: [T], _ location: CGPoint) -> Bool,
    isTargeted: @escaping (Bool) -> Void = { _ in }
  ) -> some View {
    nonisolated(unsafe) let action = action
    return Modified(self) { view, place in
      let box = Node(.box, view.nodes(in: place))
      box.drop = { file in
        Task { @MainActor in
          if let item = try? await T.item(of: file) { _ = action([item], .zero) }
        }
      }
      return [box]
    }
  }
}

/// A button that pastes what the clipboard has. It is disabled while there is nothing of its type.
public struct PasteButton: DrawnView {
  /// The file in the clipboard.
  @MainActor static var clipboard: URL?

  let paste: @MainActor (URL) -> Void

  public init<T: Transferable>(payloadType: T.Type, onPaste: @escaping ([T]) -> Void) {
    paste = { file in
      Task { @MainActor in
        if let item = try? await T.item(of: file) { onPaste([item]) }
      }
    }
  }

  func draw(in place: Place) -> [Node] {
    [
      Node(.button, [Node(.image) { $0.name = "doc.on.clipboard" }]) { node in
        node.label = "Paste"
        node.isEnabled = place.isEnabled && Self.clipboard != nil
        node.act = { if let file = Self.clipboard { paste(file) } }
      }
    ]
  }
}

public protocol LabelStyle {}
public struct IconOnlyLabelStyle: LabelStyle {}
extension LabelStyle where Self == IconOnlyLabelStyle {
  public static var iconOnly: IconOnlyLabelStyle { IconOnlyLabelStyle() }
}

extension View {
  nonisolated public func labelStyle<S: LabelStyle>(_ style: S) -> some View { self }
}
