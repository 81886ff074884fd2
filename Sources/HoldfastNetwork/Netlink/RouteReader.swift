#if os(Linux)
  /// Decides when to read the kernel's tables, and interprets them. Pure.
  ///
  /// ```
  ///          begin, change          all links            all routes
  ///   idle ───────────────► links ─────────────► routes ────────────► idle, and the way is reported
  ///                           ▲                     │
  ///                           └── changed meanwhile ┘
  /// ```
  ///
  /// A change is only a reason to read again: the kernel does not announce the IPv4 routes that disappear with a
  /// link or with its last address.
  struct RouteReader {
    enum Action: Equatable {
      case ask([UInt8])
      case report(RoutingTable.Way)
    }

    private enum Phase { case idle, links, routes }

    /// The socket's own port. Messages with another port are changes, not responses.
    private let port: UInt32
    private var phase = Phase.idle
    private var sequence: UInt32 = 0
    private var hasChanged = false
    private var table = RoutingTable()

    init(port: UInt32) { self.port = port }

    /// Handles a possible change: at the beginning, and when the kernel dropped messages.
    mutating func changed() -> Action? {
      guard phase == .idle else {
        hasChanged = true
        return nil
      }
      return begin()
    }

    mutating func received(_ message: NetlinkMessage) throws(NetlinkFailure) -> Action? {
      guard message.port == port, message.sequence == sequence, phase != .idle else {
        // The rest of a response to an older request is not a change.
        return message.port == port ? nil : changed()
      }
      if message.isInterrupted { hasChanged = true }
      switch message.type {
      case NetlinkMessage.Kind.newLink where phase == .links:
        let link = try NetworkLink(message.payload)
        table.links[link.index] = link
      case NetlinkMessage.Kind.newRoute where phase == .routes:
        if let route = try DefaultRoute(message.payload) { table.routes.append(route) }
      case NetlinkMessage.Kind.error, NetlinkMessage.Kind.done: return try finished(message)
      default: break
      }
      return nil
    }

    /// Handles the end of one table. It contains an error number, below zero when the kernel could not continue.
    private mutating func finished(_ message: NetlinkMessage) throws(NetlinkFailure) -> Action? {
      let isError = message.type == NetlinkMessage.Kind.error
      let code = isError || message.payload.count >= 4 ? try message.payload.integer(Int32.self, at: 0) : 0
      // The response to a request for a whole table is a table, so an error message is a failure even with the code
      // for "no error".
      guard code == 0, !isError else {
        throw .refused(call: "reading the routes", errno: code == .min ? .max : abs(code))
      }
      switch phase {
      case .links:
        phase = .routes
        return ask(NetlinkMessage.Kind.getRoute)
      case .routes where hasChanged: return begin()
      case .routes, .idle:
        phase = .idle
        return .report(table.way)
      }
    }

    private mutating func begin() -> Action {
      phase = .links
      hasChanged = false
      table = RoutingTable()
      return ask(NetlinkMessage.Kind.getLink)
    }

    private mutating func ask(_ type: UInt16) -> Action {
      sequence &+= 1
      return .ask(NetlinkMessage.dump(type, sequence: sequence))
    }
  }
#endif
