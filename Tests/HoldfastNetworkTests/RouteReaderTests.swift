#if os(Linux)
  import Testing

  @testable import HoldfastNetwork

  @Suite struct RouteReaderTests {
    private static let linksDone = Recorded.linksDone
    private static let routesDone = Recorded.numbered(Recorded.linksDone, 2)

    private var reader = RouteReader(port: Recorded.port)

    private mutating func hear(_ messages: [UInt8]...) throws -> [RouteReader.Action] {
      var actions: [RouteReader.Action] = []
      for message in try messages.flatMap({ try NetlinkMessage.all(in: $0[...]) }) {
        if let action = try reader.received(message) { actions.append(action) }
      }
      return actions
    }

    private func ask(_ type: UInt16, _ sequence: UInt32) -> RouteReader.Action {
      .ask(NetlinkMessage.dump(type, sequence: sequence))
    }

    private static func near() throws -> NetworkLink {
      try NetworkLink(NetlinkMessage.all(in: Recorded.near[...])[0].payload)
    }

    // N1.4
    @Test mutating func `idle -> links -> routes -> idle, and the way is reported`() throws {
      #expect(reader.changed() == ask(NetlinkMessage.Kind.getLink, 1))
      #expect(try hear(Recorded.loopback, Recorded.near) == [])
      #expect(try hear(Self.linksDone) == [ask(NetlinkMessage.Kind.getRoute, 2)])
      #expect(try hear(Recorded.linkLocal, Recorded.viaNear) == [])
      #expect(try hear(Self.routesDone) == [.report(.over(Self.near()))])
      // The messages of the earlier dump are not part of the next one.
      #expect(try hear(Recorded.change) == [ask(NetlinkMessage.Kind.getLink, 3)])
      #expect(try hear(Recorded.numbered(Self.linksDone, 3)).count == 1)
      #expect(try hear(Recorded.numbered(Self.linksDone, 4)) == [.report(.none)])
    }

    // N1.4
    @Test mutating func `a change while the tables are read has them read again before anything is reported`()
      throws
    {
      _ = reader.changed()
      #expect(try hear(Recorded.change, Recorded.change) == [])
      #expect(try hear(Self.linksDone) == [ask(NetlinkMessage.Kind.getRoute, 2)])
      #expect(reader.changed() == nil, "Messages were lost.")
      #expect(try hear(Self.routesDone) == [ask(NetlinkMessage.Kind.getLink, 3)])
      #expect(try hear(Recorded.numbered(Self.linksDone, 3)).count == 1)
      #expect(try hear(Recorded.numbered(Self.linksDone, 4)) == [.report(.none)])
    }

    // N1.4
    @Test mutating func `a table that the kernel could not read out in one go is read again`() throws {
      _ = reader.changed()
      var interrupted = Recorded.near
      interrupted[6] |= 0x10
      #expect(try hear(interrupted, Self.linksDone) == [ask(NetlinkMessage.Kind.getRoute, 2)])
      #expect(try hear(Self.routesDone) == [ask(NetlinkMessage.Kind.getLink, 3)])
    }

    // N1.4
    @Test mutating func `another program's change that has our number is a change, and no answer`() throws {
      _ = reader.changed()
      _ = try hear(Self.linksDone)
      var foreign = Recorded.viaNear
      foreign[12] = 9
      #expect(try hear(foreign) == [])
      #expect(try hear(Self.routesDone) == [ask(NetlinkMessage.Kind.getLink, 3)])
    }

    // N1.4
    @Test mutating func `the rest of an older answer is ignored`() throws {
      #expect(try hear(Recorded.near) == [])
      _ = reader.changed()
      _ = try hear(Self.linksDone)
      #expect(try hear(Recorded.near, Self.linksDone) == [])
      #expect(try hear(Self.routesDone) == [.report(.none)])
    }

    // N1.4
    @Test(arguments: [-1, -16, .min, 1] as [Int32])
    mutating func `a refusal is no answer`(code: Int32) throws {
      for type: UInt8 in [2, 3] {
        reader = RouteReader(port: Recorded.port)
        _ = reader.changed()
        var message = Self.linksDone
        message[4] = type
        withUnsafeBytes(of: code) { message.replaceSubrange(16..<20, with: $0) }
        #expect(throws: NetlinkFailure.self) { try hear(message) }
      }
    }
  }
#endif
