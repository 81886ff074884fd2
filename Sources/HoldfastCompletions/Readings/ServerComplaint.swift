import HoldfastHTTP

/// What a server says of a request that it does not take, out of the shapes in which servers and gateways say it. What
/// it repeats of the request is not part of it. Pure.
struct ServerComplaint: Sendable, Hashable {
  private static let sentences: Set = [
    "message", "detail", "msg", "status_msg", "error", "error_description", "title", "raw", "description",
    "reason",
  ]
  private static let outer: Set = [
    "error", "errors", "detail", "details", "metadata", "response", "base_resp",
  ]
  private static let deepest = 6

  /// The longest of its sentences. Nil when it has none.
  private(set) var sentence: String?
  /// The fields that it names as such.
  private(set) var fields: [String] = []
  /// Its codes and types.
  private(set) var codes: [String] = []

  init(sentence: String) { self.sentence = sentence.isEmpty ? nil : sentence }

  init(_ body: JSONFields) { read(body, depth: 0) }

  private mutating func read(_ object: JSONFields, depth: Int) {
    guard depth < Self.deepest else { return }
    var places = [object.word("param")].compactMap { $0 }
    // FastAPI names each field that it refuses.
    if let place = object.texts("loc").last { places.append(place) }
    fields += places
    codes += [object.word("code"), object.word("type"), object.word("status")].compactMap { $0 }
    for name in object.names {
      let key = name.lowercased()
      if Self.sentences.contains(key), let text = object.word(name) {
        let said = places.isEmpty || key != "msg" ? text : "\(places.joined(separator: ", ")): \(text)"
        if said.utf8.count > sentence?.utf8.count ?? 0, said.utf8.count < 20_000 { sentence = said }
      }
      guard Self.outer.contains(key) else { continue }
      if let inner = object.object(name) { read(inner, depth: depth + 1) }
      for inner in object.objects(name) { read(inner, depth: depth + 1) }
    }
  }
}
