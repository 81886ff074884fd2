import HoldfastStore

/// What a device's flash memory and battery pay: syncs, bytes written, and wake-ups.
struct Wear {
  var syncs: Int
  var bytes: Int
  /// The waits that ended because their time had come. What the network or the user wakes is not in it.
  var wakes: Int

  /// What was paid until now.
  static func reading(of clock: SteppedClock, _ store: Store) throws -> Wear {
    Wear(
      syncs: CountedSyncs.count() + store.tail.syncs, bytes: try WrittenBytes.count(), wakes: clock.wakes)
  }

  static func - (later: Wear, earlier: Wear) -> Wear {
    Wear(
      syncs: later.syncs - earlier.syncs, bytes: later.bytes - earlier.bytes,
      wakes: later.wakes - earlier.wakes)
  }
}

/// The wear of one thing that was done a few times.
struct WearSamples {
  private var syncs = Samples()
  private var kilobytes = Samples()
  private var wakes = Samples()

  mutating func append(_ wear: Wear) {
    syncs.append(Double(wear.syncs))
    kilobytes.append(Double(wear.bytes) / 1024)
    wakes.append(Double(wear.wakes))
  }

  /// - Parameter aim: for the syncs and for the bytes.
  @MainActor func outcomes(named name: String, summary: String, aim: Aim? = nil) -> [Outcome] {
    [
      Outcome(name: "\(name): syncs", summary: summary, unit: "syncs", engine: syncs, aim: aim),
      Outcome(name: "\(name): bytes written", summary: summary, unit: "KB", engine: kilobytes, aim: aim),
      Outcome(name: "\(name): wake-ups", summary: summary, unit: "wakes", engine: wakes),
    ]
  }
}
