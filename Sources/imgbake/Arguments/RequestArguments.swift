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

    @Flag(help: "Accept any content, not only images.")
    var anyType = false

    /// The request for a URL.
    ///
    /// Every status is accepted, and the server is asked even if the URL is remembered as failed.
    func request(_ url: String, _ mode: ModeArguments) -> FetchRequest {
        var request = FetchRequest(url, mode: mode.mode)
        request.headers = HTTPFields(
            header.map { HTTPField(name: $0.name, value: $0.value) })
        request.acceptsAnyContent = anyType
        request.acceptsAnyStatus = true
        request.retryFailed = true
        return request
    }
}

/// A header field on the command line: `Name: value`.
struct HeaderArgument: Hashable, Sendable, ExpressibleByArgument {
    let name: HTTPField.Name
    let value: String

    /// Reads `argument`; nil if the name or the value is not allowed in a request.
    init?(argument: String) {
        guard let colon = argument.firstIndex(of: ":") else { return nil }
        value = argument[argument.index(after: colon)...]
            .trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
        guard let name = HTTPField.Name(String(argument[..<colon])), FieldSyntax.isFieldValue(value)
        else { return nil }
        self.name = name
    }
}
