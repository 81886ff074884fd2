import Foundation
import Holdfast
import HoldfastCommand

/// The folder of a demo, kept between runs: the stores of two phones and of the relay, and the secrets between them.
struct DemoFolder: Sendable {
  let url: URL
  /// The secret in the page's address. It is kept, so that an open page still works when the demo is restarted.
  let session: String
  /// The token of each account on the relay, by the account's name.
  let tokens: [String: String]

  var relay: URL { url.appending(path: "relay", directoryHint: .isDirectory) }
  var accounts: URL { url.appending(path: "accounts") }
  func phone(_ name: String) -> URL { url.appending(path: name, directoryHint: .isDirectory) }
  /// The phones of Firestore's demo, which start empty in each run.
  private var firestore: URL { url.appending(path: "firestore", directoryHint: .isDirectory) }
  func firestorePhone(_ name: String) -> URL { firestore.appending(path: name, directoryHint: .isDirectory) }
  func removeFirestorePhones() { do { try FileManager.default.removeItem(at: firestore) } catch {} }
  /// The homeserver of Matrix's demo, and its phones.
  private var matrix: URL { url.appending(path: "matrix", directoryHint: .isDirectory) }
  var homeserver: URL { matrix.appending(path: "server", directoryHint: .isDirectory) }
  func matrixPhone(_ name: String) -> URL { matrix.appending(path: name, directoryHint: .isDirectory) }

  /// Files in transfer from the browser to a phone.
  var picked: URL { url.appending(path: "picked", directoryHint: .isDirectory) }

  /// Removes the files in transfer that a killed demo left.
  func removePicked() { do { try FileManager.default.removeItem(at: picked) } catch {} }

  /// A file that marks a folder as a demo's, so that `--fresh` never empties another folder. A running demo holds a
  /// lock on it.
  private static let marker = "holdfast-demo"

  static func standard() throws -> URL {
    guard
      let data = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
    else { throw Complaint(.unusable, "This user has no data folder. Choose a folder with --data.") }
    return data.appending(path: "holdfast/demo", directoryHint: .isDirectory)
  }

  /// - Parameter isFresh: first deletes an earlier demo's data in the folder.
  init(at url: URL, accounts names: [String], isFresh: Bool) throws {
    self.url = url
    let files = FileManager.default
    try makePrivateFolder(url)
    let marker = url.appending(path: Self.marker)
    let isDemo = files.fileExists(atPath: marker.path)
    let contents = try files.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
    guard isDemo || contents.isEmpty else {
      throw Complaint(
        .unusable,
        "\(url.path) is not a folder of a demo: it has other files. Choose another folder with --data.")
    }
    try Self.lock(marker)
    if isFresh {
      for item in contents where item.lastPathComponent != Self.marker { try files.removeItem(at: item) }
    }
    session = try Self.secret(in: url.appending(path: "session")) { Self.makeToken() }
    let accounts = try Self.secret(in: url.appending(path: "accounts")) {
      names.map { "\($0):\(Self.makeToken())" }.joined(separator: "\n")
    }
    tokens = Dictionary(
      accounts.split(separator: "\n").compactMap { line in
        let parts = line.split(separator: ":", maxSplits: 1).map(String.init)
        return parts.count == 2 ? (parts[0], parts[1]) : nil
      },
      uniquingKeysWith: { $1 })
    guard names.allSatisfy({ tokens[$0] != nil }) else {
      throw Complaint(.unusable, "\(url.path)/accounts is damaged. Delete the demo's data with --fresh.")
    }
  }

  /// Locks the folder. The lock is never released: it ends with the process, also when the process is killed.
  private static func lock(_ marker: URL) throws {
    let descriptor = open(marker.path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Complaint(.unusable, "\(marker.path) cannot be written.") }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw Complaint(.unusable, "Another demo is running in \(marker.deletingLastPathComponent().path).")
    }
  }

  private static func secret(in file: URL, make: () -> String) throws -> String {
    if let stored = try? String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .newlines),
      !stored.isEmpty
    {
      return stored
    }
    let made = make()
    guard
      FileManager.default.createFile(
        atPath: file.path, contents: Data((made + "\n").utf8), attributes: [.posixPermissions: 0o600])
    else { throw Complaint(.unusable, "\(file.path) cannot be written.") }
    return made
  }

  /// 256 random bits from the system, in hexadecimal.
  static func makeToken() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<4).map { _ in
      let digits = String(generator.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }
}
