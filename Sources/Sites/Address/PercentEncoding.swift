import URLs

/// `path` with every byte percent-encoded that is special in a URL (RFC 3986), so that the
/// reference names exactly this file.
package func urlPath(_ path: String) -> String {
    percentEncoded(path) { !isUnreservedInURL($0) && !"/:@!$&'()*+,;=".utf8.contains($0) }
}
