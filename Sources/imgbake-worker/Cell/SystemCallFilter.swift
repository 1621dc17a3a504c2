internal import CLinux
import Glibc

/// What a worker may ask of the kernel: everything but what leads out of it.
///
/// A list of what is refused, not of what is allowed: Swift's runtime, GLib, fontconfig and the
/// encoders' threads call a few hundred things that differ between versions, and a worker that dies
/// of a harmless one helps nobody. What is refused fails with EPERM, as it would for want of a
/// privilege. Files can still be opened, since blobs and variants are files.
struct SystemCallFilter {
    /// Instructions of the Berkeley packet filter, which run on a `seccomp_data`.
    private(set) var program: [sock_filter] = []

    init() {
        // A call in the convention of another architecture would have other numbers.
        load(Offset.architecture)
        skipNext(when: BPF_JEQ, clinux_architecture)
        end(with: clinux_kill)
        load(Offset.number)
        #if arch(x86_64)
            // The numbers of the x32 convention have this bit.
            skipNext(unless: BPF_JGE, 0x4000_0000)
            end(with: clinux_refuse | UInt32(ENOSYS))
        #endif
        refuseNewProcesses()
        for number in Self.refused {
            skipNext(unless: BPF_JEQ, UInt32(number))
            end(with: clinux_refuse | UInt32(EPERM))
        }
        restrictArguments()
        end(with: clinux_allow)
    }

    /// A thread is a clone with `CLONE_THREAD`; whatever has not got it is a process.
    private mutating func refuseNewProcesses() {
        // Its flags lie in memory, where a filter cannot look. glibc falls back to clone.
        skipNext(unless: BPF_JEQ, UInt32(SYS_clone3))
        end(with: clinux_refuse | UInt32(ENOSYS))
        let isThread: [sock_filter] = [
            Self.instruction(BPF_LD | BPF_W | BPF_ABS, Offset.argument(0)),
            Self.instruction(BPF_JMP | BPF_JSET | BPF_K, UInt32(CLONE_THREAD), yes: 1),
            Self.instruction(BPF_RET | BPF_K, clinux_refuse | UInt32(EPERM)),
            Self.instruction(BPF_RET | BPF_K, clinux_allow),
        ]
        run(isThread, for: SYS_clone)
    }

    /// Calls that are needed for oneself and refused for anything else.
    private mutating func restrictArguments() {
        // abort() signals a thread of its own process.
        let isOwn: [sock_filter] = [
            Self.instruction(BPF_LD | BPF_W | BPF_ABS, Offset.argument(0)),
            Self.instruction(BPF_JMP | BPF_JEQ | BPF_K, UInt32(getpid()), yes: 1),
            Self.instruction(BPF_RET | BPF_K, clinux_refuse | UInt32(EPERM)),
            Self.instruction(BPF_RET | BPF_K, clinux_allow),
        ]
        run(isOwn, for: SYS_tgkill)
        // Would type into the terminal that standard error may be.
        let isNoTyping: [sock_filter] = [
            Self.instruction(BPF_LD | BPF_W | BPF_ABS, Offset.argument(1)),
            Self.instruction(BPF_JMP | BPF_JEQ | BPF_K, UInt32(TIOCSTI), no: 1),
            Self.instruction(BPF_RET | BPF_K, clinux_refuse | UInt32(EPERM)),
            Self.instruction(BPF_RET | BPF_K, clinux_allow),
        ]
        run(isNoTyping, for: SYS_ioctl)
    }
}

// MARK: - Instructions

extension SystemCallFilter {
    /// Where things are in a `seccomp_data`, of little-endian machines.
    private enum Offset {
        static let number: UInt32 = 0
        static let architecture: UInt32 = 4

        /// The lower half of the argument at `index`.
        static func argument(_ index: UInt32) -> UInt32 { 16 + 8 * index }
    }

    private static func instruction(
        _ code: Int32, _ value: UInt32, yes: UInt8 = 0, no: UInt8 = 0
    ) -> sock_filter {
        sock_filter(code: UInt16(code), jt: yes, jf: no, k: value)
    }

    private mutating func load(_ offset: UInt32) {
        program.append(Self.instruction(BPF_LD | BPF_W | BPF_ABS, offset))
    }

    private mutating func end(with action: UInt32) {
        program.append(Self.instruction(BPF_RET | BPF_K, action))
    }

    private mutating func skipNext(when test: Int32, _ value: UInt32) {
        program.append(Self.instruction(BPF_JMP | test | BPF_K, value, yes: 1))
    }

    private mutating func skipNext(unless test: Int32, _ value: UInt32) {
        program.append(Self.instruction(BPF_JMP | test | BPF_K, value, no: 1))
    }

    /// Runs `instructions`, all of whose ways end, for the call of that number.
    private mutating func run(_ instructions: [sock_filter], for number: Int32) {
        program.append(
            Self.instruction(
                BPF_JMP | BPF_JEQ | BPF_K, UInt32(number), no: UInt8(instructions.count)))
        program += instructions
    }
}
