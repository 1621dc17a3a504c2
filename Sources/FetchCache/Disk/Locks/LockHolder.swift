internal import Files
import Glibc

/// Another process that holds a lock of an open file description.
///
/// `F_OFD_GETLK` does not tell it, but the system lists the locks of each open file below `/proc`. A
/// process of another user or another container is not found.
struct LockHolder {
    let process: Int32
    /// Whether it was stopped by a signal.
    let isStopped: Bool

    /// The process that has locked the byte at an offset of the file of a descriptor; nil if none is
    /// found.
    init?(of descriptor: Int32, at offset: Int64) {
        guard let path = try? readLink("/proc/self/fd/\(descriptor)") else { return nil }
        for name in namesInFolder("/proc") {
            guard let process = Int32(name), process != getpid() else { continue }
            let folder = "/proc/\(name)/fd"
            let isHolder = namesInFolder(folder).contains { number in
                (try? readLink("\(folder)/\(number)")) == path
                    && Self.text("/proc/\(name)/fdinfo/\(number)").contains(
                        " \(offset) \(offset)\n")
            }
            guard isHolder else { continue }
            self.process = process
            let status = Self.text("/proc/\(name)/stat")
            // The name of the program, in brackets, precedes the state.
            let state = status[(status.lastIndex(of: ")") ?? status.startIndex)...].dropFirst(2)
            isStopped = state.first == "T"
            return
        }
        return nil
    }

    private static func text(_ path: String) -> String {
        (try? readFile(path, ofAnyKind: true).bytes).map { String(decoding: $0, as: UTF8.self) }
            ?? ""
    }
}
