import Foundation
import HoldfastCore

/// What a message of a file says: its text, which may come in parts, and what stands beside the text.
struct EntryContent {
  var message = MessageContent()
  /// The names of files whose bytes are not in the file.
  private(set) var files: [String] = []
  /// Parts that have no text, such as the calls of tools. They are kept in the metadata.
  private var others: [JSONValue] = []
  /// False when a part had another type than it should, and was left out.
  private(set) var isWhole = true
  /// The file has an empty text, and not none at all.
  private(set) var isEmptyText = false
  private var model: String?

  private static let names = [
    "content", "text", "body", "message", "value", "msg", "parts", "contents", "payload",
  ]

  /// Nil when no field has a text, or parts of one.
  init?(_ fields: LooseFields) {
    let found = Self.names.lazy.compactMap { fields.first([$0]) }.first {
      if case .bool = $0 { false } else { true }
    }
    let beside = fields.first([
      "toolcalls", "functioncall", "attachments", "files", "images", "videos", "reasoning",
    ])
    guard found != nil || beside != nil || fields.has("content") else { return nil }
    if let found { read(found) }
    if message.text.isEmpty, let other = fields.text("text", "body"), !other.isEmpty { message.text = other }
    isEmptyText = found == .text("")
    if found != nil, found?.text == nil, !hasSomething, !isWhole { return nil }
    readReferences(fields)
  }

  init() {}

  var hasSomething: Bool {
    !message.text.isEmpty || message.reasoning != nil || !files.isEmpty || !others.isEmpty
      || !message.images.isEmpty
      || !message.videos.isEmpty || hasAttachments
  }

  private var hasAttachments = false
  var hasFilesElsewhere: Bool { !files.isEmpty }
  /// A field has the bytes of a file in its text, which no reference may.
  private(set) var hasBytesInside = false

  /// The names of the files, as the text of a message that has no other.
  var shownNames: String? {
    files.isEmpty || hasAttachments || !message.images.isEmpty || !message.videos.isEmpty
      ? nil : files.map { "[\($0)]" }.joined(separator: "\n")
  }

  // MARK: Parts

  mutating func read(_ value: JSONValue) {
    switch value {
    case .text(let text): append(text)
    case .integer(let number): append(String(number))
    case .array(let parts): for part in parts { read(part) }
    case .object(let object): read(part: LooseFields(object), value)
    case .null: break
    case .bool, .number: isWhole = false
    }
  }

  mutating func append(_ text: String) {
    guard !text.isEmpty else { return }
    message.text = message.text.isEmpty ? text : message.text + "\n" + text
  }

  mutating func append(reasoning text: String) {
    guard !text.isEmpty else { return }
    message.reasoning = (message.reasoning.map { $0 + "\n" } ?? "") + text
  }

  mutating func append(file name: String) {
    if !name.isEmpty, !files.contains(name) { files.append(name) }
  }

  /// A part of a text: those of OpenAI's, Anthropic's and Google's interfaces, and of the exports that are made of them.
  private mutating func read(part fields: LooseFields, _ value: JSONValue) {
    let kind = LooseFields.plain(fields.text("type", "contenttype") ?? "")
    switch kind {
    case _ where kind.contains("think") || kind.contains("reason"): readReasoning(fields)
    case "imageurl", "image", "inputimage", "imageassetpointer", "videourl", "video": readImage(fields, kind)
    case _ where kind.contains("tool") || kind.contains("function"):
      others.append(value)
      if let inner = fields["content", "output"], kind.contains("result") { read(inner) }
    case "file", "inputfile", "document", "audio", "inputaudio", "audioassetpointer",
      "realtimeaudiovideoassetpointer":
      append(
        file: fields.text("name", "filename", "assetpointer", "title") ?? fields.object("file")?.text(
          "filename") ?? kind)
      if kind == "audio" || kind == "document", let text = fields.text("transcript") { append(text) }
    case "audiotranscription": append(fields.text("text") ?? "")
    default:
      if let text = fields["text", "content", "parts", "value", "result", "summary"] { return read(text) }
      if kind.isEmpty { isWhole = false } else { others.append(value) }
    }
  }

  private mutating func readReasoning(_ fields: LooseFields) {
    if let text = fields.text("thinking", "think", "reasoning", "text", "content", "summary") {
      return append(reasoning: text)
    }
    for thought in fields["thoughts", "summary", "content"]?.array ?? [] {
      let thought = LooseFields(thought)
      append(
        reasoning: [thought?.text("summary"), thought?.text("content", "text")].compactMap(\.self).joined(
          separator: "\n"))
    }
  }

  private mutating func readImage(_ fields: LooseFields, _ kind: String) {
    let reference =
      fields.text("imageurl", "url", "videourl") ?? fields.object("imageurl", "videourl")?.text("url")
      ?? fields.object("source")?.text("url")
    guard let reference else {
      return append(file: fields.text("name", "filename", "assetpointer") ?? "image")
    }
    if kind.hasPrefix("video") { message.videos.append(reference) } else { message.images.append(reference) }
  }

  // MARK: Beside the text

  private mutating func readReferences(_ fields: LooseFields) {
    if let reasoning = fields.text("reasoning", "reasoningcontent", "thinking", "thoughts") {
      append(reasoning: reasoning)
    } else if let reasoning = fields["reasoning"], reasoning.text == nil {
      isWhole = false
    }
    read(references: fields["images"]) { $0.message.images.append($1) }
    read(references: fields["videos"]) { $0.message.videos.append($1) }
    for name in ["attachments", "files", "documents"] { readFiles(fields[name]) }
    readFiles(fields["images"], haveAddresses: true)
    if fields.names.contains(where: { !Self.names.contains($0) && fields[$0].map(Self.hasBytes) == true }) {
      hasBytesInside = true
    }
    model = fields.text("model", "modelname", "modelslug", "modelid")
    for name in ["toolcalls", "functioncall"] {
      if let calls = fields.first([name]) { others.append(calls) }
    }
  }

  /// Whether a text in the value is an address with the bytes of a file in it (RFC 2397).
  private static func hasBytes(_ value: JSONValue) -> Bool {
    switch value {
    case .text(let text): text.prefix(5).lowercased() == "data:" && text.prefix(200).contains(",")
    case .array(let values): values.contains(where: hasBytes)
    case .object(let fields): fields.values.contains(where: hasBytes)
    default: false
    }
  }

  private mutating func read(references value: JSONValue?, _ add: (inout Self, String) -> Void) {
    guard let value else { return }
    guard let values = value.array else { return isWhole = false }
    for value in values {
      if let text = value.text ?? LooseFields(value)?.text("url", "uri", "href") { add(&self, text) }
    }
  }

  /// The names of files. A file whose checksum is here travels beside the file.
  ///
  /// - Parameter haveAddresses: the addresses have been read.
  mutating func readFiles(_ value: JSONValue?, haveAddresses: Bool = false) {
    for file in value?.array ?? [] {
      guard let fields = LooseFields(file) else { continue }
      if fields.text("checksum") != nil {
        hasAttachments = true
        continue
      }
      if let address = fields.text("url", "uri", "href"), fields.text("name") == nil {
        if address.hasPrefix("data:") {
          hasBytesInside = true
        } else if !haveAddresses {
          append(file: address)
        }
        continue
      }
      let name =
        fields.text("name", "filename", "title") ?? fields.object("file", "meta")?.text("name", "filename")
      append(file: name ?? "file")
      if let text = fields.text("extractedcontent"), !text.isEmpty { others.append(file) }
    }
  }

  /// The engine's own metadata as it was exported, or what has no other place here.
  func metadata(_ fields: LooseFields) -> Data? {
    if let own = fields.text("metadata").flatMap({ Data(base64Encoded: $0) }) { return own }
    var object: [String: JSONValue] = [:]
    if let told = fields["metadata"], told.object != nil { object["metadata"] = told }
    return EntryMetadata(object: object).adding(model: model, files: files, others: others).data
  }

  func metadata(model: String?) -> EntryMetadata {
    EntryMetadata(object: [:]).adding(model: model ?? self.model, files: files, others: others)
  }
}

/// The metadata of an imported message: what its app knew, and what has no other place here. At most
/// ``MessageContent/maximumMetadataBytes``.
struct EntryMetadata {
  private(set) var object: [String: JSONValue]

  init(object: [String: JSONValue]) { self.object = object }

  init?(_ data: Data?) {
    guard let data else {
      object = [:]
      return
    }
    guard let object = (try? JSONValue(data))?.object else { return nil }
    self.object = object
  }

  func adding(model: String?, files: [String], others: [JSONValue]) -> Self {
    var metadata = self
    if let model { metadata.set("model", .text(model)) }
    if !files.isEmpty { metadata.set("files", .array(files.map(JSONValue.text))) }
    if !others.isEmpty { metadata.set("parts", .array(others)) }
    return metadata
  }

  /// Sets a field if the metadata still fits. Returns whether it does.
  @discardableResult
  mutating func set(_ name: String, _ value: JSONValue) -> Bool {
    var larger = object
    larger[name] = value
    guard let data = JSONValue.object(larger).data, data.count <= MessageContent.maximumMetadataBytes else {
      return false
    }
    object = larger
    return true
  }

  var data: Data? { object.isEmpty ? nil : JSONValue.object(object).data }
}
