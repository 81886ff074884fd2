#if os(Linux)
  import Holdfast
  import Testing

  @testable import HoldfastNetwork

  @Suite struct RoutingTableTests {
    private func payload(_ message: [UInt8]) throws -> NetlinkBytes {
      try #require(try NetlinkMessage.all(in: message[...]).first).payload
    }

    private func table(_ links: [[UInt8]], _ routes: [[UInt8]]) throws -> RoutingTable {
      var table = RoutingTable()
      for link in try links.map({ try NetworkLink(payload($0)) }) { table.links[link.index] = link }
      table.routes = try routes.compactMap { try DefaultRoute(payload($0)) }
      return table
    }

    // N1.4
    @Test func `a link says its number, its name, its kind and whether it runs`() throws {
      let near = try NetworkLink(payload(Recorded.near))
      #expect(near.index == 3)
      #expect(near.name == "near")
      #expect(near.kind == "veth")
      #expect(near.hardware == 1)
      #expect(near.isRunning)
      #expect(try !NetworkLink(payload(Recorded.loopback)).isRunning, "The loopback leads nowhere.")
    }

    // N1.4
    @Test(arguments: [
      // IFF_UP and IFF_RUNNING, in the flags' lowest byte.
      (UInt8(0x43), true), (0x41, true), (0x03, false), (0x42, false), (0x02, false), (0x49, false),
    ])
    func `a link runs while it is up and has a carrier`(flags: UInt8, isRunning: Bool) throws {
      var message = Recorded.near
      message[24] = flags
      #expect(try NetworkLink(payload(message)).isRunning == isRunning)
    }

    // N1.4
    @Test func `a default route says its links, its table and its metric`() throws {
      let via = try #require(try DefaultRoute(payload(Recorded.viaNear)))
      #expect(via.links == [3] && via.isMain && via.metric == 100)
      let several = try #require(try DefaultRoute(payload(Recorded.severalHops)))
      #expect(several.links == [3, 5] && several.metric == 7)
      let object = try #require(try DefaultRoute(payload(Recorded.nextHopObject)))
      #expect(object.links.isEmpty)
      let other = try #require(try DefaultRoute(payload(Recorded.otherTable)))
      #expect(other.links == [5] && !other.isMain)
      let sixth = try #require(try DefaultRoute(payload(Recorded.overIPv6)))
      #expect(sixth.links == [3] && sixth.isMain && sixth.metric == 1024)
      #expect(try DefaultRoute(payload(Recorded.unreachable)) == nil)
      #expect(try DefaultRoute(payload(Recorded.linkLocal)) == nil)
    }

    // N1.4
    @Test func `without a route over a running link there is no path`() throws {
      let near = try NetworkLink(payload(Recorded.near))
      #expect(try table([Recorded.near, Recorded.loopback], []).way == .none)
      #expect(try table([Recorded.loopback], [Recorded.viaNear, Recorded.nextHopObject]).way == .none)
      #expect(try table([Recorded.near], [Recorded.otherTable]).way == .none)
      #expect(try table([Recorded.near], [Recorded.viaNear]).way == .over(near))
      #expect(try table([Recorded.near], [Recorded.overIPv6]).way == .over(near))
      #expect(try table([Recorded.near], [Recorded.nextHopObject]).way == .unnamed)
    }

    // N1.4
    @Test func `the path uses the running link that the main table prefers`() throws {
      let near = try NetworkLink(payload(Recorded.near))
      var far = near
      (far.index, far.name) = (5, "near2")
      var table = try table([Recorded.near], [Recorded.otherTable, Recorded.viaNear])
      table.links[5] = far
      #expect(table.way == .over(near), "Another table's metric of 0 does not count.")
      table.routes[0].isMain = true
      #expect(table.way == .over(far))
      table.links[5]?.isRunning = false
      #expect(table.way == .over(near))
    }

    // N1.2
    @Test(
      arguments: [
        ("INTERFACE=near\nIFINDEX=3\n", UInt16(1), nil, NetworkPath.Interface.wired),
        ("DEVTYPE=wlan\nINTERFACE=near\nIFINDEX=3\n", 1, nil, .wifi),
        ("DEVTYPE=wwan\nIFINDEX=3\n", 519, nil, .cellular),
        ("IFINDEX=3\n", 519, nil, .cellular), (nil, 519, nil, .cellular),
        ("IFINDEX=3\n", 1, "veth", .other), ("IFINDEX=3\nDEVTYPE=wireguard\n", 65534, "wireguard", .other),
        // A file of another namespace, an empty file, and no file: Ethernet may be a cable or Wi-Fi.
        ("DEVTYPE=wlan\nIFINDEX=4\n", 1, nil, nil), ("", 1, nil, nil), ("=\n==IFINDEX", 1, nil, nil),
        (nil, 1, nil, nil),
      ] as [(String?, UInt16, String?, NetworkPath.Interface?)])
    func `the kind of an interface is known by what the kernel sends udev`(
      uevent: String?, hardware: UInt16, kind: String?, expected: NetworkPath.Interface?
    ) throws {
      var link = try NetworkLink(payload(Recorded.near))
      (link.hardware, link.kind) = (hardware, kind)
      #expect(NetworkPath.Interface(link, uevent: uevent) == expected)
    }
  }
#endif
