import HoldfastCore
import Observation

/// The snapshot that a model shows, and the state of its loading (rules H7, V5).
///
/// ```
///   loading ──read──► read ◄──────read again──────┐
///      └──the read fails──► failed, with a problem┘
/// ```
///
/// The first access makes the first read. A view that accesses the snapshot has it in the same frame. A view that
/// asks whether the model loads shows a skeleton, and the model's `run()` reads off the main actor.
@MainActor @Observable final class ShownSnapshot<Value: Equatable & Sendable> {
  @ObservationIgnored private let observed: ObservedSnapshot<Value>
  private(set) var problem: ChatError?
  /// Whether nothing was read yet, for the model itself. Views ask ``isLoading``.
  @ObservationIgnored private(set) var isUnread: Bool

  /// - Parameter value: the snapshot, or its placeholder until it is read.
  init(_ value: Value, isUnread: Bool) {
    observed = ObservedSnapshot(value)
    self.isUnread = isUnread
  }

  var value: Value { observed.value }
  /// The snapshot, for the model itself. Reading it observes nothing.
  var stored: Value { observed.stored }

  /// One part of the snapshot, observed apart.
  subscript<Part: Equatable>(path: ObservedSnapshot<Value>.Path<Part>) -> Part { observed[path] }

  var isLoading: Bool {
    access(keyPath: \.isLoading)
    return isUnread
  }

  /// Changes the snapshot at its next access: ``ObservedSnapshot/amend(besides:_:)``.
  func amend(
    besides untouched: Set<PartialKeyPath<Value>>, _ change: @escaping @MainActor (inout Value) -> Void
  ) {
    observed.amend(besides: untouched, change)
  }

  func show(_ result: Result<Value, ChatError>) {
    switch result {
    case .success(let fresh):
      if stored != fresh { observed.value = fresh }
      if problem != nil { problem = nil }
    case .failure(let error): if problem != error { problem = error }
    }
    guard isUnread else { return }
    isUnread = false
    notifyLoaded()
  }

  /// Makes the first read off the main actor, unless an access has read or reads in the meantime.
  func readFirst(by client: ChatClient, _ read: @Sendable () throws(ChatError) -> Value) async {
    if isUnread {
      let first: Result<Value, ChatError>
      do throws(ChatError) {
        first = .success(try await client.perform { _ in try read() })
      } catch {
        first = .failure(error)
      }
      if isUnread { return show(first) }
    }
    // A view that asks whether the model loads, and accesses the snapshot later in the same pass, was notified of no
    // change: observation begins when the pass ends.
    notifyLoaded()
  }

  private func notifyLoaded() { withMutation(keyPath: \.isLoading) {} }
}
