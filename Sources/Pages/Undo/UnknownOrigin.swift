import Documents
package import Reports
import Sites

/// A name of a baked image in a document whose URL cannot be put back.
package struct UnknownOrigin: Hashable {
    var offset: Int
    var file: String
    /// The URLs that it may have had, without their secrets.
    var urls: [String] = []
    /// Whether the URL had a secret.
    var isHidden = false
    /// Whether a list names the image.
    var isListed = true

    fileprivate var problem: Problem {
        guard isListed else {
            return Problem(
                .uncertainOrigin, "no list tells where this image came from",
                remedy: "restore the folder that was baked, or write the original URL")
        }
        guard isHidden else {
            return Problem(
                .uncertainOrigin,
                "the document was changed, and the old URL of \(file) is not certain",
                remedy: choice)
        }
        return Problem(
            .hiddenOrigin, "the old URL is not known, since it had a secret that no list keeps")
    }

    /// The remedy that lists what the old URL may be; nil if that is not known.
    private var choice: String? {
        urls.isEmpty ? nil : "write the original URL: \(listed(urls, most: 5))"
    }
}

extension PastEdit {
    /// The change as one that cannot be undone.
    package var unknown: UnknownOrigin {
        UnknownOrigin(
            offset: places.map(\.offset).min() ?? range.lowerBound, file: images.first?.file ?? "",
            urls: images.prefix(1).map(\.url), isHidden: isHidden)
    }
}

extension [UnknownOrigin] {
    /// The names of baked images in a document that no change explains, as far as a list knows them.
    ///
    /// - Parameters:
    ///   - edits: The changes that were found in the document.
    ///   - known: Returns all changes that are recorded for an image.
    ///   - bytes: The document.
    init(besides edits: [PastEdit], _ known: (ImageHash) -> [PastEdit], in bytes: [UInt8]) {
        var explained = ByteRanges(in: bytes)
        for range in edits.flatMap(\.ranges) { explained.insert(range) }
        self = imageNames(in: bytes).compactMap { name in
            if explained.overlap(name.range) { return nil }
            let known = known(name.hash)
            if known.isEmpty { return nil }
            let images = known.flatMap(\.images).filter { imageHash(of: $0.file) == name.hash }
            return UnknownOrigin(
                offset: folderStart(of: name, in: bytes),
                file: String(decoding: bytes[name.range], as: UTF8.self),
                urls: Set(images.map(\.url)).sorted(),
                isHidden: known.contains(where: \.isHidden))
        }
    }

    /// The diagnostics of places that are left as they are.
    ///
    /// - Parameters:
    ///   - severity: Their severity.
    ///   - bytes: The document.
    ///   - name: The name of the document in messages.
    /// - Returns: The diagnostics, in the order of the document.
    package func diagnostics(
        _ severity: Diagnostic.Severity, in bytes: [UInt8], of name: String
    ) -> [Diagnostic] {
        let sorted = sorted { $0.offset < $1.offset }
        return zip(sorted, positions(of: sorted.map(\.offset), in: bytes)).map { item, position in
            let place = Diagnostic.Place(name, line: position.line, column: position.column)
            let url = item.urls.count == 1 ? item.urls[0] : item.file
            return Diagnostic(item.problem, severity, at: place, url: url)
        }
    }
}
