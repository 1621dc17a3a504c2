/// Which of the files whose names begin with a dot are part of a site.
package enum HiddenFiles: Sendable {
    /// All, as where a site is baked in place; none is copied then.
    case listed
    /// Those that a published site is known to need. What else is hidden may be a secret.
    case published
    /// All, since the user says so.
    case copied

    /// What web servers and hosts look for, and what keeps an empty folder.
    private static let known: Set<String> = [
        ".well-known", ".nojekyll", ".htaccess", ".domains", ".keep", ".gitkeep",
        ImageFolder.markName,
    ]

    /// What belongs to version control, as a folder or, in a worktree or a submodule, as a file; a commit
    /// in a copy of it would land in the original.
    private static let versionControl: Set<String> = [".git", ".hg", ".svn"]

    /// Whether a file or folder of this name is never part of a site.
    static func isForeign(_ name: String) -> Bool { versionControl.contains(name) }

    /// Whether a file or folder of this name is part of the site.
    func take(_ name: String) -> Bool {
        guard name.hasPrefix(".") else { return true }
        switch self {
        case .listed, .copied: return true
        case .published: return Self.known.contains(name)
        }
    }

    /// Whether a user should hear that a file or folder of this name is left out.
    ///
    /// Nobody expects the files of version control, of file managers and of builds on a server.
    static func isWorthSaying(_ name: String) -> Bool {
        !name.hasPrefix(".git") && !name.hasPrefix(".hg")
            && ![".DS_Store", ".buildinfo", ".doctrees"].contains(name)
    }
}
