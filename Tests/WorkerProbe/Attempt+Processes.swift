import CLinux
import Glibc

extension Attempt {
    /// Attacks the parent process.
    static func onParent(_ scene: Scene) -> [Attempt] {
        let parent = scene.parent
        let folder = "/proc/\(parent)"
        return ["mem", "environ", "maps", "fd", "cmdline"].map { name in
            Attempt(
                "the parent's \(name)",
                Call(SYS_openat, here, scene.text("\(folder)/\(name)"), name == "mem" ? 2 : 0))
        } + [
            Attempt("ptrace", Call(SYS_ptrace, 0x4206, parent, 0, 0)),
            Attempt("process_vm_readv", Call(SYS_process_vm_readv, parent, 0, 0, 0, 0, 0)),
            Attempt("process_vm_writev", Call(SYS_process_vm_writev, parent, 0, 0, 0, 0, 0)),
            Attempt("process_madvise", Call(SYS_process_madvise, parent, 0, 0, 0, 0)),
            Attempt("pidfd_open", Call(SYS_pidfd_open, parent, 0)),
            Attempt("pidfd_getfd", Call(SYS_pidfd_getfd, scene.descriptor, 0, 0)),
            Attempt("pidfd_send_signal", Call(SYS_pidfd_send_signal, scene.descriptor, 0, 0, 0)),
            Attempt("kill", Call(SYS_kill, parent, 0)),
            Attempt("kill everybody", Call(SYS_kill, -1, 0)),
            Attempt("tkill", Call(SYS_tkill, parent, 0)),
            Attempt("tgkill", Call(SYS_tgkill, parent, parent, 0)),
            Attempt("rt_sigqueueinfo", Call(SYS_rt_sigqueueinfo, parent, 0, scene.space)),
            Attempt("prlimit", Call(SYS_prlimit64, parent, 7, 0, scene.space)),
            Attempt("setpriority", Call(SYS_setpriority, 0, parent, 1)),
            Attempt("sched_setaffinity", Call(SYS_sched_setaffinity, parent, 8, scene.space)),
            Attempt("sched_setscheduler", Call(SYS_sched_setscheduler, parent, 0, scene.space)),
            Attempt("kcmp", Call(SYS_kcmp, parent, parent, 0, 0, 0)),
            Attempt("migrate_pages", Call(SYS_migrate_pages, parent, 0, 0, 0)),
        ]
    }

    /// Executes another program, or starts a process.
    static func onProcesses(_ scene: Scene) -> [Attempt] {
        let program = scene.text("/bin/true")
        let words = scene.numbers([UInt64(program), 0])
        let child = [0, 0, 0, 0, UInt64(SIGCHLD), 0, 0, 0]
        return [
            Attempt("execve", Call(SYS_execve, program, words, 0)),
            Attempt("execveat", Call(SYS_execveat, here, program, words, 0, 0)),
            Attempt("clone", Call(SYS_clone, Int(SIGCHLD), 0, 0, 0, 0)),
            Attempt("clone3", Call(SYS_clone3, scene.numbers(child), 64)),
            Attempt("unshare", Call(SYS_unshare, Int(CLONE_NEWUSER))),
            Attempt("setns", Call(SYS_setns, scene.descriptor, 0)),
            Attempt("setuid", Call(SYS_setuid, 0)),
            Attempt("setresgid", Call(SYS_setresgid, 0, 0, 0)),
            Attempt("setgroups", Call(SYS_setgroups, 0, 0)),
            Attempt("capset", Call(SYS_capset, scene.numbers([0x2008_0522]), scene.space)),
            Attempt("wait4", Call(SYS_wait4, -1, 0, 1, 0)),
            Attempt("setsid", Call(SYS_setsid)),
            Attempt("setpgid", Call(SYS_setpgid, 0, 0)),
            Attempt("personality", Call(SYS_personality, 0x40_0000)),
            Attempt("seccomp", Call(SYS_seccomp, 0, 0, 0)),
            Attempt(works: "become dumpable", Call(SYS_prctl, Int(PR_SET_DUMPABLE), 1)),
            Attempt("be traced", Call(SYS_prctl, Int(PR_SET_PTRACER), -1)),
            Attempt(works: "a signal for a death", Call(SYS_prctl, Int(PR_SET_PDEATHSIG), 0)),
        ] + oldCalls
    }

    #if arch(x86_64)
        private static var oldCalls: [Attempt] {
            [
                Attempt("fork", Call(SYS_fork)),
                Attempt("iopl", Call(SYS_iopl, 3)),
                Attempt("modify_ldt", Call(SYS_modify_ldt, 0, 0, 0)),
                // getpid by its number in the x32 ABI.
                Attempt("x32", Call(Int32(0x4000_0000 | 39))),
            ]
        }
    #else
        private static var oldCalls: [Attempt] { [] }
    #endif
}
