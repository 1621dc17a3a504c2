#ifndef IMGBAKE_OPENED_FILES_H
#define IMGBAKE_OPENED_FILES_H

/// Opens the file at `path`, which must be absolute, for reading, and stores its descriptor under
/// that path.
///
/// Returns 0, or -1 if the file cannot be opened or the table is full.
int opened_files_add(const char *_Nonnull path);

/// Installs a handler for SIGSYS, which the system call filter raises for some calls
/// (SECCOMP_RET_TRAP). A call that opens or looks up a stored file succeeds; all others fail with
/// EPERM.
///
/// Font libraries open a font by its path when a text needs it, and the sandbox denies that.
/// Returns 0, or -1 if the handler cannot be installed.
int opened_files_answer(void);

#endif
