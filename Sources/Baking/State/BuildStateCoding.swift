import FetchCache

/// Collects the rows of a state.
struct BuildStateWriter {
    /// An image can have several files.
    private struct File: Hashable {
        var image: StateImage.Key
        var name: String
    }

    private var images = RowWriter()
    private var numbers: [File: Int] = [:]
    private var documents = RowWriter()
    /// The range of each document in ``documents``, and its path.
    private var places: [(path: String, range: Range<Int>)] = []
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
    /// Documents that are not fresh are added in the order of their paths.
    ///
    /// - Parameters:
    ///   - document: The document; its images are numbers that ``add(_:)`` returned.
    ///   - path: Its path.
    ///   - isFresh: Whether its output or images may have been written just now.
    mutating func add(_ document: StateDocument, at path: String, isFresh: Bool) {
        if isFresh { fresh.append((places.count, document.output, document.images)) }
        let start = documents.bytes.count
        document.write(to: &documents)
        places.append((path, start..<documents.bytes.count))
    }

    /// The digest of the rest, then the time in milliseconds, the images and the documents in the
    /// order of their paths.
    ///
    /// - Parameters:
    ///   - time: The time in milliseconds since 1970.
    ///   - now: The time of the system in nanoseconds since 1970.
    /// - Returns: The bytes. Documents with files that have just been written are left out.
    func encoded(at time: Int64, settledAt now: Int64) -> [UInt8] {
        var writer = RowWriter()
        // Besides the rows, there are the digest and a path for each document.
        writer.reserve(64 + images.bytes.count + documents.bytes.count * 2 + places.count * 64)
        writer.add(time)
        writer.add(Int64(numbers.count))
        writer.add(images.bytes[...])
        let unsettled = Set(
            fresh.filter { document in
                let marks = document.images.map { files[$0] } + [document.output].compactMap(\.self)
                return !marks.allSatisfy { $0.isSettled(at: now) }
            }.map(\.place))
        let kept = places.indices.filter { !unsettled.contains($0) }
        writer.add(Int64(kept.count))
        for place in inOrder(kept) {
            let (path, range) = places[place]
            writer.add(path)
            writer.add(Int64(range.count))
            writer.add(documents.bytes[range])
        }
        writer.prepend(BlobDigest(hashing: writer.bytes).hex.utf8)
        return writer.bytes
    }

    /// Places in the order of the paths; only fresh documents must be sorted.
    private func inOrder(_ kept: [Int]) -> [Int] {
        func isBefore(_ one: Int, _ other: Int) -> Bool {
            places[one].path.utf8.lexicographicallyPrecedes(places[other].path.utf8)
        }
        let baked = Set(fresh.map(\.place))
        var others = kept.filter(baked.contains).sorted(by: isBefore)[...]
        var result: [Int] = []
        result.reserveCapacity(kept.count)
        for place in kept where !baked.contains(place) {
            while let other = others.first, isBefore(other, place) {
                result.append(other)
                others.removeFirst()
            }
            result.append(place)
        }
        return result + others
    }
}

/// Reads the rows of a state in one pass.
struct BuildStateReader {
    /// When the state was written, in milliseconds since 1970.
    let time: Int64
    let images: [StateImage]
    let documentCount: Int
    private var reader: RowReader
    private var left: Int
    /// The path of the next document, and the length of its row.
    private var next: (path: Range<Int>, count: Int)?

    /// - Returns: nil if the bytes are damaged.
    init?(_ bytes: [UInt8]) {
        let digest = BlobDigest(hashing: Array(bytes.dropFirst(64))).hex
        guard bytes.starts(with: digest.utf8) else { return nil }
        var reader = RowReader(bytes, at: 64)
        guard let time = reader.number(), let count = reader.number(), count >= 0 else {
            return nil
        }
        var images: [StateImage] = []
        for _ in 0..<count {
            guard let image = StateImage(from: &reader) else { return nil }
            images.append(image)
        }
        guard let documents = reader.number(), documents >= 0 else { return nil }
        (self.time, self.images) = (time, images)
        (documentCount, left) = (Int(documents), Int(documents))
        self.reader = reader
        advance()
    }

    /// The document at a path, which must come after the last one that was asked for.
    mutating func document(at path: String) -> StateDocument? {
        while let (range, _) = next {
            switch reader.compare(range, to: path) {
            case ..<0: skip()
            case 0:
                let document = StateDocument(from: &reader)
                advance()
                return document
            default: return nil
            }
        }
        return nil
    }

    private mutating func skip() {
        guard let next, reader.skip(Int64(next.count)) else { return self.next = nil }
        advance()
    }

    private mutating func advance() {
        next = nil
        guard left > 0, let path = reader.range(), let count = reader.number() else { return }
        left -= 1
        next = (path, Int(count))
    }
}
