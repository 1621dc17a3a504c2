#ifndef IMGBAKE_CLINUX_SHIM_H
#define IMGBAKE_CLINUX_SHIM_H

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <spawn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// System call numbers that older headers lack; they are the same on every architecture.
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

/// Wraps the variadic `syscall`.
static inline long clinux_call(long number, long a, long b, long c, long d, long e, long f) {
    return syscall(number, a, b, c, d, e, f);
}

/// Wraps the variadic `prctl`.
static inline int clinux_prctl(int option, unsigned long value) {
    return prctl(option, value, 0UL, 0UL, 0UL);
}

// MARK: System calls

/// Applies `filter` to all system calls of all threads of this process from now on.
///
/// Returns 0, -1 with `errno`, or the ID of a thread that the filter could not be applied to.
static inline int clinux_install_filter(struct sock_filter *_Nonnull filter, unsigned short count) {
    struct sock_fprog program = {count, filter};
    return (int) syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

// MARK: Landlock

/// `struct landlock_ruleset_attr` in version 6 of the interface. Older headers have fewer members.
/// An older kernel accepts the longer structure if the members that it does not know are 0.
struct clinux_landlock_rules {
    uint64_t files;
    uint64_t network;
    uint64_t scopes;
};

/// The version of this kernel's Landlock interface, or -1 with `errno`.
static inline int clinux_landlock_version(void) {
    return (int) syscall(SYS_landlock_create_ruleset, NULL, (size_t) 0, 1U);
}

/// A descriptor of a ruleset that denies the rights set in `rules`, or -1 with `errno`.
static inline int clinux_landlock_create(const struct clinux_landlock_rules *_Nonnull rules) {
    return (int) syscall(SYS_landlock_create_ruleset, rules, sizeof *rules, 0U);
}

/// Applies the ruleset to this thread and to threads that it starts later; returns 0, or -1 with
/// `errno`.
static inline int clinux_landlock_restrict(int rules) {
    return (int) syscall(SYS_landlock_restrict_self, rules, 0U);
}

// MARK: Privileges

/// Drops all capabilities of this thread and of threads that it starts later.
static inline int clinux_drop_capabilities(void) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2];
    memset(none, 0, sizeof none);
    return (int) syscall(SYS_capset, &header, none);
}

/// Sets the soft and the hard limit to `value`, or to the current hard limit if that is lower. It
/// wraps `setrlimit`, whose first argument is an enumeration of glibc.
static inline int clinux_limit(int resource, unsigned long value) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0) return -1;
    if (limit.rlim_max < value) value = limit.rlim_max;
    limit.rlim_cur = limit.rlim_max = value;
    return setrlimit(resource, &limit);
}

/// Raises the soft limit to the hard one.
static inline int clinux_limit_to_hard(int resource) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0) return -1;
    limit.rlim_cur = limit.rlim_max;
    return setrlimit(resource, &limit);
}

/// Lowers the hard limit to the soft one.
static inline int clinux_limit_to_soft(int resource) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0) return -1;
    limit.rlim_max = limit.rlim_cur;
    return setrlimit(resource, &limit);
}

/// Closes all descriptors from `first` on.
static inline int clinux_close_from(unsigned first) {
    return (int) syscall(SYS_close_range, first, ~0U, 0U);
}

/// Declared here because the headers hide it from Swift; in glibc since 2.34.
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *_Nonnull actions,
                                                    int first);

/// Configures the allocator of glibc. Swift's Glibc module lacks `mallopt`.
static inline void clinux_tune_allocator(int arenas, int mapped_from, int trimmed_from) {
    mallopt(M_ARENA_MAX, arenas);
    mallopt(M_MMAP_THRESHOLD, mapped_from);
    mallopt(M_TRIM_THRESHOLD, trimmed_from);
}

// MARK: Processes

/// Wraps `fork`, which Swift does not import. The caller must be the only thread of its process.
static inline int clinux_fork(void) { return (int) fork(); }

// MARK: Descriptors

/// Makes `number` a copy of `descriptor`; what it was before is closed. Returns 0, or -1 with
/// `errno`.
static inline int clinux_replace(int descriptor, int number) {
    return syscall(SYS_dup3, descriptor, number, 0) == number ? 0 : -1;
}

/// Creates an unnamed file in memory; returns its descriptor, or -1 with `errno`.
static inline int clinux_memory_file(const char *_Nonnull name) {
    return (int) syscall(SYS_memfd_create, name, 1U /* MFD_CLOEXEC */ | 2U /* MFD_ALLOW_SEALING */);
}

/// Prevents a file in memory from growing, and with `keeps_size` also from shrinking. Returns 0, or
/// -1 with `errno`.
static inline int clinux_seal(int descriptor, int keeps_size) {
    // F_ADD_SEALS with F_SEAL_GROW and F_SEAL_SHRINK, which the headers hide from Swift.
    return fcntl(descriptor, 1033, keeps_size ? 0x0004 | 0x0002 : 0x0004);
}

/// The maximum number of descriptors in one message.
enum { clinux_most_descriptors = 17 };

/// Sends bytes and, with the first byte, descriptors. It works like `sendmsg`, but raises no
/// SIGPIPE.
static inline ssize_t clinux_send(int socket, const void *_Nonnull bytes, size_t count,
                                  const int *_Nullable descriptors, int descriptor_count) {
    struct iovec piece = {(void *) bytes, count};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    union {
        char bytes[CMSG_SPACE(sizeof(int) * clinux_most_descriptors)];
        struct cmsghdr aligned;
    } control;
    if (descriptors && descriptor_count > 0 && descriptor_count <= clinux_most_descriptors) {
        size_t length = sizeof(int) * (size_t) descriptor_count;
        memset(&control, 0, sizeof control);
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(length);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(length);
        memcpy(CMSG_DATA(header), descriptors, length);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

/// Receives bytes and the descriptors that came with them, like `recvmsg`.
///
/// `descriptors` must have room for `clinux_most_descriptors`; the kernel closes any others.
static inline ssize_t clinux_receive(int socket, void *_Nonnull bytes, size_t count,
                                     int *_Nonnull descriptors, int *_Nonnull descriptor_count) {
    struct iovec piece = {bytes, count};
    union {
        char bytes[CMSG_SPACE(sizeof(int) * clinux_most_descriptors)];
        struct cmsghdr aligned;
    } control;
    struct msghdr message = {.msg_iov = &piece,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control.bytes};
    ssize_t received = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    *descriptor_count = 0;
    if (received < 0) return received;
    for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header;
         header = CMSG_NXTHDR(&message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
        size_t length = header->cmsg_len - CMSG_LEN(0);
        memcpy(descriptors + *descriptor_count, CMSG_DATA(header), length);
        *descriptor_count += (int) (length / sizeof(int));
    }
    return received;
}

// MARK: Constants

// Swift does not import macros that contain a cast or name an enumeration member.
static const unsigned int clinux_allow = SECCOMP_RET_ALLOW;
static const unsigned int clinux_refuse = SECCOMP_RET_ERRNO;
static const unsigned int clinux_trap = SECCOMP_RET_TRAP;
static const unsigned int clinux_kill = SECCOMP_RET_KILL_PROCESS;
static const int clinux_limit_core = RLIMIT_CORE;
static const int clinux_limit_data = RLIMIT_DATA;
static const int clinux_limit_file_size = RLIMIT_FSIZE;
static const int clinux_limit_files = RLIMIT_NOFILE;
static const int clinux_limit_locked_memory = RLIMIT_MEMLOCK;
static const int clinux_limit_message_queues = RLIMIT_MSGQUEUE;
static const int clinux_limit_processes = RLIMIT_NPROC;
static const int clinux_limit_real_time = RLIMIT_RTPRIO;
static const int clinux_limit_stack = RLIMIT_STACK;
#if defined(__x86_64__)
static const unsigned int clinux_architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
static const unsigned int clinux_architecture = AUDIT_ARCH_AARCH64;
#else
#error "the filter of system calls knows x86_64 and aarch64"
#endif

#endif
