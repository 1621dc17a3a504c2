#ifndef IMGBAKE_CSYNC_SHIM_H
#define IMGBAKE_CSYNC_SHIM_H

// Declared here, since the system's header does so for GNU programs alone.
int syncfs(int descriptor);

/// Waits until all that was written to the file system of an open file is on its disk.
static inline int csync_file_system(int descriptor) {
    return syncfs(descriptor);
}

#endif
