internal import CLinux
import Glibc

/// The kernel's access control that a process applies to itself: see landlock(7).
enum Landlock {
    enum Outcome {
        /// In force, with this version of the kernel's interface.
        case closed(version: Int)
        case missing(reason: String)
    }

    /// Denies this thread, and the threads that it starts, all files that are not open yet, all
    /// connections, and signals to other processes, as far as the kernel supports it.
    static func close() -> Outcome {
        let version = clinux_landlock_version()
        guard version > 0 else { return .missing(reason: String(cString: strerror(errno))) }
        guard ProcessState.threadCount == 1 else {
            return .missing(reason: "the process has more than one thread")
        }
        var rules = clinux_landlock_rules(
            files: widest(\.files), network: widest(\.network), scopes: widest(\.scopes))
        let descriptor = clinux_landlock_create(&rules)
        defer { if descriptor >= 0 { Glibc.close(descriptor) } }
        guard descriptor >= 0, clinux_landlock_restrict(descriptor) == 0 else {
            return .missing(reason: String(cString: strerror(errno)))
        }
        return .closed(version: Int(version))
    }

    /// All rights of a kind that this kernel knows.
    ///
    /// The kernel assigns bits in order and rejects a set with an unknown bit. So rights that
    /// future kernels add are denied as well, although their names are unknown here.
    private static func widest(_ kind: WritableKeyPath<clinux_landlock_rules, UInt64>) -> UInt64 {
        for count in (1...64).reversed() {
            var rules = clinux_landlock_rules(files: 0, network: 0, scopes: 0)
            rules[keyPath: kind] = UInt64.max >> UInt64(64 - count)
            let descriptor = clinux_landlock_create(&rules)
            guard descriptor >= 0 else { continue }
            Glibc.close(descriptor)
            return rules[keyPath: kind]
        }
        return 0
    }
}
