import Foundation
import Testing

/// The manifest declares the calls for which Apple requires a reason, as listed in "Describing use of required
/// reason API".
@Suite struct PrivacyManifestTests {
  private struct Manifest: Decodable {
    struct Access: Decodable {
      var category: String
      var reasons: [String]

      enum CodingKeys: String, CodingKey {
        case category = "NSPrivacyAccessedAPIType"
        case reasons = "NSPrivacyAccessedAPITypeReasons"
      }
    }
    var accesses: [Access]

    enum CodingKeys: String, CodingKey { case accesses = "NSPrivacyAccessedAPITypes" }
  }

  /// The names in each category that Swift code can use.
  private static let names = [
    "FileTimestamp": [
      "stat", "fstat", "fstatat", "lstat", "creationDate", "modificationDate", "contentModificationDateKey",
      "creationDateKey", "fileModificationDate", "getattrlist", "getattrlistat", "getattrlistbulk",
      "fgetattrlist",
    ],
    "SystemBootTime": ["systemUptime", "mach_absolute_time"],
    "DiskSpace": [
      "statfs", "statvfs", "fstatfs", "fstatvfs", "systemFreeSize", "systemSize",
      "volumeAvailableCapacityKey",
      "volumeAvailableCapacityForImportantUsageKey", "volumeAvailableCapacityForOpportunisticUsageKey",
      "volumeTotalCapacityKey",
    ],
    "ActiveKeyboards": ["activeInputModes"],
    "UserDefaults": ["UserDefaults"],
  ]
  private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")

  private func manifest() throws -> Manifest {
    let file = Self.sources.appendingPathComponent("Holdfast/PrivacyInfo.xcprivacy")
    return try PropertyListDecoder().decode(Manifest.self, from: Data(contentsOf: file))
  }

  /// The words of the targets that an app links.
  private func words() throws -> Set<String> {
    var words: Set<String> = []
    for target in [
      "HoldfastCore", "HoldfastTransport", "HoldfastStore", "HoldfastRelay", "Holdfast",
      "HoldfastCredentials",
      "HoldfastRescue", "HoldfastNetwork", "HoldfastWebSocket", "HoldfastFirestore",
      "HoldfastCompletions", "HoldfastHTTP", "HoldfastMatrix", "HoldfastAssistant", "HoldfastPresenters",
      "HoldfastSwiftUI",
    ] {
      let folder = Self.sources.appendingPathComponent(target)
      let files = try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil))
      for case let file as URL in files where file.pathExtension == "swift" {
        let code = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
          .filter { !$0.drop(while: \.isWhitespace).hasPrefix("//") }
        for line in code {
          words.formUnion(line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init))
        }
      }
    }
    return words
  }

  @Test func `the manifest declares each category of calls that the engine uses, and no other`() throws {
    let words = try words()
    let used = Self.names.filter { !words.isDisjoint(with: $0.value) }.keys
    let declared = try manifest().accesses.map(\.category)
    #expect(Set(declared) == Set(used.map { "NSPrivacyAccessedAPICategory" + $0 }))
    #expect(declared.count == Set(declared).count)
  }

  @Test func `the manifest gives the reasons for its calls`() throws {
    let reasons = try manifest().accesses.map(\.reasons)
    #expect(reasons == [["C617.1", "3B52.1"], ["E174.1"]])
  }
}
