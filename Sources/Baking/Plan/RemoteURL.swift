import FetchCache

/// What a reference's URL asks for: the first half of planning.
package enum RemoteURL: Equatable, Sendable {
    /// Another host's image, as a normalised URL: the cache key.
    case remote(String)
    /// Nothing to fetch: a relative path, `data:`, or any scheme but http and https.
    case local
    /// Meant for another host, but no URL that can be fetched.
    case malformed(reason: String)

    /// Reads `url` as the parsers gave it.
    ///
    /// A URL without a scheme that begins with `//` takes https, since what is baked has no page
    /// whose scheme it could take.
    package init(_ url: String) {
        let trimmed = url.utf8.drop(while: isBlank)
        let text = String(Substring(trimmed))
        let remote: String
        if text.hasPrefix("//") || text.hasPrefix("\\\\") {
            remote = "https:" + text
        } else if hasScheme("http", text) || hasScheme("https", text) {
            remote = text
        } else {
            self = .local
            return
        }
        do throws(FetchError) {
            self = .remote(try FetchCache.normalized(url: remote))
        } catch {
            self = .malformed(reason: error.detail)
        }
    }
}

private func isBlank(_ byte: UInt8) -> Bool { byte <= 0x20 }

private func hasScheme(_ scheme: String, _ text: String) -> Bool {
    let head = text.utf8.prefix(scheme.utf8.count + 1)
    return head.elementsEqual((scheme + ":").utf8) { $0 == $1 || $0 | 0x20 == $1 }
}
