/// What was found in a document.
///
/// It also remembers what the parser saw, so that ``rewrite(_:extraction:replacements:)`` can tell
/// whether it sees the same afterwards.
package struct Extraction: Sendable {
    package let kind: DocumentKind
    /// Every reference of the covered kinds, whatever its URL, in the order of the document; no two
    /// overlap.
    package let references: [Reference]
    /// What was left, in the order of the document.
    package let refusals: [Refusal]
    /// The `href` of an HTML document's first `<base>` that has one.
    package let baseHref: String?

    /// How many bytes the document has.
    let byteCount: Int
    let outline: Outline
    /// How to write at each of `references`.
    let sites: [Site]

    init(
        kind: DocumentKind, byteCount: Int, found: [Located] = [], refusals: [Refusal] = [],
        outline: Outline = Outline(), baseHref: String? = nil
    ) {
        let located = Located.merged(found)
        self.kind = kind
        self.byteCount = byteCount
        self.references = located.map(\.reference)
        self.sites = located.map(\.site)
        self.refusals = refusals.sorted { $0.offset < $1.offset }
        self.outline = outline
        self.baseHref = baseHref
    }
}
