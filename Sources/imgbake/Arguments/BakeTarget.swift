import Baking
import Files
import Sites

/// The argument of a bake or a check: a folder, or one document in it.
struct BakeTarget {
    /// The folder in the form in which the user gave it.
    let folder: String
    /// The name of the only document to read; nil for all.
    let document: String?

    /// Splits the path of a document into its folder and its name; any other path is a folder.
    init(_ argument: String, in environment: ProcessEnvironment) {
        let status = FileStatus(environment.absolute(argument))
        guard status?.kind == .file, isDocumentName(argument) else {
            (folder, document) = (argument, nil)
            return
        }
        guard let slash = argument.lastIndex(of: "/") else {
            (folder, document) = (".", argument)
            return
        }
        folder = slash == argument.startIndex ? "/" : String(argument[..<slash])
        document = String(argument[argument.index(after: slash)...])
    }
}
