package import Documents
package import FetchCache
import Glibc
import Recipes

/// What went wrong, without the place that it happened at.
package struct Problem: Error, Codable, Hashable, Sendable {
    package var code: DiagnosticCode
    /// One clause without a period, fit to follow a URL and a colon.
    package var reason: String
    /// What to do; that of the code, unless more is known.
    package var remedy: String

    package init(_ code: DiagnosticCode, _ reason: String, remedy: String? = nil) {
        self.code = code
        self.reason = reason
        self.remedy = remedy ?? DiagnosticTable.row(code).remedy
    }
}

extension FetchError {
    /// The error as a problem of the image that was asked for.
    package var problem: Problem {
        var problem = Problem(diagnosticCode, reason)
        if let age {
            problem.reason += ", \(age.asAge) ago"
            problem.remedy = "give --retry-failed to ask again"
        }
        if code == .tooLarge, subcode == nil { problem.remedy = "raise --max-bytes" }
        return problem
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
        case .status: [401, 403, 407].contains(status) ? .accessDenied : .httpStatus
        case .redirect: .redirectFailed
        case .empty: .emptyResponse
        case .tooLarge: .tooLarge
        case .notAnImage: .notAnImage
        case .offline: .notInCache
        case .storage, .closed: .cacheUnusable
        case .damaged: .cacheDamaged
        default: .invalidResponse
        }
    }
}

extension Answer.Failure {
    /// The failure as a problem of the image.
    var problem: Problem {
        let code: DiagnosticCode =
            switch code {
            case .unsupported: .unsupportedFormat
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

extension FileFault {
    /// The fault as a problem of the document or the image that the file is for.
    package var problem: Problem {
        let isReading = ["read", "open", "list"].contains(operation)
        switch cause {
        case .linkOutside, .danglingLink:
            return Problem(.linkOutside, description)
        case .notAFolder:
            return Problem(.unwritableFile, description, remedy: "move it away")
        case .system(ENOSPC), .system(EDQUOT):
            return Problem(.diskFull, description)
        case .system(EILSEQ):
            return Problem(.unreadableFile, description, remedy: "rename it")
        case .system: return Problem(isReading ? .unreadableFile : .unwritableFile, description)
        }
    }
}

extension Refusal.Reason {
    /// The reason as a problem of the document.
    var problem: Problem {
        switch self {
        case .encoding: Problem(.unsupportedEncoding, description)
        case .tooLarge: Problem(.documentTooLarge, description)
        case .tooComplex: Problem(.documentTooComplex, description)
        case .placeUncertain: Problem(.uncertainPlace, description)
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

extension UnreadURLs {
    var problem: Problem {
        Problem(place == .scripts ? .urlInScript : .urlInTemplate, description)
    }
}

extension Duration {
    /// The span in one unit, rounded down: `12 min`.
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
