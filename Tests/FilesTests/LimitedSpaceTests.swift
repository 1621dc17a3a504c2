import Glibc
import TestSupport
import Testing

/// Files for which there is too little space: the first bytes are written, the next fail.
@Suite(.timeLimit(.minutes(10))) struct LimitedSpaceTests {
    /// Runs `script` with the path of the probe as `$0`, a folder as `$1`, and the arguments of the
    /// probe after the path as `$2` and `$3`.
    private func run(
        _ script: String, _ operation: String, in folder: TemporaryDirectory, mounts: Bool = false
    ) async throws -> [Substring] {
        try folder.write([UInt8](repeating: 0x61, count: 4_000_000), to: "source")
        try folder.write("", to: "target/none")
        let words = [
            "/bin/sh", "-ec", script, Command.built("files-probe"), folder.path("target"),
            operation, operation == "copy" ? folder.path("source") : "4000000",
        ]
        let result = try await Command.run(
            "/usr/bin/env", (mounts ? ["unshare", "-rm"] : []) + words)
        #expect(result.exitCode == 0, "\(result.errors)")
        return result.output.split(separator: "\n")
    }

    @Test(
        .enabled(
            if: Mounts.areAllowed, "needs user namespaces (unshare -rm), which this system forbids"
        ),
        arguments: ["write", "copy"])
    func fullDiskKeepsOldFileAndLeavesNoOther(operation: String) async throws {
        let folder = try TemporaryDirectory()
        let lines = try await run(
            """
            mount -t tmpfs -o size=1m none "$1"
            echo old > "$1/a"
            "$0" "$2" "$1/a" "$3"
            ls -A "$1"
            cat "$1/a"
            mount -o remount,size=10m "$1"
            "$0" "$2" "$1/a" "$3"
            ls -A "$1"
            stat -c %s "$1/a"
            """, operation, in: folder, mounts: true)
        let path = folder.path("target/a")
        #expect(
            lines == [
                "write \(path) \(ENOSPC)", "a", "old", "written", "a", "4000000",
            ])
    }

    @Test(arguments: ["write", "copy"])
    func limitOfFileSizeKeepsOldFileAndLeavesNoOther(operation: String) async throws {
        let folder = try TemporaryDirectory()
        let lines = try await run(
            """
            trap '' XFSZ
            rm "$1/none"
            echo old > "$1/a"
            (ulimit -f 1000 && exec "$0" "$2" "$1/a" "$3")
            ls -A "$1"
            cat "$1/a"
            """, operation, in: folder)
        #expect(lines == ["write \(folder.path("target/a")) \(EFBIG)", "a", "old"])
    }
}
