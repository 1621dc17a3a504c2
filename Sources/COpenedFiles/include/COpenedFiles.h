#ifndef IMGBAKE_OPENED_FILES_H
#define IMGBAKE_OPENED_FILES_H

/// Opens the file at `path`, which must be absolute, for reading, and remembers it under that path.
///
/// Returns 0, or -1 if it cannot be opened or there is no room for another.
int opened_files_add(const char *_Nonnull path);

/// Answers, from now on, system calls that the filter of system calls turns into the signal SIGSYS
/// (SECCOMP_RET_TRAP): opening and looking up a remembered file succeeds, all else fails with EPERM.
///
/// Font libraries open a font by its path when a text needs it, which a closed sandbox refuses.
/// Returns 0, or -1 if the signal cannot be handled.
int opened_files_answer(void);

#endif
