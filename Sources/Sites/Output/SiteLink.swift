package import Files
import Glibc

/// A symbolic link of the site.
package struct SiteLink {
    /// The text of the link.
    package let target: String
    /// The text of its copy: one that leads to the copy of the same file; nil if the link leads out
    /// of the site.
    package let copy: String?

    /// Reads the link at a path of a site.
    ///
    /// - Parameters:
    ///   - path: The path of the link, relative to the root.
    ///   - root: The absolute path of the site, without links.
    /// - Throws: ``FileError``.
    package init(_ path: String, in root: String) throws(FileError) {
        let target = try readLink(root + "/" + path)
        self.target = target
        let folder = pathParts(path).dropLast().joined(separator: "/")
        let staysInSite =
            !target.hasPrefix("/") && projectFolder(joined(folder, target)) != nil
        if let resolved = resolvedPath(root + "/" + path) {
            guard isPath(resolved, within: root) else {
                copy = nil
                return
            }
            // A text that leaves the site and comes back would lead out of the copy.
            let place = String(resolved.dropFirst(root.count + 1))
            copy = staysInSite ? target : relativePath(from: path, to: place.isEmpty ? "." : place)
        } else {
            // It leads to nothing, or in a circle. The copy may do so too, but only inside.
            copy = staysInSite ? target : nil
        }
    }

    /// The paths of the links among some files that are not copied.
    package static func leftOut(of files: [SiteFile], in site: Site) -> [String] {
        files.filter { $0.role == .link }.map(\.path).filter { path in
            guard let link = try? SiteLink(path, in: site.root) else { return false }
            return link.copy == nil
        }
    }
}
