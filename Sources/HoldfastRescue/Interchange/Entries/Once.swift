/// A value that is computed on first access.
final class Once<Value> {
  private let make: () throws -> Value
  private var value: Value?

  init(_ make: @escaping () throws -> Value) { self.make = make }

  func callAsFunction() throws -> Value {
    if let value { return value }
    let made = try make()
    value = made
    return made
  }
}
