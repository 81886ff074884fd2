import GRDB
import HoldfastCore

/// One snapshot of a store that is being read. Each noun of the store extends it with its queries. It is valid
/// only inside the closure that gets it.
package class Reading {
  let db: Database

  init(_ db: Database) { self.db = db }
}
