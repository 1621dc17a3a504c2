internal import Files
import Glibc

/// One of the successive index files of a folder.
///
/// The first index is `index.sqlite`. A damaged one is replaced by `index-2.sqlite`, that one by
/// `index-3.sqlite` and so on; the file with the highest number is the index. No name is used
/// twice: SQLite finds the write-ahead log of a database by its name, and this process or others
/// may still have connections to the damaged file.
///
/// Only SQLite may open the file; it is not opened even to look at its permissions: when a process
/// closes any descriptor of a file, Linux releases all locks of that process on the file, also
/// those of SQLite.
struct IndexFile: Sendable, Hashable {
    let folder: String
    let number: Int

    static func first(in folder: String) -> IndexFile { IndexFile(folder: folder, number: 1) }

    /// The current index file; nil if there is none.
    static func latest(in folder: String) -> IndexFile? {
        let numbers = namesInFolder(folder).compactMap(number(ofName:)).sorted(by: >)
        return numbers.lazy.map { IndexFile(folder: folder, number: $0) }.first(where: \.exists)
    }

    var path: String {
        number == 1 ? "\(folder)/index.sqlite" : "\(folder)/index-\(number).sqlite"
    }

    var exists: Bool { FileStatus(path)?.kind == .file }

    /// Removes the file but not its log, which processes that still have the file open may need.
    func remove() { if exists { removeFile(path) } }

    /// Runs a closure while no other process or thread creates or replaces the index of the folder.
    ///
    /// It must not be called within itself: the second lock would wait for the first for ever. On a
    /// file system without locks, the closure runs nevertheless.
    ///
    /// SQLite does not wait when two connections set the mode of the same new file: one of them
    /// fails.
    func withCreationLock<Value>(_ body: () throws -> Value) rethrows -> Value {
        try withFileLock("\(folder)/index.lock", body)
    }

    /// The suffixes of the files that SQLite keeps beside the index.
    private static let companions = ["-wal", "-shm"]

    /// The reason why SQLite could not use what has the path of the index or of its other files; nil
    /// if there is none.
    var obstacle: String? {
        for path in [path] + Self.companions.map({ path + $0 }) {
            guard let status = FileStatus(path) else { continue }
            if status.kind != .file { return "is not a regular file" }
            if access(path, R_OK | W_OK) != 0, errno == EACCES {
                return "cannot be read or written"
            }
        }
        return nil
    }

    var identity: FileStatus.Identity? { FileStatus(path)?.identity }

    /// Gives an index that cannot be used another name, unless another process has done so.
    ///
    /// - Parameters:
    ///   - identity: The ``identity`` of that index.
    ///   - reason: The reason.
    /// - Returns: The reason and the new name, as the end of a sentence.
    /// - Throws: ``FileError`` if it cannot be renamed, or if ten things were set aside before.
    func setAside(_ identity: FileStatus.Identity?, because reason: String) throws -> String {
        try withCreationLock {
            guard self.identity == identity, identity != nil || obstacle != nil else {
                return reason
            }
            return "\(reason), was set aside as \(try setAsideLocked())"
        }
    }

    /// Gives the index, or its other files if there is none, another name, which is returned.
    ///
    /// The caller is in ``withCreationLock(_:)``.
    func setAsideLocked() throws -> String {
        FileStatus(path) == nil
            ? try moveCompanions() : try Files.setAside(path, with: Self.companions)
    }

    private func moveCompanions() throws -> String {
        var new = ""
        for suffix in Self.companions where FileStatus(path + suffix) != nil {
            new = try Files.setAside(path + suffix)
        }
        return new
    }

    /// Removes the remains of all files that this one has replaced.
    func removeReplaced() {
        if number == 1 { return }
        for name in namesInFolder(folder) {
            let stem = Self.companions.first(where: name.hasSuffix).map { name.dropLast($0.count) }
            guard let other = Self.number(ofName: String(stem ?? name[...])), other < number else {
                continue
            }
            let path = "\(folder)/\(name)"
            if FileStatus(path)?.kind == .file { removeFile(path) }
        }
    }

    private static func number(ofName name: String) -> Int? {
        if name == "index.sqlite" { return 1 }
        let (prefix, suffix) = ("index-", ".sqlite")
        guard name.hasPrefix(prefix), name.hasSuffix(suffix),
            name.utf8.count > prefix.utf8.count + suffix.utf8.count
        else { return nil }
        let digits = name.dropFirst(prefix.count).dropLast(suffix.count)
        // A number from an untrusted folder must leave room for a successor.
        guard digits.utf8.count <= 9, let number = Int(digits), number > 1,
            String(number) == digits
        else { return nil }
        return number
    }
}
