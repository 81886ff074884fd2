#if canImport(Darwin)
  import Darwin
  import Dispatch
  import Foundation

  extension SystemFileWatcher {
    // Dispatch's objects may be used from any thread, though not every version of its interface says so.
    private struct Watch: @unchecked Sendable {
      let source: any DispatchSourceFileSystemObject
    }

    /// kqueue reports when any process releases a lock, or ends while it holds one (NOTE_FUNLOCK).
    func watchVnode(of file: URL, raising signal: Signal) async throws(ChatError) {
      let descriptor = open(file.path, O_EVTONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw Self.failure("open gives error \(errno)") }
      let watch = Watch(
        source: DispatchSource.makeFileSystemObjectSource(
          fileDescriptor: descriptor, eventMask: [.write, .attrib, .funlock],
          queue: DispatchQueue(label: "holdfast.watch")))
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          watch.source.setRegistrationHandler { signal.raise() }
          watch.source.setEventHandler { signal.raise() }
          watch.source.setCancelHandler {
            close(descriptor)
            continuation.resume()
          }
          watch.source.activate()
        }
      } onCancel: {
        watch.source.cancel()
      }
    }
  }
#endif
