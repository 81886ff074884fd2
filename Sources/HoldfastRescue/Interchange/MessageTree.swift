/// The messages of a conversation that may have branches, in the order in which they were shown. Pure.
///
/// ```
///   question ─┬─ first answer                 a branch: it stays beside the second answer
///             └─ second answer ── thanks      shown: the leaf that the file names, or the last message
/// ```
struct MessageTree {
  /// One message, identified by its offset in the file.
  struct Node: Equatable {
    var link: MessageLink?
    var offset: Int64
    /// The message's number in the file.
    var number: Int
    /// The range of the nested messages that follow it. Nil when they are elsewhere.
    var children: Range<Int64>?
    /// Nil when it has no readable date.
    var date: Int64?
  }

  private let nodes: [Node]
  private let indices: [String: Int]

  init(_ nodes: [Node]) {
    self.nodes = nodes
    indices = Dictionary(
      nodes.enumerated().compactMap { index, node in node.link.map { ($0.id, index) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// The shown messages in order, each with the unshown messages beside it.
  func shown(upTo leaf: String?) -> [(node: Node, beside: [Node])] {
    guard nodes.contains(where: { $0.link?.parent != nil }) else { return byDate.map { ($0, []) } }
    let path = path(to: leaf.flatMap { indices[$0] } ?? lastLeaf)
    let places = Dictionary(uniqueKeysWithValues: path.enumerated().map { ($1, $0) })
    var beside = Array(repeating: [Node](), count: path.count)
    var known = places
    for index in nodes.indices where places[index] == nil {
      beside[min(place(of: index, &known) + 1, path.count - 1)].append(nodes[index])
    }
    return zip(path, beside).map { (nodes[$0], $1) }
  }

  /// Messages without links, in order, or by their dates if the newest comes first.
  private var byDate: [Node] {
    var order = DateOrder()
    for node in nodes { order.note(node.date) }
    guard order.isNewestFirst else { return nodes }
    return nodes.sorted { ($0.date ?? 0, $0.number) < ($1.date ?? 0, $1.number) }
  }

  private func parent(of index: Int) -> Int? { nodes[index].link?.parent.flatMap { indices[$0] } }

  private func path(to leaf: Int) -> [Int] {
    var (path, seen): ([Int], Set<Int>) = ([], [])
    var next: Int? = leaf
    // A damaged file may have a cycle.
    while let index = next, seen.insert(index).inserted {
      path.append(index)
      next = parent(of: index)
    }
    return path.reversed()
  }

  /// The last message without a successor.
  private var lastLeaf: Int {
    let parents = Set(nodes.indices.compactMap(parent))
    return nodes.indices.last { !parents.contains($0) } ?? nodes.count - 1
  }

  /// The position on the shown path at which the branch of `index` begins, or -1 if it begins nowhere on the path.
  private func place(of index: Int, _ known: inout [Int: Int]) -> Int {
    var (next, passed, seen): (Int?, [Int], Set<Int>) = (index, [], [])
    while let index = next, known[index] == nil, seen.insert(index).inserted {
      passed.append(index)
      next = parent(of: index)
    }
    let place = next.flatMap { known[$0] } ?? -1
    for index in passed { known[index] = place }
    return place
  }
}
