import Documents
import Files
import Reports

/// The input of a generator's layout: its configuration file and the names of files beside it.
package struct LayoutSource: Sendable {
    /// The absolute path of the project.
    let root: String
    /// The configuration, relative to the project, without its extension, as in the generator's
    /// row.
    let stem: String
    /// The configuration, relative to the project; nil if there is none.
    let file: String?
    /// The values of the configuration, if it is plain data.
    let values: KeyedValues
    /// The literals of the configuration, if it is a program.
    let script: ScriptText
    /// The site's URL from the user's options; it takes precedence over the configuration.
    let address: SiteAddress?

    /// The largest configuration that is read, in bytes.
    private static let largestFile = 1 << 20

    /// The layout of a project without a configuration: every setting has its default.
    init(root: String, stem: String, address: SiteAddress?) {
        self.root = root
        self.stem = stem
        self.address = address
        file = nil
        values = KeyedValues()
        script = ScriptText([], isPython: false)
    }

    /// Reads a configuration.
    ///
    /// - Returns: nil if there is no such file.
    /// - Throws: ``BakeError`` if it cannot be read.
    init?(
        root: String, file: String, stem: String, language: Generator.Language,
        address: SiteAddress?
    ) throws(BakeError) {
        guard let status = FileStatus(root + "/" + file, followingLinks: true),
            status.kind == .file
        else { return nil }
        self.root = root
        self.stem = stem
        self.file = file
        self.address = address
        let bytes = try Self.bytes(root, file, status)
        switch language {
        case .javaScript, .python:
            values = KeyedValues()
            script = ScriptText(bytes, isPython: language == .python)
        case .toml, .yaml:
            guard let read = KeyedValues(bytes, language: language == .toml ? .toml : .yaml) else {
                throw BakeError(
                    "\(file) cannot be read as \(language == .toml ? "TOML" : "YAML"); correct it, "
                        + "or give '--layout'")
            }
            values = read
            script = ScriptText([], isPython: false)
        }
    }

    private static func bytes(
        _ root: String, _ file: String, _ status: FileStatus
    ) throws(BakeError) -> [UInt8] {
        guard status.byteCount <= largestFile else {
            throw BakeError("\(file) is larger than 1 MiB; give '--layout'")
        }
        guard let path = resolvedPath(root + "/" + file) else {
            throw BakeError("could not read \(file)")
        }
        do throws(FileError) {
            return try readFile(path).bytes
        } catch {
            throw BakeError(error.description)
        }
    }

    /// The values of another configuration file of the project; nil if it is missing or unreadable.
    func values(of other: String) -> KeyedValues? {
        guard let other = projectFolder(other), let path = resolvedPath(root + "/" + other),
            isPath(path, within: root),
            let status = FileStatus(path), status.byteCount <= Self.largestFile,
            let bytes = try? readFile(path).bytes
        else { return nil }
        return KeyedValues(bytes, language: other.hasSuffix(".toml") ? .toml : .yaml)
    }

    func hasFile(_ path: String) -> Bool {
        FileStatus(root + "/" + path, followingLinks: true)?.kind == .file
    }

    /// The folder that paths in the configuration start from: the configuration's own.
    var ownFolder: String {
        let folder = pathParts(stem).dropLast().joined(separator: "/")
        return file == nil ? "" : folder
    }

    /// The address of the site, from the option or from the configuration.
    ///
    /// - Parameter text: An absolute URL, or a path from the root of a host.
    /// - Returns: The address, with the parts of it that are known.
    func place(_ text: String?) -> SiteLayout.Address {
        address.map { SiteLayout.Address($0) } ?? SiteLayout.Address(text)
    }

    /// The texts of the project, without the output of its generator.
    func text(without built: [String]) -> ProjectText {
        ProjectText(root: root, skipped: built)
    }
}

extension SiteLayout.Address {
    init(_ address: SiteAddress) {
        self.init(basePath: address.path, siteURL: address.url)
    }

    /// Reads an absolute URL, or a path from the root of a host.
    init(_ text: String?) {
        self.init(basePath: nil, siteURL: nil)
        guard let text, !text.isEmpty else { return }
        if let address = SiteAddress(text) {
            self.init(address)
            return
        }
        let reference = ReferenceText(text)
        guard reference.kind == .rooted || reference.kind == .relative else { return }
        let parts = pathParts(reference.text)
        basePath = parts.isEmpty ? "/" : "/" + parts.joined(separator: "/") + "/"
    }
}

/// A folder of a project, without redundant slashes and dots; nil if it lies outside of the
/// project.
func projectFolder(_ text: String) -> String? {
    let path = plainPath(text)
    return text.hasPrefix("/") || isAt(path, "..") ? nil : path
}

/// A relative path without redundant slashes and dots; it begins with `..` if it leads out.
func plainPath(_ text: String) -> String {
    var parts: [Substring] = []
    for part in pathParts(text) where part != "." {
        if part == "..", let last = parts.last, last != ".." {
            parts.removeLast()
        } else {
            parts.append(part)
        }
    }
    return parts.joined(separator: "/")
}
