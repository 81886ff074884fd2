import HoldfastCore

#if os(Linux)
  import Foundation

  extension NetworkPath.Interface {
    /// Nil when the system does not tell.
    init?(_ link: NetworkLink) {
      // A name is part of a path here, and the kernel allows no such name.
      let isName = !link.name.contains("/") && !link.name.hasPrefix(".")
      let file = URL(filePath: "/sys/class/net/\(link.name)/uevent")
      let text = isName ? try? String(contentsOf: file, encoding: .utf8) : nil
      self.init(link, uevent: text)
    }

    /// rtnetlink does not tell Wi-Fi from a cable; what the kernel tells udev does.
    ///
    /// - Parameter uevent: the interface's file of that name in `/sys/class/net`. Nil: it cannot be read.
    init?(_ link: NetworkLink, uevent: String?) {
      let fields = Dictionary(
        (uevent ?? "").split(whereSeparator: \.isNewline).map { line in
          let parts = line.split(separator: "=", maxSplits: 1)
          return (parts.first.map(String.init) ?? "", parts.count > 1 ? String(parts[1]) : "")
        }, uniquingKeysWith: { $1 })
      // In a network namespace the files may be another one's, where the same name is another interface.
      let isKnown = fields["IFINDEX"] == "\(link.index)"
      let isEthernet = link.hardware == 1
      switch isKnown ? fields["DEVTYPE"] : nil {
      case "wlan": self = .wifi
      case "wwan": self = .cellular
      // ARPHRD_RAWIP is what modems without Ethernet frames have.
      case nil where link.kind == nil && link.hardware == 519: self = .cellular
      case nil where link.kind == nil && isEthernet && isKnown: self = .wired
      case nil where link.kind == nil && isEthernet: return nil
      default: self = .other
      }
    }
  }
#endif
