import ArgumentParser
import ChatServer
import Foundation
import Holdfast
import HoldfastAssistant
import HoldfastStore
import NIOCore

/// The failure of a command: a sentence that says what to do, and the exit code. Every error of a subcommand becomes
/// one of these, in one place: ``init(_:about:)``.
package struct Complaint: Error, CustomStringConvertible {
  /// The exit codes, documented in docs/exit-codes.md.
  package enum Exit: Int32 {
    /// A finding or a failure: damage, an entry that is not imported, a server that does not answer.
    case failed = 1
    /// An argument is missing or cannot be used now: a store, a file, a folder or a port.
    case unusable = 2
    /// The command line is wrong.
    case usage = 64
  }

  package let exit: Exit
  /// One line. Names of others in it cannot control the terminal.
  package let description: String

  package init(_ exit: Exit, _ sentence: String) { (self.exit, description) = (exit, sentence.plainLine) }

  /// - Parameter place: the store, file or folder that the error is about. Its path is added, unless the sentence
  ///   has one.
  package init(_ error: any Error, about place: URL? = nil) {
    switch error {
    case let error as Complaint: self = error
    case let error as ValidationError: self.init(.usage, error.message)
    case let error as ChatError:
      self.init(Exit(error), "\(Self.named(error.message, place)) (\(error.code))")
    case let error as ServerError:
      let isOfAccount = error.code == .invalidAccount || error.code == .tokenTaken
      self.init(isOfAccount ? .usage : .unusable, Self.named(error.message, isOfAccount ? nil : place))
    case let error as POSIXError: self.init(.unusable, Self.named("\(error.words).", place))
    case let error as CocoaError:
      let path = error.userInfo[NSFilePathErrorKey] as? String
      let words = POSIXError(under: error)?.words ?? "It cannot be read or written"
      self.init(.unusable, Self.named("\(words).", path.map { URL(fileURLWithPath: $0) } ?? place))
    case let error as IOError: self.init(.failed, "\(String(cString: strerror(error.errnoCode))).")
    case let error as any LocalizedError where error.errorDescription != nil:
      self.init(.failed, error.errorDescription ?? "")
    case let error as any CustomStringConvertible: self.init(.failed, error.description)
    default: self.init(.failed, "It failed: \(type(of: error)).")
    }
  }

  private static func named(_ sentence: String, _ place: URL?) -> String {
    guard let place, !sentence.contains("/") else { return sentence }
    return "\(place.path): \(sentence)"
  }

  /// Runs a server, and says of a port that cannot be had why.
  package static func onPort<Value>(_ port: Int, of host: String, _ body: () async throws -> Value)
    async throws
    -> Value
  {
    do { return try await body() } catch let error as IOError {
      throw Complaint(port: port, of: host, error.errnoCode)
    }
  }

  package init(port: Int, of host: String, _ code: CInt) {
    switch code {
    case EADDRINUSE: self.init(.unusable, "Port \(port) is in use on \(host). Choose another port.")
    case EADDRNOTAVAIL:
      self.init(.unusable, "\(host) is no address of this machine. Choose another one with --host.")
    case EACCES, EPERM:
      self.init(.unusable, "Port \(port) needs more rights. Choose a port from 1024 on.")
    default:
      let words = String(cString: strerror(code))
      self.init(.unusable, "Port \(port) cannot be opened on \(host): \(words). Choose another port.")
    }
  }

  /// Writes an error to standard error, and ends the process. A wrong command line is followed by the usage of the
  /// command.
  package static func end(
    _ error: any Error, of command: any ParsableCommand.Type, in root: any ParsableCommand.Type
  ) -> Never {
    // Not a complaint: help, a version, and a command that has printed everything and only has an exit code.
    guard !(error is ExitCode), root.exitCode(for: error) != .success else {
      root.exit(withError: error)
    }
    let complaint = Complaint(error)
    var lines = ["Error: \(complaint)"]
    if complaint.exit == .usage {
      let name = "\(root._commandName) \(command._commandName)"
      lines.append("Usage: \(root.usageString(for: command))")
      lines.append("  See '\(name) --help' for more information.")
    }
    FileHandle.standardError.write(Data((lines.joined(separator: "\n") + "\n").utf8))
    Foundation.exit(complaint.exit.rawValue)
  }
}

extension Complaint.Exit {
  fileprivate init(_ error: ChatError) {
    switch error.code {
    case .storageDamaged, .backupDamaged: self = .failed
    case .malformedID: self = .usage
    default: self = .unusable
    }
  }
}
