import HoldfastCore

extension NetworkPath {
  /// Keeps this path as the system sees it, until the task is cancelled: whether there is a way out of the
  /// device, and over which kind of interface.
  ///
  /// ```swift
  /// let path = NetworkPath()
  /// let client = try ChatClient(
  ///   storage: .applicationSupport("alice"), transport: transport, user: "alice", path: path)
  /// async let _ = path.followSystem()
  /// await client.run()
  /// ```
  ///
  /// On Apple's systems `NWPathMonitor` tells. On Linux the kernel does, over rtnetlink(7): the path is up while
  /// there is a route to the rest of the world over a link that runs. A server on the same machine or in the
  /// same network may answer without either, so for such a server leave the path alone.
  ///
  /// It throws nothing. Where the system does not tell, as in some sandboxes, the log says so once, and the path
  /// counts as up: a hint must not keep an app offline by mistake. It costs one socket and nothing while
  /// nothing changes; on Linux each change of a link, an address or a route has both tables read again. Nothing
  /// of it survives the call: when it returns, it tells no more, and the path stays as it was told last.
  ///
  /// - Parameter environment: where it logs.
  public func followSystem(environment: ChatEnvironment = ChatEnvironment()) async {
    #if os(Linux)
      await follow(RouteMonitor(path: self), environment: environment)
    #elseif canImport(Network)
      await followPathMonitor()
    #else
      count(asUpFor: "nobody tells on this system", environment)
      await Signal().wait()
    #endif
  }

  #if os(Linux)
    func follow(_ monitor: RouteMonitor, environment: ChatEnvironment) async {
      do {
        try await monitor.run()
      } catch {
        count(asUpFor: "\(error)", environment)
        // Whoever runs this beside the client must not see it end before it is told to.
        await Signal().wait()
      }
    }
  #endif

  #if os(Linux) || !canImport(Network)
    private func count(asUpFor reason: String, _ environment: ChatEnvironment) {
      environment.logger.warning(
        "the system does not tell whether there is a network, so it counts as up",
        metadata: ["reason": "\(reason)"])
      set(isUp: true)
    }
  #endif
}
