import Foundation
import HoldfastCore
import HoldfastHTTP
import HoldfastTesting
import Synchronization

/// A client whose requests go as a test says, in virtual time.
final class ScriptedHTTPClient: HTTPClient {
  enum Step: Sendable {
    case pause(Duration)
    case head(Int, [String: String] = ["Content-Type": "text/event-stream"])
    case piece(String)
    case fail(HTTPFailure.Kind)
  }

  private let scheduler: SeededScheduler
  private let scripts: Mutex<[[Step]]>
  private let sent = Mutex<[HTTPRequest]>([])
  private let cancellations = Atomic(0)

  /// - Parameter scripts: that of the first request, of the second and so on. The last one is for all that follow.
  init(_ scheduler: SeededScheduler, _ scripts: [[Step]]) {
    self.scheduler = scheduler
    self.scripts = Mutex(scripts)
  }

  var requests: [HTTPRequest] { sent.withLock { $0 } }
  var cancelled: Int { cancellations.load(ordering: .relaxed) }

  func send(_ request: HTTPRequest) -> any HTTPTask {
    sent.withLock { $0.append(request) }
    let script = scripts.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? [] }
    return Exchange(scheduler, script) { self.cancellations.add(1, ordering: .relaxed) }
  }

  private final class Exchange: HTTPTask {
    private let scheduler: SeededScheduler
    private let left: Mutex<[Step]>
    private let onCancel: @Sendable () -> Void

    init(_ scheduler: SeededScheduler, _ script: [Step], onCancel: @escaping @Sendable () -> Void) {
      self.scheduler = scheduler
      left = Mutex(script)
      self.onCancel = onCancel
    }

    func head() async throws -> HTTPHead {
      while let step = left.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
        switch step {
        case .pause(let time): try await scheduler.sleep(until: scheduler.now + time)
        case .head(let status, let headers): return HTTPHead(status: status, headers: headers)
        case .fail(let kind): throw HTTPFailure(kind)
        case .piece: break
        }
      }
      throw HTTPFailure(.unreachable)
    }

    func next() async throws -> Data? {
      while let step = left.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
        switch step {
        case .pause(let time): try await scheduler.sleep(until: scheduler.now + time)
        case .piece(let text): return Data(text.utf8)
        case .fail(let kind): throw HTTPFailure(kind)
        case .head: break
        }
      }
      return nil
    }

    func cancel() { onCancel() }
  }
}
