/// The fields of a response's header, in the order of their arrival.
struct HeaderFields: Sendable, Hashable {
    struct Field: Sendable, Hashable {
        var name: String
        var value: String
    }

    private(set) var fields: [Field] = []

    init(_ fields: [(name: String, value: String)] = []) {
        self.fields = fields.map { Field(name: $0.name, value: $0.value) }
    }

    /// Reads what ``text`` gave.
    init(text: String) {
        for line in text.split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields.append(
                Field(
                    name: String(line[..<colon]),
                    value: String(line[line.index(after: colon)...].drop { $0 == " " })))
        }
    }

    /// One field a line, as stored in the index.
    var text: String { fields.map { "\($0.name): \($0.value)" }.joined(separator: "\n") }

    mutating func append(name: String, value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// The values of every field of that name, in any case.
    func values(for name: String) -> [String] {
        fields.filter { Self.same($0.name, name) }.map(\.value)
    }

    /// The first value of that name.
    subscript(name: String) -> String? {
        fields.first { Self.same($0.name, name) }?.value
    }

    /// Takes over the fields of a 304, as RFC 9111, section 3.2, says: each replaces those of its
    /// name, but not what describes the stored body itself.
    mutating func update(from newer: HeaderFields) {
        let kept: Set<String> = [
            "content-encoding", "content-length", "content-range", "content-type",
            "transfer-encoding", "connection", "keep-alive",
        ]
        let taken = newer.fields.filter { !kept.contains($0.name.lowercased()) }
        let names = Set(taken.map { $0.name.lowercased() })
        fields.removeAll { names.contains($0.name.lowercased()) }
        fields += taken
    }

    private static func same(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count
            && zip(left.utf8, right.utf8).allSatisfy { lowered($0) == lowered($1) }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
}

/// Status and fields of a response.
struct ResponseHead: Sendable, Hashable {
    var status: Int
    var fields: HeaderFields

    /// The length of the body as announced; nil if it is not, or is no number.
    var contentLength: Int? { fields["Content-Length"].flatMap { Int($0) } }
}
