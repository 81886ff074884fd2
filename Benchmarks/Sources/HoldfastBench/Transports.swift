import Holdfast

/// A backend that tells a history once, and then nothing more.
struct HistoryTransport: Transport {
  let guarantees = TransportGuarantees(window: 1)
  /// Each page is one transaction.
  let pages: [[IncomingItem]]

  func withConnection(
    resumingAfter cursor: SyncCursor?, _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws {
    try await body(HistoryConnection(pages: pages))
  }
}

private actor HistoryConnection: TransportConnection {
  private var pages: [[IncomingItem]]

  init(pages: [[IncomingItem]]) { self.pages = pages.reversed() }

  func send(_ messages: [OutgoingMessage]) {}
  func send(_ piece: StreamPiece) {}

  func receive() async throws -> TransportEvent {
    if let page = pages.popLast() { return .items(page, cursor: nil) }
    try await waitForCancellation()
  }
}

/// A backend that never answers: nothing but the engine and its disk takes time.
struct SilentTransport: Transport {
  let guarantees = TransportGuarantees(window: 1)

  func withConnection(
    resumingAfter cursor: SyncCursor?, _ body: @Sendable (any TransportConnection) async throws -> Void
  ) async throws {
    try await waitForCancellation()
  }
}

private func waitForCancellation() async throws -> Never {
  while true { try await Task.sleep(for: .seconds(3_600)) }
}
