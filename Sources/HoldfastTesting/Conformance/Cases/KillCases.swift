import Holdfast

extension TransportConformance.Case {
  /// Two phones that wrote offline send all of it to a server that is killed repeatedly.
  ///
  /// - Parameters:
  ///   - messages: the number of messages of both phones together.
  ///   - kills: the number of kills of the server, spread over the messages.
  package static func draining(_ messages: Int, kills: Int) -> Self {
    Self(
      "\(messages) messages arrive once and in order, although the server is killed \(kills) times",
      ["O6.3", "O11.3", "H11.2"], needs: [.fault(.kill)]
    ) { stage in
      let (alice, bob, chat) = try await stage.pair()
      guard let bob else { return }
      try await stage.sees(try alice.say(in: chat), in: chat, bob)
      try await stage.delivered(on: alice)
      let phones = [alice, bob]
      for phone in phones { try await stage.offline(phone) }
      let share = messages / 2
      try alice.say(times: messages - share - 1, in: chat)
      for _ in 0..<share { try bob.say(in: stage.present(chat), noted: chat) }
      for phone in phones { phone.path.set(isUp: true) }
      for kill in 1...max(1, kills) {
        let left = share * (kills + 1 - kill) / (kills + 1)
        try await stage.until("that \(left) messages are left", on: bob) {
          try $0.outbox.unsentCount() <= left ? true : nil
        }
        // At a different moment of a request each time.
        try await stage.pass(.milliseconds(40) * stage.environment.random())
        try await stage.killServer()
        try await stage.startServer()
      }
    }
  }
}
