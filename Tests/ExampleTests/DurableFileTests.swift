#if os(Linux)
  import Foundation
  import Holdfast
  import Testing

  @testable import HoldfastCommand

  /// The order in which real processes create, write and sync the files of a store.
  @Suite(.timeLimit(.minutes(10))) struct DurableFileTests {
    /// The calls of a process for the files of a folder, in order.
    private struct Recording {
      let folder: URL
      private let log: URL
      private let library: PreloadedLibrary

      init(in scratch: URL) throws {
        folder = scratch.appending(path: "files", directoryHint: .isDirectory)
        log = scratch.appending(path: "log")
        library = try PreloadedLibrary.compile("recorded_files", in: scratch)
        try makePrivateFolder(folder)
      }

      /// - Parameter text: output with this text is recorded too, as "say TEXT".
      func environment(saying text: String) -> [String: String] {
        [
          "LD_PRELOAD": library.file.path, "RECORDED_FOLDER": folder.standardizedFileURL.path,
          "RECORDED_LOG": log.path, "RECORDED_TEXT": text,
        ]
      }

      func calls() throws -> [String] {
        try String(contentsOf: log, encoding: .utf8).split(separator: "\n").map(String.init)
      }
    }

    private static func withRecording(_ body: (Recording) async throws -> Void) async throws {
      let scratch = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        .appending(path: "holdfast-durable-\(ChatEnvironment().makeID())", directoryHint: .isDirectory)
      defer { try? FileManager.default.removeItem(at: scratch) }
      try makePrivateFolder(scratch)
      try await body(try Recording(in: scratch))
    }

    /// The position of the first matching call after another one.
    private static func position(_ call: String, in calls: [String], behind start: Int = -1) throws -> Int {
      let rest = calls.indices.dropFirst(start + 1)
      return try #require(rest.first { calls[$0] == call }, "\(call) behind call \(start)")
    }

    // S1.4
    @Test func `the name of each new file is synced before the process says that it is ready`() async throws {
      try await Self.withRecording { recording in
        let app = try Process.run(
          Bundle.main.bundleURL.appending(path: "DraftsOnly"),
          [recording.folder.appending(path: "new/chats/alice").path], recording.environment(saying: "(empty)")
        )
        #expect(app.status == 0, "\(app.output)")
        let calls = try recording.calls()
        let ready = try Self.position("say (empty)", in: calls)
        for (file, folder) in [
          ("new", "."), ("new/chats", "new"), ("new/chats/alice", "new/chats"),
          ("new/chats/alice/store.sqlite", "new/chats/alice"),
          ("new/chats/alice/store.sqlite-wal", "new/chats/alice"),
        ] {
          let made = try Self.position("create \(file)", in: calls)
          #expect(try Self.position("sync \(folder)", in: calls, behind: made) < ready, "\(file)")
        }
      }
    }

    // D16.3, D16.4, D16.6
    @Test func `a picked file is copied and synced, under its checksum, before the composer shows it`()
      async throws
    {
      try await Self.withRecording { recording in
        let picked = recording.folder.deletingLastPathComponent().appending(path: "picked.png")
        try Data(repeating: 7, count: 100_000).write(to: picked)
        let phone = try Program(
          "holdfast-lab",
          [
            "phone", "--name", "Alice", "--data", recording.folder.appending(path: "alice").path,
            "--no-network",
            "--relay", "ws://127.0.0.1:9/v1/connect",
          ], in: recording.environment(saying: "picture.png"))
        defer { phone.kill() }
        phone.say(
          #"{"type":"attach","conversation":"alice-bob","file":"\#(picked.path)","name":"picture.png","mediaType":"image/png","number":1}"#
        )
        try await phone.line { $0.contains("picture.png") }
        let calls = try recording.calls()
        let shown = try Self.position("say picture.png", in: calls)
        let copying = calls.indices.filter { calls[$0].hasPrefix("write alice/attachments/import-") }
        let copied = try #require(copying.last)
        let copy = calls[copied].dropFirst("write ".count)
        let synced = try Self.position("sync \(copy)", in: calls, behind: copied)
        let named = try #require(
          calls.indices.first { calls[$0].hasPrefix("rename \(copy) alice/attachments/") && $0 > synced })
        let durable = try Self.position("sync alice/attachments", in: calls, behind: named)
        let committed = try Self.position("sync alice/store.sqlite-wal", in: calls, behind: durable)
        #expect(committed < shown)
        let made = try Self.position("create alice/attachments", in: calls)
        #expect(try Self.position("sync alice", in: calls, behind: made) < shown)
      }
    }
  }
#endif
