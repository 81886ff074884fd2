/// A value that is made when it is first asked for.
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
