import Foundation
import Locks

/// A folder that is removed with this value, and at the latest when the process ends.
package final class TemporaryDirectory: Sendable {
    /// The absolute path, without links.
    package let path: String

    package init() throws {
        let base = NSTemporaryDirectory() + "imgbake-test-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: base, withIntermediateDirectories: true)
        path = URL(filePath: base).resolvingSymlinksInPath().path
        _ = removalAtExit
        _ = foldersInUse.withLock { [path] in $0.insert(path) }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
        _ = foldersInUse.withLock { [path] in $0.remove(path) }
    }

    /// The absolute path of something in the folder.
    package func path(_ relative: String) -> String { path + "/" + relative }

    /// Writes a file and creates its parent folders.
    package func write(_ bytes: [UInt8], to relative: String) throws {
        let url = URL(filePath: path(relative))
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: url)
    }

    package func write(_ text: String, to relative: String) throws {
        try write(Array(text.utf8), to: relative)
    }

    /// Replaces a file in one step, while another program may read it.
    package func replace(_ relative: String, by text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: path(relative)), options: .atomic)
    }

    package func bytes(_ relative: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(filePath: path(relative))))
    }

    package func text(_ relative: String) throws -> String {
        String(decoding: try bytes(relative), as: UTF8.self)
    }

    package func exists(_ relative: String) -> Bool {
        FileManager.default.fileExists(atPath: path(relative))
    }

    /// The sorted paths of all files in the folder `below`, including hidden ones.
    package func files(below: String = "") throws -> [String] {
        let root = below.isEmpty ? path : path(below)
        guard let walk = FileManager.default.enumerator(atPath: root) else { return [] }
        return walk.compactMap { $0 as? String }.filter {
            var isFolder: ObjCBool = false
            let isThere = FileManager.default.fileExists(
                atPath: root + "/" + $0, isDirectory: &isFolder)
            return isThere && !isFolder.boolValue
        }.sorted()
    }

    /// Every file in the folder `below` with its bytes.
    package func contents(below: String = "") throws -> [String: [UInt8]] {
        let prefix = below.isEmpty ? "" : below + "/"
        return try files(below: below).reduce(into: [:]) { $0[$1] = try bytes(prefix + $1) }
    }
}

private let foldersInUse = Locked<Set<String>>([])

/// Values that all tests share are never deinitialized.
private let removalAtExit: Void = {
    atexit {
        for path in foldersInUse.withLock({ $0 }) {
            try? FileManager.default.removeItem(atPath: path)
        }
    }
}()
