import Holdfast
import Logging
import Synchronization
import Testing

@testable import HoldfastCommand

@Suite struct RelayLogTests {
  @Test func `a flood of lines is cut off, counted, and reported by the next line`() {
    let time = Clock()
    let lines = Lines()
    var logger = Logger(label: "relay") { _ in RelayLog(lines) { time.now } }
    logger.logLevel = .debug
    for _ in 0..<RelayLog.maximumLines + 50 { logger.debug("connected") }
    #expect(lines.written.count == RelayLog.maximumLines)
    time.now = .seconds(10)
    logger.debug("disconnected")
    #expect(lines.written.suffix(2) == ["lines left out: 50", "disconnected"])
  }

  @Test func `a flood of lines hides no warning and no error`() {
    let lines = Lines()
    var logger = Logger(label: "relay") { _ in RelayLog(lines) { .zero } }
    logger.logLevel = .debug
    for _ in 0..<RelayLog.maximumLines + 50 { logger.debug("connected") }
    for _ in 0..<RelayLog.maximumLines { logger.warning("the disk is slow") }
    logger.error("the disk is full")
    logger.debug("disconnected")
    #expect(lines.written.count == 2 * RelayLog.maximumLines + 1)
    #expect(lines.written.last == "the disk is full")
  }
}

private final class Clock: Sendable {
  private let time = Mutex(Duration.zero)

  var now: Duration {
    get { time.withLock { $0 } }
    set { time.withLock { $0 = newValue } }
  }
}

/// Keeps what is logged.
private final class Lines: LogHandler, Sendable {
  private let messages = Mutex<[String]>([])

  var written: [String] { messages.withLock { $0 } }

  var logLevel: Logger.Level {
    get { .debug }
    set {}
  }
  var metadata: Logger.Metadata {
    get { [:] }
    set {}
  }
  subscript(metadataKey _: String) -> Logger.Metadata.Value? {
    get { nil }
    set {}
  }

  func log(event: LogEvent) { messages.withLock { $0.append("\(event.message)") } }
}
