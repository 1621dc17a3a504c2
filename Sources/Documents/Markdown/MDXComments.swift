/// MDX as Markdown of the same length: its comments, `{/* … */}`, without what they say.
///
/// cmark knows nothing of them and would find images there. Those that switch imgbake off and on
/// become the comments of HTML that do.
func withoutMDXComments(_ bytes: Bytes) -> [UInt8] {
    var result = Array(bytes)
    var brace = bytes.firstIndex(of: .openBrace, from: 0)
    while let start = brace {
        brace = bytes.firstIndex(of: .openBrace, from: start + 1)
        guard bytes.matches("/*", at: start + 1) else { continue }
        guard let end = endOfMDXComment(bytes, from: start + 3) else { break }
        let content = start + 3..<end - 3
        let isOff = Switches.isOff(Bytes(rebasing: bytes[content]))
        if let isOff, let comment = htmlComment(isOff ? "imgbake-off" : "imgbake-on", end - start) {
            result.replaceSubrange(start..<end, with: comment)
        } else {
            for index in content where !bytes[index].isLineEnd { result[index] = UInt8(ascii: "x") }
        }
        brace = bytes.firstIndex(of: .openBrace, from: end)
    }
    return result
}

private func endOfMDXComment(_ bytes: Bytes, from start: Int) -> Int? {
    var star = bytes.firstIndex(of: .asterisk, from: start)
    while let found = star {
        if bytes.matches("/}", at: found + 1) { return found + 3 }
        star = bytes.firstIndex(of: .asterisk, from: found + 1)
    }
    return nil
}

/// A comment of HTML with this many bytes; nil if they are too few.
private func htmlComment(_ word: String, _ count: Int) -> [UInt8]? {
    let blanks = count - word.utf8.count - 7
    guard blanks >= 0 else { return nil }
    return Array("<!--\(word)\(String(repeating: " ", count: blanks))-->".utf8)
}
