import Baking
import FetchCache

/// The outputs of commands that work with the cache, and of those that fail.
extension OutputSchema {
    static let fetch = OutputSchema(
        "fetch", "imgbake fetch --json",
        "One object on a line for each URL, in their order: with an answer, or with an error.",
        [
            requestedURL,
            Member("finalURL", .text, "The URL of the answer, after redirects."),
            key, status,
            Member(
                "headers",
                .list(of: ["type": "array", "items": .text, "minItems": 2, "maxItems": 2]),
                "The names and values of the header fields, in the order of their arrival."),
            Member(
                "origin", .words(Resource.Origin.allCases.map(\.rawValue)),
                "Where the content came from."),
            age, fresh, freshFor,
            .optional("etag", .text, "The entity tag."),
            .optional("lastModified", .text, "The field Last-Modified."),
            mediaType, byteCount, sha256,
            .optional(
                "path", .text,
                "The path of the content in the cache; missing if it must not be stored."),
            Member("durationMilliseconds", .count, "The time that the fetch took."),
            .optional("warning", .text, "Why a stale answer was used against the rules."),
        ],
        [
            requestedURL, code,
            Member("error", .text, "The event and its cause."),
        ])

    static let cacheInfo = OutputSchema(
        "cache-info", "imgbake cache info --json", "One object.",
        [
            Member("path", .text, "The folder of the cache."),
            Member("entries", .count, "The stored answers."),
            Member("variants", .count, "The stored results of transforms."),
            Member("failures", .count, "The URLs that are remembered as failed."),
            Member("blobs", .count, "The files, each with distinct bytes."),
            Member("bytes", .count, "The size of all files."),
            .optional("cleanedBefore", .count, "The seconds since the last cleaning."),
        ])

    static let cacheList = OutputSchema(
        "cache-list", "imgbake cache list --json", "One object on a line for each entry.",
        [
            key, url, status, fresh, freshFor, age, byteCount, mediaType, sha256,
            Member("lastUse", .count, "In milliseconds since 1970."),
        ])

    static let cacheFailures = OutputSchema(
        "cache-failures", "imgbake cache list --failed --json",
        "One object on a line for each URL that is remembered as failed.",
        [
            key, url, reason,
            .optional("status", .status, "The status of the answer, if there was one."),
            Member("age", .count, "The seconds since the last request."),
            Member("holdsFor", .count, "The seconds until the next request is allowed."),
        ])

    static let cacheClean = OutputSchema(
        "cache-clean", "imgbake cache clean --json", "One object.",
        [
            Member("entries", .count, "The entries that were removed."),
            Member("blobs", .count, "The files that were removed."),
            Member("bytes", .count, "The size of these files."),
            Member(
                "protectedBytes", .count,
                "The size of what the last bakes have used, if the limit was exceeded."),
            Member("remainingBlobs", .count, "The files that are left."),
            Member("remainingBytes", .count, "The size of these files."),
        ])

    static let config = OutputSchema(
        "config", "imgbake config show --json", "One object.",
        [
            Member(
                "settings",
                .records([
                    Member(
                        "key", .words(SettingTable.all.map(\.key)),
                        "The key in imgbake.yml, such as fetch.ttl."),
                    .optional(
                        "option", .text, "The name of its option without dashes; missing if none."),
                    .optional(
                        "value", .text,
                        "The value in the syntax of imgbake.yml; missing if there is none."),
                    Member(
                        "origin", .text,
                        "The file and line, the variable, the option, or 'default'."),
                ]), "The settings, in the order of the reference.")
        ])

    static let error = OutputSchema(
        "error", "any command with --json that cannot do its work",
        "One object: wrong usage or configuration, or a cache that cannot be opened.",
        [
            Member("error", .text, "The message, as on standard error."),
            Member("exitCode", ["enum": [1, 2]], "The exit code of the command."),
        ])

    private static let requestedURL = Member(
        "url", .text, "The URL that was requested, without credentials.")
    private static let key = Member(
        "key", .text,
        "The key of the cache: the URL, and after a space other parts of the request.")
    private static let age = Member("age", .count, "The age of the answer in seconds.")
    private static let status = Member("status", .status, "The status of the answer.")
    private static let fresh = Member("fresh", .flag, "Whether it may be used without a request.")
    private static let freshFor = Member(
        "freshFor", .count, "For how many seconds it is fresh; 0 if it is stale.")
    private static let mediaType = Member(
        "mediaType", .text, "The media type, detected from the first bytes.")
    private static let byteCount = Member("byteCount", .count, "The size of the content.")
    private static let sha256 = Member("sha256", .digest, "The SHA-256 of the content.")
}
