// The models that an assistant asks.
@_exported import HoldfastCompletions
