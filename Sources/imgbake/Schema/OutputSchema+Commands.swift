import Baking
import FetchCache
import Recipes

/// The output of `imgbake explain`.
extension OutputSchema {
    static let explain = OutputSchema(
        "explain", "imgbake explain URL --json", "One object.",
        [
            Member(
                "images",
                .records([
                    imageURL,
                    Member("uses", .list(of: place), "The places that name it, in order."),
                    Member(
                        "elements",
                        .records(
                            exactPlace + [
                                Member(
                                    "decisions", .list(of: .text),
                                    "The widths, formats and placeholder, each with its reason.")
                            ]),
                        "The elements of --responsive and --placeholder, in the order of 'uses'."),
                    Member(
                        "overrides",
                        .records([
                            Member("origin", .text, "Where the rule is written."),
                            Member(
                                "set", ["type": "object", "additionalProperties": .text],
                                "The settings, as written."),
                            Member(
                                "documents", .list(of: .text),
                                "The documents in which it counts for the image."),
                        ]),
                        """
                        The rules of 'overrides' for the image, in the order of the file; a later one \
                        counts more.
                        """),
                    .optional("locked", lockedImage, "The image in the lockfile."),
                    .optional("stored", storedImage, "The answer in the cache."),
                    .optional(
                        "failure", .text,
                        "Why the URL is not requested at present, or the stored answer is not used."
                    ),
                    Member(
                        "variants",
                        .records([
                            Member(
                                "use",
                                .words(ImageExplanation.Variant.Use.allCases.map(\.rawValue)),
                                """
                                What it is for: the image itself, a srcset, or a source of a \
                                <picture>.
                                """),
                            Member(
                                "decisions", .list(of: .text),
                                "The format, width and quality, each with its reason."),
                            .optional("file", .text, "The name of the file, if it is made."),
                            .optional("format", .text, "Its format, such as webp."),
                            .optional("width", .count, "In pixels; 0 for an SVG without a size."),
                            .optional("height", .count, "In pixels; 0 for an SVG without a size."),
                            .optional("bytes", .count, "Its size."), quality,
                        ]), "The files that a bake makes of it, if its header is known."),
                ]), "The images, in the order of their first places.")
        ])

    private static let storedImage: JSONValue = .record([
        Member("status", .status, "The status of the answer."),
        Member("bytes", .count, "The size of the content."),
        Member("sha256", .digest, "The SHA-256 of the content."),
        Member("mediaType", .text, "The media type, detected from the first bytes."),
        Member("age", .count, "The age of the answer in seconds."),
        Member("freshFor", .count, "For how many seconds it is fresh; 0 if it is stale."),
        Member("freshness", .text, "Why it is fresh for that long."),
        .optional("warning", .text, "The problem in spite of which it is used."),
    ])
}

/// The output of `imgbake lock`.
extension OutputSchema {
    static let lock = OutputSchema(
        "lock", "imgbake lock --json", "One object.",
        [
            documents,
            Member("images", .count, "The images in the lockfile."),
            Member(
                "isChanged", .flag, "Whether the file was written, or with --check would be."),
            Member("added", .list(of: lockedImage), "The images that were not locked before."),
            Member(
                "changed",
                .records([
                    Member("url", .text, "The URL, as in the lockfile."),
                    Member("before", lockedImage, "The image that was locked."),
                    Member("after", lockedImage, "The image that is locked now."),
                ]), "The URLs that give another image."),
            Member("removed", .list(of: lockedImage), "The images that no document needs."),
            diagnostics,
        ])

    static let lockedImage: JSONValue = .record([
        Member("url", .text, "The URL, as in the lockfile."),
        Member("sha256", .digest, "The SHA-256 of the image."),
        Member("bytes", .count, "The size of the image."),
        Member("mediaType", .text, "The media type, detected from the first bytes."),
    ])
}

/// The output of `imgbake measure`.
extension OutputSchema {
    static let measure = OutputSchema(
        "measure", "imgbake measure --json", "One object.",
        [
            documents,
            Member("pages", .count, "The pages that were measured."),
            Member("images", .count, "The images that were measured."),
            Member("groups", .count, "The groups with a width."),
            Member(
                "isChanged", .flag,
                "Whether the file was written; with --check, whether a width differs."),
            .optional(
                "largestDifference",
                .record([
                    Member("page", .text, "The path of the page."),
                    Member("place", .text, "The place of the image in its page."),
                    Member("window", .count, "The width of the window in pixels."),
                    Member("width", .seconds, "The width of the image in pixels."),
                    Member("predicted", .seconds, "The width of its group in pixels."),
                    Member(
                        "percent", .seconds,
                        "The difference in percent of the width; 0 for two pixels and less."),
                ]), "The image that differs most from its group; without --check."),
            diagnostics,
        ])
}

extension OutputSchema {
    static let version = OutputSchema(
        "version", "imgbake --version --json", "One object.",
        [
            Member("imgbake", .text, "The version of imgbake."),
            Member(
                "libraries",
                .records([
                    Member("name", .text, "The name of the library."),
                    .optional("version", .text, "The version that it tells."),
                    .optional(
                        "file", .text,
                        "The name of its file, if it tells no version and is linked dynamically."
                    ),
                ]), "The libraries of the command and of its worker."),
            .optional(
                "formats",
                .record([
                    Member("reads", .list(of: .text), "The formats that are read."),
                    Member("writes", .list(of: .text), "The formats that are written."),
                ]), "The formats that the libraries have; missing if the worker does not start."),
            .optional(
                "sandbox",
                .record([
                    Member(
                        "protections", .list(of: protection), "The protections in force."),
                    .optional(
                        "landlockVersion", .position,
                        "The version of Landlock that is used; missing without Landlock."),
                    Member(
                        "missing",
                        .records([
                            Member("protection", protection, "The protection."),
                            Member("reason", .text, "Why it is not in force."),
                        ]), "The protections that are not in force."),
                ]), "The sandbox of a worker; missing if the worker does not start."),
            .optional("error", .text, "Why the worker does not start."),
        ])

    private static let protection = JSONValue.words(
        SandboxReport.Protection.allCases.map(\.rawValue))
}

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
