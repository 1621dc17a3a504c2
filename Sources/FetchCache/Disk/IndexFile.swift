/// One of the files that an index has had in its folder.
///
/// An index begins as `index.sqlite`. A damaged one is replaced by `index-2.sqlite`, that one by
/// `index-3.sqlite` and so on; the highest number is the index. No name is used twice: SQLite finds the
/// write-ahead log of a database by its name, and connections to the damaged file may still be open, in
/// this process and in others.
struct IndexFile: Sendable, Hashable {
    let folder: String
    let number: Int

    static func first(in folder: String) -> IndexFile { IndexFile(folder: folder, number: 1) }

    /// The file that is the index at this moment; nil if there is none.
    static func latest(in folder: String) -> IndexFile? {
        let numbers = FileSystem.names(in: folder).compactMap(number(ofName:)).sorted(by: >)
        return numbers.lazy.map { IndexFile(folder: folder, number: $0) }.first(where: \.exists)
    }

    var path: String {
        number == 1 ? "\(folder)/index.sqlite" : "\(folder)/index-\(number).sqlite"
    }

    var exists: Bool { FileSystem.isFile(path) }

    /// Removes the file, but not its log: whoever still has the file open may have to find that.
    func remove() { FileSystem.remove(path) }

    /// Removes all that is left of the files that this one has replaced.
    func removeReplaced() {
        if number == 1 { return }
        for name in FileSystem.names(in: folder) {
            let stem = ["-wal", "-shm"].first(where: name.hasSuffix).map { name.dropLast($0.count) }
            guard let other = Self.number(ofName: String(stem ?? name[...])), other < number else {
                continue
            }
            FileSystem.remove("\(folder)/\(name)")
        }
    }

    private static func number(ofName name: String) -> Int? {
        if name == "index.sqlite" { return 1 }
        let (prefix, suffix) = ("index-", ".sqlite")
        guard name.hasPrefix(prefix), name.hasSuffix(suffix),
            name.utf8.count > prefix.utf8.count + suffix.utf8.count
        else { return nil }
        let digits = name.dropFirst(prefix.count).dropLast(suffix.count)
        // A number that others chose must not leave it without a successor.
        guard digits.utf8.count <= 9, let number = Int(digits), number > 1,
            String(number) == digits
        else { return nil }
        return number
    }
}
