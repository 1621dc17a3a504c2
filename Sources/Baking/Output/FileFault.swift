import Glibc

/// A failed file system operation.
package struct FileFault: Error, Equatable, CustomStringConvertible {
    /// The cause of the failure.
    package enum Cause: Equatable, Sendable {
        /// The value of `errno`.
        case system(Int32)
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

    init(_ operation: String, _ path: String, code: Int32 = errno) {
        self.init(operation, path, .system(code))
    }

    init(_ operation: String, _ path: String, _ cause: Cause) {
        self.operation = operation
        self.path = path
        self.cause = cause
    }

    /// The cause in words.
    private var reason: String {
        switch cause {
        case .system(EILSEQ): "its name is not UTF-8, so it was skipped"
        case .system(let code): String(cString: strerror(code))
        case .linkOutside(let root): "it is a symbolic link that leads out of \(root)"
        case .danglingLink: "it is a symbolic link that leads to nothing"
        case .notAFolder: "it is not a folder"
        case .readOnly: "it is read-only, so it was left as it is"
        }
    }

    package var description: String { "cannot \(operation) \(path): \(reason)" }
}
