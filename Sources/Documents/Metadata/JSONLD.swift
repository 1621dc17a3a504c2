/// The URLs of images in a text of JSON-LD; none if it is not valid JSON.
func jsonLDPieces(in text: Bytes) -> [HTMLPiece] {
    var pieces: [HTMLPiece] = []
    let isRead = JSONScanner.read(text) { path, range, _ in
        guard let key = imageKey(of: path) else { return }
        let place = text.withoutBlanks(range)
        guard let url = JSONScanner.decode(text, place), !url.isEmpty, !holdsTemplate(url) else {
            return
        }
        pieces.append(
            HTMLPiece(
                range: place, url: url, kind: .jsonLD(key: key), form: .absoluteIfKnown,
                notation: Notation(rule: .strict)))
    }
    return isRead ? pieces : []
}

/// The last of the keys, with the one before it if that says what it is.
private func imageKey(of path: [String]) -> String? {
    guard let last = path.last else { return nil }
    if imageProperties.contains(last) { return last }
    guard last == "url" || last == "contentUrl", let owner = path.dropLast().last,
        imageProperties.contains(owner)
    else { return nil }
    return "\(owner).\(last)"
}

private let imageProperties: Set<String> = ["image", "logo", "thumbnailUrl"]

extension Bytes {
    /// `range` without the blanks at its ends.
    func withoutBlanks(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, self[start].isHTMLSpace { start += 1 }
        while end > start, self[end - 1].isHTMLSpace { end -= 1 }
        return start..<end
    }
}
