/// Why an image gets fewer files than the options ask for.
package struct KeptReason: Codable, Hashable, Sendable {
    /// What it lacks: `oneFile` of a `srcset`, `noPicture` of a `<picture>`, or `noPlaceholder`.
    package var code: DiagnosticCode
    package var cause: Cause

    package enum Cause: String, CaseIterable, Codable, Sendable {
        case unknownSheet, complexSheet, size, box, selector, policy, pictureSelector, preloaded,
            script, ownClass, style

        /// What is said of the images, after their number.
        package var text: String {
            switch self {
            case .unknownSheet: "on pages with a style sheet that is missing or of another host"
            case .complexSheet: "on pages with too many rules of CSS"
            case .size: "with a width or height that does not follow from the attribute 'width'"
            case .box: "in a flexible box or a grid"
            case .selector: "that a style sheet selects by an attribute such as 'loading'"
            case .policy: "on pages whose Content-Security-Policy forbids style attributes"
            case .pictureSelector: "whose <picture> a style sheet could notice"
            case .preloaded: "that a <link rel=preload> of the page names"
            case .script: "to which a script in the page may give another file"
            case .ownClass:
                "with a class, on pages whose Content-Security-Policy forbids style attributes"
            case .style:
                "of which a style sheet sets background, edges or fit, or which it selects by 'style'"
            }
        }
    }

    package init(_ code: DiagnosticCode, _ cause: Cause) {
        self.code = code
        self.cause = cause
    }

    /// Whether an image needs several files for the reason to count.
    package var isOfFiles: Bool { code != .noPlaceholder }
}

/// The numbers of images that get fewer files than the options ask for.
package struct KeptImages: Equatable, Sendable {
    package private(set) var counts: [KeptReason: Int] = [:]
    /// The numbers of the groups of measured images that are used.
    package var usedGroups: Set<Int> = []
    /// The number of images in each place that no measured group has.
    package private(set) var unmeasured: [String: Int] = [:]

    package init() {}

    /// The most different places that are kept.
    private static let mostPlaces = 1_000

    package mutating func add(_ reason: KeptReason, _ count: Int = 1) {
        counts[reason, default: 0] += count
    }

    package mutating func add(unmeasured place: String, _ count: Int = 1) {
        guard unmeasured[place] != nil || unmeasured.count < Self.mostPlaces else { return }
        unmeasured[place, default: 0] += count
    }

    package mutating func add(_ other: KeptImages) {
        counts.merge(other.counts, uniquingKeysWith: +)
        usedGroups.formUnion(other.usedGroups)
        for (place, count) in other.unmeasured { add(unmeasured: place, count) }
    }

    /// One note for each kind of missing files.
    package var diagnostics: [Diagnostic] {
        [
            (DiagnosticCode.oneFile, "image keeps one file", "images keep one file"),
            (.noPicture, "image keeps one format", "images keep one format"),
            (.noPlaceholder, "image gets no placeholder", "images get no placeholder"),
        ].compactMap { code, one, several in
            let causes = KeptReason.Cause.allCases.compactMap { cause in
                counts[KeptReason(code, cause)].map { (count: $0, text: cause.text) }
            }
            if causes.isEmpty { return nil }
            let total = causes.reduce(0) { $0 + $1.count }
            let parts = causes.map { "\($0.count) \($0.text)" }.joined(separator: ", ")
            let what = total == 1 ? one : several
            return Diagnostic(Problem(code, "\(total) \(what): \(parts)"), .note)
        }
    }
}

extension KeptImages: Codable {
    /// Whether a bake can have counted this.
    package var isPossible: Bool {
        (Array(counts.values) + unmeasured.values).allSatisfy((1...Int(Int32.max)).contains)
            && unmeasured.count <= Self.mostPlaces
    }
}
