import Foundation
import ImageFormats
import Recipes
import TestSupport

@testable import Baking
@testable import Records

/// An image of one pixel, which the header of a ``FakeWorker`` is true of, with a text of at
/// most 127 bytes as its pixels.
func dot(_ text: String = "") -> String {
    let length = String(Unicode.Scalar(UInt8(text.utf8.count)))
    let pixels = text.isEmpty ? "" : length + text
    return "GIF89a\u{1}\0\u{1}\0\0\0\0,\0\0\0\0\u{1}\0\u{1}\0\0\u{2}" + pixels + "\0;"
}

/// A shell script that behaves like a worker.
struct FakeWorker {
    let folder: TemporaryDirectory
    var path: String { folder.path("worker") }
    /// The number of starts.
    var startCount: Int { (try? folder.text("starts").count / 2) ?? 0 }

    /// Creates a worker that runs `body`, in which `$n` is the number of the start.
    init(_ body: String) async throws {
        folder = try TemporaryDirectory()
        try await folder.writeScript(
            """
            #!/bin/sh
            echo x >>"\(folder.path)/starts"
            n=$(wc -l <"\(folder.path)/starts")
            answer='\(canonicalText(of: Self.header))'
            \(body)
            """, to: "worker")
    }

    /// The answer to a job without variants, `$answer` in the script: the header of a ``dot(_:)``.
    static let header = JobResult.image(
        JobResult.Image(header: ImageHeader(format: .gif, width: 1, height: 1)))

    static let greeting = greeting(#"{"gaps":[]}"#)

    /// Commands that send a handshake through the socket, which is standard input.
    static func greeting(_ sandbox: String) -> String {
        #"exec >&0; echo '{"encoder":"fake","libraries":[],"sandbox":\#(sandbox)}'"#
    }
}
