/// What a later request needs to know about a stored response: how long it is fresh, and how its
/// server is asked about it.
package struct ResponseValidity: Codable, Sendable, Hashable {
    /// The entity tag, weak or strong.
    package var etag: String?
    /// The date of the last modification as the server wrote it.
    package var lastModified: String?
    /// The value of the field `Vary`.
    package var vary: String?
    /// A hash of the request fields that ``vary`` names; nil if there are none.
    package var selector: String?
    /// The time of arrival in seconds since 1970.
    package var arrival: Int64
    /// The time until which the response is fresh, in seconds since 1970.
    package var expiry: Int64

    /// Whether a bake can have recorded this: a level of another machine may say anything.
    package var isPossible: Bool {
        let times = 0...Int64(1) << 42
        return times.contains(arrival) && times.contains(expiry)
            && [etag, lastModified, vary, selector].allSatisfy { isFieldValue($0 ?? "") }
    }

    /// The request fields whose values tell nothing about who sends them.
    fileprivate static let harmless: Set<String> = [
        "accept", "accept-encoding", "accept-language", "user-agent", "origin", "save-data",
        "dpr", "width", "viewport-width", "sec-fetch-mode", "sec-fetch-dest", "sec-fetch-site",
        "access-control-request-method", "access-control-request-headers",
    ]
}

/// Whether a text can be the value of a header field, without line breaks.
package func isFieldValue(_ text: String) -> Bool {
    text.utf8.count <= 1_000 && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
}

extension Resource {
    /// What others may know about the response; nil if it depends on the user, or if other URLs than
    /// the requested one gave it.
    package var publicValidity: ResponseValidity? {
        ResponseValidity(response, isDirect: url == finalURL && key == url)
    }

    /// Whether others may get the bytes, and what is made of them.
    package var isForOthers: Bool { !isNoStore && response.isForOthers }
}

extension LevelResponse {
    /// What others may know about the response; nil if it depends on the user, or if other URLs than
    /// the requested one gave it.
    package var publicValidity: ResponseValidity? {
        ResponseValidity(response, isDirect: url == finalURL && key == url)
    }

    /// Whether all bytes came from the requested URL, and from a public address.
    package var isFromPublicAddress: Bool { url == finalURL && entry.route == .direct }
}

extension ResponseValidity {
    fileprivate init?(_ response: StoredResponse, isDirect: Bool) {
        guard isDirect, response.isSameForAll else { return nil }
        let names = response.variedNames
        self.init(
            etag: response.etag, lastModified: response.lastModified,
            vary: names.isEmpty ? nil : names.joined(separator: ", "),
            selector: response.vary.isEmpty ? nil : response.vary,
            arrival: response.arrival.milliseconds / 1000,
            expiry: max(0, response.expiry.milliseconds / 1000))
    }
}

extension StoredResponse {
    /// Whether a shared cache may store the response (RFC 9111, sections 3, 3.5 and 5.2.2.7).
    ///
    /// The rule is stricter than the RFC: `private` may not name fields, and `Vary` may only name
    /// those that tell nothing about who asks.
    ///
    /// With a `.netrc`, every host counts as one with credentials. What is made of a response is
    /// shared as the response is, because it shows it.
    var isForOthers: Bool { isSameForAll && !CacheControl(headerFields).isPrivate }

    /// The names in its fields `Vary`.
    fileprivate var variedNames: [String] {
        headerFields.values(for: "Vary").flatMap(FieldList.members)
    }

    /// Whether the response depends neither on credentials nor on anything else that tells who asks.
    fileprivate var isSameForAll: Bool {
        variedNames.allSatisfy { ResponseValidity.harmless.contains($0.lowercased()) }
            && !vary.contains(" ")
    }
}

extension LevelResponse {
    /// Creates a response of an image to a plain URL, of which only this is known.
    package init(
        url: String, digest: BlobDigest, byteCount: Int, mediaType: MediaType,
        _ validity: ResponseValidity, isFromPublicAddress: Bool
    ) {
        let fields = [
            ("ETag", validity.etag), ("Last-Modified", validity.lastModified),
            ("Vary", validity.vary),
        ].compactMap { name, value in value.map { (name: name, value: $0) } }
        self.init(
            key: url, url: url, finalURL: url, digest: digest, byteCount: byteCount,
            mediaType: mediaType,
            response: StoredResponse(
                version: "HTTP/1.1", status: 200, fieldText: HeaderFields(fields).text,
                arrival: Timestamp(milliseconds: validity.arrival * 1000),
                expiry: Timestamp(milliseconds: validity.expiry * 1000),
                vary: validity.selector ?? ""),
            isFromPublicAddress: isFromPublicAddress)
    }
}
