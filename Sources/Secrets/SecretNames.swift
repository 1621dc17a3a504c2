import URLs

/// The names of credentials in URLs.
///
/// Names are compared in lower case and without `-`, `_`, `.` and brackets.

/// Names of signatures, tokens and credentials of storage services, delivery networks and logins,
/// besides those with one of ``secretParts``.
private let secretNames: Set<String> = [
    // CloudFront, Google Cloud and Firebase, Azure.
    "policy", "keypairid", "googleaccessid", "resourcekey", "sig", "skoid", "sktid",
    // Akamai.
    "hdnea", "hdnts", "hdntl", "gda", "hmac", "mac",
    // Cloudflare, Fastly, Imgix, Facebook, Discord, Dropbox, SharePoint.
    "verify", "s", "oh", "ncohc", "hm", "rlkey", "authkey", "tempauth",
    // Alibaba, Tencent.
    "qak", "sign",
    // Logins.
    "auth", "authorization", "bearer", "code", "codeverifier", "ticket", "session", "sessionid",
    "sid", "jsessionid", "phpsessid", "jwt", "samlrequest", "samlresponse", "relaystate",
    "assertion", "clientassertion", "oauthverifier", "nonce", "otp", "pin", "pass", "passphrase",
    "pwd", "key", "appkey", "subscriptionkey", "licensekey",
]

/// Parts of names that are enough, as in `x-amz-security-token`.
private let secretParts = [
    "token", "secret", "signature", "password", "passwd", "credential", "apikey", "accesskey",
    "privatekey", "sessionkey",
]

/// Names of values that people choose, besides those with `passw` in them.
private let passwordNames: Set<String> = ["pass", "pwd", "passphrase"]

/// Names of versions and of digests of the content, whose values are no secrets.
private let versionNames: Set<String> = [
    "v", "ver", "version", "rev", "revision", "r", "h", "hash", "cb", "cachebuster", "bust", "t",
    "ts", "etag", "md5", "sha", "sha1", "sha256", "digest", "checksum", "integrity", "id", "build",
    "commit", "ref", "release", "modified", "mtime",
    // Unsplash: the page that showed the image.
    "ixid", "ixlib",
]

/// Names of a time until which a signed URL is valid, besides those that end in `expires`.
private let expiryNames: Set<String> = [
    "expire", "expiry", "expiration", "exp", "e", "ex", "se", "oe", "validto", "validuntil",
    "until", "ttl", "deadline", "policy", "qsigntime", "qkeytime", "wstime", "txtime",
]

/// Names of the time when a URL was signed, or from which it is valid.
private let signingTimeNames: Set<String> = [
    "xamzdate", "xgoogdate", "xossdate", "xobsdate", "xtosdate", "st", "is", "issued", "iat", "nbf",
    "timestamp",
]

/// Folders whose next part is a credential.
private let secretFolders: Set<String> = [
    "token", "accesstoken", "jwt", "secret", "apikey", "signature", "sig", "password", "hmac",
]

private func plain(_ name: some Collection<UInt8>) -> String {
    let bytes = percentDecoded(name).filter { !"-_.[]".utf8.contains($0) }
    return String(decoding: bytes, as: UTF8.self).lowercased()
}

/// Whether the values of parameters of this name are hidden.
package func isSecretName(_ name: some Collection<UInt8>) -> Bool {
    let name = plain(name)
    return secretNames.contains(name)
        || secretParts.contains { name.utf8.firstRange(of: $0.utf8) != nil }
}

func isNameOfPassword(_ name: some Collection<UInt8>) -> Bool {
    let name = plain(name)
    return passwordNames.contains(name) || name.utf8.range(ofText: "passw") != nil
}

func isNameOfVersion(_ name: some Collection<UInt8>) -> Bool { versionNames.contains(plain(name)) }

/// Whether a name means a size as often as a signature: `s=64` of avatars, `s=612x612`.
func mayBeNameOfSize(_ name: some Collection<UInt8>) -> Bool { plain(name) == "s" }

func isNameOfExpiry(_ name: some Collection<UInt8>) -> Bool {
    let name = plain(name)
    return expiryNames.contains(name) || isNameOfDuration(name.utf8)
}

/// Whether the time may be one from the signature on, in seconds: `X-Amz-Expires=60`.
func isNameOfDuration(_ name: some Collection<UInt8>) -> Bool { plain(name).hasSuffix("expires") }

func isNameOfSigningTime(_ name: some Collection<UInt8>) -> Bool {
    signingTimeNames.contains(plain(name))
}

func isSecretFolder(_ segment: some Collection<UInt8>) -> Bool {
    secretFolders.contains(plain(segment))
}
