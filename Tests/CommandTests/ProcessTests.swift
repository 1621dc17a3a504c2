import Glibc
import TestSupport
import Testing

@testable import imgbake

/// The environment of the command, and the files that it writes.
@Suite(.timeLimit(.minutes(10))) struct ProcessTests {
    @Test(
        arguments: [
            (["XDG_CACHE_HOME": "/x", "HOME": "/h"], "/x/imgbake"),
            (["XDG_CACHE_HOME": "relative", "HOME": "/h"], "/h/.cache/imgbake"),
            (["XDG_CACHE_HOME": "", "HOME": "/h"], "/h/.cache/imgbake"),
            (["HOME": "/h"], "/h/.cache/imgbake"), (["HOME": "home"], "/now/home/.cache/imgbake"),
            (["XDG_CACHE_HOME": "/x"], "/x/imgbake"), (["HOME": ""], nil), ([:], nil),
        ] as [([String: String], String?)])
    func usesCacheFolderOfSystem(variables: [String: String], expected: String?) {
        #expect((try? environment(variables).defaultCacheDirectory()) == expected)
    }

    @Test(arguments: [
        ([:], "/usr/bin/imgbake", "/usr/bin/imgbake-worker"), ([:], "imgbake", "/imgbake-worker"),
        (["IMGBAKE_WORKER": "/w"], "/usr/bin/imgbake", "/w"),
        (["IMGBAKE_WORKER": "build/w"], "/usr/bin/imgbake", "/now/build/w"),
        (["IMGBAKE_WORKER": ""], "/usr/bin/imgbake", "/usr/bin/imgbake-worker"),
    ])
    func findsWorkerNextToCommandOrByVariable(
        variables: [String: String], executable: String, expected: String
    ) {
        #expect(environment(variables, executable: executable).worker == expected)
    }

    @Test func programsAreFilesInTheAbsoluteFoldersOfPath() throws {
        let folder = try TemporaryDirectory()
        try folder.write("", to: "data")
        try folder.write("", to: "folder/x")
        func program(_ name: String, in path: String) -> String? {
            environment(["PATH": path], in: folder.path).program(name)
        }
        #expect(program("sh", in: "relative:/nowhere:/bin") == "/bin/sh")
        #expect(program("sh", in: "bin:.") == nil)
        // Neither a file that cannot be started nor a folder, which can be searched.
        #expect(program("data", in: folder.path) == nil)
        #expect(program("folder", in: folder.path) == nil)
    }

    @Test func relativePathsStartAtCurrentFolder() {
        #expect(environment(in: "/a b").absolute("c") == "/a b/c")
        #expect(environment(in: "/a b").absolute("/c") == "/c")
        #expect(ProcessEnvironment.current.workingDirectory.hasPrefix("/"))
    }

    @Test(arguments: [
        ("X-Key", true), ("a1!#$%&'*+-.^_`|~", true), ("", false), ("X Key", false),
        ("X\u{7F}", false), ("Xé", false), ("X(", false), ("\t", false), ("@", false), ("[", false),
    ])
    func fieldNameMustBeAToken(text: String, isName: Bool) {
        #expect((HeaderArgument(argument: text + ": a") != nil) == isName)
    }

    @Test(arguments: [
        ("", true), ("a b\tc", true), ("é", true), ("a\nb", false), ("a\rb", false), ("\0", false),
        ("\u{7F}", false), ("\u{1B}[2J", false),
    ])
    func fieldValueCannotHaveControlCharacters(text: String, isValue: Bool) {
        #expect(FieldSyntax.isFieldValue(text) == isValue)
    }

    @Test func fileAppearsWhenComplete() throws {
        let folder = try TemporaryDirectory()
        try folder.write("old", to: "out")
        let sink = try ByteSink(path: folder.path("out"))
        try sink.write("new ")
        try folder.write("content", to: "source")
        try sink.copy(folder.path("source"))
        #expect(try folder.text("out") == "old")
        try sink.finish()
        #expect(try folder.text("out") == "new content")
        #expect(try folder.files() == ["out", "source"])
    }

    @Test func unfinishedFileLeavesNothing() throws {
        let folder = try TemporaryDirectory()
        do {
            let sink = try ByteSink(path: folder.path("out"))
            try sink.write("half")
            do {
                try sink.copy(folder.path("gone"))
                Issue.record("there is no such file")
            } catch {
                #expect("\(error)".contains("gone"))
            }
        }
        #expect(try folder.files().isEmpty)
    }

    @Test func failedMoveThrowsAndLeavesNothing() throws {
        let folder = try TemporaryDirectory()
        let sink = try ByteSink(path: folder.path("out"))
        try sink.write("x")
        try folder.write("", to: "out/x")
        do {
            try sink.finish()
            Issue.record("a folder is in the way")
        } catch {
            #expect("\(error)".contains("out"))
        }
        #expect(try folder.files() == ["out/x"])
    }

    @Test(arguments: ["gone/out", "folder"])
    func unwritablePathFailsAtOnce(path: String) throws {
        let folder = try TemporaryDirectory()
        try folder.write("", to: "folder/x")
        #expect(throws: (any Error).self) { _ = try ByteSink(path: folder.path(path)) }
        #expect(try folder.files() == ["folder/x"])
    }

    @Test func keepsLinkAndReplacesTarget() throws {
        let folder = try TemporaryDirectory()
        try folder.write("old", to: "real")
        #expect(symlink("real", folder.path("link")) == 0)
        let sink = try ByteSink(path: folder.path("link"))
        try sink.write("new")
        try sink.finish()
        #expect(try folder.text("real") == "new")
        var target = [CChar](repeating: 0, count: 10)
        #expect(readlink(folder.path("link"), &target, 9) == 4)
    }

    @Test func writesPipeDirectly() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        // Open for both directions, so that neither end waits for the other.
        let reader = open(path, O_RDWR | O_NONBLOCK)
        defer { close(reader) }
        let sink = try ByteSink(path: path)
        try sink.write("through")
        var buffer = [UInt8](repeating: 0, count: 20)
        #expect(read(reader, &buffer, 20) == 7)
        try sink.finish()
        #expect(try folder.files() == ["pipe"])
    }

    @Test func returnsResultAndThrowsErrorsOfWork() async throws {
        #expect(try await Interrupts.cancelling { 5 } == 5)
        await #expect(throws: UsageError.self) {
            try await Interrupts.cancelling { throw UsageError("x") }
        }
        #expect(Interrupts.exitCode == 130)
    }
}
