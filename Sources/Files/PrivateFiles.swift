internal import SystemPackage

/// Makes a folder to which only its owner has access.
///
/// Missing parents are private too. The access of others to an existing folder of this user is
/// removed.
package func makePrivateFolder(_ path: String) throws(FileError) {
    try makeFolders(path, mode: 0o700)
    makePrivate(path)
}

/// Removes the access of all users but the owner, and gives the owner access.
///
/// Does nothing if the path is a link, or if this user does not own it.
package func makePrivate(_ path: String) {
    var status = stat()
    // Closing any descriptor of a file releases the locks of this process on it, and SQLite needs
    // those of an index that is in use. So a file that is private already is not opened.
    guard lstat(path, &status) == 0, status.st_uid == geteuid(),
        privateMode(status) != status.st_mode & 0o7777
    else { return }
    let handle = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard handle >= 0 else { return }
    defer { close(handle) }
    guard fstat(handle, &status) == 0, status.st_uid == geteuid() else { return }
    fchmod(handle, privateMode(status))
}

private func privateMode(_ status: stat) -> mode_t {
    status.st_mode & 0o7700 | (status.st_mode & S_IFMT == S_IFDIR ? 0o700 : 0o600)
}

/// Gives a file or folder another name in its folder: that of the path with `.aside` or a number.
///
/// At most ten things are set aside for a path, so that a folder cannot fill with them.
///
/// - Parameters:
///   - path: The path, which is then free.
///   - companions: The suffixes of files that get the new name too, if they exist.
/// - Returns: The new path.
/// - Throws: ``FileError``.
@discardableResult
package func setAside(
    _ path: String, with companions: [String] = []
) throws(FileError) -> String {
    let names = ["\(path).aside"] + (2...10).map { "\(path).aside-\($0)" }
    let free = names.first { name in
        ([""] + companions).allSatisfy { FileStatus(name + $0) == nil }
    }
    guard let free else { throw FileError("set aside", path, code: .fileExists) }
    try moveFile(path, to: free)
    for suffix in companions { _ = rename(path + suffix, free + suffix) }
    return free
}
