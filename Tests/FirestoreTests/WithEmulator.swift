#if Firestore
  import BackendServers
  import Foundation

  /// Starts an emulator of its own with the rules of HoldfastFirestore, and ends it afterwards.
  func withEmulator(_ body: (FirestoreEmulator) async throws -> Void) async throws {
    let log = FileManager.default.temporaryDirectory.appending(
      path: "firestore-\(ProcessInfo.processInfo.processIdentifier).log")
    let emulator = try FirestoreEmulator(log: log)
    try await emulator.start()
    do {
      try await body(emulator)
    } catch {
      await emulator.end()
      throw error
    }
    await emulator.end()
  }
#endif
