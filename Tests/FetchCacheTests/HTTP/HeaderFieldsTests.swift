import Testing

@testable import FetchCache

struct HeaderFieldsTests {
    @Test func ignoresCaseOfNames() {
        let fields = HeaderFields([("ETag", "\"a\""), ("Vary", "A"), ("vary", "B")])
        #expect(fields["etag"] == "\"a\"")
        #expect(fields.values(for: "VARY") == ["A", "B"])
        #expect(fields["Age"] == nil)
        let name = "AMZ-amz-09~@["
        #expect(HeaderFields([(name, "1")])["amz-AMZ-09~@["] == "1")
        #expect(HeaderFields([(name, "1")])["amz-amz-09~`["] == nil)
        #expect(HeaderFields([(name, "1")])["amz-amz-09~@{"] == nil)
    }

    @Test func roundTripsText() {
        let fields = HeaderFields([("ETag", "W/\"a:b\""), ("X", ""), ("Date", "a, b")])
        #expect(HeaderFields(text: fields.text) == fields)
        #expect(fields.text == "ETag: W/\"a:b\"\nX: \nDate: a, b")
        #expect(HeaderFields(text: "") == HeaderFields() && HeaderFields().text == "")
    }

    @Test func keepsBodyFieldsOn304() {
        var fields = HeaderFields([
            ("Content-Type", "image/png"), ("Content-Length", "10"), ("ETag", "\"1\""),
            ("Cache-Control", "max-age=1"), ("X", "kept"), ("Via", "kept"), ("Link", "kept"),
            ("age", "5"), ("DATE", "then"),
        ])
        fields.update(
            from: HeaderFields([
                ("content-length", "0"), ("content-type", "text/html"), ("etag", "\"2\""),
                ("Cache-Control", "a"), ("Cache-Control", "b"),
            ]))
        #expect(fields["Content-Type"] == "image/png")
        #expect(fields["Content-Length"] == "10")
        #expect(fields["ETag"] == "\"2\"")
        #expect(fields.values(for: "Cache-Control") == ["a", "b"])
        #expect([fields["X"], fields["Via"], fields["Link"]] == ["kept", "kept", "kept"])
        #expect(fields["Age"] == nil && fields["Date"] == nil)
    }

    /// RFC 9110, section 8.8.2.2.
    @Test(
        arguments: [
            ("\"a\"", nil, "\"a\""), ("\"a\"", "Sun, 06 Nov 1994 08:00:00 GMT", "\"a\""),
            ("W/\"a\"", nil, nil), ("W/\"a\"", "Sun, 06 Nov 1994 08:00:00 GMT", nil),
            (nil, "Sun, 06 Nov 1994 08:48:37 GMT", "Sun, 06 Nov 1994 08:48:37 GMT"),
            (nil, "Sun, 06 Nov 1994 08:48:38 GMT", nil), (nil, "then", nil), (nil, nil, nil),
            ("", "", nil),
        ] as [(String?, String?, String?)])
    func strongValidatorIsATagOrAnOldDate(etag: String?, date: String?, expected: String?) {
        let fields = [("ETag", etag), ("Last-Modified", date)].compactMap { name, value in
            value.map { (name: name, value: $0) }
        }
        // Sun, 06 Nov 1994 08:49:37 GMT
        let now = Timestamp(milliseconds: 784_111_777_000)
        #expect(Validators(HeaderFields(fields)).strong(responseTime: now) == expected)
    }

    @Test func createsConditionalRequestFromValidators() {
        let both = Validators(HeaderFields([("ETag", "W/\"a\""), ("Last-Modified", "then")]))
        let lines = HeaderFields(both.requestFields).lines
        #expect(lines == ["If-None-Match: W/\"a\"", "If-Modified-Since: then"])
        #expect(Validators(HeaderFields([("ETag", "")])).requestFields.isEmpty)
    }
}
