import Dispatch
import Testing

@testable import HoldfastCore

/// Whether code of a part runs on its owner's executor where the compiler says so.
@Suite struct StayingTests {
  private final class QueueExecutor: SerialExecutor {
    private static let key = DispatchSpecificKey<Bool>()
    private let queue = DispatchQueue(label: "owner")

    init() { queue.setSpecific(key: Self.key, value: true) }

    var isHere: Bool { DispatchQueue.getSpecific(key: Self.key) == true }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }

  private final class Part {
    private let executor: QueueExecutor
    init(_ executor: QueueExecutor) { self.executor = executor }

    nonisolated(nonsending) func places() async -> [Bool] {
      var places = [executor.isHere]
      await withGroupHere { group in
        places.append(executor.isHere)
        group.addTask { await Task.yield() }
        await group.next()
        places.append(executor.isHere)
      }
      await withCancellationHere {
        places.append(executor.isHere)
        await Task.yield()
        places.append(executor.isHere)
      } onCancel: {
      }
      places.append(executor.isHere)
      return places
    }

    nonisolated(nonsending) func placesOfTheStandardLibrary() async -> [Bool] {
      var places: [Bool] = []
      await withTaskGroup(of: Void.self) { _ in places.append(executor.isHere) }
      await withTaskCancellationHandler {
        places.append(executor.isHere)
      } onCancel: {
      }
      return places
    }
  }

  private actor Owner {
    private let part: Part
    private let executor: QueueExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ executor: QueueExecutor) {
      self.executor = executor
      part = Part(executor)
    }

    func places() async -> [Bool] { await part.places() }
    func placesOfTheStandardLibrary() async -> [Bool] { await part.placesOfTheStandardLibrary() }
  }

  @Test func `a part stays on its owner's executor`() async {
    let places = await Owner(QueueExecutor()).places()
    #expect(places == Array(repeating: true, count: 6))
  }

  /// This test fails once a toolchain fixes this. CallersExecutor.swift can then be removed.
  @Test func `the standard library's functions leave the executor`() async {
    #expect(await Owner(QueueExecutor()).placesOfTheStandardLibrary() == [false, false])
  }
}
