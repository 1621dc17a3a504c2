import Testing

@testable import imgbake

/// Invalid content of a configuration file is reported with its place.
@Suite struct SettingsFaultTests {
    private func error(_ text: String, environment: [String: String] = [:]) throws -> String {
        let source = ConfigurationSource(
            origin: .file("imgbake.yml"), folder: "/site", environment: { environment[$0] })
        let error = #expect(throws: SettingsError.self) {
            var settings = Settings()
            try settings.apply(parseYAML(text, source: source))
        }
        return try #require(error).description
    }

    @Test(arguments: [
        ("max-widht: 5", "1:1: unknown key 'max-widht'; did you mean 'max-width'?"),
        ("jobs: 2\nfetch:\n  retrys: 3", "3:3: unknown key 'retrys'; did you mean 'retries'?"),
        ("fetsh: {retries: 3}", "1:1: unknown key 'fetsh'; did you mean 'fetch'?"),
        ("allow: [a]", "1:1: unknown key 'allow'; it is 'ignore-codes'"),
        ("xyzzy: 1", "1:1: unknown key 'xyzzy'; 'imgbake config' lists all keys"),
        ("cache: {xyzzy: red}", "1:9: unknown key 'xyzzy'; known here are dir, read-only, "),
        ("hosts:\n  h:\n    bearrer: x", "3:5: unknown key 'bearrer'; did you mean 'bearer'?"),
    ])
    func unknownKeyErrorSuggestsNearest(text: String, expected: String) throws {
        #expect(try error(text).hasPrefix("imgbake.yml:" + expected))
    }

    @Test(arguments: [
        ("quality: best", "1:10: this must be a whole number from 1 to 100, or one of auto, "),
        ("quality: '80'", "1:10: this must be a whole number from 1 to 100"),
        ("quality: 101", "1:10: this must be a whole number from 1 to 100"),
        ("quality:", "1:9: this must be a whole number from 1 to 100"),
        ("quality: [1]", "1:10: this must be a whole number"),
        ("output: {a: b}", "1:9: this must be a text"),
        ("image-dir: ../..", "1:12: this must be the name of a folder"),
        ("layout: hugoo", "1:9: this must be one of auto, none, hugo"),
        ("public-path: img", "1:14: this must be a path that begins with"),
        ("site-url: example.org", "1:11: this must be an http or https URL without"),
        ("ignore: a.md", "1:9: this must be a list"),
        ("ignore: [a, '{b']", "1:13: this must be a pattern in which each '[' and '{' is closed"),
        ("lazy-attributes: ['a b']", "1:19: this must be a name without blanks"),
        ("format: tiff", "1:9: this must be one of auto, webp, avif"),
        ("on-error: [fail]", "1:11: this must be a text"),
        ("on-error: panic", "1:11: this must be one of fail, warn"),
        ("image-timeout: soon", "1:16: this must be a time such as"),
        ("image-timeout: 0", "1:16: this must be over 0 and at most 1d"),
        ("image-timeout: 25h", "1:16: this must be over 0 and at most 1d"),
        ("fetch: {ttl: 40000d}", "1:14: this must be at most 36500d"),
        ("cache: here", "1:8: this must hold keys and values"),
        ("cache: {read-only: /mnt}", "1:20: this must be a list"),
        ("cache: {max-size: big}", "1:19: this must be a size such as"),
        ("fetch: {max-bytes: 0}", "1:20: this must be at least 1 byte"),
        ("fetch: {cookies: yes}", "1:18: this must be true or false"),
        ("fetch: {cookies: 'true'}", "1:18: this must be true or false"),
        ("fetch: {proxy: h}", "1:16: this must be an http"),
        ("fetch: {allow-hosts: ['https://h/']}", "1:23: 'https://h/' is not a host"),
        ("hosts: {h/x: {}}", "1:9: 'h/x' is not a host"),
        ("hosts: {h: {headers: {'X Y': a}}}", "'X Y' is not the name of a header field"),
        ("- a", "1:1: this must hold keys and values"),
        ("user", "1:1: this must hold keys and values"),
    ])
    func reportsInvalidValueWithPlace(text: String, expected: String) throws {
        let error = try error(text)
        #expect(error.hasPrefix("imgbake.yml:"))
        #expect(error.contains(expected), "\(error)")
    }

    /// Parsers of URLs also accept `https:///blog` and `https://ftp://h`.
    @Test(
        arguments: [
            ("example.org", "https://example.org"), ("example.org?x", nil), ("/blog", nil),
            ("ftp://h", nil),
        ] as [(String, String?)])
    func suggestsMissingSchemeOfURL(text: String, nearest: String?) throws {
        let suggestion = nearest.map { "; did you mean '\($0)'?" } ?? ", or none"
        #expect(try error("site-url: \(text)").hasSuffix(suggestion))
    }

    @Test(arguments: [
        ("jobs: 1\nquality: 5\njobs: 2", "1:1: the key 'jobs' is given here and once more"),
        ("a: [", "imgbake.yml:2:1: this cannot be read as YAML"),
        ("a: 'b", "this cannot be read as YAML"),
        ("a: 1\n b: 2", "2:3: this cannot be read as YAML"),
        ("jobs: 1\n---\njobs: 2", "this cannot be read as YAML"),
        ("? [a]\n: b", "the name of a key must be a text"),
        (
            "output: 'a'!",
            "imgbake.yml:1:12: this cannot be read as YAML: did not find expected key"
        ),
        (
            "output: a\n\u{7}",
            "imgbake.yml: this cannot be read as YAML: control characters are not"
        ),
    ])
    func reportsInvalidYAMLWithPlace(text: String, expected: String) throws {
        let error = try error(text)
        #expect(error.contains(expected), "\(error)")
    }

    /// YAML reads `quality:80` as one word, and reports the line after it.
    @Test(arguments: [
        ("quality:80", "1:1: a space is missing after 'quality:'; write 'quality: value'"),
        ("jobs: 1\n\n\nquality:80\n", "4:1: a space is missing after 'quality:'"),
        ("jobs: 1\r\n\r\nquality:80\r\n", "3:1: a space is missing after 'quality:'"),
        ("fetch:\n  retries: 1\n\n  ttl:1d\n", "4:3: a space is missing after 'ttl:'"),
        ("cache:{dir: a}\njobs: 1\n", "1:1: a space is missing after 'cache:'"),
        ("cache: {dir:a}", "1:9: a space is missing after 'dir:'"),
        ("cache:\n  dir:a", "2:3: a space is missing after 'dir:'"),
    ])
    func reportsMissingSpaceAtKey(text: String, expected: String) throws {
        let error = try error(text)
        #expect(error.hasPrefix("imgbake.yml:" + expected), "\(error)")
    }

    @Test(arguments: ["jobs: 1\nxyzzy:80\n", "jobs: 1\n'quality:80\n", "jobs: 1\nquality://x\n"])
    func reportsNoMissingSpaceOfOtherWords(text: String) throws {
        #expect(try error(text).contains("this cannot be read as YAML: "))
    }

    @Test(arguments: [
        ("output: &a x", "1:9: a value that begins with '&'"),
        ("output: *a", "1:9: a value that begins with '*'"),
        ("output: !!str x", "1:9: a value that begins with '!'"),
        ("output: |\n  x", "1:9: a value that begins with '|'"),
        ("fetch: {allow-hosts: [*.example.org]}", "1:23: a value that begins with '*'"),
        ("hosts:\n  *.example.org: {}", "2:3: a value that begins with '*'"),
        ("'it''s': &a x", "1:10: a value that begins with '&'"),
        ("output: \"\\\"\" # '\njobs: &a 1", "2:7: a value that begins with '&'"),
        ("jobs: 1\r\nquality: &a 1", "2:10: a value that begins with '&'"),
    ])
    func refusesAnchorsAliasesTagsAndBlocks(text: String, expected: String) throws {
        #expect(try error(text).hasPrefix("imgbake.yml:\(expected) must be put in quotes"))
    }

    @Test func refusesNestedAliasesQuickly() throws {
        var text = "a0: &a0 [x]\n"
        for level in 1...60 {
            text += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1), *a\(level - 1)]\n"
        }
        #expect(try error(text).contains("'&'"))
    }

    @Test func refusesDeepNesting() throws {
        #expect(try error(String(repeating: "[", count: 100_000)).contains("YAML"))
    }

    @Test(arguments: [
        ("hosts: {h: {basic: {user: u, password: s3cret}}}", "put the password into an"),
        ("hosts: {h: {bearer: s3cret}}", "put the token into an environment variable"),
        ("hosts: {h: {headers: {Authorization: s3cret}}}", "put the value of Authorization into"),
        ("hosts: {h: {headers: {cookie: s3cret}}}", "put the value of cookie into"),
        ("fetch: {proxy: 'http://u:s3cret@p'}", "put the password into an environment variable"),
        ("fetch: {proxy: 'http://${NO_SUCH}'}", "the environment variable NO_SUCH is not set"),
        ("hosts: {h: {bearer: '${TWO_LINES}'}}", "variable TWO_LINES holds control characters"),
        ("hosts: {h: {bearer: '${'}}", "'}' is missing"),
        ("hosts: {h: {bearer: '${A-B}'}}", "'${A-B}' does not name an environment variable"),
        ("hosts: {h: {basic: {user: u}}}", "this must have 'user' and 'password'"),
        ("hosts: {h: {bearer: '${T}', basic: {user: u, password: '${T}'}}}", "give one of"),
    ])
    func faultsOmitSecrets(text: String, expected: String) throws {
        let environment = ["TWO_LINES": "s3cret\r\nX: y", "T": "s3cret"]
        let error = try error(text, environment: environment)
        #expect(error.contains(expected), "\(error)")
        #expect(!error.contains("s3cret"))
    }
}
