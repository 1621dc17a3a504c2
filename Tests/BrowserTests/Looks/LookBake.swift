/// A bake whose result is compared with what it was made from.
enum LookBake: String, Sendable, CaseIterable, CustomStringConvertible {
    case standard, webp, jpeg, unlimited, dimensions

    var arguments: [String] {
        switch self {
        case .standard: []
        case .webp: ["--format", "webp"]
        case .jpeg: ["--format", "jpeg"]
        case .unlimited: ["--max-width", "none"]
        case .dimensions: ["--dimensions"]
        }
    }

    /// The pages that are baked.
    var pages: [LookPage] {
        switch self {
        case .standard: LookPage.allCases
        case .webp, .jpeg: [.candidates, .elements]
        case .unlimited: [.candidates]
        case .dimensions: [.candidates, .formats]
        }
    }

    var description: String { arguments.isEmpty ? "by default" : arguments.joined(separator: " ") }
}
