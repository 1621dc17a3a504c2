import DocumentSyntax
internal import Yams

/// The scalar values of a configuration file, each with its key path.
///
/// Nothing is executed or constructed. A value with a program's tag, such as `!!python/name:x.y`,
/// is the text after the tag.
package struct KeyedValues: Sendable {
    /// The language of a configuration file.
    ///
    /// JSON is read as YAML, which includes it.
    package enum Language: Sendable { case yaml, toml }

    /// The text is nil for a key without a value, and for a table.
    private var values: [(path: [String], text: String?)] = []

    /// Creates the values of an empty file.
    package init() {}

    /// Reads a file.
    ///
    /// - Returns: nil if the file is not in that language, or exceeds a limit.
    package init?(_ bytes: [UInt8], language: Language) {
        var found: [(path: [String], text: String?)] = []
        let isRead = bytes.withUnsafeBufferPointer { bytes in
            let start = bytes.starts(with: utf8Mark) ? utf8Mark.count : 0
            switch language {
            case .toml:
                return TOMLScanner.read(
                    bytes, start..<bytes.count,
                    visit: { found.append(($0, String(decoding: $1.value, as: UTF8.self))) },
                    visitBare: {
                        found.append(
                            ($0, $1.isEmpty ? nil : String(decoding: bytes[$1], as: UTF8.self)))
                    })
            case .yaml:
                let result = visitYAML(UnsafeBytes(rebasing: bytes[start...])) { node, path in
                    switch node {
                    case .scalar(let scalar) where !path.isEmpty:
                        let isNull =
                            scalar.style == .plain && ["", "~", "null"].contains(scalar.string)
                        found.append((path, isNull ? nil : scalar.string))
                    case .mapping: found.append((path, nil))
                    case .scalar, .sequence, .alias: break
                    }
                }
                return (try? result.get()) != nil
            }
        }
        guard isRead else { return nil }
        values = found
    }

    /// All values at this key path, in the order of the file.
    ///
    /// Lists do not add to a path, and letter case does not matter.
    package func texts(_ path: String...) -> [String] { texts(at: path) }

    /// The first value at this key path.
    package func text(_ path: String...) -> String? { texts(at: path).first }

    /// Whether the root has a value at or below this key.
    package func has(_ key: String) -> Bool {
        values.contains { $0.text != nil && $0.path.first?.lowercased() == key.lowercased() }
    }

    /// Whether the value at this key path is true.
    package func isTrue(_ path: String...) -> Bool { texts(at: path).first?.lowercased() == "true" }

    /// The keys directly below this key path, each once.
    package func keys(below path: String...) -> [String] {
        var seen: Set<String> = []
        return values.compactMap { value in
            guard value.path.count > path.count, Self.isSame(value.path.prefix(path.count), path)
            else { return nil }
            let key = value.path[path.count]
            return seen.insert(key).inserted ? key : nil
        }
    }

    /// All values at this key path, in the order of the file.
    package func texts(at path: [String]) -> [String] {
        values.filter { Self.isSame($0.path[...], path) }.compactMap(\.text)
    }

    /// The values below a key, without it; all values if there are none.
    ///
    /// The keys `pymdownx` and `details` of TOML become the name `pymdownx.details`.
    package func project(_ key: String) -> KeyedValues {
        var project = self
        project.values = values.filter { $0.path.count > 1 && $0.path[0] == key }.map {
            var path = Array($0.path.dropFirst())
            if let place = path.dropLast().firstIndex(of: "pymdownx") {
                path[place...(place + 1)] = ["pymdownx.\(path[place + 1])"]
            }
            return (path, $0.text)
        }
        return project.values.isEmpty ? self : project
    }

    private static func isSame(_ keys: ArraySlice<String>, _ path: [String]) -> Bool {
        keys.count == path.count
            && zip(keys, path).allSatisfy { $0.lowercased() == $1.lowercased() }
    }
}
