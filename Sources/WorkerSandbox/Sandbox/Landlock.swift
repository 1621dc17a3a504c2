internal import CLinux
import Glibc

/// The kernel's access control that a process puts on itself: see landlock(7).
enum Landlock {
    enum Outcome {
        /// In force, in the version of the kernel's interface.
        case closed(version: Int)
        case missing(reason: String)
    }

    /// Refuses this thread, and those that it starts, every file that is not open yet, every
    /// connection, and signals to other processes, as far as the kernel can.
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

    /// Every right of a kind that this kernel knows.
    ///
    /// The kernel gives out bits one after the other and refuses a set with a bit that it does not
    /// know. So the rights of future kernels are refused as well, by names that are unknown here.
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
