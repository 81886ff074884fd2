import Foundation
import Holdfast

/// A copy of a file that the system lends for a moment: of one that is dropped or pasted.
package struct TemporaryFile: Sendable {
  /// The copy. It has the name of the file, in a folder of its own.
  package let url: URL

  /// Copies a file. The system removes the copy some time after a crash.
  package init(copying file: URL) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: ChatEnvironment().makeID())
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    url = folder.appending(path: file.lastPathComponent)
    try FileManager.default.copyItem(at: file, to: url)
  }

  /// Removes the copy.
  package func remove() { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
}

extension ActionQueue {
  /// Adds files to the content of a composer, in their order, and removes the copies.
  package func attach(_ files: [TemporaryFile], to composer: ComposerModel) {
    for file in files {
      add {
        await composer.attach(file.url)
        file.remove()
      }
    }
  }
}
