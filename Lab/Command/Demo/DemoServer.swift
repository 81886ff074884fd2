import ChatServerTesting
import Foundation
import HoldfastCommand
import NIOHTTP1
import Processes
import Simulator

/// Serves the demo's page over HTTP: its files, a stream of events, a route for intents, and routes for users'
/// files.
struct DemoServer: Sendable {
  let gatekeeper: Gatekeeper
  let board: Board
  let backend: DemoBackend
  let handsets: [String: Handset]
  /// Nil when the demo has no server.
  let relay: HostedProcess?
  /// The folder for picked files, until the phone's app has copied them.
  let picked: URL

  /// The largest intent. An intent is a keystroke or a tap, and no store accepts a larger draft.
  private static let maximumIntentBytes = 4 * 1024 * 1024

  /// An intent for a device or for the relay. All other intents go to an app.
  private struct DeviceIntent: Decodable {
    var part: String
    var type: String
    var isOn: Bool?
    var days: Int?
  }

  private struct Answer: Encodable {
    var number: Int
    var isRefused: Bool
  }

  func answer(to request: PageRequest) async -> PageAnswer {
    if let refusal = gatekeeper.refusal(of: request) { return text(refusal, .forbidden) }
    switch (request.method, request.path) {
    case (.GET, "/"):
      var response = file("index.html", "text/html; charset=utf-8")
      response.headers.add(name: "Set-Cookie", value: gatekeeper.cookie)
      return response
    case (.GET, "/stage.js"):
      return page(Data(backend.script.utf8), "text/javascript; charset=utf-8")
    case (.GET, let path) where path.hasSuffix(".css"):
      return file(String(path.dropFirst()), "text/css; charset=utf-8")
    case (.GET, let path) where path.hasSuffix(".js"):
      return file(String(path.dropFirst()), "text/javascript; charset=utf-8")
    case (.GET, "/icon.svg"): return file("icon.svg", "image/svg+xml")
    case (.GET, "/events"):
      return PageAnswer(
        status: .ok, headers: headers("text/event-stream"), body: .pieces(EventStream(board: board)))
    case (.POST, "/intent"): return await intent(request)
    case (.POST, "/file"): return await attach(request)
    case (.GET, "/file"): return give(request)
    case (.POST, "/history"): return await importHistory(request)
    default: return text("This page does not exist.", .notFound)
    }
  }

  private func intent(_ request: PageRequest) async -> PageAnswer {
    guard request.header("Content-Type") == "application/json" else {
      return text("An intent must be a JSON object.", .unsupportedMediaType)
    }
    guard let length = request.length, length <= Self.maximumIntentBytes else {
      return text("The request is too large.", .payloadTooLarge)
    }
    guard let body = await request.body(atMost: Self.maximumIntentBytes),
      let device = try? JSONDecoder().decode(DeviceIntent.self, from: body)
    else { return text("This is not an intent.", .badRequest) }
    return await perform(device, body)
  }

  private func perform(_ intent: DeviceIntent, _ body: Data) async -> PageAnswer {
    guard let process = intent.part == "relay" ? relay : handsets[intent.part]?.process else {
      return text("This phone does not exist.", .badRequest)
    }
    switch (intent.type, handsets[intent.part]) {
    case ("kill", _):
      await process.kill()
      return done
    case ("launch", _):
      do { try await process.launch() } catch {
        return text("It could not be started.", .internalServerError)
      }
      return done
    case ("airplane", let handset?):
      let isOn = intent.isOn ?? false
      board.update(intent.part) { $0.airplane = isOn }
      _ = await handset.setAirplane(isOn)
      return done
    case ("pass", let handset?):
      let ahead = await handset.pass(days: intent.days ?? 1)
      board.update(intent.part) { $0.daysAhead = ahead }
      return done
    case (_, let handset?):
      guard let intent = try? JSONDecoder().decode(PhoneIntent.self, from: body), intent.isForBrowsers else {
        return text("This is not an intent.", .badRequest)
      }
      return response(to: await handset.perform(intent))
    default:
      // Encoded again, so that only an order reaches the relay.
      guard let order = try? JSONDecoder().decode(FaultOrder.self, from: body),
        let line = try? JSONEncoder().encode(order)
      else { return text("This is not an intent.", .badRequest) }
      await relay?.send(line)
      return done
    }
  }

  private var done: PageAnswer { PageAnswer(status: .noContent, headers: headers(nil)) }

  func response(to outcome: Handset.Outcome) -> PageAnswer {
    guard case .handled(let number, let isRefused) = outcome,
      let body = try? JSONEncoder().encode(Answer(number: number, isRefused: isRefused))
    else {
      return text("The app is not running.", .conflict)
    }
    return page(body, "application/json")
  }

  private func file(_ name: String, _ type: String) -> PageAnswer {
    guard let content = PageFiles.content(of: name) else {
      return text("This page does not exist.", .notFound)
    }
    return page(content, type)
  }

  func text(_ sentence: String, _ status: HTTPResponseStatus) -> PageAnswer {
    page(Data((sentence + "\n").utf8), "text/plain; charset=utf-8", status)
  }

  private func page(_ content: Data, _ type: String, _ status: HTTPResponseStatus = .ok) -> PageAnswer {
    PageAnswer(status: status, headers: headers(type), body: .data(content))
  }

  func headers(_ type: String?) -> HTTPHeaders {
    var headers: HTTPHeaders = [
      "Cache-Control": "no-store",
      "Content-Security-Policy": """
      default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
      base-uri 'none'; form-action 'none'; frame-ancestors 'none'
      """,
      "Cross-Origin-Opener-Policy": "same-origin",
      "Cross-Origin-Resource-Policy": "same-origin",
      "Referrer-Policy": "no-referrer",
      "X-Content-Type-Options": "nosniff",
    ]
    if let type { headers.add(name: "Content-Type", value: type) }
    return headers
  }
}
