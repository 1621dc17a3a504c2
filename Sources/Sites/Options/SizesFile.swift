package import Documents
import FetchCache
import FoundationEssentials
import Records
package import Reports
import StyleSizing

/// The measured widths of the images of a site: the file `imgbake.sizes.json`.
///
/// ```text
/// {"imgbake-sizes":1}
/// {"error":0.2,"inset":0,"place":"body > main > p > img","sizes":"(min-width: 900px) 700px, 100vw","stretches":false}
/// ```
///
/// `imgbake measure` writes it, with one line for each group, sorted by their places; see
/// ``LineFile``. A bake reads it, and needs no browser.
package struct SizesFile: Equatable, Sendable {
    /// The images that stand in the same place of their pages.
    package struct Group: Codable, Equatable, Sendable {
        /// See ``ImagePlace``.
        package var place: String
        package var widths: WidthPieces
        /// Whether images are shown wider than they are.
        ///
        /// If not, an image is never wider than its attribute `width`, or than its file.
        package var stretches: Bool
        /// The padding and border, in pixels, that are part of a width that an attribute states.
        package var inset: Double
        /// The ratio of the boxes that all images of the group cover, in all windows; nil if one does
        /// not, or if the ratios differ.
        package var cover: Double?
        /// The largest difference between the width and that of an image of the group, in percent.
        package var error: Double

        private enum CodingKeys: String, CodingKey {
            case place, widths = "sizes", stretches, inset, cover, error
        }

        package init(
            place: String, widths: WidthPieces, stretches: Bool, inset: Double = 0,
            cover: Double? = nil, error: Double
        ) {
            self.place = place
            self.widths = widths
            self.stretches = stretches
            self.inset = inset
            self.cover = cover
            self.error = error
        }

        /// The width of an image in a window.
        ///
        /// - Parameters:
        ///   - window: The width of the window in pixels.
        ///   - natural: The width in pixels that the image has where nothing changes it.
        /// - Returns: The width in pixels.
        package func width(in window: Double, natural: Double) -> Double {
            let width = widths.width(in: window)
            return stretches ? width : min(width, natural)
        }

        /// Whether the width is near enough to that of each image to be relied on.
        package var isEven: Bool { error <= 5 }
    }

    /// The usual name of the file.
    package static let name = "imgbake.sizes.json"
    /// The largest number of groups.
    package static let mostGroups = 5_000

    /// Sorted by their places, of which each is the place of one group.
    package let groups: [Group]
    private let indices: [String: Int]

    package init(_ groups: [Group]) {
        let sorted = groups.sorted { $0.place < $1.place }
        self.groups = sorted
        indices = Dictionary(sorted.enumerated().map { ($1.place, $0) }) { first, _ in first }
    }

    /// The number of the group with a place in ``groups``; nil if there is none.
    package func index(of place: String) -> Int? { indices[place] }
}

extension SizesFile.Group {
    /// Whether a file can state the group; the text of a file may be anything.
    package var isPossible: Bool {
        (0...1_000_000).contains(error) && (0...10_000).contains(inset)
            && cover.map { $0.isFinite } ?? true
            && WidthPieces(widths.text) != nil && ImagePlace.isPossible(place)
    }
}

extension SizesFile: Encodable {
    /// A digest: a change of the file changes the keys of all documents.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(BlobDigest(hashing: bytes).hex)
    }
}

extension SizesFile {
    private static let form = LineFile(
        heading: "imgbake-sizes", code: .invalidSizes,
        remedy: "restore the file from version control, or run 'imgbake measure'")

    /// The file; equal groups give equal bytes.
    package var bytes: [UInt8] { Self.form.encoded(groups.map { canonicalText(of: $0) }) }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - name: The path in messages.
    /// - Returns: The content; nil if there is no file.
    /// - Throws: ``FatalProblem`` with the place of what cannot be used.
    package static func read(
        _ path: String, named name: String
    ) throws(FatalProblem) -> SizesFile? {
        try CommittedFile(path: path, name: name).read(SizesFile.init(parsing:))?.content
    }

    /// Writes the file.
    ///
    /// - Throws: ``FatalProblem``; an older file is then as it was.
    package func write(_ path: String, named name: String) throws(FatalProblem) {
        try CommittedFile(path: path, name: name).write(bytes)
    }

    /// Reads the text of a file; the order of its lines does not matter.
    ///
    /// - Throws: ``LineProblem``.
    init(parsing bytes: [UInt8]) throws(LineProblem) {
        let lines = try Self.form.lines(of: bytes)
        guard lines.count <= Self.mostGroups else {
            throw Self.form.problem(1, "there are more than \(Self.mostGroups) groups")
        }
        var groups: [Group] = []
        var seen: Set<String> = []
        for (line, text) in lines {
            guard let group = try? JSONDecoder().decode(Group.self, from: Data(text)),
                group.isPossible
            else { throw Self.form.problem(line, "this is not a group of measured images") }
            guard seen.insert(group.place).inserted else {
                throw Self.form.problem(line, "this place occurs twice")
            }
            groups.append(group)
        }
        self.init(groups)
    }
}

/// The place of an image in its page, by which images are grouped: the names and classes of its
/// element and of the elements around it, as in `body > main.post > p > img`.
package enum ImagePlace {
    /// The size of the longest place, in bytes.
    private static let longest = 1_000

    /// The place of an element; nil if its width is written in the page, or if it is too long.
    package static func text(of element: ImageElement) -> String? {
        if element.attributes.sizes != nil { return nil }
        var steps: [String] = []
        for styled in sequence(first: element.styled, next: \.parent) where styled.name != "html" {
            steps.append(step(styled))
        }
        // An attribute with a percentage is a width of its own.
        if let width = element.attributes.width, width.hasSuffix("%") {
            steps[0] += "[width=\(width)]"
        }
        let text = steps.reversed().joined(separator: " > ")
        return isPossible(text) ? text : nil
    }

    private static func step(_ element: StyledElement) -> String {
        var classes = element.classes.sorted()
        // It says nothing about the place.
        classes.removeAll { AddedSheet.isColourClass($0.utf8) }
        // Many generators write the number or the name of the page there.
        if element.name == "body" {
            classes.removeAll { $0.contains(where: \.isNumber) }
        }
        let style = element.sizingStyle.map { "[style=\($0)]" } ?? ""
        return ([element.name] + classes).joined(separator: ".") + style
    }

    /// Whether a file may contain a place; its text may be anything.
    static func isPossible(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= longest && printable(text) == text
            && !text.contains("\"")
    }
}
