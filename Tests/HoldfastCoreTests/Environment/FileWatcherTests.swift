import EngineFixtures
import Foundation
import Testing

@testable import HoldfastCore

/// The file watcher of the real system.
@Suite(.timeLimit(.minutes(10))) struct FileWatcherTests {
  private let scratch: ScratchFolder
  private let file: URL

  init() throws {
    scratch = try ScratchFolder()
    file = scratch.url.appendingPathComponent(FileLock.drain)
  }

  private func watching(_ body: (Signal) async throws -> Void) async throws {
    let signal = Signal()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { [file] in try await SystemFileWatcher().watch(file, raising: signal) }
      await signal.wait()
      try await body(signal)
      group.cancelAll()
    }
  }

  // O15.3
  @Test func `the end of a holder is reported after its lock is free`() async throws {
    let waiting = try FileLock(file)
    for _ in 0..<100 {
      var holder: FileLock? = try FileLock(file)
      #expect(try holder?.acquire() == true)
      try await watching { signal in
        let isTaken = try waiting.acquire()
        #expect(!isTaken)
        holder = nil
        await signal.wait()
        let isFree = try FileLock(file).acquire()
        #expect(isFree)
      }
    }
  }

  // O15
  @Test func `each transaction is reported after its commit`() async throws {
    let lock = try FileLock(file)
    try await watching { signal in
      for _ in 0..<100 {
        try lock.hold {}
        await signal.wait()
      }
    }
  }

  @Test func `a missing file cannot be watched, and gives an error`() async {
    await #expect { try await SystemFileWatcher().watch(file, raising: Signal()) } throws: {
      ($0 as? ChatError)?.code == .storageFailed
    }
  }

  // O15.2
  @Test func `a lock keeps others out, of one process too, and can be taken twice by its own`() throws {
    let (first, second) = (try FileLock(file), try FileLock(file))
    #expect(try first.acquire() && first.acquire())
    #expect(try !second.acquire())
  }
}
