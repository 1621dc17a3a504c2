internal import Hashing
import URLs

/// The URL without the user name and password of its authority (RFC 3986, section 3.2.1).
package func withoutCredentials(_ url: String) -> String {
    // Characters are compared as bytes: "@" with a combining mark is another `Character`.
    let bytes = Array(url.utf8)
    guard bytes.contains(UInt8(ascii: "@")), let mark = bytes.range(ofText: "//") else {
        return url
    }
    // Two slashes begin an authority only after the scheme.
    let scheme = bytes[..<mark.lowerBound]
    guard scheme.isEmpty || scheme.last == UInt8(ascii: ":") && !scheme.contains(UInt8(ascii: "/"))
    else { return url }
    let authority = bytes[mark.upperBound...].prefix { !"/?#\\".utf8.contains($0) }
    guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return url }
    return String(decoding: bytes[..<mark.upperBound] + bytes[(at + 1)...], as: UTF8.self)
}

/// Who reads a URL: everyone who gets a log, a report or a store, or the author of the documents.
package enum Reader { case everyone, author }

/// The URL as it may be shown: without user and password, and with `[hidden]` in place of signatures
/// and other credentials.
///
/// Everyone is shown no values of query parameters with names of secrets (``isSecretName(_:)``), in
/// the fragment too, no values that look like keys (``looksLikeKey(_:)``), and no parts of the path
/// that follow such a name or look like the key of a known service.
///
/// The author has published all of these, and may need them again. From him, only passwords, keys of
/// services and the signatures of a URL that expires are hidden.
///
/// A long random value becomes `[hidden:1a2b3c4d]`, with a digest of the value: the same URL looks the
/// same everywhere. A value that could be guessed from its digest, such as a password, gets none.
/// A text that is not a URL with an authority stays as it is.
///
/// The digest has no key: with one, the same URL would look different on two machines, and equal
/// bakes would not give equal manifests. It is of the value alone, so the rest of the URL stays
/// readable. Content hashes such as `?v=…` are shown, because they are the most frequent long
/// values. If the URL has a time of expiry, such a value may be a signature, and is hidden.
package func withoutSecrets(_ url: String, for reader: Reader = .everyone) -> String {
    guard url.utf8.range(ofText: "//") != nil else { return url }
    let bytes = Array(withoutCredentials(url).utf8)
    let head = bytes.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    let query = bytes[head.endIndex...].prefix { $0 != UInt8(ascii: "#") }
    let fragment = bytes[query.endIndex...]
    let parts = path(head, reader) + parameters(query, reader) + parameters(fragment, reader)
    return String(decoding: parts, as: UTF8.self)
}

/// A cache key as it may be shown: a URL, and after a space other parts of the request.
package func keyWithoutSecrets(_ key: String) -> String {
    let url = key.utf8.prefix { $0 != UInt8(ascii: " ") }
    let rest = key.utf8.dropFirst(url.count)
    return withoutSecrets(String(decoding: url, as: UTF8.self))
        + String(decoding: rest, as: UTF8.self)
}

/// A text in which each URL is shown as by ``withoutSecrets(_:)``.
package func textWithoutSecrets(_ text: String) -> String {
    let bytes = Array(text.utf8)
    guard bytes.range(ofText: "://") != nil else { return text }
    var result: [UInt8] = []
    for word in bytes.split(omittingEmptySubsequences: false, whereSeparator: isOutsideOfURL) {
        result += withoutSecrets(String(decoding: word, as: UTF8.self)).utf8
        if word.endIndex < bytes.endIndex { result.append(bytes[word.endIndex]) }
    }
    return String(decoding: result, as: UTF8.self)
}

/// Whether a text is a URL of a message: a part of it is hidden, so it cannot be requested.
package func hasHiddenParts(_ url: String) -> Bool {
    url.utf8.range(ofText: "[hidden") != nil
}

private func isOutsideOfURL(_ byte: UInt8) -> Bool {
    byte <= 0x20 || "\"<>`".utf8.contains(byte)
}

/// A query with its `?`, or a fragment with its `#`.
private func parameters(_ part: ArraySlice<UInt8>, _ reader: Reader) -> [UInt8] {
    guard let mark = part.first else { return [] }
    let all = part.dropFirst().split(
        omittingEmptySubsequences: false, whereSeparator: { $0 == 0x26 || $0 == 0x3B })
    let expires = all.contains(where: isExpiry)
    var result = [mark]
    for parameter in all {
        result += shown(parameter, reader, expires: expires)
        if parameter.endIndex < part.endIndex { result.append(part[parameter.endIndex]) }
    }
    return result
}

private func name(of parameter: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    parameter.prefix { $0 != UInt8(ascii: "=") }
}

/// Whether a parameter tells until when a URL is valid.
private func isExpiry(_ parameter: ArraySlice<UInt8>) -> Bool {
    let name = name(of: parameter)
    let value = parameter[name.endIndex...].dropFirst()
    let isDuration = isNameOfDuration(name) && !value.isEmpty && value.allSatisfy(isDigit)
    return isDuration || isNameOfExpiry(name) && isTime(value)
}

private func shown(
    _ parameter: ArraySlice<UInt8>, _ reader: Reader, expires: Bool
) -> [UInt8] {
    let name = name(of: parameter)
    guard name.endIndex < parameter.endIndex else {
        return isKeyOfService(parameter, reader) ? hidden(parameter) : Array(parameter)
    }
    let value = parameter[(name.endIndex + 1)...]
    guard !value.isEmpty, !isHidden(value) else { return Array(parameter) }
    let isPassword = isNameOfPassword(name)
    let isSignature =
        isSecretName(name) && !(mayBeNameOfSize(name) && isSize(value))
        || (expires || !isNameOfVersion(name)) && looksLikeKey(value)
    let isSecret =
        isPassword || isKeyOfService(value, reader) || hasSecrets(inside: value, reader)
        || isSignature && (reader == .everyone || expires || hasTime(value))
    guard isSecret else { return Array(parameter) }
    return name + [UInt8(ascii: "=")] + hidden(value, mayBeGuessed: isPassword)
}

/// Whether a value is a URL with secrets of its own.
private func hasSecrets(inside value: ArraySlice<UInt8>, _ reader: Reader) -> Bool {
    let inner = percentDecoded(value)
    guard inner.range(ofText: "://") != nil else { return false }
    let url = String(decoding: inner, as: UTF8.self)
    return withoutSecrets(url, for: reader) != url
}

/// The part of a URL before its query.
private func path(_ head: ArraySlice<UInt8>, _ reader: Reader) -> [UInt8] {
    let start = head.range(ofText: "//")?.upperBound ?? head.startIndex
    var result = Array(head[..<start])
    var follows = false
    let segments = head[start...].split(separator: 0x2F, omittingEmptySubsequences: false)
    for (index, segment) in segments.enumerated() {
        if index > 0 { result.append(0x2F) }
        let isFile = segment.contains(UInt8(ascii: "."))
        let isSignature = follows && !isFile || isSignatureOfPath(segment)
        if index == 0 || segment.isEmpty || isHidden(segment) {
            result += segment
        } else if isKeyOfService(segment, reader) || isSignature && reader == .everyone {
            result += hidden(segment)
        } else if segment.contains(UInt8(ascii: "=")) {
            result += parameters([0x3B][...] + segment, reader).dropFirst()
        } else {
            result += segment
        }
        follows = index > 0 && isSecretFolder(segment)
    }
    return result
}

/// Whether a value was hidden before.
func isHidden(_ value: ArraySlice<UInt8>) -> Bool { value.starts(with: "[hidden".utf8) }

/// The text that is shown in place of a secret.
private func hidden(_ value: ArraySlice<UInt8>, mayBeGuessed: Bool = false) -> [UInt8] {
    guard !mayBeGuessed, isRandom(value) else { return Array("[hidden]".utf8) }
    let digest = HashFunction.sha256.hash(Array("imgbake hidden ".utf8) + value)
    return Array("[hidden:\(Array(digest.prefix(4)).hex)]".utf8)
}

/// The URL under which a lockfile knows an image: without credentials, and without the parts that
/// change each time the URL is signed.
///
/// What ``withoutSecrets(_:)`` hides is left out. In a URL with hidden parts, so are the parameters
/// that say when it was signed and until when it is valid. All other URLs stay as they are.
package func lockedURL(_ url: String) -> String {
    let shown = withoutSecrets(url)
    guard hasHiddenParts(shown) else { return shown }
    let bytes = Array(shown.utf8)
    let path = bytes.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    // A fragment is not sent, so it signs nothing.
    let query = bytes[path.endIndex...].dropFirst().prefix { $0 != UInt8(ascii: "#") }
    let kept = query.split(separator: UInt8(ascii: "&")).filter { parameter in
        let name = parameter.prefix { $0 != UInt8(ascii: "=") }
        let value = parameter[name.endIndex...].dropFirst()
        return !isHidden(value.isEmpty ? name : value) && !isNameOfExpiry(name)
            && !isNameOfSigningTime(name)
    }
    let head = String(decoding: path, as: UTF8.self).replacing(/\[hidden:\w+/) { _ in "[hidden" }
    let tail = kept.isEmpty ? [] : [UInt8(ascii: "?")] + kept.joined(separator: [UInt8(ascii: "&")])
    return head + String(decoding: tail, as: UTF8.self)
}
