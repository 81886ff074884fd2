import Testing

@testable import holdfast_lab

@Suite struct ProxyValveTests {
  @Test(arguments: [
    ("pass", ProxyOrder.pass), ("  refuse ", .refuse), ("reset", .reset), ("hole", .hole),
    ("lose", .lose(.reset)), ("lose close", .lose(.close)), ("lose silent", .lose(.silent)),
    ("half 3", .half(3, .reset)), ("half 0 close", .half(0, .close)), ("cut 12 silent", .cut(12, .silent)),
    ("delay 250", .delay(milliseconds: 250)),
  ])
  func `a line is an order`(line: String, order: ProxyOrder) {
    #expect(ProxyOrder(line) == order)
  }

  @Test(arguments: [
    "", "pas", "pass now", "lose everything", "lose reset close", "half", "half much", "half -1", "cut 1 2",
    "delay", "delay soon", "delay 600001", "Reset", "half 99999999999999999999",
  ])
  func `another line is no order`(line: String) {
    #expect(ProxyOrder(line) == nil)
  }

  @Test(arguments: [
    ("example.org:443", "example.org", 443), ("[::1]:80", "::1", 80), ("127.0.0.1:1", "127.0.0.1", 1),
  ])
  func `a target is a host and a port`(text: String, host: String, port: Int) throws {
    let target = try #require(Proxy.target(text))
    #expect(target == (host, port))
  }

  @Test(arguments: ["", "host", ":80", "host:", "host:0", "host:65536", "::1:80", "[]:80"])
  func `another target is invalid`(text: String) {
    #expect(Proxy.target(text) == nil)
  }

  @Test func `waiting -> draining when bytes go up, -> pass with the ending`() {
    var valve = ProxyValve()
    valve.obey(.lose(.close))
    #expect(valve.pass(9, .down) == (0, false))
    #expect(valve.pass(5, .up) == (5, true))
    #expect(valve.pass(5, .up) == (5, false))
    #expect(valve.pass(7, .down) == (0, false))
    #expect(valve.end() == .close)
    #expect(valve.order == .pass)
    #expect(valve.pass(7, .down) == (7, false))
    #expect(valve.end() == nil)
  }

  @Test func `half a request is as many bytes as were ordered, in as many pieces as they come`() {
    var valve = ProxyValve()
    valve.obey(.half(5, .silent))
    #expect(valve.pass(3, .up) == (3, false))
    #expect(valve.pass(4, .down) == (4, false))
    #expect(valve.pass(3, .up) == (2, true))
    #expect(valve.pass(3, .up) == (0, false))
    #expect(valve.end() == .silent)
  }

  @Test func `draining -> pass without an ending when another order comes`() {
    var valve = ProxyValve()
    valve.obey(.cut(0, .reset))
    #expect(valve.pass(3, .up) == (3, false))
    #expect(valve.pass(3, .down) == (0, true))
    valve.obey(.pass)
    #expect(valve.end() == nil)
    #expect(valve.pass(3, .down) == (3, false))
  }
}
