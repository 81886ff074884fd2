import Foundation
import Holdfast
import HoldfastCore
import HoldfastStore

extension ImportSource {
  /// The usual file names of histories, queues and drafts in apps. Some have a folder of their own.
  public static let usualNames: Set = [
    "pending-messages.json", "message-queue.json", "history.json", "conversations.json", "drafts.json",
    "ConversationHistory/history.json",
  ]

  /// The keys of the user defaults under which apps keep queues, drafts by project, and the place of their window.
  /// The single draft of `draftInput` is found without being listed here, and so is a key that ends in
  /// `.messageQueue`, such as `com.example.chat.messageQueue`. `wasProcessing` marks a running request: it is listed
  /// without a format, because only the app knows its conversation.
  public static let usualKeys = [
    "appDraftInputs", "appRestorationState", "pendingMessages", "messageQueue", "offlineQueue",
  ]

  /// The sources in the usual places of the app's home folder. Nothing is imported or changed.
  ///
  /// The places are those that Apple documents for the files of an app: `Documents`, `Library/Application Support`,
  /// the app's own folder in it, and the app's user defaults in `Library/Preferences`, a property list that is named
  /// after the bundle's identifier ([File System Programming
  /// Guide](https://developer.apple.com/library/archive/documentation/FileManagement/Conceptual/FileSystemProgrammingGuide/FileSystemOverview/FileSystemOverview.html),
  /// [Preferences](https://developer.apple.com/library/archive/documentation/General/Conceptual/Devpedia-CocoaApp/Preferences.html)).
  /// On iOS, and in a sandbox on macOS, the home folder is the app's container. Folders inside these places are not
  /// searched.
  ///
  /// The system may write a value into the property list some time after the app has set it. An app should read its
  /// own defaults with ``values(of:keys:)``: a value that both find is imported once.
  ///
  /// - Parameters:
  ///   - home: the home folder. That of this process by default.
  ///   - bundle: the identifier of the app's bundle. That of this process by default. Nil: sources whose name
  ///     depends on the app are not found.
  ///   - names: the names of files.
  ///   - keys: the keys of the user defaults.
  /// - Returns: the sources, those in files first, in the same order each time. A file that cannot be read, or has
  ///   none of the formats, is listed without a format.
  public static func found(
    inHome home: URL = URL(fileURLWithPath: NSHomeDirectory(), isDirectory: true),
    bundle: String? = Bundle.main.bundleIdentifier, names: Set<String> = ImportSource.usualNames,
    keys: [String] = ImportSource.usualKeys
  ) -> [ImportSource] {
    let support = home.appendingPathComponent("Library/Application Support", isDirectory: true)
    // An identifier with a slash would lead to another folder.
    let bundle = bundle.flatMap { $0.contains("/") || $0.isEmpty ? nil : $0 }
    var folders = [home.appendingPathComponent("Documents", isDirectory: true), support]
    if let bundle { folders.append(support.appendingPathComponent(bundle, isDirectory: true)) }
    let files = folders.flatMap { folder in names.sorted().map { folder.appendingPathComponent($0) } }
    let sources = files.filter { FileManager.default.fileExists(atPath: $0.path) }.map(
      ImportSource.init(file:))
    guard let bundle else { return sources }
    let list = home.appendingPathComponent("Library/Preferences/\(bundle).plist")
    return sources + values(inPropertyList: list, keys: keys)
  }

  /// The sources among the values of an app's user defaults.
  ///
  /// ```swift
  /// let sources = ImportSource.values(of: UserDefaults.standard.dictionaryRepresentation(), keys: ["myQueue"])
  /// ```
  ///
  /// Texts, bytes of JSON, and arrays and dictionaries of a property list are read. The values of `draftInput`,
  /// `draftInputSessionId`, `draftInputProjectPath` and `draftInputTimestamp` are one source.
  ///
  /// - Parameters:
  ///   - defaults: the values by their keys.
  ///   - keys: the keys to read, besides those that end in `.messageQueue`. Other values may look like a queue, and
  ///     are never sent.
  public static func values(
    of defaults: [String: Any], keys: [String] = ImportSource.usualKeys
  ) -> [ImportSource] {
    values(of: defaults, keys: keys, in: nil)
  }

  private static func values(of defaults: [String: Any], keys: [String], in file: URL?) -> [ImportSource] {
    let single = singleDraft(defaults).map { [ImportSource(key: $0.key, data: $0.data, in: file)] } ?? []
    let queues = defaults.keys.filter { $0.hasSuffix(".messageQueue") && !keys.contains($0) }.sorted()
    let others = (keys + queues).compactMap { key in
      defaults[key].flatMap(PropertyListJSON.data).map { ImportSource(key: key, data: $0, in: file) }
    }
    return single + others + marks(defaults, file)
  }

  /// The marks of running requests: values that are only `true`.
  private static func marks(_ defaults: [String: Any], _ file: URL?) -> [ImportSource] {
    defaults.keys.filter { isNamed($0, "wasProcessing") && isSet(defaults[$0]) }.sorted().map {
      ImportSource(key: $0, data: Data("true".utf8), in: file)
    }
  }

  /// Whether a value means true: a property list may contain a number or a word instead.
  private static func isSet(_ value: Any?) -> Bool {
    switch value {
    case let flag as Bool: flag
    case let number as Int: number == 1
    case let word as String: ["1", "yes", "true"].contains(word.lowercased())
    default: false
    }
  }

  /// Whether a key has this name, alone or after the name of its app.
  private static func isNamed(_ key: String, _ name: String) -> Bool {
    key == name || key.hasSuffix("." + name)
  }

  /// The single draft as JSON, and its key. Nil when there is no text.
  private static func singleDraft(_ defaults: [String: Any]) -> (key: String, data: Data)? {
    let found = defaults.keys.filter { isNamed($0, "draftInput") }.min { $0.count < $1.count }
    guard let key = found, let text = defaults[key] as? String, !DraftContent(text).hasBlankText else {
      return nil
    }
    let app = key.dropLast("draftInput".count)
    var fields: [String: Any] = [:]
    for name in ["draftInput", "draftInputSessionId", "draftInputProjectPath", "draftInputTimestamp"] {
      fields[name] = defaults[app + name]
    }
    return PropertyListJSON.data(fields).map { (key, $0) }
  }

  /// The largest property list that is read. The system itself keeps user defaults far smaller.
  private static let largestList: Int64 = 64 << 20

  private static func values(inPropertyList file: URL, keys: [String]) -> [ImportSource] {
    guard let opened = try? OpenFile(reading: file), let count = try? opened.byteCount(),
      count <= largestList,
      let bytes = try? opened.read(Int(count), at: 0),
      let values = try? PropertyListSerialization.propertyList(from: bytes, format: nil) as? [String: Any]
    else { return [] }
    return Self.values(of: values, keys: keys, in: file)
  }
}

/// Values of a property list as JSON. Pure.
enum PropertyListJSON {
  /// Bytes and texts of JSON are unchanged. Bytes of a property list, arrays and dictionaries become JSON: bytes in
  /// them as base64, and dates as texts. Nil when the value has nothing to import.
  static func data(_ value: Any) -> Data? {
    switch value {
    case let bytes as Data where bytes.starts(with: "bplist".utf8):
      return (try? PropertyListSerialization.propertyList(from: bytes, format: nil)).flatMap(json)
    case let bytes as Data: return bytes
    case let text as String: return Data(text.utf8)
    default: return json(value)
    }
  }

  private static func json(_ value: Any) -> Data? {
    guard value is [Any] || value is [String: Any] else { return nil }
    let object = converted(value)
    guard JSONSerialization.isValidJSONObject(object) else { return nil }
    return try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
  }

  private static func converted(_ value: Any) -> Any {
    switch value {
    case let bytes as Data: bytes.base64EncodedString()
    case let date as Date: InterchangeDate.text(date.microseconds, withFraction: true)
    case let values as [Any]: values.map(converted)
    case let values as [String: Any]: values.mapValues(converted)
    default: value
    }
  }
}
