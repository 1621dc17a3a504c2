internal import CLinux

extension SystemCallFilter {
    /// The numbers of the calls that are refused whatever their arguments.
    static let refused: [Int32] = network + processes + kernel + oldCalls

    private static let network = [
        SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_listen, SYS_accept, SYS_accept4,
        SYS_sendto, SYS_sendmsg, SYS_sendmmsg, SYS_recvfrom, SYS_recvmsg, SYS_recvmmsg,
    ]

    private static let processes = [
        SYS_execve, SYS_execveat, SYS_kill, SYS_tkill, SYS_ptrace, SYS_process_vm_readv,
        SYS_process_vm_writev, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_pidfd_open,
        SYS_pidfd_send_signal, SYS_pidfd_getfd, SYS_kcmp, SYS_setns, SYS_unshare, SYS_personality,
        SYS_setuid, SYS_setgid, SYS_setreuid, SYS_setregid, SYS_setresuid, SYS_setresgid,
        SYS_setgroups, SYS_capset,
    ]

    /// What reaches deeper into the kernel than an image ever needs; io_uring because its requests
    /// pass by this filter.
    private static let kernel = [
        SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register, SYS_bpf, SYS_perf_event_open,
        SYS_userfaultfd, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_mount, SYS_umount2,
        SYS_pivot_root, SYS_chroot, SYS_open_by_handle_at, SYS_name_to_handle_at, SYS_init_module,
        SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_swapon, SYS_swapoff,
        SYS_acct, SYS_quotactl, SYS_syslog, SYS_settimeofday, SYS_clock_settime, SYS_adjtimex,
        SYS_mknodat, SYS_symlinkat, SYS_linkat, SYS_fchmodat, SYS_fchownat, SYS_setxattr,
        SYS_lsetxattr, SYS_fsetxattr,
    ]

    /// What newer machines have only in the forms above.
    #if arch(x86_64)
        private static let oldCalls = [
            SYS_fork, SYS_vfork, SYS_mknod, SYS_symlink, SYS_link, SYS_chmod, SYS_chown, SYS_lchown,
        ]
    #else
        private static let oldCalls: [Int32] = []
    #endif
}
