import HoldfastCore

#if canImport(Network)
  import Network

  extension NetworkPath {
    /// Follows `NWPathMonitor`, which stops when the loop over it ends.
    func followPathMonitor() async {
      for await path in NWPathMonitor() {
        // A path that requires a connection comes up only when an app tries to connect, so it must count as up.
        set(isUp: path.status != .unsatisfied, interface: Interface(path))
      }
    }
  }

  extension NetworkPath.Interface {
    /// The kind of interface that the path prefers.
    fileprivate init?(_ path: Network.NWPath) {
      switch path.availableInterfaces.first?.type {
      case nil: return nil
      case .wifi: self = .wifi
      case .wiredEthernet: self = .wired
      case .cellular: self = .cellular
      default: self = .other
      }
    }
  }
#endif
