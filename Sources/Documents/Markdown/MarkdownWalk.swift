internal import CCmarkGFM
import DocumentSyntax
internal import Glibc

/// One pass over a Markdown tree that collects its slots.
struct MarkdownWalk {
    /// What a pass is for.
    enum Purpose {
        /// Finds the images of a document.
        case finding
        /// Also hashes the tree, to compare it with that of another document.
        case comparing
        /// Finds out where values are written, with tokens in the text.
        case probing(ProbeTokens)

        /// The tokens in the text.
        fileprivate var tokens: ProbeTokens? {
            if case .probing(let tokens) = self { tokens } else { nil }
        }
    }

    private(set) var slots: [MarkdownSlot] = []
    /// The URLs of links that contain a token.
    private(set) var tokenedLinks: [[UInt8]] = []
    /// The hashes of the tree; empty unless it is compared.
    private(set) var blocks: [Outline.Block] = []
    /// The controls in attributes.
    private(set) var controls: [ImageControl] = []
    /// The indices of the controls that cannot be removed.
    private(set) var fixedControls: Set<Int> = []

    /// The images in HTML and code blocks.
    private(set) var hidden: HiddenImages

    private var rules: HTMLRules
    private var isOff = false
    /// The comments that turn imgbake off and on, by line.
    private var toggleComments: [(line: Int, isOff: Bool)] = []
    private var isInPicture = false
    private var pictureControl: Int?
    /// The raw text elements without an end tag in the HTML that is read; later ones of the same
    /// name have none either.
    private var unclosed: Set<HTMLName> = []
    private var outside = TextOutsideHTML()
    private var hasher = OutlineHasher()
    /// The line on which the top-level block begins.
    private var line = 1
    private var tokenizer = HTMLTokenizer()
    private var hashes = false
    private var finds = false
    private var tokens: ProbeTokens?
    private var wasText = false

    /// Parses a text.
    ///
    /// - Parameters:
    ///   - text: The Markdown, without front matter.
    ///   - rules: The rules for HTML attributes that name images.
    ///   - purpose: What the pass is for.
    init?(
        parsing text: UnsafeBytes, rules: HTMLRules, purpose: Purpose = .finding
    ) {
        guard let tree = MarkdownTree(text) else { return nil }
        self.init(tree, of: text, rules: rules, purpose: purpose)
    }

    /// Passes over the tree of a text.
    init(
        _ tree: borrowing MarkdownTree, of text: UnsafeBytes, rules: HTMLRules, purpose: Purpose
    ) {
        hidden = HiddenImages(isMDX: rules.isJSX, dialect: rules.options.dialect)
        self.rules = rules
        tokens = purpose.tokens
        if case .comparing = purpose { hashes = true }
        if case .finding = purpose { finds = true }
        tokenizer = HTMLTokenizer(forHTMLIn: text, isJSX: rules.isJSX)
        var walk = self
        tree.forEach { node, type, isEntering in
            if isEntering { walk.enter(node, type) } else { walk.leave() }
        }
        self = walk
        if hashes { blocks = hasher.finish() }
        if !outside.isEmpty { addOutside(of: text, purpose) }
    }

    /// Adds the images in the text outside the HTML of HTML blocks.
    private mutating func addOutside(of text: UnsafeBytes, _ purpose: Purpose) {
        let walk = outside.markdown(of: text).withUnsafeBufferPointer {
            MarkdownWalk(parsing: $0, rules: rules, purpose: purpose)
        }
        guard var walk else { return }
        for index in walk.slots.indices {
            walk.slots[index].line = outside.line(walk.slots[index].line)
        }
        guard isLoose else { return hidden.add(walk) }
        slots += walk.slots
        tokenedLinks += walk.tokenedLinks
        blocks += walk.blocks.map { Outline.Block(hash: $0.hash, line: outside.line($0.line)) }
    }

    /// Whether the generator reads Markdown after the end of an element.
    private var isLoose: Bool { rules.options.dialect?.contains(.loose) == true }

    private mutating func enter(_ node: OpaquePointer, _ type: cmark_node_type) {
        if tokens == nil {
            if cmark_node_get_type(cmark_node_parent(node)) == CMARK_NODE_DOCUMENT {
                line = Int(cmark_node_get_start_line(node))
                if hashes { hasher.beginBlock(line: line) }
            }
            if hashes { hash(node, type) }
        }
        switch type {
        case CMARK_NODE_IMAGE where !finds || ParserLimits.takePlace(): addImage(node)
        case CMARK_NODE_LINK: addLink(node)
        case CMARK_NODE_HTML_BLOCK:
            if finds {
                hidden.add(
                    html: literal(node), line: Int(cmark_node_get_start_line(node)),
                    column: Int(cmark_node_get_start_column(node)))
            }
            addHTML(node, isBlock: true)
        case CMARK_NODE_HTML_INLINE: addHTML(node)
        case CMARK_NODE_CODE_BLOCK where isRawHTML(node): addHTML(node)
        case CMARK_NODE_CODE_BLOCK where finds && !isOff:
            if isFenced(node) {
                addFenced(node)
            } else {
                hidden.add(indented: literal(node), line: Int(cmark_node_get_start_line(node)))
            }
        case CMARK_NODE_FOOTNOTE_DEFINITION:
            // Footnote definitions are last in the tree, whatever their place in the text.
            let line = Int(cmark_node_get_start_line(node))
            isOff = toggleComments.last { $0.line < line }?.isOff ?? false
        default: break
        }
    }

    /// Adds the images in a fenced block that the generator reads in another language.
    private mutating func addFenced(_ node: OpaquePointer) {
        if RawBlock.begins(with: fenceInfo(node)) {
            hidden.add(
                UnreadImage.all(in: literal(node), .embedded),
                line: Int(cmark_node_get_start_line(node)))
        } else if fenceInfo(node).first == .openBrace {
            hidden.add(optionsIn: literal(node), line: Int(cmark_node_get_start_line(node)))
        }
    }

    /// Whether a node is a fenced block whose content pandoc writes to a page of HTML.
    private func isRawHTML(_ node: OpaquePointer) -> Bool { RawBlock.isHTML(fenceInfo(node)) }

    private func fenceInfo(_ node: OpaquePointer) -> UnsafeBytes {
        UnsafeBytes(cString: cmark_node_get_fence_info(node))
    }

    private mutating func leave() {
        guard tokens == nil else { return }
        wasText = false
        if hashes { hasher.combine(.end) }
    }

    private mutating func addImage(_ node: OpaquePointer) {
        slots.append(
            MarkdownSlot(
                content: .image,
                value: bytes(cmark_node_get_url(node)).map {
                    $0 == LooseImages.space ? .space : $0
                },
                title: bytes(cmark_node_get_title(node)), alt: text(in: node), line: line,
                isOff: isOff))
    }

    /// The text in a node without its markup.
    private func text(in node: OpaquePointer) -> String {
        guard let iterator = cmark_iter_new(node) else { return "" }
        defer { cmark_iter_free(iterator) }
        var text: [UInt8] = []
        while true {
            let event = cmark_iter_next(iterator)
            if event == CMARK_EVENT_DONE { return String(decoding: text, as: UTF8.self) }
            guard event == CMARK_EVENT_ENTER, let part = cmark_iter_get_node(iterator) else {
                continue
            }
            switch cmark_node_get_type(part) {
            case CMARK_NODE_TEXT, CMARK_NODE_CODE: text += literal(part)
            case CMARK_NODE_SOFTBREAK, CMARK_NODE_LINEBREAK: text.append(.space)
            default: break
            }
        }
    }

    private mutating func addLink(_ node: OpaquePointer) {
        guard rules.options.readsLinks || tokens != nil else { return }
        let url = bytes(cmark_node_get_url(node))
        if namesImage(url) {
            slots.append(
                MarkdownSlot(
                    content: .link, value: url, title: bytes(cmark_node_get_title(node)),
                    line: line, isOff: isOff))
        } else if let tokens, let text = cmark_node_get_url(node), tokens.isPrefix(of: text) {
            tokenedLinks.append(url)
        }
    }

    /// Whether links are read and the URL, without tokens, has an image extension.
    private func namesImage(_ url: [UInt8]) -> Bool {
        guard rules.options.readsLinks else { return false }
        return (tokens?.read(url).text ?? url).withUnsafeBufferPointer(hasImageExtension)
    }

    /// Collects the values that may contain URLs and hashes the rest.
    private mutating func addHTML(_ node: OpaquePointer, isBlock: Bool = false) {
        let text = literal(node)
        var position = 0
        var hashed = 0
        let hasImages =
            isBlock && !isOff && (isLoose || finds) && !rules.isJSX && text.containsExactly("![")
        if hasImages { outside.begin(text, line: Int(cmark_node_get_start_line(node))) }
        unclosed = []
        var start = 0
        while let token = tokenizer.next(in: text, from: &position) {
            defer { start = position }
            if hasImages, !isOff, outside.add(token, start..<position, of: text) {
                hash(text[hashed..<start])
                hashed = position
            }
            switch token {
            case .text, .cdata, .doctype, .declaration: break
            case .comment(let range):
                guard let off = ToggleComments.isOff(UnsafeBytes(rebasing: text[range])) else {
                    continue
                }
                isOff = off
                toggleComments.append((Int(cmark_node_get_start_line(node)), off))
            case .tag(let tag):
                let view = HTMLTagView(
                    tag, tokenizer.attributes, in: text, isInPicture: isInPicture,
                    isJSX: rules.isJSX)
                if view.name == .picture { (isInPicture, pictureControl) = (!tag.isEnd, nil) }
                if !tag.isEnd { add(view, hashed: &hashed) }
                if finds, !isOff { hidden.add(view.unreadImages(by: rules), line: line) }
            }
        }
        hash(text[hashed...])
        if hashes { hasher.combine(.htmlEnd) }
    }

    /// The source text of HTML or code.
    private func literal(_ node: OpaquePointer) -> UnsafeBytes {
        UnsafeBytes(cString: cmark_node_get_literal(node))
    }

    private func isFenced(_ node: OpaquePointer) -> Bool {
        var length: CInt = 0
        var offset: CInt = 0
        var character: CChar = 0
        return cmark_node_get_fenced(node, &length, &offset, &character) != 0
    }

    private mutating func add(_ view: HTMLTagView, hashed: inout Int) {
        let first = slots.count
        var control: ImageControl?
        for (attribute, value) in view.values(by: rules) {
            // The quotation marks are not hashed, so that a rewrite may add them.
            let outer = attribute.quote == .none ? 0 : 1
            if value == .control {
                control = control ?? ImageControl()
                control?.read(
                    UnsafeBytes(rebasing: view.bytes[attribute.name]),
                    UnsafeBytes(rebasing: view.bytes[attribute.value]))
                let whole = attribute.name.lowerBound..<attribute.value.upperBound + outer
                hash(view.bytes[hashed..<view.bytes.includingWhitespaceBefore(whole).lowerBound])
            } else {
                hash(view.bytes[hashed..<attribute.value.lowerBound - outer])
                if hashes { hasher.combineSlot() }
            }
            hashed = attribute.value.upperBound + outer
            addSlot(.html(value, quote: attribute.quote), view.bytes.copy(attribute.value))
        }
        addText(of: view, hashed: &hashed)
        add(control, of: view, slots: first..<slots.count)
        let fixed = view.fixedProperties(by: rules)
        for slot in first..<slots.count { slots[slot].fixed = fixed }
    }

    /// Adds the text of a `<style>` or JSON-LD that has an end, and the images that a script names.
    private mutating func addText(of view: HTMLTagView, hashed: inout Int) {
        let value = view.textValue(by: rules)
        guard value != nil || view.name == .script && finds && !isOff,
            !unclosed.contains(view.tag.element)
        else { return }
        let (range, isClosed) = view.rawText
        if !isClosed { unclosed.insert(view.tag.element) }
        guard let value else {
            let script = UnsafeBytes(rebasing: view.bytes[range])
            return hidden.add(UnreadImage.all(in: script, .script), line: line)
        }
        guard isClosed else { return }
        hash(view.bytes[hashed..<range.lowerBound])
        if hashes { hasher.combineSlot() }
        hashed = range.upperBound
        addSlot(.html(value, quote: .none), view.bytes.copy(range))
    }

    private mutating func hash(_ text: Slice<UnsafeBytes>) {
        if hashes { hasher.combine(text) }
    }

    private mutating func addSlot(_ content: MarkdownSlot.Content, _ value: [UInt8]) {
        slots.append(
            MarkdownSlot(content: content, value: value, line: line, isOff: isOff))
    }

    /// Assigns an element's control, or that of the enclosing `<picture>`, to its slots.
    private mutating func add(
        _ control: ImageControl?, of view: HTMLTagView, slots range: Range<Int>
    ) {
        var index = isInPicture ? pictureControl : nil
        if let control {
            index = controls.count
            if view.hasRepeatedControl { fixedControls.insert(controls.count) }
            controls.append(control)
            if view.name == .picture { pictureControl = index }
        }
        for slot in range { slots[slot].control = index }
    }

    private func bytes(_ text: UnsafePointer<CChar>?) -> [UInt8] {
        Array(UnsafeBytes(cString: text))
    }
}

extension MarkdownWalk {
    /// Hashes the properties of a node, except for an image's URL and HTML.
    private mutating func hash(_ node: OpaquePointer, _ type: cmark_node_type) {
        // cmark may split a text into any number of nodes.
        if type != CMARK_NODE_TEXT || !wasText { hasher.combine(Int(type.rawValue)) }
        wasText = type == CMARK_NODE_TEXT
        switch type {
        case CMARK_NODE_TEXT:
            hasher.combineText(cmark_node_get_literal(node))
        case CMARK_NODE_CODE, CMARK_NODE_FOOTNOTE_REFERENCE, CMARK_NODE_FOOTNOTE_DEFINITION:
            hasher.combine(cmark_node_get_literal(node))
        case CMARK_NODE_CODE_BLOCK:
            hasher.combine(cmark_node_get_fence_info(node))
            if !isRawHTML(node) { hasher.combine(cmark_node_get_literal(node)) }
        case CMARK_NODE_HEADING: hasher.combine(Int(cmark_node_get_heading_level(node)))
        case CMARK_NODE_LIST:
            hasher.combine(Int(cmark_node_get_list_type(node).rawValue))
            hasher.combine(Int(cmark_node_get_list_delim(node).rawValue))
            hasher.combine(Int(cmark_node_get_list_start(node)))
            hasher.combine(Int(cmark_node_get_list_tight(node)))
        case CMARK_NODE_ITEM:
            hasher.combine(cmark_node_get_type_string(node))
            hasher.combine(cmark_gfm_extensions_get_tasklist_item_checked(node) ? 1 : 0)
        case CMARK_NODE_LINK:
            if rules.options.readsLinks, namesImage(bytes(cmark_node_get_url(node))) {
                hasher.combineSlot()
            } else {
                hasher.combine(cmark_node_get_url(node))
            }
            hasher.combine(cmark_node_get_title(node))
        case CMARK_NODE_IMAGE: hasher.combine(cmark_node_get_title(node))
        default: hashAlignments(node, type)
        }
    }

    private mutating func hashAlignments(_ node: OpaquePointer, _ type: cmark_node_type) {
        let isOfExtension = type.rawValue & UInt32(CMARK_NODE_VALUE_MASK) > 0xB
        guard isOfExtension, strcmp(cmark_node_get_type_string(node), "table") == 0 else { return }
        let columns = Int(cmark_gfm_extensions_get_table_columns(node))
        hasher.combine(columns)
        guard let alignments = cmark_gfm_extensions_get_table_alignments(node) else { return }
        hasher.combine(UnsafeBytes(start: alignments, count: columns))
    }
}
