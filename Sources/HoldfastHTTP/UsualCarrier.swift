/// The carrier of a transport: the system's client, or async-http-client on Linux where the trait `HTTPClient` asks for it.
package func usualCarrier() -> any HTTPCarrier {
  #if (HTTPClient || Tools) && os(Linux)
    AsyncHTTPCarrier()
  #else
    URLSessionCarrier()
  #endif
}
