internal import CLinux
import Glibc

/// What a worker gives up before it looks at the first image, so that one which takes over its
/// decoder finds a process that can read files, write files, and end.
enum Cell {
    /// Shuts the doors, for good.
    ///
    /// - Returns: Whether all of them are shut; where the kernel knows no filter of system calls,
    ///   as in some containers, the worker goes on with the others.
    @discardableResult
    static func close() -> Bool {
        _ = clinux_prctl(PR_SET_DUMPABLE, 0)
        _ = clinux_limit(clinux_limit_core, 0, 0)
        _ = clinux_limit(clinux_limit_files, openFiles, openFiles)
        // Writing more fails with EFBIG then, instead of a signal.
        signal(SIGXFSZ, SIG_IGN)
        _ = clinux_limit(clinux_limit_file_size, fileBytes, fileBytes)
        var program = SystemCallFilter().program
        return clinux_prctl(PR_SET_NO_NEW_PRIVS, 1) == 0
            && clinux_install_filter(&program, UInt16(program.count)) == 0
    }

    /// Ends the process when its parent has ended, however that came about, even amid a job.
    ///
    /// Not by PR_SET_PDEATHSIG, whose "parent" is the thread that started this process: the
    /// threads of Swift's and Dispatch's pools come and go while the process lives on.
    static func endWithParent() {
        var thread: pthread_t = 0
        pthread_create(&thread, nil, watchParent, nil)
    }

    /// More than fonts, profiles and images need at once.
    private static let openFiles: UInt = 128
    /// More than any variant of an image within the limits.
    private static let fileBytes: UInt = 2 << 30
}

/// Waits, on a thread of its own, for the end of the parent.
private func watchParent(_: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    let parent = getppid()
    // Nothing is asked for, so this wakes up when the other end is closed. It is not when a sister
    // has inherited it, hence the look about once a second.
    var input = pollfd(fd: STDIN_FILENO, events: 0, revents: 0)
    while poll(&input, 1, 1000) <= 0 && getppid() == parent {}
    // A parent that lives has merely no more jobs, but reads the answers to the last.
    while getppid() == parent { usleep(50_000) }
    _exit(0)
}
