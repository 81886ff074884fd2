import ArgumentParser
import Foundation
import Holdfast
import HoldfastStore

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// Finds messages in a store (rule H8).
struct Search: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Search the messages of a store. Its app may run meanwhile.",
    discussion: """
        holdfast search "ferry ticket" --name alice
        holdfast search istanbul --store ~/chats/alice --limit 200 --json

      Finds the messages that have all the words, or words that begin with them. In languages without spaces, words are \
      found anywhere. Case and accents make no difference. Nothing is changed. The \
      exit code is 0 also when nothing is found.
      """)

  @Argument(help: "The words to find.") var words: [String]
  @OptionGroup var store: StoreChoice
  @Option(help: "Search only the conversation with this ID.") var conversation: ConversationID?
  @Option(help: "The number of messages to show, the best ones first.") var limit = 20

  func validate() throws {
    guard words.contains(where: { !$0.allSatisfy(\.isWhitespace) }) else {
      throw ValidationError("Give a word to find.")
    }
    guard 1...10_000 ~= limit else { throw ValidationError("--limit must be 1 to 10000.") }
  }

  func run() throws {
    let folder = try store.location()
    do throws(ChatError) {
      let found = try StoreSearch.search(
        folder, for: words.joined(separator: " "), in: conversation,
        limit: limit)
      do { try store.show(found, plainLines: Self.lines(found, areMarked: isatty(1) == 1)) } catch { return }
    } catch {
      throw try store.fail(error, about: folder)
    }
  }

  /// - Parameter areMarked: whether the found words are highlighted, on a terminal.
  static func lines(_ found: SearchSnapshot, areMarked: Bool) -> [String] {
    var lines = found.hits.map { hit in
      let sender = hit.sender.rawValue.plainLine
      return "\(hit.createdAt.ISO8601Format())  \(hit.title.plainLine)  \(sender): "
        + (areMarked ? hit.excerpt.marked : hit.excerpt.text.plainLine)
    }
    if found.hits.isEmpty { lines.append("Nothing found.") }
    if found.hasMore {
      lines.append("There are more than these \(found.hits.count). To see more, raise --limit.")
    }
    if let progress = found.progress {
      lines.append(
        "Only \(Int(progress * 100)) % of the history is indexed. The app indexes the rest while it runs.")
    }
    return lines
  }
}

extension SearchSnapshot.Excerpt {
  fileprivate var marked: String {
    let line = PlainLine(text.unicodeScalars, cutAt: matches.flatMap { [$0.start, $0.end] })
    // Every second part is a match.
    return line.parts.enumerated().map { number, part in
      number.isMultiple(of: 2) ? part : "\u{1B}[1m\(part)\u{1B}[0m"
    }.joined()
  }
}
