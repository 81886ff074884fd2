import Dispatch

/// A world that is small enough to walk through every order of its events: a machine, and a model of a few lines
/// beside it.
///
/// Two worlds are equal when no event can distinguish them. The hash may use less.
protocol SmallWorld: Hashable, Sendable {
  associatedtype Event: CustomStringConvertible, Sendable

  /// The events that may happen next. An order ends when there are none.
  var possibleEvents: [Event] { get }

  /// Applies the event to the machine and to the model. Throws a ``Surprise`` where the two differ.
  mutating func take(_ event: Event) throws

  /// Called at the end of each order: checks that everything recovers when no fault follows.
  mutating func comeToRest() throws
}

extension SmallWorld {
  func comeToRest() {}
}

/// The machine differed from its model.
struct Surprise: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

func agree<Value: Equatable>(_ what: String, machine: Value, model: Value) throws {
  guard machine != model else { return }
  throw Surprise("\(what): the machine says \(machine), the model \(model)")
}

func require(_ condition: Bool, _ promise: @autoclosure () -> String) throws {
  guard !condition else { return }
  throw Surprise("broken: \(promise())")
}

/// All orders of events up to a depth, walked breadth first, so that a surprise is reached by as few events as
/// possible.
///
/// Two orders that lead to equal worlds have the same future. From there on they are walked once, and counted as
/// two. This allows greater depths; `EveryOrderTests` shows that no order is missed.
struct EveryOrder<World: SmallWorld>: CustomStringConvertible, Sendable {
  /// The number of orders, with as many events as the depth allows, or fewer where no event is left.
  private(set) var orders = 0
  /// The number of different worlds. A walk without events has one.
  private(set) var worlds = 1
  /// The worlds at the greatest depth, so that a test can check that the depth suffices.
  private(set) var ends: [World]
  /// A shortest order of events to a surprise. Nil when machine and model agree on every order.
  private(set) var surprise: String?

  private struct Step {
    var parent: Int
    var event: World.Event
  }

  /// Walks on a separate thread. It does not suspend, and would delay the tests that use sockets.
  static func walked(
    from start: World, depth: Int, mergingEqualWorlds isMerging: Bool = true
  ) async -> EveryOrder {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        let walk = EveryOrder(from: start, depth: depth, isMerging: isMerging)
        // A mistake that shows only at the end of an order is also searched for at the ends of shorter orders.
        let depths = walk.surprise == nil ? 0..<0 : 0..<depth
        let shorter = depths.lazy.map { EveryOrder(from: start, depth: $0, isMerging: isMerging) }
        continuation.resume(returning: shorter.first { $0.surprise != nil } ?? walk)
      }
    }
  }

  private init(from start: World, depth: Int, isMerging: Bool) {
    ends = [start]
    var counts = [1]
    var trail: [[Step]] = []
    for _ in 0..<depth {
      var (next, nextCounts, steps) = ([World](), [Int](), [Step]())
      var indices: [World: Int] = [:]
      for (parent, world) in ends.enumerated() {
        let events = world.possibleEvents
        if events.isEmpty {
          orders += counts[parent]
          guard rests(world, trail, parent) else { return }
        }
        for event in events {
          var after = world
          do { try after.take(event) } catch {
            surprise = Self.story(trail, from: parent, [event.description, "\(error)"])
            return
          }
          if isMerging, let index = indices[after] {
            nextCounts[index] += counts[parent]
            continue
          }
          if isMerging { indices[after] = next.count }
          next.append(after)
          nextCounts.append(counts[parent])
          steps.append(Step(parent: parent, event: event))
        }
      }
      (ends, counts) = (next, nextCounts)
      worlds += next.count
      trail.append(steps)
    }
    orders += counts.reduce(0, +)
    for (index, world) in ends.enumerated() {
      guard rests(world, trail, index) else { return }
    }
  }

  private mutating func rests(_ world: World, _ trail: [[Step]], _ index: Int) -> Bool {
    var world = world
    do { try world.comeToRest() } catch {
      surprise = Self.story(trail, from: index, ["and nothing else goes wrong", "\(error)"])
    }
    return surprise == nil
  }

  /// The events that led to the world at `index` of the last level, and their result.
  private static func story(_ trail: [[Step]], from index: Int, _ ending: [String]) -> String {
    var events: [String] = []
    var index = index
    for steps in trail.reversed() {
      events.append(steps[index].event.description)
      index = steps[index].parent
    }
    return (events.reversed() + ending).joined(separator: "\n  -> ")
  }

  var description: String {
    surprise.map { "\n     \($0)" } ?? "\(orders) orders through \(worlds) worlds, and no surprise"
  }
}
