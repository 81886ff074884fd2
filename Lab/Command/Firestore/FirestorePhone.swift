import ArgumentParser
import Foundation
import Holdfast
import HoldfastTransport

#if Firestore
  import HoldfastFirestore
#endif

/// A phone's transport to Google's Firestore emulator.
enum FirestorePhone {
  /// The demo's project. The emulator accepts any.
  static let project = "holdfast-demo"

  #if Firestore
    static let isBuilt = true

    /// - Parameter address: HOST:PORT of the emulator.
    static func transport(to address: String, as account: String) throws -> any Transport {
      guard let url = URL(string: "http://\(address)") else {
        throw ValidationError("The emulator's address is not HOST:PORT.")
      }
      let token = token(of: account)
      // The emulator ends a quiet stream at the third ping, and then sends everything again.
      return FirestoreTransport(project: project, server: url, keepalive: .seconds(4)) { token }
    }

    /// An unsigned ID token, which the emulator accepts, and Google does not.
    private static func token(of account: String) -> String {
      let claims = [
        "iss": "https://securetoken.google.com/\(project)", "aud": project, "sub": account,
        "user_id": account,
      ]
      return [["alg": "none", "typ": "JWT"], claims]
        .map { (try? JSONEncoder().encode($0)) ?? Data() }
        .map {
          $0.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing(
            "=", with: "") + "."
        }
        .joined()
    }
  #else
    static let isBuilt = false

    static func transport(to address: String, as account: String) throws -> any Transport {
      throw ValidationError(
        "This holdfast has no Firestore. Build it with: swift build --traits Tools,Firestore --product holdfast"
      )
    }
  #endif
}
