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

extension SystemCallFilter {
    /// The system calls that a process may make while it decodes, the frequent ones first.
    ///
    /// The allocator, threads and Swift's runtime need them. None of them takes a path, names
    /// another process or creates a descriptor from nothing.
    static var decoding: [Rule] { anyhow.map { Rule($0) } + memory + threads + own }

    /// The further system calls with which a worker receives a job and starts a process for it.
    ///
    /// They are denied to that process, which inherits this filter and adds its own. The worker
    /// itself never looks at an image.
    static let dispatching = [
        Rule(SYS_recvmsg, .isAny(argument: 0, [UInt32(STDIN_FILENO)])),
        Rule(SYS_pipe2), Rule(SYS_dup3), Rule(SYS_wait4),
        Rule(
            SYS_clone,
            .isAny(
                argument: 0,
                [UInt32(CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID) | UInt32(SIGCHLD)])),
        Rule(SYS_kill, .isAny(argument: 1, [UInt32(SIGKILL)])),
        // For the process of a job, whose number is not known yet.
        Rule(SYS_tgkill), Rule(SYS_prlimit64),
        Rule(SYS_prctl, .isAny(argument: 0, [UInt32(PR_SET_PDEATHSIG)])),
        Rule(SYS_seccomp, .isAny(argument: 0, [UInt32(SECCOMP_SET_MODE_FILTER)])),
        // See `SharedMemory`.
        Rule(SYS_memfd_create), Rule(SYS_ftruncate),
        Rule(
            SYS_mmap,
            .isAny(argument: 2, [UInt32(PROT_READ | PROT_WRITE), UInt32(PROT_READ | PROT_EXEC)]),
            .isAny(argument: 3, [UInt32(MAP_SHARED | MAP_FIXED)])),
    ]

    private static let anyhow: [Int32] =
        [
            SYS_futex, SYS_read, SYS_write, SYS_lseek, SYS_close, SYS_brk, SYS_munmap, SYS_mremap,
            SYS_madvise, SYS_rt_sigprocmask, SYS_pread64, SYS_readv, SYS_writev, SYS_fstat,
            SYS_set_robust_list, SYS_rseq, SYS_sched_yield, SYS_sched_getaffinity, SYS_membarrier,
            SYS_getcpu, SYS_getrandom, SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep,
            SYS_nanosleep, SYS_gettimeofday, SYS_ppoll, SYS_getpid, SYS_getppid, SYS_gettid,
            SYS_rt_sigaction, SYS_rt_sigreturn, SYS_sigaltstack, SYS_restart_syscall, SYS_sysinfo,
            SYS_exit, SYS_exit_group,
        ] + oldCalls

    /// Newer architectures have these calls only in the forms above.
    #if arch(x86_64)
        private static let oldCalls = [SYS_poll, SYS_time]
    #else
        private static let oldCalls: [Int32] = []
    #endif

    /// No memory becomes executable, and no memory is allocated in ways that the limits do not
    /// count: shared or growing downwards.
    private static let memory = [
        Rule(
            SYS_mmap, .hasNone(argument: 2, UInt32(PROT_EXEC)),
            .hasNone(argument: 3, UInt32(MAP_SHARED) | ~mapFlags)),
        Rule(
            SYS_mmap, .hasNone(argument: 2, UInt32(PROT_EXEC | PROT_WRITE)),
            .hasNone(argument: 3, UInt32(MAP_ANONYMOUS) | ~mapFlags)),
        Rule(
            SYS_mprotect, .hasNone(argument: 2, ~UInt32(PROT_READ | PROT_WRITE))),
    ]

    private static let mapFlags = UInt32(
        MAP_SHARED | MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_POPULATE
            | MAP_STACK)

    /// A new thread, that is, a clone with all flags that glibc sets, but no new process.
    ///
    /// The flags of clone3 are in memory, which a filter cannot read; glibc falls back to clone.
    private static let threads = [
        Rule(
            SYS_clone,
            .isAny(
                argument: 0,
                [
                    UInt32(
                        CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD
                            | CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID
                            | CLONE_CHILD_CLEARTID)
                ])),
        Rule(SYS_prctl, .isAny(argument: 0, [UInt32(PR_SET_NAME), UInt32(PR_GET_NAME)])),
    ]

    /// Calls that are allowed only for the process itself, whose number changes with `fork`.
    private static var own: [Rule] {
        [
            Rule(
                SYS_fcntl,
                .isAny(
                    argument: 1,
                    [F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC].map(UInt32.init))),
            // The size of the stack is read; the pointer to a new limit must be null.
            Rule(SYS_prlimit64, .isAny(argument: 0, [0, UInt32(getpid())]), .isNull(argument: 2)),
            // abort() signals a thread of its own process.
            Rule(SYS_tgkill, .isAny(argument: 0, [UInt32(getpid())])),
        ]
    }

    /// Calls that are answered with the files that were opened before: see `COpenedFiles`.
    static let answered: [Int32] =
        [SYS_openat, SYS_faccessat, 439 /* faccessat2 */, SYS_newfstatat] + answeredOldCalls

    #if arch(x86_64)
        private static let answeredOldCalls = [SYS_open, SYS_access]
    #else
        private static let answeredOldCalls: [Int32] = []
    #endif

    /// Calls that glibc replaces by others if the kernel lacks them.
    static let unknown = [SYS_clone3]

    /// The first number that was not assigned to a call when this list was written.
    static let firstUnknown: UInt32 = 463
}
