import Foundation
import HoldfastCore
import HoldfastHTTP

/// A device that is signed in to a Matrix homeserver: what an app keeps from launch to launch, as a credential.
///
/// ```swift
/// let login = try await MatrixLogin.password(
///   "correct horse", of: "alice", on: URL(string: "https://matrix.example.org")!, device: "phone-1")
/// try SystemCredentials.open().set(Credential(JSONEncoder().encode(login)), for: login.user)
/// ```
///
/// The server knows a message that is sent twice by the ``device`` that sent it. Keep the login, and when it has ended, sign
/// in again with the same `device`.
public struct MatrixLogin: Sendable, Codable, Hashable, CustomStringConvertible {
  /// The homeserver's base address.
  public var server: URL
  /// The account, such as `@alice:example.org`.
  public var user: UserID
  /// The server's name of this device.
  public var device: String
  /// The token for requests. A secret.
  public var accessToken: String
  /// The token for a new access token, where the server's access tokens end. A secret.
  public var refreshToken: String?

  /// A login with these values, such as one that another client of this app has made.
  public init(
    server: URL, user: UserID, device: String, accessToken: String, refreshToken: String? = nil
  ) {
    (self.server, self.user, self.device) = (server, user, device)
    (self.accessToken, self.refreshToken) = (accessToken, refreshToken)
  }

  /// The account and its device, without secrets.
  public var description: String { "\(user) on \(device)" }
}

extension MatrixLogin: CustomDebugStringConvertible, CustomReflectable {
  public var debugDescription: String { description }
  /// An empty mirror, so that a dump shows no secret.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension MatrixLogin {
  /// Signs in with a password
  /// ([Matrix, `POST /login`](https://spec.matrix.org/v1.15/client-server-api/#post_matrixclientv3login)). For single sign-on, make the
  /// login from what the server gives the app.
  ///
  /// - Parameters:
  ///   - password: the account's password.
  ///   - user: the account's name, such as `alice`, or its whole ID.
  ///   - server: the homeserver's base address.
  ///   - device: the device's ID. Choose one at the first launch, and keep it.
  ///   - deviceName: what the user reads in a list of devices.
  /// - Throws: ``ConnectionFailure``: `.unauthorized` for a wrong password, `.unavailable` when the server asks for patience.
  public static func password(
    _ password: String, of user: String, on server: URL, device: String, deviceName: String? = nil
  ) async throws -> MatrixLogin {
    try await Self.password(
      password, of: user, on: server, device: device, deviceName: deviceName, httpClient: defaultHTTPClient(),
      environment: ChatEnvironment())
  }
}
