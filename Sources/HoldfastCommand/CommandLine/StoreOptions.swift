import ArgumentParser
import Foundation
import Holdfast

/// The argument and options that name a store, for commands that read one.
struct StoreOptions: ParsableArguments, NamingStore {
  @Argument(help: "The store's folder.", completion: .directory) var folder: NamedPath?
  @Option(help: "The store's folder, as in the other commands.", completion: .directory) var store: NamedPath?
  @Option(help: "The name of a store in the user's data folder, instead of a folder.") var name: String?
  @Flag(help: "Print one JSON object.") var json = false

  var places: [NamedPath?] { [folder, store] }

  func validate() throws { try requireOne("Give either the store's folder or --name NAME.") }
}

/// A group of arguments that names a store.
protocol NamingStore: Printing {
  /// The arguments that may give the store's folder.
  var places: [NamedPath?] { get }
  var name: String? { get }
}

extension NamingStore {
  func requireOne(_ advice: String) throws {
    guard places.count(where: { $0 != nil }) + (name == nil ? 0 : 1) == 1 else {
      throw ValidationError(advice)
    }
    // A missing data folder is reported by run().
    do { _ = try location() } catch let error as ChatError where error.code == .malformedID {
      throw ValidationError("--name must be the name of a folder, without slashes.")
    } catch {}
  }

  /// The store's folder, which may not exist.
  func location() throws -> URL {
    if let name { return try StorageLocation.applicationSupport(name).resolve() }
    return places.compactMap(\.self).first?.url ?? URL(fileURLWithPath: ".")
  }
}

/// A command that prints lines for a reader, or one JSON object for a program.
protocol Printing {
  var json: Bool { get }
}

extension Printing {
  /// Prints one JSON object, or lines for a reader. No line can control the terminal.
  func show(_ value: some Encodable, lines: @autoclosure () -> [String]) throws {
    try show(value, plainLines: lines().map(\.plainLine))
  }

  /// Prints one JSON object, or lines in which foreign words are in the form of ``PlainLine``.
  func show(_ value: some Encodable, plainLines: @autoclosure () -> [String]) throws {
    guard json else { return print(plainLines().joined(separator: "\n")) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    print(String(decoding: try encoder.encode(value), as: UTF8.self))
  }

  /// The failure of the command, in the requested form: an error to be thrown.
  ///
  /// - Parameter place: the store, file or folder that the error is about.
  func fail(_ error: ChatError, about place: URL) throws -> any Error {
    let complaint = Complaint(error, about: place)
    guard json else { return complaint }
    try show(["error": error.code.rawValue, "message": error.message], lines: [])
    return ExitCode(complaint.exit.rawValue)
  }
}

extension Int64 {
  /// The number of bytes as text, such as `1.2 MB`.
  var bytesForReaders: String {
    let units = ["bytes", "KB", "MB", "GB", "TB"]
    var (value, unit) = (Double(self), 0)
    while value >= 1000, unit < units.count - 1 { (value, unit) = (value / 1000, unit + 1) }
    return unit == 0 ? "\(self) bytes" : String(format: "%.1f %@", value, units[unit])
  }
}
