internal import CLinux
internal import COpenedFiles
import Glibc
package import Recipes

/// The restrictions that a worker applies to itself before its first job, and those that the
/// process of a job adds.
///
/// Code that takes over a decoder can read its source, write its output and one answer, compute, and
/// exit.
package enum Sandbox {
    /// Enters the sandbox permanently.
    ///
    /// Must be called while the process has one thread, because Landlock covers the calling thread
    /// and the threads that it starts later.
    ///
    /// - Parameters:
    ///   - memoryBytes: The memory that may be used in addition to the current use.
    ///   - readable: Absolute paths of files that any library can still open for reading
    ///     afterwards. They are opened now, and a later call returns a copy of the descriptor. At
    ///     most 64; files that cannot be opened are left out.
    /// - Returns: The protections in force. A missing protection does not disable the others.
    package static func close(memoryBytes: Int, readable: [String] = []) -> SandboxReport {
        var report = SandboxReport()
        let check = { (protection: SandboxReport.Protection, code: Int32) in
            guard code != 0 else { return }
            report.gaps.append(.init(protection, code > 0 ? reason(code) : reason(errno)))
        }
        for path in readable { _ = opened_files_add(path) }
        ProcessState.forgetEnvironment()
        check(.privateMemory, clinux_prctl(PR_SET_DUMPABLE, 0))
        // Writing more than the limit then fails with EFBIG instead of a signal.
        signal(SIGXFSZ, SIG_IGN)
        if let failure = ResourceLimits.set(memoryBytes: memoryBytes) { check(.limits, failure) }
        check(.capabilities, clinux_drop_capabilities())
        guard clinux_prctl(PR_SET_NO_NEW_PRIVS, 1) == 0 else {
            let reason = reason(errno)
            report.gaps += [.init(.landlock, reason), .init(.systemCalls, reason)]
            return report
        }
        switch Landlock.close() {
        case .closed(let version): report.landlockVersion = version
        case .missing(let reason): report.gaps.append(.init(.landlock, reason))
        }
        check(.systemCalls, opened_files_answer())
        let rules = SystemCallFilter.decoding + SystemCallFilter.dispatching
        switch install(SystemCallFilter(allowing: rules)) {
        case 0: break
        case let thread where thread > 0:
            report.gaps.append(.init(.systemCalls, "thread \(thread) has a different filter"))
        default: check(.systemCalls, -1)
        }
        return report
    }

    /// Denies this process, which must have one thread, all system calls that a decoder does not
    /// need.
    ///
    /// - Parameter report: The report of ``close(memoryBytes:readable:)``.
    /// - Returns: Whether they are denied; true if `report` says that the system cannot deny any.
    package static func closeForJob(after report: SandboxReport) -> Bool {
        if report.gaps.contains(where: { $0.protection == .systemCalls }) { return true }
        return install(SystemCallFilter(allowing: SystemCallFilter.decoding)) == 0
    }

    private static func install(_ filter: SystemCallFilter) -> Int32 {
        var program = filter.program
        return clinux_install_filter(&program, UInt16(program.count))
    }

    private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}
