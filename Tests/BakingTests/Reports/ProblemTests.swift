import Documents
import Files
import Glibc
import Recipes
import SystemPackage
import Testing

@testable import Baking
@testable import FetchCache
@testable import Reports
@testable import Sites

/// The diagnostic for each error.
@Suite struct ProblemTests {
    @Test(arguments: FetchError.Code.Value.allCases)
    func eachCodeOfTheCacheHasADiagnostic(value: FetchError.Code.Value) {
        let expected: DiagnosticCode =
            switch value {
            case .invalidURL: .invalidURL
            case .forbidden: .notAllowed
            case .unresolved: .hostUnresolved
            case .unreachable: .connectionFailed
            case .timedOut: .timeout
            case .tls: .tlsFailed
            case .interrupted: .connectionLost
            case .status: .httpStatus
            case .redirect: .redirectFailed
            case .badResponse, .cancelled, .custom: .invalidResponse
            case .empty: .emptyResponse
            case .tooLarge: .tooLarge
            case .notAnImage: .notAnImage
            case .refused: .tooManyPixels
            case .rejected: .damagedImage
            case .offline: .notInCache
            case .storage, .closed, .configuration: .cacheUnusable
            case .damaged: .cacheDamaged
            }
        let error = FetchError(FetchError.Code(value: value), "http://h/", "cause")
        #expect(error.problem.code == expected)
    }

    @Test(
        arguments: [
            (.forbidden, .privateAddress, .privateAddress, "--allow-private-network"),
            (.forbidden, .deniedHost, .hostNotAllowed, "allow-hosts"),
            (.forbidden, .downgrade, .insecureRedirect, "allow-downgrade"),
            (.redirect, .downgrade, .insecureRedirect, "allow-downgrade"),
            (.storage, .noSpace, .diskFull, "room"),
            (.tooLarge, nil, .tooLarge, "--max-bytes"),
            (.offline, nil, .notInCache, "--offline"),
        ] as [(FetchError.Code, FetchError.Subcode?, DiagnosticCode, String)])
    func subcodeSelectsRemedy(
        code: FetchError.Code, subcode: FetchError.Subcode?, expected: DiagnosticCode,
        remedy: String
    ) {
        let problem = FetchError(code, "http://h/", "cause", subcode: subcode).problem
        #expect(problem.code == expected)
        #expect(problem.remedy.contains(remedy))
    }

    @Test(
        arguments: [
            (401, .accessDenied), (403, .accessDenied), (407, .accessDenied), (404, .httpStatus),
            (410, .httpStatus), (429, .httpStatus), (500, .httpStatus),
        ] as [(Int, DiagnosticCode)])
    func statusForCredentialsHasOwnCode(status: Int, code: DiagnosticCode) {
        let error = FetchError(.status, "http://h/", "HTTP \(status)", status: status)
        #expect(error.problem.code == code)
        #expect(Problem(status: status) == error.problem)
    }

    /// The text of an error contains the host name, which may contain any word.
    @Test func codeIgnoresTextOfCause() {
        let cause = "the host address.example is a loopback address"
        let problem = FetchError(.forbidden, "http://h/", cause).problem
        #expect(problem.code == .notAllowed)
        #expect(problem.reason == cause)
    }

    @Test func storageErrorNamesPath() {
        let path = "/cache/index.sqlite"
        #expect(FetchError(.storage, path, "cause").problem.reason.contains(path))
        #expect(!FetchError(.offline, "http://h/", "x").problem.reason.contains("http"))
    }

    @Test func cachedFailureHasAgeAndRemedy() {
        var error = FetchError(.status, "http://h/", "HTTP 404", status: 404)
        let fresh = error.problem
        error.age = .seconds(750)
        let told = Diagnostic(error.problem, .error)
        #expect(told.code == fresh.code)
        #expect(told.reason == "HTTP 404, 12 min ago")
        #expect(told.remedy.hasPrefix(fresh.remedy))
        #expect(told.remedy.contains("--retry-failed"))
    }

    @Test(
        arguments: [
            (.unsupported, .unsupportedFormat), (.noDecoder, .missingDecoder),
            (.corrupt, .damagedImage),
            (.tooManyPixels, .tooManyPixels), (.tooLargeForFormat, .tooLargeForFormat),
            (.outOfMemory, .outOfMemory), (.unsafe, .unsafeImage), (.output, .unwritableFile),
        ] as [(JobResult.JobError.Code, DiagnosticCode)])
    func eachFailureOfTheWorkerHasADiagnostic(
        code: JobResult.JobError.Code, expected: DiagnosticCode
    ) {
        let problem = JobResult.JobError(code, "cause").problem
        #expect(problem.code == expected)
        #expect(problem.reason == "cause")
    }

    @Test(
        arguments: [
            ("read", .system(.permissionDenied), .unreadableFile),
            ("look at", .system(.ioError), .unreadableFile),
            ("read the folder", .system(.permissionDenied), .unreadableFile),
            ("read", .system(.noSuchFileOrDirectory), .unreadableFile),
            ("read", .system(.illegalByteSequence), .unreadableFile),
            ("read", .system(.fileTooLarge), .documentTooLarge),
            ("write", .system(.permissionDenied), .unwritableFile),
            ("write", .system(.fileTooLarge), .unwritableFile),
            ("open", .system(.permissionDenied), .unwritableFile),
            ("make the folder", .system(.readOnlyFileSystem), .unwritableFile),
            ("make the folder", .notAFolder, .unwritableFile),
            ("write", .system(.isDirectory), .unwritableFile),
            ("write", .system(.notDirectory), .unwritableFile),
            ("make the link", .system(.fileNameTooLong), .unwritableFile),
            ("write", .system(.noSpace), .diskFull),
            ("write", .system(.diskQuotaExceeded), .diskFull),
            ("write to", .linkOutside(root: "/r"), .linkOutside),
            ("make the folder", .danglingLink, .linkOutside),
        ] as [(String, FileError.Cause, DiagnosticCode)])
    func eachFileFaultHasDiagnosticWithPath(
        operation: String, cause: FileError.Cause, code: DiagnosticCode
    ) {
        let problem = FileError(operation, "/a/b", cause).problem
        #expect(problem.code == code)
        #expect(problem.reason.contains("/a/b"))
        #expect(!problem.remedy.isEmpty)
    }

    @Test(
        arguments: [
            (.encoding("UTF-16"), .unsupportedEncoding), (.tooLarge, .documentTooLarge),
            (.tooComplex("too much"), .documentTooComplex), (.placeUncertain, .uncertainPlace),
            (.markdownInHTML, .markdownInHTML),
            (.shortcodes(count: 2, name: "slide pic"), .unknownShortcode),
            (.markdownInAdmonition, .markdownInAdmonition), (.urlNotUTF8, .urlNotUTF8),
            (.metadataUnreadable, .invalidFrontMatter),
        ] as [(DocumentProblem.Reason, DiagnosticCode)])
    func eachDocumentProblemHasDiagnostic(reason: DocumentProblem.Reason, code: DiagnosticCode) {
        #expect(reason.problem.code == code)
        #expect(!reason.problem.reason.isEmpty)
    }

    @Test func namesUnknownShortcodeAsInSettings() {
        let reason = DocumentProblem.Reason.shortcodes(count: 2, name: "slide pic")
        #expect(reason.problem.remedy.contains("'slide pic'"))
    }

    @Test(
        arguments: [
            (.script, .unreadImage), (.template, .urlInTemplate), (.source, .urlInTemplate),
            (.metadata, .unreadImage), (.embedded, .unreadImage), (.element("a:b"), .unreadImage),
        ] as [(UnreadImage.Place, DiagnosticCode)])
    func unchangeableURLHasDiagnostic(place: UnreadImage.Place, code: DiagnosticCode) {
        #expect(UnreadImage(place, offset: 0, url: "x").problem.code == code)
    }

    @Test(
        arguments: [
            (.seconds(0), "0 s"), (.seconds(119), "119 s"), (.seconds(120), "2 min"),
            (.seconds(12 * 60 + 59), "12 min"), (.seconds(7_199), "119 min"),
            (.seconds(7_200), "2 h"), (.seconds(172_800), "2 days"), (.seconds(-5), "0 s"),
        ] as [(Duration, String)])
    func showsAgeInOneUnit(age: Duration, words: String) {
        #expect(age.asAge == words)
    }
}
