#if os(Linux)
  import Foundation
  import Holdfast
  import HoldfastWebSocket
  import Testing

  @testable import HoldfastCommand

  /// Real processes on a store whose files cannot be read while the device is locked.
  @Suite(.serialized, .timeLimit(.minutes(10))) struct ProtectedFileTests {
    /// The ending of the last process that used the store.
    enum Ending: CaseIterable { case suspended, killed }

    private static let conversation: ConversationID = "me-bob"

    private static func open(_ store: URL) throws -> ChatClient {
      try ChatClient(
        storage: .folder(store).shared(), transport: WebSocketTransport(url: URL(filePath: "/")) { "" },
        user: "me")
    }

    /// Passes to `body` a store with an unsent message, and with a draft that has an attachment. `original` is a
    /// copy of it.
    private static func withStore(
      after ending: Ending, _ body: (_ store: LockableStore, _ original: URL) async throws -> Void
    ) async throws {
      let scratch = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
        .appending(path: "holdfast-protected-\(ChatEnvironment().makeID())", directoryHint: .isDirectory)
      defer { try? FileManager.default.removeItem(at: scratch) }
      let (original, used) = (scratch.appending(path: "original"), scratch.appending(path: "used"))
      try makePrivateFolder(scratch)
      let drafts = try DraftController(storage: .folder(used), user: "me")
      let composer = drafts.composer(in: conversation)
      composer.edit("half a thought")
      try composer.attach(Data("a picture".utf8), name: "picture.png")
      try drafts.suspend()
      let client = try open(used)
      try client.createConversation(conversation, members: ["bob"])
      try client.send("before", in: conversation)
      if ending == .suspended { try await client.suspend() }
      // A kill leaves the present files.
      try FileManager.default.copyItem(at: used, to: original)
      try await client.suspend()
      let store = try LockableStore(scratch.appending(path: "store"), scratch: scratch)
      try store.copy(original)
      try await body(store, original)
    }

    /// Puts a message into the store, in a separate process.
    private static func share(
      in store: LockableStore, lockingAfter calls: Int? = nil
    ) throws -> (status: Int32, output: String) {
      try store.run(
        "ShareExtension", ["shared", "--store", store.folder.path, "--to", conversation.rawValue],
        lockingAfter: calls)
    }

    // P4.2, S3.1, S3.2
    @Test(arguments: Ending.allCases)
    func `a locked store is reported as locked, and stays as it is`(ending: Ending) async throws {
      try await Self.withStore(after: ending) { store, _ in
        let before = try store.contents()
        try store.lock()
        for command in [
          ["doctor"], ["doctor", "--salvage", "--user=me"], ["doctor", "--compact"], ["stats"],
        ] {
          let answer = try store.run("holdfast", command + [store.folder.path, "--json"])
          #expect(answer.status == 2, "\(command) \(answer)")
          #expect(answer.output.contains("storageLocked"), "\(command) \(answer)")
        }
        let share = try Self.share(in: store)
        #expect(share.status == 1)
        #expect(share.output.contains("The store is protected until the device is unlocked."), "\(share)")
        #expect(try store.contents() == before)
        #expect(
          try FileManager.default.contentsOfDirectory(atPath: store.folder.deletingLastPathComponent().path)
            .filter { $0.hasPrefix("store") } == ["store"])

        try store.unlock()
        #expect(try store.run("holdfast", ["doctor", store.folder.path]).status == 0)
        #expect(try Self.share(in: store).status == 0)
        let client = try Self.open(store.folder)
        #expect(await client.bodies(in: Self.conversation) { $0.count >= 2 } == ["before", "shared"])
        try await client.suspend()
        let drafts = try DraftController(storage: .folder(store.folder), user: "me")
        #expect(try drafts.composer(in: Self.conversation).content().attachments.count == 1)
      }
    }

    // P4.2, S3.1
    @Test func `a store that is locked during an examination is locked, and not damaged`()
      async throws
    {
      try await Self.withStore(after: .killed) { store, _ in
        let before = try store.userContents()
        let interrupted = try Self.lockAtEachCall(of: store) { calls in
          let doctor = try store.run(
            "holdfast", ["doctor", store.folder.path, "--json"], lockingAfter: calls)
          guard doctor.status != 0 else { return false }
          #expect(doctor.status == 2, "call \(calls): \(doctor)")
          #expect(doctor.output.contains("storageLocked"), "call \(calls): \(doctor)")
          return true
        }
        #expect(interrupted > 5)
        #expect(try store.userContents() == before)
      }
    }

    // P4.2, S3.1
    @Test func `a store that is locked during a salvage stays in its place`() async throws {
      try await Self.withStore(after: .killed) { store, original in
        let before = try store.userContents()
        let interrupted = try Self.lockAtEachCall(of: store) { calls in
          try store.copy(original)
          let doctor = try store.run(
            "holdfast", ["doctor", "--salvage", "--user", "me", "--json", store.folder.path],
            lockingAfter: calls)
          guard doctor.status != 0 else { return false }
          #expect(doctor.status == 2, "call \(calls): \(doctor)")
          #expect(doctor.output.contains("storageLocked"), "call \(calls): \(doctor)")
          #expect(try store.userContents() == before, "call \(calls)")
          return true
        }
        #expect(interrupted > 3)
      }
    }

    // P4.2, S3.1
    @Test func `a store that is locked while a message is stored has the message, or the lock is reported`()
      async throws
    {
      try await Self.withStore(after: .killed) { store, original in
        let interrupted = try Self.lockAtEachCall(of: store) { calls in
          try store.copy(original)
          let share = try Self.share(in: store, lockingAfter: calls)
          try store.unlock()
          let client = try Self.open(store.folder)
          #expect(try client.outbox.unsentCount() == (share.status == 0 ? 2 : 1), "call \(calls): \(share)")
          guard share.status != 0 else { return false }
          #expect(share.status == 1, "call \(calls): \(share)")
          #expect(share.output.contains("protected until the device is unlocked"), "call \(calls): \(share)")
          return true
        }
        #expect(interrupted > 10)
      }
    }

    /// Runs `body` with a device that locks after no call for the store's files, after one, and so on, until a run
    /// makes all of its calls. `body` returns whether it was interrupted. Returns the number of interruptions.
    private static func lockAtEachCall(of store: LockableStore, _ body: (Int) throws -> Bool) throws -> Int {
      var interrupted = 0
      for calls in 0..<2000 {
        try store.unlock()
        let isInterrupted = try body(calls)
        if isInterrupted { interrupted += 1 }
        guard isInterrupted || store.isLocked else { break }
      }
      try store.unlock()
      return interrupted
    }

    // P4.1
    @Test func `a client that runs while the device is locked waits, and goes on`() async throws {
      try await Scene.play { scene in
        let store = try LockableStore(URL(filePath: scene.store(of: "me")), scratch: scene.folder)
        try await scene.withClient(of: "bob") { bob in
          let app = try scene.app(in: store.environment())
          defer { app.kill() }
          app.say("before")
          #expect(await bob.bodies(in: "me-bob") { !$0.isEmpty } == ["before"])
          try await app.line { $0.hasPrefix("online: 0 unsent, newest 'before'") }
          try store.lock()
          try bob.send("while it is locked", in: "me-bob")
          try await app.line { $0.hasPrefix("reconnecting") }
          try store.unlock()
          try await app.line { $0 == "online: 0 unsent, newest 'while it is locked', draft ''" }
          app.say("after")
          #expect(
            await bob.bodies(in: "me-bob") { $0.count == 3 } == ["before", "while it is locked", "after"])
          app.closeInput()
          #expect(await app.ending() == .exit(0))
        }
      }
    }
  }
#endif
