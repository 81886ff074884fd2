import Foundation
import HoldfastTesting

// Runs the suite for transports against the one to the forum, with the forum's server in this process:
//
//   --no-replay         the server's socket tells only what is new
//   --network PROGRAM   `holdfast-lab` at that path lets the network fail, which takes minutes
//   --fault             the transport has a fault, and the suite names the case that finds it
//   --verbose           each case with its outcome
let arguments = CommandLine.arguments
let options = Set(arguments)
let program = arguments.firstIndex(of: "--network").map { URL(filePath: arguments[$0 + 1]) }
let hasFault = options.contains("--fault")
var suite = TransportConformance(patience: .seconds(hasFault ? 3 : 30))
if hasFault { suite.cases.removeAll { !$0.name.contains("without a receipt") } }
let backend = ForumBackend(
  forgetsNonces: hasFault, replays: !options.contains("--no-replay"), program: program)
let report = try await suite.run(on: backend) { entry in
  if options.contains("--verbose") { print("  \(entry.name): \(entry.outcome)") }
} beginning: { next in
  // In a pipe, a buffered line would wait for others.
  print("  \(next.name) …")
  fflush(nil)
}
print(report)
exit(report.isPassed ? 0 : 1)
