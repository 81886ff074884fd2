import GRDB
import HoldfastCore

/// The counts of metrics.
package struct MetricRows<Access: Reading>: StoreTable {
  let db: Access
}

extension StoreTables where Self: Reading {
  package var metrics: MetricRows<Self> { MetricRows(db: self) }
}

extension MetricRows where Access == Transaction {
  /// Adds to the counts of a metric, by bucket.
  package func add(_ metric: String, _ counts: [Int: Int]) throws {
    for (bucket, count) in counts.sorted(by: { $0.key < $1.key }) {
      try run(
        """
        INSERT INTO metric (name, bucket, count) VALUES (?, ?, ?)
        ON CONFLICT DO UPDATE SET count = count + excluded.count
        """, [metric, bucket, count])
    }
  }
}

private enum MetricColumn: String, QueryColumn {
  case bucket, count

  static let buckets = select("FROM metric WHERE name = ?")
}

extension MetricRows {
  /// The counts of a metric, by bucket.
  package func counts(of metric: String) throws -> [Int: Int] {
    let counts = try rows(MetricColumn.buckets, [metric]) { row in (row[.bucket] as Int, row[.count] as Int) }
    return Dictionary(uniqueKeysWithValues: counts)
  }
}
