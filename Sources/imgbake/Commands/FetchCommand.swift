import ArgumentParser
import Baking
import FetchCache
import Files
import Foundation
import HTTPTypes
import Reports

struct FetchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch",
        abstract: "Fetch URLs through the cache and write the content.",
        discussion: """
            Any HTTP status is accepted, unless '--fail' is given. Without '--any-type' the \
            content of a successful response must be an image.

            Exit codes: 0 each URL has a response; 1 some do not; 2 bad usage or configuration; 22 \
            with '--fail', a server answered 400 or more and nothing else failed; \
            \(Interrupts.exitCodes).
            """
    )

    @Argument(help: ArgumentHelp("The URLs to fetch.", valueName: "url"), transform: nonEmpty)
    var urls: [String]

    @OptionGroup(title: "Request") var request: RequestArguments

    @Flag(name: [.short, .long], help: "Write the status line and the header fields first.")
    var include = false

    @Flag(
        name: [.short, .long],
        help: "Treat a status of 400 or more as a failure: write no content, exit code 22.")
    var fail = false

    @Option(
        name: [.short, .long],
        help: ArgumentHelp(
            "Write to this file; '-' is standard output, even if that is a terminal.",
            valueName: "file"),
        completion: .file(), transform: nonEmpty)
    var output: String?

    @Flag(help: "Write a JSON object for each URL instead of the content.")
    var json = false

    @Flag(name: [.short, .long], help: "Write each request and each response.")
    var verbose = false

    @OptionGroup(title: "Fetching") var mode: ModeArguments
    @OptionGroup(title: "Fetching") var fetching: SettingOptions<FetchGroup>
    @OptionGroup(title: "Cache") var cache: SettingOptions<CacheGroup>
    @OptionGroup(title: "Configuration") var configuration: ConfigurationArguments

    func validate() throws {
        if let output, output != "-", urls.count > 1 {
            throw ValidationError("'--output \(output)' is one file, but there are several URLs")
        }
    }

    func run() async throws {
        let settings = try Settings(
            configuration, fetching, cache, isVerbose: verbose, in: .current, staleOnError: .rfc,
            onGone: .fail)
        let (command, fetchConfiguration) = (self, settings.fetching)
        let failures = try await Interrupts.cancelling {
            try await withCache(fetchConfiguration) { cache in
                try await command.fetch(with: cache)
            }
        }
        if failures.others > 0 { throw ExitCode(1) }
        if failures.statuses > 0 { throw ExitCode(22) }
    }

    /// Fetches all URLs concurrently and writes the results in the order of the URLs.
    ///
    /// - Returns: The number of URLs without a response.
    private func fetch(
        with cache: FetchManager
    ) async throws -> (statuses: Int, others: Int) {
        var (statuses, others) = (0, 0)
        let requests = urls.map { url in
            var request = request.request(url, mode)
            // A status such as 404 must be a failure for the stored response to replace it.
            if cache.configuration.policy.onGone == .keep { request.acceptsAnyStatus = false }
            return cache.inTurn(request)
        }
        try await inOrder(requests, maximumInFlight: 64) { request in
            try await cache.loadVerified(request)
        } each: { request, result in
            do {
                let resource = try result.get()
                if fail, resource.response.status >= 400 {
                    statuses += 1
                    let problem = Problem(status: resource.response.status)
                    return report(problem, about: resource.url)
                }
                try write(resource, timeToLive: cache.configuration.policy.timeToLive)
            } catch let error as FetchError {
                if error.code == .status { statuses += 1 } else { others += 1 }
                report(error.problem, about: error.url)
            } catch let error as TerminalError {
                others += 1
                report(error.problem, about: error.url)
            }
        }
        for warning in cache.damageWarnings { Console.error.write(warning.lines()) }
        return (statuses, others)
    }

    private func report(_ problem: Problem, about url: String) {
        let diagnostic = Diagnostic(problem, .error, url: url)
        Console.error.write(diagnostic.lines())
        guard json else { return }
        Console.output.write(
            json: FetchFailureJSON(
                url: diagnostic.url ?? url, code: problem.code, error: diagnostic.reason))
    }

    private func write(_ resource: Resource, timeToLive: Duration?) throws {
        if let problem = resource.problem {
            Console.error.write(Diagnostic(problem, .warning, url: resource.url).lines())
        }
        if resource.response.status >= 400, let output, output != "-" {
            let problem = Problem(
                .httpStatus, "HTTP \(resource.response.status); the file has what the server sent",
                remedy: "give --fail to write no file then")
            Console.error.write(Diagnostic(problem, .warning, url: resource.url).lines())
        }
        if json {
            if output != nil, output != "-" { try writeBody(resource) }
            Console.output.write(json: ResourceJSON(resource, timeToLive: timeToLive))
        } else {
            try writeBody(resource)
        }
    }

    private func writeBody(_ resource: Resource) throws {
        if let output, output != "-" {
            let sink = try ByteSink(path: ProcessEnvironment.current.absolute(output))
            if include { try sink.write(resource.response.headerText) }
            try sink.copy(resource.path.string)
            return try sink.finish()
        }
        let sink = ByteSink()
        if output == nil, Console.output.isTerminal {
            if include {
                let lines = resource.response.headerText.split(whereSeparator: \.isNewline)
                try sink.write(lines.map { printable(String($0)) + "\n" }.joined() + "\n")
            }
            if try readFile(resource.path.string, ofAnyKind: true).bytes.contains(0) {
                throw TerminalError(url: resource.url)
            }
        } else if include {
            try sink.write(resource.response.headerText)
        }
        try sink.copy(resource.path.string)
    }
}

extension FetchManager {
    /// Loads a resource and verifies it: a stored file is hashed before use, and loaded again if it
    /// is damaged.
    fileprivate func loadVerified(_ request: FetchRequest) async throws -> Resource {
        let resource = try await load(request)
        if resource.origin == .network { return resource }
        do {
            try await verify(resource.digest, at: resource.path)
            return resource
        } catch  where error.code == .damaged {
            return try await load(request)
        }
    }
}

/// Content that a terminal cannot show.
private struct TerminalError: Error {
    let url: String
    let problem = Problem(
        .binaryContent, "the content is binary and cannot be shown on a terminal")
}

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
