#if canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
  import CoreTransferable
  import Holdfast
  import HoldfastPresenters
  import SwiftUI
  import UniformTypeIdentifiers

  /// A file of any kind that was dropped.
  struct DroppedFile: Transferable {
    let file: TemporaryFile

    static var transferRepresentation: some TransferRepresentation {
      FileRepresentation(importedContentType: .item) { received in
        DroppedFile(file: try TemporaryFile(copying: received.file))
      }
    }
  }

  /// A picture that was pasted. A text is pasted by the field.
  struct PastedPicture: Transferable {
    let file: TemporaryFile

    static var transferRepresentation: some TransferRepresentation {
      FileRepresentation(importedContentType: .image) { received in
        PastedPicture(file: try TemporaryFile(copying: received.file))
      }
    }
  }

  extension View {
    /// Adds files that are dropped on the view to the content of a composer.
    func attachesDrops(to composer: ComposerModel, by queue: ActionQueue) -> some View {
      dropDestination(for: DroppedFile.self) { files, _ in
        guard composer.client.carriesFiles, composer.editing == nil else { return false }
        queue.attach(files.map(\.file), to: composer)
        return true
      }
    }
  }
#endif
