import Baking
import FetchCache
import FoundationEssentials
import HTTPTypes
import Reports
import Secrets

/// The output of `fetch --json` for a response.
struct ResourceJSON: Encodable {
    var url: String
    var finalURL: String
    var key: String
    var status: Int
    /// Names and values, in the order of their arrival.
    var headers: [[String]]
    var origin: String
    /// In seconds.
    var age: Int64
    var fresh: Bool
    /// In seconds; 0 if it is stale.
    var freshFor: Int64
    var etag: String?
    var lastModified: String?
    var mediaType: String
    var byteCount: Int
    var sha256: String
    /// Nil if the response must not be stored.
    var path: String?
    var durationMilliseconds: Int64
    var warning: String?

    init(_ resource: Resource, timeToLive: Duration?) {
        let response = resource.response
        url = withoutSecrets(resource.url)
        finalURL = withoutSecrets(resource.finalURL)
        key = keyWithoutSecrets(resource.key)
        status = response.status
        headers = response.fields.map { field in
            let name = field.name.rawName
            let isSecret = Self.secretFields.contains(name.lowercased())
            return [name, isSecret ? "[hidden]" : textWithoutSecrets(field.value)]
        }
        origin = resource.origin.rawValue
        age = response.age().components.seconds
        freshFor = response.freshSeconds(at: .now, timeToLive: timeToLive)
        fresh = freshFor > 0
        etag = response.etag
        lastModified = response.lastModified
        mediaType = resource.mediaType.rawValue
        byteCount = resource.byteCount
        sha256 = resource.digest.hex
        path = resource.isNoStore ? nil : resource.path.string
        durationMilliseconds = Int64((resource.duration / .milliseconds(1)).rounded())
        warning = resource.warning
    }

    /// Fields that identify the user.
    private static let secretFields: Set = [
        "set-cookie", "set-cookie2", "authentication-info", "proxy-authentication-info",
    ]
}

/// The output of `fetch --json` for a URL without a response.
struct FetchFailureJSON: Encodable {
    var url: String
    var code: DiagnosticCode
    var error: String
}

extension StoredResponse {
    /// The status line and the header fields as they are sent, with the final empty line.
    var headerText: String {
        let lines = ["\(version) \(status)"] + fields.map { "\($0.name.rawName): \($0.value)" }
        return lines.map { $0 + "\r\n" }.joined() + "\r\n"
    }
}
