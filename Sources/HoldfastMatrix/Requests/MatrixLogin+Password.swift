import Foundation
import HoldfastCore
import HoldfastHTTP

extension MatrixLogin {
  static func password(
    _ password: String, of user: String, on server: URL, device: String, deviceName: String? = nil,
    httpClient: any HTTPClient, environment: ChatEnvironment
  ) async throws -> MatrixLogin {
    var body: [String: JSONValue] = [
      "type": "m.login.password", "identifier": ["type": "m.id.user", "user": .text(user)],
      "password": .text(password), "device_id": .text(device), "refresh_token": true,
    ]
    body["initial_device_display_name"] = deviceName.map(JSONValue.text)
    let request = MatrixRequest("POST", ["v3", "login"], body: .object(body))
    do {
      let answer = try await request.answer(from: server, token: nil, httpClient: httpClient, in: environment)
      let fields = try answer.fields()
      guard let id = fields.word("user_id"), let token = fields.word("access_token"),
        let device = fields.word("device_id")
      else { throw ConnectionFailure(.incompatible, detail: "the login's answer makes no sense") }
      return MatrixLogin(
        server: server, user: UserID(rawValue: id), device: device, accessToken: token,
        refreshToken: fields.word("refresh_token"))
    } catch let refusal as MatrixRefusal where refusal.status == 403 {
      throw ConnectionFailure(.unauthorized, detail: "the server refused the login with \(refusal.shownCode)")
    } catch {
      throw try ConnectionFailure(matrix: error)
    }
  }
}
