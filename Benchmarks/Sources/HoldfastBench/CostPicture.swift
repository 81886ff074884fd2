/// Draws how the cost of one message grows with the history.
struct CostPicture {
  init(_ report: Report) throws {
  }
  func svg() -> String { "" }
}
