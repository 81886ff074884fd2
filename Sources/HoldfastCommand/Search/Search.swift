import ArgumentParser
import Foundation
import Holdfast
import HoldfastStore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// Finds messages in a store (SPEC H8).
struct Search: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Find messages in a store, the best first, while its app runs.",
    discussion: """
        holdfast search "ferry ticket" --name alice
        holdfast search istanbul --store ~/chats/alice --limit 200 --json

      A message is found that has all the words, each from its beginning on; what is written without spaces is found in \
      the middle too. Case and accents make no difference. Nothing is changed. Exit codes are those of holdfast doctor, 0 \
      also when nothing is found.
      """)

  @Argument(help: "The words.") var words: [String]
  @OptionGroup var store: StoreChoice
  @Option(help: "Only in the conversation of this ID.") var conversation: String?
  @Option(help: "How many messages, from the best on.") var limit = 20

  func validate() throws {
    guard words.contains(where: { !$0.allSatisfy(\.isWhitespace) }) else {
      throw ValidationError("Give a word to look for.")
    }
    guard 1...10_000 ~= limit else { throw ValidationError("--limit is 1 to 10000.") }
  }

  func run() throws {
    let folder = try store.location()
    do throws(ChatError) {
      let found = try StoreSearch.search(
        folder, for: words.joined(separator: " "), in: conversation.map(ConversationID.init(rawValue:)),
        limit: limit)
      do { try store.show(found, lines: Self.lines(found, areMarked: isatty(1) == 1)) } catch { return }
    } catch {
      throw try store.fail(error)
    }
  }

  /// - Parameter areMarked: whether the found words stand out, on a terminal.
  static func lines(_ found: SearchSnapshot, areMarked: Bool) -> [String] {
    var lines = found.hits.map { hit in
      let place = "\(hit.createdAt.ISO8601Format())  \(hit.title)  \(hit.sender.rawValue): "
      return place.printable + (areMarked ? hit.excerpt.marked : hit.excerpt.text.printable)
    }
    if found.hits.isEmpty { lines.append("Nothing found.") }
    if found.hasMore { lines.append("There are more than these \(found.hits.count): give a higher --limit.") }
    if let progress = found.progress {
      lines.append(
        "Only \(Int(progress * 100)) % of the history is indexed: the app reads the rest while it runs.")
    }
    return lines
  }
}

extension SearchExcerpt {
  fileprivate var marked: String {
    let units = Array(text.printable.utf16)
    var (line, last) = ("", 0)
    for match in matches where match.start >= last && match.end <= units.count {
      line += String(decoding: units[last..<match.start], as: UTF16.self)
      line += "\u{1B}[1m" + String(decoding: units[match.start..<match.end], as: UTF16.self) + "\u{1B}[0m"
      last = match.end
    }
    return line + String(decoding: units[last...], as: UTF16.self)
  }
}

extension String {
  /// The text with its control characters replaced: a message from others must not move the cursor or set the
  /// terminal's title. The length in UTF-16 stays the same.
  fileprivate var printable: String {
    var scalars = String.UnicodeScalarView()
    scalars.append(
      contentsOf: unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 })
    return String(scalars)
  }
}
