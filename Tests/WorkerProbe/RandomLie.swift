import Foundation

/// A JSON object whose values can be replaced by any text, valid or not.
struct JSONTree {
    private var root: Any
    private var texts: [String] = []

    init?(_ line: [UInt8]) {
        guard let root = try? JSONSerialization.jsonObject(with: Data(line)) else { return nil }
        self.root = root
    }

    /// Sets or, by an empty text, removes the member at a path; objects on it are made.
    ///
    /// A number stands for an element of a list.
    mutating func set(_ path: [String], _ text: String) {
        texts.append(text)
        let mark = "@\(texts.count - 1)@"
        root = Self.changed(root, path[...], text.isEmpty ? nil : mark)
    }

    private static func changed(_ node: Any, _ path: ArraySlice<String>, _ mark: String?) -> Any {
        guard let first = path.first else { return mark ?? node }
        if var list = node as? [Any], let index = Int(first), list.indices.contains(index) {
            if path.count == 1, mark == nil {
                list.remove(at: index)
            } else {
                list[index] = changed(list[index], path.dropFirst(), mark)
            }
            return list
        }
        var object = node as? [String: Any] ?? [:]
        if path.count == 1, mark == nil {
            object[first] = nil
        } else {
            object[first] = changed(object[first] ?? [String: Any](), path.dropFirst(), mark)
        }
        return object
    }

    /// The paths of all members.
    var paths: [[String]] { Self.paths(root, []) }

    private static func paths(_ node: Any, _ path: [String]) -> [[String]] {
        if let list = node as? [Any] {
            return [path] + list.indices.flatMap { paths(list[$0], path + ["\($0)"]) }
        }
        guard let object = node as? [String: Any] else { return [path] }
        let rest = object.keys.sorted().flatMap { paths(object[$0] ?? 0, path + [$0]) }
        return (path.isEmpty ? [] : [path]) + rest
    }

    var line: [UInt8] {
        let data =
            (try? JSONSerialization.data(withJSONObject: root, options: .sortedKeys)) ?? Data()
        var text = String(decoding: data, as: UTF8.self)
        for (index, value) in texts.enumerated() {
            text = text.replacing("\"@\(index)@\"", with: value)
        }
        return Array((text + "\n").utf8)
    }
}

/// A random change of an answer and of an output; the same for the same seed and source.
struct RandomLie {
    private let state: UInt64

    init(seed: UInt64, size: Int) {
        state = seed &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(size) &* 0xD1B5_4A32_D192_ED03
    }

    private struct Generator: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var value = state
            value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
            value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
            return value ^ value >> 31
        }
    }

    private static let values = [
        "0", "-1", "1", "2", "7", "4096", "16384", "65536", "2147483647", "2147483648",
        "4294967296", "9223372036854775807", "-9223372036854775808", "9223372036854775808",
        "18446744073709551616", "1e400", "1.5", "1e3", "null", "true", "false", "\"\"", "\"svg\"",
        "\"svgz\"", "\"png\"", "\"webp\"", "\"gif\"", "\"ico\"", "\"avif\"", "\"jpeg\"",
        "\"heic\"", "\"tiff\"", "\"\\u001b[31m\\n\"", "\"\\u202e\"", "\"../../x\"", "[]", "{}",
        "{\"_0\":{}}", "[[[[[[[[[[]]]]]]]]]]", "\"" + String(repeating: "a", count: 5_000) + "\"",
        String(repeating: "[", count: 900), "nan", "",
    ]

    func line(_ line: [UInt8]) -> [UInt8] {
        var random = Generator(state: state)
        switch Int.random(in: 0..<10, using: &random) {
        case 0: return line
        case 1, 2:
            var bytes = line.dropLast()
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                guard let index = bytes.indices.randomElement(using: &random) else { break }
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[index] = UInt8.random(in: 0x20...0xFF, using: &random)
                case 1: bytes.remove(at: index)
                default: bytes.insert(UInt8.random(in: 0x20...0x7E, using: &random), at: index)
                }
            }
            return bytes + [0x0A]
        case 3:
            let count = Int.random(in: 0...200, using: &random)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...0xFF, using: &random) }
            return bytes + [0x0A]
        default:
            guard var tree = JSONTree(line) else { return line }
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                guard let path = tree.paths.randomElement(using: &random),
                    let value = Self.values.randomElement(using: &random)
                else { break }
                tree.set(path, value)
            }
            return tree.line
        }
    }

    func output(_ bytes: [UInt8]) -> [UInt8] {
        var random = Generator(state: ~state)
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return []
        case 1: return Array(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
        case 2: return Array("<!doctype html><script>alert(1)</script>".utf8)
        case 3:
            return Array("<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>".utf8)
        case 4: return bytes + Array("<script>alert(1)</script>".utf8)
        case 5:
            var bytes = bytes
            // The header, where the sizes are.
            if let index = bytes.prefix(40).indices.randomElement(using: &random) {
                bytes[index] = UInt8.random(in: 0...0xFF, using: &random)
            }
            return bytes
        default: return bytes
        }
    }
}
