import ArgumentParser
import Foundation

/// A path on the command line. It is never empty: an empty one would be the current folder.
package struct NamedPath: ExpressibleByArgument {
  package let url: URL

  package init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    url = URL(fileURLWithPath: argument).standardizedFileURL
  }
}
