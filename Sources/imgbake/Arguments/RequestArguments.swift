import ArgumentParser
import FetchCache
import Foundation
import HTTPTypes

/// The arguments that describe the request for a URL.
struct RequestArguments: ParsableArguments {
    @Option(
        name: [.customShort("H"), .long],
        help: ArgumentHelp(
            "Send this header field with each request; may be repeated.", valueName: "name: value"))
    var header: [HeaderArgument] = []

    @Option(
        name: [.customShort("X"), .long],
        help: ArgumentHelp(
            "The method: GET, HEAD, POST, PUT, DELETE or another. (default: GET; with --data POST)",
            valueName: "method"))
    var method: MethodArgument?

    @Option(
        name: [.customShort("d"), .long],
        help: ArgumentHelp(
            "Send this content; '@FILE' sends a file, '@-' standard input.",
            valueName: "text|@file"))
    var data: String?

    @Flag(help: "Accept any content, not only images.")
    var anyType = false

    func validate() throws {
        if data != nil, let method = method?.method, method == .get || method == .head {
            throw ValidationError(
                "'--data' needs a method that has content, not "
                    + "\(method.rawValue)")
        }
    }

    /// The content of the requests; nil for none.
    ///
    /// - Throws: ``UsageError`` if the file with the content cannot be read.
    func content(in environment: ProcessEnvironment) throws -> [UInt8]? {
        guard let data else { return nil }
        guard data.hasPrefix("@") else { return Array(data.utf8) }
        let name = data.dropFirst()
        let handle =
            name == "-"
            ? FileHandle.standardInput
            : FileHandle(forReadingAtPath: environment.absolute(String(name)))
        guard let bytes = try? handle?.readToEnd() ?? Data(), handle != nil else {
            throw UsageError("cannot read the file \(name) of '--data'")
        }
        return Array(bytes)
    }

    /// The request for a URL.
    ///
    /// Every status is accepted, and the server is asked even if the URL is remembered as failed.
    func request(
        _ url: String, _ mode: ModeArguments, content: [UInt8]?
    ) -> FetchRequest {
        var request = FetchRequest(url, mode: mode.mode)
        request.method = method?.method ?? (content == nil ? .get : .post)
        request.body = content
        request.headers = HTTPFields(
            header.compactMap { field in
                HTTPField.Name(field.name).map { HTTPField(name: $0, value: field.value) }
            })
        request.acceptsAnyContent = anyType
        request.acceptsAnyStatus = true
        request.retryFailed = true
        return request
    }
}

/// A method on the command line: a token (RFC 9110, section 9.1); its letter case is kept.
struct MethodArgument: Hashable, Sendable, ExpressibleByArgument {
    let method: FetchRequest.Method

    init?(argument: String) {
        guard FieldSyntax.isFieldName(argument) else { return nil }
        method = FetchRequest.Method(rawValue: argument)
    }
}

/// A header field on the command line: `Name: value`.
struct HeaderArgument: Hashable, Sendable, ExpressibleByArgument {
    let name: String
    let value: String

    /// Reads `argument`; nil if the name or the value is not allowed in a request.
    init?(argument: String) {
        guard let colon = argument.firstIndex(of: ":") else { return nil }
        name = String(argument[..<colon])
        value = argument[argument.index(after: colon)...]
            .trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
        guard FieldSyntax.isFieldName(name), FieldSyntax.isFieldValue(value) else { return nil }
    }
}
