extension BidirectionalCollection<UInt8> {
    /// A copy without blanks and tabs at both ends.
    var trimmed: SubSequence {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        var rest = drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest = rest.dropLast() }
        return rest
    }
}

extension String {
    /// A copy without blanks and tabs at both ends.
    var trimmed: String { String(Substring(utf8.trimmed)) }
}
