import Files
import SystemPackage

/// A configuration file.
struct SettingsFile: Hashable, Sendable {
    /// The name in the form in which the user gave it.
    let name: String
    let path: String

    /// The names that are looked for in a folder.
    static let names = ["imgbake.yml", "imgbake.yaml"]

    /// The maximum size of a file, in bytes.
    static let maximumBytes = 1_000_000

    /// The file that the arguments name; otherwise the one in the current folder; otherwise the one
    /// in the folder of the site.
    ///
    /// - Parameters:
    ///   - arguments: The arguments that may name the file.
    ///   - site: The folder of the site in the form in which the user gave it; nil if there is
    ///     none.
    ///   - environment: The environment with the current folder.
    /// - Returns: The file, if there is one, and a warning for each file that is not read.
    /// - Throws: ``UsageError`` if one folder has two files.
    static func find(
        _ arguments: ConfigurationArguments, site: String?, in environment: ProcessEnvironment
    ) throws -> (file: SettingsFile?, warnings: [String]) {
        if arguments.noConfig { return (nil, []) }
        if let name = arguments.config {
            return (SettingsFile(name: name, path: environment.absolute(name)), [])
        }
        var folders = [""]
        if let site, resolvedPath(environment.absolute(site)) != environment.workingDirectory {
            folders.append(site.hasSuffix("/") ? site : site + "/")
        }
        let found = try folders.compactMap { try find(in: $0, environment) }
        let hidden = folders.flatMap { names(in: $0, hidden: true, environment) }
        return (
            found.first,
            found.dropFirst().map { "\($0.name) is not read, since \(found[0].name) is" }
                + hidden.map { "\($0) is not read: its name must not begin with a dot" }
        )
    }

    /// The names that files in a folder have.
    private static func names(
        in folder: String, hidden: Bool = false, _ environment: ProcessEnvironment
    ) -> [String] {
        names.map { folder + (hidden ? "." : "") + $0 }.filter {
            FileStatus(environment.absolute($0), followingLinks: true) != nil
        }
    }

    /// The file in a folder, whose path ends with a slash or is empty.
    private static func find(
        in folder: String, _ environment: ProcessEnvironment
    ) throws -> SettingsFile? {
        let found = names(in: folder, environment)
        guard found.count < 2 else {
            throw UsageError(
                "there are \(found.joined(separator: " and ")): keep one, or give '--config'")
        }
        return found.first.map { SettingsFile(name: $0, path: environment.absolute($0)) }
    }

    /// The content of the file.
    ///
    /// - Parameter environment: Returns the values of the variables that the file names.
    /// - Returns: The content as one value.
    /// - Throws: ``SettingsError``.
    func read(
        environment: @escaping @Sendable (String) -> String?
    ) throws -> ConfigurationNode {
        let source = ConfigurationSource(
            origin: .file(name), folder: folderAndName(of: path).folder, environment: environment)
        return try parseYAML(try text(), source: source)
    }

    private func text() throws -> String {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try readFile(path, limit: Self.maximumBytes, ofAnyKind: true).bytes
        } catch  where error.cause == .system(.fileTooLarge) {
            throw SettingsError(
                file: name, reason: "this is larger than \(Self.maximumBytes) bytes")
        } catch {
            throw SettingsError(file: name, reason: "this file does not exist or cannot be read")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw SettingsError(file: name, reason: "this is not UTF-8")
        }
        return text
    }
}

/// An error in the usage of the command, or in its input.
struct UsageError: Error, CustomStringConvertible {
    /// The problem and its remedy, without a period.
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// An error in a setting, with its place.
struct SettingsError: Error, Hashable, CustomStringConvertible {
    /// The file's name in the form in which the user gave it; nil for an option, which the reason
    /// names.
    var file: String?
    /// 1-based; nil for the whole file.
    var line: Int?
    /// 1-based, in characters.
    var column: Int?
    /// The problem and its remedy, without a period.
    var reason: String
    /// The value that was probably meant; nil if none is near.
    var nearest: String?
    /// Whether an environment variable that the value names is not set.
    var isOfMissingVariable = false

    /// The problem, its remedy and the value that was probably meant.
    var message: String { reason + (nearest.map { "; did you mean '\($0)'?" } ?? "") }

    /// The error as one line: `imgbake.yml:3:5: unknown key 'max-widht'`.
    var description: String {
        let place = [file, line.map(String.init), column.map(String.init)]
            .compactMap(\.self).joined(separator: ":")
        return place.isEmpty ? message : "\(place): \(message)"
    }
}
