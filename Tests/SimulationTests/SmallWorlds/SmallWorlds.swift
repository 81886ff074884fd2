import Testing

@testable import Holdfast
@testable import HoldfastCore

/// Each pure machine beside a model of it, through every order of events up to a depth. Where simulated worlds
/// draw a few orders of very many, these take all of very few.
///
/// Every test says how many orders it walked: a number that changes says that the world has changed, and a
/// world in which nothing can happen any more cannot pass unnoticed. One walk at a time, for the sake of the
/// tests that wait for sockets.
@Suite(.serialized) enum SmallWorlds {}
