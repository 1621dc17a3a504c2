/// The text in the body of an error.
enum ErrorText {
    /// The number of bytes of a body that are examined.
    private static let examinedBytes = 1024
    /// The longest code of a service, in characters.
    private static let longestCode = 64

    /// Adds bytes of a body to those that will be examined.
    static func keep(_ bytes: UnsafeRawBufferPointer, in body: inout [UInt8]) {
        body += bytes.prefix(max(0, examinedBytes - body.count))
    }

    /// The code in an answer of S3, STS or a service like them: `<Code>AccessDenied</Code>`.
    static func serviceCode(in body: [UInt8]) -> String? {
        let text = String(decoding: body, as: UTF8.self)
        guard text.contains("<Error"), let start = text.firstRange(of: "<Code>")?.upperBound else {
            return nil
        }
        let code = text[start...].prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
        guard (1...longestCode).contains(code.count), text[code.endIndex...].hasPrefix("</Code>")
        else { return nil }
        return String(code)
    }
}
