import Foundation

#if FUZZING
  /// libFuzzer, as a function with the function under test.
  @_silgen_name("LLVMFuzzerRunDriver")
  private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ read: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
  ) -> CInt
#endif

/// Parses input from a server or a client: `HOLDFAST_FUZZ=frames fuzz-words …`.
///
/// When built for libFuzzer, as `scripts/fuzz.sh` does, the arguments are libFuzzer's. In a plain build they are
/// files and folders, each of which is parsed once. Without `HOLDFAST_FUZZ` they are folders like `Corpus`, with a
/// folder for each parser.
@main struct FuzzWords {
  static func main() {
    let name = ProcessInfo.processInfo.environment["HOLDFAST_FUZZ"]
    let parser = name.flatMap(Parser.init(rawValue:))
    guard name == nil || parser != nil else {
      return fail("HOLDFAST_FUZZ is one of \(Parser.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    #if FUZZING
      guard let parser else { return fail("HOLDFAST_FUZZ names the parser") }
      Parser.tried = parser
      var (count, arguments) = (CommandLine.argc, CommandLine.unsafeArgv)
      exit(
        runFuzzer(&count, &arguments) { start, count in
          Parser.tried.read(Array(UnsafeBufferPointer(start: start, count: count)))
          return 0
        })
    #else
      let places = CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) }
      guard !places.isEmpty else { return fail("name the files to read") }
      for parser in parser.map({ [$0] }) ?? Parser.allCases {
        let files = places.flatMap {
          Self.files(of: name == nil ? $0.appendingPathComponent(parser.rawValue) : $0)
        }
        for file in files { parser.read([UInt8]((try? Data(contentsOf: file)) ?? Data())) }
        print("\(parser.rawValue): \(files.count) files read")
        if files.isEmpty { return fail("\(parser.rawValue) has no files") }
      }
    #endif
  }

  /// The files of a folder, or a single file.
  private static func files(of place: URL) -> [URL] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: place.path, isDirectory: &isFolder) else { return [] }
    guard isFolder.boolValue else { return [place] }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
    return names.sorted().map { place.appendingPathComponent($0) }
  }

  private static func fail(_ reason: String) {
    FileHandle.standardError.write(Data("fuzz-words: \(reason)\n".utf8))
    exit(2)
  }
}
