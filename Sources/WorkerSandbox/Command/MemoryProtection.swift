internal import CLinux
import Locks

/// Prevents other processes of the same user from reading the memory and the environment of this
/// process while the value exists: `PR_SET_DUMPABLE` is 0.
///
/// The setting belongs to the whole process, so the instances are counted: the first one sets it,
/// and the end of the last one restores the old value. Until then the process writes no core dump,
/// and a debugger of the same user cannot attach to it.
package struct MemoryProtection: ~Copyable {
    private struct State {
        var count = 0
        var before: Int32 = 1
    }

    private static let state = Locked(State())

    /// Whether the process is protected now, by an instance or by the system.
    package static var isInForce: Bool { clinux_prctl(PR_GET_DUMPABLE, 0) != 1 }

    package init() {
        Self.state.withLock { state in
            if state.count == 0 {
                state.before = clinux_prctl(PR_GET_DUMPABLE, 0)
                _ = clinux_prctl(PR_SET_DUMPABLE, 0)
            }
            state.count += 1
        }
    }

    deinit {
        Self.state.withLock { state in
            state.count -= 1
            // Only the system may set 2: a process that it has protected keeps its protection.
            if state.count == 0 && state.before == 1 { _ = clinux_prctl(PR_SET_DUMPABLE, 1) }
        }
    }
}
