#if os(Linux)
  import Testing

  @testable import HoldfastNetwork

  /// Any bytes are parsed or refused, and nothing is read beyond their end.
  @Suite struct NetlinkMessageTests {
    private static let all = [
      Recorded.loopback, Recorded.near, Recorded.linksDone, Recorded.viaNear, Recorded.severalHops,
      Recorded.nextHopObject, Recorded.otherTable, Recorded.unreachable, Recorded.overIPv6,
      Recorded.linkLocal,
    ]

    /// Parses everything that can be parsed in the bytes.
    private func read(_ datagram: ArraySlice<UInt8>) throws -> Int {
      let messages = try NetlinkMessage.all(in: datagram)
      for message in messages where message.type == NetlinkMessage.Kind.newLink {
        _ = try NetworkLink(message.payload)
      }
      for message in messages where message.type == NetlinkMessage.Kind.newRoute {
        _ = try DefaultRoute(message.payload)
      }
      return messages.count
    }

    // N1
    @Test func `a datagram has one message after the other`() throws {
      let datagram = Recorded.near + Recorded.viaNear + Recorded.linksDone
      let messages = try NetlinkMessage.all(in: datagram[...])
      #expect(messages.map(\.type) == [16, 24, 3])
      #expect(messages.map(\.sequence) == [1, 2, 1])
      #expect(messages.allSatisfy { $0.port == Recorded.port })
      // A slice's first index is not 0.
      #expect(try read(([9, 9, 9] + datagram).dropFirst(3)) == 3)
    }

    @Test func `a request is a header and an empty body`() throws {
      let request = NetlinkMessage.dump(NetlinkMessage.Kind.getRoute, sequence: 7)
      let message = try #require(try NetlinkMessage.all(in: request[...]).first)
      #expect(message.type == 26 && message.flags == 0x301 && message.sequence == 7 && message.port == 0)
      #expect(message.payload.count == 12)
    }

    // N1
    @Test func `bytes that end too early are refused`() throws {
      for message in Self.all {
        for length in 0..<message.count {
          #expect(throws: NetlinkFailure.malformed) { try read(message[..<length]) }
        }
        #expect(try read(message[...]) == 1)
      }
    }

    // N1
    @Test func `lengths that cannot be are refused`() {
      for length: UInt32 in [0, 1, 15, 61, 1 << 31, .max] {
        var message = Recorded.viaNear
        withUnsafeBytes(of: length) { message.replaceSubrange(0..<4, with: $0) }
        #expect(throws: NetlinkFailure.malformed) { try read(message[...]) }
      }
      // The first attribute begins after the header of 16 bytes and the route's 12.
      for length: UInt16 in [0, 3, 33, .max] {
        var message = Recorded.viaNear
        withUnsafeBytes(of: length) { message.replaceSubrange(28..<30, with: $0) }
        #expect(throws: NetlinkFailure.malformed) { try read(message[...]) }
      }
    }

    // N1
    @Test func `an attribute that is too short for its number is refused`() {
      // Its table, of four bytes, gets three.
      var message = Recorded.viaNear
      message[28] = 7
      #expect(throws: NetlinkFailure.malformed) { try read(message[...]) }
    }

    // N1
    @Test func `any byte may be any other`() throws {
      var (understood, refused) = (0, 0)
      for message in Self.all {
        for place in message.indices {
          for value: UInt8 in [0, 1, 3, 4, 0x7F, 0x80, 0xFF] {
            var message = message
            message[place] = value
            do {
              _ = try read(message[...])
              understood += 1
            } catch {
              refused += 1
            }
          }
        }
      }
      #expect(understood > 100 && refused > 100)
    }
  }
#endif
