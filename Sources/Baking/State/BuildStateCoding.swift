import FetchCache
import Records

/// Collects the rows of a state.
struct BuildStateWriter {
    /// An image can have several files.
    private struct File: Hashable {
        var image: StateImage.Key
        var name: String
    }

    private struct Place {
        var path: String
        /// The range in ``documents``.
        var range: Range<Int>
    }

    private var images = RowWriter()
    private var numbers: [File: Int] = [:]
    private var documents = RowWriter()
    private var places: [Place] = []
    /// The files of images, by the numbers of the images.
    private var files: [FileMark] = []
    /// Documents whose output or images may be too new, by their places in ``places``.
    private var fresh: [(place: Int, output: FileMark?, images: [Int])] = []

    /// The number of documents.
    var count: Int { places.count }

    /// Adds a file of an image once; returns its number.
    mutating func add(_ image: StateImage) -> Int {
        let file = File(image: image.key, name: image.fileName)
        if let number = numbers[file] { return number }
        image.write(to: &images)
        numbers[file] = numbers.count
        files.append(image.file)
        return numbers.count - 1
    }

    /// Adds a document.
    ///
    /// - Parameters:
    ///   - document: The document; its images are numbers that ``add(_:)`` returned.
    ///   - path: Its path.
    ///   - isFresh: Whether its output or images may have been written just now.
    mutating func add(_ document: StateDocument, at path: String, isFresh: Bool) {
        if isFresh { fresh.append((places.count, document.output, document.images)) }
        let start = documents.bytes.count
        document.write(to: &documents)
        places.append(Place(path: path, range: start..<documents.bytes.count))
    }

    /// Adds documents of an earlier state with their images.
    ///
    /// - Parameters:
    ///   - places: Where their rows begin.
    ///   - part: The part of the state that they are in.
    mutating func add(_ places: [Int], of part: BuildStateReader) {
        for place in places {
            guard var row = part.document(at: place),
                row.document.images.allSatisfy(part.images.indices.contains)
            else { continue }
            row.document.images = row.document.images.map { add(part.images[$0]) }
            add(row.document, at: row.path, isFresh: false)
        }
    }

    /// Removes fresh documents whose files have just been written: a later change in the same clock
    /// tick would not be visible.
    ///
    /// - Parameter now: The time of the system in nanoseconds since 1970.
    mutating func leaveOutUnsettled(at now: Int64) {
        let unsettled = fresh.filter { document in
            let marks = document.images.map { files[$0] } + [document.output].compactMap(\.self)
            return !marks.allSatisfy { $0.isSettled(at: now) }
        }
        let removed = Set(unsettled.map(\.place))
        places = places.indices.filter { !removed.contains($0) }.map { places[$0] }
        fresh = []
    }

    /// The digest of the rest, then the digest of the state that this one adds to, the time in
    /// milliseconds, the images, and the documents in the order of their paths.
    ///
    /// - Parameters:
    ///   - base: The digest of the state that this one adds to; empty for none.
    ///   - time: The time in milliseconds since 1970.
    /// - Returns: The bytes.
    func encoded(after base: String = "", at time: Int64) -> [UInt8] {
        var writer = RowWriter()
        // Besides the rows, there are the digests and a path for each document.
        writer.reserve(256 + images.bytes.count + documents.bytes.count * 2 + places.count * 64)
        writer.add(base)
        writer.add(time)
        writer.add(Int64(numbers.count))
        writer.add(images.bytes[...])
        writer.add(Int64(places.count))
        let sorted = places.sorted {
            $0.path.utf8.lexicographicallyPrecedes($1.path.utf8)
        }
        for place in sorted {
            writer.add(place.path)
            writer.add(Int64(place.range.count))
            writer.add(documents.bytes[place.range])
        }
        writer.prepend(BlobDigest(hashing: writer.bytes).hex.utf8)
        return writer.bytes
    }
}

/// Reads the rows of a state in one pass.
struct BuildStateReader {
    /// The digest of the rest, which tells this state from others.
    let digest: String
    /// The digest of the state that this one adds to; empty for none.
    let base: String
    /// When the state was written, in milliseconds since 1970.
    let time: Int64
    let images: [StateImage]
    private var reader: RowReader
    /// The number of documents after the next one.
    private var left: Int
    /// The next document: where its row begins, its path, and the length of the rest.
    private var next: (place: Int, path: Range<Int>, count: Int)?

    /// - Returns: nil if the bytes are damaged.
    init?(_ bytes: [UInt8]) {
        digest = String(decoding: bytes.prefix(64), as: UTF8.self)
        guard BlobDigest(hashing: bytes.dropFirst(64)).hex == digest else { return nil }
        var reader = RowReader(bytes, at: 64)
        guard let base = reader.text(), let time = reader.number(), let count = reader.number(),
            count >= 0
        else { return nil }
        var images: [StateImage] = []
        for _ in 0..<count {
            guard let image = StateImage(from: &reader) else { return nil }
            images.append(image)
        }
        guard let documents = reader.number(), documents >= 0 else { return nil }
        (self.base, self.time, self.images) = (base, time, images)
        (self.reader, left) = (reader, Int(documents))
        advance()
    }

    /// The document at a path, which must come after the last one that was asked for.
    mutating func document(at path: String) -> StateDocument? {
        while let next {
            switch reader.compare(next.path, to: path) {
            case ..<0: skip()
            case 0:
                var document = StateDocument(from: &reader)
                document?.place = next.place
                advance()
                return document
            default: return nil
            }
        }
        return nil
    }

    /// The document whose row begins at a place.
    func document(at place: Int) -> (path: String, document: StateDocument)? {
        var reader = reader
        reader.place = place
        guard let path = reader.text(), reader.number() != nil,
            let document = StateDocument(from: &reader)
        else { return nil }
        return (path, document)
    }

    /// Where the rows of the documents begin that come after the last one that was asked for.
    mutating func placesOfRest() -> [Int] {
        var places: [Int] = []
        while let next {
            places.append(next.place)
            skip()
        }
        return places
    }

    private mutating func skip() {
        guard let next, reader.skip(Int64(next.count)) else { return self.next = nil }
        advance()
    }

    private mutating func advance() {
        next = nil
        let place = reader.place
        guard left > 0, let path = reader.range(), let count = reader.number() else { return }
        left -= 1
        next = (place, path, Int(count))
    }
}
