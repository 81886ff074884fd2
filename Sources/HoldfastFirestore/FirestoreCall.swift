#if Firestore
  import Synchronization

  /// A call of the library that its caller can abandon.
  ///
  /// gRPC may never return from a call whose connection ends while it is being made, even if the call's task is
  /// cancelled. This was seen with grpc-swift-nio-transport 2.9.2. A caller that waits for such a call does not end,
  /// and `run()` does not reconnect. The call therefore has its own task. That task is cancelled with its caller,
  /// and the caller does not wait for it. A call that never returns keeps its memory until the process ends.
  enum FirestoreCall {
    static func run<Value: Sendable>(
      _ call: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
      let outcome = Outcome<Value>()
      let task = Task {
        do { outcome.set(.success(try await call())) } catch { outcome.set(.failure(error)) }
      }
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { outcome.deliver($0) }
      } onCancel: {
        task.cancel()
        outcome.set(.failure(CancellationError()))
      }
    }

    /// The first outcome of a call, delivered once.
    private final class Outcome<Value: Sendable>: Sendable {
      typealias Reader = CheckedContinuation<Value, any Error>

      private struct State {
        var reader: Reader?
        var result: Result<Value, any Error>?
      }
      private let state = Mutex(State())

      func set(_ result: Result<Value, any Error>) {
        let reader = state.withLock { state -> Reader? in
          guard state.result == nil else { return nil }
          state.result = result
          defer { state.reader = nil }
          return state.reader
        }
        reader?.resume(with: result)
      }

      func deliver(_ reader: Reader) {
        let result = state.withLock { state in
          if state.result == nil { state.reader = reader }
          return state.result
        }
        if let result { reader.resume(with: result) }
      }
    }
  }
#endif
