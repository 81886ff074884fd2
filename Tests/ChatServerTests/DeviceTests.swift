import Holdfast
import HoldfastRelay
import Testing

@testable import ChatServer

/// A device that reconnects.
@Suite struct DeviceTests {
  private func hello(_ device: String?) -> Wire.ClientFrame { .hello(.init(after: nil, device: device)) }

  // O6, O9
  @Test func `a late frame on an older connection of the same device is not accepted`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let old = try await bench.connect("alice")
    await old.say(hello("phone"))
    let new = try await bench.connect("alice")
    #expect(await new.say(hello("phone")).pages.count == 1)
    #expect(old.isClosed)
    #expect(await old.send(eg("late")).isEmpty)
    #expect(try await bench.server.messages(in: "c").isEmpty)
    #expect(await new.send(eg("m")).receipts.map(\.id) == ["m"])
  }

  @Test func `a hello that comes late closes its own connection, and not the newer one`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let old = try await bench.connect("alice")
    let new = try await bench.connect("alice")
    await new.say(hello("phone"))
    let answer = await old.say(hello("phone"))
    #expect(answer.failures.map(\.code) == [.overloaded])
    #expect(old.isClosed)
    #expect(!new.isClosed)
    #expect(await old.send(eg("late")).isEmpty)
  }

  @Test(arguments: ["", "a\0", String(repeating: "x", count: 256)])
  func `a device's name is an ID like any other`(device: String) async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let client = try await bench.connect("alice")
    #expect(await client.say(hello(device)).failures.map(\.code) == [.malformed])
    #expect(client.isClosed)
  }

  @Test func `other devices of the account, and connections that name none, go on`() async throws {
    let bench = try await Bench()
    defer { bench.removeFolder() }
    let others = [
      try await bench.connect("alice"), try await bench.connect("alice"), try await bench.connect("bob"),
    ]
    for (client, device) in zip(others, ["tablet", nil, "phone"]) { await client.say(hello(device)) }
    let phone = try await bench.connect("alice")
    await phone.say(hello("phone"))
    #expect(others.allSatisfy { !$0.isClosed })
  }
}
