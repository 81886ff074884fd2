import Foundation
import Holdfast

/// A world for the tests of an app: its own screen models, its own transport and the real engine, on phones that
/// lose their network and are killed, under a seed and a virtual clock.
///
/// ```swift
/// @MainActor final class Chat {                  // a part of the app, as it ships
///   let client: ChatClient
///   let composer: ComposerModel
///   init(_ client: ChatClient) { (self.client, composer) = (client, ComposerModel(client, "chat-9f3b27c1")) }
///   func run() async { await client.run() }
/// }
///
/// let world = AppWorld(seed: 7) { world in
///   let server = try await world.server("alice", "bob")
///   let alice = world.phone("alice") { launch in
///     let transport = launch.transport(try server.transport(for: "alice"))
///     return await Chat(
///       try ChatClient(
///         storage: launch.storage, transport: transport, user: "alice", configuration: launch.configuration))
///   } run: { chat in
///     await chat.run()
///   }
///   let chat = try await alice.launch()
///   try chat.client.createConversation("chat-9f3b27c1", members: ["alice", "bob"])
///   alice.isOnline = false
///   await MainActor.run { chat.composer.text = "On my way" }
///   await MainActor.run { chat.composer.send() }
///   try await alice.kill()                         // as `kill -9` does
///   alice.isOnline = true
///   _ = try await alice.launch()
///   try await world.wait(for: "the message to arrive") {
///     try await server.record(of: "chat-9f3b27c1").map(\.text) == ["On my way"]
///   }
/// }
/// try world.run()
/// ```
///
/// One seed gives one order of events, on every machine: it decides which task runs next, every delay, and every
/// fault of ``Faults``. An error contains the seed, and running that seed again repeats it. A world takes some tens
/// of milliseconds, regardless of the time that passes in it.
///
/// The app's work in a world must be in child tasks of the world's tasks, and wait on the world's clock
/// (``Launch/configuration``). A task made with `Task {}`, and `Task.sleep`, would run beside the world, at another
/// time in each run. The main actor of a world is the world's own, so screen models need no changes.
public struct AppWorld: Sendable {
  /// The source of all nondeterminism.
  public let seed: UInt64
  private let faults: Faults
  private let timeLimit: Duration
  private let body: @Sendable (Stage) async throws -> Void

  /// A world, to be run with ``run()``.
  ///
  /// - Parameters:
  ///   - seed: the source of all nondeterminism.
  ///   - faults: the random faults, until ``Stage/calm()``. None by default: only `body` acts.
  ///   - timeLimit: the time in the world after which it fails. An hour by default, which passes in a moment.
  ///   - body: the story: the acts and the conditions that must hold. An error that it throws fails the world.
  public init(
    seed: UInt64, faults: Faults = Faults(), timeLimit: Duration = .seconds(3600),
    _ body: @escaping @Sendable (Stage) async throws -> Void
  ) {
    (self.seed, self.faults, self.timeLimit, self.body) = (seed, faults, timeLimit, body)
  }

  /// Runs the world on this thread, to its end. Its files are in memory if there is a memory file system, and are
  /// removed.
  ///
  /// - Throws: the failure, with the seed and the events before it.
  public func run() throws(Failure) {
    let scheduler = SeededScheduler(seed: seed)
    let folder: URL
    do { folder = try TransportConformance.makeScratchFolder() } catch {
      throw Failure(seed: seed, at: .zero, reason: "\(error)", events: [])
    }
    defer { try? FileManager.default.removeItem(at: folder) }
    let stage = Stage(scheduler: scheduler, folder: folder, faults: faults)
    guard MainActorHook.isThere else {
      throw Failure(
        seed: seed, at: .zero, reason: "On this system the main actor cannot be simulated.", events: [])
    }
    let reason: String?
    do {
      reason = try scheduler.run(mainActor: stage.mainActor) { await live(on: stage) }
    } catch let stuck as SeededScheduler.Stuck {
      reason = "The world is stuck: \(stuck.reason)."
    } catch {
      reason = "\(error)"
    }
    guard let reason else { return }
    throw Failure(seed: seed, at: scheduler.now, reason: reason, events: stage.events)
  }

  /// Returns the reason of a failure. Nil: there was none.
  private func live(on stage: Stage) async -> String? {
    await withTaskGroup(of: Ending.self) { group in
      group.addTask {
        do { try await body(stage) } catch { return .ended("\(error)") }
        return .ended(stage.failure)
      }
      group.addTask {
        do { try await stage.pass(timeLimit) } catch { return .part }
        return .ended("It did not end within \(timeLimit) of the world's time.")
      }
      group.addTask {
        await withTaskGroup(of: Void.self) { phones in
          while let phone = await stage.nextPhone() { phones.addTask { await phone.live() } }
          phones.cancelAll()
        }
        return .part
      }
      group.addTask {
        await stage.hasFailed.wait()
        return .ended(stage.failure)
      }
      defer { group.cancelAll() }
      for await ending in group {
        if case .ended(let reason) = ending { return stage.failure ?? reason }
      }
      return nil
    }
  }

  private enum Ending: Sendable {
    case part
    case ended(String?)
  }

  /// The reason why a world failed, and the events before it.
  public struct Failure: Error, CustomStringConvertible {
    /// The seed that repeats the failure.
    public let seed: UInt64
    /// The time in the world.
    public let at: Duration
    /// The reason, as a sentence.
    public let reason: String
    /// The events, each with its time.
    public let events: [String]

    /// The sentence, the seed, and the last events.
    public var description: String {
      let shown = events.suffix(40)
      let left = events.count > shown.count ? ["  (\(events.count - shown.count) events before)"] : []
      return (["seed \(seed), at \(at.inSeconds) s: \(reason)"] + left + shown).joined(separator: "\n")
    }
  }

  /// The random faults, drawn from the seed.
  public struct Faults: Sendable, Hashable {
    /// The probability that an app is killed at one of its commits: half of the time before it, and half of the time
    /// after it. It is launched again within five seconds.
    public var kill: Double
    /// The mean time between network losses, each for up to twenty seconds. Nil: never.
    public var offlineEvery: Duration?
    /// The faults of messages and events in flight. Nil: none.
    public var network: FaultyTransport.Chances?

    /// The named faults only.
    public init(kill: Double = 0, offlineEvery: Duration? = nil, network: FaultyTransport.Chances? = nil) {
      (self.kill, self.offlineEvery, self.network) = (kill, offlineEvery, network)
    }

    /// Kills, an intermittent network, lost responses, duplicate events and delays.
    public static let all = Faults(
      kill: 0.02, offlineEvery: .seconds(30), network: FaultyTransport.Chances())
  }
}

extension Duration {
  /// The duration in seconds, to the millisecond.
  var inSeconds: String {
    let milliseconds = Int(self / .milliseconds(1))
    let rest = milliseconds % 1000
    return
      "\(milliseconds / 1000).\(String(repeating: "0", count: rest < 10 ? 2 : rest < 100 ? 1 : 0))\(rest)"
  }
}
