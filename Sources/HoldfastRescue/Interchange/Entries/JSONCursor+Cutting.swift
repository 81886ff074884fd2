import Foundation

extension JSONCursor {
  /// Cuts out a value of a head, which is small. Nil when it is too large, too deep or damaged inside.
  mutating func cutValue() throws -> JSONValue? {
    let data = try cutHead()
    return data.isEmpty ? nil : try? JSONValue(data)
  }

  /// Cuts out a value of a head, which is small. A value that is too large or too deep gives empty data, which does
  /// not decode.
  mutating func cutHead() throws -> Data {
    do { return try cut(atMost: 1 << 20) } catch JSONDamage.tooLarge { return Data() } catch JSONDamage
      .tooDeep
    {
      return Data()
    }
  }

  /// Skips a byte order mark, with which some programs begin a file.
  mutating func skipMark() throws {
    let begin = offset
    for byte in [0xEF, 0xBB, 0xBF] as [UInt8] {
      guard try peek() == byte else { return move(to: begin) }
      step()
    }
  }
}
