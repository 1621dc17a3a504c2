package import Files
import FoundationEssentials
import Reports
import Sites

/// The changes that bakes in place have made to one document.
struct PastDocument: Codable, Hashable, Sendable {
    /// The path of the document, relative to the image folder.
    var document: String
    var edits: [PastEdit]
    /// Changes that it had once and that were not found in it; nil if there are none.
    ///
    /// Their images may be named where no reference is, such as in a comment, or come back.
    var lost: [PastEdit]?
    /// The SHA-256 of the document after the last bake, in hexadecimal.
    var sha256: String
}

/// The ``FolderRecord`` of an image folder that says where the images came from.
///
/// ```text
/// {"imgbake-origins":1,…}                                  a heading
/// {"document":"../a.md","edits":[…],"sha256":"…"}          a line for each document
/// ```
///
/// A document can have several lines until the bake ends: each says in ``PastDocument/sha256`` which
/// version it belongs to.
///
/// Paths are relative to the image folder, so two sites can share one, and a project gives the same
/// list whether it or its content folder is baked.
///
/// The list is never shorter than what was baked, until `--prune`. A line keeps what its document
/// had once (``PastDocument/lost``), and the line of a document that is gone stays unless others
/// tell as much. A document that names baked images and was edited, moved or copied gets a new line
/// even if nothing changes, so that the next edit is compared with the present text. A change that
/// no document has is forgotten only if its images neither exist nor are named by any file.
package struct OriginList {
    /// The name of the file; hidden, so that it is no page of the site.
    package static let name = OwnFiles.origins

    static let heading = Array(
        (#"{"imgbake-origins":1,"about":"Where the images of this folder came from. "#
            + #"'imgbake restore' puts their URLs back."}"#).utf8)

    /// A line about a document, which is decoded only if it is needed.
    package struct Line: Hashable, Sendable {
        /// A part of the file that it was read from.
        package let bytes: ArraySlice<UInt8>
        /// The path of the document, relative to the image folder.
        let document: String
        let sha256: String

        init(_ past: PastDocument) {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            // The values are texts and numbers, which can always be encoded.
            bytes = (try? encoder.encode(past)).map { [UInt8]($0)[...] } ?? []
            document = past.document
            sha256 = past.sha256
        }

        /// Nil if the bytes are not a line about a document.
        init?(_ bytes: ArraySlice<UInt8>) {
            let (head, tail) = (Array(#"{"document":""#.utf8), Array(#","sha256":""#.utf8))
            let digest = bytes.dropLast(2).suffix(64)
            guard bytes.starts(with: head), bytes.suffix(2).elementsEqual(#""}"#.utf8),
                bytes.dropLast(66).suffix(tail.count).elementsEqual(tail),
                let path = Self.string(bytes.dropFirst(head.count - 1))
            else { return nil }
            self.bytes = bytes
            document = path
            sha256 = String(decoding: digest, as: UTF8.self)
        }

        /// The string at the beginning of a text in JSON.
        private static func string(_ text: ArraySlice<UInt8>) -> String? {
            var end = text.startIndex + 1
            while end < text.endIndex, text[end] != UInt8(ascii: "\"") {
                end += text[end] == UInt8(ascii: "\\") ? 2 : 1
            }
            guard end < text.endIndex else { return nil }
            let content = text[(text.startIndex + 1)..<end]
            if content.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\\") }) {
                return String(validating: content, as: UTF8.self)
            }
            return try? JSONDecoder().decode(String.self, from: Data(text[...end]))
        }

        /// The absolute path of the document, if the list is in a folder.
        package func path(in folder: String) -> String {
            var parts = pathParts(folder)
            for part in pathParts(document) where part != "." {
                if part == ".." { _ = parts.popLast() } else { parts.append(part) }
            }
            return "/" + parts.joined(separator: "/")
        }

        /// The whole line; nil if it is damaged.
        var past: PastDocument? {
            let past = try? JSONDecoder().decode(PastDocument.self, from: Data(bytes))
            return past.flatMap { $0.isPossible ? $0 : nil }
        }

        /// Whether all images were made with these settings, without decoding the line.
        func isMade(with settings: String) -> Bool {
            guard let value = try? JSONEncoder().encode(settings) else { return false }
            let key = Array(#""settings":"#.utf8)
            var rest = bytes[...]
            while let place = rest.firstRange(of: key) {
                rest = rest[place.upperBound...]
                guard rest.starts(with: value) else { return false }
            }
            return true
        }
    }

    /// The absolute path of the image folder.
    let folder: String

    package init(
        folder: String
    ) {
        self.folder = folder
    }
    private var record: FolderRecord { FolderRecord(folder: folder, name: Self.name) }
    var path: String { record.path }

    var status: FileStatus? { FileStatus(path).flatMap { $0.kind == .file ? $0 : nil } }

    /// The lines of a file.
    package struct Contents {
        /// The lines about documents, in the order of the file.
        package var lines: [Line] = []
        /// Lines that cannot be read, with their numbers, which begin with 1.
        var damaged: [(number: Int, bytes: ArraySlice<UInt8>)] = []

        init(_ bytes: [UInt8]) {
            let all = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
            for (index, text) in all.enumerated() where !text.isEmpty {
                if let line = Line(text) {
                    lines.append(line)
                } else if !OriginList.passedOver.contains(where: { text.starts(with: $0.utf8) }) {
                    damaged.append((index + 1, text))
                }
            }
        }
    }

    private static let headingStart = #"{"imgbake-origins":"#
    /// The beginnings of lines that are made anew, that earlier versions wrote, and that git adds at a
    /// conflict.
    private static let passedOver = [
        headingStart, #"{"unused":"#, "<<<<<<< ", "=======", ">>>>>>> ", "||||||| ",
    ]

    /// - Throws: ``FileError`` if the file exists and cannot be read.
    package func contents() throws(FileError) -> Contents {
        guard FileStatus(path) != nil else { return Contents([]) }
        return Contents(try readFile(path).bytes)
    }

    /// Checks that no newer version has written the file, by its first bytes.
    ///
    /// - Throws: ``BakeError``.
    func requireKnownVersion() throws(BakeError) {
        guard let file = try? OpenFile(reading: path),
            let start = try? file.read(atMost: Self.headingStart.utf8.count + 2),
            start.starts(with: Self.headingStart.utf8),
            case let version = start.dropFirst(Self.headingStart.utf8.count),
            !version.prefix(while: { (0x30...0x39).contains($0) }).elementsEqual("1".utf8)
        else { return }
        throw BakeError(
            "a newer version of imgbake has written \(path), which says where the images came from; "
                + "use that version")
    }

    /// Adds lines at the end.
    ///
    /// - Parameters:
    ///   - lines: The lines.
    ///   - isSynced: Whether to wait until they are on disk.
    /// - Throws: ``FileError``.
    func append(_ lines: [Line], isSynced: Bool) throws(FileError) {
        try record.append(lines.flatMap { $0.bytes + [UInt8(ascii: "\n")] }, isSynced: isSynced)
    }

    /// Replaces the lines, and removes the file if none is left.
    ///
    /// - Parameters:
    ///   - keepsDamaged: Whether damaged lines are kept even if there are no others.
    ///   - change: Returns the new lines, in any order, from those of the file.
    /// - Throws: ``FileError``.
    func update(keepsDamaged: Bool, _ change: ([Line]) -> [Line]) throws(FileError) {
        guard status != nil else { return }
        try record.update { old in
            let contents = Contents(old)
            var new = change(contents.lines).map(\.bytes)
            // Somebody may be able to repair a damaged line, but not what a killed bake left of one.
            if !new.isEmpty || keepsDamaged {
                new += contents.damaged.map(\.bytes).filter { $0.last == UInt8(ascii: "}") }
            }
            if new.isEmpty { return [] }
            new.sort { $0.lexicographicallyPrecedes($1) }
            return Self.heading + [UInt8(ascii: "\n")]
                + new.flatMap { $0 + [UInt8(ascii: "\n")] }
        }
    }
}

extension PastDocument {
    /// Whether a bake can have written this; a list may come from anywhere.
    fileprivate var isPossible: Bool {
        let numbers = 0...Int(Int32.max)
        return (edits + (lost ?? [])).allSatisfy { edit in
            !edit.pieces.isEmpty
                && edit.pieces.allSatisfy {
                    numbers.contains($0.offset) && numbers.contains($0.length)
                }
                && (edit.smaller ?? []).allSatisfy { imageHash(of: $0) != nil }
                && edit.images.allSatisfy {
                    imageHash(of: $0.file) != nil && ($0.offset.map(numbers.contains) ?? true)
                }
        }
    }
}
