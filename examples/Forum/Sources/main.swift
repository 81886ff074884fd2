import Foundation
import HoldfastTesting

// Runs the suite for transports against the one to the forum, with the forum's server in this process. With `--fault`, the
// transport has a fault, and the suite names the cases that find it.
let options = Set(CommandLine.arguments.dropFirst())
let hasFault = options.contains("--fault")
var suite = TransportConformance(patience: .seconds(hasFault ? 5 : 30))
if hasFault { suite.cases.removeAll { !$0.name.contains("without a receipt") } }
let report = try await suite.run(on: ForumBackend(forgetsNonces: hasFault)) { entry in
  if options.contains("--verbose") { print("  \(entry.name): \(entry.outcome)") }
}
print(report)
exit(report.isPassed ? 0 : 1)
