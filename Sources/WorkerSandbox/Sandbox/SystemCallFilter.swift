internal import CLinux
import Glibc

/// A filter that allows a process only the listed system calls.
///
/// All others fail with EPERM, as if a privilege were missing. Killing the process would not
/// protect better, because the call is not made in either case. But then every image would fail if
/// a new version of a library made one more harmless call.
struct SystemCallFilter {
    /// A call that is allowed if all conditions hold.
    struct Rule {
        let number: Int32
        let conditions: [Condition]

        init(_ number: Int32, _ conditions: Condition...) {
            self.number = number
            self.conditions = conditions
        }
    }

    /// A test of an argument, or of its lower half if the kernel uses only that.
    enum Condition {
        case isAny(argument: UInt32, [UInt32])
        /// None of these bits is set.
        case hasNone(argument: UInt32, UInt32)
        /// All 64 bits are 0.
        case isNull(argument: UInt32)
    }

    /// Instructions of the Berkeley packet filter, which operate on a `seccomp_data`.
    private(set) var program: [sock_filter] = []

    init(allowing rules: [Rule]) {
        // Calls in the convention of another architecture have other numbers.
        program.append(.load(Offset.architecture))
        program.append(.test(BPF_JEQ, clinux_architecture, yes: 1))
        program.append(.end(clinux_kill))
        program.append(.load(Offset.number))
        for rule in rules { append(rule) }
        for number in Self.answered { append(number, clinux_trap) }
        for number in Self.unknown { append(number, clinux_refuse | UInt32(ENOSYS)) }
        // glibc falls back to older calls if the error says that the kernel lacks a call. The
        // numbers of the x32 convention are also in this range.
        program.append(.test(BPF_JGE, Self.firstUnknown, no: 1))
        program.append(.end(clinux_refuse | UInt32(ENOSYS)))
        program.append(.end(clinux_refuse | UInt32(EPERM)))
    }

    private mutating func append(_ number: Int32, _ action: UInt32) {
        program.append(.test(BPF_JEQ, UInt32(number), no: 1))
        program.append(.end(action))
    }

    private mutating func append(_ rule: Rule) {
        guard !rule.conditions.isEmpty else { return append(rule.number, clinux_allow) }
        var body = Block()
        for condition in rule.conditions { body.append(condition) }
        body.instructions.append(.end(clinux_allow))
        // After a failed condition, the next rule needs the number again.
        body.endFailures()
        body.instructions.append(.load(Offset.number))
        program.append(
            .test(BPF_JEQ, UInt32(rule.number), no: UInt8(body.instructions.count)))
        program += body.instructions
    }
}

/// The offsets in a `seccomp_data` on little-endian machines.
private enum Offset {
    static let number: UInt32 = 0
    static let architecture: UInt32 = 4

    /// The lower half of the argument at `index`; the upper half follows it.
    static func argument(_ index: UInt32) -> UInt32 { 16 + 8 * index }
}

/// Tests that continue with the next one if they succeed, and jump to a common end if they fail.
private struct Block {
    var instructions: [sock_filter] = []
    /// The places of the tests, and whether each fails if its condition is true.
    private var failures: [(place: Int, isYes: Bool)] = []

    mutating func append(_ condition: SystemCallFilter.Condition) {
        switch condition {
        case .isAny(let argument, let values):
            instructions.append(.load(Offset.argument(argument)))
            for (index, value) in values.enumerated() {
                let left = UInt8(values.count - 1 - index)
                instructions.append(.test(BPF_JEQ, value, yes: left))
            }
            failures.append((instructions.count - 1, isYes: false))
        case .hasNone(let argument, let bits):
            instructions.append(.load(Offset.argument(argument)))
            instructions.append(.test(BPF_JSET, bits))
            failures.append((instructions.count - 1, isYes: true))
        case .isNull(let argument):
            for half: UInt32 in [0, 4] {
                instructions.append(.load(Offset.argument(argument) + half))
                instructions.append(.test(BPF_JEQ, 0))
                failures.append((instructions.count - 1, isYes: false))
            }
        }
    }

    /// Makes the failed tests jump to the current end.
    mutating func endFailures() {
        for (place, isYes) in failures {
            let distance = UInt8(instructions.count - place - 1)
            if isYes {
                instructions[place].jt = distance
            } else {
                instructions[place].jf = distance
            }
        }
    }
}

extension sock_filter {
    fileprivate static func load(_ offset: UInt32) -> sock_filter {
        sock_filter(code: UInt16(BPF_LD | BPF_W | BPF_ABS), jt: 0, jf: 0, k: offset)
    }

    fileprivate static func end(_ action: UInt32) -> sock_filter {
        sock_filter(code: UInt16(BPF_RET | BPF_K), jt: 0, jf: 0, k: action)
    }

    /// Skips the given number of instructions, depending on the outcome of the test.
    fileprivate static func test(
        _ test: Int32, _ value: UInt32, yes: UInt8 = 0, no: UInt8 = 0
    ) -> sock_filter {
        sock_filter(code: UInt16(BPF_JMP | test | BPF_K), jt: yes, jf: no, k: value)
    }
}
