// swift-format-ignore-file: AlwaysUseLowerCamelCase
//
// The declarations of stat(2) that Sources/ uses and that have another type on Darwin than in glibc, as documented
// in that manual page of macOS. Compiled together with the sources, so that they take precedence over glibc's.

typealias mode_t = UInt16

var S_IFMT: mode_t { 0o170000 }
var S_IFREG: mode_t { 0o100000 }

struct stat {
  var st_mode: mode_t = 0
  var st_size: Int64 = 0
}

func fstat(_ descriptor: Int32, _ status: UnsafeMutablePointer<stat>!) -> Int32 { -1 }

func fstatat(
  _ folder: Int32, _ path: UnsafePointer<CChar>, _ status: UnsafeMutablePointer<stat>!, _ flags: Int32
) -> Int32 { -1 }
