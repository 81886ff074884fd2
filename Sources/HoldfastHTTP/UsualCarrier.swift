/// The default HTTP client of a transport: the system's, or async-http-client on Linux with the trait `HTTPClient`.
package func usualCarrier() -> any HTTPCarrier {
  #if (HTTPClient || Tools) && os(Linux)
    AsyncHTTPCarrier()
  #else
    URLSessionCarrier()
  #endif
}
