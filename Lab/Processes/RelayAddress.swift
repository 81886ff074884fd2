import Foundation
import Synchronization

/// The address where the relay listens. The relay chooses a free port at its first launch, and keeps it at every
/// later launch.
package final class RelayAddress: Sendable {
  private let stored = Mutex<URL?>(nil)

  package init() {}

  package var url: String { stored.withLock { $0?.absoluteString } ?? "" }

  /// 0, which means any free port, before the first launch.
  package var port: Int { stored.withLock { $0?.port } ?? 0 }

  package func set(_ url: URL) { stored.withLock { $0 = url } }

  /// The address in a line that the relay printed. Nil when the line contains none.
  package static func parse(_ line: Data) -> URL? {
    let text = String(decoding: line, as: UTF8.self).trimmingCharacters(in: .whitespaces)
    guard text.hasPrefix("ws://"), let url = URL(string: text), url.port != nil else { return nil }
    return url
  }
}
