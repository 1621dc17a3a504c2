import Baking
import FetchCache
import Pictures
import Recipes
import Testing

@testable import Sites
@testable import imgbake

/// The settings that a configuration file sets.
@Suite struct SettingsTests {
    private func settings(
        _ text: String, environment: [String: String] = [:]
    ) throws -> Settings {
        let source = ConfigurationSource(
            origin: .file("imgbake.yml"), folder: "/site", environment: { environment[$0] })
        var settings = Settings()
        try settings.apply(parseYAML(text, source: source))
        return settings
    }

    @Test(arguments: ["", "# nothing\n", "---\n", "cache:\nfetch:\nhosts:\n"])
    func emptyFileKeepsDefaults(text: String) throws {
        let settings = try settings(text)
        #expect(settings.variants.maximumWidth == 1600)
        #expect(settings.fetching.downloader.limits.transfers == 24)
    }

    @Test func readsRootKeysForBake() throws {
        let settings = try settings(
            """
            output: ../public
            copy-hidden: true
            image-dir: img
            format: avif
            quality: 60
            max-width: 800
            jobs: 3
            image-timeout: 90
            allow-weak-sandbox: true
            on-error: warn
            """)
        #expect(settings.output == "/site/../public")
        #expect(settings.copiesHidden)
        #expect(settings.reading.layoutOptions.imageDirectory == "img")
        #expect(settings.variants.format == .avif)
        #expect(settings.variants.quality == 60)
        #expect(settings.variants.maximumWidth == 800)
        #expect(settings.workerCount == 3)
        #expect(settings.limits.seconds == 90)
        #expect(settings.allowsWeakSandbox)
        #expect(settings.failures.usual == .warn)
    }

    @Test func readsRootKeysForImages() throws {
        let reading = try settings(
            """
            site-url: https://example.org/blog
            local: true
            links: true
            ignore: [drafts/, "*.css"]
            include: ["docs/**"]
            ignore-urls: [img.shields.io/*]
            include-urls: ["https://*"]
            front-matter: [params.hero]
            lazy-attributes: [data-hires]
            """
        ).reading
        #expect(reading.address?.url == "https://example.org/blog/")
        #expect(reading.includesLocal)
        #expect(reading.includesLinks)
        #expect(reading.documents.ignored.map(\.pattern) == ["drafts/", "*.css"])
        #expect(reading.documents.included.map(\.pattern) == ["docs/**"])
        #expect(reading.urls.ignored.map(\.pattern) == ["img.shields.io/*"])
        #expect(reading.urls.included.map(\.pattern) == ["https://*"])
        #expect(reading.frontMatterKeys == ["params.hero"])
        #expect(reading.lazyAttributes == ["data-hires"])
    }

    @Test func flagHoldsTheSettingsBelowIt() throws {
        let settings = try settings(
            """
            responsive:
              widths: [400, 800]
              formats: [avif]
              sizes: 50vw
              lazy: false
            """)
        let responsive = settings.reading.responsive
        #expect(responsive.isOn && !responsive.loadsLazily)
        #expect(responsive.widths == [400, 800] && responsive.formats.count == 1)
        #expect(responsive.sizes.text == "50vw")
        #expect(settings.given["responsive"]?.origin == "imgbake.yml:2")
        #expect(settings.given["responsive-lazy"]?.origin == "imgbake.yml:5")
    }

    @Test func unknownKeyBelowAFlagIsNamed() {
        for text in ["responsive: {crop: 2}", "responsive: {responsive-lazy: true}"] {
            let error = #expect(throws: SettingsError.self) { try settings(text) }
            #expect(error?.line == 1 && error?.column == 14)
        }
        #expect(throws: SettingsError.self) { try settings("local: {x: 1}") }
        #expect(throws: SettingsError.self) { try settings("responsive: [400]") }
    }

    @Test func readsCacheKeys() throws {
        let some = try settings(
            """
            cache:
              dir: cache
              read-only: [/mnt/a, b]
              max-age: 30d
              max-size: 2GB
              forget-failures-after: 10m
            """)
        #expect(some.fetching.folder.path == "/site/cache")
        #expect(some.fetching.folder.readOnlyCaches == ["/mnt/a", "/site/b"])
        #expect(some.fetching.policy.maximumAge == .seconds(30 * 86_400))
        #expect(some.fetching.policy.maximumBytes == 2_000_000_000)
        #expect(some.fetching.policy.failureLifetime == .seconds(600))
        let none = try settings("cache: {max-age: none, max-size: none}")
        #expect(none.fetching.policy.maximumAge == nil)
        #expect(none.fetching.policy.maximumBytes == nil)
    }

    @Test func readsFetchKeys() throws {
        let fetching = try settings(
            """
            fetch:
              user-agent: "me & you"
              ttl: 1h
              connect-timeout: 2s
              stall-timeout: 500ms
              total-timeout: 1m
              stale-on-error: rfc
              max-bytes: 1MB
              retries: 0
              concurrency: 2
              per-host: 1
              ca-file: ca.pem
              cookies: true
              allow-hosts: [example.org, "*.example.com"]
              deny-hosts:
                - ads.example.com:8443
              allow-private-network: true
              allow-downgrade: true
            """
        ).fetching
        #expect(fetching.downloader.userAgent == "me & you")
        #expect(fetching.policy.timeToLive == .seconds(3_600))
        #expect(fetching.downloader.times.connect == .seconds(2))
        #expect(fetching.downloader.times.stall == .milliseconds(500))
        #expect(fetching.downloader.times.total == .seconds(60))
        #expect(fetching.downloader.limits.bodyBytes == 1_000_000)
        #expect(fetching.downloader.limits.retries == 0)
        #expect(fetching.downloader.limits.transfers == 2)
        #expect(fetching.downloader.limits.transfersPerHost == 1)
        #expect(fetching.downloader.network.certificateAuthorityFile == "/site/ca.pem")
        #expect(fetching.downloader.keepsCookies)
        #expect(fetching.downloader.network.allowedHosts == ["example.org", "*.example.com"])
        #expect(fetching.downloader.network.deniedHosts == ["ads.example.com:8443"])
        #expect(fetching.downloader.network.allowsPrivateNetwork)
        #expect(fetching.downloader.network.allowsDowngrade)
    }

    @Test func totalTimeoutCanBeNone() throws {
        #expect(try settings("fetch: {total-timeout: none}").fetching.downloader.times.total == nil)
    }

    @Test(arguments: [("always", CachePolicy.StaleOnError.always), ("rfc", .rfc)])
    func readsStaleOnError(
        _ word: String, expected: CachePolicy.StaleOnError
    ) throws {
        let policy = try settings("fetch: {stale-on-error: \(word)}").fetching.policy
        #expect(policy.staleOnError == expected)
    }

    @Test func readsDroppedQueryParameters() throws {
        let filter = try #require(
            try settings("fetch:\n  drop-query: [utm_*, sig]").fetching.policy.keyFilter)
        #expect(filter.key("http://h/a?utm_source=x&b=1&sig=2") == "http://h/a?b=1")
    }

    @Test func readsProxy() throws {
        let none = try settings("fetch: {proxy: none}").fetching.downloader.network.proxy
        #expect(none == .none)
        let some = try settings("fetch: {proxy: 'http://p:3128', no-proxy: [a.org]}")
        #expect(some.fetching.downloader.network.proxy == .server(url: "http://p:3128", except: []))
        #expect(some.proxyExceptions == ["a.org"])
        let secret = try settings(
            "fetch: {proxy: 'http://u:${P}@p:3128'}", environment: ["P": "s3cret"])
        #expect(
            secret.fetching.downloader.network.proxy
                == .server(url: "http://u:s3cret@p:3128", except: []))
    }

    @Test func readsNetrc() throws {
        let home = try settings("fetch: {netrc: true}")
        #expect(home.usesNetrc && home.netrcFile == nil)
        #expect(try !settings("fetch: {netrc: false}").usesNetrc)
        let file = try settings("fetch: {netrc-file: my.netrc}")
        #expect(file.usesNetrc && file.netrcFile == "/site/my.netrc")
    }

    @Test func readsHostFieldsAndCredentials() throws {
        let hosts = try settings(
            """
            hosts:
              images.example.org:
                headers: {X-Key: "${KEY}-1", Accept-Language: de}
                basic: {user: "${U}", password: "${P}"}
              "www.example.com:8443":
                bearer: ${TOKEN}
                allow-invalid-certificate: true
            """, environment: ["KEY": "k", "U": "tom", "P": "s3cret", "TOKEN": "t0ken"]
        ).fetching.downloader.hosts
        let first = try #require(hosts["images.example.org"])
        #expect(first.headers.map { "\($0)" } == ["X-Key: k-1", "Accept-Language: de"])
        #expect(first.credential == .basic(user: "tom", password: "s3cret"))
        let second = try #require(hosts["www.example.com:8443"])
        #expect(second.credential == .bearer(token: "t0ken"))
        #expect(second.allowsInvalidCertificate == true)
    }

    @Test func readsClientCertificates() throws {
        let hosts = try settings(
            """
            hosts:
              a.org: {client-certificate: {file: a.pem}}
              b.org: {client-certificate: {file: b.pem, key: /b.key, password: "${P}"}}
            """, environment: ["P": "s3cret"]
        ).fetching.downloader.hosts
        #expect(hosts["a.org"]?.clientCertificate == .init(file: "/site/a.pem"))
        #expect(
            hosts["b.org"]?.clientCertificate
                == .init(file: "/site/b.pem", keyFile: "/b.key", password: "s3cret"))
    }

    @Test(arguments: [
        "hosts: {'*': {allow-invalid-certificate: true}}",
        "hosts: {'*.com': {allow-invalid-certificate: true}}",
        "hosts: {'*.org:443': {allow-invalid-certificate: true}}",
        "hosts: {a.org: {client-certificate: {key: k}}}",
    ])
    func refusesUnsafeHostSettings(text: String) {
        #expect(throws: SettingsError.self) { try settings(text) }
    }
}
