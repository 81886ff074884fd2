import Foundation
import HoldfastCore
import HoldfastRelay

extension ChatServer {
  /// The names of all files that the folder should have, and of unfinished uploads, which may have no file yet.
  static func known(
    _ database: ServerDatabase, _ folder: ServerFolder
  ) throws -> (files: Set<String>, parts: Set<String>) {
    let known = try database.read { try Uploads(db: $0).known() }
    return (
      known.files,
      Set(known.parts.map { folder.part(of: $0.checksum, from: $0.account).lastPathComponent })
    )
  }
}
