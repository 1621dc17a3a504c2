internal import CLinux
import Glibc
package import Recipes

/// A copy of a worker that does one job and ends.
///
/// A worker loads its libraries once, and starts a copy of itself for each job by fork(2), in about
/// a millisecond. Code that takes over a decoder therefore meets one image only, and is gone before
/// the next one.
package struct JobProcess {
    /// The process that started the worker; the worker ends with it.
    package let parent: Int32
    private let sandbox: SandboxReport
    private let shared = SharedMemory()

    /// - Parameters:
    ///   - parent: The process that started this one, read at the start of this one.
    ///   - memoryBytes: See ``Sandbox/close(memoryBytes:readable:)``.
    ///   - readable: See ``Sandbox/close(memoryBytes:readable:)``.
    package init(parent: Int32, memoryBytes: Int, readable: [String]) {
        // Afterwards, no file of the system can be read.
        _ = shared
        self.parent = parent
        sandbox = Sandbox.close(memoryBytes: memoryBytes, readable: readable)
    }

    /// The protections of the worker.
    package var report: SandboxReport { sandbox }

    /// Runs `body` in a new process and ends it.
    ///
    /// - Parameters:
    ///   - outputBytes: The largest file that it may write.
    ///   - longest: The number of bytes of an answer that are read.
    ///   - body: Returns the answer, a line without its end.
    /// - Returns: The answer, or its beginning if it is too long; nil if the process ended without
    ///   one.
    package func answer(
        outputBytes: Int, longest: Int, _ body: () -> [UInt8]
    ) -> [UInt8]? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        let worker = getpid()
        let process = clinux_fork()
        if process == 0 {
            close(ends[0])
            enter(ends[1], from: worker, outputBytes: outputBytes)
            Self.write(body() + [UInt8(ascii: "\n")])
            _exit(0)
        }
        close(ends[1])
        defer { close(ends[0]) }
        guard process > 0 else { return nil }
        // Nothing of it is left when the answer is passed on: it could write to the output.
        defer {
            kill(process, SIGKILL)
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        }
        return line(from: ends[0], longest: longest)
    }

    /// Waits until `descriptor` can be read; ends this process if the parent has ended.
    ///
    /// The other end stays open if another process has inherited it, so the parent is checked about
    /// once a second. PR_SET_PDEATHSIG does not work here: its "parent" is the thread that started
    /// this process, and the threads of Swift's and Dispatch's pools end while the process continues.
    package func wait(for descriptor: Int32) {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while poll(&waiting, 1, 1_000) <= 0 {
            guard getppid() == parent else { _exit(0) }
        }
    }

    /// Prepares the new process; it ends if a part of that fails.
    private func enter(_ answers: Int32, from worker: pid_t, outputBytes: Int) {
        // The worker has one thread, which lives as long as it does.
        _ = clinux_prctl(PR_SET_PDEATHSIG, UInt(SIGKILL))
        // The jobs of others arrive on the first descriptor.
        guard getppid() == worker, clinux_replace(answers, STDIN_FILENO) == 0 else { _exit(3) }
        close(answers)
        guard shared.separate(),
            clinux_limit(clinux_limit_file_size, UInt(max(0, outputBytes))) == 0,
            Sandbox.closeForJob(after: sandbox)
        else { _exit(3) }
    }

    private static func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDIN_FILENO, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { _exit(4) }
        }
    }

    private func line(from descriptor: Int32, longest: Int) -> [UInt8]? {
        var line: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while line.count < longest {
            wait(for: descriptor)
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { return nil }
            let piece = chunk[..<count].prefix { $0 != UInt8(ascii: "\n") }
            line += piece
            if piece.count < count { return line }
        }
        return Array(line.prefix(longest))
    }
}
