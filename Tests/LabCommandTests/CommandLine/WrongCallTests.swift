import CommandFixtures
import Foundation
import Holdfast
import HoldfastStore
import Testing

@testable import holdfast_lab
@testable import HoldfastCommand

/// A command line that is wrong, or names a missing file: the command's exit code, and the beginning of its output.
///
/// In it, `@` is the folder of the test with a slash, and `%PORT` a port on which a server of models answers.
struct WrongCall: CustomTestStringConvertible {
  let arguments: [String]
  let exit: Int32
  let line: String

  /// The command that has the subcommand.
  var program: String {
    let ofLab = LabCommand.configuration.subcommands.map { $0._commandName }
    let name = arguments.first == "help" ? arguments.dropFirst().first : arguments.first
    return name != "relay" && ofLab.contains(name ?? "") ? "holdfast-lab" : "holdfast"
  }

  init(_ arguments: String, _ exit: Int32, _ line: String) {
    // Two quotes are an empty argument.
    self.arguments = arguments.split(separator: " ").map { $0 == "''" ? "" : String($0) }
    (self.exit, self.line) = (exit, "Error: " + line)
  }

  var testDescription: String { arguments.joined(separator: " ") }
}

/// The command runs as a separate process.
@Suite(.timeLimit(.minutes(10))) struct WrongCallTests {
  private static let nothing =
    "The file has nothing that can be imported. Looked for: a history.json, a queue of unsent messages, "
    + "a list of messages, drafts, and the exports of ChatGPT, Claude, Open WebUI, LibreChat, ShareGPT, "
    + "Facebook and Element. "
    + "Choose another file. (fileUnrecognized)"
  private static let unreadable =
    "The file cannot be read. Check that it exists, is a file, and that you may read it. (fileUnreadable)"
  private static let damaged =
    "@damaged: The store is damaged. It was left as it is; run holdfast doctor --salvage on it. (storageDamaged)"
  private static let foreign =
    "@foreign: The file is a database of something else. It was left as it is. (storageForeign)"
  private static let newer =
    "@newer: The store was written by a newer version. Update the app; nothing was changed. (storageNewer)"

  private static func missing(_ what: String = "store", in folder: String = "@nope") -> String {
    "There is no \(what) in \(folder). Check the path. (storageUnavailable)"
  }
  private static func noFolder(_ path: String, _ code: String = " (storageUnavailable)") -> String {
    "\(path) is no folder: a file is in its place. Choose another one.\(code)"
  }

  private static let general: [WrongCall] = [
    .init("nope", 64, "Unexpected argument 'nope'"),
    .init("--nope", 64, "Unknown option '--nope'"),
    .init("help nope", 64, "Unexpected argument 'nope'"),
    .init("help demo nope", 64, "Unexpected argument 'nope'"),
    .init("doctor @nope --foo", 64, "Unknown option '--foo'. Did you mean '--json'?"),
    .init("watch-path --foo", 64, "Unknown option '--foo'"),
    .init("matrix-bots", 64, "Missing expected argument '--server <server>'"),
    .init("firestore-emulator --port x", 64, "The value 'x' is invalid for '--port <port>'"),
  ]

  private static let stores: [WrongCall] =
    // The commands that read a store have the same errors for each.
    [
      "doctor", "doctor --salvage", "doctor --compact", "stats", "backup --to @new",
      "export --output @new --store",
      "search x --store",
    ].flatMap { command in
      [
        .init("\(command) @nope", 2, missing()),
        .init("\(command) @folder", 2, missing(in: "@folder")),
        .init("\(command) @dangling", 2, missing(in: "@dangling")),
        .init("\(command) @file", 2, "@file is a file. Name the folder of a store. (storageUnavailable)"),
        .init("\(command) @foreign", 2, foreign),
        .init("\(command) @newer", 2, newer),
        .init(
          "\(command) ''", 64,
          "The value '' is invalid for '\(command.hasSuffix("--store") ? "--store <store>" : "<folder>")'"),
      ]
    }
    + [
      "doctor", "doctor --compact", "stats", "backup --to @new", "export --output @new --store",
      "search x --store",
    ]
    .map { .init("\($0) @damaged", 1, damaged) }
    + [
      .init("doctor", 64, "Give either the store's folder or --name NAME."),
      .init("doctor @alice --name alice", 64, "Give either the store's folder or --name NAME."),
      .init("doctor --name ''", 64, "--name must be the name of a folder, without slashes."),
      .init("doctor --name ../x", 64, "--name must be the name of a folder, without slashes."),
      .init("doctor --salvage @damaged --user ''", 64, "The value '' is invalid for '--user <user>'"),
      .init("doctor @alice --user bob", 64, "--user needs --salvage."),
      .init("doctor @alice --salvage --compact", 64, "Give either --salvage or --compact."),
      .init(
        "doctor @alice/store.sqlite", 2,
        "@alice/store.sqlite is a file. Name the folder of a store. (storageUnavailable)"),
      .init("backup @alice", 64, "Missing expected argument '--to <to>'"),
      .init("backup @alice --to ''", 64, "The value '' is invalid for '--to <to>'"),
      .init(
        "backup @alice --to @file", 2,
        "@file has something in it already. Choose another folder. (alreadyThere)"),
      .init(
        "backup @alice --to @dangling", 2,
        "@dangling has something in it already. Choose another folder. (alreadyThere)"),
      .init(
        "backup @alice --to @full", 2,
        "@full has something in it already. Choose another folder. (alreadyThere)"),
      .init("backup @alice --to @file/x", 2, noFolder("@file")),
      .init(
        "backup @alice --to @alice/x", 2,
        "@alice/x lies in the folder that is copied. Choose another one. (alreadyThere)"),
      .init("restore @nope --to @new", 2, missing("backup")),
      .init("restore @folder --to @new", 2, missing("backup", in: "@folder")),
      .init(
        "restore @file --to @new", 2, "@file is a file. Name the folder of a backup. (storageUnavailable)"),
      .init("restore @foreign --to @new", 2, foreign),
      .init("restore @newer --to @new", 2, newer),
      .init(
        "restore @damaged --to @new", 1,
        "@damaged: The backup is damaged. Nothing was restored; try another one. (backupDamaged)"),
      .init(
        "restore @alice --to @file", 2,
        "@file has something in it already. Choose another folder. (alreadyThere)"),
      .init("restore @alice --to @file/x", 2, noFolder("@file")),
      .init("search --store @alice", 64, "Missing expected argument '<words> ...'"),
      .init("search '' --store @alice", 64, "Give a word to find."),
      .init("search x --store @alice --limit 0", 64, "--limit must be 1 to 10000."),
      .init(
        "search x --store @alice --conversation ''", 64,
        "The value '' is invalid for '--conversation <conversation>'"),
      .init("search x --store @alice --limit x", 64, "The value 'x' is invalid for '--limit <limit>'"),
    ]

  private static let files: [WrongCall] = [
    .init("export", 64, "Give either --store FOLDER or --name NAME."),
    .init(
      "export --store @alice --format xml", 64,
      "The value 'xml' is invalid for '--format <format>'. Please provide one of 'json' and 'text'."),
    .init("export --store @alice --output ''", 64, "The value '' is invalid for '--output <output>'"),
    .init(
      "export --store @alice --output @file", 2, "@file exists already. Choose another name. (alreadyThere)"),
    .init(
      "export --store @alice --output @folder", 2,
      "@folder exists already. Choose another name. (alreadyThere)"),
    .init(
      "export --store @alice --output @no/x", 2,
      "There is no folder @no. Make it, or choose another one. (storageUnavailable)"),
    .init(
      "export --store @alice --attachments --output @no/x", 2,
      "There is no folder @no. Make it, or choose another one. (storageUnavailable)"),
    .init(
      "export --store @alice --output @file/x", 2,
      "There is no folder @file. Make it, or choose another one. (storageUnavailable)"),
    .init("import", 64, "Missing expected argument '<file>'"),
    .init("import @history", 64, "Give either --store FOLDER or --name NAME."),
    .init("import '' --store @alice", 64, "The value '' is invalid for '<file>'"),
    .init("import @history --store ''", 64, "The value '' is invalid for '--store <store>'"),
    .init("import @history --store @alice --me ''", 64, "--author-field and --me need a name."),
    .init(
      "import @history --store @new --user ''", 64,
      "The value '' is invalid for '--user <user>'"),
    .init(
      "import @history --store @new", 2,
      "There is no store in @new. To create one, name its user with --user. (storageUnavailable)"),
    .init(
      "import @history --store @alice --user bob", 2,
      "@alice: The store belongs to another account. Use one folder for each account. (storageForeign)"),
    .init("import @history --store @file --user alice", 2, noFolder("@file")),
    .init("import @history --store @file/x --user alice", 2, noFolder("@file")),
    .init("import @history --store @dangling --user alice", 2, noFolder("@dangling")),
    .init("import @history --store @foreign --user alice", 2, foreign),
    .init("import @history --store @newer", 2, newer),
    .init("import @history --store @damaged", 1, damaged),
    .init("import @file --store @new --user alice", 2, "@file: " + nothing),
    .init("import @empty --store @new --user alice", 2, "@empty: " + nothing),
    .init("import @nope --store @new --user alice", 2, "@nope: " + unreadable),
    .init("import @folder --store @new --user alice", 2, "@folder: " + unreadable),
    .init("import @pipe --store @new --user alice", 2, "@pipe: " + unreadable),
    .init("import @dangling --store @new --user alice", 2, "@dangling: " + unreadable),
    .init("import @file --store @alice", 2, "@file: " + nothing),
  ]

  private static let servers: [WrongCall] = [
    .init("chat", 64, "Missing expected argument '--model <model>'"),
    .init("chat --model x", 64, "“x” is no address of a server. Give one such as http://127.0.0.1:8080/v1."),
    .init(
      "chat --model %MODEL --fields {bad --store @new", 64,
      "The fields are no JSON object. Give one such as {\"top_p\": 0.9}."),
    .init(
      "chat --model %MODEL --fields [] --store @new", 64,
      "The fields are no JSON object. Give one such as {\"top_p\": 0.9}."),
    .init(
      "chat --model %MODEL --api x", 64,
      "The value 'x' is invalid for '--api <api>'. Please provide one of 'chat', 'responses' or 'messages'."),
    .init(
      "chat --model %MODEL --silence-limit 0", 64, "A limit must be more than 0 and at most 86400 seconds."),
    .init(
      "chat --model %MODEL --first-word-limit inf", 64,
      "A limit must be more than 0 and at most 86400 seconds."),
    .init("chat --model %MODEL --key-file ''", 64, "The value '' is invalid for '--key-file <key-file>'"),
    .init(
      "chat --model %MODEL --conversation '' --store @new", 64,
      "The value '' is invalid for '--conversation <conversation>'"),
    .init(
      "chat --model 127.0.0.1:%PORT/vectors --store @new", 1,
      "By their names, the server's models do not chat: bge-m3. Name one of them with --name."),
    .init("chat --model %MODEL --key-file @nope --store @new", 2, "There is no key file at @nope."),
    .init(
      "chat --model %MODEL --key-file @file --store @new", 2,
      "Others can read the key file. Run: chmod 600 @file"),
    .init("chat --model %MODEL --key-file @empty --store @new", 2, "The key file at @empty is empty."),
    .init(
      "chat --model %MODEL --key-file @pipe --store @new", 2,
      "The key file at @pipe cannot be read. Check that it is a file."),
    .init("chat --model %MODEL --store @file", 2, noFolder("@file")),
    .init("chat --model %MODEL --store @foreign", 2, foreign),
    .init("chat --model %MODEL --store @newer", 2, newer),
    .init("chat --model %MODEL --store @damaged", 1, damaged),
    .init(
      "chat --model %MODEL --store @alice", 2,
      "@alice: The store belongs to another account. Use one folder for each account. (storageForeign)"),
    .init("relay", 64, "Missing expected argument '--data <data>'"),
    .init("relay --data ''", 64, "The value '' is invalid for '--data <data>'"),
    .init("relay --data @file", 2, noFolder("@file", "")),
    .init("relay --data @file/x", 2, noFolder("@file", "")),
    .init("relay --data @dangling", 2, noFolder("@dangling", "")),
    .init("relay --data @relay --port 99999", 64, "The value '99999' is invalid for '--port <port>'"),
    .init("relay --data @relay --port %PORT", 2, "Port %PORT is in use on 127.0.0.1. Choose another port."),
    .init("relay --data @relay --host x", 64, "--host must be an IPv4 or IPv6 address."),
    .init(
      "relay --data @relay --host 192.0.2.1", 2,
      "192.0.2.1 is no address of this machine. Choose another one with --host."),
    .init("relay --data @relay --account x", 64, "An account must be written as NAME:TOKEN."),
    .init(
      "relay --data @relay --account a:x --account b:x", 64,
      "An --account has the name or the token of another account. Choose another one."),
    .init("relay --data @relay --messages-per-second 0", 64, "--messages-per-second must be 1 to 1,000,000."),
    .init(
      "relay --data @relay --accounts-file ''", 64,
      "The value '' is invalid for '--accounts-file <accounts-file>'"),
    .init("relay --data @relay --accounts-file @nope", 2, "The accounts file cannot be read. Check @nope."),
    .init("relay --data @relay --accounts-file @pipe", 2, "The accounts file cannot be read. Check @pipe."),
    .init(
      "relay --data @relay --accounts-file @file", 2,
      "Other users may read the accounts file. Run: chmod 600 @file"),
    .init("proxy", 64, "Missing expected argument '--to <host:port>'"),
    .init("proxy --to x", 64, "--to must be HOST:PORT."),
    .init("proxy --to 127.0.0.1:1 --listen 99999", 64, "--listen must be a port, 0 to 65535."),
    .init("proxy --to 127.0.0.1:1 --host x", 64, "--host must be an IPv4 or IPv6 address."),
    .init(
      "proxy --to 127.0.0.1:1 --listen %PORT", 2, "Port %PORT is in use on 127.0.0.1. Choose another port."),
    .init(
      "demo --backend x", 64,
      "The value 'x' is invalid for '--backend <backend>'. "
        + "Please provide one of 'relay', 'device', 'firestore' or 'matrix'."
    ),
    .init("demo --data ''", 64, "The value '' is invalid for '--data <data>'"),
    .init("demo --data @file", 2, noFolder("@file")),
    .init("demo --data @dangling", 2, noFolder("@dangling")),
    .init(
      "demo --data @full", 2,
      "@full is not a folder of a demo: it has other files. Choose another folder with --data."),
    .init("demo --data @demo --port %PORT", 2, "Port %PORT is in use on 127.0.0.1. Choose another port."),
    .init(
      "demo --data @demo --assistant x", 64,
      "“x” is no address of a server. Give one such as http://127.0.0.1:8080/v1."),
    .init("phone", 64, "Missing expected argument '--name <name>'"),
    .init("phone --name alice --data @file", 2, noFolder("@file")),
    .init(
      "phone --name alice --data @phone --relay x", 64,
      "--relay: the address is neither ws nor wss; one is wss://chat.example.org/v1/connect."),
    .init(
      "phone --name '' --data @phone", 64,
      "A user's ID is 1 to 255 bytes without control characters. (malformedID)"),
    .init("simulate", 64, "Give either --seeds COUNT or --seed NUMBER."),
    .init("simulate --seeds 0", 64, "--seeds must be at least 1."),
    .init("simulate --seed 1 --messages 1000000000", 64, "--messages must be 0 to 10000."),
    .init("simulate --seed 1 --read-backs=-1", 64, "--read-backs must be 0 to 10000."),
    .init("simulate --seed 1 --quotas 5", 64, "--quotas must be 0 to 4."),
    .init("simulate --seeds x", 64, "The value 'x' is invalid for '--seeds <seeds>'"),
    .init(
      "simulate --seed 1 --faults x", 64,
      "--faults must be NAME=RATE,NAME=RATE or none. --help lists the names and rates."),
    .init("torture --minutes 0", 64, "--minutes must be more than 0 and at most 1440."),
    .init("torture --phones 99", 64, "--phones must be 2 to 8."),
    .init("conformance --case zzz", 64, "No case has 'zzz' in its name."),
    .init("conformance --kills 0", 64, "--kills and --messages must be 1 to 100000."),
    .init("conformance --messages 1000000000", 64, "--kills and --messages must be 1 to 100000."),
    .init(
      "conformance --transport x", 64,
      "The value 'x' is invalid for '--transport <transport>'. "
        + "Please provide one of 'device', 'simulated', 'events', 'relay' or 'matrix'."
    ),
  ]

  @Test func `a wrong call says what is wrong and what to do, and changes nothing`() async throws {
    try await withScratch { scratch, port in
      let before = try Self.contents(of: scratch)
      for call in Self.general + Self.stores + Self.files + Self.servers {
        func filled(_ text: String) -> String {
          text.replacing("@", with: scratch.path + "/").replacing("%MODEL", with: "http://127.0.0.1:%PORT/v1")
            .replacing("%PORT", with: String(port))
        }
        let (status, errors) = try await run(call.program, call.arguments.map(filled), in: scratch)
        let lines = errors.split(separator: "\n")
        #expect(status == call.exit, "\(call.testDescription): \(errors)")
        #expect(lines.first.map(String.init) == filled(call.line), "\(call.testDescription)")
        // The usage is that of the subcommand.
        let command =
          call.arguments.first.flatMap {
            $0.hasPrefix("-") || ["nope", "help"].contains($0) ? nil : " \($0)"
          }
          ?? ""
        #expect(
          lines.contains { $0.hasPrefix("Usage: \(call.program)\(command)") } == (call.exit == 64),
          "\(call.testDescription): \(errors)")
      }
      let after = try Self.contents(of: scratch)
      let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }
      #expect(changed.isEmpty)
    }
  }

  @Test func `an error of a program is one JSON object, with the same exit code`() async throws {
    let nowhere = FileManager.default.temporaryDirectory.appending(path: "nowhere-\(UUID().uuidString)")
    let (status, output) = try holdfast("doctor", nowhere.path, "--json")
    #expect(status == 2)
    let object = try JSONSerialization.jsonObject(with: Data(output.utf8)) as? [String: String]
    #expect(object?["error"] == "storageUnavailable")
    #expect(object?["message"] == "There is no store in \(nowhere.path). Check the path.")
  }

  @Test func `the version is that of the newest entry of the changelog`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let changes = try String(contentsOf: root.appending(path: "CHANGELOG.md"), encoding: .utf8)
    let version = try holdfast("--version")
    #expect(version.status == 0)
    #expect(changes.firstMatch(of: /\n## (\d+\.\d+\.\d+)/)?.1 == version.output.dropLast())
  }

  /// Every file and folder with its size, except those that a call may make or open before it is refused.
  private static func contents(of folder: URL) throws -> [String: Int] {
    var contents: [String: Int] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    where !["demo", "phone", "alice"].contains(name.split(separator: "/").first) && name != "errors" {
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.appending(path: name).path)
      contents[name] =
        attributes[.type] as? FileAttributeType == .typeRegular ? attributes[.size] as? Int : -1
    }
    return contents
  }

  /// Runs the command to its end, without an input. No thread waits for it: the server of models needs one.
  private func run(
    _ program: String, _ arguments: [String], in scratch: URL
  ) async throws -> (status: Int32, errors: String) {
    let file = scratch.appending(path: "errors")
    try Data().write(to: file)
    let process = Process()
    process.executableURL = Bundle.main.bundleURL.appending(path: program)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = try FileHandle(forWritingTo: file)
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    process.terminationHandler = { _ in end.finish() }
    try process.run()
    for await _ in ended {}
    return (process.terminationStatus, try String(contentsOf: file, encoding: .utf8))
  }

  private func withScratch(_ body: (URL, Int) async throws -> Void) async throws {
    let scratch = FileManager.default.temporaryDirectory.appending(
      path: "holdfast-wrong-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: scratch) }
    try Self.fill(scratch)
    try await withPages { request in
      let name = request.path.hasPrefix("/vectors") ? "bge-m3" : "tiny"
      return PageAnswer(
        status: .ok, headers: ["Content-Type": "application/json"],
        body: .data(Data(#"{"data":[{"id":"\#(name)"}]}"#.utf8)))
    } _: { port in
      try await body(scratch, port)
    }
  }

  private static func fill(_ scratch: URL) throws {
    let files = FileManager.default
    func place(_ name: String) -> URL { scratch.appending(path: name) }
    for name in ["folder", "full", "foreign", "damaged"] {
      try files.createDirectory(at: place(name), withIntermediateDirectories: true)
    }
    for name in ["file", "full/file"] { try Data("words\n".utf8).write(to: place(name)) }
    try Data().write(to: place("empty"))
    try files.setAttributes([.posixPermissions: 0o644], ofItemAtPath: place("file").path)
    try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: place("empty").path)
    try files.createSymbolicLink(at: place("dangling"), withDestinationURL: place("nowhere"))
    #expect(mkfifo(place("pipe").path, 0o600) == 0)
    let history = #"{"conversations":[{"id":"c","messages":[{"id":"m","role":"user","content":"x"}]}]}"#
    try Data(history.utf8).write(to: place("history"))
    try Data(repeating: 0xA5, count: 8192).write(to: place("damaged/store.sqlite"))
    let drafts = try DraftController(storage: .folder(place("alice")), user: "alice")
    drafts.composer(in: "notes").edit("half a thought")
    try drafts.suspend()
    try files.copyItem(at: place("alice"), to: place("newer"))
    try change(place("newer"), "INSERT INTO grdb_migrations VALUES ('version-999')")
    try change(place("foreign"), "CREATE TABLE book (title TEXT)")
  }

  private static func change(_ store: URL, _ sql: String) throws {
    let file = store.appending(path: "store.sqlite")
    let database = try openDurableDatabase(at: file, label: "test")
    try database.writeWithoutTransaction { try $0.execute(sql: sql) }
    try database.close()
  }
}
