/// A bake whose result is compared with its input.
enum LookBake: String, Sendable, CaseIterable, CustomStringConvertible {
    case standard, jpeg, unlimited, dimensions, responsive

    var arguments: [String] {
        switch self {
        case .standard: []
        case .jpeg: ["--format", "jpeg"]
        case .unlimited: ["--max-width", "none"]
        case .dimensions: ["--dimensions"]
        case .responsive: ["--responsive"]
        }
    }

    /// The pages that are baked.
    var pages: [LookPage] {
        switch self {
        case .standard: LookPage.allCases
        case .jpeg: [.candidates, .elements, .styles]
        case .unlimited: [.candidates]
        case .dimensions: [.candidates, .formats, .layout]
        case .responsive: [.layout, .formats, .styles, .elements]
        }
    }

    var description: String { arguments.isEmpty ? "by default" : arguments.joined(separator: " ") }
}
