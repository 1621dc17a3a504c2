import ArgumentParser
import FetchCache

/// What is asked for with a URL.
struct RequestArguments: ParsableArguments {
    @Option(
        name: [.customShort("H"), .long],
        help: ArgumentHelp(
            "Send this field with each request; may be given again.", valueName: "name: value"))
    var header: [HeaderArgument] = []

    /// The method of the requests.
    enum Method: String, CaseIterable, ExpressibleByArgument {
        case get = "GET"
        case head = "HEAD"
    }

    @Option(help: ArgumentHelp("GET or HEAD.", valueName: "method"))
    var method = Method.get

    @Flag(help: "Take any content, not images alone.")
    var anyType = false

    /// The request for a URL: any status that its server gives is an answer.
    func request(_ url: String, _ fetching: FetchArguments) -> FetchRequest {
        var request = FetchRequest(url, mode: fetching.mode)
        request.method = method == .head ? .head : .get
        request.headers = HeaderFields(header.map { ($0.name, $0.value) })
        request.acceptsAnyContent = anyType
        request.acceptsAnyStatus = true
        request.retryFailed = fetching.retryFailed
        return request
    }
}

/// A header field as it is written on the command line: `Name: value`.
struct HeaderArgument: Hashable, Sendable, ExpressibleByArgument {
    let name: String
    let value: String

    /// Reads `argument`; nil if the name or the value could not stand in a request.
    init?(argument: String) {
        guard let colon = argument.firstIndex(of: ":") else { return nil }
        let blanks: Set<Character> = [" ", "\t"]
        let value = argument[argument.index(after: colon)...].drop { blanks.contains($0) }
        let end = value.lastIndex { !blanks.contains($0) }
        name = String(argument[..<colon])
        self.value = end.map { String(value[...$0]) } ?? ""
        guard Bounds.isFieldName(name), Bounds.isFieldValue(self.value) else { return nil }
    }
}
