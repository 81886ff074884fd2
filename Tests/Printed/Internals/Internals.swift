// The undeclared names used by the blocks of the package's own targets.
import HoldfastRelay
import HoldfastStore

let connector: any FrameConnector = some()
@MainActor let reading: Reading = some()
struct QuotedMessage { var sender: String, text: String }
