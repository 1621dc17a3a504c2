package import SystemPackage

/// A failed operation on a file or folder.
package struct FileError: Error, Equatable, CustomStringConvertible {
    /// The cause of the failure.
    package enum Cause: Equatable, Sendable {
        /// The error of a system call.
        case system(Errno)
        /// The path is a symbolic link that leads out of the folder `root`.
        case linkOutside(root: String)
        /// The path is a symbolic link that leads to nothing.
        case danglingLink
        /// Something that is not a folder has the path.
        case notAFolder
        /// The mode of the file, or its owner, forbids to write it.
        case readOnly
    }

    /// The operation, as an infinitive: `read`, `write`.
    package var operation: String
    package var path: String
    package var cause: Cause

    /// An error with the error of a system call; that of the last one by default.
    package init(_ operation: String, _ path: String, code: Errno = Errno(rawValue: errno)) {
        self.init(operation, path, .system(code))
    }

    package init(_ operation: String, _ path: String, _ cause: Cause) {
        self.operation = operation
        self.path = path
        self.cause = cause
    }

    /// Whether the file system is full, or the user's quota is.
    package var isFull: Bool {
        cause == .system(.noSpace) || cause == .system(.diskQuotaExceeded)
    }

    /// The cause in words.
    package var reason: String {
        switch cause {
        case .system(.illegalByteSequence): "its name is not UTF-8, so it was skipped"
        case .system(.isDirectory): "it is a folder"
        case .system(let code): code.description
        case .linkOutside(let root): "it is a symbolic link that leads out of \(root)"
        case .danglingLink: "it is a symbolic link that leads to nothing"
        case .notAFolder: "it is not a folder"
        case .readOnly: "it is read-only, so it was left as it is"
        }
    }

    package var description: String { "cannot \(operation) \(path): \(reason)" }

    /// Runs calls of swift-system; their error becomes an error of the file.
    static func of<Value>(
        _ operation: String, _ path: String, _ body: () throws -> Value
    ) throws(FileError) -> Value {
        do {
            return try body()
        } catch {
            throw FileError(operation, path, code: error as? Errno ?? .ioError)
        }
    }
}
