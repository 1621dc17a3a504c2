import Foundation

/// An nginx on loopback whose WebDAV module stores what is put there.
package final class StoreServer: Sendable {
    /// `http://127.0.0.1:PORT/store/`.
    package let url: String
    /// The folder of the stored objects.
    package let folder: TemporaryDirectory
    private let nginx: Command

    /// Starts the server.
    ///
    /// - Parameter password: The password of the user `baker`; nil if there is none.
    /// - Throws: ``TLSError`` if there is no free port; the errors of writing its files.
    package init(password: String? = nil) async throws {
        let folder = try TemporaryDirectory()
        self.folder = folder
        let port = try TLSServer.freePort()
        url = "http://127.0.0.1:\(port)/store/"
        try folder.write("baker:{PLAIN}\(password ?? "")\n", to: "users")
        try folder.write("", to: "store/.keep")
        let path = folder.path
        let access = password == nil ? "" : "auth_basic store; auth_basic_user_file \(path)/users;"
        try folder.write(
            """
            user root; daemon off; master_process off; pid \(path)/pid;
            error_log \(path)/error.log;
            events {}
            http {
                access_log \(path)/access.log;
                client_body_temp_path \(path)/a; proxy_temp_path \(path)/b;
                fastcgi_temp_path \(path)/c; uwsgi_temp_path \(path)/d; scgi_temp_path \(path)/e;
                client_max_body_size 100m;
                server {
                    listen 127.0.0.1:\(port);
                    root \(path);
                    location /store/ { dav_methods PUT; create_full_put_path on; \(access) }
                }
            }
            """, to: "nginx.conf")
        nginx = try Command("/usr/sbin/nginx", ["-p", path, "-c", folder.path("nginx.conf")])
        for _ in 0..<500 where !TLSServer.isListening(port) {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    // SIGKILL, for the reason that TLSServer gives.
    deinit { nginx.signal(SIGKILL) }

    /// The paths of the stored objects.
    package var objects: [String] {
        get throws { try folder.files(below: "store").filter { $0 != ".keep" } }
    }
}
