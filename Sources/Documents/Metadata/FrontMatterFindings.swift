import DocumentSyntax

extension FrontMatter {
    /// The images that the keys name: the usual keys, and those at the dotted paths `keys`.
    func findings(keys: [String]) -> Findings {
        var findings = Findings()
        var structure = 0
        var strings: [MetadataString] = []
        let names = ImageKeys(configured: keys)
        if hasImageKeys(names) {
            switch read(names) {
            case .success(let read): (strings, structure) = (read.strings, read.structure)
            case .failure(.excess(let what)):
                findings.problems.append(
                    DocumentProblem(offset: content.lowerBound, reason: .tooComplex(what)))
            case .failure(.syntax):
                findings.problems = unread(besides: []).map {
                    DocumentProblem(offset: $0.offset, url: $0.url, reason: .metadataUnreadable)
                }
            }
        }
        add(strings.filter(names.namesImage), structure: structure, to: &findings)
        let problems = findings.problems.map { $0.offset..<$0.offset + 1 }
        findings.unread = unread(
            besides: findings.located.map(\.reference.range) + problems)
        return findings
    }

    /// Whether any key or value may name an image.
    func mayNameImages(keys: [String]) -> Bool {
        hasImageKeys(ImageKeys(configured: keys))
            || UnsafeBytes(rebasing: bytes[content]).namesImageURL
    }

    private func hasImageKeys(_ keys: ImageKeys) -> Bool {
        guard language != .script else { return false }
        let text = UnsafeBytes(rebasing: bytes[content])
        // Escapes can hide a key.
        return text.firstIndex(of: .backslash, from: 0) != nil
            || keys.words.contains { text.contains($0) }
    }

    /// The URLs of images on other hosts that are outside of comments and of the known places.
    private func unread(besides known: [Range<Int>]) -> [UnreadImage] {
        let known = known.inOrder { $0.lowerBound < $1.lowerBound }
        func isComment(_ line: Int) -> Bool { bytes[line...].first { !$0.isHTMLSpace } == .hash }
        var (searched, isOff) = (content.lowerBound, isComment(content.lowerBound))
        return UnreadImage.all(in: bytes, .metadata, in: content).filter { one in
            let end = bytes[searched..<one.offset].lastIndex(where: \.isLineEnd)
            if let end { isOff = isComment(end + 1) }
            searched = one.offset
            return !isOff && !known.containSorted(one.offset)
        }
    }

    /// The result of reading a block.
    struct Reading {
        /// The strings that name images, in the order of the text.
        var strings: [MetadataString] = []
        /// A hash of everything else that the parser read.
        var structure = 0
    }

    /// The reason why a block was not read.
    enum ReadError: Error {
        /// The block exceeds a limit, given as text that follows "the document has".
        case excess(String)
        /// The block is not valid in its language.
        case syntax
    }

    private func read(_ keys: ImageKeys) -> Result<Reading, ReadError> {
        let strings: [MetadataString]?
        switch language {
        case .yaml: return yamlReading(of: bytes, content, keys: keys)
        case .toml: strings = tomlStrings(keys)
        case .json: strings = jsonStrings(keys)
        case .script: strings = []
        }
        return strings.map { .success(Reading(strings: $0)) } ?? .failure(.syntax)
    }

    /// - Returns: The strings; nil if the block is not JSON.
    private func jsonStrings(_ keys: ImageKeys) -> [MetadataString]? {
        let text = UnsafeBytes(rebasing: bytes[content])
        let start = content.lowerBound
        var strings: [MetadataString] = []
        let isRead = JSONScanner.read(text) { path, range, _ in
            guard keys.includes(path), ParserLimits.takePlace() else { return }
            let place = text.trimmingWhitespace(range)
            guard let url = JSONScanner.decode(text, place) else { return }
            strings.append(
                MetadataString(
                    path: strings.shared(path),
                    range: start + place.lowerBound..<start + place.upperBound, url: url))
        }
        return isRead ? strings : nil
    }

    /// - Returns: The strings; nil if the block is not TOML.
    private func tomlStrings(_ keys: ImageKeys) -> [MetadataString]? {
        var strings: [MetadataString] = []
        let isRead = TOMLScanner.read(bytes, content) { path, string in
            guard keys.includes(path), ParserLimits.takePlace() else { return }
            let place = bytes.trimmingWhitespace(string.range)
            let text = UnsafeBytes(rebasing: bytes[place])
            let url = string.isLiteral ? Array(text) : StringEscapes.toml.decode(text)
            let isUncertain = url == nil || text.contains(where: \.isLineEnd)
            strings.append(
                MetadataString(
                    path: strings.shared(path), range: place, url: url ?? string.value,
                    isUncertain: isUncertain))
        }
        return isRead ? strings : nil
    }

    /// Adds a slot for each string that can be replaced, and a block for everything else.
    private func add(_ strings: [MetadataString], structure: Int, to findings: inout Findings) {
        var hasher = OutlineHasher()
        var (hashed, counted, line) = (0, 0, 1)
        for string in strings {
            let start = string.range.lowerBound
            if string.isUncertain {
                if string.isRemote {
                    let url = String(decoding: string.url, as: UTF8.self)
                    findings.problems.append(
                        DocumentProblem(offset: start, url: url, reason: .placeUncertain))
                }
                continue
            }
            line += bytes[counted..<start].count { $0 == .lineFeed }
            counted = start
            let isAdded = findings.addURL(
                string.url, at: string.range, .frontMatter(key: string.key),
                Notation(percentEncoding: .strict), line: line
            ) {
                $0.role = ImageKeys.role(of: string.path)
                $0.form = .rooted
            }
            guard isAdded else { continue }
            hasher.combine(bytes[hashed..<start])
            hasher.combineSlot()
            hashed = string.range.upperBound
        }
        hasher.combine(bytes[hashed..<end])
        hasher.combine(structure)
        findings.outline.blocks = hasher.finish()
    }
}

extension [MetadataString] {
    /// Returns `path`, sharing the storage of the previous string's path if they are equal.
    fileprivate func shared(_ path: [String]) -> [String] {
        last.map { $0.path == path ? $0.path : path } ?? path
    }
}
