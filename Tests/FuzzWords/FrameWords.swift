import Foundation
import HoldfastCore
import HoldfastRelay
import HoldfastTransport
import Synchronization

/// A relay's frames to its client, one on each line, after a welcome. With a leading `!` the welcome is missing.
enum FrameWords {
  private static let welcome = Data(
    #"{"type":"welcome","version":1,"account":"alice","maximumMessageBytes":100000,"frames":["ask","history","search"]}"#
      .utf8)
  /// The file that the client requests.
  private static let file = ChatAttachment(
    checksum: ChatAttachment.Checksum(rawValue: String(repeating: "a", count: 64)), name: "a.txt",
    mediaType: "text/plain", byteCount: 9)

  static func read(_ bytes: [UInt8]) {
    let isGreeted = bytes.first != UInt8(ascii: "!")
    let frames = bytes.dropFirst(isGreeted ? 0 : 1).split(separator: UInt8(ascii: "\n")).map { Data($0) }
    for frame in frames { checkAgain(frame) }
    finish { await connect((isGreeted ? [welcome] : []) + frames) }
  }

  /// A frame that was parsed can be encoded, with the same meaning.
  private static func checkAgain(_ bytes: Data) {
    guard let frame = try? JSONDecoder().decode(Wire.ServerFrame.self, from: bytes) else { return }
    guard let written = try? JSONEncoder().encode(frame) else {
      fatalError("what was read cannot be written")
    }
    precondition((try? JSONDecoder().decode(Wire.ServerFrame.self, from: written)) == frame)
  }

  /// Connects as a client that makes every kind of request, and that receives until the frames end.
  private static func connect(_ frames: [Data]) async {
    let channel = PlayedChannel(frames)
    let transport = FrameTransport(connector: channel, environment: stillEnvironment())
    do {
      try await transport.withConnection(resumingAfter: nil) { connection in
        await withTaskGroup(of: Void.self) { group in
          defer { group.cancelAll() }
          for question in questions(connection) {
            group.addTask {
              await question()
              channel.note()
            }
          }
          // Each request was sent, or was given up, so that a response finds it.
          while channel.steps <= 4 { await Task.yield() }
          await listen(to: connection)
        }
      }
    } catch let failure as ConnectionFailure {
      Held.check(failure.retryAfter)
    } catch {
      fatalError("a connection ends with \(error)")
    }
  }

  private static func listen(to connection: any TransportConnection) async {
    while let event = try? await connection.receive() {
      switch event {
      case .items(let items, _): Held.check(items)
      case .receipts(let receipts): for receipt in receipts { Held.check(receipt.createdAt) }
      case .refused(_, _, .notNow(let wait, _)): Held.check(wait)
      case .refused(_, _, .failed(let wait)): Held.check(wait)
      case .ready, .refused, .piece: break
      }
    }
  }

  private static func questions(_ connection: any TransportConnection) -> [@Sendable () async -> Void] {
    [
      { _ = try? await connection.outcome(of: "r", in: "c") },
      {
        let page = try? await connection.history(HistoryRequest(conversation: "c"))
        Held.check(page?.items ?? [])
      },
      {
        let found = try? await connection.search(SearchRequest("hello"))
        for message in found?.messages ?? [] { Held.check(message) }
      },
      {
        let download = ChatAttachment.Download(file, from: 0) { _ in }
        try? await connection.download(download)
      },
    ]
  }

  /// An environment in which no time passes, so that the same input always has the same effect.
  private static func stillEnvironment() -> ChatEnvironment {
    let date = Date(timeIntervalSince1970: 1_780_000_000)
    var environment = ChatEnvironment(now: { date })
    environment.uptime = { .zero }
    environment.sleep = { _ in
      await Signal().wait()
      try Task.checkCancellation()
    }
    environment.logger.logLevel = .critical
    return environment
  }
}

/// A relay that sends the given frames, regardless of what it receives, and then disconnects.
private final class PlayedChannel: FrameChannel, FrameConnector {
  private let frames: Mutex<ArraySlice<Data>>
  private let noted = Mutex(0)

  init(_ frames: [Data]) { self.frames = Mutex(frames[...]) }

  /// The number of sent frames, and of other recorded steps.
  var steps: Int { noted.withLock { $0 } }
  func note() { noted.withLock { $0 += 1 } }

  func withChannel(_ body: @Sendable (any FrameChannel) async throws -> Void) async throws {
    try await body(self)
  }
  func send(_ frame: Data) async throws { note() }
  func receive() async throws -> Data {
    guard let frame = frames.withLock({ $0.popFirst() }) else { throw ConnectionFailure(.unreachable) }
    return frame
  }
}
