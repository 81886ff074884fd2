import Foundation
import Holdfast
import Processes
import Simulator
import Synchronization

/// One phone under torture: its process, its link to the relay, and the last state of its screen.
final class TorturedPhone: Sendable {
  /// The part of a phone's line that the run reads.
  struct Screen: Decodable, Sendable {
    struct Composer: Decodable { var text: String }
    struct Row: Decodable {
      struct Content: Decodable { var text: String }
      var id: String
      var content: Content
      var status: MessageStatus
    }
    struct Conversation: Decodable {
      var rows: [Row]
      var hasOlder: Bool
    }
    struct List: Decodable {
      struct Row: Decodable { var unsentCount: Int }
      var rows: [Row]
    }
    var link: Connectivity
    var list: List
    var conversation: Conversation?
    var composer: Composer?

    var unsent: Int { list.rows.reduce(0) { $0 + $1.unsentCount } }
    var failed: [Row] { conversation?.rows.filter { $0.status.tone == .failed } ?? [] }
  }

  private struct State {
    var status = ProcessStatus(phase: .stopped)
    var launch = 0
    /// The first line of this launch. `newest` is the newest line of any launch.
    var first: Data?
    var newest: Data?
    var series = DraftSeries()
  }

  let name: String
  let folder: URL
  let link: ProxiedNetwork
  let handset: Handset
  private let tally: TortureTally
  private let environment: ChatEnvironment
  private let state: SharedState
  private let news: Signal

  /// The state that is shared with the process's closures, which are made before the phone.
  private final class SharedState: Sendable {
    let value = Mutex(State())
  }

  /// - Parameter makeChild: starts the phone's process.
  init(
    name: String, folder: URL, link: ProxiedNetwork, tally: TortureTally, environment: ChatEnvironment,
    makeChild: @escaping @Sendable (DeviceSettings.Values) throws -> ChildProcess
  ) {
    let (state, news) = (SharedState(), Signal())
    self.name = name
    self.folder = folder
    self.link = link
    self.tally = tally
    self.environment = environment
    self.state = state
    self.news = news
    handset = Handset(makeChild: makeChild) { status, launch, line in
      if status.phase == .stopped, let detail = status.detail {
        tally.fail(Violation(promise: "a process goes on", expected: "\(name) to run", found: detail))
      }
      state.value.withLock { state in
        if launch != state.launch { state.first = nil }
        (state.status, state.launch) = (status, launch)
        if let line {
          state.first = state.first ?? line
          state.newest = line
        }
      }
      news.raise()
    }
  }

  /// The newest state that the phone has shown, even if the phone is down. Nil before its first line.
  var screen: Screen? {
    state.value.withLock { $0.newest }.flatMap { try? JSONDecoder().decode(Screen.self, from: $0) }
  }

  var isRunning: Bool { state.value.withLock { $0.status.phase == .running } }

  func series(_ change: (inout DraftSeries, ChatEnvironment.Instant) -> Void) {
    let now = environment.uptime()
    state.value.withLock { change(&$0.series, now) }
  }

  /// Launches the app and waits for its first line, which must show a draft that may come back. Returns false when
  /// the app ended before it wrote a line.
  func launch() async -> Bool {
    tally.count(\.launches)
    do { try await handset.process.launch() } catch {
      tally.fail(Violation(promise: "a process goes on", expected: "\(name) to start", found: "\(error)"))
      return false
    }
    while !Task.isCancelled {
      let (status, first) = state.value.withLock { ($0.status, $0.first) }
      if let first { return checkComposer(first) }
      guard status.phase == .starting else { return false }
      await news.wait()
    }
    return false
  }

  private func checkComposer(_ line: Data) -> Bool {
    guard let screen = try? JSONDecoder().decode(Screen.self, from: line) else {
      tally.fail(
        Violation(promise: "a process goes on", expected: "a picture of \(name)", found: "no such line"))
      return false
    }
    checkDraft(screen.composer?.text ?? "")
    return true
  }

  /// Checks the composer's text after a launch, or the stored draft at the end.
  func checkDraft(_ text: String) {
    let (mayBe, candidates) = state.value.withLock { state in
      let candidates = state.series.candidates
      return (state.series.restore(text), candidates)
    }
    tally.restored(text, on: name)
    guard !mayBe else { return }
    tally.fail(
      Violation(
        promise: "a draft comes back",
        expected: "one of \(candidates.map { "'\($0.beginning)'" }.joined(separator: ", ")) on \(name)",
        found: "'\(text.beginning)'"))
  }

  /// Returns when the process has ended.
  func whenEnded() async {
    while !Task.isCancelled {
      let phase = state.value.withLock { $0.status.phase }
      guard phase == .running || phase == .starting else { return }
      await news.wait()
    }
  }
}

/// The faults of a phone.
extension TorturedPhone {
  func kill() async {
    tally.count(\.kills)
    series { $0.end(at: $1) }
    await handset.process.kill()
  }

  func pause() async {
    tally.count(\.stops)
    series { $0.stop(at: $1) }
    await handset.process.pause()
  }

  func resume() async {
    await handset.process.resume()
    series { $0.resume(at: $1) }
  }

  /// Ends all faults of the phone, except that a killed app stays down until its user launches it.
  func heal() async {
    await link.obey(.pass)
    await resume()
    _ = await handset.setAirplane(false)
  }
}
