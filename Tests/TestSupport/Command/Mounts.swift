import Glibc

/// File systems that a test mounts in a namespace.
package enum Mounts {
    /// Whether an ordinary user can mount in a new user namespace.
    package static let areAllowed: Bool = {
        var pid = pid_t()
        let words = ["unshare", "-rm", "true"]
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        guard posix_spawn(&pid, "/usr/bin/unshare", nil, nil, &arguments, environ) == 0 else {
            return false
        }
        var status: Int32 = 0
        return waitpid(pid, &status, 0) == pid && status == 0
    }()
}
