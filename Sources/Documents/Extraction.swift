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
    /// What cannot be read at all, but is most likely the URL of an image, in the order of the document;
    /// no reference and no refusal.
    package let unread: [UnreadURLs]
    /// The `href` of an HTML document's first `<base>` that has one.
    package let baseHref: String?

    /// What the document asks of some of its images.
    package var controls: [ImageControl] { locatedControls.map(\.control) }

    let options: ExtractionOptions
    /// How many bytes the document has.
    let byteCount: Int
    let outline: Outline
    /// How to write at each of `references`.
    let sites: [Site]
    let locatedControls: [LocatedControl]

    init(
        _ findings: Findings, kind: DocumentKind, options: ExtractionOptions, byteCount: Int
    ) {
        var refusals = findings.refusals
        let located = Located.merged(findings.located, refusals: &refusals)
        self.kind = kind
        self.options = options
        self.byteCount = byteCount
        references = located.map(\.reference)
        sites = located.map(\.site)
        self.refusals = refusals.sorted { $0.offset < $1.offset }
        unread = findings.unread.sorted { $0.offset < $1.offset }
        outline = findings.outline
        locatedControls = findings.controls
        baseHref = findings.baseHref
    }
}
