import Foundation
import Holdfast
import HoldfastTransport

/// Where measurements are made: each begins with fresh copies of a store.
@MainActor final class Workbench {
  let folder: URL
  /// Nil: as many as each benchmark asks for.
  let samples: Int?
  /// Reports the progress.
  let report: (String) -> Void
  private var templates: [Int: URL] = [:]

  init(folder: URL, samples: Int?, report: @escaping (String) -> Void) {
    self.folder = folder
    self.samples = samples
    self.report = report
  }

  /// Calls `body` with a rig whose client runs, and takes both down.
  ///
  /// - Parameter store: the store that engine and C get copies of, with `history` messages. Nil: the usual one of
  ///   that length.
  func withRig<Value>(
    history: Int = 10_000, of store: URL? = nil, isOnline: Bool,
    environment: ChatEnvironment = ChatEnvironment(),
    _ body: @MainActor (Rig) async throws -> Value
  ) async throws -> Value {
    let place = folder.appendingPathComponent("rig")
    defer { try? FileManager.default.removeItem(at: place) }
    let source = if let store { store } else { try await template(of: history) }
    let rig = try Rig(
      copying: source, history: history, to: place, isOnline: isOnline, environment: environment)
    return try await withRunning(rig.client) { try await body(rig) }
  }

  /// Calls `body` while the client runs.
  func withRunning<Value>(
    _ client: ChatClient, _ body: @MainActor () async throws -> Value
  ) async throws -> Value {
    let running = Task { await client.run() }
    // What runs beside it has begun to wait when the first sample comes.
    try await Task.sleep(for: .milliseconds(100))
    let result: Result<Value, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    running.cancel()
    await running.value
    return try result.get()
  }

  /// The same with messages that answer others, have reactions and files.
  func richTemplate(of count: Int) async throws -> URL {
    let place = folder.appendingPathComponent("rich-template-\(count)")
    guard !FileManager.default.fileExists(atPath: place.path) else { return place }
    let backend = Backend(isReachable: true)
    let client = try Rig.openEmpty(in: place, backend)
    try await withRunning(client) {
      for start in stride(from: 1, through: count, by: 1_000) {
        let page = Rig.messages(start...min(start + 999, count)).map(Rig.rich)
        _ = try await backend.say(.items(page.map(IncomingItem.message), cursor: nil))
      }
      while try RawStore.unindexed(place.appendingPathComponent("store.sqlite")) > 0 {
        try await Task.sleep(for: .milliseconds(50))
      }
    }
    return place
  }

  /// A store with a conversation of so many messages that the server has confirmed. Made once, and from the
  /// next smaller one.
  func template(of count: Int) async throws -> URL {
    if let made = templates[count] { return made }
    let place = folder.appendingPathComponent("template-\(count)")
    let smaller = templates.keys.filter { $0 < count }.max()
    if let smaller, let made = templates[smaller] { try FileManager.default.copyItem(at: made, to: place) }
    let backend = Backend(isReachable: true)
    let client = try Rig.openEmpty(in: place, backend)
    try await withRunning(client) {
      for start in stride(from: (smaller ?? 0) + 1, through: count, by: 1_000) {
        let page = Rig.messages(start...min(start + 999, count))
        _ = try await backend.say(.items(page.map(IncomingItem.message), cursor: nil))
      }
      // Or the copies would be indexed while something is measured.
      while try RawStore.unindexed(place.appendingPathComponent("store.sqlite")) > 0 {
        try await Task.sleep(for: .milliseconds(50))
      }
    }
    templates[count] = place
    return place
  }
}
