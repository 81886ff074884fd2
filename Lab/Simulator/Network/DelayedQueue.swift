import Foundation
import Holdfast
import HoldfastRelay
import Synchronization

/// One direction of a simulated connection: frames in flight, each with its time of arrival.
final class DelayedQueue: Sendable {
  private struct Item {
    var due: Duration
    var number: Int
    var frame: Data
  }
  private struct State {
    var items: [Item] = []
    var lastDue: Duration = .zero
    var number = 0
    var isClosed = false
  }

  private let world: WorldState
  private let environment: ChatEnvironment
  /// Whether the network passes frames in this direction.
  private let isOpen: @Sendable () -> Bool
  private let state = Mutex(State())
  private let arrival = Signal()

  init(world: WorldState, environment: ChatEnvironment, isOpen: @escaping @Sendable () -> Bool) {
    self.world = world
    self.environment = environment
    self.isOpen = isOpen
  }

  /// Sends a frame, with the faults that strike it in flight.
  func put(_ frame: Data) {
    guard !state.withLock({ $0.isClosed }) else { return }
    guard isOpen() else { return }
    if world.strikes(.loss) {
      world.count(.loss)
      return
    }
    add(frame)
    if world.strikes(.duplicate) {
      world.count(.duplicate)
      add(frame)
    }
    arrival.raise()
  }

  private func add(_ frame: Data) {
    let faults = world.faults
    let way = world.scheduler.draw { $0.milliseconds(faults.delay) }
    state.withLock { state in
      var due = world.scheduler.now + way
      if due < state.lastDue {
        if faults[.reorder] > 0 { world.count(.reorder) } else { due = state.lastDue }
      }
      state.lastDue = max(state.lastDue, due)
      state.number += 1
      state.items.append(Item(due: due, number: state.number, frame: frame))
    }
  }

  /// Returns the next frame when it arrives. Throws ``ConnectionFailure`` when the connection has ended.
  func next() async throws -> Data {
    while true {
      try Task.checkCancellation()
      let (frame, due, isClosed) = state.withLock { state -> (Data?, Duration?, Bool) in
        let earliest = state.items.indices.min {
          (state.items[$0].due, state.items[$0].number) < (state.items[$1].due, state.items[$1].number)
        }
        guard let earliest else { return (nil, nil, state.isClosed) }
        guard state.items[earliest].due <= world.scheduler.now else {
          return (nil, state.items[earliest].due, state.isClosed)
        }
        return (state.items.remove(at: earliest).frame, nil, state.isClosed)
      }
      if isClosed { throw ConnectionFailure(.unreachable, detail: "connection lost") }
      if let frame { return frame }
      await arrival.wait(until: due, in: environment)
    }
  }

  /// Closes the queue, because the connection has ended. Returns the frames in flight: some of them may still
  /// arrive.
  @discardableResult
  func close() -> [Data] {
    let rest = state.withLock { state in
      state.isClosed = true
      defer { state.items = [] }
      return state.items.map(\.frame)
    }
    arrival.raise()
    return rest
  }
}
