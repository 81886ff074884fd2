import ArgumentParser
import Foundation
import Holdfast

/// The accounts of a relay: `NAME:TOKEN` on each line. Empty lines, and lines that begin with `#`, are skipped. The
/// last colon separates, because a name may contain colons. No two lines have the same name, or the same token.
struct AccountsFile {
  struct Account: Hashable {
    var id: UserID
    var token: String
  }

  /// Reads a file that only its owner can read.
  ///
  /// - Throws: ``Complaint``, without contents of the file.
  static func read(_ file: URL) throws -> [Account] {
    let attributes: [FileAttributeKey: Any]
    let text: String
    do {
      attributes = try FileManager.default.attributesOfItem(atPath: file.path)
      text = try String(contentsOf: file, encoding: .utf8)
    } catch {
      throw Complaint(.unusable, "The accounts file cannot be read. Check \(file.path).")
    }
    guard let mode = attributes[.posixPermissions] as? Int, mode & 0o077 == 0 else {
      throw Complaint(.unusable, "Other users may read the accounts file. Run: chmod 600 \(file.path)")
    }
    var accounts: [Account] = []
    var (names, tokens): ([UserID: Int], [Data: Int]) = ([:], [:])
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      let line = line.trimmingCharacters(in: .whitespaces)
      guard !line.isEmpty, !line.hasPrefix("#") else { continue }
      let (number, account) = (index + 1, try? parse(line: line))
      guard let account else {
        throw Complaint(.unusable, "Line \(number) of \(file.path) is not NAME:TOKEN. Correct it.")
      }
      guard account.id.isWellFormed else {
        throw Complaint(
          .unusable,
          "The name in line \(number) of \(file.path) is over 255 bytes long, or has control characters."
        )
      }
      if let first = names.updateValue(number, forKey: account.id) {
        throw Complaint(
          .unusable,
          "Lines \(first) and \(number) of \(file.path) have the same name. Remove one of them.")
      }
      if let first = tokens.updateValue(number, forKey: Data(account.token.utf8)) {
        throw Complaint(
          .unusable,
          "Lines \(first) and \(number) of \(file.path) have the same token. Make another token for one."
        )
      }
      accounts.append(account)
    }
    return accounts
  }

  static func parse(line: String) throws -> Account {
    guard let colon = line.lastIndex(of: ":") else {
      throw ValidationError("An account must be written as NAME:TOKEN.")
    }
    let name = String(line[..<colon])
    let token = String(line[line.index(after: colon)...])
    guard !name.isEmpty, !token.isEmpty else {
      throw ValidationError("An account must be written as NAME:TOKEN.")
    }
    return Account(id: UserID(rawValue: name), token: token)
  }
}
