#if os(Linux)
  /// A network interface, as RTM_NEWLINK describes it (rtnetlink(7)).
  struct NetworkLink: Equatable, Sendable {
    var index: Int32
    var name: String
    /// Whether the interface is up, has a carrier, and is not the loopback.
    var isRunning: Bool
    /// The ARPHRD number of the hardware. ARPHRD_ETHER is 1, also for Wi-Fi.
    var hardware: UInt16
    /// The driver of a software interface, such as "veth", "bridge" or "wireguard". Nil for a device.
    var kind: String?

    init(_ payload: NetlinkBytes) throws(NetlinkFailure) {
      hardware = try payload.integer(at: 2)
      index = try payload.integer(at: 4)
      // IFF_UP is 1, IFF_LOOPBACK 8, IFF_RUNNING 0x40. The kernel clears the last with the carrier.
      isRunning = try payload.integer(UInt32.self, at: 8) & 0x49 == 0x41
      let attributes = try payload.attributes(after: 16)
      // IFLA_IFNAME is 3, IFLA_LINKINFO 18, and IFLA_INFO_KIND in it 1.
      name = attributes[3]?.text ?? ""
      kind = try attributes[18]?.attributes(after: 0)[1]?.text
    }
  }

  /// A route to the rest of the internet, as RTM_NEWROUTE describes it.
  struct DefaultRoute: Equatable, Sendable {
    /// The links of the route. Empty when the kernel does not name them, as with a next hop that is an object of its
    /// own.
    var links: [Int32]
    /// Whether the route is in the main table, and not in a table for particular programs or sources.
    var isMain: Bool
    /// The preference among routes. The lowest is preferred.
    var metric: UInt32

    /// Nil when the route covers only a part of the internet, or drops packets.
    init?(_ payload: NetlinkBytes) throws(NetlinkFailure) {
      let family = try payload.integer(UInt8.self, at: 0)
      let prefix = try payload.integer(UInt8.self, at: 1)
      let attributes = try payload.attributes(after: 12)
      // RTA_TABLE is 15. It has room for numbers that do not fit the header's byte.
      let shortTable = try payload.integer(UInt8.self, at: 4)
      let table = try attributes[15]?.integer(UInt32.self, at: 0) ?? UInt32(shortTable)
      // AF_INET is 2, AF_INET6 10. VPNs cover a default route with two halves. IPv6's global part is an eighth of
      // all addresses.
      guard family == 2 && prefix <= 1 || family == 10 && prefix <= 3 else { return nil }
      // RTN_UNICAST is 1. The other types refuse or drop. RT_TABLE_LOCAL is 255.
      guard try payload.integer(UInt8.self, at: 7) == 1, table != 255 else { return nil }
      isMain = table == 254
      // RTA_OIF is 4, RTA_PRIORITY 6. RTA_MULTIPATH is 9: several next hops, each of eight bytes and
      // attributes.
      metric = try attributes[6]?.integer(at: 0) ?? 0
      links = []
      if let link = try attributes[4]?.integer(Int32.self, at: 0) { links.append(link) }
      for hop in try attributes[9]?.parts(from: 0, headerSize: 8, length: UInt16.self) ?? [] {
        links.append(try hop.integer(at: 4))
      }
    }
  }

  /// The kernel's links and routes, and the way out that follows from them. Pure.
  struct RoutingTable: Equatable, Sendable {
    /// The way out of the device.
    enum Way: Equatable, Sendable {
      case none
      case over(NetworkLink)
      /// There is a way out, over a link that the kernel does not name.
      case unnamed
    }

    var links: [Int32: NetworkLink] = [:]
    var routes: [DefaultRoute] = []

    /// The way of the preferred route, among the routes over a running link.
    var way: Way {
      let preferred = routes.sorted {
        $0.isMain == $1.isMain ? $0.metric < $1.metric : $0.isMain
      }
      for route in preferred {
        if let link = route.links.lazy.compactMap({ links[$0] }).first(where: \.isRunning) {
          return .over(link)
        }
        if route.links.isEmpty, links.values.contains(where: \.isRunning) { return .unnamed }
      }
      return .none
    }
  }
#endif
