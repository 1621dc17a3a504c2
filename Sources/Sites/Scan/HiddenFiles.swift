/// Selects the files with names that begin with a dot that are part of a site.
package enum HiddenFiles: Sendable {
    /// All: the site is baked in place, and nothing is copied, or the user asked for them.
    case all
    /// Those that a published site is known to need; other hidden files may be secrets.
    case published

    /// Files that web servers and hosts look for, and files that keep an empty folder.
    private static let known: Set<String> = [
        ".well-known", ".nojekyll", ".htaccess", ".domains", ".keep", ".gitkeep",
        OwnFiles.folderMark,
    ]

    /// Files of version control: a folder, or a file in a worktree or a submodule.
    ///
    /// A commit in a copy of such a file would go to the original.
    private static let versionControl: Set<String> = [".git", ".hg", ".svn"]

    static func isVersionControl(_ name: String) -> Bool { versionControl.contains(name) }

    /// Whether a file or folder of this name is never part of a site.
    package static func isForeign(_ name: String) -> Bool {
        guard name.hasPrefix(".") else { return false }
        return isVersionControl(name) || name == OwnFiles.origins
            || [OwnFiles.output, OwnFiles.imageList].contains { own in
                name == own || Shard(ofFile: name, named: own) != nil
            }
    }

    /// Whether a file or folder of this name is part of the site.
    func take(_ name: String) -> Bool {
        !name.hasPrefix(".") || self == .all || Self.known.contains(name)
    }

    /// Whether to tell the user that a file or folder of this name is left out.
    ///
    /// Files of version control, of editors, of file managers and of server builds are left out without a
    /// message.
    static func needsMessage(_ name: String) -> Bool {
        !name.hasPrefix(".git") && !name.hasPrefix(".hg")
            && ![".DS_Store", ".buildinfo", ".doctrees"].contains(name)
            && !isOfEditor(name)
    }

    /// Whether a file of this name is one that an editor needs only while a document is open or is
    /// saved.
    package static func isOfEditor(_ name: String) -> Bool {
        // vim: `.a.md.swp`, `a.md~`, `4913`; Emacs: `.#a.md`, `#a.md#`; Kate: `.a.md.kate-swp`;
        // GNOME: `.goutputstream-X`; JetBrains: `a.md___jb_tmp___`. vim also uses `swo`, `swn` …
        name.wholeMatch(
            of:
                #/4913|.*~|\.#.*|#.*#|\.goutputstream-.*|.*___jb_(tmp|old)___|\.(.*\.)?(kate-swp|sw[a-z])/#
        ) != nil
    }
}
