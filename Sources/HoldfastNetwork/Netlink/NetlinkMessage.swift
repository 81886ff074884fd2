#if os(Linux)
  /// One message of the kernel's routing socket: a header of 16 bytes and a payload (netlink(7)).
  ///
  /// Glibc's Swift module has no netlink declarations, so the few constants and offsets are defined here and in
  /// ``RoutingTable``.
  struct NetlinkMessage: Sendable {
    enum Kind {
      static let error: UInt16 = 2
      static let done: UInt16 = 3
      static let newLink: UInt16 = 16
      static let getLink: UInt16 = 18
      static let newRoute: UInt16 = 24
      static let getRoute: UInt16 = 26
    }

    static let headerSize = 16

    let type: UInt16
    let flags: UInt16
    let sequence: UInt32
    /// The port of the requesting socket. A change made by another program has that program's port.
    let port: UInt32
    let payload: NetlinkBytes

    /// The messages of one datagram.
    static func all(in datagram: ArraySlice<UInt8>) throws(NetlinkFailure) -> [NetlinkMessage] {
      let bytes = NetlinkBytes(datagram)
      let parts = try bytes.parts(from: 0, headerSize: headerSize, length: UInt32.self)
      guard !parts.isEmpty else { throw .malformed }
      var messages: [NetlinkMessage] = []
      for part in parts {
        messages.append(
          NetlinkMessage(
            type: try part.integer(at: 4), flags: try part.integer(at: 6), sequence: try part.integer(at: 8),
            port: try part.integer(at: 12), payload: try part.slice(from: headerSize, to: part.count)))
      }
      return messages
    }

    /// Whether a change interrupted the kernel while it listed the table, so that a part may be missing.
    var isInterrupted: Bool { flags & 0x10 != 0 }

    /// A request for a whole table: all links, or the routes of all families.
    static func dump(_ type: UInt16, sequence: UInt32) -> [UInt8] {
      let bodySize = type == Kind.getLink ? 16 : 12
      var bytes = [UInt8](repeating: 0, count: headerSize + bodySize)
      bytes.withUnsafeMutableBytes { bytes in
        bytes.storeBytes(of: UInt32(bytes.count), as: UInt32.self)
        bytes.storeBytes(of: type, toByteOffset: 4, as: UInt16.self)
        // NLM_F_REQUEST and NLM_F_DUMP.
        bytes.storeBytes(of: 0x301, toByteOffset: 6, as: UInt16.self)
        bytes.storeBytes(of: sequence, toByteOffset: 8, as: UInt32.self)
      }
      return bytes
    }
  }
#endif
