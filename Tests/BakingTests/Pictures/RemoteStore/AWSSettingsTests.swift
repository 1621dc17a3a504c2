import FetchCache
import TestSupport
import Testing

@testable import Pictures

/// Credentials and the region are found as the AWS CLI finds them.
@Suite struct AWSSettingsTests {
    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func settings(
        config: String = "", credentials: String = "", _ variables: [String: String] = [:]
    ) throws -> AWSSettings {
        try folder.write(config, to: ".aws/config")
        try folder.write(credentials, to: ".aws/credentials")
        let all = variables.merging(["HOME": folder.path]) { value, _ in value }
        return try AWSSettings { all[$0] }
    }

    private static let credentials = """
        # comment
        [default]
        aws_access_key_id = D
        aws_secret_access_key = d=/+
        [other]
        aws_access_key_id=O
        aws_secret_access_key=o
        aws_session_token =   t

        """

    private static let config = """
        [default]
        region = eu-west-1
        [profile other]
        region = eu-west-2
        s3 =
            addressing_style = path
            region = wrong
        endpoint_url = https://s3.example.org
        [profile "with space"]
        aws_access_key_id = C
        aws_secret_access_key = c
        [other]
        region = wrong

        """

    @Test func profilesAreInBothFiles() throws {
        let usual = try settings(config: Self.config, credentials: Self.credentials)
        #expect(usual.credentials == AWSCredentials(accessKey: "D", secretKey: "d=/+"))
        #expect(usual.region == "eu-west-1")
        let other = try settings(
            config: Self.config, credentials: Self.credentials, ["AWS_PROFILE": "other"])
        #expect(
            other.credentials == AWSCredentials(accessKey: "O", secretKey: "o", sessionToken: "t"))
        #expect(other.region == "eu-west-2")
        #expect(other.endpoint == "https://s3.example.org")
        let named = try settings(
            config: Self.config, credentials: Self.credentials,
            ["AWS_DEFAULT_PROFILE": "with space"])
        #expect(named.credentials.accessKey == "C")
    }

    @Test func filesCanBeElsewhere() throws {
        try folder.write("[default]\naws_access_key_id=X\naws_secret_access_key=x\n", to: "keys")
        let found = try settings([
            "AWS_SHARED_CREDENTIALS_FILE": "~/keys", "AWS_CONFIG_FILE": "/nowhere",
        ])
        #expect(found.credentials.accessKey == "X")
    }

    @Test func environmentHasPrecedence() throws {
        let found = try settings(
            config: Self.config, credentials: Self.credentials,
            [
                "AWS_PROFILE": "other", "AWS_ACCESS_KEY_ID": "E", "AWS_SECRET_ACCESS_KEY": "e",
                "AWS_REGION": "r1", "AWS_DEFAULT_REGION": "r2", "AWS_ENDPOINT_URL": "http://a",
                "AWS_ENDPOINT_URL_S3": "http://b",
            ])
        #expect(found.credentials == AWSCredentials(accessKey: "E", secretKey: "e"))
        #expect(found.region == "r1")
        #expect(found.endpoint == "http://b")
        #expect(
            try settings(credentials: Self.credentials, ["AWS_DEFAULT_REGION": "r2"]).region == "r2"
        )
    }

    @Test(
        arguments: [
            ("", [:]),
            ("", ["AWS_PROFILE": "missing"]),
            ("", ["AWS_ACCESS_KEY_ID": "E"]),
            ("", ["AWS_WEB_IDENTITY_TOKEN_FILE": "/t", "AWS_ROLE_ARN": "arn:x"]),
            ("[default]\naws_access_key_id = x\n", [:]),
            ("[default]\nsso_session = x\n", [:]),
            ("aws_access_key_id = x\naws_secret_access_key = y\n", [:]),
            ("[default\u{0}]\n[[[\n====\n:\n", [:]),
        ] as [(String, [String: String])])
    func missingCredentialsAreAnError(text: String, variables: [String: String]) throws {
        let error = #expect(throws: FetchError.self) {
            try settings(config: text, credentials: text, variables)
        }
        #expect(error?.code == .configuration)
    }
}
