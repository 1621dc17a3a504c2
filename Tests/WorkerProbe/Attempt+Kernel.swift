import CLinux
import Glibc

extension Attempt {
    /// Uses privileged and dangerous interfaces of the kernel.
    static func onKernel(_ scene: Scene) -> [Attempt] {
        let name = scene.text("x")
        return [
            Attempt("io_uring_setup", Call(SYS_io_uring_setup, 8, scene.space)),
            Attempt("userfaultfd", Call(SYS_userfaultfd, 1)),
            Attempt("bpf", Call(SYS_bpf, 0, scene.space, 64)),
            Attempt("perf_event_open", Call(SYS_perf_event_open, scene.space, 0, -1, -1, 0)),
            Attempt("keyctl", Call(SYS_keyctl, 0, -3, 1)),
            Attempt("add_key", Call(SYS_add_key, scene.text("user"), name, name, 1, -2)),
            Attempt("request_key", Call(SYS_request_key, scene.text("user"), name, 0, 0)),
            Attempt("kexec_load", Call(SYS_kexec_load, 0, 0, 0, 0)),
            Attempt("kexec_file_load", Call(SYS_kexec_file_load, -1, -1, 0, name, 0)),
            Attempt("init_module", Call(SYS_init_module, scene.space, 0, name)),
            Attempt("finit_module", Call(SYS_finit_module, scene.descriptor, name, 0)),
            Attempt("delete_module", Call(SYS_delete_module, name, 0)),
            Attempt("reboot", Call(SYS_reboot, 0, 0, 0, 0)),
            Attempt("syslog", Call(SYS_syslog, 10, 0, 0)),
            Attempt("swapon", Call(SYS_swapon, name, 0)),
            Attempt("acct", Call(SYS_acct, name)),
            Attempt("quotactl", Call(SYS_quotactl, 0, 0, 0, 0)),
            Attempt("settimeofday", Call(SYS_settimeofday, 0, scene.space)),
            Attempt("clock_settime", Call(SYS_clock_settime, 0, scene.space)),
            Attempt("sethostname", Call(SYS_sethostname, name, 0)),
            Attempt(works: "uname", Call(SYS_uname, scene.space)),
        ]
    }

    /// Allocates memory that is executable or not counted by the limits.
    static func onMemory(_ scene: Scene) -> [Attempt] {
        let size = 1 << 20
        let all = Int(PROT_READ | PROT_WRITE | PROT_EXEC)
        let code = Int(PROT_READ | PROT_EXEC)
        let data = Int(PROT_READ | PROT_WRITE)
        let own = Int(MAP_PRIVATE | MAP_ANONYMOUS)
        let shared = Int(MAP_SHARED | MAP_ANONYMOUS)
        let file = scene.descriptor
        let create = 0o600 | Int(IPC_CREAT)
        return [
            Attempt(
                works: "writable executable memory", Call(SYS_mmap, 0, size, all, own, -1, 0)),
            Attempt(works: "executable memory", Call(SYS_mmap, 0, size, code, own, -1, 0)),
            Attempt(
                "executable file", Call(SYS_mmap, 0, 4096, code, Int(MAP_PRIVATE), file, 0)),
            Attempt(works: "make executable", Call(SYS_mprotect, scene.space, 4096, all)),
            Attempt(
                works: "make executable by key",
                Call(SYS_pkey_mprotect, scene.space, 4096, all, -1)),
            Attempt(works: "shared memory", Call(SYS_mmap, 0, size, data, shared, -1, 0)),
            Attempt(
                works: "shared memory of a file",
                Call(SYS_mmap, 0, 4096, data, Int(MAP_SHARED), file, 0)),
            Attempt(
                works: "a stack that grows",
                Call(SYS_mmap, 0, size, data, own | Int(MAP_GROWSDOWN), -1, 0)),
            Attempt(name: "shmget", succeedsOutside: true) {
                removed(Call(SYS_shmget, 0, 4096, create).make(), by: SYS_shmctl)
            },
            Attempt("shmat", Call(SYS_shmat, 0, 0, 0)),
            Attempt(name: "msgget", succeedsOutside: true) {
                removed(Call(SYS_msgget, 0, create).make(), by: SYS_msgctl)
            },
            Attempt(name: "semget", succeedsOutside: true) {
                removed(Call(SYS_semget, 0, 1, create).make(), by: SYS_semctl)
            },
            Attempt("mq_open", Call(SYS_mq_open, scene.text("probe"), Int(O_RDWR), 0, 0)),
            Attempt(works: "mlock", Call(SYS_mlock, scene.space, 0)),
        ]
    }

    /// Removes objects that would otherwise outlive the process, and returns `result`.
    private static func removed(_ result: Int, by number: Int32) -> Int {
        guard result >= 0 else { return result }
        // For semaphores the command is the third argument, for the others the second.
        let isSemaphore = number == SYS_semctl
        let remove = Int(IPC_RMID)
        _ = Call(number, result, isSemaphore ? 0 : remove, isSemaphore ? remove : 0).make()
        return result
    }

    /// Creates new descriptors and copies existing ones.
    static func onDescriptors(_ scene: Scene) -> [Attempt] {
        let file = scene.descriptor
        let address = scene.numbers([0x0100_007F_0900_0002, 0])
        return [
            Attempt(works: "socket", Call(SYS_socket, Int(AF_INET), 1, 0)),
            Attempt(works: "unix socket", Call(SYS_socket, Int(AF_UNIX), 1, 0)),
            Attempt(works: "socketpair", Call(SYS_socketpair, Int(AF_UNIX), 1, 0, scene.space)),
            Attempt("connect", Call(SYS_connect, 0, address, 16)),
            Attempt("bind", Call(SYS_bind, 0, address, 16)),
            Attempt("listen", Call(SYS_listen, 0, 1)),
            Attempt("accept4", Call(SYS_accept4, 0, 0, 0, 0)),
            Attempt("sendto", Call(SYS_sendto, 0, scene.space, 0, 0, 0, 0)),
            Attempt("sendmsg", Call(SYS_sendmsg, 0, scene.space, 0)),
            Attempt("recvmsg", Call(SYS_recvmsg, 0, scene.space, Int(MSG_DONTWAIT))),
            Attempt("recvmsg of another", Call(SYS_recvmsg, file, scene.space, Int(MSG_DONTWAIT))),
            Attempt(works: "pipe2", Call(SYS_pipe2, scene.space, 0)),
            Attempt(works: "eventfd2", Call(SYS_eventfd2, 0, 0)),
            Attempt(works: "epoll_create1", Call(SYS_epoll_create1, 0)),
            Attempt(works: "timerfd_create", Call(SYS_timerfd_create, 1, 0)),
            Attempt(works: "dup", Call(SYS_dup, file)),
            Attempt(works: "flock", Call(SYS_flock, file, Int(LOCK_EX | LOCK_NB))),
            Attempt(works: "fallocate", Call(SYS_fallocate, file, 0, 0, 16)),
            Attempt(works: "F_SETFL", Call(SYS_fcntl, file, Int(F_SETFL), 0)),
            Attempt("F_SETOWN", Call(SYS_fcntl, file, 8, scene.parent)),
            Attempt("F_ADD_SEALS", Call(SYS_fcntl, file, 1033, 0)),
            Attempt("TIOCSTI", Call(SYS_ioctl, 1, 0x5412, scene.space)),
            Attempt(
                works: "raise a limit", Call(SYS_prlimit64, 0, 7, scene.numbers([64, 64]), 0)),
        ]
    }
}
