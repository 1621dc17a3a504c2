import DocumentSyntax

/// The reference rules for an attribute name.
struct HTMLAttributeRules: Sendable {
    /// The indices of the rules in the rows of ``index``.
    private let range: Range<Int>

    /// - Parameters:
    ///   - written: The name as written, in upper or lower case.
    ///   - lazyAttributes: Additional attributes that scripts read URLs from, in lower case.
    init(_ written: UnsafeBytes, lazyAttributes: [String] = []) {
        // A template tag can precede the name directly: `{% if x %}src="a.png"`.
        var name = written
        while let brace = name.firstIndex(of: .closeBrace, from: 0) {
            name = UnsafeBytes(rebasing: name[(brace + 1)...])
        }
        let known = Self.index.range(of: name)
        guard !lazyAttributes.isEmpty,
            known.isEmpty || known.contains(where: { Self.index.rows[$0].isLazy })
        else {
            range = known
            return
        }
        let lowercased = name.lowercasedText
        guard lazyAttributes.contains(lowercased) else {
            range = known
            return
        }
        range = lowercased.hasSuffix("srcset") ? Self.index.namedSets : Self.index.named
    }

    /// Whether no rule applies to the name.
    var isEmpty: Bool { range.isEmpty }

    /// Whether the attribute is a control, such as `data-imgbake`.
    var isControl: Bool { first { $0.syntax == .control } != nil }

    /// Whether one of the rules is for an element with this name.
    ///
    /// Rules that need an option count only if it is on.
    func mayApply(to element: HTMLElementName, _ options: ExtractionOptions) -> Bool {
        guard !isEmpty else { return false }
        return Self.index.elements[range.lowerBound][options.number].contains(element)
    }

    /// The first rule that satisfies `fits`.
    func first(where fits: (ReferenceRule) -> Bool) -> ReferenceRule? {
        Self.index.rows[range].first(where: fits)
    }

    private static let index = Index()

    /// An index that finds the rows of a name without comparing it with all names.
    private struct Index: Sendable {
        /// The table with the rows of each attribute next to each other.
        let rows: [ReferenceRule]
        /// For each row, the elements of all rows with its name that count, for each
        /// ``ExtractionOptions/number``.
        let elements: [[ReferenceRule.Elements]]
        let named: Range<Int>
        let namedSets: Range<Int>
        /// The names by ``place(_:)``.
        private var names: [[(name: StaticString, rows: Range<Int>)]] = Array(
            repeating: [], count: 256)
        private var prefixes: [(name: StaticString, rows: Range<Int>)] = []

        init() {
            var rows: [ReferenceRule] = []
            var elements: [[ReferenceRule.Elements]] = []
            func add(_ rules: [ReferenceRule]) -> Range<Int> {
                let counted = ExtractionOptions.missingConditions.map { missing in
                    rules.filter { $0.condition.isDisjoint(with: missing) }
                        .reduce(into: ReferenceRule.Elements()) { $0.formUnion($1.elements) }
                }
                elements += repeatElement(counted, count: rules.count)
                rows += rules
                return rows.count - rules.count..<rows.count
            }
            let grouped = Dictionary(grouping: ReferenceRules.table) { "\($0.attribute)" }
            for rules in grouped.values {
                let name = rules[0].attribute
                let bytes = UnsafeBytes(start: name.utf8Start, count: name.utf8CodeUnitCount)
                if bytes.last == .asterisk {
                    prefixes.append((name, add(rules)))
                } else {
                    names[Self.place(bytes)].append((name, add(rules)))
                }
            }
            named = add(ReferenceRules.named)
            namedSets = add(ReferenceRules.namedSets)
            self.rows = rows
            self.elements = elements
        }

        private static func place(_ name: UnsafeBytes) -> Int {
            guard let first = name.first, let last = name.last else { return 0 }
            return (Int(first.lowercased) &* 37 &+ Int(last.lowercased) &* 11 &+ name.count) & 255
        }

        func range(of name: UnsafeBytes) -> Range<Int> {
            for known in names[Self.place(name)] where name.isWord(known.name) { return known.rows }
            for entry in prefixes where name.begins(with: entry.name) { return entry.rows }
            return 0..<0
        }
    }
}

extension ExtractionOptions {
    /// The number of the combination of the options that conditions of rules ask for.
    fileprivate var number: Int { (readsLinks ? 1 : 0) + (readsRequests ? 2 : 0) }

    /// The conditions that are not met, for each ``number``.
    fileprivate static let missingConditions: [ReferenceRule.Condition] = [
        [.readsLinks, .readsRequests], .readsRequests, .readsLinks, [],
    ]
}

extension UnsafeBytes {
    /// Whether the bytes match a pattern that ends with `*`: its text, alone or followed by a
    /// hyphen and more.
    fileprivate func begins(with pattern: StaticString) -> Bool {
        let length = pattern.utf8CodeUnitCount - 1
        guard count >= length, count == length || self[length] == .hyphen else { return false }
        return (0..<length).allSatisfy { self[$0].lowercased == pattern.utf8Start[$0] }
    }
}
