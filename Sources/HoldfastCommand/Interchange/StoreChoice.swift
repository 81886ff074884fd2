import ArgumentParser
import Foundation
import Holdfast

/// Which store is meant, where the command's argument is another file.
struct StoreChoice: ParsableArguments, Answering {
  @Option(help: "The store's folder.", completion: .directory) var store: String?
  @Option(help: "The store of this name in the user's data folder, instead of a folder.") var name: String?
  @Flag(help: "Print one JSON object.") var json = false

  func validate() throws {
    guard (store == nil) != (name == nil) else {
      throw ValidationError("Give either --store FOLDER or --name NAME.")
    }
  }

  /// The folder, which may not be there.
  func location() throws -> URL {
    if let name { return try StorageLocation.applicationSupport(name).resolve() }
    return URL(fileURLWithPath: store ?? ".").standardizedFileURL
  }
}
