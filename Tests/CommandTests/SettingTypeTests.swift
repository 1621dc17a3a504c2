import Testing

@testable import imgbake

/// The types of settings: what each accepts, and what it says about the rest.
@Suite struct SettingTypeTests {
    @Test(
        arguments: [
            ("1", 1), ("9", 9), ("0", nil), ("10", nil), ("-1", nil), ("+5", 5), ("05", 5),
            ("5.0", nil), ("5e0", nil), ("0x5", nil), ("'5'", nil), ("\"5\"", nil), ("", nil),
            ("~", nil), ("five", nil), ("[5]", nil), ("{a: 5}", nil), ("5 5", nil),
            ("99999999999999999999", nil), ("5 # five", 5), ("٥", nil),
        ] as [(String, Int?)])
    func acceptsIntegersWithinBounds(text: String, expected: Int?) {
        let type = SettingType<Int>.integer(1...9)
        #expect(type.value(text) == expected)
        if expected == nil { #expect(type.error(text).contains("from 1 to 9")) }
    }

    @Test(
        arguments: [
            ("true", true), ("false", false), ("'true'", nil), ("yes", nil), ("1", nil), ("", nil),
            ("on", nil), ("[true]", nil),
        ] as [(String, Bool?)])
    func acceptsBooleans(text: String, expected: Bool?) {
        #expect(SettingType<Bool>.flag.value(text) == expected)
    }

    @Test(
        arguments: [
            ("1ms", .milliseconds(1)), ("0", nil), ("0ms", nil), ("0.4ms", nil),
            ("1D", .seconds(86_400)), ("24h", .seconds(86_400)), ("86401", nil), ("25h", nil),
            ("1.5", .milliseconds(1_500)), ("'90'", .seconds(90)), ("2M", .seconds(120)),
            ("1 s", nil), ("-1", nil), ("1e3", nil), ("", nil), ("[1]", nil),
        ] as [(String, Duration?)])
    func acceptsTimeoutsUpToOneDay(text: String, expected: Duration?) {
        #expect(SettingType<Duration>.timeout.value(text) == expected)
    }

    @Test(
        arguments: [
            ("0", .zero), ("36500d", .seconds(36_500 * 86_400)), ("36501d", nil),
            ("3153600001", nil),
            (
                "1ms",
                .milliseconds(1)
            ),
        ] as [(String, Duration?)])
    func acceptsZeroLifetime(text: String, expected: Duration?) {
        #expect(SettingType<Duration>.lifetime.value(text) == expected)
    }

    @Test(
        arguments: [
            ("1", 1), ("0", nil), ("0.4B", nil), ("0.5B", 1), ("1kb", 1_000), ("1KB", 1_000),
            ("1KiB", 1_024), ("1kIb", 1_024), ("1.5GiB", 1_610_612_736), ("2TB", 2_000_000_000_000),
            ("1k", nil), ("1 kB", nil), ("-1B", nil), ("", nil), ("'7'", 7), ("1PB", nil),
        ] as [(String, Int?)])
    func acceptsSizesFromOneByte(text: String, expected: Int?) {
        #expect(SettingType<Int>.size.value(text) == expected)
    }

    private let colour = SettingType<Int>.choice(["red": 1, "green": 2, "blue": 3, "amber": 4])

    @Test(
        arguments: [
            ("red", 1), ("RED", 1), ("Green", 2), ("'blue'", 3), ("gren", nil), ("", nil),
            ("[red]", nil), ("red green", nil),
        ] as [(String, Int?)])
    func readsChoicesInAnyCase(text: String, expected: Int?) {
        #expect(colour.value(text) == expected)
    }

    @Test(arguments: [
        ("gren", "did you mean 'green'?"), ("BLEU", "did you mean 'blue'?"),
        ("violet", "red, green, blue, amber"),
    ])
    func suggestsNearestChoice(text: String, expected: String) {
        let error = colour.error(text)
        #expect(error.hasPrefix("imgbake.yml:1:1: ") && error.contains(expected))
        #expect(error.contains("did you mean") == (text != "violet"))
    }

    @Test(
        arguments: [
            ("none", .some(nil)), ("NONE", .some(nil)), ("5", .some(5)), ("0", nil), ("", nil),
            ("~", nil), ("null", nil), ("nothing", nil), ("[none]", nil),
        ] as [(String, Int??)])
    func noneIsDistinctFromEmpty(text: String, expected: Int??) {
        let type = SettingType<Int?>.orNone(.integer(1...9))
        #expect(type.value(text) == expected)
        if expected == nil { #expect(type.error(text).hasSuffix("or none")) }
        #expect(type.form.placeholder == "number|none")
    }

    @Test(
        arguments: [
            ("[1, 2]", [1, 2]), ("- 1\n- 2", [1, 2]), ("[]", []), ("", []), ("~", []), ("1", nil),
            ("[1, x]", nil), ("[[1]]", nil), ("{a: 1}", nil), ("[1, 10]", nil),
        ] as [(String, [Int]?)])
    func readsLists(text: String, expected: [Int]?) {
        #expect(SettingType<[Int]>.list(of: .integer(1...9)).value(text) == expected)
    }

    @Test func listFaultIsAtItem() {
        let type = SettingType<[Int]>.list(of: .integer(1...9))
        #expect(type.error("[1, 22, 3]").hasPrefix("imgbake.yml:1:5: "))
        #expect(type.error("- 1\n- 22").hasPrefix("imgbake.yml:2:3: "))
    }

    @Test(
        arguments: [
            ("a", "a"), ("1", "1"), ("true", "true"), ("'a b'", "a b"), ("''", nil), ("", nil),
            ("~", nil), ("'~'", "~"), ("[a]", nil), ("\"a\\nb\"", "a\nb"), ("it's", "it's"),
        ] as [(String, String?)])
    func acceptsNonEmptyText(text: String, expected: String?) {
        #expect(SettingType<String>.text("x").value(text) == expected)
    }

    @Test(arguments: [
        ("a", "/site/a"), ("../a", "/site/../a"), ("/a", "/a"), ("'a b'", "/site/a b"),
    ])
    func pathsStartAtFile(text: String, expected: String) throws {
        #expect(SettingType<String>.path("file").value(text) == expected)
        let fromOption = try SettingType<String>.path("file").read(option("a"))
        #expect(fromOption == "/now/a")
    }

    @Test(
        arguments: [
            ("example.org", true), ("example.org:8443", true), ("'*.example.org'", true),
            ("'*'", true), ("'[::1]:80'", true), ("münchen.de", true), ("https://h", false),
            ("h/x", false), ("u@h", false), ("'*.'", false), ("'*.*.h'", false), ("'a*'", false),
            ("'h '", false), ("'h?'", false), ("'h\\x'", false), ("''", false),
        ])
    func acceptsHosts(text: String, isHost: Bool) {
        #expect((SettingType<String>.host.value(text) != nil) == isHost)
    }

    @Test(
        arguments: [
            ("http://p", true), ("HTTPS://p:1", true), ("socks5h://u@p", true), ("p:3128", false),
            ("ftp://p", false), ("http://", false), ("'http://a b'", false), ("//p", false),
        ])
    func acceptsProxiesOfKnownSchemes(text: String, isProxy: Bool) {
        #expect((SettingType<String>.proxy.value(text) != nil) == isProxy)
    }

    @Test func readsProxyPasswordFromEnvironment() throws {
        let url = "'http://u:${P}@p'"
        let node = try yaml(url, environment: ["P": "s3cret"])
        #expect(try SettingType<String>.proxy.read(node) == "http://u:s3cret@p")
        #expect(SettingType<String>.proxy.error("http://u:s3cret@p").contains("environment"))
        // On the command line, the shell has put it there.
        #expect(try SettingType<String>.proxy.read(option("http://u:p@h")) == "http://u:p@h")
    }

    @Test(
        arguments: [
            ("a${X}b", "avalueb", true), ("${X}${X}", "valuevalue", true),
            ("plain", "plain", false),
            ("$X", "$X", false), ("$${X}", "$value", true), ("{X}", "{X}", false),
            ("a}b", "a}b", false), ("${_9}", "under", true),
        ])
    func replacesVariables(text: String, expected: String, isSecret: Bool) throws {
        let node = try yaml("'\(text)'", environment: ["X": "value", "_9": "under"])
        let expanded = try node.expanded()
        #expect(expanded.text == expected && expanded.isFromEnvironment == isSecret)
    }

    @Test(arguments: ["${", "${}", "${9X}", "${A B}", "${Ä}", "${X", "${NONE}", "${CONTROL}"])
    func variableFaultOmitsValue(text: String) throws {
        let node = try yaml("'\(text)'", environment: ["X": "s3cret", "CONTROL": "s3cret\n"])
        let error = #expect(throws: SettingsError.self) { try node.expanded() }
        #expect(try !#require(error).description.contains("s3cret"))
        #expect(error?.line == 1)
    }

    @Test(arguments: [
        "", "9X", "A B", "Ä", "A-B", "A.B", "A/B", "A:B", "A@", "A[", "A`", "A{", "$A", "A~",
    ])
    func refusesVariablesWithOtherNames(name: String) throws {
        let node = try yaml("\"${\(name)}\"", environment: [name: "value"])
        let error = #expect(throws: SettingsError.self) { try node.expanded() }
        #expect(error?.reason.hasSuffix("does not name an environment variable") == true)
        #expect(error?.isOfMissingVariable == false)
    }

    @Test(arguments: ["A", "Z", "a", "z", "_", "A0", "Z9", "aZ_1"])
    func acceptsVariablesWithUsualNames(name: String) throws {
        #expect(try yaml("'${\(name)}'", environment: [name: "value"]).expanded().text == "value")
    }

    @Test func optionFaultHasNameAndNoPlace() {
        let error = #expect(throws: SettingsError.self) {
            try SettingType<Int>.integer(1...9).read(option("x\u{1B}[2J", named: "--jobs"))
        }
        #expect(error?.file == nil && error?.line == nil)
        #expect(error?.reason.hasPrefix("'--jobs x\u{FFFD}[2J' must be") == true)
        let variable = ConfigurationNode(
            "x",
            ConfigurationSource(origin: .variable("JOBS"), folder: "/", environment: { _ in nil }))
        let other = #expect(throws: SettingsError.self) {
            try SettingType<Int>.integer(1...9).read(variable)
        }
        #expect(other?.reason.hasPrefix("JOBS must be") == true)
    }

    @Test(
        arguments: [
            ("a: {b: s3cret, c: [x]}", "a"), ("[a, [b, c], {d: s3cret}]", "[a, [b, c], d]"),
            ("text", "text"), ("", ""), ("'q'", "q"),
        ])
    func writtenValueOmitsSecrets(text: String, expected: String) throws {
        #expect(try yaml(text).written == expected)
    }
}
