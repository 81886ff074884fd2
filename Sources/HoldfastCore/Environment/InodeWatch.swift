#if os(Linux)
  import Dispatch
  import Foundation
  import Glibc

  extension SystemFileWatcher {
    /// The events IN_MODIFY, IN_ATTRIB and IN_CLOSE_WRITE.
    private static let events: UInt32 = 0x2 | 0x4 | 0x8
    /// The flags of inotify_init1: the descriptor does not block, and no child inherits it.
    private static let flags = O_NONBLOCK | O_CLOEXEC

    /// The kernel wakes a queue, and no thread waits meanwhile.
    func watchInode(of file: URL, raising signal: Signal) async throws(ChatError) {
      let descriptor = inotify_init1(Self.flags)
      guard descriptor >= 0 else { throw Self.failure("inotify_init1 gives error \(errno)") }
      guard inotify_add_watch(descriptor, file.path, Self.events) >= 0 else {
        let error = errno
        close(descriptor)
        throw Self.failure("inotify_add_watch gives error \(error)")
      }
      // Dispatch's objects may be used from any thread, which its Swift interface on Linux does not say.
      nonisolated(unsafe) let source = DispatchSource.makeReadSource(
        fileDescriptor: descriptor, queue: DispatchQueue(label: "holdfast.watch"))
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          source.setRegistrationHandler { signal.raise() }
          source.setEventHandler {
            Self.empty(descriptor)
            signal.raise()
          }
          source.setCancelHandler {
            close(descriptor)
            continuation.resume()
          }
          source.activate()
        }
      } onCancel: {
        source.cancel()
      }
    }

    /// Discards the events. Their kind does not matter, because the receiver of the signal looks at the file
    /// itself.
    private static func empty(_ descriptor: Int32) {
      var buffer = [UInt8](repeating: 0, count: 4096)
      var count: Int
      repeat {
        count = read(descriptor, &buffer, buffer.count)
      } while count > 0 || (count < 0 && errno == EINTR)
    }
  }
#endif
