import Foundation
import Holdfast

#if !canImport(Darwin)
  import FoundationNetworking
#endif

/// Google's Firestore emulator with the rules of HoldfastFirestore, as a process of its own. Its REST interface is asked past the transport, as the owner or as
/// an account.
public actor FirestoreEmulator {
  /// An answer that is no success.
  public struct Refused: Error, CustomStringConvertible {
    public let status: Int
    public let description: String
    /// Firestore's name of what went wrong.
    var code: String?
  }

  /// The project. The emulator takes every one.
  public nonisolated let project = "holdfast-backends"
  /// The port of the loopback interface.
  public nonisolated let port: Int
  private let log: URL
  private var process: ServerProcess?

  /// - Parameter log: receives what the emulator complains of.
  public init(log: URL) throws {
    self.log = log
    port = try freePort()
  }

  /// Starts it, and returns once it answers. It has nothing then: it keeps its data in memory.
  public func start() async throws {
    let process = try ServerProcess(lab.path, ["firestore-emulator", "--port", "\(port)"], log: log)
    self.process = process
    guard await process.nextLine() != nil else {
      let reason = try? String(contentsOf: log, encoding: .utf8)
      throw ServerProcess.Failure("The Firestore emulator does not start. \(reason ?? "")")
    }
  }

  public func end() {
    process?.end()
    process = nil
  }

  /// The documents that a query finds, in Firestore's REST form.
  public func query(_ query: [String: Any], as account: UserID? = nil) async throws -> [FirestoreDocument] {
    let body = try JSONSerialization.data(withJSONObject: ["structuredQuery": query])
    let answer = try await request(
      "POST", "/v1/projects/\(project)/databases/(default)/documents:runQuery", body: body, as: account)
    let rows = try JSONSerialization.jsonObject(with: answer) as? [[String: Any]] ?? []
    return rows.compactMap { ($0["document"] as? [String: Any]).flatMap(FirestoreDocument.init) }
  }

  /// Carries out writes as a whole or not at all.
  ///
  /// A commit that the emulator aborts has written nothing, and is sent again: on a busy machine it gives up waiting
  /// for its own locks.
  ///
  /// - Parameter writes: in Firestore's REST form.
  public func commit(_ writes: [Data], as account: UserID? = nil) async throws {
    let body = Data("{\"writes\":[".utf8) + Data(writes.joined(separator: Data(",".utf8))) + Data("]}".utf8)
    while true {
      do {
        _ = try await request(
          "POST", "/v1/projects/\(project)/databases/(default)/documents:commit", body: body, as: account)
        return
      } catch let aborted as Refused where aborted.code == "ABORTED" {
        try Task.checkCancellation()
      }
    }
  }

  /// The resource name of a document.
  public nonisolated func name(_ collection: String, _ id: String) -> String {
    "projects/\(project)/databases/(default)/documents/\(collection)/\(id)"
  }

  /// - Parameter account: nil for the owner, whom no rule holds back.
  public func request(
    _ method: String, _ path: String, body: Data? = nil, as account: UserID? = nil
  ) async throws -> Data {
    guard let url = URL(string: "http://127.0.0.1:\(port)\(path)") else { throw URLError(.badURL) }
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.httpBody = body
    request.setValue("Bearer \(account.map(token) ?? "owner")", forHTTPHeaderField: "Authorization")
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    let (data, response) = try await URLSession.shared.data(for: request)
    let status = (response as? HTTPURLResponse)?.statusCode ?? 0
    guard status == 200 else {
      let answer = try? JSONSerialization.jsonObject(with: data) as? [String: [String: Any]]
      throw Refused(
        status: status, description: "\(status): \(String(decoding: data, as: UTF8.self))",
        code: answer?["error"]?["status"] as? String)
    }
    return data
  }

  /// An unsigned ID token, which the emulator takes.
  public nonisolated func token(of account: UserID) -> String {
    let now = Int(ChatEnvironment().now().timeIntervalSince1970)
    let claims: [String: Any] = [
      "iss": "https://securetoken.google.com/\(project)", "aud": project, "sub": account.rawValue,
      "user_id": account.rawValue, "iat": now, "exp": now + 3600, "auth_time": now,
    ]
    let payload = (try? JSONSerialization.data(withJSONObject: claims)) ?? Data()
    return "\(Self.base64URL(Data(#"{"alg":"none","typ":"JWT"}"#.utf8))).\(Self.base64URL(payload))."
  }

  private static func base64URL(_ data: Data) -> String {
    data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }
}

/// The command `holdfast-lab` of this build, or the one that `HOLDFAST_LAB` names.
let lab: URL = {
  if let named = ProcessInfo.processInfo.environment["HOLDFAST_LAB"] { return URL(filePath: named) }
  let folder = URL(filePath: #filePath).deletingLastPathComponent()
  return folder.appending(path: "../../../.build/debug/holdfast-lab").standardizedFileURL
}()
