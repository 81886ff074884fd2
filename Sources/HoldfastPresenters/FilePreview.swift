import Foundation
import Holdfast
import Observation

/// A file in the system's viewer, under its own name. The store names its files by their contents, and a viewer needs
/// the ending of a name. The file with the name is deleted when the viewer closes.
@MainActor @Observable package final class FilePreview {
  /// The file that is shown. Nil: the viewer is closed.
  package var url: URL? { didSet { if url == nil { removeFolder() } } }
  @ObservationIgnored private var folder: URL?

  package init() {}

  /// Shows a file that is on this device. A file without a usable name is shown under the store's.
  package func show(_ file: PresentedFile, in client: ChatClient) {
    guard let stored = file.file else { return }
    removeFolder()
    url = named(file.name, stored, client.environment.makeID()) ?? stored
  }

  private func named(_ name: String, _ stored: URL, _ id: String) -> URL? {
    // The name may come from somebody else.
    guard let last = name.split(separator: "/").last, last != "..", last != "." else { return nil }
    let files = FileManager.default
    let folder = files.temporaryDirectory.appendingPathComponent("holdfast-preview-\(id)")
    let link = folder.appendingPathComponent(String(last))
    do {
      try files.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      self.folder = folder
      do { try files.linkItem(at: stored, to: link) } catch { try files.copyItem(at: stored, to: link) }
      return link
    } catch {
      removeFolder()
      return nil
    }
  }

  private func removeFolder() {
    if let folder { try? FileManager.default.removeItem(at: folder) }
    folder = nil
  }
}
