import Baking
import FoundationEssentials

/// A file that settings are read from.
struct SettingsFile: Hashable, Sendable {
    /// As the user named it.
    let name: String
    /// The absolute path.
    let path: String

    /// The most bytes that one may have.
    static let maximumBytes = 1_000_000

    /// The file that arguments name, or else the one in the current folder, or else the one in the
    /// folder of the site.
    ///
    /// - Parameters:
    ///   - arguments: What names the file.
    ///   - site: The folder of the site as the user named it; nil if there is none.
    ///   - environment: Where the current folder is.
    /// - Returns: The file, if there is one, and the one in the site if that is not read since there is
    ///   another.
    /// - Throws: ``UsageFault`` if there are two in one folder.
    static func find(
        _ arguments: ConfigurationArguments, site: String?, in environment: ProcessEnvironment
    ) throws -> (file: SettingsFile?, ignored: SettingsFile?) {
        if arguments.noConfig { return (nil, nil) }
        if let name = arguments.config {
            return (SettingsFile(name: name, path: environment.absolute(name)), nil)
        }
        let own = try find(in: "", environment)
        guard let site, resolvedPath(environment.absolute(site)) != environment.workingDirectory
        else { return (own, nil) }
        let ofSite = try find(in: site.hasSuffix("/") ? site : site + "/", environment)
        return own == nil ? (ofSite, nil) : (own, ofSite)
    }

    /// The file in a folder, whose name ends with a slash or is empty.
    private static func find(
        in folder: String, _ environment: ProcessEnvironment
    ) throws -> SettingsFile? {
        let found = ["imgbake.yml", "imgbake.yaml"].map { folder + $0 }.filter {
            FileManager.default.fileExists(atPath: environment.absolute($0))
        }
        guard found.count < 2 else {
            throw UsageFault(
                "there are \(found.joined(separator: " and ")): keep one, or give '--config'")
        }
        return found.first.map { SettingsFile(name: $0, path: environment.absolute($0)) }
    }

    /// The content of the file.
    ///
    /// - Parameter environment: Gives the values of the variables that the file names.
    /// - Returns: The whole content as one value.
    /// - Throws: ``SettingsFault``.
    func read(
        environment: @escaping @Sendable (String) -> String?
    ) throws -> ConfigurationNode {
        let folder = path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)
        let source = ConfigurationSource(
            origin: .file(name), folder: String(folder), environment: environment)
        return try parseYAML(try text(), source: source)
    }

    private func text() throws -> String {
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        if let size, size > Self.maximumBytes {
            throw SettingsFault(
                file: name, reason: "this is larger than \(Self.maximumBytes) bytes")
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw SettingsFault(file: name, reason: "this file is not there or cannot be read")
        }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw SettingsFault(file: name, reason: "this is not UTF-8")
        }
        return text
    }
}

/// What is wrong with how the command was called, or with what it was to work on.
struct UsageFault: Error, CustomStringConvertible {
    /// What is wrong and what to do, without a period.
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
