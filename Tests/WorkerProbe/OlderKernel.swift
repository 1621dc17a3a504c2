import CLinux
import Glibc

/// Simulates a kernel or a container that lacks a part of the sandbox.
enum OlderKernel {
    /// Runs a program for which the system calls of `feature` fail with ENOSYS.
    static func run(without feature: String, _ program: [String]) -> Never {
        let numbers: [Int32] =
            switch feature {
            case "landlock": [SYS_landlock_create_ruleset]
            case "seccomp": [SYS_seccomp]
            case "both": [SYS_landlock_create_ruleset, SYS_seccomp]
            default: []
            }
        guard !numbers.isEmpty else { exit(64) }
        let load = UInt16(BPF_LD | BPF_W | BPF_ABS)
        let jump = UInt16(BPF_JMP | BPF_JEQ | BPF_K)
        let end = UInt16(BPF_RET | BPF_K)
        var filter = [sock_filter(code: load, jt: 0, jf: 0, k: 0)]
        for number in numbers {
            filter.append(sock_filter(code: jump, jt: 0, jf: 1, k: UInt32(number)))
            filter.append(
                sock_filter(code: end, jt: 0, jf: 0, k: clinux_refuse | UInt32(ENOSYS)))
        }
        filter.append(sock_filter(code: end, jt: 0, jf: 0, k: clinux_allow))
        guard clinux_prctl(PR_SET_NO_NEW_PRIVS, 1) == 0,
            clinux_install_filter(&filter, UInt16(filter.count)) == 0
        else { exit(5) }
        var words = program.map { strdup($0) } + [nil]
        execv(program[0], &words)
        exit(127)
    }
}
