/// The URL without the user name and password of its authority (RFC 3986, section 3.2.1).
package func withoutCredentials(_ url: String) -> String {
    guard url.utf8.contains(UInt8(ascii: "@")), let mark = url.firstRange(of: "//") else {
        return url
    }
    // Two slashes begin an authority only after the scheme.
    let scheme = url[..<mark.lowerBound]
    guard scheme.isEmpty || scheme.last == ":" && !scheme.contains("/") else { return url }
    let authority = url[mark.upperBound...].prefix { !"/?#\\".contains($0) }
    guard let at = authority.lastIndex(of: "@") else { return url }
    return String(url[..<mark.upperBound] + url[url.index(after: at)...])
}

/// The URL as it may be shown: without user and password, and without the values of query
/// parameters that contain signatures or credentials.
package func withoutSecrets(_ url: String) -> String {
    let url = withoutCredentials(url)
    guard let mark = url.firstIndex(of: "?"), url.contains("//") else { return url }
    let parameters = url[url.index(after: mark)...].split(
        separator: "&", omittingEmptySubsequences: false)
    let shown = parameters.map { parameter in
        guard let equals = parameter.firstIndex(of: "="),
            secretParameters.contains(parameter[..<equals].lowercased())
        else { return String(parameter) }
        return parameter[...equals] + "…"
    }
    return url[...mark] + shown.joined(separator: "&")
}

/// Parameter names of S3, Google Cloud, CloudFront, Azure and others, in lower case.
private let secretParameters: Set<String> = [
    "x-amz-signature", "x-amz-credential", "x-amz-security-token", "x-goog-signature",
    "x-goog-credential", "signature", "sig", "hmac", "policy", "key-pair-id", "awsaccesskeyid",
    "googleaccessid", "token", "access_token", "auth", "auth_token", "authorization", "key",
    "api_key", "apikey", "api-key", "password", "secret", "jwt",
]
