internal import CLinux
internal import Files
import Glibc

/// The state of this process, read from `/proc`.
package enum ProcessState {
    /// The bytes of data and stack; nil if `/proc` does not report them.
    static var dataBytes: Int? {
        // The sixth number is in pages.
        let numbers = text(of: "/proc/self/statm").split(separator: " ")
        guard numbers.count > 5 else { return nil }
        return Int(numbers[5]).map { $0 * sysconf(Int32(_SC_PAGESIZE)) }
    }

    /// The number of threads; 0 if `/proc` does not report it.
    static var threadCount: Int {
        let line = text(of: "/proc/self/status").split(separator: "\n")
            .first { $0.hasPrefix("Threads:") }
        return line.flatMap { Int($0.drop { !$0.isNumber }) } ?? 0
    }

    /// The lines that describe its memory; empty if `/proc` does not report them.
    static var mappings: [Substring] { text(of: "/proc/self/maps").split(separator: "\n") }

    /// Closes every descriptor except the first three.
    package static func closeInheritedDescriptors() {
        _ = clinux_close_from(3)
    }

    /// Overwrites the environment variables that the process was started with, and removes them.
    static func forgetEnvironment() {
        var entry = environ
        while let variable = entry.pointee {
            memset(variable, 0, strlen(variable))
            entry += 1
        }
        clearenv()
    }

    /// The text of a file of the kernel, such as one in `/proc`; empty if it cannot be read.
    package static func text(of path: String) -> String {
        String(decoding: (try? readFile(path).bytes) ?? [], as: UTF8.self)
    }
}
