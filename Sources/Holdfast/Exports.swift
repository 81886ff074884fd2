// An app imports `Holdfast` alone: the values that its functions take and give are in the core.
@_exported import HoldfastCore
// `NetworkPath.followSystem()`.
@_exported import HoldfastNetwork
