import Foundation
import HoldfastCore

/// The content of a message in a file: its text, which may consist of parts, and the data beside the text.
struct EntryContent {
  var message = MessageContent()
  /// The names of files whose bytes are not in the file.
  private(set) var files: [String] = []
  /// Parts that are not shown, such as tool calls and their results. They are kept in the metadata.
  private var others: [JSONValue] = []
  private var hasToolParts = false
  /// Whether the entry is a thought, and not a message.
  private var isThought = false
  /// The reason why the answer failed, from one of its parts.
  private(set) var failure: String?
  /// The pages and files that a text refers to, each once.
  private var sources: [(address: String, title: String?)] = []
  /// False when a part of an unexpected type was left out.
  private(set) var isWhole = true
  /// Whether the file has an empty text, as opposed to none.
  private(set) var isEmptyText = false
  private var model: String?

  private static let names = [
    "content", "text", "body", "message", "value", "msg", "parts", "contents", "payload",
  ]

  private static let known = Set(
    names + ["images", "videos", "attachments", "files", "documents", "metadata"])

  /// Nil when no field has a text, or parts of a text.
  init?(_ fields: LooseFields) {
    let found = Self.names.lazy.compactMap { fields.first([$0]) }.first {
      if case .bool = $0 { false } else { true }
    }
    let beside = fields.first([
      "toolcalls", "functioncall", "attachments", "files", "images", "videos", "reasoning",
    ])
    if found == nil, beside == nil, fields["role"] == nil {
      if let value = fields.toolPart { appendToolPart(value) }
      if Self.isThought(fields) { readReasoning(fields) }
      isThought = message.reasoning != nil
      if hasToolParts || isThought { return }
    }
    guard found != nil || beside != nil || fields.has("content") else { return nil }
    if let found { read(found) }
    if message.text.isEmpty, let other = fields.text("text", "body"), !other.isEmpty { message.text = other }
    isEmptyText = found == .text("")
    if found != nil, found?.text == nil, !hasSomething, !isWhole { return nil }
    readReferences(fields)
  }

  init() {}

  var hasSomething: Bool {
    !message.text.isEmpty || message.reasoning != nil || !files.isEmpty || !others.isEmpty || failure != nil
      || !message.images.isEmpty
      || !message.videos.isEmpty || hasAttachments || !inlineFiles.isEmpty
  }

  /// Whether there are only thoughts, or tool calls and their results, and nothing that is shown.
  var isOfAnswer: Bool { (hasToolParts || isThought) && message.text.isEmpty && !hasMedia }
  /// Whether there are images or files.
  var hasMedia: Bool {
    !files.isEmpty || hasAttachments || !message.images.isEmpty || !message.videos.isEmpty
      || !inlineFiles.isEmpty
  }
  private var hasAttachments = false
  var hasFilesElsewhere: Bool { !files.isEmpty }
  /// Whether a field has the bytes of an unidentified file in its text.
  private(set) var hasBytesInside = false
  /// The files whose bytes are in the text of a field.
  private(set) var inlineFiles: [InlineFile] = []

  /// The names of the files, as the text of a message without a text.
  var shownNames: String? {
    files.isEmpty || hasAttachments || !message.images.isEmpty || !message.videos.isEmpty
      || !inlineFiles.isEmpty ? nil : files.map { "[\($0)]" }.joined(separator: "\n")
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

  /// Takes the references that contain the bytes of a file, and are longer than a reference may be.
  mutating func takeInlineFiles() {
    for path in [\MessageContent.images, \.videos] {
      let kept = message[keyPath: path].filter { reference in
        guard !reference.isEmpty, reference.utf8.count > MessageContent.maximumReferenceBytes,
          InlineFile.isAddress(reference)
        else { return true }
        inlineFiles.append(InlineFile(address: reference, name: nil))
        return false
      }
      message[keyPath: path] = kept
    }
  }

  /// Keeps a tool call, or its result.
  mutating func appendToolPart(_ value: JSONValue) {
    others.append(value)
    hasToolParts = true
  }

  /// Keeps the address and the title of a source of a text.
  mutating func append(source value: LooseFields?) {
    let fields = value?.object("source", "details", "urlcitation") ?? value
    guard let address = fields?.text("url", "uri", "href"), address.contains(":") else { return }
    let title = fields?.text("title", "name", "attribution").flatMap { $0.isEmpty ? nil : $0 }
    if let known = sources.firstIndex(where: { $0.address == address }) {
      sources[known].title = sources[known].title ?? title
    } else {
      sources.append((address, title))
    }
  }

  /// A part of a text, in the form of OpenAI's, Anthropic's and Google's APIs, and of the exports that are based on
  /// them.
  private mutating func read(part fields: LooseFields, _ value: JSONValue) {
    let kind = LooseFields.plain(fields.text("type", "contenttype") ?? "")
    if fields.toolPart != nil { return appendToolPart(value) }
    switch kind {
    case _ where Self.isThought(fields): readReasoning(fields)
    case "error": failure = fields.text("error", "text", "message") ?? ""
    case "imageurl", "image", "inputimage", "imageassetpointer", "videourl", "video": readImage(fields, kind)
    case "file", "inputfile", "document", "audio", "inputaudio", "audioassetpointer",
      "realtimeaudiovideoassetpointer":
      let name =
        fields.text("name", "filename", "assetpointer", "title") ?? fields.object("file")?.text("filename")
      if let file = InlineFile(of: fields, name: name) {
        inlineFiles.append(file)
      } else {
        append(file: name ?? kind)
      }
      if kind == "audio" || kind == "document", let text = fields.text("transcript") { append(text) }
    case "audiotranscription": append(fields.text("text") ?? "")
    case "" where fields["inlinedata"] != nil:
      if let file = InlineFile(of: fields, name: nil) { inlineFiles.append(file) } else { isWhole = false }
    default:
      for source in fields["citations", "annotations"]?.array ?? [] { append(source: LooseFields(source)) }
      if let text = fields["text", "content", "parts", "value", "result", "summary"] { return read(text) }
      if kind.isEmpty { isWhole = false } else { others.append(value) }
    }
  }

  private static func isThought(_ fields: LooseFields) -> Bool {
    let kind = LooseFields.plain(fields.text("type", "contenttype") ?? "")
    return kind.contains("think") || kind.contains("reason") || fields["thought"]?.bool == true
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
      if let file = InlineFile(of: fields, name: fields.text("name", "filename")) {
        return inlineFiles.append(file)
      }
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
    if fields.names.contains(where: { !Self.known.contains($0) && fields[$0].map(Self.hasBytes) == true }) {
      hasBytesInside = true
    }
    model = fields.text("model", "modelname", "modelslug", "modelid")
    for source in fields["sources", "citations", "annotations"]?.array ?? [] {
      append(source: LooseFields(source))
    }
    for name in ["toolcalls", "functioncall"] {
      if let calls = fields.first([name]), !calls.elements.isEmpty { appendToolPart(calls) }
    }
  }

  /// Whether a text in the value is a data URL (RFC 2397).
  private static func hasBytes(_ value: JSONValue) -> Bool {
    switch value {
    case .text(let text): InlineFile.isAddress(text)
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

  /// Reads the names of files. The bytes of a file with a checksum are beside the imported file.
  ///
  /// - Parameter haveAddresses: whether the addresses have been read.
  mutating func readFiles(_ value: JSONValue?, haveAddresses: Bool = false) {
    for file in value?.array ?? [] {
      guard let fields = LooseFields(file) else { continue }
      if fields.text("checksum") != nil {
        hasAttachments = true
        continue
      }
      let name =
        fields.text("name", "filename", "title") ?? fields.object("file", "meta")?.text("name", "filename")
      if !haveAddresses, let file = InlineFile(of: fields, name: name) {
        inlineFiles.append(file)
        continue
      }
      if Self.hasBytes(file) { hasBytesInside = hasBytesInside || !haveAddresses }
      if let address = fields.text("url", "uri", "href"), fields.text("name") == nil {
        if !haveAddresses, !InlineFile.isAddress(address) { append(file: address) }
        continue
      }
      append(file: name ?? "file")
      if let text = fields.text("extractedcontent"), !text.isEmpty { others.append(file) }
    }
  }

  /// The engine's own metadata from an export, or the values that have no other place here.
  mutating func metadata(_ fields: LooseFields) -> Data? {
    if let own = fields.text("metadata").flatMap({ Data(base64Encoded: $0) }) { return own }
    var metadata = EntryMetadata(object: [:])
    if let value = fields["metadata"], value.object != nil { metadata.set("metadata", value) }
    isCut = !add(to: &metadata, model: model)
    return metadata.data
  }

  mutating func metadata(model: String?) -> Data? {
    var metadata = EntryMetadata(object: [:])
    isCut = !add(to: &metadata, model: model ?? self.model)
    return metadata.data
  }

  /// Whether a part did not fit into the metadata.
  private(set) var isCut = false

  /// Returns whether everything fits.
  private func add(to metadata: inout EntryMetadata, model: String?) -> Bool {
    if let model { metadata.set("model", .text(model)) }
    let sources = sources.map { source in
      JSONValue.object(
        ["url": .text(source.address)].merging(source.title.map { ["title": .text($0)] } ?? [:]) { $1 })
    }
    let lists = [("files", files.map(JSONValue.text)), ("sources", sources), ("parts", others)]
    return lists.map { metadata.append($1, to: $0) }.allSatisfy(\.self)
  }
}

/// The metadata of an imported message: the values of its app that have no other place here. At most
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

  /// Adds those values to a list that still fit. Each is encoded once. Returns whether all do.
  mutating func append(_ values: [JSONValue], to name: String, inFront: Bool = false) -> Bool {
    guard !values.isEmpty else { return true }
    let list = object[name]?.array ?? []
    var larger = object
    larger[name] = .array(list)
    var room = MessageContent.maximumMetadataBytes - (JSONValue.object(larger).data?.count ?? .max)
    let kept = values.filter { value in
      let bytes = (value.data?.count ?? .max - 1) + 1
      guard bytes <= room else { return false }
      room -= bytes
      return true
    }
    if !kept.isEmpty { object[name] = .array(inFront ? kept + list : list + kept) }
    return kept.count == values.count
  }

  /// Adds the metadata of an earlier message that belongs to this one. Returns whether everything fits.
  mutating func bring(_ earlier: EntryMetadata) -> Bool {
    var isWhole = true
    for (name, value) in earlier.object.sorted(by: { $0.key > $1.key }) {
      if let values = value.array, object[name].map({ $0.array != nil }) ?? true {
        isWhole = append(values, to: name, inFront: true) && isWhole
      } else if object[name] == nil {
        isWhole = set(name, value) && isWhole
      }
    }
    return isWhole
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

extension LooseFields {
  private static let toolFields = [
    "functioncall", "functionresponse", "executablecode", "codeexecutionresult", "tooluse", "toolresult",
  ]

  /// The value itself when it is a tool part: a call, or its result. Those of Google's API have no type.
  var toolPart: JSONValue? {
    let kind = LooseFields.plain(text("type", "contenttype") ?? "")
    let isOfTool =
      kind.isEmpty
      ? self["role"] == nil && Self.toolFields.contains { self[$0]?.object != nil }
      : kind.contains("tool") || kind.contains("function") || kind.hasSuffix("call")
        || kind.hasSuffix("calloutput")
    return isOfTool ? value : nil
  }
}
