import Foundation

/// Runs the command as a process of its own, to its end. Standard output and standard error are returned together.
package func holdfast(_ arguments: String...) throws -> (status: Int32, output: String) {
  try run(arguments, by: "holdfast")
}

/// Runs the lab's command as ``holdfast(_:)`` runs the other one.
package func holdfastLab(_ arguments: String...) throws -> (status: Int32, output: String) {
  try run(arguments, by: "holdfast-lab")
}

private func run(_ arguments: [String], by program: String) throws -> (status: Int32, output: String) {
  let (process, output) = try start(program, arguments)
  let data = output.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return (process.terminationStatus, String(decoding: data, as: UTF8.self))
}

/// Starts one of the two commands as a process of its own.
package func start(_ program: String, _ arguments: [String]) throws -> (process: Process, output: Pipe) {
  let process = Process()
  let output = Pipe()
  process.executableURL = Bundle.main.bundleURL.appending(path: program)
  process.arguments = arguments
  process.standardOutput = output
  process.standardError = output
  try process.run()
  return (process, output)
}
