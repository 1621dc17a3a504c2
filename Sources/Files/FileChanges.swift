internal import SystemPackage

/// Removes a file; a missing file is not an error.
///
/// - Returns: Whether a file was removed.
@discardableResult
package func removeFile(_ path: String) -> Bool { unlink(path) == 0 }

/// Removes a folder if it is empty.
package func removeEmptyFolder(_ path: String) { rmdir(path) }

/// Gives a file another path and replaces any file there.
package func moveFile(_ old: String, to new: String) throws(FileError) {
    guard rename(old, new) == 0 else { throw FileError("rename a file to", new) }
}

/// Creates a small file, unless there is one already.
package func writeNewFile(
    _ text: String, to path: String, mode: mode_t = 0o666
) throws(FileError) {
    do throws(FileError) {
        try OpenFile(creating: path, mode: mode).write(text.utf8)
    } catch  where error.cause == .system(.fileExists) {
        return
    }
}

/// Sets the modification time of a file to the current time.
package func touchFile(_ path: String) { utimensat(AT_FDCWD, path, nil, 0) }

/// Sets the modification time of a file to that of `status`; its status then changed just now.
package func touchFile(_ path: String, modified status: FileStatus) {
    let time = timespec(tv_sec: status.modified.seconds, tv_nsec: status.modified.nanoseconds)
    utimensat(AT_FDCWD, path, [time, time], AT_SYMLINK_NOFOLLOW)
}

/// The size of a regular file, without following links; nil if there is none.
package func fileSize(_ path: String) -> Int? {
    FileStatus(path).flatMap { $0.kind == .file ? $0.byteCount : nil }
}
