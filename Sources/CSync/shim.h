#ifndef IMGBAKE_CSYNC_SHIM_H
#define IMGBAKE_CSYNC_SHIM_H

// Declared here, because the system header declares it only with _GNU_SOURCE.
int syncfs(int descriptor);

/// Flushes the file system of an open file to disk, and waits until that is done.
static inline int csync_file_system(int descriptor) {
    return syncfs(descriptor);
}

#endif
