import FoundationEssentials

/// Base64 as browsers read it in a `data:` URL (Infra Standard, "forgiving-base64 decode").
enum Base64 {
    /// The bytes; nil for text that browsers refuse.
    static func decoded(_ text: [UInt8]) -> [UInt8]? {
        let pad = UInt8(ascii: "=")
        var digits = text.filter { !$0.isXMLSpace && $0 != 0x0C }
        if digits.count % 4 == 0 {
            for _ in 0..<2 where digits.last == pad { digits.removeLast() }
        }
        // `Data` would take some that stand before the end.
        if digits.contains(pad) { return nil }
        while digits.count % 4 != 0 { digits.append(pad) }
        return Data(base64Encoded: Data(digits)).map { Array($0) }
    }

    static func encoded(_ bytes: [UInt8]) -> [UInt8] { Array(Data(bytes).base64EncodedData()) }
}
