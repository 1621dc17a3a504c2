internal import CCurl
internal import Files
internal import GRDB
internal import SystemPackage

/// The state that all transfers of an engine share: cookies and trusted authorities.
///
/// Used only on the thread of the ``CurlLoop``.
final class CurlSession {
    let configuration: DownloaderConfiguration
    /// The file of the trusted authorities; nil for libcurl's default.
    let authorities: String?
    /// The cookies in libcurl's share interface; nil if no cookies are kept.
    private(set) var cookies: UnsafeMutableRawPointer?
    /// The handle that reads and writes the cookie jar.
    private var keeper: CurlEasy?
    private let jar: String

    init(_ configuration: DownloaderConfiguration, cookies jar: String, authorities: String?) {
        self.configuration = configuration
        self.authorities = authorities
        self.jar = jar
        guard configuration.keepsCookies, let share = ccurl_share_init(), let keeper = CurlEasy()
        else { return }
        ccurl_share_cookies(share)
        cookies = share
        self.keeper = keeper
        ccurl_set_pointer(keeper.handle, CURLOPT_SHARE, cookies)
        ccurl_set_string(keeper.handle, CURLOPT_COOKIEFILE, jar)
        ccurl_set_string(keeper.handle, CURLOPT_COOKIELIST, "RELOAD")
    }

    /// Removes all cookies.
    func forgetCookies() {
        if let keeper { ccurl_set_string(keeper.handle, CURLOPT_COOKIELIST, "ALL") }
        removeFile(jar)
    }

    /// Writes the cookie jar, readable by its owner only, and frees the cookies.
    func close() {
        guard let keeper else { return }
        // libcurl gives the new file the permissions of the existing one.
        try? OpenFile(sharing: jar, mode: 0o600).setMode(0o600)
        ccurl_set_string(keeper.handle, CURLOPT_COOKIEJAR, jar)
        ccurl_set_string(keeper.handle, CURLOPT_COOKIELIST, "FLUSH")
        self.keeper = nil
        if let cookies { _ = ccurl_share_cleanup(cookies) }
        cookies = nil
    }

    /// Writes a new file with the authorities of the system and those of another file.
    ///
    /// - Throws: ``FetchError/Code/storage`` if the file cannot be read or contains no certificate.
    static func joinAuthorities(
        with extra: String, at path: String
    ) throws(FetchError) -> String {
        let bytes = try FetchError.ofFiles { try readFile(extra, ofAnyKind: true).bytes }
        let more = String(decoding: bytes, as: UTF8.self)
        guard more.contains("-----BEGIN CERTIFICATE-----") else {
            throw FetchError(.storage, extra, "contains no certificate in PEM format")
        }
        var text = more
        if let easy = CurlEasy(), let own = ccurl_get_authorities(easy.handle),
            let bytes = try? readFile(String(cString: own), ofAnyKind: true).bytes
        {
            text = String(decoding: bytes, as: UTF8.self) + "\n" + more
        }
        try FetchError.ofFiles { try writeNewFile(text, to: path, mode: CacheLayout.fileMode) }
        return path
    }
}

/// The versions of the libraries that this module uses.
package enum LibraryVersions {
    /// libcurl and the libraries that it uses, with their versions.
    package static var curl: [(name: String, version: String)] {
        String(cString: ccurl_version()).split(separator: " ").compactMap { word in
            let parts = word.split(separator: "/", maxSplits: 1)
            guard parts.count == 2, !word.hasPrefix("(") else { return nil }
            return (String(parts[0]), String(parts[1]))
        }
    }

    /// The version of SQLite; nil if it cannot open a database in memory.
    package static var sqlite: String? {
        try? DatabaseQueue().read { try String.fetchOne($0, sql: "SELECT sqlite_version()") }
    }
}
