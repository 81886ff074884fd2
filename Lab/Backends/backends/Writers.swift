#if Firestore
  import ArgumentParser
  import BackendServers
  import Foundation
  import Holdfast
  import HoldfastTesting
  import HoldfastTransport

  /// `backends writers`: two members write into one conversation, while connections are cut at random moments.
  struct Writers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Let two members write while connections are cut, and compare both phones with the server.",
      discussion: "The exit code is 1 when a message is lost or doubled, or when the phones' orders differ.")

    @Option(help: "The time for which they write.") var seconds = 600
    @Option(help: "The number that the moments are drawn from.") var seed = UInt64(
      ProcessInfo.processInfo.processIdentifier)

    func run() async throws {
      let outcome = try await withFirestore { emulator, proxy in
        try await emulator.start()
        try await proxy.start(to: emulator.port)
        do {
          let outcome = try await write(emulator, proxy)
          proxy.end()
          await emulator.end()
          return outcome
        } catch {
          proxy.end()
          await emulator.end()
          throw error
        }
      }
      say(outcome.sentence(seconds: seconds, seed: seed))
      guard outcome.isRight else { throw ExitCode.failure }
    }

    private func write(_ emulator: FirestoreEmulator, _ proxy: ProxyProcess) async throws -> Outcome {
      let folder = FileManager.default.temporaryDirectory.appending(
        path: "writers-\(ChatEnvironment().makeID())")
      defer { try? FileManager.default.removeItem(at: folder) }
      let phones = try ["alice", "bob"].map { name in
        try Phone(
          UserID(rawValue: name), folder: folder.appending(path: name),
          transport: emulator.transport(for: UserID(rawValue: name), port: proxy.port, keepalive: .seconds(4))
        )
      }
      let conversation = ConversationID(rawValue: "club")
      let chat = try phones[0].client.createConversation(conversation, members: phones.map(\.user))
      let environment = ChatEnvironment()
      let deadline = environment.uptime() + .seconds(seconds)
      return try await withThrowingTaskGroup(of: Void.self) { group in
        defer { group.cancelAll() }
        for phone in phones { group.addTask { await phone.client.run() } }
        phones[0].note(try chat.send("The first message"))
        // The second member writes once he has the conversation.
        while (try? phones[1].texts(of: conversation))?.isEmpty != false {
          try await environment.sleep(environment.uptime() + .milliseconds(20))
        }
        let cuts = try await withThrowingTaskGroup(of: Int.self) { writing in
          for (number, phone) in phones.enumerated() {
            writing.addTask {
              try await phone.write(in: conversation, until: deadline, seed: seed + UInt64(number))
            }
          }
          writing.addTask { try await cut(proxy, until: deadline) }
          return try await writing.reduce(0, +)
        }
        return try await compare(phones, conversation, emulator, cuts: cuts)
      }
    }

    /// Resets every connection at random moments, and sometimes loses an answer. Returns how often.
    private func cut(_ proxy: ProxyProcess, until deadline: ChatEnvironment.Instant) async throws -> Int {
      let environment = ChatEnvironment()
      var (dice, cuts) = (Dice(seed: seed), 0)
      while environment.uptime() < deadline {
        try await environment.sleep(environment.uptime() + .milliseconds(dice.roll(200...4000)))
        let faults: [TransportConformance.NetworkFault] = [
          .reset, .reset, .lostAnswer, .cutAnswer, .halfRequest,
        ]
        try await proxy.make(faults[dice.roll(0...(faults.count - 1))])
        try await proxy.behave()
        cuts += 1
      }
      return cuts
    }

    /// Waits until both phones show what the server has, and compares.
    private func compare(
      _ phones: [Phone], _ conversation: ConversationID, _ emulator: FirestoreEmulator, cuts: Int
    ) async throws -> Outcome {
      let environment = ChatEnvironment()
      let deadline = environment.uptime() + .seconds(60)
      var outcome = Outcome(cuts: cuts)
      while true {
        let record = try await emulator.messages(in: conversation)
        outcome = Outcome(cuts: cuts)
        outcome.compare(record.map(\.id), with: phones.flatMap(\.sent))
        for phone in phones {
          if try phone.texts(of: conversation) != record.map(\.text) {
            outcome.different.append(phone.user.rawValue)
          }
        }
        if outcome.isRight || environment.uptime() > deadline { return outcome }
        try await environment.sleep(environment.uptime() + .milliseconds(200))
      }
    }
  }

  /// The outcome of a run, by the server's record and by what the phones show.
  private struct Outcome: Sendable {
    var cuts: Int
    var messages = 0
    var lost = 0
    var doubled = 0
    /// The phones that show something else than the server has.
    var different: [String] = []

    init(cuts: Int) { self.cuts = cuts }

    mutating func compare(_ record: [MessageID], with sent: [MessageID]) {
      messages = sent.count
      lost = Set(sent).subtracting(record).count
      doubled = record.count - Set(record).count + Set(record).subtracting(sent).count
    }

    var isRight: Bool { lost == 0 && doubled == 0 && different.isEmpty }

    func sentence(seconds: Int, seed: UInt64) -> String {
      let phones =
        different.isEmpty
        ? "both phones show the server's order"
        : "other than the server: \(different.joined(separator: ", "))"
      return
        "firestore, two writers for \(seconds) s: \(messages) messages, \(cuts) cuts (seed \(seed)); \(lost) lost, "
        + "\(doubled) doubled; \(phones)"
    }
  }

  /// One member's phone.
  private final class Phone: Sendable {
    let user: UserID
    let client: ChatClient
    private let notes = Notes()

    init(_ user: UserID, folder: URL, transport: any Transport) throws {
      self.user = user
      var environment = ChatEnvironment()
      // Each cut is in the log, and is meant.
      environment.logger.logLevel = .error
      var configuration = ChatConfiguration(environment: environment)
      configuration.retry = .init(
        delays: [.zero, .milliseconds(100), .milliseconds(300)], reconnectDelay: .milliseconds(50),
        longestReconnectDelay: .milliseconds(500), jitter: 0, answerTimeout: .seconds(5))
      client = try ChatClient(
        storage: .folder(folder), transport: transport, user: user, configuration: configuration)
    }

    var sent: [MessageID] { notes.all }

    func note(_ id: MessageID) { notes.add(id) }

    func texts(of conversation: ConversationID) throws -> [String] {
      try client.conversation(conversation).messages(last: 100_000).map(\.text)
    }

    /// Writes at random moments. Returns 0: it cuts nothing.
    func write(
      in conversation: ConversationID, until deadline: ChatEnvironment.Instant, seed: UInt64
    ) async throws -> Int {
      let environment = ChatEnvironment()
      var (dice, number) = (Dice(seed: seed), 0)
      while environment.uptime() < deadline {
        // Now and then several at once.
        for _ in 0..<(dice.roll(0...9) == 0 ? 20 : 1) {
          number += 1
          note(try client.send("\(user) \(number)", in: conversation))
        }
        try await environment.sleep(environment.uptime() + .milliseconds(dice.roll(200...2000)))
      }
      return 0
    }
  }
#endif
