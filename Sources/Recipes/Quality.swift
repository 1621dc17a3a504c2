package import ImageFormats

/// How much of a picture a lossy encoding keeps.
package enum Quality: Hashable, Sendable {
    /// The encoder's own number, from 1 to 100.
    case number(Int)
    /// The number that the format has for this level; a smooth picture gets that of the next one.
    case level(QualityLevel)

    /// The same as `medium`.
    package static let auto = Quality.level(.medium)

    /// The names of the levels.
    package static let names: [(name: String, quality: Quality)] =
        [("auto", .auto)] + QualityLevel.allCases.map { ($0.rawValue, .level($0)) }

    /// The allowed numbers.
    package static let numbers = 1...100

    /// Reads a number or a name, in upper or lower case; nil if it is neither.
    package init?(_ text: String) {
        if let number = Int(text), Self.numbers.contains(number) {
            self = .number(number)
        } else if let named = Self.names.first(where: { $0.name == text.lowercased() }) {
            self = named.quality
        } else {
            return nil
        }
    }
}

extension Quality: CustomStringConvertible {
    /// The text from which the quality can be read; lists of origins contain it.
    package var description: String {
        switch self {
        case .number(let number): "\(number)"
        case .level(let level): self == .auto ? "auto" : level.rawValue
        }
    }
}

extension Quality: ExpressibleByIntegerLiteral {
    package init(integerLiteral number: Int) { self = .number(number) }
}

// A number is coded as such, and a level as its name, which are the shortest keys of recipes.
extension Quality: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int.self) {
            self = .number(number)
        } else {
            self = .level(try container.decode(QualityLevel.self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .level(let level): try container.encode(level)
        }
    }
}
