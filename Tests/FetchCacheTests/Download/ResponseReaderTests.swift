import Testing

@testable import FetchCache

/// Calls the reader as libcurl does, without a server.
struct ResponseReaderTests {
    private func reader(in folder: String, limit: Int = 1000) -> ResponseReader {
        let request = TransferRequest(
            transport: TransportRequest(url: "http://h/a"), authority: "h:80",
            expected: .init(maximumBodyBytes: limit), temporary: TemporaryFolder(in: folder),
            report: TransferReport("http://h/a", Flight(), Broadcast()))
        return ResponseReader(for: request, now: { 0 })
    }

    private func reader(_ folder: TestFolder, limit: Int = 1000) -> ResponseReader {
        reader(in: folder.path + "/cache", limit: limit)
    }

    /// The sizes of the bodies that a reader has written.
    private func bodies(in folder: TestFolder) -> [Int?] {
        folder.files(in: "").filter { !$0.hasSuffix(".lock") }
            .map { bytes(of: "\(folder.path)/cache/\($0)")?.count }
    }

    private func send(_ lines: [String], to reader: ResponseReader) -> Bool {
        lines.allSatisfy { line in
            Array((line + "\r\n").utf8).withUnsafeBytes { reader.receiveHeaderLine($0) }
        }
    }

    private func send(_ bytes: [UInt8], to reader: ResponseReader) -> Bool {
        bytes.withUnsafeBytes { reader.receiveBody($0) }
    }

    @Test func skipsInterimResponse() throws {
        let folder = try TestFolder()
        let reader = reader(folder)
        #expect(send(["HTTP/1.1 103 Early Hints", "Link: x", ""], to: reader))
        #expect(send(["HTTP/1.1 200 OK", "ETag:  \"a\" ", ""], to: reader))
        #expect(send(png(), to: reader))
        #expect(send(["ETag: \"trailer\"", ""], to: reader))
        let response = try reader.finish()
        #expect(response.head.status == 200)
        #expect(response.head.fields == HeaderFields([(name: "ETag", value: "\"a\"")]))
        #expect(response.body?.byteCount == 200)
    }

    @Test func readsSingleBytes() throws {
        let folder = try TestFolder()
        let reader = reader(folder)
        #expect(send(["HTTP/2 200", ""], to: reader))
        for byte in png() { #expect(send([byte], to: reader)) }
        let body = try #require(try reader.finish().body)
        #expect(bytes(of: body.path) == png())
        #expect(body.mediaType == .png)
    }

    @Test func stopsAtFirstBytesOfHTML() throws {
        let folder = try TestFolder()
        let reader = reader(folder)
        #expect(send(["HTTP/1.1 200 OK", ""], to: reader))
        #expect(!send(Array("<!DOCTYPE html><html>".utf8), to: reader))
        #expect(reader.failure?.code == .notAnImage)
        #expect(bodies(in: folder) == [])
    }

    @Test func stopsBeforeBodyIfLengthIsTooLarge() throws {
        let folder = try TestFolder()
        let reader = reader(folder)
        #expect(send(["HTTP/1.1 200 OK", "Content-Length: 1001"], to: reader))
        #expect(!send([""], to: reader))
        #expect(reader.failure?.code == .tooLarge)
    }

    @Test func stopsAndRemovesFileIfBodyIsTooLarge() throws {
        let folder = try TestFolder()
        let reader = reader(folder)
        #expect(send(["HTTP/1.1 200 OK", "Content-Length: 10", ""], to: reader))
        #expect(send(png(count: 900), to: reader))
        #expect(bodies(in: folder) == [900])
        #expect(!send(png(count: 101), to: reader))
        #expect(reader.failure?.code == .tooLarge)
        #expect(bodies(in: folder) == [])
    }

    @Test func truncatesLongErrorPage() throws {
        let folder = try TestFolder()
        let reader = reader(folder)
        #expect(send(["HTTP/1.1 404 Not Found", ""], to: reader))
        #expect(send([UInt8](repeating: 0, count: 200_000), to: reader))
        #expect(!send([UInt8](repeating: 0, count: 200_000), to: reader))
        #expect(try reader.finish().head.status == 404)
        #expect(bodies(in: folder) == [])
    }

    @Test func refusesEndlessHeader() throws {
        let folder = try TestFolder()
        let reader = reader(folder)
        #expect(send(["HTTP/1.1 200 OK"], to: reader))
        let line = "X: " + String(repeating: "x", count: 10_000)
        #expect(!send([String](repeating: line, count: 30), to: reader))
        #expect(reader.failure?.code == .badResponse)
    }

    @Test func removesControlCharactersFromValidators() throws {
        let folder = try TestFolder()
        let reader = reader(folder)
        #expect(send(["HTTP/1.1 200 OK", "ETag: \"a\rX: y\u{B}\"", ""], to: reader))
        #expect(send(png(), to: reader))
        let etag = try reader.finish().head.fields["ETag"]
        #expect(etag == "\"aX: y\"")
    }

    @Test func reportsMissingFolderAsStorageError() throws {
        let reader = reader(in: "/dev/null/nowhere")
        #expect(send(["HTTP/1.1 200 OK", ""], to: reader))
        #expect(!send(png(), to: reader))
        #expect(reader.failure?.code == .storage)
    }
}
