import EngineFixtures
import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastCore
@testable import HoldfastStore

private typealias eg = EngineExample

@Suite(.timeLimit(.minutes(10))) struct IndexingTests {
  // H8.1
  @Test func `run() indexes what is stored, a moment later`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        try client.send("hello", in: eg.conversation)
        try await bench.pass(.seconds(5))
        guard try client.isIndexed() else { throw Missed("not indexed") }
        let found = try client.search("hello").hits.count
        guard found == 1 else { throw Missed("found \(found) times") }
      }
    }
  }

  // H8.1
  @Test func `a disk that is full keeps the index behind, and the search finds all the same`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        try client.send("hello", in: eg.conversation)
        bench.gate.fail()
        try await bench.pass(.seconds(60))
        guard try client.search("hello").hits.count == 1 else { throw Missed("not found") }
        bench.gate.heal()
        try await bench.pass(.seconds(60))
        guard try client.isIndexed() else { throw Missed("not indexed") }
      }
    }
  }

  // H8.1, S5
  @Test func `an old history is indexed a little at a time, and the search says how far it is`() throws {
    try Bench.simulate(inMemory: true) { bench in
      try StoreSurgery.makeStoreOfVersion3(messages: 3000, in: bench.scratch)
      let client = try bench.client(isSimulated: true)
      guard try client.search("2999").progress == 0, try client.search("2999").hits.count == 1 else {
        throw Missed("the newest are looked at directly")
      }
      guard try client.search("number 17").hits.isEmpty else { throw Missed("nobody has read it yet") }
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await client.run() }
        defer { group.cancelAll() }
        try await bench.pass(.milliseconds(20))
        let progress = try client.search("number").progress
        guard let progress, progress > 0, progress < 1 else { throw Missed("\(progress ?? 1)") }
        try await bench.pass(.seconds(5))
      }
      guard try client.search("number 17", limit: 200).hits.count == 111 else { throw Missed("all are read") }
      guard try client.search("number").progress == nil else { throw Missed("complete") }
    }
  }

  // H8.1, H8.5
  @Test
  func `the words of an earlier version are replaced, the newest first, and the search says how far it is`()
    throws
  {
    try Bench.simulate(inMemory: true) { bench in
      try StoreSurgery.makeStoreOfVersion3(messages: 3000, in: bench.scratch)
      let client = try bench.client(isSimulated: true)
      try client.store.indexEverything { _, _ in }
      try StoreSurgery.outdateIndex(of: client)
      guard try !client.isIndexed(), try client.search("2999").hits.count == 1 else {
        throw Missed("the newest are looked at directly")
      }
      guard try client.search("number 17").hits.isEmpty, try client.search("number").progress == 0 else {
        throw Missed("its words are those of the earlier version")
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { await client.run() }
        defer { group.cancelAll() }
        try await bench.pass(.seconds(5))
      }
      guard try client.search("number 17", limit: 200).hits.count == 111 else {
        throw Missed("all are found")
      }
      guard try client.isIndexed(), try client.search("number").progress == nil else {
        throw Missed("complete")
      }
      guard try client.store.read({ try $0.search.indexRests() }) == 0 else { throw Missed("merged") }
    }
  }

  // H8.1, H8.5
  @Test
  func `a message that changes or goes is right in an index of an earlier version, and so is a new one`()
    throws
  {
    let bench = try Bench(inMemory: true)
    let client = try bench.client()
    let ids = try ["one", "two", "three"].map { try client.send($0, in: eg.conversation) }
    try client.index()
    try StoreSurgery.outdateIndex(of: client)
    try client.message(ids[0]).edit(to: "uno")
    try client.message(ids[2]).delete()
    try client.send("four", in: eg.conversation)
    for isIndexed in [false, true] {
      if isIndexed { try client.index() }
      let counts = try ["one", "uno", "two", "three", "four"].map { try client.search($0).hits.count }
      #expect(counts == [0, 1, 1, 0, 1])
    }
    #expect(try client.isIndexed())
  }

  // H8
  @Test func `a reply that was streamed leaves nothing in the index to be merged away`() throws {
    try Bench.simulate(inMemory: true) { bench in
      try await bench.running { client in
        let reply = try await client.conversation(eg.conversation).beginReply()
        try await reply.append("The ferry leaves")
        try await bench.pass(.seconds(5))
        guard try client.isIndexed() else { throw Missed("the row is indexed without words") }
        try await reply.append(" at ten.")
        try await reply.finish()
        guard try client.store.read({ try $0.search.indexRests() }) == 0 else { throw Missed("nothing") }
        try await bench.pass(.seconds(5))
        guard try client.search("ferry").hits.map(\.id) == [reply.id] else { throw Missed("it is found") }
        guard try client.store.remnants() == 0 else { throw Missed("the file is not written anew") }
      }
    }
  }

  // H8, S9.2, S9.3
  @Test func `a deleted message's words are gone from the files once the index is merged`() throws {
    try Bench.simulate { bench in
      try await bench.running { client in
        for number in 0..<300 { try client.send("filler \(number)", in: eg.conversation) }
        let id = try client.send("xylophone quixotic", in: eg.conversation)
        try await bench.pass(.seconds(5))
        try client.message(id).delete()
        try await bench.pass(.seconds(20))
        for name in ["store.sqlite", "store.sqlite-wal"] {
          let bytes = try bench.scratch.bytes(of: name)
          for word in ["xylophone", "quixotic"] where bytes.range(of: Data(word.utf8)) != nil {
            throw Missed("\(word) is in \(name)")
          }
        }
        guard try client.search("filler 299").hits.count == 1 else { throw Missed("the others are found") }
      }
    }
  }
}
