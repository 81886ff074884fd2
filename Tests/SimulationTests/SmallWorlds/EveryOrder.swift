import Dispatch

/// A world small enough for every order of its events to be walked: a machine, and beside it a few lines that
/// say what the machine should do.
///
/// Two worlds are equal when nothing that can happen tells them apart. What is hashed may be less.
protocol SmallWorld: Hashable, Sendable {
  associatedtype Event: CustomStringConvertible, Sendable

  /// What may happen next. Nothing: an order ends here.
  var possibleEvents: [Event] { get }

  /// Lets it happen, to the machine and to the model. Throws a ``Surprise`` where the two part.
  mutating func take(_ event: Event) throws

  /// Asked at the end of each order: once nothing goes wrong any more, does all end well?
  mutating func comeToRest() throws
}

extension SmallWorld {
  func comeToRest() {}
}

/// A machine did something else than its model.
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

/// All orders of events up to a depth, walked breadth first, so that the first surprise is reached by as few
/// events as any.
///
/// Two orders that lead to equal worlds have the same future: from there on they are walked as one, and still
/// counted as two. That is what makes the depths worth having; `EveryOrderTests` shows that nothing is missed.
struct EveryOrder<World: SmallWorld>: CustomStringConvertible, Sendable {
  /// How many orders there are: of as many events as the depth allows, or fewer where nothing more can happen.
  private(set) var orders = 0
  /// How many worlds that differ were met. A walk that does nothing meets one.
  private(set) var worlds = 1
  /// The worlds at the greatest depth, so that a test can see that its depth reaches what it is about.
  private(set) var ends: [World]
  /// A shortest way to a surprise. Nil: machine and model agree on every order.
  private(set) var surprise: String?

  private struct Step {
    var parent: Int
    var event: World.Event
  }

  /// Walks on a thread of its own: it does not suspend, and would keep those waiting that talk to sockets.
  static func walked(
    from start: World, depth: Int, mergingEqualWorlds isMerging: Bool = true
  ) async -> EveryOrder {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        let walk = EveryOrder(from: start, depth: depth, isMerging: isMerging)
        // What shows only at the end of an order is looked for at the ends of shorter ones too.
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
      surprise = Self.story(trail, from: index, ["and nothing goes wrong any more", "\(error)"])
    }
    return surprise == nil
  }

  /// The events that led to the world at `index` of the last level, and what came of it.
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
