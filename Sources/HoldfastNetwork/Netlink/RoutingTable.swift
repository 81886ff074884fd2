#if os(Linux)
  /// A network interface, as RTM_NEWLINK describes it (rtnetlink(7)).
  struct NetworkLink: Equatable, Sendable {
    var index: Int32
    var name: String
    /// It is up, has a carrier, and is not the loopback.
    var isRunning: Bool
    /// ARPHRD_ETHER is 1, for Wi-Fi as well.
    var hardware: UInt16
    /// The driver of an interface that is made of software: "veth", "bridge", "wireguard". Nil for a device.
    var kind: String?

    init(_ payload: NetlinkBytes) throws(NetlinkFailure) {
      hardware = try payload.integer(at: 2)
      index = try payload.integer(at: 4)
      // IFF_UP 1, IFF_LOOPBACK 8, IFF_RUNNING 0x40: the kernel takes the last away with the carrier.
      isRunning = try payload.integer(UInt32.self, at: 8) & 0x49 == 0x41
      let attributes = try payload.attributes(after: 16)
      // IFLA_IFNAME is 3, IFLA_LINKINFO 18, and in it IFLA_INFO_KIND 1.
      name = attributes[3]?.text ?? ""
      kind = try attributes[18]?.attributes(after: 0)[1]?.text
    }
  }

  /// A route to the rest of the world, as RTM_NEWROUTE describes it.
  struct DefaultRoute: Equatable, Sendable {
    /// Where it leaves. Empty when the kernel does not name it, as with a next hop that is an object of its own.
    var links: [Int32]
    /// Not one of the tables for particular programs or sources.
    var isMain: Bool
    /// The lowest is preferred.
    var metric: UInt32

    /// Nil when the route is for a part of the world only, or leads nowhere.
    init?(_ payload: NetlinkBytes) throws(NetlinkFailure) {
      let family = try payload.integer(UInt8.self, at: 0)
      let prefix = try payload.integer(UInt8.self, at: 1)
      let attributes = try payload.attributes(after: 12)
      // RTA_TABLE is 15, and has room for numbers that the header's byte has not.
      let shortTable = try payload.integer(UInt8.self, at: 4)
      let table = try attributes[15]?.integer(UInt32.self, at: 0) ?? UInt32(shortTable)
      // AF_INET is 2, AF_INET6 10. VPNs cover a default route with two halves, and IPv6's global part is an eighth.
      guard family == 2 && prefix <= 1 || family == 10 && prefix <= 3 else { return nil }
      // RTN_UNICAST is 1; the others refuse or drop. RT_TABLE_LOCAL is 255.
      guard try payload.integer(UInt8.self, at: 7) == 1, table != 255 else { return nil }
      isMain = table == 254
      // RTA_OIF is 4, RTA_PRIORITY 6, RTA_MULTIPATH 9: several next hops, each of eight bytes and attributes.
      metric = try attributes[6]?.integer(at: 0) ?? 0
      links = []
      if let link = try attributes[4]?.integer(Int32.self, at: 0) { links.append(link) }
      for hop in try attributes[9]?.parts(from: 0, headerSize: 8, length: UInt16.self) ?? [] {
        links.append(try hop.integer(at: 4))
      }
    }
  }

  /// What the kernel said about links and routes, and what follows from it. Pure.
  struct RoutingTable: Equatable, Sendable {
    /// The way out of the device.
    enum Way: Equatable, Sendable {
      case none
      case over(NetworkLink)
      /// There is one, over a link that is not named.
      case unnamed
    }

    var links: [Int32: NetworkLink] = [:]
    var routes: [DefaultRoute] = []

    /// By the route that is preferred, of those that lead over a link that runs.
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
