import DocumentSyntax

/// The image URLs in a JSON-LD text; none if the text is not valid JSON.
func jsonLDPieces(in text: UnsafeBytes) -> [HTMLPiece] {
    let content = contentOfJSON(in: text)
    let json = UnsafeBytes(rebasing: text[content])
    var found: [JSONLDString] = []
    /// The offsets of objects of type `ImageObject`.
    var images: Set<Int> = []
    let isRead = JSONScanner.read(json) { path, range, object in
        if let key = imageKey(of: path) {
            found.append(JSONLDString(key: key, range: range))
        } else if let object, let last = path.last {
            if locators.contains(last) {
                let key = last == "url" ? "ImageObject.url" : "ImageObject.contentUrl"
                found.append(JSONLDString(key: key, range: range, object: object))
            } else if last == "@type", json[range].elementsEqual("ImageObject".utf8) {
                images.insert(object)
            }
        }
    }
    guard isRead else { return [] }
    return found.compactMap { string in
        if let object = string.object, !images.contains(object) { return nil }
        let place = json.trimmingWhitespace(string.range)
        guard let url = JSONScanner.decode(json, place), !url.isEmpty, !containsTemplate(url),
            ParserLimits.takePlace()
        else { return nil }
        let start = content.lowerBound
        var piece = HTMLPiece(
            range: start + place.lowerBound..<start + place.upperBound, url: url,
            kind: .jsonLD(key: string.key), role: .social, form: .absoluteIfKnown,
            notation: Notation(percentEncoding: .strict))
        piece.fixed = .size
        return piece
    }
}

/// A string that names an image.
private struct JSONLDString {
    var key: String
    var range: Range<Int>
    /// The offset of the object that must be an `ImageObject`; nil if the key alone identifies an
    /// image.
    var object: Int?
}

/// The last key of a path that names an image, with its parent key if that identifies the image;
/// nil for other paths.
private func imageKey(of path: [String]) -> String? {
    guard let last = path.last else { return nil }
    if imageProperties.contains(last) { return last }
    guard locators.contains(last), let owner = path.dropLast().last,
        imageProperties.contains(owner)
    else { return nil }
    return "\(owner).\(last)"
}

private let imageProperties: Set<String> = ["image", "logo", "thumbnailUrl"]

/// The properties of an `ImageObject` that contain its URL.
private let locators: Set<String> = ["url", "contentUrl"]

/// The range of the JSON in a script that wraps it in comments or CDATA.
private func contentOfJSON(in text: UnsafeBytes) -> Range<Int> {
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
