#if os(Linux)
  import Foundation

  /// A socket on which the kernel reports links, addresses and routes, and answers requests for them. It never
  /// blocks. Its creator closes it.
  struct RouteSocket: Sendable {
    enum Received {
      case datagram(ArraySlice<UInt8>)
      /// The kernel had more to report than the socket could hold.
      case overrun
      case nothing
    }

    /// Larger than any datagram of the kernel.
    private static let datagramSize = 1 << 16
    /// The groups of changes to report (RTMGRP_…): links 1, IPv4 addresses 0x10 and routes 0x40, IPv6 addresses
    /// 0x100 and routes 0x400.
    private static let groups: UInt32 = 0x551
    /// The size of `sockaddr_nl`: family, padding, port and groups.
    private static let addressSize = 12

    let descriptor: Int32
    /// The kernel's number for this socket.
    let port: UInt32

    init(descriptor: Int32, port: UInt32) {
      self.descriptor = descriptor
      self.port = port
    }

    static func open() throws(NetlinkFailure) -> RouteSocket {
      let type = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
      let route: Int32 = 0  // NETLINK_ROUTE
      let descriptor = socket(AF_NETLINK, type, route)
      guard descriptor >= 0 else { throw .refused(call: "socket", errno: errno) }
      do throws(NetlinkFailure) {
        return RouteSocket(descriptor: descriptor, port: try bind(descriptor))
      } catch {
        Foundation.close(descriptor)
        throw error
      }
    }

    private static func bind(_ descriptor: Int32) throws(NetlinkFailure) -> UInt32 {
      var address: [UInt32] = [0, 0, groups]
      var size = socklen_t(addressSize)
      let failure = address.withUnsafeMutableBytes { bytes -> NetlinkFailure? in
        bytes.storeBytes(of: UInt16(AF_NETLINK), as: UInt16.self)
        guard let base = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return .malformed }
        guard Foundation.bind(descriptor, base, size) == 0 else {
          return .refused(call: "bind", errno: errno)
        }
        guard getsockname(descriptor, base, &size) == 0 else {
          return .refused(call: "getsockname", errno: errno)
        }
        return nil
      }
      if let failure { throw failure }
      return address[1]
    }

    func send(_ request: [UInt8]) throws(NetlinkFailure) {
      while Foundation.send(descriptor, request, request.count, 0) < 0 {
        guard errno == EINTR else { throw .refused(call: "send", errno: errno) }
      }
    }

    func receive() throws(NetlinkFailure) -> Received {
      var buffer = [UInt8](repeating: 0, count: Self.datagramSize)
      while true {
        var address: [UInt32] = [0, 0, 0]
        var size = socklen_t(Self.addressSize)
        let count = address.withUnsafeMutableBytes { bytes in
          recvfrom(
            descriptor, &buffer, buffer.count, Int32(MSG_TRUNC),
            bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
        }
        switch (count, errno) {
        // Only the kernel has port 0. Other programs may write to this socket, and their messages are ignored.
        case (0..., _) where address[1] != 0: continue
        case (0...buffer.count, _): return .datagram(buffer[..<count])
        case (0..., _): return .overrun
        case (_, EINTR): continue
        case (_, ENOBUFS): return .overrun
        case (_, EAGAIN): return .nothing
        case (_, let error): throw .refused(call: "recv", errno: error)
        }
      }
    }

    func close() { Foundation.close(descriptor) }
  }
#endif
