#if Firestore
  import Synchronization

  /// A call of the library that its caller may leave.
  ///
  /// A call that begins while the connection is being made, and whose connection ends before it is there, may never return,
  /// though its task is cancelled (seen with grpc-swift-nio-transport 2.9.2, once in some hundred ends of a connection). Whoever
  /// waits for it does not end either: `run()` would not connect again. So the call has a task of its own. That task is cancelled
  /// with its caller, who does not wait for it. What is left of such a call goes with the process.
  enum FirestoreCall {
    static func run<Value: Sendable>(
      _ call: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
      let outcome = Outcome<Value>()
      let task = Task {
        do { outcome.set(.success(try await call())) } catch { outcome.set(.failure(error)) }
      }
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { outcome.tell($0) }
      } onCancel: {
        task.cancel()
        outcome.set(.failure(CancellationError()))
      }
    }

    /// The first outcome of a call, told once.
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

      func tell(_ reader: Reader) {
        let result = state.withLock { state in
          if state.result == nil { state.reader = reader }
          return state.result
        }
        if let result { reader.resume(with: result) }
      }
    }
  }
#endif
