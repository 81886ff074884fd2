import HoldfastCore

#if os(Linux)
  import Foundation

  extension NetworkPath.Interface {
    /// Nil when the system does not report the kind of interface.
    init?(_ link: NetworkLink) {
      // The name becomes part of a path here. The kernel allows no name that leads out of the folder.
      let isName = !link.name.contains("/") && !link.name.hasPrefix(".")
      let file = URL(filePath: "/sys/class/net/\(link.name)/uevent")
      let text = isName ? try? String(contentsOf: file, encoding: .utf8) : nil
      self.init(link, uevent: text)
    }

    /// The kind of interface, from the kernel's description for udev, because rtnetlink does not distinguish Wi-Fi
    /// from a cable.
    ///
    /// - Parameter uevent: the text of the interface's `uevent` file in `/sys/class/net`. Nil when it cannot be
    ///   read.
    init?(_ link: NetworkLink, uevent: String?) {
      let fields = Dictionary(
        (uevent ?? "").split(whereSeparator: \.isNewline).map { line in
          let parts = line.split(separator: "=", maxSplits: 1)
          return (parts.first.map(String.init) ?? "", parts.count > 1 ? String(parts[1]) : "")
        }, uniquingKeysWith: { $1 })
      // In a network namespace the files may belong to another namespace, where the same name is another
      // interface.
      let isKnown = fields["IFINDEX"] == "\(link.index)"
      let isEthernet = link.hardware == 1
      switch isKnown ? fields["DEVTYPE"] : nil {
      case "wlan": self = .wifi
      case "wwan": self = .cellular
      // ARPHRD_RAWIP is the hardware type of modems without Ethernet frames.
      case nil where link.kind == nil && link.hardware == 519: self = .cellular
      case nil where link.kind == nil && isEthernet && isKnown: self = .wired
      case nil where link.kind == nil && isEthernet: return nil
      default: self = .other
      }
    }
  }
#endif
