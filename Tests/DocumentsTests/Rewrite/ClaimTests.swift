import DocumentSyntax
import Documents
import Testing

/// Tests that claims about images are found and rewritten, and that nothing else changes.
@Suite(.timeLimit(.minutes(10)))
struct ClaimTests {
    private typealias Claims = [Reference.Claim.Kind: String]

    /// Rewrites each reference to `n0`, `n1`, …, and its claims.
    private func rewritten(
        _ text: String, _ kind: DocumentKind = .html, claims: Claims, removing: Set<Int> = []
    ) throws -> String {
        let bytes = Array(text.utf8)
        let extraction = extract(bytes, kind: kind)
        let replacements = extraction.references.enumerated().map { index, reference in
            Replacement(
                reference: reference, url: "n\(index)", claims: claims,
                isRemoved: removing.contains(index))
        }
        let result = try rewrite(bytes, extraction: extraction, replacements: replacements)
        return String(decoding: result.bytes, as: UTF8.self)
    }

    private func claims(_ text: String, _ kind: DocumentKind = .html) -> [Claims] {
        extract(Array(text.utf8), kind: kind).references.map { reference in
            Dictionary(uniqueKeysWithValues: reference.claims.map { ($0.kind, $0.text) })
        }
    }

    @Test(arguments: [
        (
            "<picture><source type='image/png' srcset='a, b 2x'><img src=c></picture>",
            "<picture><source type='image/webp' srcset='n0, n1 2x'><img src=n2></picture>"
        ),
        ("<link rel=icon type=image/png href=a>", "<link rel=icon type=image/webp href=n0>"),
        (
            "<link type=\" image/png \" href=a as=image rel=preload>",
            "<link type=\" image/webp \" href=n0 as=image rel=preload>"
        ),
        (
            "<object data='a' type='image&#47;png'></object>",
            "<object data='n0' type='image/webp'></object>"
        ),
        ("<embed src=a type=image/png>", "<embed src=n0 type=image/webp>"),
    ])
    func rewritesMediaTypesInHTML(text: String, expected: String) throws {
        #expect(try rewritten(text, claims: [.mediaType: "image/webp"]) == expected)
    }

    @Test(arguments: [
        "<video><source type=\"video/mp4\" src=\"a.png\"></video>",
        "<input type=image src=a>", "<a type=\"image/png\" href=x><img src=a></a>",
    ])
    func ignoresOtherTypeAttributes(text: String) {
        #expect(claims(text).allSatisfy { $0.isEmpty })
    }

    @Test func readsSrcsetDescriptorsAsClaims() {
        let text = "<img src=x srcset=\"a 100w 50h , b,c  2x,\n d\t1.5x\n\">"
        #expect(
            claims(text).map { $0[.descriptors] } == [nil, " 100w 50h", "  2x", "\t1.5x"])
        #expect(claims("<img srcset='a, b 2x'>").map { $0[.descriptors] } == ["", " 2x"])
    }

    @Test(arguments: [DocumentKind.html, .markdown, .mdx, .xml])
    func rewritesSrcsetDescriptorsInEveryKind(kind: DocumentKind) throws {
        let (start, end) = kind == .xml ? ("<html>", "</html>") : ("", "")
        let output = try rewritten(
            "\(start)<img srcset=\"a 3000w, b\" />\(end)", kind,
            claims: [.descriptors: " 1600w"])
        #expect(output == "\(start)<img srcset=\"n0 1600w, n1 1600w\" />\(end)")
    }

    @Test(arguments: [DocumentKind.html, .markdown])
    func removesCandidatesWithTheirSeparators(kind: DocumentKind) throws {
        let text = "<img srcset=\"a 1w,  b 2w , c 3w,, d\" alt=''>"
        let claims: Claims = [.descriptors: " 9w"]
        #expect(
            try rewritten(text, kind, claims: claims, removing: [1])
                == "<img srcset=\"n0 9w , n2 9w,, n3 9w\" alt=''>")
        #expect(
            try rewritten(text, kind, claims: claims, removing: [1, 2, 3])
                == "<img srcset=\"n0 9w\" alt=''>")
    }

    @Test func candidatesAfterLineEndsAreNotRemovableInMarkdown() {
        let text = Array("<img srcset=\"a 1w,\nb 2w, c 3w\">".utf8)
        #expect(
            extract(text, kind: .markdown).references.map(\.isRemovable) == [false, false, true])
        #expect(extract(text, kind: .html).references.map(\.isRemovable) == [false, true, true])
    }

    @Test func firstCandidateAndCandidatesAfterTemplatesAreNotRemovable() {
        let text = "<img srcset=\"a 1w, {{x}} 2w, b 3w, c {{y}}w, d 4w, e 5w\">"
        let references = extract(Array(text.utf8), kind: .html).references
        #expect(references.map(\.url) == ["a", "b", "c", "d", "e"])
        #expect(references.map(\.isRemovable) == [false, false, false, false, true])
        #expect(references.map(\.fixed) == [[], [], .size, [], []])
    }

    @Test func assignsOpenGraphPropertiesToTheirImage() throws {
        let text = """
            <meta property="og:image" content="a"><meta property="og:image:secure_url" content="b">
            <meta property="og:image:width" content="10"><meta property="og:image:height" content="20">
            <meta property="og:image:type" content="image/png"><meta property="og:image" content="c">
            <meta property="og:image:width" content="30"><meta name="twitter:image" content="d">
            """
        let first: Claims = [.width: "10", .height: "20", .mediaType: "image/png"]
        #expect(claims(text) == [first, first, [.width: "30"], [:]])
        let output = try rewritten(text, claims: [.width: "7", .mediaType: "image/jpeg"])
        #expect(
            output == """
                <meta property="og:image" content="n0"><meta property="og:image:secure_url" content="n1">
                <meta property="og:image:width" content="7"><meta property="og:image:height" content="20">
                <meta property="og:image:type" content="image/jpeg"><meta property="og:image" content="n2">
                <meta property="og:image:width" content="7"><meta name="twitter:image" content="n3">
                """)
    }

    @Test func assignsEarlyOpenGraphPropertiesToFirstImage() {
        let text = """
            <meta property="og:image:width" content="10"><meta property="og:image" content="a">
            <meta property="og:image" content="b">
            """
        #expect(claims(text) == [[.width: "10"], [:]])
    }

    @Test(arguments: [
        (
            "<rss><channel><item><enclosure length='1' url='a' type='image/png'/></item></channel></rss>",
            "<rss><channel><item><enclosure length='9' url='n0' type='image/jpeg'/></item></channel></rss>"
        ),
        (
            "<rss><media:content url='a' medium='image' fileSize='1' width='2' height='3'/></rss>",
            "<rss><media:content url='n0' medium='image' fileSize='9' width='7' height='8'/></rss>"
        ),
        (
            "<rss><media:thumbnail url='a' width='2'/></rss>",
            "<rss><media:thumbnail url='n0' width='7'/></rss>"
        ),
        (
            "<feed><link rel='enclosure' href='a' length='1' type='image/png'/></feed>",
            "<feed><link rel='enclosure' href='n0' length='9' type='image/jpeg'/></feed>"
        ),
        (
            "<rss><description>&lt;img srcset='a 3w'&gt;</description></rss>",
            "<rss><description>&lt;img srcset='n0 9w'&gt;</description></rss>"
        ),
        (
            "<rss><description><![CDATA[<img srcset='a 3w, b 2w'>]]></description></rss>",
            "<rss><description><![CDATA[<img srcset='n0 9w, n1 9w'>]]></description></rss>"
        ),
    ])
    func rewritesClaimsInFeeds(text: String, expected: String) throws {
        let claims: Claims = [
            .mediaType: "image/jpeg", .byteCount: "9", .width: "7", .height: "8",
            .descriptors: " 9w",
        ]
        #expect(try rewritten(text, .xml, claims: claims) == expected)
    }

    @Test(
        arguments: [
            (
                DocumentKind.markdown,
                "<picture><source type=\"image/png\" srcset=\"a\"></picture>", .format
            ),
            (.html, "<link rel=icon href=a type=\"image/{{x}}\">", .format),
            (.html, "<img src=a usemap=#m>", .size),
            (.html, "<img src=a ISMAP>", .size),
            (.markdown, "text <img src=a usemap=#m>", .size),
            (.css, "a { background: image-set('a' 1x) }", .size),
            (.css, "a { background: image-set(url(a) type('image/png')) }", [.size, .format]),
            (.html, "<script type=application/ld+json>{\"image\": \"a\"}</script>", .size),
            (.html, "<iframe srcdoc=\"<link rel=icon type=image/png href=a>\"></iframe>", .format),
            (
                .json,
                """
                {"name": "x", "icons": [], "screenshots": [{"src": "a", "type": "image/png"}]}
                """, [.size, .format]
            ),
        ] as [(DocumentKind, String, Reference.FixedProperties)])
    func fixesPropertiesOfClaimsThatCannotBeRewritten(
        kind: DocumentKind, text: String, expected: Reference.FixedProperties
    ) {
        let references = extract(Array(text.utf8), kind: kind).references
        #expect(references.map(\.fixed) == [expected])
        #expect(references.flatMap(\.claims).allSatisfy { $0.kind == .descriptors })
    }
}
