/// Which protection the sandbox of a worker gives, by the worker's own account before it saw the
/// first image.
package struct SandboxReport: Codable, Hashable, Sendable {
    /// One of the walls of the sandbox.
    package enum Protection: String, Codable, Sendable, CaseIterable {
        /// The list of system calls that are allowed, none of which opens a file.
        case systemCalls
        /// Landlock: the kernel refuses files and the network whatever system call asks for them.
        case landlock
        /// Limits on memory, files and the like, which cannot be raised again.
        case limits
        /// No capability of a privileged user.
        case capabilities
        /// No other process of the same user reads the memory of the worker.
        case privateMemory
    }

    /// A protection that is not in force.
    package struct Gap: Codable, Hashable, Sendable {
        package var protection: Protection
        /// Why not, in the words of the system.
        package var reason: String

        package init(_ protection: Protection, _ reason: String) {
            self.protection = protection
            self.reason = reason
        }
    }

    /// What is missing; empty if the sandbox is complete.
    package var gaps: [Gap]
    /// The version of the kernel's Landlock interface that is in force; nil without Landlock.
    package var landlockVersion: Int?

    package init(gaps: [Gap] = [], landlockVersion: Int? = nil) {
        self.gaps = gaps
        self.landlockVersion = landlockVersion
    }

    /// Whether the sandbox holds: every system call that opens a file is refused even where the
    /// kernel has no Landlock, which is a second wall.
    package var isClosed: Bool { gaps.allSatisfy { $0.protection == .landlock } }

    /// What is missing and why, as a list in words; empty if nothing is.
    package var gapsInWords: String {
        gaps.map { "\($0.protection.phrase): \($0.reason)" }.joined(separator: "; ")
    }
}

extension SandboxReport.Protection {
    fileprivate var phrase: String {
        switch self {
        case .systemCalls: "seccomp, the list of allowed system calls"
        case .landlock: "Landlock, the second wall around files and connections"
        case .limits: "the limits on memory and files"
        case .capabilities: "the surrender of privileges"
        case .privateMemory: "the protection of its memory"
        }
    }
}
