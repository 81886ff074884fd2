#if os(Linux)
  /// The reason why the kernel's routing socket cannot be used.
  enum NetlinkFailure: Error, Equatable, CustomStringConvertible {
    /// A system call or the kernel's response reports this error number.
    case refused(call: String, errno: Int32)
    /// The bytes are inconsistent.
    case malformed

    var description: String {
      switch self {
      case .refused(let call, let errno): "\(call): error \(errno)"
      case .malformed: "malformed netlink message"
      }
    }
  }

  /// The bytes of a netlink message, in the machine's own byte order. A read beyond their end is an error,
  /// never a crash.
  struct NetlinkBytes: Sendable {
    private let bytes: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

    var count: Int { bytes.count }

    func integer<Value: FixedWidthInteger & BitwiseCopyable>(
      _ type: Value.Type = Value.self, at offset: Int
    ) throws(NetlinkFailure) -> Value {
      guard offset >= 0, offset <= count - MemoryLayout<Value>.size else { throw .malformed }
      return bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
    }

    func slice(from start: Int, to end: Int) throws(NetlinkFailure) -> NetlinkBytes {
      guard start >= 0, start <= end, end <= count else { throw .malformed }
      return NetlinkBytes(bytes[(bytes.startIndex + start)..<(bytes.startIndex + end)])
    }

    /// A C string: the bytes up to the first zero byte, or all of them.
    var text: String { String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) }

    /// Splits the bytes by the length in each part's header. Each part begins at a multiple of four
    /// (netlink(3)). Padding may be missing at the end, and less than a header may be left over.
    func parts<Length: FixedWidthInteger & BitwiseCopyable>(
      from start: Int, headerSize: Int, length: Length.Type
    ) throws(NetlinkFailure) -> [NetlinkBytes] {
      var parts: [NetlinkBytes] = []
      var offset = start
      while offset <= count - headerSize {
        let size = Int(try integer(length, at: offset))
        guard size >= headerSize else { throw .malformed }
        parts.append(try slice(from: offset, to: offset + size))
        offset += (size + 3) & ~3
      }
      return parts
    }

    /// The attributes after a fixed part of `start` bytes, by type. A type that occurs twice counts once.
    func attributes(after start: Int) throws(NetlinkFailure) -> [UInt16: NetlinkBytes] {
      guard start <= count else { throw .malformed }
      var attributes: [UInt16: NetlinkBytes] = [:]
      for part in try parts(from: start, headerSize: 4, length: UInt16.self) {
        // The upper two bits describe the encoding of the value, and are not part of the type.
        let type = try part.integer(UInt16.self, at: 2) & 0x3FFF
        attributes[type] = try part.slice(from: 4, to: part.count)
      }
      return attributes
    }
  }
#endif
