import Glibc

/// The process that started this one.
struct Parent {
    /// To be asked early: the process that is asked for later may be another already.
    private let process = getppid()

    /// Ends this process when its parent has ended, however that came about, even amid a job.
    ///
    /// Not by PR_SET_PDEATHSIG, whose "parent" is the thread that started this process: the
    /// threads of Swift's and Dispatch's pools come and go while the process lives on.
    func endWithIt() {
        var thread: pthread_t = 0
        pthread_create(&thread, nil, watchParent, UnsafeMutableRawPointer(bitPattern: Int(process)))
    }
}

/// Waits, on a thread of its own, for the end of the parent.
private func watchParent(_ process: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    let parent = pid_t(truncatingIfNeeded: Int(bitPattern: process))
    // Nothing is asked for, so this wakes up when the other end is closed. It is not when another
    // process has inherited it, hence the look about once a second.
    var input = pollfd(fd: STDIN_FILENO, events: 0, revents: 0)
    while poll(&input, 1, 1000) <= 0 && getppid() == parent {}
    // A parent that lives has merely no more jobs, but reads the answers to the last.
    while getppid() == parent { usleep(50_000) }
    _exit(0)
}
