import Documents
package import FetchCache
package import Files
import FoundationEssentials
import Glibc
import Recipes
import SystemPackage

/// A failure, without the place where it happened.
///
/// A thrown error is for the code that calls, and a problem is what a user is told. Each error
/// becomes one in this module, so that each has a code, a reason and a remedy.
package struct Problem: Error, Codable, Hashable, Sendable {
    package var code: DiagnosticCode
    /// One clause without a period that can follow a URL and a colon.
    package var reason: String
    /// The action that solves the problem; by default that of the code.
    package var remedy: String
    /// The time since it was found, if an earlier run has found it.
    package var age: Duration?

    package init(_ code: DiagnosticCode, _ reason: String, remedy: String? = nil) {
        self.code = code
        self.reason = reason
        self.remedy = remedy ?? DiagnosticTable.row(code).remedy
    }

    /// An HTTP status that is not a success.
    package init(status: Int) {
        self.init(
            DiagnosticCode(status: status), "HTTP \(status)", remedy: Self.remedy(status: status))
    }

    /// The remedy for a status; nil if that of its code applies.
    fileprivate static func remedy(status: Int) -> String? {
        switch status {
        case 403:
            "some servers want a User-Agent that names a contact: give --user-agent; others want "
                + "credentials: set them under 'hosts' in imgbake.yml, or give --netrc"
        case 429: "run again later, or lower --per-host"
        case 500...: "the server failed: run again later"
        default: nil
        }
    }

    /// Records that the problem was found in an earlier run, `age` ago.
    package mutating func remember(_ age: Duration) {
        self.age = age
        remedy += "; --retry-failed tries again"
    }
}

/// A problem that ends a bake before the first download, because no image could be baked.
package struct FatalProblem: Error {
    package let problem: Problem
    /// The place in a file that imgbake has written, such as a lockfile; nil for none.
    package let place: Diagnostic.Place?

    package init(problem: Problem, place: Diagnostic.Place? = nil) {
        self.problem = problem
        self.place = place
    }
}

extension DiagnosticCode {
    /// The code for an HTTP status that is not a success.
    init(status: Int) {
        self = [401, 403, 407].contains(status) ? .accessDenied : .httpStatus
    }
}

extension FetchError {
    /// The error as a problem of the requested image.
    package var problem: Problem {
        var problem = Problem(diagnosticCode, reason, remedy: knownRemedy)
        if let age { problem.remember(age) }
        return problem
    }

    /// The remedy, if it is not that of the code.
    private var knownRemedy: String? {
        switch subcode {
        case .needsTLS: return "write https:// instead of http://"
        case .missingCredential:
            return "set the variable, for example from a secret of the CI system"
        case .hasNoTLS: return "write http:// instead of https://, or correct the port"
        default: break
        }
        guard code == .status, let status else { return nil }
        if let retryAfter, [429, 503].contains(status) {
            return "run again after \(retryAfter.asAge), or lower --per-host"
        }
        return Problem.remedy(status: status)
    }

    private var reason: String {
        switch code {
        case .storage, .damaged: "cannot use the cache at \(url): \(detail)"
        default: detail
        }
    }

    private var diagnosticCode: DiagnosticCode {
        switch subcode {
        case .privateAddress: return .privateAddress
        case .deniedHost: return .hostNotAllowed
        case .downgrade: return .insecureRedirect
        case .noSpace: return .diskFull
        case .missingCredential: return .accessDenied
        case .proxyUnreachable, .proxyRefused: return .proxyFailed
        default: break
        }
        return switch code {
        case .invalidURL: .invalidURL
        case .forbidden: .notAllowed
        case .unresolved: .hostUnresolved
        case .unreachable: .connectionFailed
        case .timedOut: .timeout
        case .tls: .tlsFailed
        case .interrupted: .connectionLost
        case .status: status.map(DiagnosticCode.init(status:)) ?? .httpStatus
        case .redirect: .redirectFailed
        case .empty: .emptyResponse
        case .tooLarge: .tooLarge
        case .notAnImage: .notAnImage
        // Only the number of pixels is checked while an image arrives.
        case .refused: .tooManyPixels
        case .rejected: .damagedImage
        case .offline: .notInCache
        case .storage, .closed, .configuration: .cacheUnusable
        case .damaged: .cacheDamaged
        default: .invalidResponse
        }
    }
}

extension FetchManager {
    /// A warning for each read-only cache in which damaged data was found.
    package var damageWarnings: [Diagnostic] {
        damagedCaches.map { folder in
            let problem = Problem(
                .cacheDamaged,
                "the read-only cache \(folder) contains damaged data, which is not used",
                remedy: "run 'imgbake cache verify --cache-dir \(folder)', or delete the folder")
            return Diagnostic(problem, .warning)
        }
    }
}

extension FetchManager {
    /// A warning if the size limit is too low for what the last bakes have used.
    package var sizeWarnings: [Diagnostic] {
        guard let needed = neededBytes, let limit = configuration.policy.maximumBytes else {
            return []
        }
        let (unit, name) = needed < 1_000_000 ? (1000, "kB") : (1_000_000, "MB")
        let problem = Problem(
            .cacheTooSmall,
            "the cache needs \(needed.asBytes) for the last bakes, and its limit is "
                + limit.asBytes,
            remedy: "set cache.max-size to at least \((needed + unit - 1) / unit)\(name)")
        return [Diagnostic(problem, .warning)]
    }
}

extension Resource {
    /// The problem in spite of which a stored response was used; nil if there is none.
    package var problem: Problem? {
        if let gone {
            let date = gone.since.formatted(.iso8601.year().month().day())
            return Problem(.originGone, "\(gone.reason), since \(date); the stored image is used")
        }
        return warning.map { Problem(.staleImage, $0) }
    }
}

extension JobResult.JobError {
    /// The failure as a problem of the image.
    package var problem: Problem {
        let code: DiagnosticCode =
            switch code {
            case .unsupported: .unsupportedFormat
            case .noDecoder: .missingDecoder
            case .corrupt: .damagedImage
            case .tooManyPixels: .tooManyPixels
            case .tooLargeForFormat: .tooLargeForFormat
            case .outOfMemory: .outOfMemory
            case .unsafe: .unsafeImage
            case .output: .unwritableFile
            }
        return Problem(code, reason)
    }
}

extension FileError {
    /// The error as a problem of the document or the image that the file is for.
    package var problem: Problem {
        let code: DiagnosticCode = isReading ? .unreadableFile : .unwritableFile
        return switch cause {
        case .linkOutside, .danglingLink: Problem(.linkOutside, description)
        case .notAFolder,
            .system(.isDirectory) where !isReading,
            .system(.notDirectory) where !isReading:
            Problem(.unwritableFile, description, remedy: "move it away, or use another folder")
        case .readOnly: Problem(.readOnlyDocument, description)
        case _ where isFull: Problem(.diskFull, description)
        case .system(.illegalByteSequence):
            Problem(.unreadableFile, description, remedy: "rename it")
        case .system(.fileTooLarge) where isReading: Problem(.documentTooLarge, description)
        case .system(.noSuchFileOrDirectory) where isReading:
            Problem(code, description, remedy: "run again when no other program changes the site")
        case .system(.fileNameTooLong):
            Problem(code, description, remedy: "choose shorter names for the folders")
        case .system(.readOnlyFileSystem):
            Problem(code, description, remedy: "use a folder that is not read-only")
        case .system(.ioError): Problem(code, description, remedy: "check the disk")
        case .system: Problem(code, description)
        }
    }

    /// Whether the operation was a read, not a write.
    private var isReading: Bool { operation.hasPrefix("read") || operation == "look at" }
}

extension DocumentProblem.Reason {
    /// The reason as a problem of the document.
    package var problem: Problem {
        switch self {
        case .encoding: Problem(.unsupportedEncoding, description)
        case .tooLarge: Problem(.documentTooLarge, description)
        case .tooComplex: Problem(.documentTooComplex, description)
        case .placeUncertain, .notCommonMark: Problem(.uncertainPlace, description)
        case .markdownInHTML: Problem(.markdownInHTML, description)
        case .shortcodes(_, let name):
            Problem(
                .unknownShortcode, description,
                remedy: "list the attribute under 'shortcodes' in imgbake.yml, as in '\(name)'")
        case .markdownInAdmonition: Problem(.markdownInAdmonition, description)
        case .urlNotUTF8: Problem(.urlNotUTF8, description)
        case .metadataUnreadable: Problem(.invalidFrontMatter, description)
        }
    }
}

extension UnreadImage {
    package var problem: Problem {
        let remedy: String? =
            switch place {
            case .template: "host the image yourself"
            case .source: "bake the built site"
            case .metadata:
                "list the key under 'front-matter' in imgbake.yml, or bake the built site"
            case .attribute(_, let name) where name.hasPrefix("data-"):
                "list it under 'lazy-attributes' in imgbake.yml, if its value is a URL"
            case .fixed: "leave such files out of the list of the service worker"
            case .attribute, .element, .script, .style, .data, .beginning, .embedded, .markdown: nil
            }
        let isInTemplate = place == .template || place == .source
        return Problem(
            isInTemplate ? .urlInTemplate : .unreadImage, place.description, remedy: remedy)
    }

    /// Whether somebody who visits a built site may load it.
    package var isOfVisitors: Bool {
        switch place {
        case .script, .attribute, .element, .style, .data, .fixed: true
        case .beginning, .metadata, .embedded, .markdown, .template, .source: false
        }
    }
}

extension Duration {
    /// The duration in one unit, rounded down: `12 min`.
    package var asAge: String {
        let seconds = components.seconds
        return switch seconds {
        case ..<120: "\(max(0, seconds)) s"
        case ..<7_200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3_600) h"
        default: "\(seconds / 86_400) days"
        }
    }
}

/// The reason why a bake cannot begin.
package struct BakeError: Error, CustomStringConvertible {
    /// The problem and its remedy, without a period.
    package var description: String

    package init(_ description: String) {
        self.description = description
    }

    package init(_ problem: Problem) {
        description = "\(problem.reason); \(problem.remedy)"
    }
}
