package import Files

/// A hidden file of a folder that says what imgbake has made there, one line for each thing.
///
/// A bake adds lines before it writes what they are about. So nothing that a killed bake has left is
/// unknown. At its end a bake writes the file anew, with a heading and in order, so that equal bakes
/// give equal files.
///
/// A bake of a shard has a file of its own, `NAME-3-of-16`, so that outputs of shards can be joined by
/// copying. The next bake of the whole site joins them.
package struct FolderRecord {
    /// The absolute path of the folder.
    package let folder: String
    /// The name of the file of the whole site.
    let name: String
    /// The shard that is baked; nil for the whole site.
    var shard: Shard?

    package init(
        folder: String, name: String, shard: Shard? = nil
    ) {
        self.folder = folder
        self.name = name
        self.shard = shard
    }

    /// The file that this bake writes.
    package var path: String { folder + "/" + name + (shard.map { "-" + $0.name } ?? "") }

    /// The names of all files, those of shards too, in order.
    package var parts: [String] {
        namesInFolder(folder).filter { $0 == name || Shard(ofFile: $0, named: name) != nil }
            .sorted()
    }

    /// Removes the files of shards, after they were joined.
    package func removeShards() {
        for part in parts where part != name { removeFile(folder + "/" + part) }
    }

    /// Adds lines at the end.
    ///
    /// - Parameters:
    ///   - lines: The text of the lines.
    ///   - isSynced: Whether to wait until they are on disk.
    /// - Throws: ``FileError``.
    package func append(_ lines: [UInt8], isSynced: Bool = false) throws(FileError) {
        try withFile { (file) throws(FileError) in
            // A bake that was killed may have left half a line.
            let text = [UInt8(ascii: "\n")] + lines
            // Another name of the file is a copy of an earlier state, which stays as it is.
            guard try file.status().linkCount == 1 else {
                return try replace(with: readFile(path).bytes + text)
            }
            try file.write(text)
            if isSynced { try file.syncFileSystem() }
        }
    }

    /// Writes the file anew; without text, it is removed.
    ///
    /// - Parameter change: Returns the new text, from that of the file.
    /// - Throws: ``FileError``.
    package func update(_ change: ([UInt8]) throws(FileError) -> [UInt8]) throws(FileError) {
        try withFile { (_) throws(FileError) in
            let old = try readFile(path).bytes
            let new = try change(old)
            if new.isEmpty { removeFile(path) } else if new != old { try replace(with: new) }
        }
    }

    private func replace(with text: [UInt8]) throws(FileError) {
        let file = try AtomicFile(path, mode: 0o644)
        try file.write(text)
        try file.commit()
    }

    /// Runs a closure while no other process changes the file, which is made if it is missing.
    private func withFile(
        _ body: (borrowing OpenFile) throws(FileError) -> Void
    ) throws(FileError) {
        while true {
            let file = try OpenFile(extending: path, mode: 0o644)
            file.lock(waiting: true)
            // Another process may have replaced the file before it was locked.
            guard try file.status().linkCount > 0 else { continue }
            return try body(file)
        }
    }
}
