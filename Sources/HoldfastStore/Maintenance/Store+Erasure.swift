import Foundation
import HoldfastCore

extension Store {
  /// Closes the store for good, overwrites its files and deletes them with their folder.
  package func erase() throws(ChatError) {
    try close(.erased)
    copies.wait()
    try Self.typed {
      let files = FileManager.default
      // The database goes first: its contents matter more than the files beside it.
      let names = FolderContents(folder).names.sorted {
        ($0 != Self.fileName, $0) < ($1 != Self.fileName, $1)
      }
      for name in names {
        let file = folder.appendingPathComponent(name)
        try overwrite(file)
        unlink(file.path)
      }
      try files.removeItem(at: folder)
      try syncFolder(folder.deletingLastPathComponent())
    }
  }

  /// Overwrites a file with zeros. Leaves folders, and files that cannot be opened for writing, as they are.
  private func overwrite(_ file: URL) throws {
    guard let open = try? OpenFile.goingOn(file), let count = try? open.byteCount() else { return }
    let zeros = Data(count: OpenFile.pieceBytes)
    var place: Int64 = 0
    while place < count {
      try open.write(zeros.prefix(Int(clamping: count - place)), at: place)
      place += Int64(zeros.count)
    }
    try open.sync()
  }
}

private func < (left: (Bool, String), right: (Bool, String)) -> Bool {
  left.0 == right.0 ? left.1 < right.1 : !left.0
}
