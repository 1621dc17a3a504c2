import FetchCache

/// An image that the last bake published.
struct StateImage {
    /// What asked for it: the same request gives the same image.
    struct Key: Hashable {
        /// The source's URL, from ``ImageSource/key``.
        var url: String
        /// The options of the variant in the form of ``canonicalText(of:)``.
        var options: String
        /// The image folder of the page; empty for the common one.
        var folder: String
    }

    var key: Key
    var sourceByteCount: Int64
    var byteCount: Int64
    /// The time until which no server need be asked, in milliseconds since 1970.
    var freshUntil: Int64
    /// The name of the published file in its folder.
    var fileName: String
    /// The published file.
    var file: FileMark?
    /// The file of an image of the site itself; nil for an image of another host.
    var source: FileMark?

    init(
        key: Key, sourceByteCount: Int64, byteCount: Int64, freshUntil: Int64, fileName: String,
        file: FileMark? = nil, source: FileMark?
    ) {
        self.key = key
        self.sourceByteCount = sourceByteCount
        self.byteCount = byteCount
        self.freshUntil = freshUntil
        self.fileName = fileName
        self.file = file
        self.source = source
    }

    init?(from reader: inout RowReader) {
        guard let url = reader.text(), let options = reader.text(), let folder = reader.text(),
            let sourceByteCount = reader.number(), let byteCount = reader.number(),
            let freshUntil = reader.number(), let fileName = reader.text(),
            let file = FileMark(from: &reader), let hasSource = reader.number()
        else { return nil }
        self.init(
            key: Key(url: url, options: options, folder: folder),
            sourceByteCount: sourceByteCount, byteCount: byteCount, freshUntil: freshUntil,
            fileName: fileName, file: file, source: nil)
        guard hasSource == 1 else { return }
        guard let source = FileMark(from: &reader) else { return nil }
        self.source = source
    }

    func write(to writer: inout RowWriter) {
        for text in [key.url, key.options, key.folder] { writer.add(text) }
        for number in [sourceByteCount, byteCount, freshUntil] { writer.add(number) }
        writer.add(fileName)
        file?.write(to: &writer)
        writer.add(source == nil ? 0 : 1)
        source?.write(to: &writer)
    }
}

/// A document that the last bake left as it should be.
struct StateDocument {
    var input: FileMark
    /// Nil in place: the document is its own output.
    var output: FileMark?
    var referenceCount: Int64
    /// The numbers of its images.
    var images: [Int]

    init(input: FileMark, output: FileMark?, referenceCount: Int64, images: [Int]) {
        self.input = input
        self.output = output
        self.referenceCount = referenceCount
        self.images = images
    }

    init?(from reader: inout RowReader) {
        guard let referenceCount = reader.number(), let hasOutput = reader.number(),
            let input = FileMark(from: &reader)
        else { return nil }
        var output: FileMark?
        if hasOutput == 1 {
            guard let mark = FileMark(from: &reader) else { return nil }
            output = mark
        }
        guard let count = reader.number(), count >= 0, count <= reader.remaining else { return nil }
        var images: [Int] = []
        images.reserveCapacity(Int(count))
        for _ in 0..<count {
            guard let image = reader.number() else { return nil }
            images.append(Int(image))
        }
        self.init(input: input, output: output, referenceCount: referenceCount, images: images)
    }

    func write(to writer: inout RowWriter) {
        writer.add(referenceCount)
        writer.add(output == nil ? 0 : 1)
        input.write(to: &writer)
        output?.write(to: &writer)
        writer.add(Int64(images.count))
        for image in images { writer.add(Int64(image)) }
    }
}

/// Collects the rows of a state, documents in any order.
struct BuildStateWriter {
    private var images = RowWriter()
    private var numbers: [StateImage.Key: Int] = [:]
    private var documents = RowWriter()
    /// The range of each document in ``documents``, and its path.
    private var places: [(path: String, range: Range<Int>)] = []
    /// The files of images, by the numbers of the images.
    private var files: [FileMark?] = []
    /// Documents whose output or images may be too new, by their places in ``places``.
    private var fresh: [(place: Int, output: FileMark?, images: [Int])] = []

    /// The number of documents.
    var count: Int { places.count }

    /// Adds an image once; returns its number.
    mutating func add(_ image: StateImage) -> Int {
        if let number = numbers[image.key] { return number }
        image.write(to: &images)
        numbers[image.key] = numbers.count
        files.append(image.file)
        return numbers.count - 1
    }

    mutating func add(_ document: StateDocument, at path: String) {
        let start = documents.bytes.count
        document.write(to: &documents)
        places.append((path, start..<documents.bytes.count))
    }

    /// Adds a document whose output or images may have been written just now.
    mutating func add(fresh document: StateDocument, at path: String) {
        fresh.append((places.count, document.output, document.images))
        add(document, at: path)
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
        writer.add(time)
        writer.add(Int64(numbers.count))
        writer.add(images.bytes[...])
        let unsettled = Set(
            fresh.filter { document in
                let marks = [document.output] + document.images.map { files[$0] }
                return !marks.allSatisfy { $0?.isSettled(at: now) ?? true }
            }.map(\.place))
        let kept = places.indices.filter { !unsettled.contains($0) }.map { places[$0] }
        writer.add(Int64(kept.count))
        for (path, range) in kept.sorted(by: {
            $0.path.utf8.lexicographicallyPrecedes($1.path.utf8)
        }) {
            writer.add(path)
            writer.add(Int64(range.count))
            writer.add(documents.bytes[range])
        }
        return Array(BlobDigest(hashing: writer.bytes).hex.utf8) + writer.bytes
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
