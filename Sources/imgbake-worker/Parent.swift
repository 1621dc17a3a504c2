import Glibc

/// The process that started this one.
struct Parent {
    /// Read at the start: later the process may have another parent.
    private let process = getppid()

    /// Ends this process when its parent has ended, for any reason and even during a job.
    ///
    /// PR_SET_PDEATHSIG does not work here: its "parent" is the thread that started this process.
    /// The threads of Swift's and Dispatch's pools end while the process continues.
    func endWithIt() {
        var thread: pthread_t = 0
        pthread_create(&thread, nil, watchParent, UnsafeMutableRawPointer(bitPattern: Int(process)))
    }
}

/// Waits for the end of the parent, on a separate thread.
private func watchParent(_ process: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    let parent = pid_t(truncatingIfNeeded: Int(bitPattern: process))
    // No event is requested, so poll returns when the other end is closed. It stays open if another
    // process has inherited it, so the parent is also checked about once a second.
    var input = pollfd(fd: STDIN_FILENO, events: 0, revents: 0)
    while poll(&input, 1, 1000) <= 0 && getppid() == parent {}
    // If the parent still runs, it has no more jobs, but still reads the last answers.
    while getppid() == parent { usleep(50_000) }
    _exit(0)
}
