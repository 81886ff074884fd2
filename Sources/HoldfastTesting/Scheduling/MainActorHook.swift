import Foundation

/// The main actor of the code on this thread: a simulated world's own, so that screen models run in its order and on
/// its clock.
///
/// The runtime asks a hook for the main actor's executor, `swift_task_getMainExecutor_hook`. Elsewhere, and on other
/// threads, the main actor is unchanged.
enum MainActorHook {
  private typealias Original = @convention(thin) () -> UnownedSerialExecutor
  private typealias Hook = @convention(thin) (Original) -> UnownedSerialExecutor

  /// The executor of the world on a thread, as a thread-specific value.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// Whether the runtime has the hook. It is set on the first access.
  static let isThere: Bool = {
    let name = "swift_task_getMainExecutor_hook"
    guard let symbol = dlsym(dlopen(nil, RTLD_NOW), name) else { return false }
    _ = key
    symbol.assumingMemoryBound(to: Hook?.self).pointee = { original in
      guard let world = pthread_getspecific(key) else { return original() }
      let executor = Unmanaged<SeededSerialExecutor>.fromOpaque(world).takeUnretainedValue()
      return executor.asUnownedSerialExecutor()
    }
    return true
  }()

  /// Runs `body`, and everything that it starts on the main actor, with the world's executor as the main actor.
  static func with(_ executor: SeededSerialExecutor, _ body: () -> Void) {
    let outer = pthread_getspecific(key)
    pthread_setspecific(key, Unmanaged.passUnretained(executor).toOpaque())
    body()
    pthread_setspecific(key, outer)
  }
}
