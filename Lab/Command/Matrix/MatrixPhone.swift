import ArgumentParser
import Foundation
import Holdfast
import HoldfastCredentials
import HoldfastMatrix
import HoldfastTransport

/// A phone's transport to a homeserver on this machine. It signs in once, and keeps its login beside its store.
enum MatrixPhone {
  /// The account's ID on the demo's server.
  static func user(_ account: String) -> String { "@\(account.lowercased()):localhost" }

  /// The name of a user's ID on the page: "Alice" for `@alice:localhost`. Nil for an ID without `@`, or an
  /// assistant's.
  static func name(of user: UserID) -> String? {
    guard user.rawValue.hasPrefix("@"), user.assistantName == nil else { return nil }
    return MatrixAdministration.name(of: user).capitalized
  }

  /// - Parameters:
  ///   - address: HOST:PORT of the homeserver.
  ///   - data: the folder of the phone's store.
  static func transport(to address: String, as user: UserID, data: URL) throws -> any Transport {
    guard let server = URL(string: "http://\(address)") else {
      throw ValidationError("The homeserver's address is not HOST:PORT.")
    }
    let kept = KeptLogin(
      user, on: server,
      in: FileCredentials(
        folder: data.deletingLastPathComponent().appending(path: "\(data.lastPathComponent)-credentials")))
    return MatrixTransport(isOnThisMachine: true) {
      try await kept.login()
    } renewed: {
      try await kept.keep($0)
    }
  }
}

/// A login that is kept in a file. The first login uses the account's name as the password.
private actor KeptLogin {
  private let user: UserID
  private let server: URL
  private let credentials: FileCredentials

  init(_ user: UserID, on server: URL, in credentials: FileCredentials) {
    (self.user, self.server, self.credentials) = (user, server, credentials)
  }

  func login() async throws -> MatrixLogin {
    if let kept = try credentials.credential(for: user) {
      var login = try JSONDecoder().decode(MatrixLogin.self, from: kept.bytes)
      // Each run of the demo may have another port.
      login.server = server
      return login
    }
    let name = MatrixAdministration.name(of: user)
    let login = try await MatrixLogin.password(name, of: name, on: server, device: "demo-\(name)")
    try keep(login)
    return login
  }

  func keep(_ login: MatrixLogin) throws {
    try credentials.set(Credential(try JSONEncoder().encode(login)), for: user)
  }
}
