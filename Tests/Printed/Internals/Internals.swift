// What the blocks of the package's own targets use and do not declare.
import HoldfastRelay
import HoldfastStore

let connector: any FrameConnector = some()
@MainActor let reading: Reading = some()
struct QuotedMessage { var sender: String, text: String }
