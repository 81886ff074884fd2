import ArgumentParser

/// The options that name a store, for commands whose argument is another file.
struct StoreChoice: ParsableArguments, NamingStore {
  @Option(help: "The store's folder.", completion: .directory) var store: NamedPath?
  @Option(help: "The name of a store in the user's data folder, instead of a folder.") var name: String?
  @Flag(help: "Print one JSON object.") var json = false

  var places: [NamedPath?] { [store] }

  func validate() throws { try requireOne("Give either --store FOLDER or --name NAME.") }
}
