/// An expectation that failed, for a test whose body runs in a simulation.
package struct Missed: Error, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}

/// Like `#expect`, for a body that runs in a simulation.
package func expect(_ condition: Bool, _ what: String) throws {
  if !condition { throw Missed(what) }
}
