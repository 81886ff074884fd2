/// The messages of a conversation that may have branches, in the order in which they were shown. Pure.
///
/// ```
///   question ─┬─ first answer                 a branch: it stays beside the second answer
///             └─ second answer ── thanks      shown: the leaf is what the file names, or the last message
/// ```
struct MessageTree {
  /// One message, known by where it begins in the file.
  struct Node: Equatable {
    var link: MessageLink?
    var offset: Int64
    /// The message's number in the file.
    var number: Int
    /// Where the messages that follow it stand inside of it. Nil when they stand elsewhere.
    var children: Range<Int64>?
    /// Nil when it has none that can be read.
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

  /// The shown messages, in their order, and for each the messages that were not shown beside it.
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

  /// Messages that name no other one, in their order, or by their dates where the newest one is the first.
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
    // A damaged file may have a circle.
    while let index = next, seen.insert(index).inserted {
      path.append(index)
      next = parent(of: index)
    }
    return path.reversed()
  }

  /// The last message that no other one follows.
  private var lastLeaf: Int {
    let parents = Set(nodes.indices.compactMap(parent))
    return nodes.indices.last { !parents.contains($0) } ?? nodes.count - 1
  }

  /// The place on the shown path of the message at which the branch of `index` begins, or -1 where it begins nowhere.
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
