#ifndef IMGBAKE_CLINUX_SHIM_H
#define IMGBAKE_CLINUX_SHIM_H

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Wraps the variadic `prctl`.
static inline int clinux_prctl(int option, unsigned long value) {
    return prctl(option, value, 0UL, 0UL, 0UL);
}

/// Wraps the variadic `prctl`: every system call of this thread, and of those it will start, goes
/// through `filter` from now on.
static inline int clinux_install_filter(struct sock_filter *_Nonnull filter, unsigned short count) {
    struct sock_fprog program = {count, filter};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0UL, 0UL);
}

/// Wraps `setrlimit`, whose first argument is of an enumeration of glibc's own.
static inline int clinux_limit(int resource, unsigned long soft, unsigned long hard) {
    struct rlimit limit = {soft, hard};
    return setrlimit(resource, &limit);
}

/// Sets how the allocator of glibc works, which Swift's module of glibc leaves out.
static inline void clinux_tune_allocator(int arenas, int mapped_from, int trimmed_from) {
    mallopt(M_ARENA_MAX, arenas);
    mallopt(M_MMAP_THRESHOLD, mapped_from);
    mallopt(M_TRIM_THRESHOLD, trimmed_from);
}

// Swift reads no macros that cast or name members of an enumeration.
static const unsigned int clinux_allow = SECCOMP_RET_ALLOW;
static const unsigned int clinux_refuse = SECCOMP_RET_ERRNO;
static const unsigned int clinux_kill = SECCOMP_RET_KILL_PROCESS;
static const int clinux_limit_core = RLIMIT_CORE;
static const int clinux_limit_data = RLIMIT_DATA;
static const int clinux_limit_file_size = RLIMIT_FSIZE;
static const int clinux_limit_files = RLIMIT_NOFILE;
#if defined(__x86_64__)
static const unsigned int clinux_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
static const unsigned int clinux_architecture = AUDIT_ARCH_AARCH64;
#else
#error "the filter of system calls knows x86_64 and aarch64"
#endif

/// Wraps `syncfs`, which the headers declare for GNU programs alone.
static inline int clinux_sync_file_system(int descriptor) {
    return (int) syscall(SYS_syncfs, descriptor);
}

#endif
