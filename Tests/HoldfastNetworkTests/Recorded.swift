#if os(Linux)
  /// The responses of Linux 6 on a little-endian machine, byte for byte, without the links' counters. The dumps are
  /// number 1, links, and number 2, routes.
  enum Recorded {
    static let port: UInt32 = 7984

    /// Number 1, up.
    static let loopback = bytes(
      """
      400000001000020001000000301f000000000403010000004900010000000000070003006c6f000008000d00
      e803000005001000000000000800040000000100
      """)

    /// Number 3, "near": one end of a virtual cable, running.
    static let near = bytes(
      """
      540000001000020001000000301f000000000100030000004310010000000000090003006e65617200000000
      08000d00e8030000050010000600000008000400dc05000010001200090001007665746800000000
      """)

    /// The end of the links.
    static let linksDone = bytes(
      """
      140000000300020001000000301f000000000000
      """)

    /// `default via 10.9.0.1 dev near metric 100`.
    static let viaNear = bytes(
      """
      3c0000001800020002000000301f000002000000fe0300010000000008000f00fe0000000800060064000000
      080005000a0900010800040003000000
      """)

    /// `default metric 7 nexthop via 10.9.0.1 dev near nexthop via 10.8.0.1 dev near2`, of which near2 is number 5.
    static let severalHops = bytes(
      """
      500000001800020002000000301f000002000000fe0300010000000008000f00fe0000000800060007000000
      240009001000000003000000080005000a0900011000000005000000080005000a080001
      """)

    /// `default nhid 1 metric 300`, in a kernel that does not say what next hop 1 is.
    static let nextHopObject = bytes(
      """
      340000001800020002000000301f000002000000fe0300010000000008000f00fe000000080006002c010000
      08001e0001000000
      """)

    /// `default via 10.8.0.1 dev near2 table 1000`.
    static let otherTable = bytes(
      """
      340000001800020002000000301f000002000000fc0300010000000008000f00e8030000080005000a080001
      0800040005000000
      """)

    /// `unreachable default metric 4000`.
    static let unreachable = bytes(
      """
      2c0000001800020002000000301f000002000000fe0300070000000008000f00fe00000008000600a00f0000
      """)

    /// `default dev near metric 1024`, of IPv6.
    static let overIPv6 = bytes(
      """
      600000001800020002000000301f00000a000000fe0300010000000008000f00fe0000000800060000040000
      080004000300000024000c000000000000000000000000000000000000000000000000000000000000000000
      0500140000000000
      """)

    /// `fe80::/64 dev near`.
    static let linkLocal = bytes(
      """
      740000001800020002000000301f00000a400000fe0200010000000008000f00fe00000014000100fe800000
      0000000000000000000000000800060000010000080004000300000024000c00000000000000000000000000
      00000000000000000000000000000000000000000500140000000000
      """)

    /// Another program's change has the number and the port of that program.
    static let change: [UInt8] = {
      var message = numbered(near, 200)
      message.replaceSubrange(12..<16, with: [9, 0, 0, 0])
      return message
    }()

    /// The same change as a part of another response.
    static func numbered(_ message: [UInt8], _ number: UInt8) -> [UInt8] {
      var message = message
      message[8] = number
      return message
    }

    private static func bytes(_ hex: String) -> [UInt8] {
      let digits = hex.compactMap(\.hexDigitValue)
      return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
    }
  }
#endif
