import Holdfast

extension TransportConformance {
  /// Fails the case when a condition does not hold.
  ///
  /// - Parameter sentence: the condition.
  static func require(_ holds: Bool, _ sentence: String) throws {
    if !holds { throw ConformanceFailure("This does not hold: \(sentence)") }
  }

  /// Fails the case unless the call is refused with this code.
  static func refuses(_ code: ChatError.Code, _ call: () throws -> some Any) throws {
    do {
      _ = try call()
    } catch let error as ChatError where error.code == code {
      return
    } catch {
      throw ConformanceFailure("The call is refused with '\(error)' instead of \(code).")
    }
    throw ConformanceFailure("The call is not refused with \(code).")
  }

  /// Fails the case unless the call is refused with this code.
  static func refuses(_ code: ChatError.Code, _ call: () async throws -> some Any) async throws {
    let result: Result<Void, any Error>
    do { result = .success(_ = try await call()) } catch { result = .failure(error) }
    try refuses(code) { try result.get() }
  }
}
