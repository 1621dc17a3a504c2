// Written in C because it runs in a signal handler, which must not call Swift's runtime.

#define _GNU_SOURCE
#include "COpenedFiles.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif

enum { most_files = 64 };

static struct {
    char *path;
    int descriptor;
} files[most_files];

static int file_count = 0;

int opened_files_add(const char *path) {
    if (file_count == most_files || path[0] != '/') return -1;
    char *copy = strdup(path);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (!copy || descriptor < 0) return -1;
    files[file_count].path = copy;
    files[file_count].descriptor = descriptor;
    file_count++;
    return 0;
}

// The descriptor stored for `path`, or -1.
static int find(const char *path) {
    for (int i = 0; i < file_count; i++)
        if (strcmp(files[i].path, path) == 0) return files[i].descriptor;
    return -1;
}

static long result(long value) { return value < 0 ? -errno : value; }

static long answer_open(const char *path, long flags) {
    int found = find(path);
    long harmless = O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK;
    if (found < 0 || (flags & ~harmless) != O_RDONLY) return -EPERM;
    int descriptor = fcntl(found, F_DUPFD_CLOEXEC, 3);
    // All copies share one file offset.
    if (descriptor >= 0) lseek(descriptor, 0, SEEK_SET);
    return result(descriptor);
}

static long answer_access(const char *path, long mode) {
    return find(path) >= 0 && (mode & ~R_OK) == 0 ? 0 : -EPERM;
}

// glibc implements fstat as fstatat with an empty path.
static long answer_status(long descriptor, const char *path, long status, long flags) {
    if (path[0] != 0)
        descriptor = find(path);
    else if (!(flags & AT_EMPTY_PATH))
        return -EPERM;
    return descriptor < 0 ? -EPERM : result(syscall(SYS_fstat, descriptor, status));
}

static long answer(int number, const long argument[4]) {
    switch (number) {
    case SYS_openat: return answer_open((const char *) argument[1], argument[2]);
    case SYS_faccessat:
    case SYS_faccessat2: return answer_access((const char *) argument[1], argument[2]);
    case SYS_newfstatat:
        return answer_status(argument[0], (const char *) argument[1], argument[2], argument[3]);
#ifdef __x86_64__
    case SYS_open: return answer_open((const char *) argument[0], argument[1]);
    case SYS_access: return answer_access((const char *) argument[0], argument[1]);
#endif
    default: return -EPERM;
    }
}

static void handle(int signal, siginfo_t *info, void *context) {
    (void) signal;
    int saved = errno;
    mcontext_t *machine = &((ucontext_t *) context)->uc_mcontext;
#if defined(__x86_64__)
    greg_t *registers = machine->gregs;
    long argument[4] = {registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
                        registers[REG_R10]};
    registers[REG_RAX] = answer(info->si_syscall, argument);
#elif defined(__aarch64__)
    long argument[4];
    for (int i = 0; i < 4; i++) argument[i] = (long) machine->regs[i];
    machine->regs[0] = (unsigned long long) answer(info->si_syscall, argument);
#else
#error "the registers of a system call are known for x86_64 and aarch64"
#endif
    errno = saved;
}

int opened_files_answer(void) {
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigemptyset(&action.sa_mask);
    return sigaction(SIGSYS, &action, NULL);
}
