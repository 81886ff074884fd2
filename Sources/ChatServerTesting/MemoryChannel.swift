import Foundation
import Holdfast
import HoldfastRelay
import Synchronization

/// A channel without a socket. Its owner decides what sending and receiving do.
package struct MemoryChannel: FrameChannel {
  private let sending: @Sendable (Data) async throws -> Void
  private let receiving: @Sendable () async throws -> Data

  package init(
    send: @escaping @Sendable (Data) async throws -> Void,
    receive: @escaping @Sendable () async throws -> Data
  ) { (sending, receiving) = (send, receive) }

  package func send(_ frame: Data) async throws { try await sending(frame) }
  package func receive() async throws -> Data { try await receiving() }
}

/// One direction of a connection in memory: a queue that one task at a time reads.
package final class MemoryQueue<Element: Sendable>: Sendable {
  private let state = Mutex((elements: ArraySlice<Element>(), failure: ConnectionFailure?.none))
  private let changed = Signal()

  package init() {}

  package var count: Int { state.withLock { $0.elements.count } }
  /// The failure that the connection has ended with. Nil while it is open.
  package var failure: ConnectionFailure? { state.withLock { $0.failure } }

  /// Throws the failure when the connection has ended.
  package func put(_ element: Element) throws {
    try state.withLock { state in
      if let failure = state.failure { throw failure }
      state.elements.append(element)
    }
    changed.raise()
  }

  /// Waits for the next element. Throws the failure when the connection has ended and all elements have been read.
  package func next() async throws -> Element {
    while true {
      try Task.checkCancellation()
      let (element, failure) = state.withLock { ($0.elements.popFirst(), $0.failure) }
      if let element { return element }
      if let failure { throw failure }
      await changed.wait()
    }
  }

  /// Ends the connection. Earlier elements are still read.
  package func end(_ failure: ConnectionFailure) {
    state.withLock { $0.failure = failure }
    changed.raise()
  }

  /// Removes the elements that have not been read.
  package func removeAll() -> ArraySlice<Element> {
    state.withLock { state in
      defer { state.elements = [] }
      return state.elements
    }
  }
}
