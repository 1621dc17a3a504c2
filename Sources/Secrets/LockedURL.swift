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
