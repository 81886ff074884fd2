/// What did not happen, for a test whose body runs in a simulation.
struct Missed: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// As `#expect` where the body runs in a simulation.
func expect(_ condition: Bool, _ what: String) throws {
  if !condition { throw Missed(what) }
}
