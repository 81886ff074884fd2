#if os(Linux)
  import Foundation
  import Holdfast
  import Testing

  @testable import HoldfastCommand

  /// Times that a user notices, with the limits of the rules. `Lab/Benchmarks/` measures the real times, which are far
  /// below.
  @MainActor @Suite(.serialized, .timeLimit(.minutes(10))) struct PaceTests {
    private static let conversation: ConversationID = "c"
    private static let count = 10_000

    private static func open(_ store: URL) throws -> ChatClient {
      try ChatClient(storage: .folder(store), transport: DeviceTransport(), user: "me")
    }

    /// Passes to `body` a store with a history that nobody has open.
    private static func withHistory(_ body: (URL) async throws -> Void) async throws {
      let store = FileManager.default.temporaryDirectory.appending(
        path: "holdfast-pace-\(ChatEnvironment().makeID())", directoryHint: .isDirectory)
      defer { try? FileManager.default.removeItem(at: store) }
      let client = try open(store)
      try client.createConversation(conversation, members: ["me"])
      let start = Date(timeIntervalSince1970: 1_760_000_000)
      for first in stride(from: 1, through: count, by: 1_000) {
        try client.conversation(conversation).store(
          contentsOf: (first..<first + 1_000).map { number in
            FinishedMessage(
              id: MessageID(rawValue: "m\(number)"), sender: number.isMultiple(of: 2) ? "me" : "bob",
              content: MessageContent(
                number == 7 ? "the lighthouse" : "number \(number): the ferry leaves at ten"),
              createdAt: start + Double(number))
          })
      }
      try client.store.indexEverything { _, _ in }
      try await client.suspend()
      try await body(store)
    }

    /// Removes a file from the system's cache, as after a start of the device.
    private static func forget(_ file: URL) throws {
      let handle = try FileHandle(forReadingFrom: file)
      defer { try? handle.close() }
      #expect(posix_fadvise(handle.fileDescriptor, 0, 0, POSIX_FADV_DONTNEED) == 0)
    }

    // H7.1
    @Test func `the last 100 of 10,000 messages are there within 500 ms of a cold start`() async throws {
      try await Self.withHistory { store in
        try Self.forget(store.appending(path: "store.sqlite"))
        let start = ContinuousClock.now
        let client = try Self.open(store)
        let rows = ConversationModel(client, Self.conversation).snapshot.rows
        let time = start.duration(to: .now)
        #expect(rows.count == 100)
        #expect(rows.last?.text == "number 10000: the ferry leaves at ten")
        #expect(time < .milliseconds(500))
        try await client.suspend()
      }
    }

    // U17.1, U17.3
    @Test func `an old word is found among 10,000 messages in a tenth of a second`() async throws {
      try await Self.withHistory { store in
        let client = try Self.open(store)
        var times: [Duration] = []
        // The first search loads the code and the pages. A user has typed some letters before.
        for query in ["ligh", "lightho", "lighthouse"] {
          let start = ContinuousClock.now
          let hits = try client.search(query).hits
          times.append(start.duration(to: .now))
          #expect(hits.map(\.excerpt.text) == ["the lighthouse"], "\(query)")
        }
        #expect(times.min().map { $0 < .milliseconds(100) } == true, "\(times)")
        try await client.suspend()
      }
    }
  }
#endif
