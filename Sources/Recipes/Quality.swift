/// How much of a picture a lossy encoding keeps.
package enum Quality: Hashable, Sendable {
    /// The encoder's own number, from 1 to 100.
    case number(Int)
    /// The score of ssimulacra2 that the encoding has to reach, from 1 to 100.
    ///
    /// The encoder's number is searched for each picture (https://github.com/cloudinary/ssimulacra2).
    case score(Int)

    /// The same as `medium`.
    package static let auto = Quality.score(70)

    /// The names of scores.
    package static let names: [(name: String, quality: Quality)] = [
        ("auto", .auto), ("low", .score(60)), ("medium", .score(70)), ("high", .score(80)),
    ]

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
        case .score(let score):
            Self.names.first { $0.quality == self }?.name ?? "score \(score)"
        }
    }
}

extension Quality: ExpressibleByIntegerLiteral {
    package init(integerLiteral number: Int) { self = .number(number) }
}

// A number is coded as such, so that the keys of recipes with numbers stay as they were.
extension Quality: Codable {
    private enum Key: String, CodingKey { case score }

    package init(from decoder: any Decoder) throws {
        if let container = try? decoder.singleValueContainer(),
            let number = try? container.decode(Int.self)
        {
            self = .number(number)
        } else {
            self = .score(try decoder.container(keyedBy: Key.self).decode(Int.self, forKey: .score))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        switch self {
        case .number(let number):
            var container = encoder.singleValueContainer()
            try container.encode(number)
        case .score(let score):
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(score, forKey: .score)
        }
    }
}
