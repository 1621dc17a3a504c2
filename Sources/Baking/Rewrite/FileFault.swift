import Glibc

/// A call of the file system that failed.
package struct FileFault: Error, Equatable, CustomStringConvertible {
    /// What was tried, as an infinitive: `read`, `write`.
    package var operation: String
    package var path: String
    /// The value of `errno`.
    package var code: Int32

    init(_ operation: String, _ path: String, code: Int32 = errno) {
        self.operation = operation
        self.path = path
        self.code = code
    }

    /// The system's own words for the cause, with what to do where there is something.
    package var reason: String {
        let cause = String(cString: strerror(code))
        return switch code {
        case ENOSPC, EDQUOT: "\(cause); make room and run again"
        case EACCES, EPERM: "\(cause); check who owns it and its mode"
        case EILSEQ: "its name is not UTF-8, so it was skipped; rename it"
        default: cause
        }
    }

    package var description: String { "could not \(operation) \(path): \(reason)" }
}
