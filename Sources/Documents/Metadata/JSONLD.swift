/// The URLs of images in a text of JSON-LD; none if it is not valid JSON.
func jsonLDPieces(in text: Bytes) -> [HTMLPiece] {
    let content = contentOfJSON(in: text)
    let json = Bytes(rebasing: text[content])
    let start = content.lowerBound
    var pieces: [HTMLPiece] = []
    let isRead = JSONScanner.read(json) { path, range, _ in
        guard let key = imageKey(of: path) else { return }
        let place = json.withoutBlanks(range)
        guard let url = JSONScanner.decode(json, place), !url.isEmpty, !holdsTemplate(url) else {
            return
        }
        pieces.append(
            HTMLPiece(
                range: start + place.lowerBound..<start + place.upperBound, url: url,
                kind: .jsonLD(key: key), form: .absoluteIfKnown,
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

/// Where the JSON stands in a script that hides it in comments or CDATA from what is no HTML.
private func contentOfJSON(in text: Bytes) -> Range<Int> {
    func isOfComment(_ index: Int) -> Bool {
        text[index].isHTMLSpace || text[index] == .slash || text[index] == .asterisk
    }
    var (start, end) = (0, text.count)
    while start < end, isOfComment(start) { start += 1 }
    if text.matches("<![cdata[", at: start) {
        start += 9
    } else if text.matches("<!--", at: start) {
        start += 4
    }
    while start < end, isOfComment(start) { start += 1 }
    while end > start, isOfComment(end - 1) { end -= 1 }
    if end - start >= 3, text.matches("]]>", at: end - 3) || text.matches("-->", at: end - 3) {
        end -= 3
    }
    while end > start, isOfComment(end - 1) { end -= 1 }
    return start..<end
}

extension Bytes {
    /// `range` without the blanks at its ends.
    func withoutBlanks(_ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, self[start].isHTMLSpace { start += 1 }
        while end > start, self[end - 1].isHTMLSpace { end -= 1 }
        return start..<end
    }
}
