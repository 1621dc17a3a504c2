import DocumentSyntax

/// A link to ``AddedSheet``, in the one form in which a rewrite adds it: at the end of the head.
enum AddedLink {
    /// What follows the link.
    fileprivate static let headEnd: StaticString = "</head>"

    /// The tag of a link.
    static func tag(_ url: String) -> NewTag {
        NewTag(
            name: "link",
            attributes: [NewAttribute("rel", "stylesheet"), NewAttribute("href", url: url)])
    }

    /// The URL of the link that a tag is, as it is written; nil for another tag.
    static func url(of tag: HTMLTag, in bytes: UnsafeBytes) -> String? {
        let start: StaticString = "<link rel=\"stylesheet\" href=\""
        guard bytes.matches(start, at: tag.range.lowerBound),
            bytes.matches(headEnd, at: tag.range.upperBound)
        else { return nil }
        let text = String(decoding: bytes[tag.range], as: UTF8.self)
        let form = /<link rel="stylesheet" href="([^"]*imgbake-[0-9a-fA-F]{16}\.css)">/
        return text.wholeMatch(of: form).map { String($0.1) }
    }
}

/// The end tag of a page's head, before which a rewrite can link to a style sheet.
package struct HeadEnd: Sendable {
    /// Its offset.
    package internal(set) var offset: Int
    /// The style sheet that a rewrite has linked to there, as it is written; nil if there is none.
    package let sheet: String?
}

// The walk over the end of the head.
extension HTMLWalk {
    /// Whether the next tag stands in the head itself, and a link in front of it would too.
    private var isInHead: Bool { tree.open.isLast(.head) }

    /// Whether a tag ends the head, before tree construction reads it.
    // Inlined, because a call would copy the walk.
    @inline(__always)
    func isEndOfHead(_ tag: HTMLTag) -> Bool {
        isDescribed && tag.element == .head && isInHead
            && bytes.matches(AddedLink.headEnd, at: tag.range.lowerBound)
    }

    /// Notes a link that a rewrite has added.
    ///
    /// - Returns: false if the tag is another one.
    mutating func noteAddedLink(_ tag: HTMLTag) -> Bool {
        guard isInHead, let url = AddedLink.url(of: tag, in: bytes) else { return false }
        linkedSheet = url
        return true
    }
}

extension RewritePlan {
    /// Links to a style sheet, unless an earlier rewrite has done so.
    ///
    /// The link is an edit of its own: as a part of those of the images, it would tie them together,
    /// and none of them could be undone once one was edited.
    mutating func addLink(to sheet: String, at head: HeadEnd) {
        if head.sheet != nil { return }
        let tag = AddedLink.tag(sheet)
        let node = builder.makeNode()
        builder.add(Splice(range: head.offset..<head.offset, text: tag.text), to: node)
        builder.add(smaller: [sheet], to: node)
        newLink = [tag]
    }
}
