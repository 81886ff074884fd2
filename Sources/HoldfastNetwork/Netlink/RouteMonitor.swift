import HoldfastCore

#if os(Linux)
  import Dispatch
  import Foundation

  /// Keeps a path up to date with the kernel's links and routes, at once and after each change. Nothing polls:
  /// the kernel wakes a queue, and no thread waits meanwhile.
  struct RouteMonitor {
    let path: NetworkPath
    var open: @Sendable () throws(NetlinkFailure) -> RouteSocket = { () throws(NetlinkFailure) in
      try RouteSocket.open()
    }

    /// Runs until the task is cancelled. The socket is then closed, and nothing of the monitor remains.
    ///
    /// - Throws: ``NetlinkFailure`` when the kernel does not report, or stops reporting.
    func run() async throws(NetlinkFailure) {
      let socket = try open()
      let queue = DispatchQueue(label: "holdfast.routes")
      // Dispatch's objects may be used from any thread, but its Swift interface on Linux does not say so.
      nonisolated(unsafe) let source = DispatchSource.makeReadSource(
        fileDescriptor: socket.descriptor, queue: queue)
      let following = Following(socket: socket, path: path)
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          source.setRegistrationHandler { if !following.begin() { source.cancel() } }
          source.setEventHandler { if !following.read() { source.cancel() } }
          // The last event on the queue. After it the path is not changed again.
          source.setCancelHandler {
            socket.close()
            continuation.resume()
          }
          source.activate()
        }
      } onCancel: {
        source.cancel()
      }
      if let failure = following.failure { throw failure }
    }
  }

  /// `@unchecked` because it belongs to one serial queue until that queue has ended.
  private final class Following: @unchecked Sendable {
    private(set) var failure: NetlinkFailure?
    private let socket: RouteSocket
    private let path: NetworkPath
    private var reader: RouteReader

    init(socket: RouteSocket, path: NetworkPath) {
      self.socket = socket
      self.path = path
      reader = RouteReader(port: socket.port)
    }

    /// Returns whether reading can continue, like ``read()``.
    func begin() -> Bool { goesOn { () throws(NetlinkFailure) in try perform(reader.changed()) } }

    /// Reads everything available. Returns whether reading can continue.
    func read() -> Bool {
      goesOn { () throws(NetlinkFailure) in
        while true {
          switch try socket.receive() {
          case .nothing: return
          case .overrun: try perform(reader.changed())
          case .datagram(let bytes):
            for message in try NetlinkMessage.all(in: bytes) { try perform(reader.received(message)) }
          }
        }
      }
    }

    private func goesOn(_ body: () throws(NetlinkFailure) -> Void) -> Bool {
      do throws(NetlinkFailure) { try body() } catch { failure = error }
      return failure == nil
    }

    private func perform(_ action: RouteReader.Action?) throws(NetlinkFailure) {
      switch action {
      case nil: break
      case .ask(let request): try socket.send(request)
      case .report(.none): path.set(isUp: false)
      case .report(.unnamed): path.set(isUp: true)
      case .report(.over(let link)): path.set(isUp: true, interface: NetworkPath.Interface(link))
      }
    }
  }
#endif
