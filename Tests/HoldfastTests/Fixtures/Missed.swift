/// An expectation that failed, for a test whose body runs in a simulation.
struct Missed: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Like `#expect`, for a body that runs in a simulation.
func expect(_ condition: Bool, _ what: String) throws {
  if !condition { throw Missed(what) }
}
