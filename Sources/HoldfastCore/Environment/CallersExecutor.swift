/// Runs a task group whose body stays on the caller's executor. A `nonisolated(nonsending)` function uses it instead
/// of `withTaskGroup`: in Swift 6.3 the body of that one runs on the generic executor, and the compiler does not warn
/// (swiftlang/swift issues 80753 and 85518). Naming `isolation` in the closure keeps it here.
package func withGroupHere<Value>(
  isolation: isolated (any Actor)? = #isolation,
  _ body: nonisolated(nonsending) (inout TaskGroup<Void>) async -> Value
) async -> Value {
  await withTaskGroup(of: Void.self, isolation: isolation) { group in
    _ = isolation
    return await body(&group)
  }
}

/// Runs `operation` with a cancellation handler, and stays on the caller's executor. It replaces
/// `withTaskCancellationHandler` for the same reason as ``withGroupHere(isolation:_:)`` replaces `withTaskGroup`.
package func withCancellationHere<Value>(
  isolation: isolated (any Actor)? = #isolation,
  _ operation: nonisolated(nonsending) () async -> Value, onCancel: @Sendable () -> Void
) async -> Value {
  await withTaskCancellationHandler(
    operation: {
      _ = isolation
      return await operation()
    }, onCancel: onCancel, isolation: isolation)
}
