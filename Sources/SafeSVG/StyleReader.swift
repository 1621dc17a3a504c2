import CSSSyntax

/// Reads CSS in an SVG token by token, and finds everything that could load something.
///
/// A URL may name a part of the file only where CSS takes an element, such as in `fill`. Elsewhere,
/// such as in `background`, a browser would request the file itself as a picture.
struct StyleReader {
    /// The place of the CSS.
    enum Place {
        /// The content of a `<style>` element.
        case sheet
        /// The value of a `style` attribute.
        case declarations
        /// The value of an attribute, or of an animation of one, with its name.
        case property(String)
    }

    /// A reference to an element of the file.
    struct Use {
        let property: String
        let target: [UInt8]
        /// The elements that it can apply to; nil for the one with the attribute.
        let selectors: [StyleSelector]?
    }

    private let place: Place
    private let bytes: [UInt8]
    private var tokenizer: CSSTokenizer
    private var context = StyleContext()
    private var functions: [Function] = []
    /// The at-rule that is left out, from its `@`.
    private var removal: (start: Int, depth: Int)?
    private var edits: [(range: Range<Int>, bytes: [UInt8])] = []
    /// A phrase that names the first unsafe part; nil if there is none.
    private(set) var objection: String?
    private(set) var uses: [Use] = []
    private(set) var urlCount = 0

    private struct Function {
        enum Kind { case url(judged: Bool), forbidden, other }
        var kind: Kind
        let start: Int
        var edit: [UInt8]?
    }

    init(_ bytes: [UInt8], _ place: Place) {
        self.bytes = bytes
        self.place = place
        tokenizer = CSSTokenizer(bytes)
        while let token = tokenizer.next() { read(token) }
        closeFunctions(downTo: 0, at: bytes.count)
        if let removal { edits.append((removal.start..<bytes.count, [])) }
    }

    /// Reads CSS twice if it has to be rewritten: the result must be safe.
    ///
    /// - Parameters:
    ///   - bytes: The CSS.
    ///   - place: Its place.
    ///   - name: The name of the place, for messages.
    /// - Returns: The reader of what is published, and the verdict.
    static func judged(
        _ bytes: [UInt8], _ place: Place, in name: String
    ) -> (reader: StyleReader, verdict: SVGExaminer.Verdict) {
        let reader = StyleReader(bytes, place)
        guard let rewritten = reader.rewritten ?? (reader.objection == nil ? nil : []) else {
            return (reader, .keep)
        }
        let what = reader.objection.map { "\($0) in \(name)" }
        let second = StyleReader(rewritten, place)
        let isClean = second.rewritten == nil && second.objection == nil
        guard isClean, !rewritten.isEmpty || bytes.isEmpty || what == nil else {
            return (second, .remove(what: what ?? "an unclear \(name)"))
        }
        return (second, .replace(rewritten, what: what))
    }

    /// The CSS in the form to publish; nil if it is the CSS as it is.
    var rewritten: [UInt8]? {
        guard !edits.isEmpty else { return nil }
        var result: [UInt8] = []
        var position = 0
        for edit in edits {
            result += bytes[position..<edit.range.lowerBound] + edit.bytes
            position = edit.range.upperBound
        }
        return result + bytes[position...]
    }

    // MARK: - Tokens

    private mutating func read(_ token: CSSToken) {
        checkFunctionName(of: token)
        if case .delimiter(let byte) = token.kind {
            readDelimiter(byte, token.range)
            return
        }
        guard removal == nil else { return track(token) }
        switch token.kind {
        case .atKeyword: readRule(token)
        case .function: open(token)
        case .url: judgeBareURL(token)
        case .brokenURL: object("a broken url()", replacing: token.range)
        case .string: judgeString(token)
        case .brokenString where isInURL: object("a broken url()")
        default: if functions.isEmpty { readSelector(token) }
        }
    }

    private mutating func readSelector(_ token: CSSToken) {
        switch token.kind {
        case .identifier:
            context.read(
                identifier: tokenizer.name(of: token), tokenizer.content(of: token))
        case .hash: context.read(hash: tokenizer.content(of: token))
        case .space: context.readSpace()
        default: break
        }
    }

    /// Counts only parentheses while an at-rule is left out.
    private mutating func track(_ token: CSSToken) {
        guard token.kind == .function else { return }
        functions.append(Function(kind: .other, start: token.range.lowerBound))
    }

    private mutating func readDelimiter(_ byte: UInt8, _ range: Range<Int>) {
        switch byte {
        case UInt8(ascii: "("), UInt8(ascii: "["):
            functions.append(Function(kind: .other, start: range.lowerBound))
        case UInt8(ascii: ")"), UInt8(ascii: "]"):
            if !functions.isEmpty {
                closeFunctions(downTo: functions.count - 1, at: range.upperBound)
            }
        case UInt8(ascii: "{"):
            closeFunctions(downTo: 0, at: range.lowerBound)
            context.openBlock(isRemoved: removal != nil)
        case UInt8(ascii: "}"):
            closeFunctions(downTo: 0, at: range.lowerBound)
            closeBlock(range)
        case UInt8(ascii: ";") where functions.isEmpty: endStatement(range)
        default:
            if removal == nil, functions.isEmpty { context.read(delimiter: byte) }
        }
    }

    private mutating func closeBlock(_ range: Range<Int>) {
        if let removal, context.depth <= removal.depth {
            // The block around the at-rule ends before it has a block or a semicolon.
            edits.append((removal.start..<range.lowerBound, []))
            self.removal = nil
        }
        context.closeBlock()
        if let removal, context.depth == removal.depth {
            edits.append((removal.start..<range.upperBound, []))
            self.removal = nil
        }
    }

    private mutating func endStatement(_ range: Range<Int>) {
        if let removal {
            guard context.depth == removal.depth else { return }
            edits.append((removal.start..<range.upperBound, []))
            self.removal = nil
        }
        context.endStatement()
    }

    // MARK: - Rules and functions

    private mutating func readRule(_ token: CSSToken) {
        if case .property = place { return }
        let name = tokenizer.name(of: token)
        if case .sheet = place, StyleTables.rules.contains(name) {
            context.enterRule(name)
            return
        }
        object(name == "import" ? "an @import" : "an @-rule of another kind")
        removal = (token.range.lowerBound, context.depth)
        functions.removeAll()
    }

    /// Objects to a name before `(` that an older tokenizer would read as the end of another.
    ///
    /// Drafts of CSS Syntax differ in the characters of a name that are not ASCII.
    private mutating func checkFunctionName(of token: CSSToken) {
        guard token.range.upperBound < bytes.count || token.kind == .function else { return }
        let isBeforeParenthesis =
            token.kind == .function || bytes[token.range.upperBound] == UInt8(ascii: "(")
        guard isBeforeParenthesis, [.function, .hash, .number, .atKeyword].contains(token.kind),
            !bytes[token.content].allSatisfy({ $0 < 0x80 })
        else { return }
        let end = String(
            decoding: tokenizer.content(of: token).suffix(while: { $0 < 0x80 }), as: UTF8.self
        ).localName
        if end == "url" || StyleTables.loading.contains(end) {
            object("an unclear \(end)()")
        }
    }

    private mutating func open(_ token: CSSToken) {
        let name = tokenizer.name(of: token)
        let start = token.range.lowerBound
        if name == "url" {
            functions.append(Function(kind: .url(judged: false), start: start))
        } else if StyleTables.loading.contains(name) {
            object("\("aei".contains(name.prefix(1)) ? "an" : "a") \(name)()")
            functions.append(Function(kind: .forbidden, start: start, edit: replacement))
        } else {
            functions.append(Function(kind: .other, start: start))
        }
    }

    private mutating func closeFunctions(downTo count: Int, at end: Int) {
        while functions.count > count, let last = functions.popLast() {
            guard let edit = last.edit else { continue }
            while let inner = edits.last, inner.range.lowerBound >= last.start {
                edits.removeLast()
            }
            edits.append((last.start..<end, edit))
        }
    }

    private mutating func object(_ what: String, replacing range: Range<Int>? = nil) {
        if objection == nil { objection = what }
        if let range { edits.append((range, replacement)) }
    }

    // MARK: - URLs

    private var isInURL: Bool {
        if case .url(judged: false) = functions.last?.kind { true } else { false }
    }

    private mutating func judgeBareURL(_ token: CSSToken) {
        if let bytes = judged(tokenizer.content(of: token)) { edits.append((token.range, bytes)) }
    }

    private mutating func judgeString(_ token: CSSToken) {
        guard isInURL else { return }
        let edit = judged(tokenizer.content(of: token))
        functions[functions.count - 1].kind = .url(judged: true)
        functions[functions.count - 1].edit = edit
    }

    /// The `url()` to write instead of the one with `url`; nil if that may stay.
    private mutating func judged(_ url: [UInt8]) -> [UInt8]? {
        urlCount += 1
        // Only a namespace is named in this way; nothing is loaded.
        if context.isNaming { return nil }
        let reference = SVGReference(url)
        switch reference.target {
        case .fragment(let name):
            if url.isEmpty { return nil }
            guard takesElement else {
                object("a reference to the file itself by url()")
                return replacement
            }
            uses.append(Use(property: property, target: name, selectors: selectors))
            return reference.canonical == url ? nil : replacement
        case .data(let data) where data.content != .drawing:
            return reference.canonical == url
                ? nil : Array("url(".utf8) + reference.canonical + [UInt8(ascii: ")")]
        case .data:
            object("embedded data of type image/svg+xml by url()")
        case .outside(let what):
            if url.elementsEqual("data:,".utf8) { return nil }
            object("\(what) by url()")
        }
        return replacement
    }

    /// The property whose value is read.
    private var property: String {
        if case .property(let name) = place { name } else { context.property }
    }

    private var selectors: [StyleSelector]? {
        if case .sheet = place { context.selectors } else { nil }
    }

    /// Whether a URL here can name an element of the file.
    ///
    /// Of the attributes that are properties, only `cursor` takes a picture.
    private var takesElement: Bool {
        if case .property(let name) = place { return name != "cursor" }
        return !context.isInFontFace && StyleTables.takingElements.contains(property)
    }

    /// The text for a URL that may not stay.
    ///
    /// It loads nothing and fails like the URL, so every fallback in the same value still applies.
    private var replacement: [UInt8] { Array((takesElement ? "url(#)" : "url(data:,)").utf8) }
}

extension [UInt8] {
    fileprivate func suffix(while isIncluded: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        self[((lastIndex { !isIncluded($0) }).map { $0 + 1 } ?? 0)...]
    }
}
