/// The default HTTP client of a transport: the system's, or async-http-client on Linux with the trait `HTTPClient`.
package func defaultHTTPClient() -> any HTTPClient {
  #if (HTTPClient || Tools) && os(Linux)
    PooledHTTPClient()
  #else
    URLSessionHTTPClient()
  #endif
}
