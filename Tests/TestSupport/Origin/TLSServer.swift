import Foundation

/// An nginx on loopback with TLS and HTTP/2, and a certificate from an authority made for the test.
package final class TLSServer: Sendable {
    /// `https://localhost:PORT`, without a slash at the end.
    package let url: String
    /// The PEM file of the authority that signed the certificate, for the names `localhost` and
    /// `secure.localhost`.
    package let authority: String
    private let folder: TemporaryDirectory
    private let nginx: Command

    /// The PEM files of a client certificate by the same authority and of its key, whose password
    /// is `secret`.
    package var clientCertificate: (file: String, key: String) {
        (folder.path("client.pem"), folder.path("client.key"))
    }

    /// Starts the server with some files, given by their paths.
    package init(_ files: [String: [UInt8]], asksForCertificate: Bool = false) async throws {
        let folder = try TemporaryDirectory()
        self.folder = folder
        let made = try await Command.run(
            "/bin/sh", ["-ec", Self.certificateScript], directory: folder.path)
        guard made.exitCode == 0 else { throw TLSError(reason: made.errors) }
        authority = folder.path("authority.pem")
        for (path, bytes) in files { try Data(bytes).write(to: URL(filePath: folder.path(path))) }
        let port = try Self.freePort()
        url = "https://localhost:\(port)"
        try Data(Self.configuration(folder.path, port: port, asksForCertificate).utf8).write(
            to: URL(filePath: folder.path("nginx.conf")))
        nginx = try Command(
            "/usr/sbin/nginx", ["-p", folder.path, "-c", folder.path("nginx.conf")])
        for _ in 0..<500 where !Self.isListening(port) {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    // SIGKILL, because a child of a thread that blocks signals, such as a dispatch thread, blocks
    // them too, except for this one.
    deinit { nginx.signal(SIGKILL) }

    private static let certificateScript = """
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
            -keyout authority.key -out authority.pem -subj '/CN=Test Authority' \
            -addext basicConstraints=critical,CA:TRUE
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
            -keyout server.key -out server.csr -subj /CN=localhost
        printf 'subjectAltName=DNS:localhost,DNS:secure.localhost\\n' >names
        openssl x509 -req -in server.csr -CA authority.pem -CAkey authority.key -CAcreateserial \
            -days 2 -extfile names -out server.pem
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -passout pass:secret \
            -keyout client.key -out client.csr -subj /CN=client
        openssl x509 -req -in client.csr -CA authority.pem -CAkey authority.key -CAcreateserial \
            -days 2 -out client.pem
        """

    private static func configuration(
        _ folder: String, port: UInt16, _ asksForCertificate: Bool
    ) -> String {
        """
        daemon off; master_process off; pid \(folder)/pid; error_log \(folder)/error.log;
        events {}
        http {
            log_format protocol '$request_method $uri $server_protocol $connection';
            access_log \(folder)/access.log protocol;
            client_body_temp_path \(folder)/a; proxy_temp_path \(folder)/b;
            fastcgi_temp_path \(folder)/c; uwsgi_temp_path \(folder)/d; scgi_temp_path \(folder)/e;
            server {
                listen 127.0.0.1:\(port) ssl http2;
                ssl_certificate \(folder)/server.pem; ssl_certificate_key \(folder)/server.key;
                ssl_client_certificate \(folder)/authority.pem;
                ssl_verify_client \(asksForCertificate ? "on" : "off");
                root \(folder);
                location = /redirect { return 301 $arg_to; }
            }
        }
        """
    }

    /// One line per request: method, path, protocol, number of the connection.
    package var log: [String] {
        ((try? folder.text("access.log")) ?? "").split(separator: "\n").map(String.init)
    }

    static func freePort() throws -> UInt16 {
        let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(handle) }
        var address = loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(handle, $0, length) == 0 && getsockname(handle, $0, &length) == 0
            }
        }
        guard isBound else { throw TLSError(reason: "there is no free port") }
        return UInt16(bigEndian: address.sin_port)
    }

    static func isListening(_ port: UInt16) -> Bool {
        let handle = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(handle) }
        var address = loopback(port)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(handle, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}

/// The reason why the server did not start.
package struct TLSError: Error {
    package var reason: String
}
