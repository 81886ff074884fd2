import Holdfast
import Synchronization

/// One device's network. It disconnects and reconnects, flaps, and now and then passes nothing while both sides
/// assume that it works.
final class DeviceNetwork: Sendable {
  private struct State {
    var isUpOpen = true
    var isDownOpen = true
    var isLiedTo = false
  }

  let path = NetworkPath(isUp: true)
  private let world: WorldState
  let device: String
  let credentials: Credentials
  private let state = Mutex(State())

  init(world: WorldState, device: String) {
    self.world = world
    self.device = device
    credentials = Credentials(world: world, device: device)
  }

  var isUpOpen: Bool { state.withLock { $0.isUpOpen } }
  var isDownOpen: Bool { state.withLock { $0.isDownOpen } }
  /// Whether the phone has received a forged frame that it may not have processed yet.
  var isLiedTo: Bool {
    get { state.withLock { $0.isLiedTo } }
    set { state.withLock { $0.isLiedTo = newValue } }
  }

  /// Runs the network's faults until the world heals.
  func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.loseNetwork() }
      group.addTask { await self.flap() }
      group.addTask { await self.part() }
      group.addTask { await self.credentials.run() }
    }
  }

  private func setPath(isUp: Bool) {
    path.set(isUp: isUp)
    credentials.nudge()
  }

  private func loseNetwork() async {
    await world.episodes(of: .lostNetwork, lasting: 100...8000) {
      world.count(.lostNetwork)
      world.trace(device, "loses its network")
      setPath(isUp: false)
    } end: {
      setPath(isUp: true)
      world.trace(device, "has its network back")
    }
  }

  private func flap() async {
    await world.episodes(of: .flapping, lasting: 1...1) {
      world.count(.flapping)
      world.trace(device, "has a network that flaps")
      let flaps = world.scheduler.draw { Int.random(in: 2...8, using: &$0) }
      for flap in 0..<flaps * 2 {
        setPath(isUp: flap % 2 == 1)
        let pause = world.scheduler.draw { $0.milliseconds(1...160) }
        try? await world.scheduler.sleep(until: world.scheduler.now + pause)
      }
    } end: {
    }
  }

  private func part() async {
    await world.episodes(of: .partition, lasting: 500...40_000) {
      world.count(.partition)
      let (up, down) = world.scheduler.draw { random in
        random.pick([(false, false), (false, true), (true, false)])!
      }
      world.trace(
        device, "is cut off\(up ? " from what the server says" : down ? " from sending to the server" : "")")
      state.withLock { ($0.isUpOpen, $0.isDownOpen) = (up, down) }
    } end: {
      state.withLock { ($0.isUpOpen, $0.isDownOpen) = (true, true) }
      world.trace(device, "is connected again")
    }
  }
}
