import HoldfastCore

extension NetworkPath {
  /// Keeps this path equal to the system's, until the task is cancelled: whether there is a way out of the device,
  /// and over which kind of interface.
  ///
  /// ```swift
  /// let path = NetworkPath()
  /// let client = try ChatClient(
  ///   storage: .applicationSupport("alice"), transport: transport, user: "alice",
  ///   configuration: ChatConfiguration(path: path))
  /// async let _ = path.followSystem()
  /// await client.run()
  /// ```
  ///
  /// On Apple's systems the source is `NWPathMonitor`. On Linux it is the kernel, over rtnetlink(7): the path
  /// is up while there is a route to the internet over a running link. A server on the same machine or in the
  /// same network may answer without either, so do not follow the system for such a server.
  ///
  /// The function throws nothing. If the system gives no information, as in some sandboxes, that is logged once, and
  /// the path counts as up, because a hint must not keep an app offline by mistake.
  ///
  /// The cost is one socket, and nothing while nothing changes. On Linux each change of a link, an address or a
  /// route causes both tables to be read again.
  ///
  /// Nothing survives the call. After it returns, the path keeps its last state.
  ///
  /// - Parameter environment: the environment whose logger it uses.
  public func followSystem(environment: ChatEnvironment = ChatEnvironment()) async {
    #if os(Linux)
      await follow(RouteMonitor(path: self), environment: environment)
    #elseif canImport(Network)
      await followPathMonitor()
    #else
      count(asUpFor: "this system reports no path", environment)
      await Signal().wait()
    #endif
  }

  #if os(Linux)
    func follow(_ monitor: RouteMonitor, environment: ChatEnvironment) async {
      do {
        try await monitor.run()
      } catch {
        count(asUpFor: "\(error)", environment)
        // The function must not end before its task is cancelled, because its caller runs it beside the client.
        await Signal().wait()
      }
    }
  #endif

  #if os(Linux) || !canImport(Network)
    private func count(asUpFor reason: String, _ environment: ChatEnvironment) {
      environment.logger.warning(
        "the system does not report whether there is a network, so it counts as up",
        metadata: ["reason": "\(reason)"])
      set(isUp: true)
    }
  #endif
}
