// The processor time of the parsers on the current thread.
//
// A parser can take long without an allocation. So a timer of the thread sends it a signal, whose
// handler leaves the parser.
#ifndef IMGBAKE_PARSERCLOCK_H
#define IMGBAKE_PARSERCLOCK_H

#include <stdbool.h>
#include <stddef.h>

// Gives the parsers of a document this much time; 0 for any.
void parser_clock_begin(size_t milliseconds);

// Starts the clock for a text of `size` bytes. At the end of the time `leave`, which does not return,
// is called, at any place of the parser where the clock is not held. If there is no time left, it is
// called at once. Returns true.
bool parser_clock_start(size_t size, void (*leave)(void *), void *input);
void parser_clock_stop(void);

// Between these two, the thread may have a lock of the C library.
void parser_clock_hold(void);
void parser_clock_release(void);

#endif
