#ifndef IMGBAKE_CZLIB_SHIM_H
#define IMGBAKE_CZLIB_SHIM_H

#include <zlib.h>

/// Writes the beginning of what is compressed by gzip in `bytes` to `result`, which has room for
/// `most` bytes, and returns the number of bytes written. A damaged or cut stream ends early.
static inline unsigned czlib_beginning(const void *_Nonnull bytes, unsigned count,
                                       void *_Nonnull result, unsigned most) {
    z_stream stream = {0};
    // 15 bits is the largest window; 16 more select the gzip format.
    if (inflateInit2(&stream, 15 + 16) != Z_OK) return 0;
    stream.next_in = (Bytef *) bytes;
    stream.avail_in = count;
    stream.next_out = (Bytef *) result;
    stream.avail_out = most;
    inflate(&stream, Z_SYNC_FLUSH);
    inflateEnd(&stream);
    return most - stream.avail_out;
}

#endif
