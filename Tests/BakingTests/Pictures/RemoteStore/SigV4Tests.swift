import FetchCache
import Foundation
import TestSupport
import Testing

@testable import Pictures

/// Signatures of requests to S3 are those of botocore, the library of the AWS CLI.
@Suite(.timeLimit(.minutes(5)))
struct SigV4Tests {
    /// A request, and everything that its signature depends on.
    private struct Request: Encodable {
        var method = "GET"
        var url: String
        /// The text that is encoded in the URL; nil for none.
        var name: String?
        var fields: [[String]] = []
        var body = ""
        var key = "AKIDEXAMPLE"
        var secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
        var token: String?
        var region = "us-east-1"
        var time = 1_767_323_045
    }

    private static let script = """
        import botocore.auth, botocore.utils, datetime, json, sys
        from botocore.awsrequest import AWSRequest
        from botocore.credentials import Credentials
        results = []
        for item in json.loads(sys.argv[1]):
            time = datetime.datetime.fromtimestamp(item['time'], datetime.timezone.utc)
            botocore.auth.get_current_datetime = lambda: time
            request = AWSRequest(
                method=item['method'], url=item['url'], data=item['body'].encode(),
                headers=dict(item['fields']))
            botocore.auth.S3SigV4Auth(
                Credentials(item['key'], item['secret'], item.get('token')), 's3', item['region']
            ).add_auth(request)
            encoded = botocore.utils.percent_encode(item.get('name', ''), safe='/~')
            results.append(dict(request.headers.items()) | {'encoded': encoded})
        print(json.dumps(results))
        """

    /// The requests for names with characters that are awkward in URLs.
    private static let requests: [Request] = {
        let names = [
            "plain", "a b", "a+b", "a%b", "a%20b", "ü", "日本", "a=b&c", "(x)*'!", "a~b_c-d.e",
            "a:b@c",
            "a;b,c", "#a?b", "[a]{b}", "a/b", "\"<>\\^`|",
        ]
        var requests = names.compactMap { name in
            S3Address("s3://my-bucket/\(name)").map {
                Request(
                    url: $0.url(at: "http://127.0.0.1:9000", region: "us-east-1")
                        + "blobs/ab12", name: name)
            }
        }
        #expect(requests.count == names.count)
        let url = "https://my-bucket.s3.eu-west-3.amazonaws.com/blobs/ab12"
        requests.append(
            Request(url: url, token: "IQoJb3JpZ2luX2VjEPT//////////w==", region: "eu-west-3"))
        requests.append(
            Request(
                method: "PUT", url: url,
                fields: [["Content-Type", "application/octet-stream"], ["If-None-Match", "*"]],
                body: "hello", region: "eu-west-3"))
        requests.append(
            Request(method: "PUT", url: url, fields: [["X-Spaces", "  a   b  "]], body: "ü\n"))
        requests.append(Request(url: "https://[::1]:9000/my-bucket/x", time: 1_000_000_000))
        requests.append(Request(url: "https://my-bucket.example.org:8443/"))
        return requests
    }()

    @Test(.enabled(if: MotoServer.tool.isExpected, "moto is not installed"))
    func signaturesAreThoseOfBotocore() async throws {
        let requests = Self.requests
        let text = String(decoding: try JSONEncoder().encode(requests), as: UTF8.self)
        let output = try await MotoServer.python(Self.script, [text])
        let expected = try JSONDecoder().decode([[String: String]].self, from: Data(output.utf8))
        try #require(expected.count == requests.count)
        for (request, expected) in zip(requests, expected) {
            let fields = SigV4(region: request.region).fields(
                signing: request.method, try FetchManager.normalized(url: request.url),
                request.fields.map { ($0[0], $0[1]) }, body: Array(request.body.utf8),
                AWSCredentials(
                    accessKey: request.key, secretKey: request.secret, sessionToken: request.token),
                at: Int64(request.time) * 1000 + 999)
            if let name = expected["encoded"], !name.isEmpty {
                #expect(request.url == "http://127.0.0.1:9000/my-bucket/\(name)/blobs/ab12")
            }
            for field in fields {
                #expect(expected[field.name] == field.value, "\(request.url): \(field.name)")
            }
        }
    }

    /// The URL that is signed is the one that is sent: normalizing changes nothing.
    @Test func addressesAreNormalizedURLs() throws {
        for request in Self.requests where request.url.contains("my-bucket") {
            #expect(try FetchManager.normalized(url: request.url) == request.url)
        }
    }

    @Test(
        arguments: [
            (
                "s3://my-bucket/a", nil,
                "https://my-bucket.s3.eu-west-1.amazonaws.com/a/"
            ),
            ("s3://my-bucket", nil, "https://my-bucket.s3.eu-west-1.amazonaws.com/"),
            (
                "S3://my-bucket/a/b/", nil,
                "https://my-bucket.s3.eu-west-1.amazonaws.com/a/b/"
            ),
            ("s3://my.bucket/", nil, "https://s3.eu-west-1.amazonaws.com/my.bucket/"),
            ("s3://My_bucket", nil, "https://s3.eu-west-1.amazonaws.com/My_bucket/"),
            ("s3://my-bucket/a", "http://minio:9000/", "http://minio:9000/my-bucket/a/"),
            ("s3://my-bucket/a", "http://minio:9000", "http://minio:9000/my-bucket/a/"),
            ("s3://my-bucket", "https://host/s3/", "https://host/s3/my-bucket/"),
        ] as [(String, String?, String)])
    func bucketIsInTheHostOrInThePath(
        text: String, endpoint: String?, url: String
    ) throws {
        let address = try #require(S3Address(text))
        #expect(address.url(at: endpoint, region: "eu-west-1") == url)
    }

    @Test(arguments: [
        "s3://", "s3://ab", "s3:///a", "s3://buc ket", "s3://bucket?x/", "s3://-bucket",
        "s3://..bucket", "s3://bucket/a/../b", "s3://bucket/./b", "s3://user@bucket/",
        "s3://bucket/a\nb", "https://bucket/",
    ])
    func otherTextsAreNoAddresses(text: String) {
        #expect(S3Address(text) == nil)
    }

    @Test func credentialsAreNotDescribed() {
        let credentials = AWSCredentials(
            accessKey: "AKID", secretKey: "hunter2", sessionToken: "hunter3")
        #expect(!"\(credentials) \(String(reflecting: credentials))".contains("hunter"))
    }
}
