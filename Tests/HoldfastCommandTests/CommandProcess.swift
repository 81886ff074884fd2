import Foundation

/// Runs the command as a separate process, to its end. Standard output and standard error are returned together.
func holdfast(_ arguments: String...) throws -> (status: Int32, output: String) {
  let (process, output) = try startHoldfast(arguments)
  let data = output.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  return (process.terminationStatus, String(decoding: data, as: UTF8.self))
}

/// Starts the command as a separate process.
func startHoldfast(_ arguments: [String]) throws -> (process: Process, output: Pipe) {
  let process = Process()
  let output = Pipe()
  process.executableURL = Bundle.main.bundleURL.appending(path: "holdfast")
  process.arguments = arguments
  process.standardOutput = output
  process.standardError = output
  try process.run()
  return (process, output)
}
