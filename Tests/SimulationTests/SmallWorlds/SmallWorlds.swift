import Testing

@testable import Holdfast
@testable import HoldfastCore

/// Each pure machine beside a model of it, through every order of events up to a depth. Simulated worlds draw a few
/// of very many orders; these tests walk all of a few.
///
/// Every test states the number of its orders. A changed number shows that the world has changed, and a world
/// without events cannot pass unnoticed. One walk runs at a time, so as not to delay the tests that wait for
/// sockets.
@Suite(.serialized) enum SmallWorlds {}
