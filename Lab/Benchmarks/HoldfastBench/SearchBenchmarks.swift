import Holdfast

/// A word that ten messages have, however long the history is.
struct SearchRareBenchmark: Benchmark {
  static let name = "search, rare word"
  static let summary =
    "from ChatClient.search() until it returns with its hits: 10 messages have the word; C steps every column"
  static let samples = 300
  static let aim: Aim? = .ratio(3)

  private let rig: Rig

  init(_ rig: Rig) { self.rig = rig }

  func engine(_ number: Int) throws -> Duration { try rig.search(PastMessages.rareWord, hits: 10) }
  func raw(_ number: Int) throws -> Duration { try rig.searchRaw(PastMessages.rareWord, hits: 10) }
}

/// A word that every third message has.
struct SearchCommonBenchmark: Benchmark {
  static let name = "search, common word"
  static let summary = "the same, where every third message has the word: the best 50 of the newest 10,000"
  static let samples = 40
  static let aim: Aim? = .ratio(3)

  private let rig: Rig

  init(_ rig: Rig) { self.rig = rig }

  func engine(_ number: Int) throws -> Duration { try rig.search(PastMessages.commonWord, hits: 50) }
  func raw(_ number: Int) throws -> Duration { try rig.searchRaw(PastMessages.commonWord, hits: 50) }
}

/// The first letter that somebody types: nearly every message has a word that begins with it.
struct SearchLetterBenchmark: Benchmark {
  static let name = "search, one letter"
  static let summary =
    "the same for one letter, with which words of every second message begin: the newest 50"
  static let samples = 300
  static let aim: Aim? = .ratio(3)

  private let rig: Rig

  init(_ rig: Rig) { self.rig = rig }

  func engine(_ number: Int) throws -> Duration { try rig.search(String(PastMessages.letter), hits: 50) }
  func raw(_ number: Int) throws -> Duration {
    try rig.raw.search(letter: PastMessages.letter, limit: 50).time
  }
}

extension Rig {
  fileprivate func search(_ word: String, hits: Int) throws -> Duration {
    let start = ContinuousClock.now
    let found = try client.search(word, limit: 50)
    let time = start.duration(to: .now)
    guard found.hits.count == hits, found.progress == nil else {
      throw BenchmarkFailure("The engine found \(found.hits.count) messages instead of \(hits).")
    }
    return time
  }

  fileprivate func searchRaw(_ word: String, hits: Int) throws -> Duration {
    let found = try raw.search(word, limit: 50)
    guard found.hits == hits else {
      throw BenchmarkFailure("C found \(found.hits) messages instead of \(hits).")
    }
    return found.time
  }
}
