import Documents
import Glibc

/// What libFuzzer calls with each input: the first byte says which kind of document it is, the rest is
/// the document; or, from 128 on, the seed of one that is made at random from the language's pieces.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let data, count > 0 else { return 0 }
    let kinds = DocumentKind.allCases
    let kind = kinds[Int(data[0] % 128) % kinds.count]
    var bytes = Array(UnsafeBufferPointer(start: data + 1, count: count - 1))
    if data[0] >= 128 {
        let seed = bytes.prefix(8).reduce(into: UInt64(count)) { $0 = $0 &* 257 &+ UInt64($1) }
        var generator = DocumentGenerator(kind: kind, seed: seed)
        bytes = generator.document()
    }
    if case .broken(let reason) = verdict(on: bytes, kind) {
        let text = String(decoding: bytes, as: UTF8.self).debugDescription
        print("\(kind): \(reason): \(text)")
        fflush(nil)
        abort()
    }
    return 0
}
