extension HeaderFields {
    /// The authentication schemes that a response asks for, if none of them is supported (RFC 9110,
    /// section 11.6.1).
    var unsupportedSchemes: String? {
        let members = values(for: "WWW-Authenticate").flatMap(FieldList.members)
        // A member that is a word, or begins with one and a space, begins a challenge.
        let schemes = members.compactMap { member -> Substring? in
            let word = member.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
            let isScheme = word.endIndex == member.endIndex || member[word.endIndex] == " "
            return isScheme && !word.isEmpty ? word : nil
        }
        let isSupported = schemes.contains { ["basic", "bearer"].contains($0.lowercased()) }
        return schemes.isEmpty || isSupported ? nil : schemes.joined(separator: " or ")
    }
}
