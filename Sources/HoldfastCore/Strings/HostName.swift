/// The name of a machine, or its address without brackets.
package struct HostName: Sendable, Hashable {
  private let name: String

  package init(_ name: String) { self.name = name.lowercased() }

  /// Whether the host is this machine: a name of RFC 6761, section 6.3, or an address that loops back. Traffic to it
  /// needs no encryption.
  package var isThisMachine: Bool {
    if ["localhost", "::1"].contains(name) || name.hasSuffix(".localhost") { return true }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}
