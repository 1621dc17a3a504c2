import TestSupport
import Testing

@testable import FetchCache

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

    private func keys(_ settings: AWSSettings) -> AWSCredentials? {
        if case .keys(let credentials) = settings.origin { credentials } else { nil }
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
        #expect(keys(usual) == AWSCredentials(accessKey: "D", secretKey: "d=/+"))
        #expect(usual.region == "eu-west-1")
        let other = try settings(
            config: Self.config, credentials: Self.credentials, ["AWS_PROFILE": "other"])
        #expect(
            keys(other) == AWSCredentials(accessKey: "O", secretKey: "o", sessionToken: "t"))
        #expect(other.region == "eu-west-2")
        #expect(other.endpoint == "https://s3.example.org")
        let named = try settings(
            config: Self.config, credentials: Self.credentials,
            ["AWS_DEFAULT_PROFILE": "with space"])
        #expect(keys(named)?.accessKey == "C")
    }

    @Test func filesCanBeElsewhere() throws {
        try folder.write("[default]\naws_access_key_id=X\naws_secret_access_key=x\n", to: "keys")
        let found = try settings([
            "AWS_SHARED_CREDENTIALS_FILE": "~/keys", "AWS_CONFIG_FILE": "/nowhere",
        ])
        #expect(keys(found)?.accessKey == "X")
    }

    @Test func environmentHasPrecedence() throws {
        let found = try settings(
            config: Self.config, credentials: Self.credentials,
            [
                "AWS_PROFILE": "other", "AWS_ACCESS_KEY_ID": "E", "AWS_SECRET_ACCESS_KEY": "e",
                "AWS_REGION": "r1", "AWS_DEFAULT_REGION": "r2", "AWS_ENDPOINT_URL": "http://a",
                "AWS_ENDPOINT_URL_S3": "http://b",
            ])
        #expect(keys(found) == AWSCredentials(accessKey: "E", secretKey: "e"))
        #expect(found.region == "r1")
        #expect(found.endpoint == "http://b")
        #expect(found.tokenEndpoint == "http://a")
        #expect(
            try settings(credentials: Self.credentials, ["AWS_DEFAULT_REGION": "r2"]).region == "r2"
        )
    }

    @Test func roleHasPrecedenceOverKeysOfFiles() throws {
        let found = try settings(
            config: Self.config, credentials: Self.credentials,
            ["AWS_WEB_IDENTITY_TOKEN_FILE": "~/token", "AWS_ROLE_ARN": "arn:x"])
        guard case .webIdentity(let identity) = found.origin else {
            Issue.record("no role")
            return
        }
        #expect(identity.role == "arn:x" && identity.session == "imgbake")
        #expect(identity.tokenFile == folder.path("token"))
        let profile = try settings(
            config: "[default]\nrole_arn=arn:y\nweb_identity_token_file=/t\nrole_session_name=me\n")
        guard case .webIdentity(let identity) = profile.origin else {
            Issue.record("no role")
            return
        }
        #expect(identity.role == "arn:y" && identity.session == "me")
    }

    @Test(
        arguments: [
            ("", [:]),
            ("", ["AWS_PROFILE": "missing"]),
            ("", ["AWS_ACCESS_KEY_ID": "E"]),
            ("", ["AWS_WEB_IDENTITY_TOKEN_FILE": "/t"]),
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

    // MARK: - Refreshing

    @Test func credentialsAreObtainedOnceAndAgainBeforeTheyExpire() async throws {
        let now = Box<Int64>(0)
        let count = Box(0)
        let source = AWSCredentialSource(now: { now.value }) { () async throws(FetchError) in
            count.change { $0 += 1 }
            try? await Task.sleep(for: .milliseconds(20))
            return AWSCredentials(
                accessKey: "\(count.value)", secretKey: "s", expiry: now.value + 3_600_000)
        }
        await withTaskGroup { group in
            for _ in 0..<8 { group.addTask { _ = try? await source.credentials() } }
        }
        #expect(count.value == 1)
        now.change { $0 = 3_000_000 }
        #expect(try await source.credentials().accessKey == "1")
        now.change { $0 = 3_400_000 }
        #expect(try await source.credentials().accessKey == "2")
    }

    @Test func validCredentialsAreUsedWhileNewOnesCannotBeObtained() async throws {
        let now = Box<Int64>(0)
        let source = AWSCredentialSource(now: { now.value }) { () async throws(FetchError) in
            guard now.value == 0 else { throw FetchError(.unreachable, "", "down") }
            return AWSCredentials(accessKey: "1", secretKey: "s", expiry: 3_600_000)
        }
        _ = try await source.credentials()
        now.change { $0 = 3_500_000 }
        #expect(try await source.credentials().accessKey == "1")
        now.change { $0 = 3_700_000 }
        await #expect(throws: FetchError.self) { try await source.credentials() }
    }
}
