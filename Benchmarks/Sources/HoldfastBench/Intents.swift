import CRawSQLite
import Foundation
import Holdfast
import Observation

/// One measured intent: the engine's times and the yardstick's, sample by sample, in microseconds.
struct Measurement {
  var name: String
  var engine: [Double]
  var raw: [Double]
  /// What both did.
  var what: String
}

/// The intents a user waits for. Engine and C take turns, so that both see the same disk and the same noise.
@MainActor struct Intents {
  let folder: URL
  let count: Int

  func run() async throws -> [Measurement] {
    let client = try ChatClient(
      storage: .folder(folder.appendingPathComponent("engine")), transport: NoBackend(), user: "alice",
      path: NetworkPath(isUp: false))
    try client.createConversation("c", members: ["alice", "bob"])
    let raw = try RawStore(folder: folder)
    defer { raw.close() }
    let composer = ComposerModel(client, "c")
    let chat = ConversationModel(client, "c")

    var save = Measurement(name: "draft save", engine: [], raw: [], what: "one changed draft, on disk")
    for index in 0..<(count + 100) {
      let text = "a draft of an ordinary length, version \(index)"
      composer.edit(text)
      let engine = microseconds { composer.hardSave() }
      let yardstick = try microseconds { try raw.saveDraft(text) }
      // The first ones fill the caches of both.
      if index >= 100 {
        save.engine.append(engine)
        save.raw.append(yardstick)
      }
    }

    var send = Measurement(name: "send", engine: [], raw: [], what: "from the tap until it is on disk")
    var row = Measurement(
      name: "tap to row", engine: [], raw: [],
      what: "from the tap until the row is in the view's snapshot; C: send, then read the last 100")
    let model = Task { await chat.run() }
    defer { model.cancel() }
    var shown = Observations { chat.snapshot.rows.last?.id }.makeAsyncIterator()
    for index in 0..<(count + 100) {
      let text = "a message of an ordinary length, number \(index)"
      composer.edit(text)
      let start = ContinuousClock.now
      guard let id = composer.send() else { throw Failure(what: composer.snapshot.problem ?? "send") }
      let sent = start.duration(to: .now)
      while let last = await shown.next(), last != id {}
      let seen = start.duration(to: .now)
      let rawSend = try microseconds { try raw.send(text) }
      let rawRead = try microseconds { try raw.last100() }
      if index >= 100 {
        send.engine.append(sent / .microseconds(1))
        send.raw.append(rawSend)
        row.engine.append(seen / .microseconds(1))
        row.raw.append(rawSend + rawRead)
      }
    }
    return [save, send, row]
  }

  private func microseconds(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    return start.duration(to: .now) / .microseconds(1)
  }
}

struct Failure: Error, CustomStringConvertible {
  var what: String
  var description: String { "failed: \(what)" }
}

/// The yardstick.
final class RawStore {
  private var store: OpaquePointer?
  private var number: Int64 = 0

  /// The engine's store must be open, since its tables are the model.
  init(folder: URL) throws {
    try check(
      raw_open(
        folder.appendingPathComponent("raw.sqlite").path,
        folder.appendingPathComponent("engine/store.sqlite").path, &store))
  }

  func close() { raw_close(store) }

  func send(_ text: String) throws {
    number += 1
    try check(raw_send(store, "0197f0a2-1111-7222-8333-\(100_000_000_000 + number)", text, number))
  }

  func saveDraft(_ text: String) throws {
    number += 1
    try check(raw_save_draft(store, "0197f0a2-1111-7222-8333-444444444444", text, number))
  }

  func last100() throws {
    var bytes: Int64 = 0
    try check(raw_last_100(store, &bytes))
    guard bytes > 0 else { throw Failure(what: "nothing was read") }
  }

  private func check(_ code: Int32) throws {
    guard code == 0 else { throw Failure(what: "SQLite code \(code)") }
  }
}
