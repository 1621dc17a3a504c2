package import Documents
import FetchCache
import FoundationEssentials
package import Reports
import StyleSizing

/// The measured widths of the images of a site: the file `imgbake.sizes.json`.
///
/// ```text
/// {
///   "imgbake-sizes": 1,
///   "groups": [
///     {"place": "body > main > p > img", "sizes": "(min-width: 900px) 700px, calc(100vw - 40px)", "stretches": false, "inset": 0.0, "error": 0.2}
///   ]
/// }
/// ```
///
/// `imgbake measure` writes it, with one line for each group, sorted by their places. A bake reads
/// it, and needs no browser.
package struct SizesFile: Equatable, Sendable {
    /// The images that stand in the same place of their pages.
    package struct Group: Equatable, Sendable {
        /// See ``ImagePlace``.
        package var place: String
        package var widths: WidthPieces
        /// Whether images are shown wider than they are.
        ///
        /// If not, an image is never wider than its attribute `width`, or than its file.
        package var stretches: Bool
        /// The padding and border, in pixels, that are part of a width that an attribute states.
        package var inset: Double
        /// The largest difference between the width and that of an image of the group, in percent.
        package var error: Double

        package init(
            place: String, widths: WidthPieces, stretches: Bool, inset: Double = 0, error: Double
        ) {
            self.place = place
            self.widths = widths
            self.stretches = stretches
            self.inset = inset
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
    /// The size of the largest file that is read, in bytes.
    static let largest = 8 << 20
    /// The largest number of groups.
    package static let mostGroups = 5_000
    private static let version = 1

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
    fileprivate static let errors = 0.0...1_000_000
    fileprivate static let insets = 0.0...10_000

    /// Whether a file can state the group.
    package var canBeWritten: Bool {
        Self.errors.contains(error) && Self.insets.contains(inset)
            && WidthPieces(widths.text) != nil
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
    /// The file; equal groups give equal bytes.
    package var bytes: [UInt8] {
        let lines = groups.map { group in
            "    {\"place\": \(jsonText(group.place)), \"sizes\": \(jsonText(group.widths.text)), "
                + "\"stretches\": \(group.stretches), \"inset\": \(decimal(group.inset)), "
                + "\"error\": \(decimal(group.error))}"
        }
        let list = lines.isEmpty ? "[]" : "[\n" + lines.joined(separator: ",\n") + "\n  ]"
        return Array("{\n  \"imgbake-sizes\": \(Self.version),\n  \"groups\": \(list)\n}\n".utf8)
    }

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
        try CommittedFile(path: path, name: name, largest: largest)
            .read(SizesFile.init(parsing:))?.content
    }

    /// Writes the file.
    ///
    /// - Throws: ``FatalProblem``; an older file is then as it was.
    package func write(_ path: String, named name: String) throws(FatalProblem) {
        try CommittedFile(path: path, name: name).write(bytes)
    }

    /// Reads the text of a file; the order of its groups does not matter.
    ///
    /// - Throws: ``LineProblem``.
    init(parsing bytes: [UInt8]) throws(LineProblem) {
        guard let head = try? JSONDecoder().decode(Head.self, from: Data(bytes)) else {
            throw Self.problem(
                Self.firstBadLine(of: bytes), "this is not the JSON of a file of sizes")
        }
        guard head.version > 0, head.version <= Self.version else {
            throw LineProblem(
                line: 1,
                problem: Problem(
                    .invalidSizes, "the file is of a newer version of imgbake",
                    remedy: "update imgbake"))
        }
        guard let list = try? JSONDecoder().decode(List.self, from: Data(bytes)) else {
            throw Self.problem(1, "the member 'groups' is not a list of objects")
        }
        guard list.groups.count <= Self.mostGroups else {
            throw Self.problem(1, "there are more than \(Self.mostGroups) groups")
        }
        var groups: [Group] = []
        var seen: Set<String> = []
        for (index, row) in list.groups.enumerated() {
            guard let group = row.group else {
                throw Self.problem(
                    Self.line(ofGroup: index, in: bytes), "this is not a group of measured images")
            }
            guard seen.insert(group.place).inserted else {
                throw Self.problem(
                    Self.line(ofGroup: index, in: bytes), "this place occurs twice")
            }
            groups.append(group)
        }
        self.init(groups)
    }

    private struct Head: Decodable {
        enum CodingKeys: String, CodingKey { case version = "imgbake-sizes" }

        var version: Int
    }

    private struct List: Decodable {
        var groups: [Row]
    }

    private struct Row: Decodable {
        var place: String?
        var sizes: String?
        var stretches: Bool?
        var inset: Double?
        var error: Double?

        /// Nil if a value is missing or impossible.
        var group: Group? {
            guard let place, ImagePlace.isPossible(place),
                let widths = sizes.flatMap({ WidthPieces($0) }),
                let stretches, let error, SizesFile.Group.errors.contains(error),
                let inset, SizesFile.Group.insets.contains(inset)
            else { return nil }
            return Group(
                place: place, widths: widths, stretches: stretches, inset: inset, error: error)
        }
    }

    private static func problem(_ line: Int, _ reason: String) -> LineProblem {
        LineProblem(line: line, problem: Problem(.invalidSizes, reason))
    }

    /// The line of a group: that of its member `place`, because no value can have quotation marks.
    private static func line(ofGroup index: Int, in bytes: [UInt8]) -> Int {
        var found = -1
        for (number, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
            .enumerated()
        {
            found += String(decoding: line, as: UTF8.self).ranges(of: "\"place\"").count
            if found >= index { return number + 1 }
        }
        return 1
    }

    /// The first line with a mark of a merge conflict; otherwise the first one.
    private static func firstBadLine(of bytes: [UInt8]) -> Int {
        let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        return (lines.firstIndex { $0.starts(with: "<<<<<<<".utf8) } ?? 0) + 1
    }
}

/// A number with one decimal.
private func decimal(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

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
