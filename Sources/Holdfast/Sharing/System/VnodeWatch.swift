#if canImport(Darwin)
  import Darwin
  import Dispatch
  import Foundation

  extension SystemFileWatcher {
    /// kqueue tells of a lock that is let go (NOTE_FUNLOCK), by whom or by whose end it may be.
    func watchVnode(of file: URL, raising signal: Signal) async throws(ChatError) {
      let descriptor = open(file.path, O_EVTONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw Self.failure("open gives error \(errno)") }
      let source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: descriptor, eventMask: [.write, .attrib, .funlock],
        queue: DispatchQueue(label: "holdfast.watch"))
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          source.setRegistrationHandler { signal.raise() }
          source.setEventHandler { signal.raise() }
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
  }
#endif
