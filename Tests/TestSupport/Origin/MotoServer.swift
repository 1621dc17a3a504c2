import Foundation

/// A server on loopback that is S3 and IAM of AWS as the program moto makes them.
///
/// It checks signatures with botocore, the library of the AWS CLI.
package final class MotoServer: Sendable {
    package static let tool = ExternalTool(
        name: "moto", executables: ["moto_server"], folder: "store")
    /// The bucket of ``start()``, and its region.
    package static let bucket = "images"
    package static let region = "eu-central-1"

    /// `http://127.0.0.1:PORT`.
    package let url: String
    private let server: Command

    /// The keys of a user who may do everything in the bucket.
    package struct Access: Decodable, Sendable {
        package var key: String
        package var secret: String

        /// The variables for the command.
        package var variables: [String: String] {
            [
                "AWS_ACCESS_KEY_ID": key, "AWS_SECRET_ACCESS_KEY": secret,
                "AWS_REGION": MotoServer.region,
            ]
        }
    }

    /// - Throws: ``MissingTool``; ``TLSError`` if there is no free port.
    package init() async throws {
        let port = try TLSServer.freePort()
        url = "http://127.0.0.1:\(port)"
        server = try Command(
            Self.tool.required(), ["-H", "127.0.0.1", "-p", "\(port)"],
            environment: ["AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": ""])
        for _ in 0..<1_500 where !TLSServer.isListening(port) {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    deinit { server.signal(SIGKILL) }

    /// Makes the bucket and the user; from then on signatures are checked.
    ///
    /// - Parameter actions: The actions of S3 that are allowed.
    /// - Returns: The keys.
    /// - Throws: ``MissingTool`` with the reason if that fails.
    package func start(actions: String = "s3:*") async throws -> Access {
        let output = try await Self.python(
            Self.script, [url, Self.bucket, Self.region, actions])
        return try JSONDecoder().decode(Access.self, from: Data(output.utf8))
    }

    /// The objects of the bucket, by their names.
    package func objects() async throws -> [String: String] {
        let output = try await Self.python(Self.listing, [url, Self.bucket, Self.region])
        return try JSONDecoder().decode([String: String].self, from: Data(output.utf8))
    }

    /// Runs a script with botocore, and returns what it prints.
    package static func python(_ script: String, _ arguments: [String]) async throws -> String {
        let program = try tool.required()
        let python = program.prefix(upTo: program.lastIndex(of: "/") ?? program.startIndex)
        let result = try await Command.run(python + "/python3", ["-c", script] + arguments)
        guard result.exitCode == 0 else { throw MissingTool(description: result.errors) }
        return result.output
    }

    private static let script = """
        import boto3, json, sys, urllib.request
        url, bucket, region, actions = sys.argv[1:]
        root = dict(endpoint_url=url, region_name=region, aws_access_key_id='root',
            aws_secret_access_key='root')
        boto3.client('s3', **root).create_bucket(
            Bucket=bucket, CreateBucketConfiguration={'LocationConstraint': region})
        def policy(action):
            statement = {'Effect': 'Allow', 'Action': action, 'Resource': '*'}
            return json.dumps({'Version': '2012-10-17', 'Statement': [statement]})
        iam = boto3.client('iam', **root)
        iam.create_user(UserName='baker')
        iam.put_user_policy(
            UserName='baker', PolicyName='store', PolicyDocument=policy(actions.split(',')))
        key = iam.create_access_key(UserName='baker')['AccessKey']
        urllib.request.urlopen(urllib.request.Request(
            url + '/moto-api/reset-auth', data=b'0', method='POST',
            headers={'Content-Type': 'text/plain'}))
        print(json.dumps({'key': key['AccessKeyId'], 'secret': key['SecretAccessKey']}))
        """

    private static let listing = """
        import boto3, hashlib, json, sys, urllib.request
        url, bucket, region = sys.argv[1:]
        urllib.request.urlopen(urllib.request.Request(
            url + '/moto-api/reset-auth', data=b'inf', method='POST',
            headers={'Content-Type': 'text/plain'}))
        s3 = boto3.client('s3', endpoint_url=url, region_name=region, aws_access_key_id='root',
            aws_secret_access_key='root')
        found = {}
        for page in s3.get_paginator('list_objects_v2').paginate(Bucket=bucket):
            for item in page.get('Contents', []):
                body = s3.get_object(Bucket=bucket, Key=item['Key'])['Body'].read()
                found[item['Key']] = hashlib.sha256(body).hexdigest()
        print(json.dumps(found))
        """
}
