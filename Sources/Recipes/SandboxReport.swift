/// The protections of a worker's sandbox, reported by the worker itself before its first image.
package struct SandboxReport: Codable, Hashable, Sendable {
    package enum Protection: String, Codable, Sendable, CaseIterable {
        /// A list of allowed system calls; none of them opens a file.
        case systemCalls
        /// Landlock: the kernel denies access to files and the network for every system call.
        case landlock
        /// Limits on memory, files and other resources, which cannot be raised again.
        case limits
        /// No capabilities of a privileged user.
        case capabilities
        /// Other processes of the same user cannot read the memory of the worker.
        case privateMemory
    }

    /// A protection that is not in force.
    package struct Gap: Codable, Hashable, Sendable {
        package var protection: Protection
        /// The reason, in the words of the system.
        package var reason: String

        package init(_ protection: Protection, _ reason: String) {
            self.protection = protection
            self.reason = ForeignText.tidied(reason)
        }
    }

    /// The missing protections; empty if the sandbox is complete.
    package var gaps: [Gap] = []
    /// The version of the kernel's Landlock interface that is used; nil without Landlock.
    package var landlockVersion: Int?

    package init() {}

    /// Whether the sandbox is effective without the missing protections.
    ///
    /// Landlock may be missing: it is a second barrier, because every system call that opens a file
    /// is rejected anyway.
    package var isClosed: Bool { gaps.allSatisfy { $0.protection == .landlock } }

    /// The missing protections with their reasons, as a list for messages; empty if none is
    /// missing.
    package var gapsInWords: String {
        gaps.map { "\($0.protection.phrase): \($0.reason)" }.joined(separator: "; ")
    }
}

extension SandboxReport.Protection {
    fileprivate var phrase: String {
        switch self {
        case .systemCalls: "seccomp, the list of allowed system calls"
        case .landlock: "Landlock, the second barrier for files and connections"
        case .limits: "the limits on memory and files"
        case .capabilities: "the removal of privileges"
        case .privateMemory: "the protection of its memory"
        }
    }
}
