import CSSSyntax
import DocumentSyntax

/// The values of a document that may change, and what must not change.
///
/// If nothing but values changes in the tokens of a document, its tree stays the same. So a rewrite
/// is verified by its ``Parts``: the bytes between them are the same, and each is again the same
/// token, with the planned values. Markdown has no tokens that stand for themselves; there, the trees
/// of the text before and after the rewrite are compared, by their ``Block``s.
struct Outline: Sendable {
    /// A part of the tree of a Markdown text without its slots.
    struct Block: Sendable {
        /// The hash of everything in the block except its slots.
        ///
        /// `Hasher` uses a new random key in each process, so a document cannot be constructed to
        /// collide.
        var hash: Int
        /// The line on which the block begins, counted from 1.
        var line: Int
    }

    /// A value that may contain URLs.
    ///
    /// Slots are in the order of the document, or of the tree.
    struct Slot: Sendable {
        /// The decoded value.
        var value: [UInt8]
        /// The URLs in the value, in order.
        var pieces: [Piece]
        /// The line on which its block begins, in Markdown.
        var line = 0
        /// How the value is read; nil if it is one URL.
        var content: HTMLValue?
        /// The offset of the value, if it is an attribute of HTML.
        var start = -1
    }

    /// One URL in a slot.
    struct Piece: Sendable {
        /// The range in the slot's value.
        var range: Range<Int>
        /// The URL; nil if it is the text at `range`.
        var url: String?

        /// The URL, as a piece of this value.
        func url(in value: [UInt8]) -> String {
            url ?? String(decoding: value[range], as: UTF8.self)
        }
    }

    /// The index of a piece and of its slot.
    struct PieceIndex: Sendable {
        var slot: Int
        var piece: Int
    }

    /// The blocks of Markdown and of front matter.
    var blocks: [Block] = []
    var slots: [Slot] = []
    /// The lengths of texts of flight data, by their rows.
    var lengths: [Int: FlightLength] = [:]
    /// The tokens with slots; nil if only the whole text can be compared.
    var parts: Parts?

    /// Adds the blocks and the slots of a part of the document.
    mutating func append(_ part: Outline) {
        blocks += part.blocks
        slots += part.slots
    }

    /// The parts of a document that contain its slots, in order.
    enum Parts: Sendable {
        /// The parts of HTML that begins at `start`; the slots before `firstSlot` are those of the
        /// front matter.
        case html([HTMLPart], start: Int, firstSlot: Int)
        /// The token of each slot.
        case css([CSSToken])
        case texts([TextPart])
    }
}

/// Hashes the parts of a tree, block by block.
struct OutlineHasher {
    private(set) var blocks: [Outline.Block] = []
    private var hasher = Hasher()
    private(set) var line = 1

    /// Ends the block and begins a new one at `line`.
    mutating func beginBlock(line: Int) {
        blocks.append(Outline.Block(hash: hasher.finalize(), line: self.line))
        hasher = Hasher()
        self.line = line
    }

    /// Ends the last block and returns all blocks.
    consuming func finish() -> [Outline.Block] {
        beginBlock(line: line)
        return blocks
    }

    /// A separator between the parts of a tree.
    enum Mark: UInt8 { case slot, end, missing, htmlEnd, number }

    /// Combines a mark, preceded by a byte that does not occur in UTF-8.
    mutating func combine(_ mark: Mark) {
        hasher.combine(0xFF as UInt8)
        hasher.combine(mark.rawValue)
    }

    mutating func combine(_ value: Int) {
        combine(.number)
        hasher.combine(value)
    }

    /// Marks the place of a slot.
    mutating func combineSlot() { combine(.slot) }

    mutating func combine(_ bytes: UnsafeBytes) {
        hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
    }

    mutating func combine(_ bytes: Slice<UnsafeBytes>) { combine(UnsafeBytes(rebasing: bytes)) }

    /// Combines a C string and its terminator, so that adjacent strings cannot be confused.
    ///
    /// A null pointer differs from an empty string.
    mutating func combine(_ text: UnsafePointer<CChar>?) {
        guard let text else { return combine(.missing) }
        combineText(text)
        hasher.combine(0 as UInt8)
    }

    /// Combines a C string without its terminator.
    mutating func combineText(_ text: UnsafePointer<CChar>?) {
        combine(UnsafeBytes(cString: text))
    }
}
