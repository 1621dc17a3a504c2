import URLs

/// The density that the name of an image gives: 2 for `logo@2x.png`.
///
/// - Parameter url: A URL, or the key of a local image.
/// - Returns: A number from 1 to 9, possibly with a fraction; nil if the name gives none.
func densityInName(of url: String) -> Double? {
    let path = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    let last = percentDecoded(path.split(separator: UInt8(ascii: "/")).last ?? [])
    let stem = last.lastIndex(of: UInt8(ascii: ".")).map { last[..<$0] } ?? last[...]
    guard stem.last == UInt8(ascii: "x") || stem.last == UInt8(ascii: "X"),
        let sign = stem.lastIndex(of: UInt8(ascii: "@")), sign > stem.startIndex
    else { return nil }
    let number = stem[stem.index(after: sign)...].dropLast()
    let isDecimal = number.allSatisfy("0123456789.".utf8.contains)
    guard isDecimal, let density = Double(String(decoding: number, as: UTF8.self)),
        (1..<10).contains(density)
    else { return nil }
    return density
}
