#define _GNU_SOURCE
#include "ParserClock.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum {
    // A parser that takes quadratic time reads a shorter text in less than the time of a timer's
    // system calls times a hundred.
    shortest_text = 32 << 10,
    nanoseconds_per_millisecond = 1000000,
    nanoseconds_per_second = 1000000000,
};

static _Thread_local struct {
    // In nanoseconds; the end is a time of the thread's clock.
    int64_t left, end;
    bool is_limited, is_running;
    timer_t timer;
    sigset_t mask;
    void (*leave)(void *);
    void *input;
    volatile sig_atomic_t is_held, is_over;
} parser_clock;

static int signal_of_timer(void) { return SIGRTMIN + 5; }

static int64_t now(void) {
    struct timespec time = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * (int64_t) nanoseconds_per_second + time.tv_nsec;
}

static void receive(int number) {
    (void) number;
    // The signal of an earlier timer may arrive late.
    if (!parser_clock.is_running || now() < parser_clock.end) return;
    parser_clock.is_over = 1;
    if (!parser_clock.is_held) parser_clock.leave(parser_clock.input);
}

static void install(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = receive;
    action.sa_flags = SA_RESTART;
    sigaction(signal_of_timer(), &action, NULL);
}

void parser_clock_begin(size_t milliseconds) {
    parser_clock.is_limited = milliseconds > 0;
    parser_clock.left = (int64_t) milliseconds * nanoseconds_per_millisecond;
}

bool parser_clock_start(size_t size, void (*leave)(void *), void *input) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    parser_clock.is_held = parser_clock.is_over = 0;
    if (!parser_clock.is_limited || size < shortest_text) return true;
    if (parser_clock.left <= 0) leave(input);
    pthread_once(&once, install);
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = signal_of_timer();
    event.sigev_notify_thread_id = (pid_t) syscall(SYS_gettid);
    // Without a timer, the other limits remain.
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &parser_clock.timer) != 0) return true;
    parser_clock.leave = leave;
    parser_clock.input = input;
    parser_clock.end = now() + parser_clock.left;
    parser_clock.is_running = true;
    // The threads of a pool block most signals.
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, signal_of_timer());
    pthread_sigmask(SIG_UNBLOCK, &wanted, &parser_clock.mask);
    struct itimerspec time = {
        .it_value = {
            parser_clock.left / nanoseconds_per_second,
            parser_clock.left % nanoseconds_per_second,
        },
    };
    timer_settime(parser_clock.timer, 0, &time, NULL);
    return true;
}

void parser_clock_stop(void) {
    if (!parser_clock.is_running) return;
    parser_clock.is_running = false;
    parser_clock.left = parser_clock.end - now();
    timer_delete(parser_clock.timer);
    pthread_sigmask(SIG_SETMASK, &parser_clock.mask, NULL);
}

void parser_clock_hold(void) { parser_clock.is_held = 1; }

void parser_clock_release(void) {
    parser_clock.is_held = 0;
    if (parser_clock.is_running && parser_clock.is_over) parser_clock.leave(parser_clock.input);
}
